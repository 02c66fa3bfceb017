"""What is wrong with a document's fields: every fault, in our own words."""

from __future__ import annotations

from typing import Any

import pytest

from ophiuchus.capsule.fields import MOST_FAULTS, FieldsRefused, capsule_in, field_name, unknown_keys
from ophiuchus.capsule.model import GitPaths, UnknownCondition

WRITTEN = {"schema_version": 1, "capsule_id": "cap-1", "goal": "g", "state": "s", "next_action": "n"}
PATHS = {"condition_id": "vc-1", "kind": "git_paths", "paths": ["src/**"]}
WINDOW = {"condition_id": "vc-2", "kind": "time_window", "not_after": "soon"}
REJECTED = {"item_id": "nk-1", "hypothesis": "h", "why_invalid": "w"}


def faults(**fields: Any) -> list[tuple[tuple[str | int, ...], str]]:
    with pytest.raises(FieldsRefused) as caught:
        capsule_in({**WRITTEN, **fields})
    return [(fault.pointer, fault.message) for fault in caught.value.faults]


def test_the_smallest_capsule_is_read() -> None:
    capsule = capsule_in({key: value for key, value in WRITTEN.items() if key != "schema_version"})
    assert (capsule.capsule_id, capsule.schema_version, capsule.evidence, capsule.heading) == (
        "cap-1",
        1,
        (),
        "g",
    )


@pytest.mark.parametrize(
    ("fields", "heading"),
    [
        ({"title": " T "}, "T"),
        ({"title": " \u200b", "goal": "\u200b\n  first line \nsecond"}, "first line"),
        ({"goal": "\x1c"}, "cap-1"),
    ],
)
def test_the_heading_is_the_first_thing_that_shows(fields: dict[str, str], heading: str) -> None:
    assert capsule_in({**WRITTEN, **fields}).heading == heading


def test_an_explicit_null_base_is_not_replaced_by_the_grounding() -> None:
    condition = {**PATHS, "anchors": {"src/**": "sha256:0"}}
    grounding = {"commit": "HEAD"}
    for given, base in (({}, "HEAD"), ({"base_commit": None}, None), ({"base_commit": "x"}, "x")):
        capsule = capsule_in({**WRITTEN, "grounding": grounding, "validity": [{**condition, **given}]})
        paths = capsule.validity[0]
        assert isinstance(paths, GitPaths)
        assert capsule.base_of(paths) == base


