"""How the judged tree differs from many base trees, from one `git diff-tree`.

The trees are compared as a chain, each with its neighbour, so that git reads every tree once. A path differs
at a base when its entry there is not the judged tree's: that sum telescopes exactly for any order of the
bases and any shape of history, and needs no history at all. The order (by date) only keeps it short.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from itertools import pairwise

from ophiuchus.git.findings import Change
from ophiuchus.git.process import SECONDS, Git, GitFailed, GitTooSlow
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import is_malformed

MOST_EVENTS = 20_000_000
"""Most changes of one path from one tree of the chain to the next; in date order there are far fewer."""
MOST_BYTES = 256 << 20
"""Most bytes that all paths that differ somewhere may take in memory: more than a million paths."""
_KEPT_WITH_A_PATH = 200
_MOST_RESTARTS = 200
_SENTINEL = b"end"
_ABSENT, _SUBMODULE = b"000000", b"160000"
_DIFF_OPTIONS = (
    "-r",
    "-z",
    "--raw",
    "--no-abbrev",
    # Renames would show the new name only, and read blobs (trap 12).
    "--no-renames",
    # Else the judged tree's own .gitmodules could hide a moved pointer (trap 21).
    "--ignore-submodules=none",
    "--no-ext-diff",
    "--no-textconv",
)

# One byte says how a path's entry at a base differs from the judged tree's. 0: not at all.
_CODES: dict[Change, int] = {change: code for code, change in enumerate(Change, start=1)}
CHANGE_OF: dict[int, Change] = {code: change for change, code in _CODES.items()}
"""The kind of change of a code, `SUBMODULE_SIDE` taken off."""
SUBMODULE_SIDE = 8
"""Added to a code where the entry is a submodule in one of the two trees."""


class TreeState(Enum):
    """Whether a tree could be compared."""

    COMPARED = auto()
    UNREADABLE = auto()
    OVER_BUDGET = auto()


class TreeChain:
    """Everything in which the trees of a chain differ from the first one, the judged tree.

    `compare_trees` fills it.
    """

    def __init__(self, judged: str) -> None:
        self.states: dict[str, TreeState] = {judged: TreeState.COMPARED}
        self._order = [judged]
        self._step_starts = [0]
        self._numbers: dict[bytes, int] = {}
        self._bytes = 0
        self._judged_entries: list[tuple[bytes, bytes]] = []
        self._event_paths = array("I")
        self._event_codes = bytearray()

    @property
    def last(self) -> str:
        """The last tree that was compared."""
        return self._order[-1]

    def note(self, record: bytes, path: bytes) -> None:
        """Take one raw record (`:mode mode id id status`) of the step from `last` to the next tree.

        Raises TooManyEvents, and ValueError for what is no record.
        """
        if len(self._event_codes) >= MOST_EVENTS:
            raise TooManyEvents
        mode_before, mode, id_before, object_id, _ = record.split(b" ")
        number = self._numbers.get(path)
        if number is None:
            if is_malformed(path):
                raise ValueError(path)
            self._bytes += len(path) + _KEPT_WITH_A_PATH
            if self._bytes > MOST_BYTES:
                raise TooManyEvents
            # It did not differ so far: its entry before is the judged tree's.
            number = self._numbers[path] = len(self._judged_entries)
            self._judged_entries.append((mode_before[1:], id_before))
        self._event_paths.append(number)
        self._event_codes.append(_code(*self._judged_entries[number], mode, object_id))

    def close(self, tree: str) -> None:
        """What was noted was all of the step to `tree`."""
        self._order.append(tree)
        self._step_starts.append(len(self._event_codes))
        self.states[tree] = TreeState.COMPARED

    def discard(self) -> None:
        """Forget what was noted since the last step was closed."""
        del self._event_paths[self._step_starts[-1] :]
        del self._event_codes[self._step_starts[-1] :]

    @property
    def paths(self) -> list[bytes]:
        """All paths that differ somewhere, in byte order."""
        return sorted(self._numbers)

    def submodules(self) -> set[bytes]:
        """The paths that differ somewhere and are a submodule in one of the two trees."""
        if max(self._event_codes, default=0) < SUBMODULE_SIDE:
            return set()
        events = zip(self._event_paths, self._event_codes, strict=True)
        numbers = {number for number, code in events if code & SUBMODULE_SIDE}
        return {path for path, number in self._numbers.items() if number in numbers}

    def replay(self, place_of: Mapping[bytes, int]) -> Iterator[tuple[str, bytearray]]:
        """Each compared tree with a code for every place; the codes change with the next step.

        `place_of` gives the place of each of `paths`, and of others that never differ.
        """
        codes = bytearray(len(place_of))
        places = array("I", (place_of[path] for path in self._numbers))
        start = 0
        for tree, end in zip(self._order, self._step_starts, strict=True):
            events = zip(self._event_paths[start:end], self._event_codes[start:end], strict=True)
            for number, code in events:
                codes[places[number]] = code
            start = end
            yield tree, codes


class TooManyEvents(Exception):
    """The trees of the chain differ in more than `MOST_EVENTS` places, or in paths of over `MOST_BYTES`."""


def compare_trees(scratch: Scratch, judged: str, trees: Sequence[str]) -> TreeChain:
    """Compare `judged` with each of `trees`, in this order. See `extend`."""
    chain = TreeChain(judged)
    extend(scratch, chain, trees)
    return chain


def extend(scratch: Scratch, chain: TreeChain, trees: Sequence[str]) -> None:
    """Compare the judged tree with each of `trees` as well, in this order.

    A pair counts only when git repeated it and went on to the next; a missing tree gives no line and no
    error, an unreadable one ends git with all that was asked behind it (traps 39, 45). The chain is then
    taken up again at the last tree that was compared, without the one that failed: exactly the trees that
    cannot be compared with the judged one itself are left UNREADABLE. All of it takes as long as one git
    process may, no more.
    """
    waiting = [tree for tree in dict.fromkeys(trees) if tree not in chain.states]
    deadline = time.monotonic() + SECONDS
    try:
        for _ in range(_MOST_RESTARTS):
            if not waiting:
                break
            in_time = replace(scratch.git, seconds=max(deadline - time.monotonic(), 0.1))
            done = _compare_run(in_time, chain, waiting)
            if done < len(waiting):
                chain.states[waiting[done]] = TreeState.UNREADABLE
            waiting = waiting[done + 1 :]
        left = TreeState.UNREADABLE
    except (TooManyEvents, GitTooSlow):
        left = TreeState.OVER_BUDGET
    for tree in waiting:
        chain.states.setdefault(tree, left)


def _compare_run(git: Git, chain: TreeChain, trees: Sequence[str]) -> int:
    """Compare `chain.last` with the first of `trees`, that with the second, …; how many were compared."""
    pairs = [f"{before} {after}".encode("ascii") for before, after in pairwise([chain.last, *trees])]
    lines = [*pairs, _SENTINEL]
    expected = iter(lines)
    done = -1
    try:
        with git.stream("diff-tree", "--stdin", *_DIFF_OPTIONS, stdin=b"\n".join([*lines, b""])) as chunks:
            for record, path in _records(chunks):
                if path is not None:
                    chain.note(record, path)
                    continue
                if record != next(expected, None):
                    break
                if done >= 0:
                    chain.close(trees[done])
                done += 1
    except GitTooSlow:
        raise
    except (GitFailed, ValueError):
        # Git ended at a tree it could not read, or said what is no record; what was closed before holds.
        pass
    finally:
        chain.discard()
    return max(done, 0)


def _records(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bytes | None]]:
    """Raw records with their paths, and lines that are no records, with None for a path.

    Git repeats what it was asked in such a line; it ends with a line break, records and paths with NUL.
    """
    rest, record = b"", None
    failure: GitFailed | None = None
    try:
        for chunk in chunks:
            tokens = (rest + chunk).split(b"\0")
            rest = tokens.pop()
            for token in tokens:
                if record is not None:
                    yield record, token
                    record = None
                else:
                    *lines, record = token.split(b"\n") if token[:1] != b":" else (token,)
                    for line in lines:
                        yield line, None
    except GitFailed as error:
        # What it said before it failed may end with a line: the pair at which it gave up.
        failure = error
    for line in rest.splitlines():
        yield line, None
    if failure is not None:
        raise failure


def _code(judged_mode: bytes, judged_id: bytes, mode: bytes, object_id: bytes) -> int:
    """How the judged tree's entry came out of the base tree's; mode 000000 is no entry."""
    if judged_mode == mode and judged_id == object_id:
        return 0
    submodule = _SUBMODULE in (judged_mode, mode)
    if mode == _ABSENT:
        change = Change.ADDED
    elif judged_mode == _ABSENT:
        change = Change.DELETED
    elif judged_mode[:3] != mode[:3]:
        change = Change.TYPE
    elif submodule:
        change = Change.SUBMODULE
    elif judged_id == object_id:
        change = Change.MODE
    else:
        change = Change.CONTENT
    return _CODES[change] | (SUBMODULE_SIDE if submodule else 0)
