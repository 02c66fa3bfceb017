from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ophiuchus.capsule.composition import SLUG_CHARACTERS, Ground, compose, file_bytes, new_id, with_anchors
from ophiuchus.capsule.draft import DraftRefused, read_draft
from ophiuchus.capsule.model import Capsule, CapsuleId
from ophiuchus.capsule.reading import read_capsule

NOW = datetime(2026, 7, 1, 12, 30, 45, tzinfo=UTC)
HEAD = "0123456789abcdef0123456789abcdef01234567"
OTHER = "f" * 40
GROUND = Ground(HEAD, "refs/heads/main", frozenset({"Earlier", "other"}), False, "ophiuchus", "1.2.3")
MINIMAL = {"goal": "Do it.", "state": "Half done.", "next_action": "The other half."}
PATHS = {"condition_id": "code", "kind": "git_paths", "paths": ["src/**"]}


def composed(*, ground: Ground = GROUND, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    return compose(read_draft("d.json", json.dumps({**MINIMAL, **fields}).encode()), ground, NOW, parent)


def refused(*, ground: Ground = GROUND, parent: str | None = None, **fields: Any) -> list[str]:
    with pytest.raises(DraftRefused) as caught:
        composed(ground=ground, parent=parent, **fields)
    return [problem.message for problem in caught.value.problems]


def test_what_a_draft_leaves_out_is_filled_in_the_models_order() -> None:
    document = composed(validity=[PATHS], extra="kept")
    assert document == {
        "schema_version": 1,
        "capsule_id": document["capsule_id"],
        "created_at": "2026-07-01T12:30:45Z",
        "producer": {"tool": "ophiuchus", "version": "1.2.3"},
        "grounding": {"commit": HEAD, "ref": "refs/heads/main"},
        **MINIMAL,
        "validity": [{**PATHS, "base_commit": HEAD}],
        "extra": "kept",
    }
    known = [key for key in document if key in Capsule.model_fields]
    assert known == [key for key in Capsule.model_fields if key in document]
    assert list(document)[-1] == "extra"


def test_what_a_draft_says_is_kept() -> None:
    own: dict[str, Any] = {
        "schema_version": 1,
        "capsule_id": "mine",
        "created_at": "2020-01-01T00:00:00+02:00",
        "producer": {"tool": "somebody"},
        "grounding": {"commit": OTHER, "repository": "somewhere"},
        "parent_capsule_id": "other",
        "validity": [{**PATHS, "base_commit": None}, {**PATHS, "condition_id": "b"}],
    }
    document = composed(**own)
    assert {key: document[key] for key in own if key != "validity"} == {
        key: value for key, value in own.items() if key != "validity"
    }
    assert [condition["base_commit"] for condition in document["validity"]] == [None, OTHER]


def test_a_grounding_without_a_commit_is_completed() -> None:
    assert composed(grounding={"repository": "r"})["grounding"] == {
        "commit": HEAD,
        "ref": "refs/heads/main",
        "repository": "r",
    }
    assert "ref" not in composed(ground=replace(GROUND, branch=None))["grounding"]
    unborn = replace(GROUND, head=None, branch=None)
    assert "grounding" not in composed(ground=unborn)


def test_empty_fields_of_a_template_count_as_left_out() -> None:
    document = composed(title=None, evidence=None, validity=None, created_at=None)
    assert {"title", "evidence", "validity"}.isdisjoint(document)
    assert document["created_at"] == "2026-07-01T12:30:45Z"


def test_with_the_index_no_commit_is_the_base() -> None:
    of_index = replace(GROUND, from_index=True)
    document = composed(
        ground=of_index, validity=[PATHS, {**PATHS, "condition_id": "b", "base_commit": None}]
    )
    assert [condition["base_commit"] for condition in document["validity"]] == [None, None]
    assert document["grounding"]["commit"] == HEAD
    (message,) = refused(ground=of_index, validity=[{**PATHS, "base_commit": OTHER}])
    assert "`validity[0].base_commit`" in message


def test_only_git_paths_conditions_get_a_base() -> None:
    window = {"condition_id": "w", "kind": "time_window", "not_after": "2027-01-01T00:00:00Z"}
    unknown = {"condition_id": "u", "kind": "moon_phase"}
    assert composed(validity=[window, unknown])["validity"] == [window, unknown]


def test_the_parent_comes_from_the_draft_or_the_command_line_not_from_both() -> None:
    assert composed(parent="other")["parent_capsule_id"] == "other"
    assert composed(parent="other", parent_capsule_id="other")["parent_capsule_id"] == "other"
    assert "--parent" in refused(parent="other", parent_capsule_id="Earlier")[0]
    assert "names no capsule" in refused(parent_capsule_id="gone")[0]


@pytest.mark.parametrize("own", ["earlier", "OTHER", "other"])
def test_an_id_in_use_is_refused_whatever_its_case(own: str) -> None:
    (message,) = refused(capsule_id=own)
    assert "is in use" in message


@pytest.mark.parametrize("own", ["CON", "con.txt", "nul", "Com1", "lpt9.a.b"])
def test_c127_an_id_whose_file_windows_cannot_hold_is_refused(own: str) -> None:
    (message,) = refused(capsule_id=own)
    assert "Windows" in message


@pytest.mark.parametrize("own", ["console", "con-1", "com10", "a.con"])
def test_an_id_that_only_looks_like_a_device_is_taken(own: str) -> None:
    assert composed(capsule_id=own)["capsule_id"] == own


def test_everything_that_is_wrong_is_told_at_once_with_its_line() -> None:
    text = "goal: ' '\nstate: x\nvalidity:\n  - kind: git_paths\n    paths: []\n  - 7\ncapsule_id: other\n"
    with pytest.raises(DraftRefused) as caught:
        compose(read_draft("d.yaml", text.encode()), GROUND, NOW)
    told = [(problem.line, problem.message) for problem in caught.value.problems]
    assert [line for line, _ in told] == sorted(line or 0 for line, _ in told)
    for line, word in [
        (1, "goal"),
        (1, "next_action"),
        (4, "condition_id"),
        (5, "paths"),
        (6, "validity[1]"),
    ]:
        assert any(at == line and word in message for at, message in told), (line, word, told)
    assert (7, "`capsule_id` is in use; leave it out, and a new one is made") in told


def test_more_faults_than_are_listed_are_counted() -> None:
    messages = refused(evidence=[1] * 50)
    assert "30 more faults" in " ".join(messages)


@pytest.mark.parametrize("wrong", ["x", 7, [1], [[]], {"a": 1}, True])
@pytest.mark.parametrize("field", ["validity", "grounding", "producer", "title", "critical", "capsule_id"])
def test_a_field_of_the_wrong_shape_is_a_problem_never_a_bug(field: str, wrong: Any) -> None:
    if (field, wrong) in [("title", "x"), ("capsule_id", "x")]:
        return
    if field in ("grounding", "producer") and wrong == {"a": 1}:
        return
    assert refused(**{field: wrong})


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=6) | st.just("git_paths"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "paths", "base_commit", "commit", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*Capsule.model_fields, "x"]), json_values, max_size=6), st.booleans())
def test_any_draft_becomes_a_capsule_that_is_read_back_or_is_refused(
    fields: dict[str, Any], from_index: bool
) -> None:
    try:
        document = composed(ground=replace(GROUND, from_index=from_index), **fields)
    except DraftRefused as error:
        told = [problem.message for problem in error.problems]
        assert all(told)
    else:
        assert read_capsule("x.json", file_bytes(document)).capsule is not None