@pytest.mark.parametrize(
    ("fields", "pointer", "words"),
    [
        (
            {"schema_version": True},
            ("schema_version",),
            "`schema_version` must be the whole number 1, not true",
        ),
        ({"schema_version": 1.0}, ("schema_version",), "1, not 1.0"),
        ({"schema_version": "1"}, ("schema_version",), '1, not "1"'),
        ({"schema_version": 0}, ("schema_version",), "1, not 0"),
        ({"schema_version": None}, ("schema_version",), "1, not null"),
        ({"capsule_id": "../x"}, ("capsule_id",), "`capsule_id` must be an id of up to 128 letters"),
        ({"capsule_id": "a" * 129}, ("capsule_id",), "128"),
        ({"capsule_id": "a\n"}, ("capsule_id",), r'not "a\n"'),
        ({"capsule_id": 5}, ("capsule_id",), "`capsule_id` must be text, not a number"),
        ({"parent_capsule_id": ""}, ("parent_capsule_id",), 'not ""'),
        ({"parent_capsule_id": ["cap-0"]}, ("parent_capsule_id",), "must be text, not a list"),
        ({"goal": " \n"}, ("goal",), "`goal` must be a text that is not blank"),
        ({"goal": "\u200b\u2060\ufeff"}, ("goal",), "not blank"),
        ({"goal": "\u3164\u115f\u1160\uffa0\u2800\u17b4\ufff9"}, ("goal",), "not blank"),
        ({"goal": "\u3164"}, ("goal",), r'not "\u3164"'),
        ({"goal": "\u2800"}, ("goal",), r'not "\u2800"'),
        ({"goal": None}, ("goal",), "must be text, not null"),
        ({"evidence": "text"}, ("evidence",), "`evidence` must be a list, not text"),
        ({"evidence": None}, ("evidence",), "must be a list, not null"),
        ({"evidence": ["a", {}]}, ("evidence", 1), "`evidence[1]` must be text, not an object"),
        ({"created_at": "2026-07-01"}, ("created_at",), "is not an RFC 3339 date and time with an offset"),
        ({"expires_at": "2026-07-01T24:00:00Z"}, ("expires_at",), '"2026-07-01T24:00:00Z"'),
        ({"expires_at": "9999-12-31T23:59:59-23:59"}, ("expires_at",), "no moment of the years 1 to 9999"),
        ({"producer": {"tool": ""}}, ("producer", "tool"), "`producer.tool` must be a text"),
        ({"producer": "codex"}, ("producer",), "must be an object, not text"),
        ({"grounding": {"commit": 5}}, ("grounding", "commit"), "must be text, not a number"),
        ({"contact_cards": [{"name": "n", "role": 1}]}, ("contact_cards", 0, "role"), "must be text"),
        ({"validity": [5]}, ("validity", 0), "`validity[0]` must be an object, not a number"),
        (
            {"validity": [{**PATHS, "condition_id": str(n)} for n in range(11)]},
            ("validity",),
            "`validity` has 11 items; at most 10 are allowed",
        ),
        (
            {"critical": [{"unit_id": str(n), "kind": "goal"} for n in range(11)]},
            ("critical",),
            "has 11 items",
        ),
        (
            {"negative_knowledge": [{**REJECTED, "item_id": str(n)} for n in range(11)]},
            ("negative_knowledge",),
            "has 11 items",
        ),
        ({"validity": [{**PATHS, "paths": []}]}, ("validity", 0, "paths"), "has no items; name at least one"),
        (
            {"validity": [{**PATHS, "paths": ["a"] * 51}]},
            ("validity", 0, "paths"),
            "has 51 items; at most 50",
        ),
        ({"validity": [{**PATHS, "paths": ["a\0b"]}]}, ("validity", 0, "paths", 0), "without NUL characters"),
        (
            {"validity": [{**PATHS, "anchors": {"a b": 1}}]},
            ("validity", 0, "anchors", "a b"),
            '`validity[0].anchors["a b"]` must be text',
        ),
        (
            {"validity": [{**PATHS, "anchors": []}]},
            ("validity", 0, "anchors"),
            "must be an object, not a list",
        ),
        (
            {"validity": [{**PATHS, "required": "yes"}]},
            ("validity", 0, "required"),
            "must be true or false, not text",
        ),
        (
            {"validity": [{**PATHS, "condition_id": "a\0"}]},
            ("validity", 0, "condition_id"),
            "without control characters",
        ),
        (
            {"validity": [{**PATHS, "condition_id": "a" * 129}]},
            ("validity", 0, "condition_id"),
            "has 129 characters; at most 128",
        ),
        ({"validity": [{**PATHS, "kind": 5}]}, ("validity", 0, "kind"), "must be text, not a number"),
        ({"validity": [{**WINDOW, "not_after": 5}]}, ("validity", 0, "not_after"), "must be text"),
        (
            {"validity": [{"condition_id": "a", "kind": "declared_scope", "scope": ""}]},
            ("validity", 0, "scope"),
            "not blank",
        ),
        (
            {"critical": [{"unit_id": "u", "kind": "goal", "index": -1}]},
            ("critical", 0, "index"),
            "must be 0 or more, not -1",
        ),
        (
            {"critical": [{"unit_id": "u", "kind": "goal", "index": True}]},
            ("critical", 0, "index"),
            "must be a whole number, not true",
        ),
        (
            {"negative_knowledge": [{**REJECTED, "applies_while": [1]}]},
            ("negative_knowledge", 0, "applies_while", 0),
            "must be text",
        ),
    ],
    ids=lambda value: ascii(value)[:60],
)
def test_a_bad_field_is_one_fault_at_its_place(
    fields: dict[str, Any], pointer: tuple[str | int, ...], words: str
) -> None:
    """C074, C095, C127."""
    found = faults(**fields)
    assert [pointer for pointer, _ in found] == [pointer]
    assert words in found[0][1]


