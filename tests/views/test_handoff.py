"""Both hand-off views: fidelity is true of what is sent, the order in which things go, nothing volatile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from built_reports import capsule as capsule_report
from gfm_readings import bare, read_with_markdown_it
from hostile_capsules import MARK, HandOff, hand_offs
from hypothesis import given, settings
from hypothesis import strategies as st

from ophiuchus.assess.continuity import Lineage
from ophiuchus.assess.fidelity import (
    DECLARED,
    Consumer,
    Extent,
    FidelityVerdict,
    UnitVerdict,
    judge_fidelity,
)
from ophiuchus.assess.negative_knowledge import judge_negative_knowledge
from ophiuchus.assess.verdicts import Aggregate, ConditionVerdict, Verdict
from ophiuchus.capsule.model import Capsule, parse_capsule
from ophiuchus.capsule.places import FIELDS, Place, places_of, texts_at
from ophiuchus.report.model import CapsuleReport, ConditionReport
from ophiuchus.views import handoff
from ophiuchus.views.budget import Budget, fit, utf16_units
from ophiuchus.views.discuss import compose_discuss
from ophiuchus.views.document import Block, Bullets, Document, Heading, Paragraph, Part, Text
from ophiuchus.views.handoff import CRITICAL, finish_for, rank_of
from ophiuchus.views.record import compose_record
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain

Composer = Callable[..., handoff.HandOff]
COMPOSERS: list[Composer] = [compose_record, compose_discuss]
both = pytest.mark.parametrize("compose", COMPOSERS, ids=["record", "discuss"])
limits = st.sampled_from([1_200, 2_000, 3_000, 5_000, 9_000, 60_000])


def flat(value: Any) -> str:
    return "\n".join(map(flat, value)) if isinstance(value, list) else str(value)


def sent(view: handoff.HandOff, limit: int) -> tuple[str, tuple[UnitVerdict, ...]]:
    """The Markdown, and the verdicts that were told in it."""
    told: list[UnitVerdict] = []
    finish = finish_for(view)

    def watched(fitted: Document) -> Document:
        told.extend(judge_fidelity(view.capsule, view.consumer, view.carried(fitted)))
        return finish(fitted)

    markdown = render_gfm(view.document, budget=Budget(limit, utf16_units), finish=watched)
    assert utf16_units(markdown) <= limit
    return markdown, tuple(told)


def tag(text: str) -> str:
    return MARK.join(text.split(MARK)[:2]) + MARK


def own_texts(capsule: Capsule, places: tuple[Place, ...]) -> Iterator[str]:
    """Texts by which a place is found; its id may be named by others too."""
    ids = {one.condition_id for one in capsule.validity} | {one.item_id for one in capsule.negative_knowledge}
    for place in places:
        yield from (text for text in texts_at(capsule, place) if text.startswith(MARK) and text not in ids)


def all_texts(capsule: Capsule, places: tuple[Place, ...]) -> Iterator[str]:
    yield from (text for place in places for text in texts_at(capsule, place) if text.startswith(MARK))


@both
@given(hand_offs(longest=5_000, most_items=8) | hand_offs(), limits, st.booleans())
@settings(max_examples=70)
def test_fidelity_is_true_of_what_a_reader_of_the_markdown_gets(
    compose: Composer, made: HandOff, limit: int, cards: bool
) -> None:
    """Preserved: the unit's text is there whole. Degraded: not all of it. Unsupported: nothing of it."""
    view = compose(made.capsule, made.report, contact_cards=cards)
    markdown, verdicts = sent(view, limit)
    text = flat(read_with_markdown_it(markdown).blocks)
    for unit, verdict in zip(made.capsule.critical, verdicts, strict=True):
        places = places_of(made.capsule, unit) if unit.kind in FIELDS else ()
        match verdict.verdict:
            case FidelityVerdict.PRESERVED:
                assert all(bare(one) in text for place in places for one in texts_at(made.capsule, place))
            case FidelityVerdict.DEGRADED:
                assert any(tag(one) in text for one in all_texts(made.capsule, places))
            case FidelityVerdict.UNSUPPORTED if unit.kind != "critical":  # whose reasons are told with it
                assert not any(tag(one) in text for one in own_texts(made.capsule, places))
            case FidelityVerdict.UNKNOWN:
                pytest.fail("a consumer was evaluated")


