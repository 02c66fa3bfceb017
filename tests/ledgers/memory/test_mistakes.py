"""Each mistake hook writes its tag and its code."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from memory_rows import identity

from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.mistakes import DEFAULT_IMPACT, TRIGGERS, new_mistake
from ophiuchus.ledgers.memory.row import Judgement, MistakeTag, RowJudge

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("fix_failed", "FIX_FAILED"),
        ("revert_applied", "REVERT_APPLIED"),
        ("plan_fidelity_violation", "PLAN_FIDELITY_VIOLATION"),
        ("test_regression", "TEST_REGRESSION"),
        ("scope_creep", "PLAN_FIDELITY_SCOPE_GATE"),
    ],
)
def test_a_hook_writes_its_tag_and_code(tag: str, code: str) -> None:
    row = new_mistake(MistakeTag(tag), {"text": "It broke", "phase_id": None}, NOW, identity(1))
    assert (row["mistake_tag"], row["failure_reason_code"]) == (tag, code)
    assert row["impact_score"] == DEFAULT_IMPACT
    assert "phase_id" not in row
    assert RowJudge(Family.MISTAKES, Profile.STRICT).judge(row) == Judgement()
    assert MistakeTag(tag) in TRIGGERS


def test_what_the_caller_gives_counts_but_for_the_tag() -> None:
    given = {"text": "t", "impact_score": 3, "failure_reason_code": "OWN", "mistake_tag": "other"}
    row = new_mistake(MistakeTag.FIX_FAILED, given, NOW, identity(1))
    assert (row["impact_score"], row["failure_reason_code"], row["mistake_tag"]) == (3, "OWN", "fix_failed")
