"""What an answer scores."""

from __future__ import annotations

import pytest
from continuation_benchmark.case import Case
from continuation_benchmark.executors import Answer
from continuation_benchmark.metrics import MEANINGS, Metric, nothing, score
from hypothesis import given
from hypothesis import strategies as st

CASE = Case.model_validate(
    {
        "case_id": "a-case", "track": "validity", "task": "t", "summary": "s", "capsule": {},
        "actions": dict.fromkeys(["one", "two", "three", "again-a", "again-b", "retry"], "x"),
        "statements": dict.fromkeys(["bind-a", "bind-b", "old-a", "old-b"], "x"),
        "expect": {"aggregate": "valid"},
        "truth": {
            "plan": ["one", "two", "three"], "rediscovery": ["again-a", "again-b"], "repeats": ["retry"],
            "critical": ["bind-a", "bind-b"], "stale": ["old-a", "old-b"],
        },
    }
)  # fmt: skip
BARE = CASE.model_copy(update={"truth": CASE.truth.model_copy(update=dict.fromkeys(
    ("rediscovery", "repeats", "critical", "stale"), ()))})  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "plan", "relied_on", "expected"),
    [
        (Metric.CORRECTNESS, ["one", "two", "three"], [], 1),
        (Metric.CORRECTNESS, ["one", "again-a", "two", "three"], [], 1),
        (Metric.CORRECTNESS, ["one", "three"], [], 2 / 3),
        (Metric.CORRECTNESS, ["three", "one", "two"], [], 2 / 3),
        (Metric.CORRECTNESS, ["three", "two", "one"], [], 1 / 3),
        (Metric.CORRECTNESS, [], [], 0),
        (Metric.CORRECTNESS, ["moon"], [], 0),
        (Metric.REDISCOVERY_AVOIDED, ["one"], [], 1),
        (Metric.REDISCOVERY_AVOIDED, ["again-a", "one"], [], 0.5),
        (Metric.REDISCOVERY_AVOIDED, ["again-a", "again-b"], [], 0),
        (Metric.REPEATS_AVOIDED, ["one"], [], 1),
        (Metric.REPEATS_AVOIDED, ["one", "retry"], [], 0),
        (Metric.TIME_TO_USEFUL_CONTINUATION, ["one"], [], 1),
        (Metric.TIME_TO_USEFUL_CONTINUATION, ["retry", "again-a", "two"], [], 1 / 3),
        (Metric.TIME_TO_USEFUL_CONTINUATION, ["retry"], [], 0),
        (Metric.EFFICIENCY, ["one", "two"], [], 1),
        (Metric.EFFICIENCY, ["one", "retry", "moon", "again-a"], [], 0.25),
        (Metric.EFFICIENCY, ["one", "one"], [], 0.5),
        (Metric.EFFICIENCY, [], [], 0),
        (Metric.CRITICAL_CONTEXT_PRESERVATION_RATE, [], ["bind-a", "bind-b"], 1),
        (Metric.CRITICAL_CONTEXT_PRESERVATION_RATE, [], ["bind-a", "old-a", "moon"], 0.5),
        (Metric.CRITICAL_CONTEXT_PRESERVATION_RATE, [], [], 0),
        (Metric.STALE_CONTEXT_MISUSE_RATE, [], ["bind-a"], 1),
        (Metric.STALE_CONTEXT_MISUSE_RATE, [], ["old-a", "old-a"], 0.5),
        (Metric.STALE_CONTEXT_MISUSE_RATE, [], ["old-a", "old-b"], 0),
    ],
)
def test_a_metric_scores_what_it_says(
    metric: Metric, plan: list[str], relied_on: list[str], expected: float
) -> None:
    assert score(CASE, Answer(plan=tuple(plan), relied_on=tuple(relied_on)))[metric] == pytest.approx(
        expected
    )


def test_what_a_case_cannot_measure_is_left_out() -> None:
    assert set(score(CASE, Answer())) == set(Metric)
    assert set(score(BARE, Answer())) == {
        Metric.CORRECTNESS,
        Metric.TIME_TO_USEFUL_CONTINUATION,
        Metric.EFFICIENCY,
    }


def test_no_answer_scores_nothing_at_all() -> None:
    assert nothing(CASE) == dict.fromkeys(Metric, 0.0)


@given(st.lists(st.sampled_from([*CASE.actions, "moon"]), max_size=12), st.lists(st.text(max_size=3)))
def test_a_score_is_between_none_and_all(plan: list[str], relied_on: list[str]) -> None:
    for value in score(CASE, Answer(plan=tuple(plan), relied_on=tuple(relied_on))).values():
        assert 0 <= value <= 1


def test_every_metric_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Metric)