@both
@given(hand_offs(longest=5_000, most_items=8) | hand_offs(), limits)
@settings(max_examples=40)
def test_the_view_tells_its_own_fidelity(compose: Composer, made: HandOff, limit: int) -> None:
    markdown, verdicts = sent(compose(made.capsule, made.report), limit)
    blocks = read_with_markdown_it(markdown).blocks
    if ["heading", 4, "Critical context"] in blocks:
        lines = blocks[blocks.index(["heading", 4, "Critical context"]) + 1][1]
        assert len(lines) == len(verdicts)
        for line, verdict in zip(lines, verdicts, strict=True):
            assert f" {verdict.verdict.value}, " in flat(line)
    else:
        assert not verdicts or not markdown
    assert "to be judged" not in markdown


@both
@given(hand_offs(longest=3_000, most_items=6), limits)
@settings(max_examples=40)
def test_filling_never_makes_it_longer(compose: Composer, made: HandOff, limit: int) -> None:
    view = compose(made.capsule, made.report)
    fitted = fit(view.document, limit, lambda blocks: len(render_plain(Document((Part("", 0, blocks),)))))
    kept = [len(written) for written in all_forms(fitted)]
    for word in FidelityVerdict:
        verdicts = [UnitVerdict(one.unit_id, one.kind, word, "") for one in made.capsule.critical]
        filled = [len(written) for written in all_forms(view.filled(fitted, verdicts))]
        assert all(after <= before for before, after in zip(kept, filled, strict=True))


def all_forms(document: Document) -> Iterator[str | bytes]:
    """Measures that surfaces might use."""
    plain = render_plain(document)
    wide = Budget(10_000_000, utf16_units)
    yield from (plain, plain.encode(), json.dumps(plain), render_gfm(document, budget=wide))
    yield render_gfm(document, budget=wide).encode()


@both
@given(hand_offs())
@settings(max_examples=40)
def test_it_depends_on_the_capsule_and_the_verdicts_only(compose: Composer, made: HandOff) -> None:
    view = compose(made.capsule, made.report)
    elsewhere = replace(
        made.report,
        path="/home/somebody/x.json",
        before=Aggregate.STALE,
        introduced=True,
        new=True,
        validity=replace(
            made.report.validity,
            conditions=tuple(
                replace(one, line=77, remedy="check out again", introduced=True)
                for one in made.report.validity.conditions
            ),
        ),
    )
    assert compose(made.capsule, elsewhere).document == view.document
    assert view.document.volatile == ()


@both
@given(hand_offs())
@settings(max_examples=40)
def test_personal_data_is_in_it_only_where_it_was_asked_for(compose: Composer, made: HandOff) -> None:
    names = [tag(one.name) for one in made.capsule.contact_cards]
    without = render_plain(compose(made.capsule, made.report).document)
    assert not any(name in without for name in names)
    with_cards = render_plain(compose(made.capsule, made.report, contact_cards=True).document)
    assert all(name in with_cards for name in names)
    assert not any(name in repr(compose(made.capsule, made.report)) for name in names)


# By hand.

