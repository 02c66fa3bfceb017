"""What other artifacts say of a review: evidence, QA findings, the decision ledger (DEC-0104 §6 to §8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ophiuchus.ledgers.critic.finding import is_open_blocking
from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.critic.rework import Rework
from ophiuchus.ledgers.critic.validation import FINDINGS
from ophiuchus.ledgers.moment import moment_of
from ophiuchus.ledgers.vocabulary import DecisionType
from ophiuchus.text.cut import place_to_cut

LONGEST_QUOTATION = 200
"""Most characters of a finding's text in the QA findings."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Whose work was reviewed, and by whom; `degraded` where no second model has looked."""

    producer_model_id: str
    critic_model_id: str
    degraded: bool


def critic_evidence(reviewed: Reviewed, rework: Rework) -> dict[str, Any]:
    """The tuple that a producer's hand-off to QA carries."""
    return {
        "critic_evidence": {
            "producer_model_id": reviewed.producer_model_id,
            "critic_model_id": reviewed.critic_model_id,
            "anti_slop_aggregate": rework.aggregate,
            "rework_generation": rework.generation,
            "degraded_mode": reviewed.degraded,
            "findings_path": str(FINDINGS),
        }
    }


def model_id_missing(evidence: Sequence[Mapping[str, Any]]) -> CriticReason | None:
    """What is wrong with the isolation entries of a producer and its critic while reviews are on (§7)."""
    named = (isinstance(model := one.get("model_id"), str) and model.strip() for one in evidence)
    return None if evidence and all(named) else CriticReason.MODEL_ID_MISSING


def qa_block(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What QA is to see of the ledger: every finding that is open and blocks, its text cut."""
    blocking = [row for row in rows if is_open_blocking(row)]
    fields = ("finding_id", "lens", "severity", "confidence", "finding_text", "blocking", "degraded_mode")
    return {
        "cross_reviewer_findings": [
            {name: _cut(row[name]) for name in fields if name in row} for row in blocking
        ],
        "open_blocking_count": len(blocking),
        "findings_path": str(FINDINGS),
    }


def _cut(value: Any) -> Any:
    return value[: place_to_cut(value, LONGEST_QUOTATION)] if isinstance(value, str) else value


def ledger_patch(
    reviewed: Reviewed,
    *,
    run_id: str,
    phase_id: str,
    role: str,
    decision_id: str,
    now: datetime,
) -> dict[str, Any]:
    """A row of the decision ledger that says a phase was reviewed.

    It is a plain decision there: the type that the original writes is none of that ledger's words, so that
    its own validator refuses the row.
    """
    who = (
        f"one model, {reviewed.critic_model_id}, with three lenses (degraded)"
        if reviewed.degraded
        else f"{reviewed.critic_model_id} reviewed the work of {reviewed.producer_model_id}"
    )
    return {
        "ts": moment_of(now),
        "orchestrator_run_id": run_id,
        "phase_id": phase_id,
        "role": role,
        "decision_id": decision_id,
        "decision_type": DecisionType.LEDGER_DECISION.value,
        "from_artifact": str(FINDINGS),
        "to_artifact": "(none)",
        "rationale": f"The review of {phase_id} is complete: {who}.",
        "plan_fidelity": "strict",
        "cross_model_reviewed": True,
        "risk_tier": "low",
    }
