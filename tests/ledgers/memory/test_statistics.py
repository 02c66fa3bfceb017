"""How each family stands is counted over its ledger and its archives."""

from __future__ import annotations

from pathlib import Path

from memory_rows import entry, line, lines

from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.family import ARCHIVE, FOLDER, Family
from ophiuchus.ledgers.memory.statistics import Standing, standing_of


def test_rows_are_counted_by_status(tmp_path: Path) -> None:
    family = Family.MISTAKES
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / ARCHIVE).mkdir()
    rows = [
        entry(family, number, status=status)
        for number, status in enumerate(["active", "active", "superseded", "archived"])
    ]
    (tmp_path / family.place).write_bytes(
        lines(*rows) + b'\n{"torn\n' + line(entry(family, 9, impact_score=-1))
    )
    for name in ("mistakes-20260101T000000Z.jsonl", "mistakes-20260101T000000Z-2.jsonl", "patterns.jsonl"):
        (tmp_path / ARCHIVE / name).write_bytes(lines(*rows[:2]))
    assert standing_of(tmp_path, family, Profile.COMPAT) == Standing(family, 2, 1, 1, 2, 2, 4)


def test_a_family_that_has_nothing(tmp_path: Path) -> None:
    assert standing_of(tmp_path, Family.PATTERNS, Profile.STRICT) == Standing(
        Family.PATTERNS, 0, 0, 0, 0, 0, 0
    )