WINDOW = {"condition_id": "vc", "kind": "time_window", "not_after": "2020-01-01T00:00:00Z", "note": "NOTE"}
ITEM = {
    "item_id": "nk", "hypothesis": "HYPOTHESIS", "why_invalid": "WHY", "applies_while": ["vc"],
    "retry_if": "RETRY", "provenance_ref": "SOURCE",
}  # fmt: skip
FULL: dict[str, Any] = {
    "capsule_id": "cap",
    "created_at": "2026-07-01T12:00:00Z",
    "producer": {"tool": "TOOL"},
    "grounding": {"commit": "COMMIT"},
    "title": "TITLE",
    "goal": "GOAL",
    "state": "STATE",
    "next_action": "NEXT",
    "evidence": ["EVIDENCE"],
    "rejected": ["REJECTED"],
    "constraints": ["CONSTRAINT"],
    "open_questions": ["QUESTION"],
    "validity": [WINDOW],
    "negative_knowledge": [ITEM],
    "parent_capsule_id": "parent",
    "contact_cards": [{"name": "ADA", "role": "ROLE", "contact": "CONTACT"}],
    "expires_at": "2026-07-02T12:00:00Z",
}


def made_of(verdict: Verdict = Verdict.STALE, **fields: Any) -> tuple[Capsule, CapsuleReport]:
    known = {"capsule_id": "cap", "goal": "GOAL", "state": "STATE", "next_action": "NEXT"}
    capsule = parse_capsule({**known, **fields})
    conditions = tuple(
        ConditionReport(one.condition_id, one.kind, one.required, 1, verdict, None, "REASON", None, None, ())
        for one in capsule.validity
    )
    judged = [ConditionVerdict(one.condition_id, one.kind, True, one.verdict, "") for one in conditions]
    aggregate = Aggregate(verdict) if conditions else Aggregate.NOT_DECLARED
    report = capsule_report("cap", aggregate, *conditions, title=capsule.heading)
    return capsule, replace(report, negative_knowledge=judge_negative_knowledge(capsule, judged))


@both
@pytest.mark.parametrize("field", FIELDS)
def test_a_field_is_declared_if_and_only_if_it_has_a_place(compose: Composer, field: str) -> None:
    units = [{"unit_id": "u", "kind": field}]
    capsule, report = made_of(**FULL, critical=units)
    report = replace(report, continuity=Lineage([]).continuity(capsule))
    view = compose(capsule, report, contact_cards=True)
    pieces = [place for place in view._places if place is not None]
    assert (field in {name for name, _ in pieces}) is (field in DECLARED[view.consumer])
    carried = view.carried(view.document)
    assert set(carried) == ({place for place in pieces if place[0] == field})
    assert Extent.NONE not in carried.values()


def judged_of(compose: Composer, limit: int = 60_000, **fields: Any) -> list[str]:
    capsule, report = made_of(**fields)
    return [one.verdict.value for one in sent(compose(capsule, report), limit)[1]]


@both
@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        ("One line", "preserved"),
        ("Two\nlines", "preserved"),
        ("  laid\n\tout", "preserved"),
        ("two  blanks", "degraded"),
        ("a line\n  and " + "a very long one " * 9, "degraded"),
        ("val\u202eid", "degraded"),
        ("a\x1b[2Kb", "degraded"),
        ("word " * 2_000, "degraded"),
        ("@octocat #1 <b>*x*</b> `y`", "preserved"),
    ],
)
def test_a_text_is_whole_if_a_reader_sees_every_character(
    compose: Composer, state: str, verdict: str
) -> None:
    assert judged_of(compose, state=state, critical=[{"unit_id": "u", "kind": "state"}]) == [verdict]


@both
@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"title": "A title"}, "preserved"),
        ({"title": "A\ntitle"}, "degraded"),
        ({"title": "x" * 300}, "degraded"),
        ({"title": " "}, "unsupported"),
        ({"title": "\x1f"}, "unsupported"),
        ({"title": "\U000e0041"}, "unsupported"),
        ({}, "preserved"),
    ],
)
def test_a_title_counts_where_it_is_shown(compose: Composer, fields: dict[str, Any], verdict: str) -> None:
    assert judged_of(compose, **fields, critical=[{"unit_id": "u", "kind": "title"}]) == [verdict]


