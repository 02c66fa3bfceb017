"""JSON Lines as committed ledgers are read: one line after the other, each fault confined to its own line.

Lines end at the newline byte and nowhere else: texts may hold U+2028 and other characters that some readers
take for an end (C047). Numbers are those of the file's physical lines, blank ones counted (C067). Memory is
bounded, whatever the file is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from ophiuchus.ledgers.patience import Patience, not_looked_at
from ophiuchus.secrets.matching import may_hold_secret
from ophiuchus.secrets.scan import scan_text
from ophiuchus.text.file_text import BYTE_ORDER_MARK, UnusableFile, accident, decode
from ophiuchus.text.problem import NoticeCode, ProblemCode
from ophiuchus.text.strict_json import NotStrictJson, parse_json, parse_text

MOST_LINE_BYTES = 64 * 1024
"""Most bytes of one record, without its line end."""
MOST_LINES = 1_000_000
"""Most lines of one ledger."""
MOST_BYTES = 512 << 20
"""Most bytes of one ledger."""

_CUT_OR_GLUED = "cut or glued record: "
_CONFLICT = re.compile(rb"<{7,}(?:[ \t]|\Z)|={7,}\Z|>{7,}(?:[ \t]|\Z)|\|{7,}(?:[ \t]|\Z)")
_BLANKS = b" \t\r"


class Profile(StrEnum):
    """How rows are judged: as the field writes them, or by the letter of the decision documents."""

    COMPAT = "compat"
    STRICT = "strict"


class LedgerNotice(StrEnum):
    """What is worth saying of a ledger's lines though nothing is wrong, beside NoticeCode's."""

    BLANK_LINE = "blank_line"
    NO_LINE_END = "no_line_end"


ReadGood = Callable[[bytes], dict[str, Any] | None]
"""Gives what strict JSON says on a line where it can tell at once that the record is good, else None."""


class Row(NamedTuple):
    """One record: its physical line, counted from 1, the line without its end, and what it says.

    `good`: nothing is wrong with it, as the reader was told by its `ReadGood`, whose order the members have.
    """

    line: int
    raw: bytes
    value: dict[str, Any]
    good: bool = False

    def as_written(self) -> dict[str, Any]:
        """What it says, its members in the order of the line."""
        return dict(parse_text(self.raw.decode())) if self.good else self.value


@dataclass(frozen=True, slots=True)
class RowProblem:
    """What is wrong with one line; `line` is None where it is the whole file, `column` where none is known.

    `code` is a ProblemCode, or one of the ledger's own; `lines` is more than 1 where it is about lines that
    were counted only. Made by `row_problem`, so that no message holds a secret.
    """

    line: int | None
    column: int | None
    code: str
    message: str
    lines: int = 1


@dataclass(frozen=True, slots=True)
class RowNotice:
    """What is worth saying of a line though nothing is wrong; `line` is None for the whole file."""

    line: int | None
    code: str
    message: str


Read = Row | RowProblem | RowNotice
"""What a line comes to."""


def rows_in(file: BinaryIO) -> Iterator[Row]:
    """The records of `file` alone: nothing is asked about lines that are none."""
    return (one for one in read_rows(file, patience=Patience(faults=0)) if isinstance(one, Row))


def row_problem(line: int | None, column: int | None, code: str, message: str) -> RowProblem:
    """A problem; another message stands in for one that would repeat what looks like a secret."""
    if scan_text(message):
        message = "is refused; what is wrong is not repeated here, for it looks like a secret"
    return RowProblem(line, column, code, message)


def read_rows(
    file: BinaryIO, read_good: ReadGood = lambda _: None, patience: Patience | None = None
) -> Iterator[Read]:
    """Every line of `file` in its order: as a record, or as what is wrong with it.

    `read_good` is asked first of each line; whatever it does not take is read with care. Where `patience`, of
    this reading alone if none is given, comes to its end, other lines that are no records are counted: they
    are one problem, the last.

    Notices, once each, for a byte-order mark, blank lines and a last line without its end. A file that is no
    ledger at all (another encoding, an LFS pointer) or is larger than the bounds is one problem, the last.
    """
    return _Reading(file, read_good, patience or Patience()).lines()


class _Reading:
    def __init__(self, file: BinaryIO, read_good: ReadGood, patience: Patience) -> None:
        self.file = file
        self.read_good = read_good
        self.patience = patience
        self.number = 0
        self.in_conflict = False

    def lines(self) -> Iterator[Read]:
        blanks, first_blank, size, raw = 0, 0, 0, b""
        # Two more than a record may have: its line end is `\n` or `\r\n`.
        for raw in iter(partial(self.file.readline, MOST_LINE_BYTES + 2), b""):
            self.number += 1
            size += len(raw)
            if self.number > MOST_LINES or size > MOST_BYTES:
                yield self.problem(ProblemCode.TOO_LARGE, _BOUNDS)
                yield from self.passed_over()
                return
            line = raw
            if self.number == 1:
                if whole := why_no_ledger(raw):
                    yield whole
                    return
                if raw.startswith(BYTE_ORDER_MARK):
                    line = raw.removeprefix(BYTE_ORDER_MARK)
                    yield RowNotice(1, NoticeCode.BYTE_ORDER_MARK, "starts with a byte-order mark")
            # Nearly every line is a record, and there are a great many: what else it may be is asked after.
            if len(line) <= MOST_LINE_BYTES:
                good = self.read_good(line)
                value = _parsed(line) if good is None else good
                if type(value) is dict:
                    yield Row(self.number, line.rstrip(b"\r\n"), value, good is not None)
                    continue
            line = line.rstrip(b"\r\n") if line.endswith(b"\n") else line
            if not line or not line.strip(_BLANKS):
                blanks += 1
                first_blank = first_blank or self.number
            elif len(line) > MOST_LINE_BYTES:
                size += 0 if raw.endswith(b"\n") else self.skip_rest()
                raw = b"\n"  # noqa: PLW2901 - where the rest ended does not matter
                if (fault := self.too_long(line)) is not None:
                    yield fault
            elif (read := self.record(line, ended=raw.endswith(b"\n"))) is not None:
                yield read
        yield from self.passed_over()
        if blanks:
            yield _blank_lines(first_blank, blanks)
        if raw and not raw.endswith(b"\n"):
            yield RowNotice(self.number, LedgerNotice.NO_LINE_END, "the last line has no line end")

    def record(self, line: bytes, *, ended: bool) -> Row | RowProblem | None:
        """What a line is that is not blank; None where that is told already, or not looked at."""
        value = _parsed(line)
        if type(value) is dict:
            return Row(self.number, line, value)
        if not self.patience.is_left():
            return None
        self.patience.spend(line)
        if value is _NOT_JSON:
            return self.refusal(line, ended=ended)
        return self.problem(ProblemCode.BAD_FIELD, "is not a JSON object: a record is one object")

    def too_long(self, line: bytes) -> RowProblem | None:
        """What is wrong with a line that is longer than a record may be; None where it is not looked at."""
        if not self.patience.is_left():
            return None
        self.patience.spend(line)
        message = _CARRIAGE_RETURNS if _BETWEEN_RECORDS.search(line) else _LONG
        return self.problem(ProblemCode.TOO_LARGE, message + _secrets_in(line))

    def refusal(self, line: bytes, *, ended: bool) -> RowProblem | None:
        """What is wrong with a line that is no record; None for one more line of a conflict told already."""
        if _CONFLICT.match(line):
            told, self.in_conflict = self.in_conflict, not line.startswith(b">")
            message = f"unresolved merge conflict at line {self.number}; resolve it and commit the result"
            return None if told else self.problem(ProblemCode.MERGE_CONFLICT, message)
        if line.startswith(BYTE_ORDER_MARK):
            return self.problem(
                ProblemCode.NOT_JSON, "a byte-order mark stands here: only a file's first may"
            )
        if line.strip(_BLANKS) in (b"{", b"["):
            return self.problem(ProblemCode.NOT_JSON, _SPREAD)
        if _BETWEEN_RECORDS.search(line):
            return self.problem(ProblemCode.NOT_JSON, _CARRIAGE_RETURNS + _secrets_in(line))
        try:
            parse_json(line)
        except NotStrictJson as fault:
            cut = not ended or b'{"' in line[1:]
            cut = cut and fault.code in (ProblemCode.NOT_JSON, ProblemCode.NOT_UTF8)
            message = _TWICE if _quotes_secret(fault, line) else fault.message
            return self.problem(fault.code, _CUT_OR_GLUED * cut + message + _secrets_in(line), fault.column)
        raise AssertionError("a line is refused and accepted by one parser")  # pragma: no cover

    def skip_rest(self) -> int:
        """Step over the rest of a line that is too long; how many bytes that was."""
        skipped = 0
        for piece in iter(partial(self.file.readline, MOST_LINE_BYTES), b""):
            skipped += len(piece)
            if piece.endswith(b"\n") or skipped > MOST_BYTES:
                break
        return skipped

    def passed_over(self) -> Iterator[RowProblem]:
        """The lines of this file that were counted only, if any."""
        if lines := self.patience.reckon():
            yield RowProblem(None, None, ProblemCode.TOO_MANY, not_looked_at(lines), lines)

    def problem(self, code: str, message: str, column: int | None = None) -> RowProblem:
        return row_problem(self.number, column, code, message)


def _blank_lines(first: int, count: int) -> RowNotice:
    more = {1: "", 2: ", as is 1 more line"}.get(count, f", as are {count - 1:,} more lines")
    return RowNotice(first, LedgerNotice.BLANK_LINE, f"is blank{more}")


def _parsed(line: bytes) -> Any:
    try:
        return parse_text(line.decode())
    except ValueError:
        return _NOT_JSON


def why_no_ledger(first: bytes) -> RowProblem | None:
    """What a file that is no ledger is instead, told by its first line; None for any other."""
    try:
        if first.startswith(_OTHER_MARKS) or b"\0" in first[:4]:
            decode(first)
        pointer = accident(first.decode("utf-8", "replace"))
    except UnusableFile as refused:
        return row_problem(None, None, refused.code, refused.message)
    if pointer is None or pointer.code is not ProblemCode.LFS_POINTER:
        return None
    return row_problem(None, None, pointer.code, pointer.message)


def _secrets_in(line: bytes) -> str:
    """What to add to the message about a line that is no record, but may give a secret away all the same."""
    kinds = scan_text(line.decode("utf-8", "replace")) if b"\\" in line or may_hold_secret(line) else ()
    return f"; it seems to hold a secret, {', '.join(kinds)}: revoke what it is" if kinds else ""


def _quotes_secret(fault: NotStrictJson, line: bytes) -> bool:
    """Whether the fault's message may repeat a secret, cut so that no scan would know it: keys are quoted."""
    return fault.code is ProblemCode.DUPLICATE_KEY and (b"\\" in line or may_hold_secret(line))


_NOT_JSON = object()
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BOUNDS = (
    f"not read from here on: a ledger of at most {MOST_LINES:,} lines and {MOST_BYTES >> 20} MiB is read; "
    "move old records to an archive"
)
_BETWEEN_RECORDS = re.compile(rb"\}[ \t]*\r[ \t\r]*\{")
_CARRIAGE_RETURNS = "its records end in a carriage return alone: save the file with line feeds"
_SPREAD = "is not JSON: a value starts here that goes on below; a record is one object on one line"
_TWICE = "a key is there twice; keep the one that is meant"
_LONG = f"not read: longer than {MOST_LINE_BYTES:,} bytes; shorten it"
