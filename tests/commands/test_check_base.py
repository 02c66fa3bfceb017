"""`ophiuchus check --base`, and in a pull request's workflow: what this change did, end to end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_run import AHEAD, PASSED, CommandRun, capsule, deadline, paths
from git_repository import Files, Repository

from ophiuchus.report.serial import report_schema

Verdicts = dict[str, Any]


def place(name: str) -> str:
    return f".ophiuchus/{name}.json"


class PullRequest:
    """A repository with `main` and a branch; GitHub's try of the merge, and the event about it."""

    def __init__(self, top: Path) -> None:
        self.repository = Repository.create(top)
        self.first = self.on_main({"src/a.py": "1\n", "src/b.py": "1\n", "doc/c.md": "1\n"})

    def on_main(self, files: Files) -> str:
        return self.repository.commit(files)

    def branch(self) -> None:
        self.repository.git("checkout", "-q", "-b", "feature")

    def back_to_main(self) -> None:
        self.repository.git("checkout", "-q", "main")

    def merge(self) -> tuple[str, str, str]:
        """Main's tip, the branch's tip, and their merge, which is then checked out, detached."""
        git = self.repository.git
        git("checkout", "-q", "--detach", "main")
        git("merge", "-q", "--no-ff", "-m", "Merge x into y", "feature")
        base, head = (git("rev-parse", name) for name in ("main", "feature"))
        git("update-ref", "refs/pull/7/merge", "HEAD")
        return base, head, self.repository.head()


def event(folder: Path, base: str, head: str, merge: str) -> dict[str, str]:
    """The environment of a run that a pull request started."""
    file = folder / "event.json"
    pull = {"number": 7, "head": {"sha": head}, "base": {"sha": base}, "locked": False}
    file.write_text(json.dumps({"number": 7, "pull_request": pull}))
    return {
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_SHA": merge,
    }


def report(top: Path, *words: str, env: Mapping[str, str] = {}, status: int = 0) -> dict[str, Any]:
    """A run's JSON report, checked against its schema."""
    run = CommandRun(top, "check", "--format", "json", *words, env=env)
    assert run.err == ""
    assert run.status == status
    jsonschema.validate(run.json, report_schema(), jsonschema.Draft202012Validator)
    return run.json


def told(found: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Of each capsule its aggregate at the base and now, and what this change did."""
    return {
        one["capsule_id"]: (
            one["before"],
            one["validity"]["aggregate"],
            {name for name in ("introduced", "new", "redeclared") if one[name]},
        )
        for one in found["capsules"]
    }


@pytest.fixture
def pull(tmp_path: Path) -> PullRequest:
    return PullRequest(tmp_path / "repository")


def test_only_what_this_pull_request_made_stale_is_introduced(pull: PullRequest, tmp_path: Path) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.on_main({place("b"): capsule("b", paths("src/b.py", base=pull.first))})
    pull.on_main({place("c"): capsule("c", paths("doc/**", base=pull.first))})
    pull.on_main({"src/b.py": "2\n"})
    pull.branch()
    pull.repository.commit({"src/a.py": "2\n"})
    base, head, merge = pull.merge()
    found = report(pull.repository.top, env=event(tmp_path, base, head, merge))
    assert found["evaluated"]["base"] == base
    assert told(found) == {
        "a": ("valid", "stale", {"introduced"}),
        "b": ("stale", "stale", set()),
        "c": ("valid", "valid", set()),
    }
    assert found["removed"] == []
    assert [one["code"] for one in found["notices"]] == []


def test_what_main_did_meanwhile_is_no_part_of_this_change(pull: PullRequest, tmp_path: Path) -> None:
    """C010: the merge holds main's change too; it is stale, and it was so before."""
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.branch()
    pull.repository.commit({"doc/c.md": "2\n"})
    old_base = pull.repository.git("rev-parse", "main")
    pull.back_to_main()
    pull.on_main({"src/a.py": "2\n"})
    base, head, merge = pull.merge()
    # The event was sent before main moved on: the merge's first parent knows better.
    found = report(pull.repository.top, env=event(tmp_path, old_base, head, merge))
    assert found["evaluated"]["base"] == base
    assert told(found) == {"a": ("stale", "stale", set())}


def test_what_the_change_takes_back_is_introduced_by_nobody(pull: PullRequest, tmp_path: Path) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first)), "src/a.py": "2\n"})
    pull.branch()
    pull.repository.commit({"src/a.py": "1\n"})
    pull.repository.commit({"src/b.py": "2\n"})
    pull.repository.commit({"src/b.py": "1\n"})
    found = report(pull.repository.top, env=event(tmp_path, *pull.merge()))
    assert told(found) == {"a": ("stale", "valid", set())}


