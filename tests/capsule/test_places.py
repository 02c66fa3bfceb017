"""What a critical unit points at, and the sender's texts there."""

from __future__ import annotations

from typing import Any

import pytest

from ophiuchus.capsule.model import CriticalUnit, parse_capsule
from ophiuchus.capsule.places import FIELDS, Place, places_at, places_of, texts_at

DOCUMENT: dict[str, Any] = {
    "schema_version": 1,
    "capsule_id": "cap",
    "producer": {"tool": "T", "version": "2"},
    "grounding": {"commit": "c0", "ref": "main"},
    "goal": "G",
    "state": "S",
    "next_action": "N",
    "evidence": ["e0", "e1"],
    "validity": [
        {
            "condition_id": "v0", "kind": "git_paths", "paths": ["a/**", "b"], "base_commit": "c1",
            "anchors": {"a/**": "sha256:00"}, "note": "n0", "surprise": "hidden",
        },
        {"condition_id": "v1", "kind": "time_window", "not_after": "2026-01-01T00:00:00Z"},
        {"condition_id": "v2", "kind": "declared_scope", "scope": "the auth module"},
        {"condition_id": "v3", "kind": "weather", "sky": ["blue", {"wind": "none"}, 7]},
    ],
    "negative_knowledge": [
        {"item_id": "k0", "hypothesis": "h0", "why_invalid": "w0", "applies_while": ["v0", "v1"]},
        {"item_id": "k1", "hypothesis": "h1", "why_invalid": "w1", "retry_if": "r", "provenance_ref": "p"},
    ],
    "contact_cards": [{"name": "Ada", "role": "lead"}],
}  # fmt: skip
CAPSULE = parse_capsule(DOCUMENT)


@pytest.mark.parametrize(
    ("pointer", "places"),
    [
        ({"kind": "goal"}, [("goal", None)]),
        ({"kind": "title"}, [("title", None)]),
        ({"kind": "grounding"}, [("grounding", None)]),
        ({"kind": "evidence"}, [("evidence", 0), ("evidence", 1)]),
        ({"kind": "evidence", "index": 1}, [("evidence", 1)]),
        ({"kind": "rejected"}, []),
        ({"kind": "validity", "ref": "v2"}, [("validity", 2)]),
        ({"kind": "validity", "index": 0, "ref": "v2"}, [("validity", 0)]),
        ({"kind": "validity"}, [("validity", n) for n in range(4)]),
        ({"kind": "negative_knowledge", "ref": "k1"}, [("negative_knowledge", 1)]),
        ({"kind": "goal", "ref": "v2"}, [("goal", None)]),
        ({"kind": "evidence", "ref": "k1"}, [("evidence", 0), ("evidence", 1)]),
    ],
)
def test_a_unit_points_at_places(pointer: dict[str, Any], places: list[Place]) -> None:
    unit = CriticalUnit.model_validate({"unit_id": "u", **pointer})
    assert list(places_of(CAPSULE, unit)) == places


@pytest.mark.parametrize(
    ("place", "texts"),
    [
        (("goal", None), ["G"]),
        (("title", None), []),
        (("schema_version", None), []),
        (("producer", None), ["T", "2"]),
        (("grounding", None), ["c0", "main"]),
        (("evidence", 1), ["e1"]),
        (("evidence", None), ["e0", "e1"]),
        (("validity", 0), ["v0", "n0", "git_paths", "a/**", "b", "c1"]),
        (("validity", 1), ["v1", "time_window", "2026-01-01T00:00:00Z"]),
        (("validity", 2), ["v2", "declared_scope", "the auth module"]),
        (("validity", 3), ["v3", "weather", "blue", "none"]),
        (("negative_knowledge", 0), ["k0", "h0", "w0", "rejected", "v0", "v1"]),
        (("negative_knowledge", 1), ["k1", "h1", "w1", "rejected", "r", "p"]),
        (("contact_cards", 0), ["Ada", "lead"]),
    ],
)
def test_the_texts_at_a_place_are_the_senders(place: Place, texts: list[str]) -> None:
    assert list(texts_at(CAPSULE, place)) == texts


def test_every_field_has_places() -> None:
    for field in FIELDS:
        for place in places_at(CAPSULE, field):
            texts_at(CAPSULE, place)
