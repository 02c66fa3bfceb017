"""What is wrong with a ledger's lines, as problems and notices of the report; old faults told apart.

An append-only file is touched by nearly every change, so it is the line that counts, not the file: a line
with a fault that stood at the base, byte for byte and with the same fault, is not this change's doing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from hashlib import blake2b
from typing import BinaryIO, Self, cast

from ophiuchus.git.process import GitFailed
from ophiuchus.ledgers.jsonl import RowNotice, RowProblem
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.text.wording import counted

MOST_TOLD = 200
"""Most problems of one kind of ledger that are told, and most notices; all are counted."""

Found = tuple[str, RowProblem | RowNotice]
"""Something about a line of the ledger at that path."""
Judge = Callable[["Watch"], Iterator[Found]]
"""Judges ledgers whose opening the watch sees."""

_CODES = frozenset(ProblemCode)


class Watch:
    """Remembers the line that was read last, so that a problem can be told by what its line says."""

    def __init__(self) -> None:
        self.line = b""

    def over(self, opener: Callable[[], BinaryIO]) -> Callable[[], BinaryIO]:
        """The same opener; what it opens is watched."""
        return lambda: cast("BinaryIO", _Watched(opener(), self))

    def key(self, problem: RowProblem) -> bytes:
        """What makes this problem the same one at the base, whatever its line's number."""
        return blake2b(self.line.rstrip(b"\r\n") + problem.code.encode(), digest_size=16).digest()


class _Watched:
    def __init__(self, file: BinaryIO, watch: Watch) -> None:
        self._file = file
        self._watch = watch

    def readline(self, most: int = -1) -> bytes:
        line = self._file.readline(most)
        if line:
            self._watch.line = line
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class Faults:
    """Sorts what judging a kind of ledger finds; `judge_before` judges the base's, None without a base.

    `untouched` are the paths of files that are the same there: what is worth saying of them was said.
    """

    def __init__(self, untouched: Collection[str], judge_before: Judge | None) -> None:
        self._untouched = untouched
        self._judge_before = judge_before
        self._known: Collection[bytes] | None = None
        self._problem_count = self._notice_count = 0
        self._problems: list[Problem] = []
        self._notices: list[Notice] = []
        self._old: dict[str, tuple[RowProblem, int]] = {}

    def sort(self, judge: Judge) -> None:
        """Judge the ledgers and sort all that is found. Raises GitFailed as reading does."""
        watch = Watch()
        for path, found in judge(watch):
            if isinstance(found, RowNotice):
                self._note(path, found)
            elif self._is_old(path, found, watch):
                first, count = self._old.get(path, (found, 0))
                self._old[path] = first, count + 1
            else:
                self._problem_count += 1
                if len(self._problems) < MOST_TOLD or found.code == ProblemCode.TOO_MANY:
                    self._problems.append(problem_of(path, found))

    @property
    def problems(self) -> Iterator[Problem]:
        """What this change is to put right, and how many more there are."""
        yield from self._problems
        if more := self._problem_count - len(self._problems):
            message = f"{counted(more, 'more problem')} of this kind of ledger; put the first ones right"
            yield Problem(self._problems[0].path, None, None, ProblemCode.TOO_MANY, message)

    @property
    def notices(self) -> Iterator[Notice]:
        """What is worth saying; of each file's old faults how many there are, and the first."""
        for path, (first, count) in self._old.items():
            message = (
                f"{counted(count, 'line')} could not be used before this change either; the first: "
                f"{problem_of(path, first).place()}: {first.message}"
            )
            yield Notice(path, NoticeCode.BAD_ROWS_BEFORE, message)
        yield from self._notices
        if more := self._notice_count - len(self._notices):
            yield Notice("", NoticeCode.ABOUT_ROWS, f"{counted(more, 'more notice')} about ledgers' rows")

    def _note(self, path: str, notice: RowNotice) -> None:
        if path in self._untouched:
            return
        self._notice_count += 1
        if len(self._notices) < MOST_TOLD:
            line = f"line {notice.line}: " if notice.line else ""
            self._notices.append(
                Notice(path, NoticeCode.ABOUT_ROWS, f"{line}{notice.message} ({notice.code})")
            )

    def _is_old(self, path: str, problem: RowProblem, watch: Watch) -> bool:
        if self._judge_before is None:
            return False
        # What nobody looked at may be this change's, wherever it was touched.
        if problem.code == ProblemCode.TOO_MANY:
            return path in self._untouched
        # An id that stands twice is a fault of two files: the other one may be what was touched.
        if path in self._untouched and problem.code != ProblemCode.DUPLICATE_ID:
            return True
        if self._known is None:
            before = Watch()
            self._known = {
                before.key(found)
                for _, found in _as_far_as_readable(self._judge_before(before))
                if isinstance(found, RowProblem)
            }
        return watch.key(problem) in self._known


def problem_of(path: str, found: RowProblem) -> Problem:
    """A line's problem as one of the report; a code that only the ledgers know is told in words."""
    if found.code in _CODES:
        return Problem(path, found.line, found.column, ProblemCode(found.code), found.message)
    return Problem(path, found.line, found.column, ProblemCode.BAD_ROW, f"{found.message} ({found.code})")


def _as_far_as_readable(found: Iterable[Found]) -> Iterator[Found]:
    """The base may be incomplete in this clone: then fewer faults pass for old ones."""
    try:
        yield from found
    except GitFailed:
        return
