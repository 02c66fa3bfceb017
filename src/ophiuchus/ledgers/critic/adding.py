"""A finding that is added: no other may have its id (DEC-0104 §2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from ophiuchus.ledgers.append import hold
from ophiuchus.ledgers.jsonl import rows_in
from ophiuchus.text.problem import ExpectedFailure


class FindingStands(ExpectedFailure):
    """A row with the id is in the ledger already."""


def add_finding(root: Path, place: PurePosixPath, row: Mapping[str, Any]) -> None:
    """Append a finding that nothing is wrong with. Raises FindingStands, LedgerBusy, CannotBeWritten."""
    with hold(root, place) as ledger:
        with ledger.read() as file:
            line = _line_with(file, row["finding_id"])
        if line is not None:
            raise FindingStands(
                f"line {line} of {place} has the finding_id {row['finding_id']}: nothing was written",
                "Give another finding an id of its own; close this one with `ophiuchus critic resolve`.",
            )
        ledger.append(row, compact=False)


def _line_with(file: BinaryIO, finding_id: str) -> int | None:
    rows = rows_in(file)
    return next((row.line for row in rows if row.value.get("finding_id") == finding_id), None)