@pytest.mark.parametrize(
    ("fields", "pointer", "message"),
    [
        (
            {"validity": [{"condition_id": "a", "kind": "git_paths"}]},
            ("validity", 0),
            "`validity[0].paths` is missing; add it",
        ),
        (
            {"validity": [{"condition_id": "a", "kind": "time_window"}]},
            ("validity", 0),
            "`validity[0].not_after` is missing; add it",
        ),
        (
            {"validity": [{"condition_id": "a", "kind": "declared_scope"}]},
            ("validity", 0),
            "`validity[0].scope` is missing; add it",
        ),
        ({"validity": [{"condition_id": "a"}]}, ("validity", 0), "`validity[0].kind` is missing; add it"),
        (
            {"validity": [{"conditon_id": "a", "kind": "weather"}]},
            ("validity", 0),
            '`validity[0].condition_id` is missing; is "conditon_id" meant to be it?',
        ),
        (
            {"validity": [{**PATHS, "kind": "time_window", "not_aftr": "x"}]},
            ("validity", 0),
            '`validity[0].not_after` is missing; is "not_aftr" meant to be it?',
        ),
        ({"producer": {"Tool": "x"}}, ("producer",), '`producer.tool` is missing; is "Tool" meant to be it?'),
        (
            {"negative_knowledge": [{"item_id": "a", "hypothesis": "h"}]},
            ("negative_knowledge", 0),
            "`negative_knowledge[0].why_invalid` is missing; add it",
        ),
    ],
    ids=lambda value: ascii(value)[:60],
)
def test_a_missing_key_is_a_fault_of_the_object_around_it(
    fields: dict[str, Any], pointer: tuple[str | int, ...], message: str
) -> None:
    assert faults(**fields) == [(pointer, message)]


def test_a_missing_field_of_the_capsule_names_the_key_that_looks_like_it() -> None:
    with pytest.raises(FieldsRefused) as caught:
        capsule_in({"capsule_id": "c", "goals": "g", "state": "s"})
    assert [(fault.pointer, fault.message) for fault in caught.value.faults] == [
        ((), '`goal` is missing; is "goals" meant to be it?'),
        ((), "`next_action` is missing; add it"),
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"validity": [PATHS, WINDOW, PATHS]},
            [
                (
                    ("validity", 2, "condition_id"),
                    '`validity[2].condition_id` is "vc-1", as in validity[0]; give each its own',
                )
            ],
        ),
        (
            {"negative_knowledge": [REJECTED, REJECTED]},
            [
                (
                    ("negative_knowledge", 1, "item_id"),
                    '`negative_knowledge[1].item_id` is "nk-1", as in negative_knowledge[0]; give each its own',  # noqa: E501 - one sentence
                )
            ],
        ),
        (
            {"critical": [{"unit_id": "u", "kind": "goal"}] * 2},
            [
                (
                    ("critical", 1, "unit_id"),
                    '`critical[1].unit_id` is "u", as in critical[0]; give each its own',
                )
            ],
        ),
    ],
    ids=["condition", "item", "unit"],
)
def test_an_id_given_twice_is_a_fault(fields: dict[str, Any], expected: list[Any]) -> None:
    assert faults(**fields) == expected


def unit(**fields: Any) -> dict[str, Any]:
    return {"unit_id": "u", **fields}


@pytest.mark.parametrize(
    ("pointing", "key", "words"),
    [
        (
            unit(kind="evidence", index=2),
            "index",
            "points nowhere: item 2 of `evidence`, but item 1 is the last (they count from 0)",
        ),
        (
            unit(kind="rejected", index=0),
            "index",
            "points nowhere: item 0 of `rejected`, but it has no items",
        ),
        (unit(kind="goal", index=0), "index", "points into `goal`, which is no list; leave it out"),
        (
            unit(kind="validity", ref="nk-1"),
            "ref",
            'points nowhere: `validity` has no "nk-1"; name an id that is there',
        ),
        (
            unit(kind="negative_knowledge", ref="vc-1"),
            "ref",
            'points nowhere: `negative_knowledge` has no "vc-1"',
        ),
        (
            unit(kind="evidence", ref="gone"),
            "ref",
            'points nowhere: `validity` or `negative_knowledge` has no "gone"',
        ),
    ],
    ids=ascii,
)
def test_a_critical_pointer_that_points_nowhere_is_a_fault(
    pointing: dict[str, Any], key: str, words: str
) -> None:
    found = faults(critical=[pointing], evidence=["a", "b"], validity=[PATHS], negative_knowledge=[REJECTED])
    assert [pointer for pointer, _ in found] == [("critical", 0, key)]
    assert words in found[0][1]


