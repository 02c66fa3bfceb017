"""Rows of the critics' ledger, as a good critic writes them, and as the field does."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from ophiuchus.ledgers.critic.issue_key import compute_issue_key


def finding(number: int = 1, /, **fields: Any) -> dict[str, Any]:
    """A row without a fault; a field that is given as `...` is left out."""
    text = fields.get("finding_text", f"Two writers race on the append, case {number}")
    row = {
        "ts": "2026-06-28T10:00:00.000Z",
        "orchestrator_run_id": "auto-20260628-01",
        "phase_id": "execute",
        "role": "dev",
        "producer_model_id": "inherit",
        "critic_model_id": "fast",
        "lens": "challenger",
        "finding_id": str(UUID(int=number, version=4)),
        "severity": "low",
        "confidence": "medium",
        "anti_slop_score": 7,
        "finding_text": text,
        "status": "open",
        "blocking": False,
        "degraded_mode": False,
        "issue_key": compute_issue_key(text) if isinstance(text, str) else "ik_0",
        "single_finder": True,
        "rework_generation": 0,
        "schema_version": 1,
        **fields,
    }
    return {name: value for name, value in row.items() if value is not ...}


def lines(*rows: dict[str, Any]) -> bytes:
    """The rows as a ledger."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
