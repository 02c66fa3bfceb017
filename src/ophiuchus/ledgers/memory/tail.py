"""The last rows of a ledger, read from its end: what a digest is made of.

Not more is read than the asked-for lines take, however long the ledger is. A row that is no entry costs only
itself, and is counted.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO

from ophiuchus.ledgers.jsonl import MOST_LINE_BYTES, Profile, Row, RowProblem, read_rows
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.row import RowJudge, Status
from ophiuchus.ledgers.memory.validation import problems_of
from ophiuchus.text.instant import NotAnInstant, parse_instant

_BLOCK = 64 * 1024
_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as a digest needs it. `moment` is the earliest there is where its `ts` is none."""

    family: Family
    entry_id: str
    moment: datetime
    impact: int
    text: str


@dataclass(frozen=True, slots=True)
class Tail:
    """The entries of a ledger's last lines, in the ledger's order.

    `cut` says that there are lines before them, `unusable` how many lines are no entries.
    """

    entries: tuple[Entry, ...]
    cut: bool
    unusable: int


def read_tail(file: BinaryIO, family: Family, most_lines: int) -> Tail:
    """The active entries in the last `most_lines` lines of `file`; of rows with one id the last one counts.

    Rows are judged as `compat`, and with a secret in them they are no entries.
    """
    data, cut = _last_lines(file, most_lines)
    judge = RowJudge(family, Profile.COMPAT)
    entries: dict[str, Entry | None] = {}
    unusable = 0
    for read in read_rows(io.BytesIO(data)):
        if isinstance(read, RowProblem):
            unusable += read.lines
        elif isinstance(read, Row) and problems_of(read, judge):
            unusable += 1
        elif isinstance(read, Row):
            entry = _entry(read, family)
            entries.pop(entry.entry_id, None)
            entries[entry.entry_id] = entry if read.value["status"] == Status.ACTIVE else None
    return Tail(tuple(entry for entry in entries.values() if entry), cut, unusable)


def _entry(row: Row, family: Family) -> Entry:
    value = row.value
    try:
        moment = parse_instant(value["ts"])
    except NotAnInstant:
        moment = _OLDEST
    return Entry(family, value["entry_id"], moment, value["impact_score"], value["text"])


def _last_lines(file: BinaryIO, most: int) -> tuple[bytes, bool]:
    """The last `most` lines, blank ones too, and whether there are others before them."""
    at = file.seek(0, io.SEEK_END)
    blocks: list[bytes] = []
    newlines = size = 0
    # Where lines are longer than lines may be, the search ends as well.
    while at and newlines <= most and size <= (most + 1) * MOST_LINE_BYTES:
        start = max(0, at - _BLOCK)
        file.seek(start)
        block = file.read(at - start)
        blocks.append(block)
        newlines += block.count(b"\n")
        size += len(block)
        at = start
    lines = b"".join(reversed(blocks)).split(b"\n")
    if not lines[-1]:
        lines.pop()
    cut = at > 0 or len(lines) > most
    return b"".join(line + b"\n" for line in lines[max(0, len(lines) - most) :]), cut