@both
def test_a_title_that_shows_nothing_is_the_id(compose: Composer) -> None:
    capsule, report = made_of(goal="\U000e0041", title=None)
    view = compose(capsule, report)
    assert view.title == "cap"
    assert "GOAL" not in render_plain(view.document)


@both
def test_what_a_finish_took_out_is_not_carried(compose: Composer) -> None:
    """What counts is what stands in the document that is sent, not what was put into it."""
    capsule, report = made_of(critical=[{"unit_id": "u", "kind": "state"}])
    view = compose(capsule, report)
    place = ("state", None)
    assert view.carried(view.document) == {place: Extent.WHOLE}
    assert view.carried(Document(())) == {place: Extent.NONE}
    less = tuple(part for part in view.document.parts if "STATE" not in str(part))
    assert view.carried(Document(less)) == {place: Extent.NONE}
    other = Part("the state", 3, (Paragraph((Text("another STATE"),)),))
    assert view.carried(Document((*less, other))) == {place: Extent.NONE}


@both
def test_a_text_of_the_same_words_elsewhere_does_not_count(compose: Composer) -> None:
    fields: dict[str, Any] = {"state": "SAME", "evidence": ["SAME"]}
    capsule, report = made_of(**fields, critical=[{"unit_id": "u", "kind": "evidence", "index": 0}])
    view = compose(capsule, report)
    left = tuple(part for part in view.document.parts if part.name != "evidence")
    assert view.carried(Document(left)) == {("evidence", 0): Extent.NONE}


# What goes, when not all fits.


def gone_in_order(compose: Composer, marks: dict[str, str], **fields: Any) -> list[str]:
    """In which order marked texts go, as the room gets smaller."""
    capsule, report = made_of(**fields)
    view = compose(capsule, report)
    gone: list[str] = []
    for limit in range(4_000, 600, -25):
        text = bare(sent(view, limit)[0])
        if not text:
            break
        lost = [name for name, mark in marks.items() if mark not in text and name not in gone]
        gone += sorted(lost, key=list(marks).index)
    return gone


def test_lists_go_from_their_end_then_what_is_critical_then_the_fields() -> None:
    order = [
        *("evidence 2", "evidence 0", "rejected", "validity", "negative_knowledge", "constraints"),
        *("evidence 1", "the table", "state", "next action", "goal"),
    ]
    texts = {
        "evidence": ["E0" + "x" * 99, "E1" + "x" * 99, "E2" + "x" * 99],
        "rejected": ["R0" + "x" * 99],
        "constraints": ["C0" + "x" * 99],
    }
    marks = {
        "evidence 2": "E2", "evidence 0": "E0", "rejected": "R0", "validity": "NOTE",
        "negative_knowledge": "HYPOTHESIS", "constraints": "C0", "evidence 1": "E1",
        "the table": "How it was checked", "state": "STATE", "next action": "NEXT", "goal": "GOAL",
    }  # fmt: skip
    gone = gone_in_order(
        compose_record, marks, **texts, validity=[WINDOW], negative_knowledge=[ITEM], title="A title",
        state="STATE" + "s" * 99, next_action="NEXT" + "n" * 99, goal="GOAL" + "g" * 99,
        critical=[{"unit_id": "u", "kind": "evidence", "index": 1}],
    )  # fmt: skip
    assert gone == order[: len(gone)]
    assert set(gone) >= set(order[:8])


def test_ranks_are_one_fixed_order() -> None:
    names = handoff._LAST_TO_GO
    ranks = [
        handoff.FRAME,
        *(rank_of(name) for name in handoff._ALWAYS),
        *(rank_of(name, critical=True) for name in names),
        *(rank_of(name) for name in names),
    ]
    assert ranks == sorted(set(ranks))


@both
def test_a_heading_below_which_nothing_is_left_goes_too(compose: Composer) -> None:
    capsule, report = made_of(evidence=["E" + "x" * 99] * 3, title="A title")
    view = compose(capsule, report)
    seen = set()
    for limit in range(3_000, 500, -20):
        markdown, _ = sent(view, limit)
        blocks = read_with_markdown_it(markdown).blocks
        if markdown:
            has_items = ["heading", 4, "Evidence"] in blocks
            assert has_items == ("Ex" in markdown)
            seen.add(has_items)
    assert seen == {True, False}


