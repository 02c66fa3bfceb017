"""Pieces of lines that views are put together from: names cut to a length, states, lists, commits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from ophiuchus.assess.continuity import ContinuityStatus
from ophiuchus.assess.fidelity import FidelityVerdict
from ophiuchus.assess.negative_knowledge import Standing
from ophiuchus.assess.verdicts import Aggregate, GlobResult, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.files import by_file
from ophiuchus.report.model import CapsuleReport, ConditionReport, ValidityReport
from ophiuchus.text.clean import spell_name
from ophiuchus.text.cut import cut
from ophiuchus.text.problem import Notice, Problem
from ophiuchus.text.wording import counted
from ophiuchus.views.document import Bullets, Code, Inline, Line, Link, Status, Text, Tone

ROWS_SHOWN = 200
"""Most rows of one table, and most items of a list of notices."""
TEXT_CHARACTERS = 500
"""Most characters shown of a reason or a message."""
NAME_CHARACTERS = 200
"""Most characters shown of a path, a glob or a title."""
COMMIT_CHARACTERS = 10
"""How many digits of a commit's id are shown where a name is enough."""

_NAMES = re.compile(r"“[^”]*”|`(?P<code>[^`]+)`|(?<!\w)(?P<commit>[0-9a-f]{7,64})(?!\w)")

TONES: Mapping[str, Tone] = {
    Aggregate.VALID: Tone.GOOD,
    Aggregate.NOT_DECLARED: Tone.NONE,
    Aggregate.UNVERIFIABLE: Tone.OPEN,
    Aggregate.PARTIALLY_STALE: Tone.PART,
    Aggregate.STALE: Tone.BAD,
    GlobResult.UNCHANGED: Tone.GOOD,
    GlobResult.CHANGED: Tone.BAD,
    GlobResult.NOT_EVALUATED: Tone.OPEN,
    Standing.STILL_APPLICABLE: Tone.GOOD,
    Standing.REVALIDATION_REQUIRED: Tone.BAD,
    Standing.APPLICABILITY_UNKNOWN: Tone.OPEN,
    Standing.RETIRED: Tone.NONE,
    FidelityVerdict.PRESERVED: Tone.GOOD,
    FidelityVerdict.DEGRADED: Tone.PART,
    FidelityVerdict.UNSUPPORTED: Tone.BAD,
    FidelityVerdict.UNKNOWN: Tone.OPEN,
    ContinuityStatus.NONE: Tone.NONE,
    ContinuityStatus.COMPARED: Tone.GOOD,
    ContinuityStatus.BOUNDED: Tone.OPEN,
    ContinuityStatus.GONE: Tone.OPEN,
    ContinuityStatus.CYCLE: Tone.BAD,
}


def status(word: StrEnum) -> Status:
    """A verdict or result with its sign."""
    return Status(words(word), TONES[word])


def words(name: str) -> str:
    """A verdict, a result or a field as it is read aloud."""
    return name.replace("_", " ")


def files_with_problems(problems: Sequence[Problem]) -> str:
    """`2 files have a problem`; empty where none has."""
    files = len(by_file(problems))
    return f"{counted(files, 'file')} {'has' if files == 1 else 'have'} a problem" if files else ""


def count_not_valid(validity: ValidityReport) -> str:
    """Whether the required conditions hold, or how many do not."""
    required = [condition for condition in validity.conditions if condition.required]
    if not required:
        return "no required condition is declared"
    not_valid = sum(condition.verdict is not Verdict.VALID for condition in required)
    if not not_valid:
        return "its required condition holds" if len(required) == 1 else "all required conditions hold"
    return f"{not_valid} of {counted(len(required), 'required condition')} not valid"


def listed(lines: Sequence[Line], *, between: str = ", ", more: int = 0, at_least: bool = False) -> Line:
    """The lines as one, separated, with how many more there are, or are `at_least`."""
    joined: list[Inline] = []
    for line in lines:
        joined += [Text(between), *line] if joined else line
    if more > 0:
        joined.append(Text(f" and at least {more:,} more" if at_least else f" and {more:,} more"))
    return tuple(joined)


class Changes(NamedTuple):
    """What changed of a condition: the known paths, and how many did, or did at least."""

    paths: dict[str, Change]
    total: int
    at_least: bool


def changes_of(condition: ConditionReport) -> Changes:
    """What changed over all globs; a path that two of them match counts once.

    Of a glob only the first ten are known: where it has more and other globs changed too, they may be the
    same ones, and what is told is the least number.
    """
    changed = [glob for glob in condition.paths if glob.changed]
    paths = {path.path: path.change for glob in changed for path in glob.changed}
    counts = [glob.changed_count or 0 for glob in changed]
    is_least = len(changed) > 1 and sum(counts) > sum(len(glob.changed) for glob in changed)
    return Changes(paths, max(len(paths), *counts, 0), is_least)


def changed_paths(condition: ConditionReport, most: int) -> Line:
    """At most `most` of the paths that changed, and how many more; nothing where no path is known."""
    changes = changes_of(condition)
    named: list[Line] = [(Code(cut_path(path)),) for path in islice(changes.paths, most)]
    return listed(named, more=changes.total - len(named), at_least=changes.at_least)


def commit_name(commit: LoggedCommit, repository_url: str | None) -> Line:
    """A commit's short id, leading to its page where the repository has one; the full id is ours, checked."""
    short = commit.commit[:COMMIT_CHARACTERS]
    if repository_url is None:
        return (Code(short),)
    return (Link(short, f"{repository_url}/commit/{commit.commit}", is_name=True),)


def capsule_name(capsule: CapsuleReport) -> Line:
    """Its id, and whose it is where capsules of several repositories are told."""
    whose = (Text(f" of {cut_name(capsule.repository)}"),) if capsule.repository is not None else ()
    return (Code(capsule.capsule_id), *whose)


def with_code(text: str) -> Line:
    """A sentence of ours, in which backticks enclose names and what to type; commits' ids are names too.

    What it quotes stays as it is. A name can be copied: in prose a surface may break a long id.
    """
    line: list[Inline] = []
    end = 0
    for found in _NAMES.finditer(text):
        if name := found["code"] or found["commit"]:
            line += [*_words(text[end : found.start()]), Code(name)]
            end = found.end()
    return (*line, *_words(text[end:]))


def _words(text: str) -> Line:
    return (Text(text),) if text else ()


def cut_sentence(text: str) -> Line:
    """A reason or a message, shortened, with what it names."""
    return with_code(cut_text(text))


def cut_text(text: str) -> str:
    """A reason or a message, shortened."""
    return cut(text, TEXT_CHARACTERS)


def cut_path(text: str) -> str:
    """A path, glob, kind or commit's subject, shortened, all of it to be seen: nobody else tells of it."""
    return spell_name(cut(text, NAME_CHARACTERS))


def cut_name(text: str) -> str:
    """A name or a title, shortened."""
    return cut(text, NAME_CHARACTERS)


def notice_list(notices: Sequence[Notice]) -> Bullets:
    """Notices with the file that each is about, as many as a list holds."""
    shown: list[Line] = [_notice(notice) for notice in notices[:ROWS_SHOWN]]
    if len(notices) > len(shown):
        shown.append((Text(f"and {counted(len(notices) - len(shown), 'more notice')}"),))
    return Bullets(tuple(shown))


def _notice(notice: Notice) -> Line:
    message = cut_sentence(notice.message)
    place = ":".join(filter(None, (notice.repository, notice.path)))
    return (Code(cut_path(place)), Text(": "), *message) if place else message
