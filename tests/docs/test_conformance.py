"""The conformance matrix: closed levels, every gap named and true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import conformance
import pytest
from conformance import GAPS, MEANINGS, Column, Support, Track

from ophiuchus.assess.fidelity import (
    AGENTS,
    DECLARED,
    Consumer,
    Extent,
    FidelityVerdict,
    judge_fidelity,
)
from ophiuchus.assess.negative_knowledge import Standing
from ophiuchus.capsule.draft import DraftForm
from ophiuchus.capsule.model import parse_capsule
from ophiuchus.views.quotation import quote

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "conformance.md"
COLUMNS = [
    *conformance.producers(),
    *(
        Column(one, conformance.consumer_support(one), conformance.GAP_OF_CONSUMER.get(one))
        for one in Consumer
    ),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.title)
def test_every_cell_has_a_level_and_what_is_less_than_whole_a_gap(column: Column) -> None:
    assert set(column.support) == set(Track)
    for level in column.support.values():
        assert level in MEANINGS
        assert level is Support.WHOLE or column.gap in {gap.name for gap in GAPS}


def test_rows_are_the_four_tracks_and_columns_all_producers_and_consumers() -> None:
    page = PAGE.read_text("utf-8")
    for track in Track:
        assert len(re.findall(rf"^\| {track} \|", page, re.MULTILINE)) == 2
    for consumer in Consumer:
        assert f"`{consumer}`" in page
    assert len(COLUMNS) == 4 + len(Consumer)


def test_agents_get_every_track_whole() -> None:
    for consumer in AGENTS:
        assert set(conformance.consumer_support(consumer).values()) == {Support.WHOLE}


def test_every_gap_is_on_the_page_once_under_its_own_name() -> None:
    page = PAGE.read_text("utf-8")
    assert len({gap.name for gap in GAPS}) == len(GAPS)
    for gap in GAPS:
        assert page.count(f"- **{gap.name}**: {gap.words}") == 1


# Each gap is still one.


def test_contact_cards_are_shown_only_where_they_are_asked_for() -> None:
    published = {Consumer.RECORD, Consumer.DISCUSS}
    assert {one for one, fields in DECLARED.items() if "contact_cards" in fields} == published
    capsule = parse_capsule(
        {
            "capsule_id": "c", "goal": "g", "state": "s", "next_action": "n",
            "contact_cards": [{"name": "A"}],
            "critical": [{"unit_id": "u", "kind": "contact_cards"}],
        }
    )  # fmt: skip
    for compose in conformance.COMPOSERS.values():
        report = conformance._report(capsule).capsules[0]
        view, asked = compose(capsule, report), compose(capsule, report, contact_cards=True)
        assert set(view.carried(view.document).values()) == {Extent.NONE}
        assert set(asked.carried(asked.document).values()) == {Extent.WHOLE}


def test_a_record_has_every_track_whole_and_a_discussion_is_short() -> None:
    assert set(conformance.consumer_support(Consumer.RECORD).values()) == {Support.WHOLE}
    assert conformance.consumer_support(Consumer.DISCUSS) == {
        Track.FIDELITY: Support.WHOLE,
        Track.VALIDITY: Support.PART,
        Track.NEGATIVE_KNOWLEDGE: Support.PART,
        Track.CONTINUITY: Support.NONE,
    }


def test_a_condition_of_an_unknown_kind_is_degraded_at_best() -> None:
    condition: dict[str, Any] = {"condition_id": "v", "kind": "weather", "sky": "blue"}
    capsule = parse_capsule(
        {
            "capsule_id": "c", "goal": "g", "state": "s", "next_action": "n", "validity": [condition],
            "critical": [{"unit_id": "u", "kind": "validity", "ref": "v"}],
        }
    )  # fmt: skip
    extent = quote("sender validity[0]", capsule.validity[0]).extent
    assert extent is Extent.PART
    (verdict,) = judge_fidelity(capsule, Consumer.CODEX, {("validity", 0): extent})
    assert verdict.verdict is FidelityVerdict.DEGRADED


def test_no_standing_is_in_part() -> None:
    assert not any("part" in standing for standing in Standing)


def test_headings_alone_say_less_than_front_matter() -> None:
    assert set(conformance.producer_support(DraftForm.MARKDOWN).values()) == {Support.WHOLE}
    assert conformance.heading_support()[Track.FIDELITY] is Support.NONE
