"""What a verdict view carries of the capsules, and that the line about it is true of its text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from built_reports import capsule as capsule_report
from built_reports import condition, glob, report
from gfm_readings import read_with_markdown_it
from hostile_capsules import MARK, HandOff, hand_offs
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.fidelity import Consumer, Extent, FidelityVerdict, UnitVerdict, judge_fidelity
from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.capsule.model import Capsule, parse_capsule
from ophiuchus.capsule.places import FIELDS, places_of, texts_at
from ophiuchus.commands.fidelity import Gauge, with_fidelity
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.views.budget import Budget, fit, utf16_units
from ophiuchus.views.carriage import LINE, carried, fidelity_line, with_line
from ophiuchus.views.document import Document
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.inert import ZERO_WIDTH
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.verdict import compose


def made(**fields: Any) -> Capsule:
    return parse_capsule(
        {"capsule_id": "cap", "goal": "GOAL", "state": "STATE", "next_action": "NEXT", **fields}
    )


def read(markdown: str) -> str:
    """All text that a reader of the Markdown gets, what breaks live text taken out."""

    def flat(value: Any) -> str:
        return "\n".join(map(flat, value)) if isinstance(value, list) else str(value)

    return flat(read_with_markdown_it(markdown).blocks).replace(ZERO_WIDTH, "")


def tag(text: str) -> str:
    return MARK.join(text.split(MARK)[:2]) + MARK


@given(hand_offs(), st.none() | st.integers(600, 4_000))
def test_the_summarys_fidelity_is_true_of_its_text(hand_off: HandOff, limit: int | None) -> None:
    """Preserved: the unit's text is there whole. Degraded: a proper part. Unsupported: nothing of it."""
    capsule = hand_off.capsule
    gauge = Gauge({hand_off.report.path: capsule} if capsule.critical else {})
    document = compose(report(hand_off.report), critical=gauge.units).lasting()
    verdicts: list[UnitVerdict] = []

    def finish(fitted: Document) -> Document:
        shown = carried(fitted, [capsule])[capsule.capsule_id]
        verdicts.extend(judge_fidelity(capsule, Consumer.SUMMARY, shown))
        return gauge.finish(fitted)

    budget = Budget(100_000 if limit is None else limit, utf16_units)
    markdown = render_gfm(document, budget=budget, finish=finish)
    assert len(markdown) <= budget.limit
    text = read(markdown)
    for unit, verdict in zip(capsule.critical, verdicts, strict=True):
        places = places_of(capsule, unit) if unit.kind in FIELDS else ()
        texts = [one for place in places for one in texts_at(capsule, place)]
        own = [one for one in texts if one.startswith(MARK)]
        match verdict.verdict:
            case FidelityVerdict.PRESERVED:
                assert all(one in text for one in texts)
            case FidelityVerdict.DEGRADED:
                assert any(tag(one) in text for one in own)
                assert not all(one in text for one in texts)
            case FidelityVerdict.UNSUPPORTED:
                assert not any(tag(one) in text for one in own)
            case FidelityVerdict.UNKNOWN:
                pytest.fail("a consumer was evaluated")


def shown_of(
    capsule: Capsule, limit: int = 100_000, **fields: Any
) -> tuple[str, list[FidelityVerdict], CapsuleReport]:
    """The rendering, its verdict on each unit, and what the report says then."""
    known: dict[str, Any] = {"title": capsule.heading, **fields}
    judged = capsule_report("cap", Aggregate.STALE, *known.pop("conditions", ()), **known)
    gauge = Gauge({judged.path: capsule})
    whole = report(judged)
    document = compose(whole, critical=gauge.units)
    markdown = render_gfm(document, budget=Budget(limit, utf16_units), finish=gauge.finish)
    told = with_fidelity(whole, gauge.tracks).capsules[0]
    verdicts = judge_fidelity(capsule, Consumer.SUMMARY, carried(document, [capsule])["cap"])
    return markdown, [one.verdict for one in verdicts], told


