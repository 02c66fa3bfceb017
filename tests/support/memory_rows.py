"""Rows of the memory's ledgers, right by the letter."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from ophiuchus.ledgers.memory.decision_key import compute_decision_key
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.validation import LedgerFile

OWN: dict[Family, dict[str, Any]] = {
    Family.DECISIONS: {
        "decision_key": compute_decision_key("Keep one reader"),
        "decision_text": "Keep one reader",
        "rationale": "Two of them disagreed",
    },
    Family.MISTAKES: {"mistake_tag": "fix_failed", "failure_reason_code": "FIX_FAILED"},
    Family.PATTERNS: {"pattern_id": "one-reader", "applies_to": ["dev", "qa"]},
    Family.PLAN_DRIFT: {
        "drift_type": "ac_drop",
        "from_artifact": "docs/backlog.md",
        "to_artifact": "sprints/S1/tasks.md",
    },
}


def entry(family: Family = Family.PATTERNS, number: int = 1, /, **fields: Any) -> dict[str, Any]:
    """A row without a fault; a field that is given as `...` is left out."""
    row = {
        "schema_version": 1,
        "ts": f"2026-07-01T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "entry_id": identity(number),
        "impact_score": 50,
        "text": f"Entry {number} was learned",
        "tags": ["reading"],
        "status": "active",
        **OWN[family],
        **fields,
    }
    return {name: value for name, value in row.items() if value is not ...}


def identity(number: int) -> str:
    """The id of the row with this number."""
    return str(UUID(int=number, version=4))


def line(row: dict[str, Any]) -> bytes:
    """The row as one line with its end."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def lines(*rows: dict[str, Any]) -> bytes:
    """The rows as a ledger."""
    return b"".join(map(line, rows))


def files(*ledgers: tuple[Family, bytes]) -> Sequence[LedgerFile]:
    """Ledgers to judge, each told by the name that its family's has."""
    return [
        LedgerFile(f"{family.stem}.jsonl", family, lambda data=data: io.BytesIO(data))  # type: ignore[misc]
        for family, data in ledgers
    ]
