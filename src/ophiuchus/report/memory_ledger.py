"""The memory's ledgers of the judged tree: what is wrong, the digest, and which entries capsules name."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO, cast

from ophiuchus.capsule.model import Capsule
from ophiuchus.git.process import GitFailed
from ophiuchus.git.scratch import Scratch
from ophiuchus.ledgers.append_only import LostLine, lost_rows
from ophiuchus.ledgers.jsonl import MOST_LINE_BYTES, Profile, Row
from ophiuchus.ledgers.memory.digest import InjectionDigest, build_digest
from ophiuchus.ledgers.memory.family import ARCHIVE, Family, family_of
from ophiuchus.ledgers.memory.row import Status
from ophiuchus.ledgers.memory.tail import Tail, read_tail
from ophiuchus.ledgers.memory.validation import LedgerFile, validate
from ophiuchus.ledgers.settings import LedgerSettings
from ophiuchus.report.ledger_faults import Faults, Found, Watch
from ophiuchus.report.ledger_rows import Losses, may_be_shown, rows_of, shown_id, shown_text, unreadable
from ophiuchus.report.ledger_tree import CommittedLedger, LedgerTrees, read_trees
from ophiuchus.report.ledgers import (
    MOST_LISTED,
    JudgedLedgers,
    Ledgers,
    MemoryFamily,
    MemoryLedger,
    Provenance,
)
from ophiuchus.text.problem import Notice, NoticeCode, Problem

PREFIX = "memory:"
"""What stands before the id of an entry in a `provenance_ref`; an id that an entry has may stand alone."""
MOST_FILES = 1_000
"""Most ledgers and archives that are read."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A rejection of the capsule at `path` that may name an entry; it does for sure where `said`."""

    path: str
    item_id: str
    entry_id: str
    said: bool


@dataclass(slots=True)
class _Seen:
    """What a pass over the ledgers found: rows of each file, and of the wanted entries the last row."""

    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    entries: dict[str, tuple[str, Row]] = field(default_factory=dict)


def references(capsules: Iterable[tuple[str, Capsule]]) -> list[Reference]:
    """What the capsules, each with its path, say of where their rejections come from."""
    found = []
    for path, capsule in capsules:
        for item in capsule.negative_knowledge:
            ref = (item.provenance_ref or "").strip()
            if ref:
                entry_id = ref.removeprefix(PREFIX).strip()
                found.append(Reference(path, item.item_id, entry_id, said=ref.startswith(PREFIX)))
    return found


def judge_memory(
    scratch: Scratch,
    tree: str,
    base: str | None,
    settings: LedgerSettings,
    asked: Sequence[Reference] = (),
) -> JudgedLedgers:
    """The ledgers of `tree`, compared with those of the tree `base` where one is known."""
    trees = read_trees(scratch, tree, base, [family.place for family in Family], ARCHIVE)
    files = _known(trees.now)
    before = None if trees.before is None else _known(trees.before)
    faults = Faults(trees.untouched, None if before is None else lambda watch: _judged(before, watch))
    problems: list[Problem] = list(trees.refused)
    seen, digest = _Seen(), InjectionDigest("", ())
    try:
        faults.sort(lambda watch: _judged(files, watch))
        seen = _look(files, {one.entry_id for one in asked})
        digest = build_digest(_tails(files, settings), settings)
    except GitFailed:
        problems += [unreadable(one.path) for one in files]
    losses = Losses()
    losses.note_all(_lost(trees))
    provenance = tuple(_resolved(asked, seen))
    ledger = MemoryLedger(
        families=tuple(_family(family, files, seen) for family in Family),
        digest=digest.digest_text,
        digest_entry_ids=tuple(map(shown_id, digest.entry_ids)),
        provenance=provenance[:MOST_LISTED],
        lost_count=losses.count,
        lost=tuple(losses.rows),
    )
    return JudgedLedgers(
        Ledgers(memory=ledger),
        (*problems, *faults.problems),
        (*faults.notices, *losses.notices, *map(_about_digest, digest.notices), *_unresolved(provenance)),
    )


