"""Writing to the memory: append, dedupe, rollover. One lock, on the memory's folder, is over all of it.

Rows only move whole, by the rename of a file, so that a process that is killed at any moment neither loses
nor doubles one (DEC-0105 §7).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from ophiuchus.ledgers.append import HeldLedger, LedgerBusy, LedgerUnreadable, hold, line_of, open_ledger
from ophiuchus.ledgers.jsonl import MOST_LINE_BYTES, Profile, Row
from ophiuchus.ledgers.memory.decision_key import compute_decision_key
from ophiuchus.ledgers.memory.family import ARCHIVE, FOLDER, Family, is_archive_of, is_stranger
from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.ledgers.memory.row import FIELDS, SCHEMA_VERSION, RowJudge, Status
from ophiuchus.ledgers.memory.validation import problems_of
from ophiuchus.ledgers.moment import moment_of
from ophiuchus.text.new_file import CannotBeWritten
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.strict_json import parse_text


class NotAppended(ExpectedFailure):
    """An entry was not written; `reason` says why, and so does the message, first."""

    def __init__(self, reason: MemoryReason, message: str, remedy: str = "") -> None:
        super().__init__(f"{reason}: {message}", remedy)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Rollover:
    """A ledger that became an archive: where it is now, and how many lines it has."""

    place: PurePosixPath
    lines: int


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of an entry that nothing is wrong with.

    `duplicate` says that the decision stands already and nothing was written. `rollover` is what was
    archived before it was written.
    """

    entry_id: str
    duplicate: bool = False
    rollover: Rollover | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory beneath a checkout's top. `most_lines` is when a ledger is archived; `by` is who writes."""

    root: Path
    profile: Profile
    most_lines: int
    by: str

    def append(
        self, family: Family, entry: Mapping[str, Any], now: datetime, *, id_is_given: bool = False
    ) -> Appended:
        """Write one complete entry, made by `new_entry`. Raises NotAppended.

        `id_is_given`: somebody chose the entry's id, so that it may stand already, in any family (C056).
        """
        _refuse_bad(entry, family)
        with _failing_as(MemoryReason.APPEND_FAILED), hold(self.root, family.place) as ledger:
            if id_is_given and (place := self._place_with("entry_id", entry["entry_id"], Family)):
                raise NotAppended(
                    MemoryReason.APPEND_FAILED,
                    f"{place} has the entry_id {entry['entry_id']}: nothing was written",
                    "Give another entry an id of its own, or none, and one is made.",
                )
            if family is Family.DECISIONS and self._place_with(
                "decision_key", entry["decision_key"], [family]
            ):
                return Appended(entry["entry_id"], duplicate=True)
            rollover = self._roll_over_if_due(ledger, family, now)
            ledger.append(entry, compact=True)
        return Appended(entry["entry_id"], rollover=rollover)

    def roll_over(self, family: Family, now: datetime) -> Rollover | None:
        """Archive the ledger if it is long enough; None where it is not. Raises NotAppended."""
        with _failing_as(MemoryReason.ARCHIVE_REQUIRED):
            if not (self.root / family.place).is_file():
                return None
            with hold(self.root, family.place) as ledger:
                return self._roll_over_if_due(ledger, family, now)

    def _roll_over_if_due(self, ledger: HeldLedger, family: Family, now: datetime) -> Rollover | None:
        with _failing_as(MemoryReason.ARCHIVE_REQUIRED):
            with ledger.read() as file:
                lines = sum(1 for line in _pieces(file) if line.strip())
            # The decision rolls over what has more than the most; the original, what has the most.
            if lines < self.most_lines + (self.profile is Profile.STRICT):
                return None
            place = _move(ledger, family, now)
            change = {"ts": moment_of(now), "by": self.by, "change": "rollover", "lines": lines}
            ledger.note_change({**change, "most_lines": self.most_lines, "archive": str(place)})
            ledger.replace(())
        return Rollover(place, lines)

    def _place_with(self, field: str, value: str, families: Iterable[Family]) -> PurePosixPath | None:
        """The ledger or archive of these families that has an entry with this value, whatever its status."""
        for family in families:
            for place in (family.place, *archives(self.root, family)):
                file = open_ledger(self.root, place)
                if file is not None:
                    with file:
                        if _has(file, field, value):
                            return place
        return None


def new_entry(family: Family, fields: Mapping[str, Any], now: datetime, entry_id: str) -> dict[str, Any]:
    """A complete row: `fields`, and what every row has, in the decision's order; fields that are None go."""
    given = {name: value for name, value in fields.items() if value is not None}
    row = {
        "schema_version": SCHEMA_VERSION,
        "ts": moment_of(now),
        "entry_id": entry_id,
        "tags": [],
        "status": Status.ACTIVE.value,
        **given,
    }
    decided = row.get("decision_text")
    if family is Family.DECISIONS and type(decided) is str:
        row.setdefault("decision_key", compute_decision_key(decided))
    known = {name: row[name] for name in FIELDS[family] if name in row}
    return {**known, **row}


def archives(root: Path, family: Family) -> list[PurePosixPath]:
    """The archives of a family beneath `root`, by their names."""
    try:
        names = sorted(path.name for path in (root / ARCHIVE).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [ARCHIVE / name for name in names if is_archive_of(name, family)]


def strangers(root: Path) -> list[PurePosixPath]:
    """The files beneath `root` that lie among ledgers or archives, end like one and have the name of none."""
    found = []
    for folder in (FOLDER, ARCHIVE):
        with suppress(FileNotFoundError, NotADirectoryError):
            names = sorted(path.name for path in (root / folder).iterdir())
            found += [folder / name for name in names if is_stranger(name)]
    return found


@contextmanager
def _failing_as(reason: MemoryReason) -> Iterator[None]:
    """What stops the block is told with `reason`."""
    try:
        yield
    except (CannotBeWritten, LedgerBusy, LedgerUnreadable) as failure:
        raise NotAppended(reason, failure.message, failure.remedy) from failure
    except OSError as error:
        raise NotAppended(reason, os.strerror(error.errno or errno.EIO)) from error


def _refuse_bad(entry: Mapping[str, Any], family: Family) -> None:
    """What is written is right by the letter, whatever the profile that rows are read with."""
    try:
        line = line_of(entry, compact=True)
    except ExpectedFailure as failure:
        raise NotAppended(MemoryReason.SCHEMA_INVALID, failure.message, failure.remedy) from failure
    problems = problems_of(Row(1, line.rstrip(b"\n"), dict(entry)), RowJudge(family, Profile.STRICT))
    if problems:
        reason = MemoryReason(problems[0].code)
        raise NotAppended(reason, "; ".join(problem.message for problem in problems))


def _move(ledger: HeldLedger, family: Family, now: datetime) -> PurePosixPath:
    """Give the ledger an archive's name; a number is added where the name of this second is taken."""
    made = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    place = ARCHIVE / f"{family.stem}-{made}.jsonl"
    number = 1
    while True:
        try:
            ledger.move_to(place)
        except FileExistsError:
            number += 1
            place = ARCHIVE / f"{family.stem}-{made}-{number}.jsonl"
        else:
            return place


def _has(file: BinaryIO, field: str, wanted: str) -> bool:
    plain = wanted.encode()
    for piece in _pieces(file):
        if plain in piece:
            try:
                value = parse_text(piece.decode())
            except ValueError:
                continue
            if type(value) is dict and value.get(field) == wanted:
                return True
    return False


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """The file's lines, those that are too long for one in pieces."""
    return iter(lambda: file.readline(MOST_LINE_BYTES + 2), b"")
