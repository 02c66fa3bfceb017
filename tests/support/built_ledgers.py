"""Ledgers of a report built by hand, in few words, for the views that show them."""

from __future__ import annotations

from typing import Any

from ophiuchus.report.ledgers import (
    BlockingFinding,
    CriticLedger,
    Ledgers,
    LostRow,
    MemoryFamily,
    MemoryLedger,
    PhaseDecision,
    PhaseReview,
    Provenance,
    RowChange,
)

FINDINGS = "handoffs/sovereign_critic_findings.jsonl"
MEMORY = "docs/engineering/sovereign-memory"
RUN = "auto-20260628-01"


def blocking(number: int = 1, **fields: Any) -> BlockingFinding:
    known: dict[str, Any] = {
        "line": 10 + number,
        "finding_id": f"finding-{number:03}",
        "run_id": RUN,
        "phase_id": "execute",
        "lens": "challenger",
        "severity": "high",
        "text": f"Two writers race on the append, case {number}: src/pay/append.py:{40 + number}",
    }
    return BlockingFinding(**{**known, **fields})


def phase(decision: PhaseDecision = PhaseDecision.REWORK, **fields: Any) -> PhaseReview:
    known: dict[str, Any] = {
        "run_id": RUN,
        "phase_id": "execute",
        "aggregate": 4,
        "open_blocking": 1,
        "generation": 0,
        "most": 2,
    }
    return PhaseReview(decision=decision, **{**known, **fields})


def critic(*findings: BlockingFinding, **fields: Any) -> CriticLedger:
    known: dict[str, Any] = {
        "path": FINDINGS,
        "rows": 40,
        "open_blocking_count": len(findings),
        "phase_count": len(fields.get("phases", ())),
        "phases": (),
        "lost_count": len(fields.get("lost", ())),
        "lost": (),
    }
    return CriticLedger(open_blocking=findings, **{**known, **fields})


def lost(line: int = 3, **fields: Any) -> LostRow:
    known: dict[str, Any] = {"path": FINDINGS, "identity": f"lost-{line}", "change": RowChange.REMOVED}
    return LostRow(line=line, **{**known, **fields})


def memory(**fields: Any) -> MemoryLedger:
    known: dict[str, Any] = {
        "families": tuple(
            MemoryFamily(f"{MEMORY}/{stem}.jsonl", 9, 7, 1)
            for stem in ("decisions-log", "mistakes", "patterns", "plan-drift-register")
        ),
        "digest": "- [patterns] p-1: Append, never rewrite\n- [mistakes] m-1: Raced on a rename",
        "digest_entry_ids": ("p-1", "m-1"),
        "provenance": (source(),),
        "lost_count": len(fields.get("lost", ())),
        "lost": (),
    }
    return MemoryLedger(**{**known, **fields})


def source(**fields: Any) -> Provenance:
    known: dict[str, Any] = {
        "path": ".ophiuchus/one.json",
        "item_id": "shortcut",
        "entry_id": "m-1",
        "ledger": f"{MEMORY}/mistakes.jsonl",
        "line": 4,
        "status": "active",
        "text": "Raced on a rename",
    }
    return Provenance(**{**known, **fields})


def ledgers(critics: CriticLedger | None = None, remembered: MemoryLedger | None = None) -> Ledgers:
    return Ledgers(critics, remembered)
