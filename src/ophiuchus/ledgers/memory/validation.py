"""Every row of the memory's ledgers, judged: its form, its fields, secrets in it, ids that stand twice.

An id counts across all files that are judged together, the archive's too (C056). The order of rows means
nothing: a merge changes it. Memory does not grow with the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from ophiuchus.ledgers.jsonl import Profile, Row, RowNotice, RowProblem, read_rows, row_problem, rows_in
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.reasons import MemoryNotice, MemoryReason
from ophiuchus.ledgers.memory.row import GOOD, Fault, RowJudge
from ophiuchus.ledgers.moment import is_moment
from ophiuchus.ledgers.patience import Patience
from ophiuchus.ledgers.repeats import MORE_REPEATS, SeenIds, settle
from ophiuchus.secrets.matching import may_hold_secret
from ophiuchus.secrets.scan import scan_value
from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.problem import ProblemCode
from ophiuchus.text.strict_json import locate
from ophiuchus.text.wording import json_excerpt

MOST_UNKNOWN_FIELDS = 20
"""Most unknown fields of one file that are told one by one."""

# A digest takes such a row for the oldest: what was learned is not lost for it (C113, C115).
_MOMENTLESS = [
    Fault("ts", "`ts` must be an RFC 3339 moment with an offset, such as 2026-07-01T12:00:00.000Z")
]
_LINES = 32
"""Bits of a row's number that hold its line; those above, its file."""


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """One ledger to judge: the path it is told by, its family, and how it is opened, anew each time."""

    path: str
    family: Family
    open: Callable[[], BinaryIO]


class Found(NamedTuple):
    """Something about one of the files."""

    path: str
    what: RowProblem | RowNotice


def validate(files: Sequence[LedgerFile], profile: Profile) -> Iterator[Found]:
    """What is wrong with the files, and what is worth saying: file by file, then what is between rows."""
    seen, patience = SeenIds(), Patience()
    for file in files:
        with file.open() as opened:
            for found in _File(file.family, profile, seen, patience).judge(opened):
                yield Found(file.path, found)
    if seen.suspects:
        yield from _repeats(files, seen, patience)


def problems_of(row: Row, judge: RowJudge) -> Sequence[RowProblem]:
    """What is wrong with one row."""
    return _secrets(row) or _faults(row, judge.judge(row.value).faults)


def _secrets(row: Row) -> Sequence[RowProblem]:
    """The secrets in a row. Nothing else is to be told of it then: that could repeat a secret."""
    if b"\\" not in row.raw and not may_hold_secret(row.raw):
        return ()
    secrets = scan_value(row.value) and scan_value(row.as_written())
    if not secrets:
        return ()
    words = f"looks like a secret: {'; '.join(map(str, secrets))}; take it out, and replace it"
    return [row_problem(row.line, None, MemoryReason.SECRET_DETECTED, words)]


def _faults(row: Row, faults: Sequence[Fault]) -> Sequence[RowProblem]:
    if not faults:
        return ()
    columns = {
        pointer[0]: found.value.column for pointer, found in locate(row.raw, _pointers(faults)).items()
    }
    return [
        row_problem(row.line, columns.get(fault.field or ""), MemoryReason.SCHEMA_INVALID, fault.message)
        for fault in faults
    ]


def _pointers(faults: Sequence[Fault]) -> list[Pointer]:
    return [(fault.field,) for fault in faults if fault.field is not None]


class _File:
    """One pass over one file. Notices are gathered, so that a habit of a whole file is told once."""

    def __init__(self, family: Family, profile: Profile, seen: SeenIds, patience: Patience) -> None:
        self._family = family
        self._judge = RowJudge(family, profile)
        self._lenient = profile is Profile.COMPAT
        self._seen = seen
        self._patience = patience
        self._unknown: dict[str, list[int]] = {}

    def judge(self, file: BinaryIO) -> Iterator[RowProblem | RowNotice]:
        note = self._seen.add
        for read in read_rows(file, self._judge.read_good, self._patience):
            if not isinstance(read, Row):
                yield read
                continue
            _, raw, value, good = read
            identity = value.get("entry_id")
            if type(identity) is str:
                note(identity)
            # A good row takes the shortest way: there are a great many.
            if good and not (b"\\" in raw or may_hold_secret(raw) or self._has_no_moment(value)):
                continue
            if self._patience.is_left() and (problems := self._problems(read)):
                self._patience.spend(raw, len(problems))
                yield from problems
        yield from self._notices()

    def _problems(self, row: Row) -> Sequence[RowProblem]:
        """What is wrong with a row; where nothing is, the fields in it that nobody knows are remembered."""
        judgement = GOOD if row.good else self._judge.judge(row.value)
        if problems := _secrets(row) or _faults(row, judgement.faults):
            return problems
        if self._has_no_moment(row.value):
            return _faults(row, _MOMENTLESS)
        self._remember(row.line, judgement.unknown)
        return ()

    def _has_no_moment(self, value: Mapping[str, Any]) -> bool:
        """Whether a row that is right but for that has a `ts` that is any other text."""
        return self._lenient and not is_moment(value["ts"])

    def _remember(self, line: int, unknown: Sequence[str]) -> None:
        for name in unknown:
            if name in self._unknown or len(self._unknown) < MOST_UNKNOWN_FIELDS:
                first_and_count = self._unknown.setdefault(name, [line, 0])
                first_and_count[1] += 1

    def _notices(self) -> Iterator[RowNotice]:
        for name, (line, count) in self._unknown.items():
            where = f"{self._family.stem}{_also(count)}"
            words = f"{json_excerpt(name)} is no field of {where}; it is kept and not used"
            yield RowNotice(line, MemoryNotice.UNKNOWN_FIELD, words)


def _also(count: int) -> str:
    return f", in {count:,} rows" if count > 1 else ""


def _repeats(files: Sequence[LedgerFile], seen: SeenIds, patience: Patience) -> Iterator[Found]:
    for repeat in settle(_numbered(files), "entry_id", seen.suspects):
        path, line = _place(files, repeat.again)
        if not patience.is_left():
            yield Found(path, row_problem(line, None, ProblemCode.TOO_MANY, MORE_REPEATS))
            return
        patience.spend(b"")
        first_path, first_line = _place(files, repeat.first)
        first = f"line {first_line}" if first_path == path else f"{first_path}:{first_line}"
        if repeat.same:
            words = f"says what {first} says: it counts once; take one of the two out"
            yield Found(path, RowNotice(line, MemoryNotice.REPEATED_LINE, words))
        else:
            words = f"has the `entry_id` of {first}, and says something else: keep one, or give it its own"
            yield Found(path, row_problem(line, None, ProblemCode.DUPLICATE_ID, words))


def _numbered(files: Sequence[LedgerFile]) -> Iterator[Row]:
    for index, file in enumerate(files):
        with file.open() as opened:
            for row in rows_in(opened):
                yield Row(index << _LINES | row.line, row.raw, row.value)


def _place(files: Sequence[LedgerFile], number: int) -> tuple[str, int]:
    return files[number >> _LINES].path, number & (1 << _LINES) - 1