def test_one_more_changed_glob_is_introduced_though_the_aggregate_stays(pull: PullRequest) -> None:
    """From partially stale to stale, and from one changed glob of three to two."""
    pull.on_main(
        {
            place("two"): capsule("two", paths("src/a.py", "src/b.py", base=pull.first)),
            place("three"): capsule("three", paths("src/a.py", "src/b.py", "doc/**", base=pull.first)),
            place("older"): capsule("older", paths("src/a.py", "doc/**", base=pull.first)),
        }
    )
    base = pull.on_main({"src/a.py": "2\n"})
    pull.on_main({"src/b.py": "2\n", "src/a.py": "3\n"})
    found = report(pull.repository.top, "--base", base)
    assert told(found) == {
        "two": ("partially_stale", "stale", {"introduced"}),
        "three": ("partially_stale", "partially_stale", {"introduced"}),
        "older": ("partially_stale", "partially_stale", set()),
    }


def test_only_required_conditions_are_attributed(pull: PullRequest) -> None:
    optional = paths("src/b.py", base=pull.first, required=False)
    base = pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first), optional)})
    pull.on_main({"src/b.py": "2\n"})
    found = report(pull.repository.top, "--base", base)
    assert told(found) == {"a": ("valid", "valid", set())}
    conditions = found["capsules"][0]["validity"]["conditions"]
    assert [(one["verdict"], one["introduced"]) for one in conditions] == [("valid", False), ("stale", None)]


def test_a_submodule_whose_pointer_moved_touches_the_globs_below_it(pull: PullRequest) -> None:
    git = pull.repository.git
    pointers = [pull.first, pull.repository.commit({"src/b.py": "x\n"})]
    ids = []
    for pointer in pointers:
        git("update-index", "--add", "--cacheinfo", f"160000,{pointer},lib")
        ids.append(pull.repository.commit_index())
    declared = capsule("a", paths("lib/inside/**", base=ids[0]))
    git("checkout", "-q", "--detach", ids[0])
    base = pull.repository.commit_index()
    pull.repository.write(place("a"), declared)
    git("add", place("a"))
    base = pull.repository.commit_index()
    git("update-index", "--add", "--cacheinfo", f"160000,{pointers[1]},lib")
    pull.repository.commit_index()
    found = report(pull.repository.top, "--base", base)
    assert told(found) == {"a": ("valid", "stale", {"introduced"})}


# Capsules that are new, moved, edited, removed, continued.


