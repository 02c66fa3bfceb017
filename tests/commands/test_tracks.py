"""The tracks of a hand-off beside validity, end to end: what `check` reports of every capsule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_run import AHEAD, PASSED, SCOPE, CommandRun, capsule, deadline
from git_repository import Repository

from ophiuchus.report.serial import report_schema


def ruled_out(name: str, *conditions: str, **more: Any) -> dict[str, Any]:
    known = {"item_id": name, "hypothesis": "h", "why_invalid": "w", "applies_while": list(conditions)}
    return {**known, **more}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "repository")


def check(repository: Repository, capsules: dict[str, str], *words: str) -> CommandRun:
    """The JSON report on these capsules, checked against its schema."""
    repository.commit({f".ophiuchus/{name}.json": text for name, text in capsules.items()})
    run = CommandRun(repository.top, "check", "--format", "json", *words)
    assert run.err == ""
    jsonschema.validate(run.json, report_schema(), jsonschema.Draft202012Validator)
    return run


def by_id(run: CommandRun) -> dict[str, Any]:
    return {one["capsule_id"]: one for one in run.json["capsules"]}


def test_every_item_gets_its_standing_and_one_of_them_fires_a_notice(repository: Repository) -> None:
    """C073."""
    items = [
        ruled_out("gone", "vc-gone"),
        ruled_out("both", "vc-2", "vc-1"),
        ruled_out("superseded", "vc-1", state="superseded"),
        ruled_out("paused", "vc-1", state="paused"),
        ruled_out("none"),
        ruled_out("still", "vc-3"),
    ]
    text = capsule("cap", deadline(PASSED), SCOPE, deadline(AHEAD), negative_knowledge=items)
    run = check(repository, {"cap": text})
    told = by_id(run)["cap"]["negative_knowledge"]
    assert [(one["item_id"], one["standing"]) for one in told] == [
        ("gone", "applicability_unknown"),
        ("both", "revalidation_required"),
        ("superseded", "retired"),
        ("paused", "applicability_unknown"),
        ("none", "applicability_unknown"),
        ("still", "still_applicable"),
    ]
    assert [one["state"] for one in told[2:4]] == ["superseded", "paused"]
    assert [one["code"] for one in run.json["notices"]] == ["revalidation_required"]
    assert "“both” was ruled out while “vc-1” held" in run.json["notices"][0]["message"]
    assert run.json["totals"]["revalidation_required"] == 1


def test_what_is_to_be_revalidated_can_fail_a_check(repository: Repository) -> None:
    optional = {**deadline(PASSED), "required": False}
    text = capsule("cap", deadline(AHEAD), optional, negative_knowledge=[ruled_out("nk", "vc-2")])
    run = check(repository, {"cap": text}, "--fail-on", "revalidation_required")
    assert run.status == 1
    assert run.json["gate"]["reasons"] == [
        {
            "rule": "revalidation_required",
            "path": ".ophiuchus/cap.json",
            "capsule_id": "cap",
            "repository": None,
            "line": None,
        }
    ]
    assert by_id(run)["cap"]["validity"]["aggregate"] == "valid"
    assert by_id(run)["cap"]["needs_action"] is False
    assert CommandRun(repository.top, "check", "--fail-on", "stale").status == 0


def test_a_capsule_that_is_continued_fires_nothing(repository: Repository) -> None:
    old = capsule("old", deadline(PASSED), negative_knowledge=[ruled_out("nk", "vc-1")])
    new = capsule("new", deadline(AHEAD), parent_capsule_id="old")
    run = check(repository, {"old": old, "new": new}, "--fail-on", "revalidation_required")
    assert run.status == 0
    assert run.json["notices"] == []
    assert by_id(run)["old"]["negative_knowledge"][0]["standing"] == "revalidation_required"


def test_continuity_is_told_of_every_capsule(repository: Repository) -> None:
    """C094, by the case's own files besides."""
    plain = {f"p{n}": capsule(f"p{n}", parent_capsule_id=f"p{n + 1}") for n in range(1, 16)}
    run = check(
        repository,
        {
            "a": capsule("a", parent_capsule_id="b"),
            "b": capsule("b", parent_capsule_id="a"),
            "c": capsule("c", parent_capsule_id="c"),
            "old": capsule("old", deadline(AHEAD), evidence=["x", "y"]),
            "new": capsule("new", deadline(AHEAD), SCOPE, parent_capsule_id="OLD", evidence=["y", "z"]),
            **plain,
        },
    )
    told = {name: one["continuity"] for name, one in by_id(run).items()}
    statuses = {name: (one["status"], one["hops"]) for name, one in told.items()}
    assert statuses == {
        "a": ("cycle", 1), "b": ("cycle", 1), "c": ("cycle", 0), "old": ("none", 0), "new": ("compared", 1),
        **{f"p{n}": ("bounded", 10) for n in range(1, 5)},
        **{f"p{n}": ("gone", 15 - n) for n in range(5, 16)},
    }  # fmt: skip
    assert told["old"] == {"status": "none", "parent_capsule_id": None, "hops": 0, "delta": None}
    assert told["new"]["parent_capsule_id"] == "OLD"
    assert told["new"]["delta"]["validity"] == {"inherited": ["vc-1"], "added": ["vc-2"], "dropped": []}
    assert told["new"]["delta"]["evidence"] == {"carried_over": 1, "added": 1, "absent_here": 1}
    assert run.status == 0


