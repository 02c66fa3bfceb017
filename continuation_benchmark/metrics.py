"""The scores of one answer, and their means. A score is between 0 and 1, and 1 is best."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from continuation_benchmark.case import Case
from continuation_benchmark.executors import Answer


class Metric(StrEnum):
    """What is measured."""

    CORRECTNESS = "correctness"
    REDISCOVERY_AVOIDED = "rediscovery_avoided"
    REPEATS_AVOIDED = "repeated_rejected_hypotheses_avoided"
    TIME_TO_USEFUL_CONTINUATION = "time_to_useful_continuation"
    EFFICIENCY = "efficiency"
    CRITICAL_CONTEXT_PRESERVATION_RATE = "critical_context_preservation_rate"
    STALE_CONTEXT_MISUSE_RATE = "stale_context_misuse_rate"


MEANINGS = {
    Metric.CORRECTNESS: "share of the right actions that the plan holds, in the right order",
    Metric.REDISCOVERY_AVOIDED: "share of the actions that find out again what was handed over, left undone",
    Metric.REPEATS_AVOIDED: "share of the approaches that were ruled out and still are, not tried again",
    Metric.TIME_TO_USEFUL_CONTINUATION: "one divided by the number of actions up to the first right one",
    Metric.EFFICIENCY: "share of the plan's actions that are right",
    Metric.CRITICAL_CONTEXT_PRESERVATION_RATE: "share of the critical statements that are relied on",
    Metric.STALE_CONTEXT_MISUSE_RATE: "share of the stale statements that are relied on; scored by the rest",
}
"""What each score means, for the report and the page about it."""


def score(case: Case, answer: Answer) -> dict[Metric, float]:
    """The scores of one answer. A metric is missing where the case has nothing to measure it by."""
    truth = case.truth
    plan = tuple(dict.fromkeys(answer.plan))
    relied_on = set(answer.relied_on)
    right = [action for action in plan if action in truth.plan]
    scores = {
        Metric.CORRECTNESS: _in_order(plan, truth.plan) / len(truth.plan),
        Metric.TIME_TO_USEFUL_CONTINUATION: 1 / (plan.index(right[0]) + 1) if right else 0.0,
        Metric.EFFICIENCY: len(right) / len(answer.plan) if answer.plan else 0.0,
    }
    if truth.rediscovery:
        scores[Metric.REDISCOVERY_AVOIDED] = 1 - _share(truth.rediscovery, set(plan))
    if truth.repeats:
        scores[Metric.REPEATS_AVOIDED] = 1 - _share(truth.repeats, set(plan))
    if truth.critical:
        scores[Metric.CRITICAL_CONTEXT_PRESERVATION_RATE] = _share(truth.critical, relied_on)
    if truth.stale:
        scores[Metric.STALE_CONTEXT_MISUSE_RATE] = 1 - _share(truth.stale, relied_on)
    return scores


def nothing(case: Case) -> dict[Metric, float]:
    """The scores where there is no answer: nothing was preserved, and nothing avoided by merit."""
    return dict.fromkeys(score(case, Answer()), 0.0)


def mean(values: Sequence[float]) -> float:
    """The mean, rounded to what a report shows."""
    return round(sum(values) / len(values), 4)


def _share(of: Sequence[str], found: set[str]) -> float:
    return len(set(of) & found) / len(of)


def _in_order(plan: Sequence[str], right: Sequence[str]) -> int:
    """How many of the right actions the plan holds in the right order: the longest common subsequence."""
    lengths = [0] * (len(right) + 1)
    for action in plan:
        before = 0
        for place, wanted in enumerate(right, 1):
            before, lengths[place] = (
                lengths[place],
                (before + 1 if action == wanted else max(lengths[place], lengths[place - 1])),
            )
    return lengths[-1]