def test_a_new_capsule_is_new_and_never_introduced(pull: PullRequest, tmp_path: Path) -> None:
    """The other branch moved on: it is stale as soon as it is added."""
    pull.branch()
    pull.repository.commit({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.back_to_main()
    pull.on_main({"src/a.py": "2\n"})
    found = report(pull.repository.top, "--fail-on", "introduced", env=event(tmp_path, *pull.merge()))
    assert told(found) == {"a": (None, "stale", {"new"})}
    assert found["gate"]["passed"]


@pytest.mark.parametrize("name", ["A", "moved/a"])
def test_a_moved_file_and_an_id_in_another_case_are_not_new(pull: PullRequest, name: str) -> None:
    base = pull.on_main({place("a"): capsule("Cap-A", paths("src/a.py", base=pull.first))})
    pull.on_main(
        {
            place("a"): None,
            place(name): capsule("cap-a", paths("src/a.py", base=pull.first)),
            "src/a.py": "2\n",
        }
    )
    found = report(pull.repository.top, "--base", base)
    assert told(found) == {"cap-a": ("valid", "stale", {"introduced"})}
    assert found["removed"] == []


EDITS: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "the state": ({"state": "s"}, {"state": "t"}, False),
    "a note": ({"validity": [{"note": "x"}]}, {"validity": [{"note": "y"}]}, False),
    "the title": ({}, {"title": "t"}, False),
    "a parent that is not there": ({}, {"parent_capsule_id": "gone"}, False),
    "the TTL": ({"expires_at": AHEAD}, {"expires_at": "2031-01-01T00:00:00Z"}, True),
    "the TTL taken away": ({"expires_at": AHEAD}, {}, True),
    "a condition is not required": ({}, {"validity": [{"required": False}]}, True),
    "a condition's id": ({}, {"validity": [{"condition_id": "other"}]}, True),
    "other globs": ({}, {"validity": [{"paths": ["src/b.py"]}]}, True),
    "another anchor": ({}, {"validity": [{"anchors": {"src/a.py": "sha256:" + "0" * 64}}]}, True),
    "no condition any more": ({}, {"validity": []}, True),
}


@pytest.mark.parametrize("edit", EDITS)
def test_editing_the_promise_declares_it_anew(pull: PullRequest, edit: str) -> None:
    before, after, redeclared = EDITS[edit]

    def spelled(fields: dict[str, Any]) -> str:
        ours = [paths("src/a.py", base=pull.first, **one) for one in fields.get("validity", [{}])]
        ours = [{**one, **given} for one, given in zip(ours, fields.get("validity", [{}]), strict=True)]
        document = json.loads(capsule("a", *ours, **{k: v for k, v in fields.items() if k != "validity"}))
        return json.dumps(document)

    base = pull.on_main({place("a"): spelled(before)})
    pull.on_main({place("a"): spelled(after)})
    found = report(pull.repository.top, "--base", base)
    assert [one["redeclared"] for one in found["capsules"]] == [redeclared]
    assert [one["new"] for one in found["capsules"]] == [False]
    gated = report(pull.repository.top, "--base", base, "--fail-on", "redeclared", status=int(redeclared))
    assert [reason["rule"] for reason in gated["gate"]["reasons"]] == ["redeclared"] * redeclared


def test_another_grounding_is_another_base_for_the_conditions_that_use_it(pull: PullRequest) -> None:
    other = pull.on_main({"doc/c.md": "2\n"})
    bound = {"kind": "git_paths", "paths": ["src/**"]}
    base = pull.on_main({place("a"): capsule("a", bound, grounding={"commit": pull.first})})
    pull.on_main({place("a"): capsule("a", bound, grounding={"commit": other})})
    assert told(report(pull.repository.top, "--base", base)) == {"a": ("valid", "valid", {"redeclared"})}


def test_an_edited_deadline_of_a_stale_capsule_leads_as_declared_anew(pull: PullRequest) -> None:
    base = pull.on_main({place("a"): capsule("a", deadline(PASSED))})
    pull.on_main({place("a"): capsule("a", deadline(AHEAD))})
    found = report(pull.repository.top, "--base", base, "--fail-on", "redeclared", status=1)
    assert told(found) == {"a": ("valid", "valid", {"redeclared"})}


def test_a_removed_capsule_is_told_with_what_it_was_worth(pull: PullRequest) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    base = pull.on_main({place("b"): capsule("b", paths("src/b.py", base=pull.first)), "src/a.py": "2\n"})
    pull.on_main(
        {
            place("a"): None,
            place("b"): json.dumps({"schema_version": 2, "capsule_id": "b"}),
            "src/b.py": "2\n",
        }
    )
    found = report(pull.repository.top, "--base", base, "--fail-on", "redeclared", status=1)
    assert found["removed"] == [
        {"path": place("a"), "capsule_id": "a", "before": "stale", "continued": False, "repository": None},
        {"path": place("b"), "capsule_id": "b", "before": "valid", "continued": False, "repository": None},
    ]
    assert [(one["rule"], one["path"]) for one in found["gate"]["reasons"]] == [
        ("redeclared", place("a")),
        ("redeclared", place("b")),
    ]


def test_a_capsule_that_cannot_be_read_any_more_is_a_problem_and_not_removed(pull: PullRequest) -> None:
    base = pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.on_main({place("a"): "{"})
    found = report(pull.repository.top, "--base", base, status=2)
    assert found["removed"] == []
    assert [one["path"] for one in found["problems"]] == [place("a")]


def test_removing_what_a_newer_one_continued_already_declares_nothing_anew(pull: PullRequest) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    moved = pull.on_main({"src/a.py": "2\n"})
    base = pull.on_main({place("b"): capsule("b", paths("src/a.py", base=moved), parent_capsule_id="A")})
    pull.on_main({place("a"): None})
    words = ("--base", base, "--fail-on", "redeclared")
    found = report(pull.repository.top, *words)
    assert found["removed"] == [
        {"path": place("a"), "capsule_id": "a", "before": "stale", "continued": True, "repository": None}
    ]
    assert report(pull.repository.top, *words, "--scope", "all", status=1)["removed"][0]["continued"] is False


CONTINUATIONS = {
    "stale already": ({"src/a.py": "2\n"}, {}, True),
    "stale by this change": ({}, {"src/a.py": "2\n"}, True),
    "valid": ({}, {}, False),
}


@pytest.mark.parametrize("kind", ["new", "edited", "in place of it"])
@pytest.mark.parametrize("case", CONTINUATIONS)
def test_continuing_a_capsule_that_was_not_valid_declares_it_anew(
    pull: PullRequest, case: str, kind: str
) -> None:
    """Its own gate is silent from now on, so the newer one leads."""
    earlier, this_change, redeclared = CONTINUATIONS[case]
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    child = paths("doc/**", base=pull.first)
    base = pull.on_main({**earlier, **({place("b"): capsule("b", child)} if kind == "edited" else {})})
    gone = {place("a"): None} if kind == "in place of it" else {}
    pull.on_main({**this_change, place("b"): capsule("b", child, parent_capsule_id="A"), **gone})
    found = report(pull.repository.top, "--base", base)
    (child_report,) = (one for one in found["capsules"] if one["capsule_id"] == "b")
    expected = redeclared if kind != "in place of it" else bool(earlier)
    assert child_report["redeclared"] is expected
    assert child_report["new"] is (kind != "edited")


def test_a_child_that_promises_nothing_continues_nothing(pull: PullRequest) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    base = pull.on_main({"src/a.py": "2\n"})
    pull.on_main({place("b"): capsule("b", parent_capsule_id="a")})
    assert told(report(pull.repository.top, "--base", base))["b"] == (None, "not_declared", {"new"})


def test_a_chain_that_is_new_as_a_whole_silences_nothing(pull: PullRequest) -> None:
    moved = pull.on_main({"src/a.py": "2\n"})
    pull.on_main(
        {
            place("a"): capsule("a", paths("src/a.py", base=pull.first)),
            place("b"): capsule("b", paths("src/a.py", base=moved), parent_capsule_id="a"),
        }
    )
    found = told(report(pull.repository.top, "--base", moved))
    assert found == {"a": (None, "stale", {"new"}), "b": (None, "valid", {"new"})}


# Files that cannot be read.


def test_an_unreadable_file_that_this_change_did_not_touch_is_a_notice(pull: PullRequest) -> None:
    twin = capsule("twin", paths("src/a.py", base=pull.first))
    base = pull.on_main({place("bad"): "{\n oops", place("one"): twin, place("two"): twin})
    assert report(pull.repository.top, status=2)["problems"]
    pull.on_main({"doc/c.md": "2\n"})
    found = report(pull.repository.top, "--base", base)
    assert found["problems"] == []
    about = [(one["path"], one["code"]) for one in found["notices"]]
    assert about == [(place(name), "unreadable_before") for name in ("bad", "one", "two")]
    assert f"{place('bad')}:2:2: " in found["notices"][0]["message"]


def test_a_file_that_this_change_touched_stays_a_problem(pull: PullRequest) -> None:
    base = pull.on_main({place("bad"): "{\n oops", place("one"): capsule("twin")})
    pull.on_main({place("bad"): "{\n\n oops", place("two"): capsule("twin")})
    found = report(pull.repository.top, "--base", base, status=2)
    # The older twin was alone before this change.
    assert sorted(one["path"] for one in found["problems"]) == [place(x) for x in ("bad", "one", "two")]


def test_a_missing_object_is_no_fault_of_a_file(pull: PullRequest) -> None:
    base = pull.on_main({place("a"): capsule("a")})
    pull.on_main({"doc/c.md": "2\n"})
    pull.repository.remove_object(pull.repository.git("rev-parse", f"HEAD:{place('a')}"))
    found = report(pull.repository.top, "--base", base, status=2)
    assert [one["code"] for one in found["problems"]] == ["unreadable"]


# Which base.


def test_without_a_base_nothing_is_attributed(pull: PullRequest) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    found = report(pull.repository.top)
    assert found["evaluated"]["base"] is None
    (one,) = found["capsules"]
    assert [one[name] for name in ("before", "introduced", "new", "redeclared")] == [None] * 4
    assert found["notices"] == []


@pytest.mark.parametrize("depth", [1, 2])
def test_a_depth_1_clone_knows_the_base_by_name_only(pull: PullRequest, tmp_path: Path, depth: int) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.branch()
    pull.repository.commit({"doc/c.md": "2\n"})
    base, head, merge = pull.merge()
    clone = Repository.create(tmp_path / "clone")
    clone.git("fetch", "-q", f"--depth={depth}", pull.repository.top.as_uri(), "refs/pull/7/merge")
    clone.git("checkout", "-q", "--detach", "FETCH_HEAD")
    status = 1 if depth == 1 else 0
    options = ("--fail-on", "introduced,redeclared")
    found = report(clone.top, *options, env=event(tmp_path, base, head, merge), status=status)
    codes = [one["code"] for one in found["notices"]]
    if depth == 1:
        assert codes == ["base_unknown"]
        assert "fetch-depth: 2" in found["notices"][0]["message"]
        assert base in found["notices"][0]["message"]
        assert found["evaluated"]["base"] is None
        assert found["capsules"][0]["introduced"] is None
        # What was to be checked and was not does not pass.
        assert [one["rule"] for one in found["gate"]["reasons"]] == ["introduced", "redeclared"]
    else:
        assert codes == []
        assert found["evaluated"]["base"] == base
        assert found["capsules"][0]["introduced"] is False


def test_a_base_that_cannot_be_fetched_is_told_with_both_ways_out(pull: PullRequest, tmp_path: Path) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.branch()
    pull.repository.commit({"doc/c.md": "2\n"})
    env = event(tmp_path, *pull.merge())
    clone = Repository.create(tmp_path / "clone")
    clone.git("fetch", "-q", "--depth=1", pull.repository.top.as_uri(), "refs/pull/7/merge")
    clone.git("checkout", "-q", "--detach", "FETCH_HEAD")
    nowhere = {"GITHUB_SERVER_URL": "http://127.0.0.1:1", "GITHUB_REPOSITORY": "octo/shop"}
    found = report(clone.top, "--fetch-missing", env={**env, **nowhere})
    (message,) = (one["message"] for one in found["notices"] if one["code"] == "base_unknown")
    assert "it is not in this clone, and fetching failed: the server could not be reached" in message
    assert message.endswith("check out with `fetch-depth: 2`")


def test_a_pull_request_checked_out_by_its_head_is_compared_with_the_events_base(
    pull: PullRequest, tmp_path: Path
) -> None:
    """Also where the head is a merge itself: its first parent is the branch, not the base."""
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.branch()
    pull.repository.commit({"src/a.py": "2\n"})
    pull.back_to_main()
    pull.on_main({"doc/c.md": "2\n"})
    pull.repository.git("checkout", "-q", "feature")
    pull.repository.git("merge", "-q", "--no-edit", "main")
    base, head, merge = pull.merge()
    pull.repository.git("checkout", "-q", "--detach", head)
    found = report(pull.repository.top, env=event(tmp_path, base, head, merge))
    assert found["evaluated"]["base"] == base
    assert told(found) == {"a": ("valid", "stale", {"introduced"})}


@pytest.mark.parametrize("history", ["whole", "cut off"])
def test_what_the_base_branch_did_meanwhile_is_not_laid_at_a_checked_out_heads_door(
    pull: PullRequest, tmp_path: Path, history: str
) -> None:
    """The head alone is judged: that it lacks main's newer commits is no edit and no removal."""
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first)), "src/a.py": "2\n"})
    left = pull.repository.git("rev-parse", "main")
    pull.branch()
    head = pull.repository.commit({"doc/c.md": "2\n"})
    pull.back_to_main()
    pull.on_main({place("b"): capsule("b", paths("src/b.py", base=pull.first))})
    base = pull.on_main({place("a"): capsule("a", paths("src/a.py", base=left))})
    top = pull.repository.top
    if history == "whole":
        pull.repository.git("checkout", "-q", "--detach", head)
    else:
        clone = Repository.create(tmp_path / "clone")
        clone.git("fetch", "-q", "--depth=1", top.as_uri(), "feature", "main")
        clone.git("checkout", "-q", "--detach", head)
        top = clone.top
    words = ("--fail-on", "introduced,redeclared")
    env = event(tmp_path, base, head, "f" * 40)
    if history == "cut off":  # nobody can tell where the two parted: the event's base is all there is
        assert report(top, *words, env=env, status=1)["evaluated"]["base"] == base
        return
    found = report(top, *words, env=env)
    assert found["evaluated"]["base"] == left
    assert told(found) == {"a": ("stale", "stale", set())}
    assert found["removed"] == []
    (notice,) = found["notices"]
    assert notice["code"] == "not_an_ancestor"
    assert left in notice["message"]
    assert base in notice["message"]