@both
@pytest.mark.parametrize("name", ["goal", "state", "title"])
def test_c107_what_was_left_out_since_it_hides_is_told(compose: Composer, name: str) -> None:
    field: dict[str, Any] = {name: "is \u202edilav\u202c \U000e0041"}
    capsule, report = made_of(**field)
    shown = render_plain(compose(capsule, report).document)
    assert "is dilav" in shown
    assert r"how the sender's text reads: \u202c, \u202e, \U000e0041." in shown
    many, report = made_of(state="x" + "".join(map(chr, range(0xE0020, 0xE0040))))
    assert " and 20 more." in render_plain(compose(many, report).document)
    plain, report = made_of(state="مرحبا עולם 👩\u200d💻 co\xadop")
    assert "invisible" not in render_plain(compose(plain, report).document)


@both
def test_parts_have_names_that_say_what_is_missing(compose: Composer) -> None:
    capsule, report = made_of(evidence=["E" * 200] * 30, title="A title")
    markdown, _ = sent(compose(capsule, report), 1_300)
    assert "Left out, to fit here: evidence" in markdown


@both
def test_neighbouring_items_of_one_list_are_lists_of_their_own(compose: Composer) -> None:
    capsule, report = made_of(evidence=["E1", "E2"], open_questions=["Q1", "Q2"])
    view = compose(capsule, report)

    def is_list(blocks: tuple[Block, ...]) -> bool:
        return len(blocks) == 1 and isinstance(blocks[0], Bullets) and len(blocks[0].items) == 1

    for part in view.document.parts:
        if part.name in ("evidence", "open questions"):
            assert is_list(part.blocks)


@both
def test_a_capsule_without_critical_units_says_nothing_of_fidelity(compose: Composer) -> None:
    capsule, report = made_of()
    view = compose(capsule, report)
    assert not any(part.name == CRITICAL for part in view.document.parts)
    assert "Fidelity" not in render_plain(view.document)
    assert view.carried(view.document) == {}


@both
def test_a_unit_of_an_unknown_kind_is_told_as_such(compose: Composer) -> None:
    units = [{"unit_id": "u", "kind": "mood" * 99}, {"unit_id": "v", "kind": "contact_cards"}]
    capsule, report = made_of(critical=units, contact_cards=[{"name": "Ada"}])
    markdown, verdicts = sent(compose(capsule, report), 60_000)
    assert [one.verdict.value for one in verdicts] == ["unsupported", "unsupported"]
    assert "mood" * 10 + "… (356 more characters)`: ✗ **unsupported**, not in this view" in markdown


def test_every_part_begins_with_a_block() -> None:
    for compose in COMPOSERS:
        capsule, report = made_of(**FULL)
        for part in compose(capsule, report, contact_cards=True).document.parts:
            assert part.blocks


def test_the_consumers_are_the_two_that_people_get() -> None:
    capsule, report = made_of()
    found = [compose(capsule, report).consumer for compose in COMPOSERS]
    assert found == [Consumer.RECORD, Consumer.DISCUSS]


def test_a_row_that_is_left_of_a_condition_is_a_part_of_it() -> None:
    capsule, report = made_of(validity=[WINDOW], critical=[{"unit_id": "u", "kind": "validity"}])
    view = compose_record(capsule, report)
    assert view.carried(view.document) == {("validity", 0): Extent.WHOLE}
    left = tuple(part for part in view.document.parts if part.name != "conditions")
    assert view.carried(Document(left)) == {("validity", 0): Extent.PART}
    left = tuple(part for part in left if not isinstance(part.blocks[0], Heading))
    assert view.carried(Document(left)) == {("validity", 0): Extent.NONE}
