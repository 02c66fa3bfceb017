"""Fidelity: every combination of kind, consumer and what the composer carried."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from ophiuchus.assess.fidelity import (
    AGENTS,
    DECLARED,
    FIDELITY_LIMIT,
    Carriage,
    Consumer,
    Extent,
    FidelityVerdict,
    UnitVerdict,
    judge_fidelity,
)
from ophiuchus.capsule.model import parse_capsule
from ophiuchus.capsule.places import FIELDS, places_at

FULL: dict[str, Any] = {
    "schema_version": 1,
    "capsule_id": "cap",
    "created_at": "2026-07-01T12:00:00Z",
    "producer": {"tool": "t"},
    "grounding": {"commit": "c"},
    "title": "t",
    "goal": "g",
    "state": "s",
    "next_action": "n",
    "evidence": ["a", "b"],
    "rejected": ["a", "b"],
    "constraints": ["a", "b"],
    "open_questions": ["a", "b"],
    "validity": [{"condition_id": name, "kind": "declared_scope", "scope": "x"} for name in "ab"],
    "negative_knowledge": [{"item_id": name, "hypothesis": "h", "why_invalid": "w"} for name in "ab"],
    "parent_capsule_id": "parent",
    "contact_cards": [{"name": "a"}, {"name": "b"}],
    "expires_at": "2026-07-02T12:00:00Z",
}
LISTS = [field for field, value in FULL.items() if isinstance(value, list)]


def judged(unit: dict[str, Any], consumer: Consumer | None, carried: Carriage, **fields: Any) -> UnitVerdict:
    capsule = parse_capsule({**FULL, **fields, "critical": [{"unit_id": "u", **unit}]})
    (verdict,) = judge_fidelity(capsule, consumer, carried)
    return verdict


@pytest.mark.parametrize("kind", [*FIELDS, "moods", ""])
@pytest.mark.parametrize("extent", [None, *Extent])
def test_without_a_consumer_nothing_is_known(kind: str, extent: Extent | None) -> None:
    carried: Carriage = {} if extent is None else {(kind, None): extent, (kind, 0): extent}
    assert judged({"kind": kind}, None, carried).verdict is FidelityVerdict.UNKNOWN


@pytest.mark.parametrize("consumer", Consumer)
@pytest.mark.parametrize("kind", ["moods", "", "Goal", "unit_id"])
def test_a_kind_that_is_not_known_is_unsupported(consumer: Consumer, kind: str) -> None:
    """C074."""
    everything = dict.fromkeys(((kind, None), (kind, 0)), Extent.WHOLE)
    verdict = judged({"kind": kind, "index": 0}, consumer, everything)
    assert verdict.verdict is FidelityVerdict.UNSUPPORTED
    assert "not known" in verdict.reason


def of_one(extent: Extent | None) -> str:
    return {Extent.WHOLE: "preserved", Extent.PART: "degraded"}.get(extent or Extent.NONE, "unsupported")


@pytest.mark.parametrize("consumer", Consumer)
@pytest.mark.parametrize(
    "field", [field for field in FULL if field not in LISTS and field != "schema_version"]
)
@pytest.mark.parametrize("extent", [None, *Extent])
def test_a_field_reads_as_it_was_carried_if_the_consumer_declares_it(
    consumer: Consumer, field: str, extent: Extent | None
) -> None:
    carried: Carriage = {} if extent is None else {(field, None): extent}
    verdict = judged({"kind": field}, consumer, carried)
    declared = field in DECLARED[consumer]
    assert verdict.verdict == (of_one(extent) if declared else "unsupported")
    assert ("has no place" in verdict.reason) is not declared


@pytest.mark.parametrize("consumer", Consumer)
@pytest.mark.parametrize("field", LISTS)
@pytest.mark.parametrize("extent", [None, *Extent])
def test_an_item_reads_as_it_was_carried_whatever_became_of_its_neighbours(
    consumer: Consumer, field: str, extent: Extent | None
) -> None:
    for neighbour in Extent:
        carried: Carriage = {(field, 0): neighbour, **({} if extent is None else {(field, 1): extent})}
        expected = of_one(extent) if field in DECLARED[consumer] else "unsupported"
        assert judged({"kind": field, "index": 1}, consumer, carried).verdict == expected


def of_all(extents: Sequence[Extent | None]) -> str:
    if all(extent is Extent.WHOLE for extent in extents):
        return "preserved"
    return "unsupported" if all(extent in (None, Extent.NONE) for extent in extents) else "degraded"


@pytest.mark.parametrize("field", [field for field in LISTS if field != "contact_cards"])
@pytest.mark.parametrize("extents", list(product([None, *Extent], repeat=2)), ids=str)
def test_a_whole_list_is_as_whole_as_all_its_items(
    field: str, extents: tuple[Extent | None, Extent | None]
) -> None:
    carried: Carriage = {(field, index): extent for index, extent in enumerate(extents) if extent is not None}
    assert judged({"kind": field}, Consumer.CODEX, carried).verdict == of_all(extents)


@pytest.mark.parametrize("consumer", [*AGENTS, Consumer.RECORD, Consumer.DISCUSS])
@pytest.mark.parametrize(
    ("kind", "fields"), [("title", {"title": None}), ("evidence", {"evidence": []})], ids=["title", "list"]
)
def test_where_nothing_is_written_nothing_can_be_lost(
    consumer: Consumer, kind: str, fields: dict[str, Any]
) -> None:
    verdict = judged({"kind": kind}, consumer, {}, **fields)
    assert verdict.verdict is FidelityVerdict.PRESERVED
    assert verdict.reason == "nothing is written there"


def test_a_ref_picks_one_item() -> None:
    carried: Carriage = {("validity", 1): Extent.WHOLE}
    assert judged({"kind": "validity", "ref": "b"}, Consumer.CODEX, carried).verdict == "preserved"
    assert judged({"kind": "validity", "ref": "a"}, Consumer.CODEX, carried).verdict == "unsupported"
    assert judged({"kind": "validity"}, Consumer.CODEX, carried).verdict == "degraded"


def test_units_are_judged_in_order() -> None:
    units = [{"unit_id": "u2", "kind": "goal"}, {"unit_id": "u1", "kind": "state"}]
    capsule = parse_capsule({**FULL, "critical": units})
    verdicts = judge_fidelity(capsule, Consumer.CODEX, {("state", None): Extent.WHOLE})
    assert [(one.unit_id, one.kind, one.verdict.value) for one in verdicts] == [
        ("u2", "goal", "unsupported"),
        ("u1", "state", "preserved"),
    ]


def test_consumers_declare_fields_that_there_are_and_personal_data_only_to_be_published() -> None:
    capsule = parse_capsule(FULL)
    assert set(DECLARED) == set(Consumer)
    for consumer, fields in DECLARED.items():
        assert fields <= set(FIELDS)
        assert ("contact_cards" in fields) is (consumer in (Consumer.RECORD, Consumer.DISCUSS))
        if consumer in AGENTS:
            assert {"goal", "state", "next_action", "validity", "negative_knowledge"} <= fields
        for field in fields:
            places_at(capsule, field)


def test_a_kind_in_a_reason_is_quoted_harmlessly() -> None:
    assert "\n" not in judged({"kind": "x\n::error::"}, Consumer.CODEX, {}).reason


def test_the_limit_says_that_it_is_no_evidence_of_understanding() -> None:
    for word in ("read", "understood", "remembered", "followed"):
        assert word in FIDELITY_LIMIT
