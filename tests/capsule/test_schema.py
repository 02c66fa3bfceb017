"""The published JSON Schema says what reading accepts, as far as a schema can."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.capsule.fields import FieldsRefused, capsule_in
from ophiuchus.capsule.model import Capsule
from ophiuchus.capsule.schema import SCHEMA_ID, capsule_schema

PUBLISHED = Path(__file__).parents[2] / "docs" / "schema" / "capsule-v1.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(capsule_schema())

WRITTEN = {"schema_version": 1, "capsule_id": "cap-1", "goal": "g", "state": "s", "next_action": "n"}
PATHS = {"condition_id": "vc-1", "kind": "git_paths", "paths": ["src/**"]}
REJECTED = {"item_id": "nk-1", "hypothesis": "h", "why_invalid": "w"}


def test_the_published_schema_is_in_step() -> None:
    """Write it anew with `ophiuchus schema capsule > docs/schema/capsule-v1.schema.json`."""
    assert json.loads(PUBLISHED.read_text("utf-8")) == capsule_schema()


def test_it_is_a_schema_with_a_name_and_no_host() -> None:
    jsonschema.Draft202012Validator.check_schema(capsule_schema())
    assert capsule_schema()["$id"] == SCHEMA_ID == "urn:ophiuchus-action:capsule:v1"
    assert "://" not in json.dumps(capsule_schema()).replace(capsule_schema()["$schema"], "")


def test_every_part_and_field_has_a_title_and_a_description() -> None:
    def properties(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for part in (schema, *schema["$defs"].values()):
            yield part
            yield from part["properties"].values()

    for rules in properties(capsule_schema()):
        assert rules["description"]
        assert "\n" not in rules["description"]
        assert "title" in rules or "anyOf" in rules


def accepted(document: Any) -> bool:
    try:
        capsule_in(document)
    except FieldsRefused:
        return False
    return True


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"created_at": "2026-07-01T12:00:00Z", "expires_at": "2026-07-01t12:00:00.5+02:00"},
        {"producer": {"tool": "codex"}, "grounding": {"commit": "HEAD"}, "title": None, "x_team": 1},
        {"evidence": ["a"], "rejected": [], "critical": [{"unit_id": "u", "kind": "evidence", "index": 0}]},
        {"validity": [PATHS, {"condition_id": "v", "kind": "time_window", "not_after": "soon"}]},
        {"validity": [{"condition_id": "v", "kind": "weather", "sky": "blue", "required": False}]},
        {"validity": [{"condition_id": "v", "kind": "declared_scope", "scope": "auth"}]},
        {"validity": [{**PATHS, "base_commit": None, "anchors": {"src/**": "sha256:0"}, "note": "n"}]},
        {"negative_knowledge": [{**REJECTED, "state": "paused", "applies_while": ["vc-1"]}]},
        {"contact_cards": [{"name": "n", "phone": "1"}], "parent_capsule_id": "cap-0"},
    ],
    ids=ascii,
)
def test_what_reading_accepts_fits_the_schema(fields: dict[str, Any]) -> None:
    document = {**WRITTEN, **fields}
    assert accepted(document)
    VALIDATOR.validate(document)


@pytest.mark.parametrize(
    "fields",
    [
        {"schema_version": 2},
        {"schema_version": "1"},
        {"schema_version": True},
        {"capsule_id": "../x"},
        {"capsule_id": "a" * 129},
        {"goal": " \u200b\n"},
        {"state": None},
        {"next_action": 5},
        {"created_at": "yesterday"},
        {"expires_at": "2026-07-01T24:00:00Z"},
        {"parent_capsule_id": ["a"]},
        {"evidence": "text"},
        {"evidence": [1]},
        {"producer": {"version": "1"}},
        {"contact_cards": [{}]},
        {"validity": [{"condition_id": str(n), "kind": "weather"} for n in range(11)]},
        {"validity": [{**PATHS, "paths": []}]},
        {"validity": [{**PATHS, "paths": ["a"] * 51}]},
        {"validity": [{**PATHS, "paths": ["a\0"]}]},
        {"validity": [{**PATHS, "required": "yes"}]},
        {"validity": [{**PATHS, "condition_id": "a\x1bb"}]},
        {"validity": [{**PATHS, "condition_id": "a" * 129}]},
        {"validity": [{"condition_id": "a", "kind": "git_paths"}]},
        {"validity": [{"condition_id": "a", "kind": "time_window"}]},
        {"validity": [{"condition_id": "a", "kind": "declared_scope", "scope": " "}]},
        {"validity": [{"kind": "weather"}]},
        {"validity": [{"condition_id": "a"}]},
        {"critical": [{"unit_id": "u", "kind": "evidence", "index": -1}]},
        {"critical": [{"unit_id": str(n), "kind": "goal"} for n in range(11)]},
        {"negative_knowledge": [{"item_id": "a", "hypothesis": "h"}]},
        {"negative_knowledge": [{**REJECTED, "item_id": str(n)} for n in range(11)]},
    ],
    ids=lambda fields: ascii(fields)[:60],
)
def test_what_reading_refuses_does_not_fit_the_schema(fields: dict[str, Any]) -> None:
    document = {**WRITTEN, **fields}
    assert not accepted(document)
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize("field", ["capsule_id", "goal", "state", "next_action"])
def test_the_four_required_fields_are_required_by_both(field: str) -> None:
    document = {key: value for key, value in WRITTEN.items() if key != field}
    assert not accepted(document)
    assert not VALIDATOR.is_valid(document)
    VALIDATOR.validate({key: value for key, value in WRITTEN.items() if key != "schema_version"})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["", " ", "a", "git_paths", "weather"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["kind", "unit_id", "x"]), inner)
    ),
    max_leaves=6,
)
CONDITION = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ["condition_id", "kind", "paths", "not_after", "scope", "anchors", "required"], VALUES
    ),
)


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(Capsule.model_fields, VALUES)
        | {"validity": st.lists(CONDITION | VALUES, max_size=2)},
    )
)
def test_no_document_that_reading_accepts_is_refused_by_the_schema(fields: dict[str, Any]) -> None:
    document = {**WRITTEN, **fields}
    if accepted(document):
        VALIDATOR.validate(document)