def test_the_settings_are_read_where_the_base_branch_is_not_where_a_head_left_it(
    pull: PullRequest, tmp_path: Path
) -> None:
    """Else a branch from before a gate was switched on would pass it."""
    pull.branch()
    head = pull.repository.commit({"doc/c.md": "2\n"})
    pull.back_to_main()
    base = pull.on_main({".ophiuchus/config.toml": "[ledgers]\ncross_model_review = 1\n"})
    pull.repository.git("checkout", "-q", "--detach", head)
    found = report(pull.repository.top, env=event(tmp_path, base, head, "f" * 40))
    assert found["evaluated"]["base"] == pull.first
    assert found["ledgers"]["critic"] is not None


def test_a_given_base_that_moved_on_is_compared_as_it_is_and_the_other_one_is_named(
    pull: PullRequest,
) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    left = pull.repository.git("rev-parse", "main")
    pull.branch()
    pull.repository.commit({"doc/c.md": "2\n"})
    pull.back_to_main()
    base = pull.on_main({"src/b.py": "2\n"})
    pull.repository.git("checkout", "-q", "feature")
    found = report(pull.repository.top, "--base", "main")
    assert found["evaluated"]["base"] == base
    (notice,) = found["notices"]
    assert notice["code"] == "not_an_ancestor"
    assert left in notice["message"]
    assert report(pull.repository.top, "--base", left)["notices"] == []


