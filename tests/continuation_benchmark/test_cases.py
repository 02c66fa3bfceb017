"""The committed cases: enough of them, over all tracks, and true of what Ophiuchus says itself."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from continuation_benchmark.case import Case, CaseRefused, Track, load_cases
from continuation_benchmark.rendering import Arm, capsule_id, ophiuchus, question, render

CASES = load_cases()


def test_there_are_at_least_thirty_over_all_tracks() -> None:
    tracks = Counter(case.track for case in CASES)
    assert len(CASES) >= 30
    assert set(tracks) == set(Track)
    assert min(tracks.values()) >= 6


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.case_id)
def test_ophiuchus_says_of_a_case_what_its_truth_rests_on(case: Case) -> None:
    received = json.loads(ophiuchus(case, "receive", capsule_id(case), "--with", "codex", "--format", "json"))
    (capsule,) = received["report"]["capsules"]
    assert capsule["validity"]["aggregate"] == case.expect.aggregate
    standings = {one["item_id"]: one["standing"] for one in capsule["negative_knowledge"]}
    assert standings == case.expect.standings
    (fidelity,) = capsule["fidelity"]
    assert {one["unit_id"]: one["verdict"] for one in fidelity["units"]} == case.expect.fidelity
    assert capsule["continuity"]["status"] == case.expect.continuity
    assert received["report"]["notices"] == [] or {one["code"] for one in received["report"]["notices"]} <= {
        "revalidation_required",
        "hidden_characters",
    }
    assert case.capsule["next_action"] in received["markdown"]


def test_every_verdict_standing_and_status_is_in_some_case() -> None:
    expected = [case.expect for case in CASES]
    assert {one.aggregate for one in expected} == {
        "valid", "not_declared", "unverifiable", "partially_stale", "stale",
    }  # fmt: skip
    assert {standing for one in expected for standing in one.standings.values()} == {
        "still_applicable", "revalidation_required", "applicability_unknown", "retired",
    }  # fmt: skip
    assert {verdict for one in expected for verdict in one.fidelity.values()} == {
        "preserved", "degraded", "unsupported",
    }  # fmt: skip
    assert {one.continuity for one in expected} == {"none", "compared", "gone", "cycle"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.case_id)
def test_a_question_does_not_give_the_answer_away(case: Case) -> None:
    asked = question(case, Arm.NONE)
    assert set(asked) == {"case_id", "task", "rendering", "actions", "statements", "answer_with"}
    assert asked["rendering"] == ""
    assert list(asked["actions"]) == sorted(case.actions)
    assert list(asked["statements"]) == sorted(case.statements)
    assert len(case.actions) > len(case.truth.plan)


def test_arms_differ_in_their_rendering_alone() -> None:
    case = CASES[0]
    texts = {arm: render(case, arm) for arm in Arm}
    assert texts[Arm.NONE] == ""
    assert texts[Arm.SUMMARY] == case.summary
    assert texts[Arm.CAPSULE].startswith("# A hand-off\n")
    assert render(case, Arm.CAPSULE) == texts[Arm.CAPSULE]
    asked = [{**question(case, arm), "rendering": None} for arm in Arm]
    assert asked[0] == asked[1] == asked[2]


def test_a_case_that_ophiuchus_refuses_is_an_error() -> None:
    case = CASES[0].model_copy(update={"capsule": {"goal": ""}})
    with pytest.raises(RuntimeError, match="ended with 2"):
        render(case, Arm.CAPSULE)


KNOWN: dict[str, Any] = {
    "case_id": "a-case", "track": "validity", "task": "t", "summary": "s", "capsule": {},
    "actions": {"go-on": "x", "look": "y"}, "statements": {"it-is": "z"},
    "expect": {"aggregate": "valid"}, "truth": {"plan": ["go-on"]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"truth": {"plan": ["go-away"]}}, "does not have: ['go-away']"),
        ({"truth": {"plan": ["go-on"], "critical": ["it-was"]}}, "does not have: ['it-was']"),
        ({"truth": {"plan": ["go-on"], "repeats": ["go-on"]}}, "two meanings"),
        ({"truth": {"plan": ["go-on"], "critical": ["it-is"], "stale": ["it-is"]}}, "two meanings"),
        ({"truth": {"plan": []}}, "at least 1 item"),
        ({"track": "taste"}, "track"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_a_case_that_contradicts_itself_is_refused(
    tmp_path: Path, changed: dict[str, Any], words: str
) -> None:
    (tmp_path / "some.yaml").write_text(json.dumps([KNOWN, {**KNOWN, "case_id": "b-case", **changed}]))
    with pytest.raises(CaseRefused) as caught:
        load_cases(tmp_path)
    assert "some.yaml, case 2" in str(caught.value)
    assert words in str(caught.value)


def test_an_id_is_given_once(tmp_path: Path) -> None:
    (tmp_path / "some.yaml").write_text(json.dumps([KNOWN, KNOWN]))
    with pytest.raises(CaseRefused, match="a-case is there twice"):
        load_cases(tmp_path)
