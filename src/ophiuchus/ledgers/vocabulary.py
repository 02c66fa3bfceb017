"""Words that the ledgers share with the decision ledger they are written beside (DEC-0086, DEC-0103)."""

from __future__ import annotations

import re
from enum import StrEnum

PHASES = frozenset(
    (
        "architecture",
        "ask",
        "auto",
        "discovery",
        "execute",
        "intake",
        "memory-audit",
        "pause",
        "plan-verify",
        "qa",
        "quick",
        "refresh-context",
        "release",
        "research",
        "security-review",
        "status-reconcile",
        "verify-work",
    )
)
"""The canonical phase ids."""
ROLES = frozenset(("curator", "dev", "po", "qa", "release", "security", "tech-lead"))
"""The canonical roles."""


class DecisionType(StrEnum):
    """What a row of the decision ledger may be. A closed set there: any other word makes the row invalid."""

    PLAN_FIDELITY_VIOLATION = "PLAN_FIDELITY_VIOLATION"
    PLAN_FIDELITY_OVERRIDE = "PLAN_FIDELITY_OVERRIDE"
    PLAN_FIDELITY_SCOPE_GATE = "PLAN_FIDELITY_SCOPE_GATE"
    PLAN_FIDELITY_EXTENSION = "PLAN_FIDELITY_EXTENSION"
    PLAN_FIDELITY_REORDER = "PLAN_FIDELITY_REORDER"
    LEDGER_DECISION = "LEDGER_DECISION"
    LEDGER_DERIVATION = "LEDGER_DERIVATION"
    LEDGER_PHASE_TRANSITION = "LEDGER_PHASE_TRANSITION"
    LEDGER_DELEGATION = "LEDGER_DELEGATION"


UUID4_FORM = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"
"""A random UUID as a pattern."""

_UUID4 = re.compile(UUID4_FORM)


def is_uuid4(text: str) -> bool:
    """Whether a text is a random UUID, version and variant included, as `uuid4` spells it in either case."""
    return _UUID4.fullmatch(text) is not None
