"""How the memory stands: for each family what its ledger and its archive hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ophiuchus.ledgers.append import open_ledger
from ophiuchus.ledgers.jsonl import Profile, Row, RowProblem, read_rows, rows_in
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.row import RowJudge, Status
from ophiuchus.ledgers.memory.store import archives
from ophiuchus.ledgers.memory.validation import problems_of


@dataclass(frozen=True, slots=True)
class Standing:
    """One family: rows of its ledger by status, lines that are no entries, and rows in its archives."""

    family: Family
    active: int
    superseded: int
    archived: int
    unusable: int
    archives: int
    rows_in_archives: int


def standing_of(root: Path, family: Family, profile: Profile) -> Standing:
    """How one family stands beneath `root`. Raises LedgerUnreadable."""
    counted: Counter[str] = Counter()
    ledger = open_ledger(root, family.place)
    if ledger is not None:
        with ledger:
            counted = _counted(ledger, family, profile)
    places = archives(root, family)
    in_archives = 0
    for place in places:
        archive = open_ledger(root, place)
        if archive is not None:
            with archive:
                in_archives += sum(1 for _ in rows_in(archive))
    return Standing(
        family,
        counted[Status.ACTIVE],
        counted[Status.SUPERSEDED],
        counted[Status.ARCHIVED],
        counted[""],
        len(places),
        in_archives,
    )


def _counted(ledger: BinaryIO, family: Family, profile: Profile) -> Counter[str]:
    """How many rows have each status; the empty one is that of lines that are no entries."""
    counted: Counter[str] = Counter()
    judge = RowJudge(family, profile)
    for read in read_rows(ledger):
        if isinstance(read, RowProblem):
            counted[""] += read.lines
        elif isinstance(read, Row):
            counted["" if problems_of(read, judge) else read.value["status"]] += 1
    return counted