@pytest.mark.parametrize("rule", ["introduced", "redeclared", "stale,introduced"])
def test_a_gate_about_this_change_does_not_pass_where_nothing_is_compared(
    pull: PullRequest, tmp_path: Path, rule: str
) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    words = ("--fail-on", rule)
    found = report(pull.repository.top, *words, status=1)
    (notice,) = found["notices"]
    assert notice["code"] == "base_unknown"
    assert "--base" in notice["message"]
    # A pull request whose event does not tell its base; a push compares nothing, and that is normal.
    no_event_file = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/7/head"}
    assert report(pull.repository.top, *words, env=no_event_file, status=1)["notices"] == [notice]
    assert report(pull.repository.top, *words, env={"GITHUB_EVENT_NAME": "push"})["notices"] == []
    no_event = {"GITHUB_ACTIONS": "true"}
    assert report(pull.repository.top, *words, env=no_event, status=1)["notices"] == [notice]
    assert report(pull.repository.top, "--fail-on", "any")["notices"] == []


def test_another_commit_than_the_checked_out_one_has_no_base_of_the_events(
    pull: PullRequest, tmp_path: Path
) -> None:
    pull.branch()
    pull.repository.commit({"doc/c.md": "2\n"})
    env = event(tmp_path, *pull.merge())
    assert report(pull.repository.top, "--tree", "main", env=env)["evaluated"]["base"] is None
    assert report(pull.repository.top, "--tree", "index", env=env)["evaluated"]["base"] is None


