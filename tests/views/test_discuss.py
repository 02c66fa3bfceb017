"""The message that asks for a discussion: what is open, what has moved on, and little else."""

from __future__ import annotations

from typing import Any

import pytest
from built_reports import capsule as capsule_report
from built_reports import condition, glob

from ophiuchus.assess.negative_knowledge import judge_negative_knowledge
from ophiuchus.assess.verdicts import Aggregate, ConditionVerdict, Verdict
from ophiuchus.capsule.model import parse_capsule
from ophiuchus.git.findings import Change
from ophiuchus.report.model import ConditionReport
from ophiuchus.views.discuss import EVIDENCE_SHOWN, GOAL_CHARACTERS, compose_discuss
from ophiuchus.views.handoff import finish_for
from ophiuchus.views.render.plain import render_plain

STALE = condition(
    Verdict.STALE, glob("src/**", {"src/a.py": Change.CONTENT}), condition_id="code", reason="1 of 1 differs"
)


def message(*conditions: ConditionReport, **fields: Any) -> str:
    """The finished message as text."""
    known = {"capsule_id": "cap", "goal": "The goal", "state": "The state", "next_action": "Talk about it"}
    declared = [
        {"condition_id": one.condition_id, "kind": "git_paths", "paths": ["src/**"]} for one in conditions
    ]
    capsule = parse_capsule({**known, "validity": declared, **fields})
    verdicts = [ConditionVerdict(one.condition_id, one.kind, True, one.verdict, "") for one in conditions]
    report = capsule_report(
        "cap",
        Aggregate.STALE if conditions else Aggregate.NOT_DECLARED,
        *conditions,
        negative_knowledge=judge_negative_knowledge(capsule, verdicts),
    )
    view = compose_discuss(capsule, report)
    return render_plain(finish_for(view)(view.document))


def item(name: str, *conditions: str) -> dict[str, Any]:
    return {"item_id": name, "hypothesis": f"Try {name}", "why_invalid": "w", "applies_while": conditions}


def test_it_says_what_it_is_about_why_and_what_is_asked_in_order() -> None:
    text = message(
        STALE,
        condition(Verdict.VALID, condition_id="calm"),
        title="A title",
        open_questions=["Is an hour enough?"],
        evidence=["A proof"],
        negative_knowledge=[item("cookie", "code"), item("database", "calm")],
        critical=[{"unit_id": "u", "kind": "open_questions", "index": 0, "why": "Support must agree"}],
    )
    order = [
        *("A title\n", "Context validity: ✗ stale, 1 of 2 required conditions not valid.\n"),
        *("In short\n", "The goal\n", "The state\n", "Why this needs discussion\n"),
        "- open_questions[0] Is an hour enough?\n",
        "- code: ✗ stale, 1 of 1 differs; changed: src/a.py\n",
        "- cookie: ✗ revalidation required, ruled out while “code” held, which is stale now",
        "now. It was: Try cookie\n",
        *("Evidence\n", "- A proof\n", "Requested discussion\n", "Talk about it\n", "Critical context\n"),
        *("- open_questions[0]: ✓ preserved, whole in this view\n", "What the verdicts do not say\n"),
    ]  # fmt: skip
    places = [text.find(piece) for piece in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    for absent in ("calm", "database", "Support must agree"):
        assert absent not in text


def test_where_nothing_is_open_it_says_so() -> None:
    assert "The sender left no open question" in message(condition(Verdict.UNVERIFIABLE))
    assert "The sender left no open question" not in message(open_questions=["q"])


@pytest.mark.parametrize(
    ("critical", "shown"),
    [([], [0, 1, 2]), ([7], [0, 1, 7]), ([3, 5, 6, 7], [3, 5, 6]), (None, [0, 1, 2])],
)
def test_of_the_evidence_little_is_shown_what_is_critical_first(
    critical: list[int] | None, shown: list[int]
) -> None:
    units: list[dict[str, Any]] = [{"unit_id": "all", "kind": "evidence"}]
    if critical is not None:
        units = [{"unit_id": f"u{index}", "kind": "evidence", "index": index} for index in critical]
    text = message(evidence=[f"Proof {index}" for index in range(8)], critical=units)
    assert [index for index in range(8) if f"Proof {index}" in text] == shown
    assert len(shown) == EVIDENCE_SHOWN
    assert "- and 5 more in the hand-off itself\n" in text


def test_long_texts_are_cut_and_it_is_said() -> None:
    text = message(
        goal="word " * 500, state="a\nb\nc\nd\ne\nf\ng", evidence=["e" * 301], open_questions=["q" * 400]
    )
    assert "word… (2,1" in text
    assert text.count("word ") <= 2 * GOAL_CHARACTERS / 5
    assert "| f… (2 more characters)\n" in text
    assert "e" * 300 + "… (1 more character)" in text
    assert "q" * 300 + "… (100 more characters)" in text


def test_the_longest_message_is_still_short() -> None:
    """What a chat takes: nothing of an ordinary long hand-off has to go."""
    long = "word " * 2_000
    text = message(
        STALE,
        title=long, goal=long, state=long, next_action=long, evidence=[long] * 50, open_questions=[long] * 5,
        rejected=[long] * 20, constraints=[long] * 20, negative_knowledge=[item("cookie", "code")],
        critical=[{"unit_id": str(n), "kind": "evidence", "index": n, "why": long} for n in range(10)],
    )  # fmt: skip
    assert len(text) < 8_000
