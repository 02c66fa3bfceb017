"""Whose a capsule is: the code owners of the paths that it declares, by the repository's CODEOWNERS. Pure.

The file is read by a maintained parser, which knows GitHub's rules and more: sections, classes and escapes
that GitHub does not know. So only lines that GitHub reads are given to it, bounded in bytes, lines and stars;
and its expressions, which can backtrack for minutes, are run by an engine that cannot (case C131).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile

from codeowners import CodeOwners

from ophiuchus.assess.verdicts import CHANGED, GlobResult
from ophiuchus.report.model import CapsuleReport, ConditionReport
from ophiuchus.secrets.linear import compiled

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where the file may be; the first that is there counts."""
MOST_BYTES = 3_000_000
"""A larger file is not read, by GitHub neither."""
MOST_LINES = 5_000
MOST_PATTERN_BYTES = 1_024
MOST_STARS = 8
MOST_OWNERS = 50
"""Most owners of one line."""
MOST_LOOK_UPS = 1_000_000
"""Most tries of one pattern on one path in a run, a second or two; who owns what is left is not looked up."""

Owners = tuple[str, ...]
"""Owners as the file spells them (`@user`, `@org/team`, an address), sorted without case."""

# GitHub reads neither negation, classes nor escapes here, but for the blank.
_NOT_GITHUB_S = re.compile(r"!|.*[\[\]\0]|.*\\(?! )", re.DOTALL)
_WORDS = re.compile(r"(?:\\ |\S)+")


@dataclass(frozen=True, slots=True)
class OwnerRules:
    """The rules of one CODEOWNERS file. `left_out` counts the lines that are not used."""

    rules: CodeOwners
    left_out: int

    @property
    def count(self) -> int:
        """How many rules there are."""
        return len(self.rules.paths)


def read_owners(content: bytes) -> OwnerRules:
    """The rules in a CODEOWNERS file of at most `MOST_BYTES`; what is no rule of GitHub's is left out."""
    lines = [line for line in content.decode("utf-8-sig", "replace").split("\n") if _says_something(line)]
    used = list(filter(None, map(_bounded, lines[:MOST_LINES])))
    rules = CodeOwners("\n".join(used))
    rules.paths = [(compiled(pattern.pattern), *rest) for pattern, *rest in rules.paths]
    return OwnerRules(rules, len(lines) - len(used))


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _bounded(line: str) -> str | None:
    """A line as the parser may have it, without its comment; None where GitHub would not read it."""
    pattern, *words = _WORDS.findall(line)
    if _NOT_GITHUB_S.match(pattern):
        return None
    if len(pattern.encode()) > MOST_PATTERN_BYTES or pattern.count("*") > MOST_STARS:
        return None
    owners = takewhile(lambda word: not word.startswith("#"), words)
    return " ".join([pattern, *islice(owners, MOST_OWNERS)])


def owners_of(rules: OwnerRules, capsules: Iterable[CapsuleReport]) -> Mapping[str, Owners]:
    """The owners of each capsule, by its path; one that would cost too much to look up is not in it."""
    found: dict[str, Owners] = {}
    by_path: dict[str, Owners] = {}
    left = MOST_LOOK_UPS
    for capsule in capsules:
        paths = dict.fromkeys(watched_paths(capsule))
        left -= sum(rules.count for path in paths if path not in by_path)
        if left < 0:
            break
        for path in paths:
            if path not in by_path:
                by_path[path] = tuple(name for _, name in rules.rules.of(path))
        names = {name.casefold(): name for path in paths for name in by_path[path]}
        found[capsule.path] = tuple(names[key] for key in sorted(names))
    return found


def watched_paths(capsule: CapsuleReport) -> Iterator[str]:
    """What the capsule is about: what changed of what it declares, else all that it declares, else its file.

    A glob stands for a path with other letters in the place of its wildcards.
    """
    for at_hand in (_changed, _declared):
        if paths := [path for condition in capsule.validity.conditions for path in at_hand(condition)]:
            yield from paths
            return
    yield capsule.path


def _changed(condition: ConditionReport) -> Iterator[str]:
    """The changed paths as far as they are known, else the globs that changed."""
    if not condition.required or condition.verdict not in CHANGED:
        return
    for glob in condition.paths:
        if glob.changed:
            yield from (change.path for change in glob.changed)
        elif glob.result is GlobResult.CHANGED:
            yield glob.glob


def _declared(condition: ConditionReport) -> Iterator[str]:
    return (glob.glob for glob in condition.paths)