# The id.


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Rotate the session keys", "rotate-the-session-keys"),
        ("  Größe: naïve café!  ", "groe-naive-cafe"),
        ("日本語", "hand-off"),
        ("a/../b\nsecond line", "a-b"),
        ("x" * 100, "x" * SLUG_CHARACTERS),
        ("word " * 30, "-".join(["word"] * 9)),
        ("...", "hand-off"),
    ],
)
def test_the_id_reads_as_day_and_title(title: str, slug: str) -> None:
    found = composed(title=title)["capsule_id"]
    assert found[:-5] == f"2026-07-01-{slug}"
    assert len(found.rpartition("-")[2]) == 4


def test_without_a_title_the_goal_gives_the_words() -> None:
    assert composed()["capsule_id"].startswith("2026-07-01-do-it-")
    assert composed(title=" ")["capsule_id"].startswith("2026-07-01-do-it-")


def test_the_day_is_that_of_created_at() -> None:
    assert composed(created_at="2020-02-29T23:59:59-11:00")["capsule_id"].startswith("2020-02-29-")


def test_the_same_draft_gets_the_same_id_and_another_commit_or_time_another_one() -> None:
    first = composed()["capsule_id"]
    assert composed()["capsule_id"] == first
    assert composed(ground=replace(GROUND, head=OTHER))["capsule_id"] != first
    assert composed(created_at="2026-07-01T12:30:46Z")["capsule_id"] != first


def test_an_id_in_use_gets_a_longer_digest() -> None:
    first = composed()["capsule_id"]
    second = composed(ground=replace(GROUND, ids=frozenset({first.upper()})))["capsule_id"]
    assert second.startswith(first)
    assert len(second) == len(first) + 1


@given(st.text(max_size=80), st.text(max_size=80))
def test_every_title_gives_an_id_that_the_format_allows(title: str, goal: str) -> None:
    TypeAdapter(CapsuleId).validate_python(new_id({"title": title, "goal": goal}, frozenset(), NOW))


# The file.


def test_anchors_replace_those_of_the_draft() -> None:
    document = composed(validity=[{**PATHS, "anchors": {"src/**": "mine"}}, {**PATHS, "condition_id": "b"}])
    anchored = with_anchors(document, {0: {"src/**": "sha256:aa"}, 1: {}})
    assert [condition.get("anchors") for condition in anchored["validity"]] == [{"src/**": "sha256:aa"}, None]
    assert with_anchors(composed(), {}) == composed()


def test_the_file_is_read_back_as_the_same_capsule() -> None:
    document = composed(title="Grüße, 世界", validity=[PATHS])
    data = file_bytes(document)
    assert data.endswith(b"}\n")
    assert "世界" in data.decode()
    reading = read_capsule("x.json", data)
    assert (reading.problems, reading.notices) == ((), ())
    assert reading.capsule is not None
    assert reading.capsule.title == "Grüße, 世界"
    assert json.loads(data) == document
