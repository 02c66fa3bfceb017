"""The record: everything that design §6 names, in its order, and each verdict beside what it is about."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from built_reports import capsule as capsule_report
from built_reports import condition, glob

from ophiuchus.assess.continuity import CONTINUITY_LIMIT, Lineage
from ophiuchus.assess.fidelity import FIDELITY_LIMIT
from ophiuchus.assess.negative_knowledge import NEGATIVE_KNOWLEDGE_LIMIT, judge_negative_knowledge
from ophiuchus.assess.verdicts import VALIDITY_LIMIT, Aggregate, ConditionVerdict, Method, Verdict
from ophiuchus.capsule.model import Capsule, parse_capsule
from ophiuchus.git.findings import Change
from ophiuchus.report.model import CapsuleReport, ConditionReport
from ophiuchus.views.document import Document
from ophiuchus.views.handoff import finish_for
from ophiuchus.views.record import compose_record, how_checked
from ophiuchus.views.render.adf import render_adf
from ophiuchus.views.render.plain import render_plain

BASE = "8d0c1e22a9f35b4c3d2e1f0a9b8c7d6e5f4a3b2c"
PATHS = {
    "condition_id": "code", "kind": "git_paths", "paths": ["src/**", "docs/a.md"], "base_commit": BASE,
    "note": "The keys are made there",
}  # fmt: skip
WINDOW = {"condition_id": "window", "kind": "time_window", "not_after": "2026-12-31T00:00:00Z"}
SCOPE = {"condition_id": "scope", "kind": "declared_scope", "scope": "the web login", "required": False}
OTHER = {"condition_id": "sky", "kind": "weather", "sky": "blue"}
ITEM = {
    "item_id": "one-cookie", "hypothesis": "Keep both keys in one cookie",
    "why_invalid": "It grows too large", "applies_while": ["code"], "retry_if": "cookies shrink",
    "provenance_ref": "ticket 7",
}  # fmt: skip

CODE = condition(
    Verdict.PARTIALLY_STALE,
    glob("src/**", {f"src/{name}.py": Change.CONTENT for name in "abcde"}),
    glob("docs/a.md"),
    condition_id="code",
    method=Method.BASE_TREE,
    reason="1 of 2 globs differs",
)


def other(name: str, kind: str, verdict: Verdict, *, required: bool = True) -> ConditionReport:
    return condition(verdict, condition_id=name, kind=kind, required=required, reason="no reason is told")


CONDITIONS = (
    CODE,
    other("window", "time_window", Verdict.VALID),
    other("scope", "declared_scope", Verdict.UNVERIFIABLE, required=False),
    other("sky", "weather", Verdict.UNVERIFIABLE),
)


def record(*conditions: ConditionReport, cards: bool = False, expired: bool = False, **fields: Any) -> str:
    """The finished record as text."""
    capsule, report = judged(*conditions, **fields)
    view = compose_record(capsule, replace(report, expired=expired), contact_cards=cards)
    return render_plain(finish_for(view)(view.document))


def judged(*conditions: ConditionReport, **fields: Any) -> tuple[Capsule, CapsuleReport]:
    known = {"capsule_id": "cap", "goal": "The goal", "state": "The state", "next_action": "The next thing"}
    capsule = parse_capsule({**known, **fields})
    aggregate = Aggregate.PARTIALLY_STALE if conditions else Aggregate.NOT_DECLARED
    verdicts = [ConditionVerdict(one.condition_id, one.kind, True, one.verdict, "") for one in conditions]
    parent = parse_capsule({**known, "capsule_id": "old"})
    report = capsule_report(
        "cap",
        aggregate,
        *conditions,
        negative_knowledge=judge_negative_knowledge(capsule, verdicts),
        continuity=Lineage([parent]).continuity(capsule),
    )
    return capsule, report


def full(**fields: Any) -> str:
    return record(
        *CONDITIONS,
        title="A title",
        evidence=["First proof", "Second proof"],
        rejected=["A plain no"],
        constraints=["A limit"],
        open_questions=["A question"],
        validity=[PATHS, WINDOW, SCOPE, OTHER],
        negative_knowledge=[ITEM],
        critical=[{"unit_id": "u", "kind": "evidence", "index": 1, "why": "It was hard to get"}],
        parent_capsule_id="old",
        contact_cards=[{"name": "Ada", "role": "owner", "contact": "room 7"}],
        **fields,
    )


def test_it_tells_all_that_a_record_has_in_order() -> None:
    text = full(cards=True)
    order = [
        *("A title\n", "Context validity: ◐ partially stale, 2 of 3 required conditions not valid.\n"),
        *("Goal\n", "The goal\n", "Where it stands\n", "The state\n", "Evidence\n", "- First proof\n"),
        *("- evidence[1] Second proof\n", "Tried and ruled out\n", "one-cookie: ✗ revalidation required"),
        *("- A plain no\n", "Constraints\n", "- A limit\n", "Who to ask\n", "- Ada, owner, room 7\n"),
        *("Requested next action\n", "The next thing\n", "Critical context\n"),
        "- evidence[1]: ✓ preserved, whole in this view. It was hard to get\n",
        *("What this depends on\n", "Condition  Verdict", "Continues old: ✓ compared, 1 ancestor read\n"),
        *("What the verdicts do not say\n", "ophiuchus receive cap gives the whole of it.\n"),
    ]
    places = [text.find(piece) for piece in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    assert "A question" not in text


def test_what_was_ruled_out_is_told_whole() -> None:
    text = full()
    for line in (
        "one-cookie: ✗ revalidation required, ruled out while “code” held, which is partially stale now\n",
        "| Tried: Keep both keys in one cookie\n",
        "| Ruled out because: It grows too large\n",
        "| The sender calls it rejected as long as code holds\n",
        "| Worth another try if: cookies shrink\n",
        "| From: ticket 7\n",
    ):
        assert line in text


def test_each_condition_has_a_row_and_says_what_it_is() -> None:
    text = full()
    rows = [" ".join(line.split()) for line in text.splitlines()]
    for row in (
        "code ◐ partially stale compared with the base commit yes",
        "window ✓ valid compared with the clock yes",
        "scope ? unverifiable not checked: the sender's own words no",
        "sky ? unverifiable could not be checked yes",
        "- window, time_window: until 2026-12-31T00:00:00Z",
        "- scope, declared_scope: the web login",
        "- sky, weather: a kind that this version does not know",
    ):
        assert row in rows
    assert f"- code, git_paths: src/**, docs/a.md as they were at {BASE}; ◐ partially stale, 1 of 2" in text
    assert (
        "differs; changed: src/a.py, src/b.py, src/c.py and 2 more. Note: The keys are made there\n" in text
    )
    assert "no reason is told" not in text


@pytest.mark.parametrize(
    ("fields", "base"),
    [
        ({"base_commit": BASE}, BASE),
        ({"base_commit": None, "anchors": {"src/**": "x"}}, "the time of their anchors"),
        ({"base_commit": None}, "a time that is not named"),
        ({}, "the commit that the hand-off was written on"),
    ],
)
def test_a_condition_says_what_it_is_compared_with(fields: dict[str, Any], base: str) -> None:
    paths = {key: value for key, value in PATHS.items() if key != "base_commit"}
    text = record(CODE, validity=[{**paths, **fields}], grounding={"commit": "grounded"})
    assert f"docs/a.md as they were at {base}; " in text


@pytest.mark.parametrize(
    ("method", "kind", "verdict", "words"),
    [
        (Method.BASE_TREE, "git_paths", Verdict.VALID, "compared with the base commit"),
        (Method.ANCHOR, "git_paths", Verdict.STALE, "compared with path anchors"),
        (None, "git_paths", Verdict.UNVERIFIABLE, "could not be checked"),
        (None, "time_window", Verdict.STALE, "compared with the clock"),
        (None, "time_window", Verdict.UNVERIFIABLE, "could not be checked"),
        (None, "declared_scope", Verdict.UNVERIFIABLE, "not checked: the sender's own words"),
        (None, "weather", Verdict.UNVERIFIABLE, "could not be checked"),
    ],
)
def test_the_method_is_told_in_words(method: Method | None, kind: str, verdict: Verdict, words: str) -> None:
    assert how_checked(condition(verdict, method=method, kind=kind)) == words


def test_limits_stand_where_their_track_is_shown() -> None:
    every = {VALIDITY_LIMIT, FIDELITY_LIMIT, NEGATIVE_KNOWLEDGE_LIMIT, CONTINUITY_LIMIT}
    assert all(limit in full() for limit in every)
    assert {limit for limit in every if limit in record()} == {VALIDITY_LIMIT}


def test_a_section_without_anything_is_not_there() -> None:
    text = record()
    for heading in (
        "Evidence",
        "Tried and",
        "Constraints",
        "Who to ask",
        "Critical",
        "depends on",
        "Continues",
    ):
        assert heading not in text
    assert "Context validity: · not declared, no required condition is declared." in text


@pytest.mark.parametrize("letter", ["x", "é", "語", '"', "&", "<"])
def test_the_goal_is_left_on_the_narrowest_surface_whatever_is_written(letter: str) -> None:
    """JSON in ASCII spells a letter with six characters, and everything here is as long as it can be."""
    long = letter * 9_000
    units = [{"unit_id": str(n), "kind": f"k{long}", "why": long} for n in range(10)]
    capsule, report = judged(
        goal=f"GOAL{long}", state=long, next_action=long, title=long, evidence=[long], critical=units,
        negative_knowledge=[ITEM], parent_capsule_id="old",
    )  # fmt: skip
    view = compose_record(capsule, report)
    sent = json.dumps(render_adf(view.document, finish=finish_for(view)))
    assert len(sent) <= 30_000
    assert "GOAL" in sent
    assert sent.count("not in this view") == len(units)


def test_an_expired_hand_off_says_so() -> None:
    assert "✗ expired" in record(expired=True)


def test_a_unit_is_found_by_the_id_that_the_view_shows() -> None:
    units = [
        {"unit_id": "a", "kind": "validity", "ref": "code", "why": "All rests on it"},
        {"unit_id": "b", "kind": "negative_knowledge", "index": 0},
        {"unit_id": "c", "kind": "evidence"},
    ]
    text = record(CODE, validity=[PATHS], negative_knowledge=[ITEM], evidence=["x", "y"], critical=units)
    assert "- validity[0]: ✓ preserved, whole in this view: code. All rests on it\n" in text
    assert "- negative_knowledge[0]: ✓ preserved, whole in this view: one-cookie\n" in text
    assert "- evidence: ✓ preserved, whole in this view\n" in text


def test_a_condition_of_an_unknown_kind_is_degraded_at_best() -> None:
    unit = {"unit_id": "u", "kind": "validity", "ref": "sky"}
    text = record(other("sky", "weather", Verdict.UNVERIFIABLE), validity=[OTHER], critical=[unit])
    assert "- validity[0]: ◐ degraded, in part in this view: sky\n" in text
    assert "blue" not in text


def test_without_finishing_nothing_is_claimed() -> None:
    capsule, report = judged(critical=[{"unit_id": "u", "kind": "goal"}])
    document: Document = compose_record(capsule, report).document
    assert "goal: ◐ to be judged, not known yet in this view" in render_plain(document)
    assert "preserved" not in render_plain(document)