def test_the_index_can_be_compared_too(pull: PullRequest) -> None:
    base = pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.repository.write("src/a.py", "2\n")
    pull.repository.git("add", "-A")
    found = report(pull.repository.top, "--tree", "index", "--base", "HEAD")
    assert found["evaluated"]["base"] == base
    assert told(found) == {"a": ("valid", "stale", {"introduced"})}


@pytest.mark.parametrize("base", ["no-such-branch", "--output=x", "0123abc", ""])
def test_a_base_that_names_nothing_is_bad_input(pull: PullRequest, base: str) -> None:
    run = CommandRun(pull.repository.top, "check", f"--base={base}")
    assert run.status == 2
    assert "does not name a commit" in run.err
    assert not (pull.repository.top / "x").exists()


def test_a_base_that_is_no_commit_is_told(pull: PullRequest) -> None:
    found = report(pull.repository.top, "--base", pull.repository.tree())
    assert found["notices"][-1]["code"] == "base_unknown"
    assert "it is the id of a tree" in found["notices"][-1]["message"]


def test_an_unreadable_tree_between_the_two_is_told(pull: PullRequest) -> None:
    pull.on_main({place("a"): capsule("a", paths("doc/**", base=None))})
    base = pull.on_main({"src/deep/x": "1\n"})
    pull.on_main({"src/deep/x": "2\n"})
    pull.repository.remove_object(pull.repository.git("rev-parse", f"{base}:src/deep"))
    found = report(pull.repository.top, "--base", base)
    assert [one["code"] for one in found["notices"]] == ["base_unknown"]
    assert found["capsules"][0]["introduced"] is None


