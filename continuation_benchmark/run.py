"""A run: every case in every arm, answered, scored, reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from continuation_benchmark.case import Case, Track
from continuation_benchmark.executors import Executor, NoAnswer
from continuation_benchmark.metrics import Metric, mean, nothing, score
from continuation_benchmark.rendering import Arm
from continuation_benchmark.report import (
    DECLARED_BY_THE_EXECUTOR,
    DISCLAIMER,
    SAME_IN_EVERY_ARM,
    ArmResult,
    Report,
    Score,
)

Scores = dict[Metric, float]


def run(cases: Sequence[Case], executor: Executor, arms: Iterable[Arm] = Arm) -> Report:
    """The report of `executor` on `cases`, in each of `arms`."""
    return Report(
        disclaimers=(DISCLAIMER, DECLARED_BY_THE_EXECUTOR),
        warnings=() if executor.sees_the_arm else (SAME_IN_EVERY_ARM,),
        executor=executor.name,
        cases=len(cases),
        arms=tuple(_run_arm(cases, executor, arm) for arm in arms),
    )


def _run_arm(cases: Sequence[Case], executor: Executor, arm: Arm) -> ArmResult:
    scored: dict[str, Scores] = {}
    unanswered: dict[str, str] = {}
    for case in cases:
        try:
            scored[case.case_id] = score(case, executor.answer(case, arm))
        except NoAnswer as reason:
            unanswered[case.case_id] = str(reason)
            scored[case.case_id] = nothing(case)
    of_track: dict[Track, list[Scores]] = defaultdict(list)
    for case in cases:
        of_track[case.track].append(scored[case.case_id])
    return ArmResult(
        arm=arm,
        scores=_means(list(scored.values())),
        tracks={track: _means(of_track[track]) for track in Track if track in of_track},
        cases={
            name: {metric: round(one, 4) for metric, one in scores.items()} for name, scores in scored.items()
        },
        unanswered=unanswered,
    )


def _means(scored: Sequence[Scores]) -> tuple[Score, ...]:
    return tuple(
        _score(metric, values)
        for metric in Metric
        if (values := [scores[metric] for scores in scored if metric in scores])
    )


def _score(metric: Metric, values: Sequence[float]) -> Score:
    best_is_one = mean(values)
    # A rate of misuse is told as it is called, and scored by what is left.
    value = round(1 - best_is_one, 4) if metric is Metric.STALE_CONTEXT_MISUSE_RATE else best_is_one
    return Score(metric=metric, cases=len(values), value=value, score=best_is_one)