UNITS = [
    {"unit_id": "title", "kind": "title"},
    {"unit_id": "id", "kind": "capsule_id"},
    {"unit_id": "goal", "kind": "goal"},
    {"unit_id": "state", "kind": "state"},
    {"unit_id": "paths", "kind": "validity", "ref": "vc"},
]
VALIDITY = [{"condition_id": "vc", "kind": "git_paths", "paths": ["src/**", "docs/**"], "note": "why so"}]


def test_a_view_tells_its_own_fidelity() -> None:
    capsule = made(title="A title", critical=UNITS, validity=VALIDITY)
    judged = condition(Verdict.STALE, glob("src/**"), glob("docs/**"), condition_id="vc")
    markdown, verdicts, told = shown_of(capsule, conditions=[judged])
    assert [one.value for one in verdicts] == [
        "preserved", "preserved", "unsupported", "unsupported", "degraded",
    ]  # fmt: skip
    assert "Fidelity: of 5 critical units this view carries 2 whole and 1 in part." in read(markdown)
    (track,) = told.fidelity
    assert (track.consumer, track.preserved) == (Consumer.SUMMARY, 2)
    assert [one.unit_id for one in track.units] == ["goal", "state", "paths"]


def test_a_goal_that_stands_in_for_a_title_counts_as_far_as_it_is_shown() -> None:
    units = [{"unit_id": "goal", "kind": "goal"}]
    assert shown_of(made(goal="One line", critical=units))[1] == [FidelityVerdict.PRESERVED]
    assert shown_of(made(goal="One line\nand another", critical=units))[1] == [FidelityVerdict.DEGRADED]
    assert shown_of(made(goal="x" * 300, critical=units))[1] == [FidelityVerdict.DEGRADED]
    assert shown_of(made(goal="val\u202eid", critical=units))[1] == [FidelityVerdict.DEGRADED]


def test_what_did_not_fit_is_not_carried() -> None:
    """The same capsule, with less and less room: the line stays longer than what it is about."""
    capsule = made(title="A title of its own", critical=[{"unit_id": "title", "kind": "title"}])
    wide, _, _ = shown_of(capsule)
    seen = set()
    for limit in range(len(wide) + 20, 200, -10):
        markdown, _, told = shown_of(capsule, limit=limit)
        text = read(markdown)
        shown = "A title of its own" in text
        assert told.fidelity[0].preserved == shown
        if "Fidelity:" in text:
            assert f"carries {int(shown)} whole and 0 in part" in text
            seen.add(shown)
    assert seen == {True, False}


def test_the_line_is_never_longer_than_the_place_that_was_kept() -> None:
    for units in (1, 9, 10, 999, 1_000, 99_999):
        kept = render_plain(Document((fidelity_line(units),)))
        for whole, in_part in ((0, 0), (units, 0), (0, units), (units // 2, units // 2)):
            line = fidelity_line(units, whole, in_part)
            assert len(render_plain(with_line(Document((fidelity_line(units),)), line))) <= len(kept)


def test_a_line_that_had_to_go_stays_away() -> None:
    document = Document((fidelity_line(3),))
    gone = fit(document, 1, lambda blocks: 10 * len(blocks))
    assert not any(part.name == LINE for part in with_line(gone, fidelity_line(3, 1, 1)).parts)


def test_without_critical_units_nothing_is_said() -> None:
    judged = capsule_report("cap", Aggregate.STALE)
    gauge = Gauge({})
    document = gauge.finish(compose(report(judged), critical=gauge.units))
    assert "Fidelity" not in render_plain(document)
    assert with_fidelity(report(judged), gauge.tracks).capsules[0].fidelity == ()


def test_a_capsule_that_is_not_shown_at_all_carries_nothing() -> None:
    capsule = made(title="A title", critical=[{"unit_id": "title", "kind": "title"}])
    other: Report = report(capsule_report("other", Aggregate.STALE, title="A title"))
    assert carried(compose(other), [capsule]) == {"cap": {("title", None): Extent.NONE}}


def test_a_row_of_a_folded_table_counts() -> None:
    capsule = made(title="A title", critical=[{"unit_id": "title", "kind": "title"}])
    calm = report(capsule_report("cap", Aggregate.VALID, title="A title"))
    assert carried(compose(calm), [capsule]) == {"cap": {("title", None): Extent.WHOLE}}
    assert re.search("A title", render_gfm(compose(calm)))
