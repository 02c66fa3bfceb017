"""The mistake hooks: what each kind of mistake is written down as (DEC-0105 §6)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.row import MistakeTag
from ophiuchus.ledgers.memory.store import new_entry

FAILURE_CODES = {
    MistakeTag.FIX_FAILED: "FIX_FAILED",
    MistakeTag.REVERT_APPLIED: "REVERT_APPLIED",
    MistakeTag.PLAN_FIDELITY_VIOLATION: "PLAN_FIDELITY_VIOLATION",
    MistakeTag.TEST_REGRESSION: "TEST_REGRESSION",
    MistakeTag.SCOPE_CREEP: "PLAN_FIDELITY_SCOPE_GATE",
}
"""The orchestrator's reason code for each tag."""
TRIGGERS = {
    MistakeTag.FIX_FAILED: "a loop has used up its attempts to fix something",
    MistakeTag.REVERT_APPLIED: "work was reverted or rolled back",
    MistakeTag.PLAN_FIDELITY_VIOLATION: "work was stopped because it left the plan",
    MistakeTag.TEST_REGRESSION: "a test fails that passed before",
    MistakeTag.SCOPE_CREEP: "scope was added without leave",
}
"""When a hook calls, for each tag."""
DEFAULT_IMPACT = 70


def new_mistake(tag: MistakeTag, fields: Mapping[str, Any], now: datetime, entry_id: str) -> dict[str, Any]:
    """A complete row of `mistakes`, with the tag's own failure code and impact where `fields` have none."""
    given = {name: value for name, value in fields.items() if value is not None}
    hook = {
        "impact_score": DEFAULT_IMPACT,
        "failure_reason_code": FAILURE_CODES[tag],
        **given,
        "mistake_tag": tag.value,
    }
    return new_entry(Family.MISTAKES, hook, now, entry_id)
