"""The anti-slop rubric: four named checks a lens, and the least score counts (DEC-0104 §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ophiuchus.ledgers.critic.finding import Lens

CHECKS: Mapping[Lens, Mapping[str, str]] = {
    Lens.CHALLENGER: {
        "edge_case_cited": "names an edge case",
        "failure_mode_named": "names a way in which it fails",
        "concurrency_considered": "considers two things happening at once",
        "input_boundary_tested": "tries an input at its boundary",
    },
    Lens.ARCHITECT: {
        "coupling_named": "names what is coupled",
        "layer_boundary_stated": "says where a layer ends",
        "dependency_direction_explicit": "says which way a dependency points",
        "interface_contract_mentioned": "names what an interface promises",
    },
    Lens.SUBTRACTOR: {
        "unnecessary_abstraction_flagged": "names an abstraction that nothing needs",
        "yagni_applied": "names what was built before it is needed",
        "premature_generalization_challenged": "questions what was made general too early",
        "scope_creep_identified": "names what was not asked for",
    },
}
"""The checks of each lens, and what each asks of a finding."""

SCORES = (0, 2, 5, 8, 10)
"""The score for 0 to 4 hits: two and a half points each, halves to the even number (C088)."""


class UnknownCheck(ValueError):
    """A hit is claimed for a check that the lens does not have."""


def score_lens(lens: Lens, hits: Mapping[str, bool]) -> int:
    """The score that these hits are worth. Only `True` is a hit. Raises UnknownCheck."""
    if unknown := [check for check in hits if check not in CHECKS[lens]]:
        raise UnknownCheck(f"{lens} has no check {unknown[0]}: it has {', '.join(CHECKS[lens])}")
    return SCORES[sum(hit is True for hit in hits.values())]


def clamped_score(reported: int, ceiling: int) -> int:
    """A critic's own score, which may be lower than its hits are worth, never higher."""
    return max(0, min(reported, ceiling))


def aggregate(scores: Sequence[int]) -> int | None:
    """The least of the scores; None where there are none, which is no score and never a pass."""
    return min(scores, default=None)
