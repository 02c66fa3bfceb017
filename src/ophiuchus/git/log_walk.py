"""Which commits brought about what differs now: one bounded `git log` for all conditions. Never a verdict.

The walk follows first parents, so that a merge counts as one step: it is the merge that brought a change to
the line. Where a condition's base is on the line, all steps behind it that touched one of the differing paths
changed it. Where it is not (it was squashed, or came in by a merge), that is known of one step a path: the
last one, which gave the path what it holds now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import NamedTuple

from ophiuchus.git.globs import accepted_globs
from ophiuchus.git.matches import followed_submodule
from ophiuchus.git.process import GitFailed
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import MalformedPath, SortedPaths, select_in_budget
from ophiuchus.text.cut import cut
from ophiuchus.text.instant import format_instant

MOST_NAMED = 3
"""Most commits that are named for one condition."""
MOST_COMMITS = 1_000
MOST_RECORDS = 200_000
"""Most changes of one path by one commit that are looked at."""
MOST_BYTES = 64 << 20
SECONDS = 2.0
"""Most seconds that the walk may take; what it told by then holds."""
SUBJECT_CHARACTERS = 200

_TOUCHES_KEPT = 20
"""How many of the last commits that touched one path are remembered."""
_SUBMODULE = b"160000"
_LOG = (
    "log",
    # In a shallow clone only one of two lines may be there. (Holds for what comes behind it.)
    "--ignore-missing",
    "--stdin",
    f"--max-count={MOST_COMMITS}",
    "--first-parent",
    "--diff-merges=first-parent",
    "--format=%H %P%n%ct %s",
    "--encoding=UTF-8",
    "--no-notes",
    "--raw",
    "-z",
    # As for the comparison of trees (tree_chain).
    "--no-renames",
    "--ignore-submodules=none",
    "--no-ext-diff",
    "--no-textconv",
)


class Drift(NamedTuple):
    """What differs of one condition: `paths` since the commit `base`, and `globs` in paths nobody knows."""

    base: str | None
    paths: tuple[bytes, ...] = ()
    globs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """One commit by its full id, with the first line of its message, shortened: somebody's words.

    `at` is the committer's date, in RFC 3339 and UTC; None where it is no date that one could use.
    """

    commit: str
    subject: str
    at: str | None = None


def walk_back(
    scratch: Scratch, tips: Sequence[str], drifts: Sequence[Drift]
) -> list[tuple[LoggedCommit, ...]]:
    """For each drift at most `MOST_NAMED` commits that brought it about, the newest first.

    `tips` are the full ids of the judged commit, or of the commits that it joins. What lies behind the end of
    a shallow clone, or beyond the limits of the walk, is not named.
    """
    walk = _Walk(tips, drifts)
    with suppress(GitFailed), closing(_steps(scratch, tips)) as steps:
        walk.read(steps)
    by_glob = walk.last_touch_of({text for drift in drifts for text in drift.globs})
    return [walk.named(drift, by_glob) for drift in drifts]


@dataclass(slots=True)
class _Step:
    """One commit of the walk. A root has no parents, and so has a commit at which a shallow clone ends."""

    id: str
    parents: tuple[str, ...]
    seconds: bytes
    subject: bytes
    paths: list[bytes] = field(default_factory=list)
    submodules: list[bytes] = field(default_factory=list)


class _Walk:
    """What the walk finds, step by step. Steps are known by their number."""

    def __init__(self, tips: Sequence[str], drifts: Sequence[Drift]) -> None:
        bases = dict.fromkeys(drift.base for drift in drifts if drift.base is not None)
        # A set of bases is an integer, one bit each.
        self._bit_of = {base: 1 << number for number, base in enumerate(bases)}
        self._all = (1 << len(bases)) - 1
        self._met_at: dict[str, int] = {}
        self._is_one_line = len(tips) == 1
        self._commits: list[LoggedCommit] = []
        self._wanted = set[bytes]().union(*(drift.paths for drift in drifts))
        self._touches: dict[bytes, list[tuple[int, int]]] = {}
        self._by_glob = any(drift.globs for drift in drifts)
        self._last: dict[bytes, int] = {}
        self._submodules: set[bytes] = set()

    def read(self, steps: Iterable[_Step]) -> None:
        """Take the steps in the order of the log, to the end or to where nothing more can be learned."""
        behind: dict[str, int] = defaultdict(int)
        for step in steps:
            # The bases that this commit is, or is a first-parent ancestor of.
            bases = behind.pop(step.id, 0)
            if step.id in self._bit_of:
                bases |= self._bit_of[step.id]
                self._met_at[step.id] = len(self._commits)
            if not step.parents:
                continue
            behind[step.parents[0]] |= bases
            if bases == self._all and len(behind) == 1 and not self._by_glob:
                break
            self._note(step, bases)

    def _note(self, step: _Step, bases: int) -> None:
        number = len(self._commits)
        self._commits.append(_logged(step))
        for path in self._wanted.intersection(step.paths):
            touches = self._touches.setdefault(path, [])
            if len(touches) < _TOUCHES_KEPT:
                touches.append((number, bases))
        if self._by_glob:
            for path in step.paths:
                self._last.setdefault(path, number)
            self._submodules.update(step.submodules)

    def last_touch_of(self, globs: Iterable[str]) -> dict[str, int]:
        """For each glob the newest commit that touched what it selects, by number, if there is one."""
        accepted = accepted_globs(globs)
        paths = sorted(self._last)
        found = {}
        with suppress(MalformedPath):
            for glob, selection in zip(accepted, select_in_budget(accepted, SortedPaths(paths)), strict=True):
                touched = [self._last[paths[place]] for place in selection.all_places()] if selection else []
                if pointer := followed_submodule(glob, self._submodules):
                    touched.append(self._last[pointer])
                if touched:
                    found[glob.text] = min(touched)
        return found

    def named(self, drift: Drift, by_glob: dict[str, int]) -> tuple[LoggedCommit, ...]:
        """The commits that brought `drift` about."""
        numbers = {by_glob[text] for text in drift.globs if text in by_glob}
        touched = [touches for path in drift.paths if (touches := self._touches.get(path))]
        if drift.base is None or drift.base not in self._met_at:
            numbers.update([touches[0][0] for touches in touched])
        else:
            met_at, bit = self._met_at[drift.base], self._bit_of[drift.base]
            for touches in touched:
                for number, bases in touches:
                    # Neither the base nor behind it. On one line, what the log told first is not.
                    if number < met_at or not (self._is_one_line or bases & bit):
                        numbers.add(number)
        return tuple([self._commits[number] for number in sorted(numbers)[:MOST_NAMED]])


def _logged(step: _Step) -> LoggedCommit:
    subject = cut(step.subject.decode("utf-8", "replace"), SUBJECT_CHARACTERS)
    return LoggedCommit(step.id, subject, _moment(step.seconds))


def _moment(seconds: bytes) -> str | None:
    """Seconds since 1970, which whoever made the commit may have chosen, as a moment."""
    try:
        since = int(seconds)
        return format_instant(datetime.fromtimestamp(since, UTC)) if since > 0 else None
    except (ValueError, OverflowError, OSError):
        return None


def _steps(scratch: Scratch, tips: Sequence[str]) -> Generator[_Step, None, None]:
    """The commits of the log, each once all its paths are known. Raises GitFailed after the last good one."""
    stdin = "".join(f"{tip}\n" for tip in tips).encode("ascii")
    step: _Step | None = None
    with replace(scratch.git, seconds=SECONDS).stream(*_LOG, stdin=stdin) as chunks:
        tokens = _tokens(chunks)
        for records, token in enumerate(tokens):
            if records > MOST_RECORDS:
                return
            # A record follows a line break where it is a commit's first one; a commit begins with its id.
            record = token.removeprefix(b"\n")
            if not record.startswith(b":"):
                if step is not None:
                    yield step
                ids, _, told = token.partition(b"\n")
                commit, *parents = ids.decode("ascii").split()
                seconds, _, subject = told.partition(b" ")
                step = _Step(commit, tuple(parents), seconds, subject)
            elif step is not None:
                path = next(tokens, None)
                if path is None:
                    return
                step.paths.append(path)
                if _SUBMODULE in record[:15]:
                    step.submodules.append(path)
    if step is not None:
        yield step


def _tokens(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """What stands before each NUL."""
    rest, size = b"", 0
    for chunk in chunks:
        *tokens, rest = (rest + chunk).split(b"\0")
        yield from tokens
        size += len(chunk)
        if size > MOST_BYTES:
            return
