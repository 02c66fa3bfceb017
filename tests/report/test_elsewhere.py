"""A run's own report with what others say of their own: own verdicts stand, and order and counts are anew."""

from __future__ import annotations

from dataclasses import replace

from built_reports import capsule, report

from ophiuchus.assess.verdicts import Aggregate
from ophiuchus.report.elsewhere import with_elsewhere
from ophiuchus.text.problem import Problem, ProblemCode

NAME = "octo/shop"
BROKEN = Problem("a.json", 1, 1, ProblemCode.NOT_JSON, "is no JSON")
OWN = report(capsule("part", Aggregate.PARTIALLY_STALE), capsule("good", Aggregate.VALID), problems=[BROKEN])


def test_what_needs_action_elsewhere_comes_with_its_name_the_worst_first() -> None:
    away = replace(BROKEN, repository="octo/b")
    joined = report(
        capsule("worse", Aggregate.STALE, repository="octo/b"),
        capsule("fine", Aggregate.VALID, repository="octo/b"),
        capsule("old", Aggregate.STALE, repository="octo/b", continued=True),
        problems=[away],
    )
    told = with_elsewhere(OWN, NAME, joined)
    assert [(one.repository, one.capsule_id) for one in told.capsules] == [
        ("octo/b", "worse"),
        (NAME, "part"),
        (NAME, "good"),
    ]
    assert told.problems == (replace(BROKEN, repository=NAME), away)
    assert (told.totals.capsules, told.totals.needs_action, told.totals.problems) == (3, 2, 2)
    assert (told.evaluated, told.gate) == (OWN.evaluated, OWN.gate)


def test_nothing_that_a_report_says_of_this_repository_or_of_nobody_s_counts() -> None:
    joined = report(
        capsule("part", Aggregate.STALE, repository="OCTO/Shop", expired=True),
        capsule("made-up", Aggregate.STALE),
        capsule("good", Aggregate.VALID, repository="octo/b"),
        problems=[BROKEN, replace(BROKEN, repository=NAME)],
    )
    assert with_elsewhere(OWN, NAME, joined) is OWN
