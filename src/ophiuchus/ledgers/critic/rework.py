"""Whether a producer's phase is done, is to be done again, or asks a person (DEC-0104 §6).

The decision's letter calls the setting the most re-spawns, so that 2 allows two. The original tests after it
has counted, so that its 2 allows one: compat keeps that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ophiuchus.ledgers.critic.finding import is_open_blocking
from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.jsonl import Profile


class Decision(StrEnum):
    """What becomes of a phase."""

    PASS = "pass"  # noqa: S105 - a verdict
    REWORK = "rework"
    CAP_EXHAUSTED = "cap_exhausted"


@dataclass(frozen=True, slots=True)
class Rework:
    """The decision on one phase of one run, and what it was made of.

    `generation` counts the reworks that were made, `most` is how many may be. `aggregate` is None where
    nothing was scored.
    """

    decision: Decision
    reason: CriticReason | None
    aggregate: int | None
    open_blocking: int
    generation: int
    most: int

    @property
    def words(self) -> str:
        """`pass`, `rework 1 of 2`, `cap exhausted`."""
        if self.decision is Decision.REWORK:
            return f"rework {self.generation + 1} of {self.most}"
        return self.decision.replace("_", " ")


@dataclass(slots=True)
class PhaseCount:
    """What counts of the rows of one phase of one run, noted row by row.

    `generation` is the latest, `score` the least of its scores, None where there are none.
    """

    generation: int = 0
    score: int | None = None
    open_blocking: int = 0

    def note(self, row: Mapping[str, Any]) -> None:
        """Count one row without a fault."""
        generation, score = _generation(row), row["anti_slop_score"]
        if self.score is None or generation > self.generation:
            self.generation, self.score = generation, score
        elif generation == self.generation:
            self.score = min(self.score, score)
        self.open_blocking += is_open_blocking(row)

    def decide(self, *, threshold: int, rework_max: int, profile: Profile) -> Rework:
        """The decision. Rework needs both: a score below the threshold, and something that blocks."""
        done, score, blocking = self.generation, self.score, self.open_blocking
        most = max(0, rework_max - 1) if profile is Profile.COMPAT else rework_max
        if score is None or score >= threshold or not blocking:
            return Rework(Decision.PASS, None, score, blocking, done, most)
        if done < most:
            return Rework(Decision.REWORK, CriticReason.ANTISLOP_FAIL, score, blocking, done, most)
        return Rework(Decision.CAP_EXHAUSTED, CriticReason.REWORK_CAP_EXHAUSTED, score, blocking, done, most)


def decide_rework(
    rows: Iterable[Mapping[str, Any]],
    run_id: str,
    phase_id: str,
    *,
    threshold: int,
    rework_max: int,
    profile: Profile,
) -> Rework:
    """The decision on a phase of a run, from all rows of the ledger.

    The latest generation's scores count, and every finding of the phase that is open and blocks.
    """
    count = PhaseCount()
    for row in rows:
        if row["orchestrator_run_id"] == run_id and row["phase_id"] == phase_id:
            count.note(row)
    return count.decide(threshold=threshold, rework_max=rework_max, profile=profile)


def _generation(row: Mapping[str, Any]) -> int:
    generation = row.get("rework_generation", 0)
    return generation if type(generation) is int and generation > 0 else 0