def test_a_capsule_whose_content_at_the_base_is_missing_is_neither_new_nor_removed(pull: PullRequest) -> None:
    """As in a clone without blobs: what was there cannot be told."""
    base = pull.on_main({place("a"): capsule("a"), place("b"): capsule("b")})
    blob = pull.repository.git("rev-parse", f"{base}:{place('a')}")
    pull.on_main({place("a"): capsule("a", title="t"), place("b"): None})
    pull.repository.remove_object(blob)
    found = report(pull.repository.top, "--base", base)
    assert [one["code"] for one in found["notices"]] == ["base_unknown"]
    assert "missing in this clone" in found["notices"][0]["message"]
    assert (found["capsules"][0]["new"], found["removed"]) == (None, [])


def test_the_gate_names_what_was_introduced_and_nothing_older(pull: PullRequest) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.on_main({place("b"): capsule("b", paths("src/b.py", base=pull.first))})
    base = pull.on_main({"src/a.py": "2\n"})
    words = ("--base", base, "--fail-on", "introduced")
    assert report(pull.repository.top, *words)["gate"]["passed"]
    pull.on_main({"src/b.py": "2\n"})
    found = report(pull.repository.top, *words, status=1)
    assert found["gate"]["reasons"] == [
        {"rule": "introduced", "path": place("b"), "capsule_id": "b", "repository": None, "line": None}
    ]


# The commits behind it.