def _known(files: Sequence[CommittedLedger]) -> list[CommittedLedger]:
    """The ledgers first, then the archives; what has no name of a family is none."""
    named = [file for file in files if family_of(file.name) is not None]
    named.sort(key=lambda file: (file.path not in _PLACES, file.path))
    return named[:MOST_FILES]


def _family_of(file: CommittedLedger) -> Family:
    """The family of a file that `_known` let through."""
    return cast("Family", family_of(file.name))


def _judged(files: Sequence[CommittedLedger], watch: Watch) -> Iterator[Found]:
    given = [LedgerFile(file.path, _family_of(file), watch.over(file.open)) for file in files]
    for found in validate(given, Profile.COMPAT):
        yield found.path, found.what


def _look(files: Sequence[CommittedLedger], wanted: Collection[str]) -> _Seen:
    """Count the rows of the active ledgers; archives are looked into for entries that are wanted only."""
    seen = _Seen()
    for file in files:
        if file.path not in _PLACES and not wanted - seen.entries.keys():
            break
        rows = active = 0
        for row in rows_of(file.open):
            rows += 1
            active += row.value.get("status") == Status.ACTIVE
            identity = row.value.get("entry_id")
            if isinstance(identity, str) and identity in wanted:
                seen.entries[identity] = file.path, row
        seen.counts[file.path] = rows, active
    return seen


def _tails(files: Sequence[CommittedLedger], settings: LedgerSettings) -> Mapping[Family, Tail]:
    tails = {}
    for file in files:
        if file.path in _PLACES:
            family, most = _family_of(file), settings.sovereign_memory_read_tail
            with file.open() as opened:
                tails[family] = read_tail(io.BytesIO(_end_of(opened, most)), family, most)
    return tails


def _end_of(file: BinaryIO, most: int) -> bytes:
    """The last `most` lines and one more: git objects are read from their start only."""
    pieces = iter(lambda: file.readline(MOST_LINE_BYTES + 2), b"")
    return b"".join(deque(pieces, maxlen=most + 1))


def _family(family: Family, files: Sequence[CommittedLedger], seen: _Seen) -> MemoryFamily:
    path = str(family.place)
    archives = sum(file.path not in _PLACES and _family_of(file) is family for file in files)
    return MemoryFamily(path, *seen.counts.get(path, (0, 0)), archives)


def _lost(trees: LedgerTrees) -> Iterator[tuple[str, LostLine]]:
    """Rows that no ledger and no archive of their family has any more, or that say other things there."""
    now = _known(trees.now)
    for before in _known(list(trees.changed_before())):
        family = _family_of(before)
        same = [file for file in now if _family_of(file) is family]
        # First the file itself: where rows were added only, no archive is looked into.
        same.sort(key=lambda file, path=before.path: file.path != path)  # type: ignore[misc]
        after = chain.from_iterable(rows_of(file.open) for file in same)
        for row in lost_rows(rows_of(before.open), after, "entry_id"):
            yield before.path, row


def _resolved(asked: Iterable[Reference], seen: _Seen) -> Iterator[Provenance]:
    for one in asked:
        if one.entry_id in seen.entries:
            ledger, row = seen.entries[one.entry_id]
            shows = may_be_shown(row)
            yield Provenance(
                path=one.path,
                item_id=one.item_id,
                entry_id=shown_id(one.entry_id),
                ledger=ledger,
                line=row.line,
                status=shown_id(row.value.get("status")) if shows else None,
                text=shown_text(row.value.get("text")) if shows else None,
            )
        elif one.said:
            yield Provenance(one.path, one.item_id, shown_id(one.entry_id), None, None, None, None)


def _unresolved(provenance: Iterable[Provenance]) -> Iterator[Notice]:
    for one in provenance:
        if one.ledger is None:
            message = f"{one.item_id}: its provenance_ref names an entry of the memory that is not there"
            yield Notice(one.path, NoticeCode.NO_SUCH_ENTRY, message)


def _about_digest(said: str) -> Notice:
    return Notice("", NoticeCode.ABOUT_ROWS, f"the memory's digest: {said}")


_PLACES = frozenset(str(family.place) for family in Family)
