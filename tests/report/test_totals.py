"""Counts and the one word for a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from ophiuchus.assess.negative_knowledge import ItemVerdict, Standing
from ophiuchus.assess.verdicts import Aggregate
from ophiuchus.report.model import CapsuleReport, Evaluated, Gate, Report, Tool
from ophiuchus.report.totals import NoVerdict, count, outcome
from ophiuchus.text.problem import Problem, ProblemCode

CapsuleMaker = Callable[..., CapsuleReport]


def report(capsules: Sequence[CapsuleReport], problems: Sequence[Problem]) -> Report:
    return Report(
        tool=Tool("ophiuchus-action", "0"),
        evaluated=Evaluated(None, None, "0" * 40, "2026-07-01T12:00:00Z"),
        capsules=tuple(capsules),
        problems=tuple(problems),
        notices=(),
        totals=count(capsules, problems=len(problems), notices=0),
        gate=Gate((), passed=True, reasons=()),
        limits={},
    )


def test_continued_capsules_are_counted_apart(capsule_report: CapsuleMaker) -> None:
    capsules = [
        capsule_report(Aggregate.STALE, needs_action=True),
        capsule_report(Aggregate.STALE, needs_action=True, expired=True),
        capsule_report(Aggregate.VALID),
        capsule_report(Aggregate.STALE, needs_action=True, expired=True, continued=True),
    ]
    totals = count(capsules, problems=2, notices=3)
    assert totals.verdicts == {
        Aggregate.VALID: 1,
        Aggregate.NOT_DECLARED: 0,
        Aggregate.UNVERIFIABLE: 0,
        Aggregate.PARTIALLY_STALE: 0,
        Aggregate.STALE: 2,
    }
    assert (totals.capsules, totals.continued, totals.expired, totals.needs_action) == (4, 1, 1, 2)
    assert (totals.problems, totals.notices) == (2, 3)


def test_what_is_to_be_revalidated_counts_by_live_capsule(capsule_report: CapsuleMaker) -> None:
    items = tuple(ItemVerdict(name, "rejected", Standing.REVALIDATION_REQUIRED, "r") for name in "ab")
    retired = (ItemVerdict("c", "superseded", Standing.RETIRED, "r"),)
    capsules = [
        capsule_report(Aggregate.VALID, negative_knowledge=items),
        capsule_report(Aggregate.VALID, negative_knowledge=items, continued=True),
        capsule_report(Aggregate.VALID, negative_knowledge=retired),
    ]
    assert count(capsules, problems=0, notices=0).revalidation_required == 1


@pytest.mark.parametrize(
    ("aggregates", "problems", "word"),
    [
        ([], 0, NoVerdict.NONE),
        ([], 1, NoVerdict.UNREADABLE),
        ([Aggregate.STALE], 1, NoVerdict.UNREADABLE),
        ([Aggregate.VALID, Aggregate.NOT_DECLARED], 0, Aggregate.NOT_DECLARED),
        ([Aggregate.NOT_DECLARED, Aggregate.UNVERIFIABLE], 0, Aggregate.UNVERIFIABLE),
        ([Aggregate.PARTIALLY_STALE, Aggregate.UNVERIFIABLE], 0, Aggregate.PARTIALLY_STALE),
        ([Aggregate.PARTIALLY_STALE, Aggregate.STALE, Aggregate.VALID], 0, Aggregate.STALE),
    ],
)
def test_the_outcome_is_the_worst_live_aggregate(
    capsule_report: CapsuleMaker, aggregates: list[Aggregate], problems: int, word: str
) -> None:
    capsules = [capsule_report(aggregate) for aggregate in aggregates]
    capsules.append(capsule_report(Aggregate.STALE, continued=True))
    problem = Problem("c.json", 1, 1, ProblemCode.NOT_JSON, "message")
    assert outcome(report(capsules, [problem] * problems)) == word