def test_an_id_that_two_files_have_is_nobodys_parent(repository: Repository) -> None:
    """C094."""
    run = check(
        repository,
        {"one": capsule("twin"), "two": capsule("Twin"), "child": capsule("child", parent_capsule_id="twin")},
    )
    assert run.status == 2
    assert by_id(run)["child"]["continuity"]["status"] == "gone"


def test_each_track_has_its_limit_sentence(repository: Repository) -> None:
    run = check(repository, {"cap": capsule("cap")})
    assert set(run.json["limits"]) == {"validity", "fidelity", "negative_knowledge", "continuity"}


def test_fidelity_to_the_summary_is_told_of_every_capsule_with_critical_units(repository: Repository) -> None:
    units = [
        {"unit_id": "u-title", "kind": "title"},
        {"unit_id": "u-state", "kind": "state"},
        {"unit_id": "u-odd", "kind": "moods"},
    ]
    text = capsule("cap", deadline(PASSED), title="A title of its own", critical=units)
    run = check(repository, {"cap": text, "plain": capsule("plain")})
    (told,) = by_id(run)["cap"]["fidelity"]
    assert (told["consumer"], told["preserved"]) == ("summary", 1)
    assert [(one["unit_id"], one["verdict"]) for one in told["units"]] == [
        ("u-state", "unsupported"),
        ("u-odd", "unsupported"),
    ]
    assert by_id(run)["plain"]["fidelity"] == []
    out = CommandRun(repository.top, "check").out
    assert "Fidelity: of 3 critical units this view carries 1 whole and 0 in part." in out


def test_a_parent_outside_of_the_judged_commits_capsules_is_gone(repository: Repository) -> None:
    """Neither the work tree, nor an older commit, nor another folder is looked into."""
    repository.commit({".ophiuchus/before.json": capsule("before")})
    repository.commit({".ophiuchus/before.json": None, "docs/elsewhere.json": capsule("elsewhere")})
    names = ("before", "elsewhere", "untracked")
    capsules = {f"child-of-{name}": capsule(f"child-of-{name}", parent_capsule_id=name) for name in names}
    repository.commit({f".ophiuchus/{name}.json": text for name, text in capsules.items()})
    repository.write(".ophiuchus/untracked.json", capsule("untracked"))
    run = CommandRun(repository.top, "check", "--format", "json")
    assert {one["continuity"]["status"] for one in by_id(run).values()} == {"gone"}
