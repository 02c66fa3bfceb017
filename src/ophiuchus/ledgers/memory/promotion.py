"""From the decision ledger of one run to the memory: what was decided there stays known (DEC-0105 §8).

The decision ledger (DEC-0103) is read, never changed. Only its valid rows count: a decision that its own
ledger would refuse is none. What stands in the memory already is not written again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from ophiuchus.ledgers.jsonl import Row, RowNotice, read_rows
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.names import safe_name
from ophiuchus.ledgers.memory.row import MOST_TEXT
from ophiuchus.ledgers.memory.store import Memory, NotAppended, new_entry
from ophiuchus.ledgers.vocabulary import DecisionType, is_uuid4
from ophiuchus.text.cut import place_to_cut
from ophiuchus.text.instant import is_instant

DECISION_LEDGERS = PurePosixPath("handoffs/sovereign_decisions")
IMPACT = 60
TAGS = ("promoted", "ledger")

_ELLIPSIS = "..."
_SAID = ("orchestrator_run_id", "phase_id", "role", "from_artifact", "to_artifact", "rationale")
_FIELDS = frozenset(
    (*_SAID, "ts", "decision_id", "decision_type", "plan_fidelity", "cross_model_reviewed", "risk_tier")
)
_FIDELITIES = ("strict", "relaxed", "extended")


@dataclass(frozen=True, slots=True)
class Promotion:
    """What became of a run's decisions: the entries written, and how many were known, invalid, refused.

    `refused` says of each decision that the memory would not take why.
    """

    entry_ids: tuple[str, ...]
    known: int
    invalid: int
    refused: tuple[str, ...]


def decision_ledger_of(run_id: str) -> PurePosixPath:
    """Where the decision ledger of a run is. Raises UnsafeName."""
    return DECISION_LEDGERS / f"{safe_name(run_id, 'run')}.jsonl"


def promote(
    ledger: BinaryIO,
    decision_types: Collection[DecisionType],
    memory: Memory,
    now: datetime,
    new_id: Callable[[], str],
) -> Promotion:
    """Write every valid decision of these types to the memory. One that is refused stops no other."""
    written: list[str] = []
    refused: list[str] = []
    known = invalid = 0
    for row in _rows(ledger):
        if row is None or not is_valid_decision(row):
            invalid += 1
        elif row["decision_type"] in decision_types:
            entry = new_entry(Family.DECISIONS, _promoted(row), now, new_id())
            try:
                appended = memory.append(Family.DECISIONS, entry, now)
            except NotAppended as failure:
                refused.append(f"decision {row['decision_id']}: {failure.message}")
                continue
            if appended.duplicate:
                known += 1
            else:
                written.append(appended.entry_id)
    return Promotion(tuple(written), known, invalid, tuple(refused))


def is_valid_decision(row: Mapping[str, Any]) -> bool:
    """Whether a row is one of DEC-0103's: exactly its twelve fields, each of its kind.

    Phases and roles are any words: the field has more of them than the decision.
    """
    return (
        row.keys() == _FIELDS
        and all(type(row[name]) is str and row[name].strip() for name in _FIELDS - {"cross_model_reviewed"})
        and type(row["cross_model_reviewed"]) is bool
        and is_instant(row["ts"])
        and is_uuid4(row["decision_id"])
        and row["decision_type"] in set(DecisionType)
        and row["plan_fidelity"] in _FIDELITIES
    )


def _rows(ledger: BinaryIO) -> Iterator[dict[str, Any] | None]:
    """Each row's value, None for what is no row."""
    for read in read_rows(ledger):
        if not isinstance(read, RowNotice):
            yield read.value if isinstance(read, Row) else None


def _promoted(row: Mapping[str, Any]) -> dict[str, Any]:
    words = row["rationale"]
    if len(words) > MOST_TEXT:
        words = words[: place_to_cut(words, MOST_TEXT - len(_ELLIPSIS))] + _ELLIPSIS
    return {
        "source_orchestrator_run_id": row["orchestrator_run_id"],
        "phase_id": row["phase_id"],
        "impact_score": IMPACT,
        "text": words,
        "tags": list(TAGS),
        "provenance_ref": f"ledger:{row['decision_id']}",
        "decision_text": words,
        "rationale": words,
    }
