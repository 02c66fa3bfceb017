"""The message that tells a channel of a sweep: short whatever was found, inert, and without a clock."""

from __future__ import annotations

import built_reports
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.verdicts import Aggregate
from ophiuchus.report.model import CapsuleReport
from ophiuchus.text.problem import Problem, ProblemCode
from ophiuchus.views.budget import SLACK, TEAMS
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.render.slack import render_slack
from ophiuchus.views.render.teams import render_teams
from ophiuchus.views.sweep_digest import compose_digest

NAME = "octo/shop"


def stale(name: str) -> CapsuleReport:
    return built_reports.capsule(name, Aggregate.STALE)


def problem(path: str) -> Problem:
    return Problem(path, 3, None, ProblemCode.BAD_FIELD, "is wrong")


VALID = built_reports.capsule("kept", Aggregate.VALID)


@pytest.mark.parametrize(
    ("stale_ones", "broken", "lead"),
    [
        (1, 0, "1 hand-off needs action in octo/shop"),
        (2, 0, "2 hand-offs need action in octo/shop"),
        (0, 1, "1 file has a problem in octo/shop"),
        (3, 2, "3 hand-offs need action and 2 files have a problem in octo/shop"),
    ],
)
def test_the_headline_counts_what_needs_action(stale_ones: int, broken: int, lead: str) -> None:
    report = built_reports.report(
        *(stale(f"c{number}") for number in range(stale_ones)),
        VALID,
        problems=[problem(f"{number}.json") for number in range(broken)],
    )
    assert lead in render_plain(compose_digest(report, None, NAME))


def test_what_needs_no_action_is_not_in_it() -> None:
    continued = built_reports.capsule("old", Aggregate.STALE, continued=True)
    text = render_plain(compose_digest(built_reports.report(stale("bad"), continued, VALID), None, NAME))
    assert "bad" in text
    assert "kept" not in text
    assert "old" not in text


def test_the_worst_group_leads_and_owners_are_names_without_a_mention() -> None:
    part = built_reports.capsule("part", Aggregate.PARTIALLY_STALE)
    owners = {".ophiuchus/bad.json": ("@octo/pay",), ".ophiuchus/part.json": ("@zoe", "@channel")}
    document = compose_digest(built_reports.report(stale("bad"), part), owners, NAME)
    text = render_plain(document)
    assert text.index("@octo/pay") < text.index("bad") < text.index("@zoe") < text.index("part: ")
    assert "@channel" not in render_slack(document).text


def test_other_repositories_are_counted_and_stand_over_what_is_theirs() -> None:
    own = built_reports.capsule("own", Aggregate.PARTIALLY_STALE, repository=NAME)
    others = [
        built_reports.capsule("theirs", Aggregate.STALE, repository=one) for one in ("o/b", "O/B", "o/c")
    ]
    broken = Problem("x.json", 3, None, ProblemCode.BAD_FIELD, "is wrong", "o/d")
    text = render_plain(compose_digest(built_reports.report(*others, own, problems=[broken]), None, NAME))
    assert "4 hand-offs need action and 1 file has a problem in octo/shop and 3 other repositories" in text
    assert text.index("o/b") < text.index("theirs") < text.index("o/c") < text.index("own: ")
    assert "o/d:x.json" in text


def test_it_is_the_same_whenever_and_on_whatever_commit_it_is_made() -> None:
    one = built_reports.report(stale("bad"), VALID)
    other = built_reports.report(stale("bad"), now="2027-01-01T00:00:00Z", head="b" * 40, tree="c" * 40)
    assert compose_digest(one, None, NAME) == compose_digest(other, None, NAME)


def test_a_long_list_is_cut_and_says_so() -> None:
    many = [stale(f"{'long' * 30}-{number}") for number in range(500)]
    owners = {one.path: (f"@owner-{number % 60}",) for number, one in enumerate(many)}
    broken = [problem(f"{'p' * 300}{number}.json") for number in range(90)]
    document = compose_digest(built_reports.report(*many, problems=broken), owners, NAME)
    text = render_plain(document)
    assert "500 hand-offs need action and 90 files have a problem" in text
    assert "and 4 more" in text
    assert "And 410 more hand-offs in 50 other groups." in text
    assert "and 85 more" in text
    slack = render_slack(document)
    assert 0 < SLACK.measure(slack.text) <= SLACK.limit
    assert 0 < TEAMS.measure(render_teams(document)) <= TEAMS.limit


HOSTILE = st.text(st.sampled_from("<!@#&>|*_`~\n hereUC0\u202e\u200b\ud800"), min_size=1, max_size=300)


@given(names=st.lists(HOSTILE, min_size=1, max_size=12), owner=HOSTILE)
def test_nothing_in_it_is_live_and_it_fits_whatever_the_names_are(names: list[str], owner: str) -> None:
    capsules = [built_reports.capsule(name, Aggregate.STALE) for name in names]
    document = compose_digest(
        built_reports.report(*capsules, problems=[problem(owner)]), {capsules[0].path: (owner,)}, NAME
    )
    slack, teams = render_slack(document), render_teams(document)
    assert "<" not in slack.text
    assert ">" not in slack.text
    assert "@here" not in slack.text
    assert SLACK.measure(slack.text) <= SLACK.limit
    assert TEAMS.measure(teams) <= TEAMS.limit
    assert "<at" not in teams
