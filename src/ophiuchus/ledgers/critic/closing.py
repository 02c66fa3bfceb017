"""Findings that are settled: resolved or waived, in place, with who, why and when beside the ledger."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath

from ophiuchus.ledgers.append import hold, line_of
from ophiuchus.ledgers.critic.finding import Status
from ophiuchus.ledgers.jsonl import Row, rows_in
from ophiuchus.ledgers.moment import moment_of
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.strict_json import locate


class NoSuchFinding(ExpectedFailure):
    """No row of the ledger has the id."""


def close_finding(
    root: Path,
    place: PurePosixPath,
    finding_id: str,
    status: Status,
    *,
    by: str,
    why: str,
    now: datetime,
) -> int:
    """Set the status of every row with this id; how many changed. Lines that do not change keep every byte.

    The change is noted before it is made: a note too many does less harm than a finding that nobody closed.
    Raises NoSuchFinding, LedgerBusy, CannotBeWritten.
    """
    with hold(root, place) as ledger:
        with ledger.read() as file:
            ours = [row for row in rows_in(file) if row.value.get("finding_id") == finding_id]
        if not ours:
            raise NoSuchFinding(
                f"no finding in {place} has the id {finding_id}",
                "`ophiuchus critic open` lists those that are open and block, with their ids.",
            )
        changing = {row.line: row for row in ours if row.value.get("status") != status}
        if not changing:
            return 0
        for before in sorted({str(row.value.get("status")) for row in changing.values()}):
            ledger.note_change(
                {
                    "ts": moment_of(now),
                    "finding_id": finding_id,
                    "from": before,
                    "to": status.value,
                    "by": by,
                    "why": why,
                }
            )
        with ledger.read() as file:
            ledger.replace(_changed(file, changing, status))
    return len(changing)


def _changed(file: Iterable[bytes], changing: dict[int, Row], status: Status) -> Iterator[bytes]:
    for number, line in enumerate(file, 1):
        row = changing.get(number)
        # What stands around the record, a byte-order mark or `\r\n`, stays where it is.
        before, _, after = line.partition(row.raw) if row else (line, b"", b"")
        yield line if row is None else before + _with_status(row, status) + (after or b"\n")


def _with_status(row: Row, status: Status) -> bytes:
    """The row's line with another status, and every other byte as it was."""
    if not isinstance(row.value.get("status"), str):
        return line_of({**row.value, "status": status.value}, compact=True).removesuffix(b"\n")
    text = row.raw.decode()
    start = locate(row.raw, [("status",)])[("status",)].value.column - 1
    _, end = json.JSONDecoder().raw_decode(text, start)
    return f'{text[:start]}"{status.value}"{text[end:]}'.encode()