@pytest.mark.parametrize(
    "pointing",
    [
        unit(kind="goal"),
        unit(kind="evidence", index=1),
        unit(kind="rejected"),
        unit(kind="validity", index=0),
        unit(kind="validity", ref="vc-1"),
        unit(kind="negative_knowledge", ref="nk-1"),
        unit(kind="evidence", index=None, ref=None),
        unit(kind="moods", index=7, ref="gone"),
    ],
    ids=ascii,
)
def test_a_critical_pointer_that_points_somewhere_or_is_of_unknown_kind_is_read(
    pointing: dict[str, Any],
) -> None:
    """C074: an unknown pointer kind is `unsupported`, a later verdict."""
    document = {**WRITTEN, "evidence": ["a", "b"], "validity": [PATHS], "negative_knowledge": [REJECTED]}
    assert capsule_in({**document, "critical": [pointing]}).critical[0].kind == pointing["kind"]


def test_faults_between_fields_are_told_beside_those_of_single_fields() -> None:
    found = faults(goal=5, validity=[PATHS, PATHS], critical=[5, unit(kind="evidence", index=3)])
    assert [pointer for pointer, _ in found] == [
        ("goal",),
        ("critical", 0),
        ("validity", 1, "condition_id"),
        ("critical", 1, "index"),
    ]


def test_a_list_of_bad_items_does_not_count_as_empty_too() -> None:
    assert len(faults(validity=[{**PATHS, "paths": [1, 2]}])) == 2


@pytest.mark.parametrize(
    "fields",
    [{"evidence": list(range(50))}, {"validity": [PATHS] * 9, "critical": [unit(kind="goal", index=1)] * 10}],
)
def test_faults_are_bounded(fields: dict[str, Any]) -> None:
    with pytest.raises(FieldsRefused) as caught:
        capsule_in({**WRITTEN, **fields})
    assert len(caught.value.faults) <= MOST_FAULTS
    assert len(caught.value.faults) + caught.value.more == (50 if "evidence" in fields else 8 + 9 + 10)


def test_unknown_keys_at_every_level_are_named_with_the_nearest_known_one() -> None:
    """C074."""
    document = {
        **WRITTEN,
        "x_team": "q",
        "goals": 1,
        "producer": {"tool": "t", "verson": 1},
        "grounding": {"comit": "x"},
        "critical": [unit(kind="goal", wy="x")],
        "validity": [
            {**PATHS, "base_comit": None},
            {**WINDOW, "notafter": 1},
            {"condition_id": "a", "kind": "declared_scope", "scope": "s", "scop": 1},
            {"condition_id": "b", "kind": "weather", "sky": "blue", "requird": False},
        ],
        "negative_knowledge": [{**REJECTED, "applys_while": []}],
        "contact_cards": [{"name": "n", "phone": "1"}],
    }
    assert isinstance(capsule_in(document).validity[3], UnknownCondition)
    assert [(key.pointer, key.nearest) for key in unknown_keys(document)] == [
        (("x_team",), None),
        (("goals",), "goal"),
        (("producer", "verson"), "version"),
        (("grounding", "comit"), "commit"),
        (("critical", 0, "wy"), "why"),
        (("negative_knowledge", 0, "applys_while"), "applies_while"),
        (("contact_cards", 0, "phone"), None),
        (("validity", 0, "base_comit"), "base_commit"),
        (("validity", 1, "notafter"), "not_after"),
        (("validity", 2, "scop"), "scope"),
    ]


def test_names_are_bounded() -> None:
    assert field_name(("validity", 0, "anchors", "src/**")) == 'validity[0].anchors["src/**"]'
    assert field_name(("k" * 999,)) == f'["{"k" * 39}…"]'