def changed_by(found: dict[str, Any], name: str) -> list[str]:
    """The subjects of the commits that are named for a capsule's first condition."""
    (one,) = (one for one in found["capsules"] if one["capsule_id"] == name)
    return [commit["subject"] for commit in one["validity"]["conditions"][0]["changed_by"]]


def test_a_stale_condition_names_the_commits_that_changed_it(pull: PullRequest) -> None:
    """At most three, the newest first; a valid one, and one that only time made stale, name none."""
    for name, condition in {
        "a": paths("src/**", base=pull.first),
        "b": paths("doc/**", base=pull.first),
        "c": deadline(PASSED),
    }.items():
        pull.on_main({place(name): capsule(name, condition)})
    ids = [pull.repository.commit({"src/a.py": f"{number}\n"}, f"Step {number}") for number in range(2, 7)]
    found = report(pull.repository.top)
    assert changed_by(found, "a") == ["Step 6", "Step 5", "Step 4"]
    assert [changed_by(found, name) for name in "bc"] == [[], []]
    (one,) = (one for one in found["capsules"] if one["capsule_id"] == "a")
    named = one["validity"]["conditions"][0]["changed_by"]
    assert [commit["commit"] for commit in named] == ids[:1:-1]
    since = {one["capsule_id"]: one["stale_since"] for one in found["capsules"]}
    assert since["a"] == {"at": named[-1]["at"], "what": "change"}
    assert since["b"] is None
    assert since["c"] == {"at": PASSED, "what": "deadline"}


def test_in_a_pull_request_its_own_commits_are_named_and_not_githubs_merge(
    pull: PullRequest, tmp_path: Path
) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.on_main({place("b"): capsule("b", paths("src/b.py", base=pull.first))})
    pull.branch()
    pull.repository.commit({"src/a.py": "2\n"}, "Mine")
    pull.back_to_main()
    pull.repository.commit({"src/b.py": "2\n"}, "Theirs")
    found = report(pull.repository.top, env=event(tmp_path, *pull.merge()))
    assert changed_by(found, "a") == ["Mine"]
    assert changed_by(found, "b") == ["Theirs"]
    # Nobody said that this merge is only a try: it is the commit that brought the change to the line.
    assert changed_by(report(pull.repository.top), "a") == ["Merge x into y"]


def test_by_anchors_alone_the_last_commit_is_named(pull: PullRequest) -> None:
    """As after a squash: the base is nowhere, and which paths changed is not known."""
    anchors = {"src/**": "sha256:" + "0" * 64}
    pull.on_main({place("a"): capsule("a", paths("src/**", base="1" * 40, anchors=anchors))})
    pull.repository.commit({"src/a.py": "2\n"}, "Earlier")
    pull.repository.commit({"src/b.py": "2\n"}, "Last")
    found = report(pull.repository.top)
    assert found["capsules"][0]["validity"]["aggregate"] == "stale"
    assert changed_by(found, "a") == ["Last"]


def test_a_subject_is_data(pull: PullRequest) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.repository.commit({"src/a.py": "2\n"}, "::error::x ##[group] @octo/team <b>\x1b[31m")
    run = CommandRun(pull.repository.top, "check")
    assert "##[" not in run.out
    assert "\x1b" not in run.out
    assert changed_by(report(pull.repository.top), "a") == ["::error::x ##[group] @octo/team <b>\x1b[31m"]


def test_what_is_staged_has_no_commits_yet(pull: PullRequest) -> None:
    pull.on_main({place("a"): capsule("a", paths("src/a.py", base=pull.first))})
    pull.repository.commit({"src/a.py": "2\n"}, "Step")
    assert changed_by(report(pull.repository.top, "--tree", "index"), "a") == []


def test_a_file_that_nobody_could_read_before_is_not_nothing(pull: PullRequest) -> None:
    base = pull.on_main({place("bad"): "{"})
    pull.on_main({"doc/c.md": "2\n"})
    run = CommandRun(pull.repository.top, "check", "--base", base)
    assert run.status == 0
    assert run.out.startswith("Nothing new: 1 file could not be read before this change\n")
    assert "no capsules yet" not in run.out
