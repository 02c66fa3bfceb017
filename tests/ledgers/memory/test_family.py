"""Families are told by file names, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from ophiuchus.ledgers.memory.family import Family, family_of, is_archive_of, is_stranger


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("decisions-log.jsonl", Family.DECISIONS),
        ("mistakes.jsonl", Family.MISTAKES),
        ("patterns.jsonl", Family.PATTERNS),
        ("plan-drift-register.jsonl", Family.PLAN_DRIFT),
        ("decisions-log-20260701T120000Z.jsonl", Family.DECISIONS),
        ("plan-drift-register-20260701T120000Z-17.jsonl", Family.PLAN_DRIFT),
        ("decisions.jsonl", None),
        ("patterns.changes.jsonl", None),
        ("patterns-2026.jsonl", None),
        ("patterns.jsonl.lock", None),
        ("patterns.jsonl\n", None),
        ("Patterns.jsonl", None),
        ("patterns-\u0662\u0660\u0662\u0666\u0660\u0667\u0660\u0661T120000Z.jsonl", None),
    ],
)
def test_a_name_tells_the_family(name: str, family: Family | None) -> None:
    assert family_of(name) is family


def test_only_names_with_a_moment_are_archives() -> None:
    assert is_archive_of("mistakes-20260701T120000Z.jsonl", Family.MISTAKES)
    assert not is_archive_of("mistakes-20260701T120000Z.jsonl", Family.PATTERNS)
    assert not is_archive_of("mistakes.jsonl", Family.MISTAKES)


@pytest.mark.parametrize(
    ("name", "strange"),
    [
        ("decisions.jsonl", True),
        ("Patterns.JSONL", True),
        ("patterns-2026.jsonl", True),
        ("patterns.jsonl", False),
        ("patterns-20260701T120000Z.jsonl", False),
        ("patterns.changes.jsonl", False),
        ("README.md", False),
    ],
)
def test_what_ends_like_a_ledger_and_is_none_is_a_stranger(name: str, strange: bool) -> None:
    assert is_stranger(name) is strange


def test_every_family_stands_where_the_decision_puts_it() -> None:
    assert [str(family.place) for family in Family] == [
        "docs/engineering/sovereign-memory/decisions-log.jsonl",
        "docs/engineering/sovereign-memory/mistakes.jsonl",
        "docs/engineering/sovereign-memory/patterns.jsonl",
        "docs/engineering/sovereign-memory/plan-drift-register.jsonl",
    ]
    assert [family_of(family.place.name) for family in Family] == list(Family)
