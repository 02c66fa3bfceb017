"""`ophiuchus check`, end to end on real repositories."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_run import AHEAD, PASSED, SCOPE, CommandRun, capsule, deadline, paths
from git_repository import Repository

from ophiuchus import __version__, cli
from ophiuchus.assess.continuity import CONTINUITY_LIMIT
from ophiuchus.assess.fidelity import FIDELITY_LIMIT
from ophiuchus.assess.negative_knowledge import NEGATIVE_KNOWLEDGE_LIMIT
from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.report.serial import report_schema

PLACE = ".ophiuchus/cap-1.json"
NOBODYS = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with two files below src/."""
    made = Repository.create(tmp_path / "repository")
    made.commit({"src/a.py": "1\n", "src/b.py": "1\n", "README.md": "1\n"})
    return made


def check(repository: Repository, *words: str, **more: Any) -> CommandRun:
    """The JSON report of a run, checked against its schema."""
    run = CommandRun(repository.top, "check", "--format", "json", *words, **more)
    assert run.err == ""
    jsonschema.validate(run.json, report_schema(), jsonschema.Draft202012Validator)
    return run


def only(run: CommandRun) -> dict[str, Any]:
    """The one capsule of a report."""
    (found,) = run.json["capsules"]
    assert isinstance(found, dict)
    return found


def condition(run: CommandRun) -> dict[str, Any]:
    """The one condition of the one capsule of a report."""
    (found,) = only(run)["validity"]["conditions"]
    assert isinstance(found, dict)
    return found


def codes(run: CommandRun, of: str = "notices") -> list[str]:
    return [one["code"] for one in run.json[of]]


# What was judged, and how the report looks.


def test_a_valid_capsule_is_reported_in_full(repository: Repository) -> None:
    base = repository.head()
    head = repository.commit({PLACE: capsule("cap-1", paths("src/**", base=base))})
    report = check(repository).json
    assert report == {
        "schema_version": 1,
        "tool": {"name": "ophiuchus-action", "version": __version__},
        "evaluated": {
            "repository": None,
            "head": head,
            "tree": repository.tree(),
            "now": "2026-07-01T12:00:00Z",
            "base": None,
            "shallow": False,
            "merge": None,
            "fetched": 0,
            "shard": None,
            "truncated": 0,
        },
        "sources": [],
        "capsules": [
            {
                "path": PLACE,
                "capsule_id": "cap-1",
                "title": "Ship it",
                "continued": False,
                "expired": False,
                "needs_action": False,
                "validity": {
                    "aggregate": "valid",
                    "conditions": [
                        {
                            "condition_id": "vc-1",
                            "kind": "git_paths",
                            "required": True,
                            "line": 9,
                            "verdict": "valid",
                            "method": "base_tree",
                            "reason": f"same content as at base_commit {base[:12]}",
                            "remedy": None,
                            "introduced": None,
                            "paths": [
                                {
                                    "glob": "src/**",
                                    "result": "unchanged",
                                    "reason": None,
                                    "changed_count": 0,
                                    "changed": [],
                                }
                            ],
                            "changed_by": [],
                        }
                    ],
                },
                "fidelity": [],
                "negative_knowledge": [],
                "continuity": {"status": "none", "parent_capsule_id": None, "hops": 0, "delta": None},
                "before": None,
                "introduced": None,
                "new": None,
                "redeclared": None,
                "stale_since": None,
                "repository": None,
            }
        ],
        "removed": [],
        "problems": [],
        "notices": [],
        "ledgers": {"critic": None, "memory": None},
        "totals": {
            "capsules": 1,
            "continued": 0,
            "verdicts": {"valid": 1, "not_declared": 0, "unverifiable": 0, "partially_stale": 0, "stale": 0},
            "expired": 0,
            "revalidation_required": 0,
            "needs_action": 0,
            "problems": 0,
            "notices": 0,
        },
        "gate": {"fail_on": [], "passed": True, "reasons": []},
        "limits": {
            "validity": VALIDITY_LIMIT,
            "fidelity": FIDELITY_LIMIT,
            "negative_knowledge": NEGATIVE_KNOWLEDGE_LIMIT,
            "continuity": CONTINUITY_LIMIT,
        },
    }


def test_no_capsules_is_nothing_to_do(repository: Repository) -> None:
    run = check(repository)
    assert run.status == 0
    assert run.json["capsules"] == []
    assert codes(run) == ["no_capsules"]


def test_the_repository_is_named_where_the_runner_says_so(repository: Repository) -> None:
    assert check(repository, env={"GITHUB_REPOSITORY": "o/r"}).json["evaluated"]["repository"] == "o/r"
    assert check(repository, env={"GITHUB_REPOSITORY": "o/\udcff"}).json["evaluated"]["repository"] is None


def test_a_checkout_elsewhere_and_a_folder_below_the_top_are_found(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit({PLACE: capsule()})
    assert only(CommandRun(tmp_path, "check", "-C", "repository/src", "--format", "json"))["path"] == PLACE


def test_an_older_commit_can_be_judged(repository: Repository) -> None:
    base = repository.head()
    then = repository.commit({PLACE: capsule("cap-1", paths("src/**", base=base))})
    repository.commit({"src/a.py": "2\n"})
    repository.git("tag", "then", then)
    run = check(repository, "--tree", "then")
    assert run.json["evaluated"]["head"] == then
    assert condition(run)["verdict"] == "valid"
    assert condition(check(repository))["verdict"] == "stale"


def test_the_index_can_be_judged_before_it_is_committed(repository: Repository) -> None:
    base = repository.head()
    repository.write(PLACE, capsule("cap-1", paths("src/a.py", "src/b.py", base=base)))
    repository.write("src/a.py", "2\n")
    repository.git("add", "-A")
    repository.write("src/b.py", "not added\n")
    run = check(repository, "--tree", "index")
    assert run.json["evaluated"]["head"] is None
    assert run.json["evaluated"]["tree"] == repository.git("write-tree")
    assert condition(run)["verdict"] == "partially_stale"


def test_the_moment_can_be_given(repository: Repository) -> None:
    repository.commit({PLACE: capsule("cap-1", deadline("2026-07-01T12:00:01Z"))})
    assert condition(check(repository))["verdict"] == "valid"
    run = check(repository, "--at", "2026-07-01T14:00:01+02:00")
    assert run.json["evaluated"]["now"] == "2026-07-01T12:00:01Z"
    assert condition(run)["verdict"] == "stale"


def test_a_verdict_can_be_asked_for_again_at_the_moment_that_was_printed(repository: Repository) -> None:
    """A deadline within a second and a moment within a second are told as exactly as they are compared."""
    repository.commit({PLACE: capsule("cap-1", deadline("2026-07-01T12:00:00.250000Z"))})
    for at, verdict in [("2026-07-01T12:00:00.2Z", "valid"), ("2026-07-01T12:00:00.3Z", "stale")]:
        run = check(repository, "--at", at)
        assert run.json["evaluated"]["now"] == at
        assert condition(run)["verdict"] == verdict
        assert "2026-07-01T12:00:00.25Z" in condition(run)["reason"]


def test_other_files_can_be_named_as_capsules(repository: Repository) -> None:
    repository.commit({PLACE: capsule("cap-1"), "docs/handoff/x.json": capsule("cap-2")})
    assert only(check(repository, "--capsules", "docs/handoff/*.json"))["capsule_id"] == "cap-2"


def test_capsules_stand_worst_first_then_by_path(repository: Repository) -> None:
    conditions = {
        "e": [deadline(AHEAD)],
        "d": [],
        "c": [SCOPE],
        "b": [deadline(PASSED), SCOPE],
        "a": [deadline(PASSED)],
        "f": [deadline(PASSED)],
    }
    repository.commit(
        {f".ophiuchus/{name}.json": capsule(name, *those) for name, those in conditions.items()}
    )
    run = check(repository)
    assert [one["capsule_id"] for one in run.json["capsules"]] == ["a", "f", "b", "c", "d", "e"]
    assert run.json["totals"]["verdicts"] == {
        "valid": 1,
        "not_declared": 1,
        "unverifiable": 1,
        "partially_stale": 1,
        "stale": 2,
    }


# git_paths on real histories.


def test_a_changed_file_is_stale_and_named(repository: Repository) -> None:
    base = repository.head()
    repository.commit({PLACE: capsule("cap-1", paths("src/**", "README.md", base=base))})
    repository.commit({"src/a.py": "2\n", "src/b.py": None, "src/c.py": "1\n"})
    found = condition(check(repository))
    assert found["verdict"] == "partially_stale"
    assert found["reason"] == f"1 of 2 globs differs from base_commit {base[:12]}"
    assert found["paths"][0]["changed"] == [
        {"path": "src/a.py", "change": "content"},
        {"path": "src/b.py", "change": "deleted"},
        {"path": "src/c.py", "change": "added"},
    ]
    assert found["paths"][1]["result"] == "unchanged"


def test_changed_paths_are_capped_and_counted(repository: Repository) -> None:
    base = repository.head()
    repository.commit({PLACE: capsule("cap-1", paths("many/**", base=base))})
    repository.commit({f"many/{number:03}": "x" for number in range(123)})
    (glob,) = condition(check(repository))["paths"]
    assert glob["changed_count"] == 123
    assert [one["path"] for one in glob["changed"]] == [f"many/{number:03}" for number in range(10)]


def test_the_base_defaults_to_the_grounding(repository: Repository) -> None:
    base = repository.head()
    grounded = {"kind": "git_paths", "paths": ["src/**"]}
    repository.commit({PLACE: capsule("cap-1", grounded, grounding={"commit": base})})
    assert condition(check(repository))["verdict"] == "valid"


def test_a_depth_1_checkout_is_never_an_empty_diff(repository: Repository, tmp_path: Path) -> None:
    """C001."""
    base = repository.head()
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=base))})
    repository.commit({"src/a.py": "2\n"})
    run = check(Repository.clone(repository, tmp_path / "shallow", "--depth=1"))
    assert run.status == 0
    assert run.json["evaluated"]["shallow"] is True
    found = condition(run)
    assert found["verdict"] == "unverifiable"
    assert found["reason"] == (
        f"base_commit {base[:12]}: commit not in this clone; check out with fetch-depth: 0"
    )
    assert "squash or rebase" in found["remedy"]
    assert only(run)["needs_action"] is True


def test_a_commit_that_nobody_has_is_unverifiable_in_a_full_clone(repository: Repository) -> None:
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=NOBODYS))})
    found = condition(check(repository))
    assert found["verdict"] == "unverifiable"
    assert found["reason"] == "base_commit 0123456789ab: commit not in this clone"
    for cause in ("shallow clone", "fetch-depth: 0", "squash", "rebase", "wrong id"):
        assert cause in found["remedy"]


def test_globs_that_match_nothing_are_never_green(repository: Repository) -> None:
    """C017."""
    repository.commit({PLACE: capsule("cap-1", paths("scr/**", "src/[a-z", base=repository.head()))})
    run = check(repository)
    found = condition(run)
    assert found["verdict"] == "unverifiable"
    assert "“scr/**” matches nothing" in found["reason"]
    assert "correct the globs" in found["remedy"]
    assert {glob["result"] for glob in found["paths"]} == {"not_evaluated"}
    assert codes(run) == ["glob_not_evaluated"] * 2
    assert only(run)["needs_action"] is True


def test_one_mistyped_glob_among_others_is_a_notice(repository: Repository) -> None:
    """C017."""
    repository.commit({PLACE: capsule("cap-1", paths("scr/**", "src/**", base=repository.head()))})
    run = check(repository)
    assert condition(run)["verdict"] == "valid"
    assert condition(run)["reason"].endswith("(1 glob not evaluated)")
    assert codes(run) == ["glob_not_evaluated"]


def test_a_known_bad_condition_stays_loud_beside_one_that_nothing_can_check(repository: Repository) -> None:
    """C032."""
    conditions = (deadline(PASSED), SCOPE, paths("src/**", base=repository.head()))
    repository.commit({PLACE: capsule("cap-1", *conditions)})
    assert only(check(repository))["validity"]["aggregate"] == "partially_stale"


def test_the_work_tree_is_not_judged(repository: Repository) -> None:
    """C058."""
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=repository.head()))})
    repository.write("src/a.py", "dirty\n")
    repository.write("src/generated.py", "new\n")
    repository.write(PLACE, "not even JSON")
    assert condition(check(repository))["verdict"] == "valid"
    assert "not your work tree" in CommandRun(repository.top, "check").out


def test_nobody_is_told_to_refresh_by_an_id_that_two_capsules_have(repository: Repository) -> None:
    stale = paths("src/**", base=repository.head())
    one = {PLACE: capsule("cap-1", stale), "src/a.py": "2\n"}
    repository.commit({**one, ".ophiuchus/same.json": capsule("Cap-1", stale)})
    told = [found["validity"]["conditions"][0]["remedy"] for found in check(repository).json["capsules"]]
    assert ["give it a capsule_id that no other has" in remedy for remedy in told] == [True, True]
    assert not any("--refresh" in remedy for remedy in told)
    repository.commit({".ophiuchus/same.json": capsule("cap-2", stale)})
    told = [found["validity"]["conditions"][0]["remedy"] for found in check(repository).json["capsules"]]
    assert ["--refresh cap-" in remedy for remedy in told] == [True, True]


def test_what_is_staged_is_refreshed_from_the_index(repository: Repository) -> None:
    """As where it runs before each commit: without --index the new one would be stale with that commit."""
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=repository.head()))})
    repository.write("src/a.py", "2\n")
    repository.git("add", "src")
    remedy = condition(check(repository, "--tree", "index"))["remedy"]
    assert "`ophiuchus capture --refresh cap-1` (with `--index` where the change is only staged);" in remedy
    repository.commit_index()
    assert "`ophiuchus capture --refresh cap-1`;" in condition(check(repository))["remedy"]


@pytest.mark.parametrize("base", ["HEAD", "main", "HEAD~1", "deadbee", "--output=pwned.txt", ""])
def test_only_a_full_id_is_a_base(repository: Repository, base: str) -> None:
    """C065, C124."""
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=base))})
    found = condition(check(repository))
    assert found["verdict"] == "unverifiable"
    assert f"“{base}” is not a commit id" in found["reason"]
    assert found["remedy"]
    assert not (repository.top / "pwned.txt").exists()


@pytest.mark.parametrize("kind", ["blob", "tree", "tag"])
def test_an_id_of_something_else_is_no_base(repository: Repository, kind: str) -> None:
    """C065: an annotated tag is not followed silently."""
    repository.git("tag", "-a", "-m", "m", "v1")
    ids = {
        "blob": repository.git("rev-parse", "HEAD:src/a.py"),
        "tree": repository.tree(),
        "tag": repository.git("rev-parse", "v1"),
    }
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=ids[kind]))})
    found = condition(check(repository))
    assert found["verdict"] == "unverifiable"
    assert "is not a commit" in found["reason"]
    assert kind in found["reason"]


def test_a_base_that_is_no_ancestor_is_compared_and_told(repository: Repository) -> None:
    """C071."""
    older = repository.head()
    newer = repository.commit({"src/a.py": "2\n"})
    repository.git("checkout", "-q", "--detach", older)
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=newer))})
    run = check(repository)
    assert condition(run)["verdict"] == "stale"
    assert codes(run) == ["not_an_ancestor"]


def test_changed_and_changed_back_is_unchanged(repository: Repository) -> None:
    """C079."""
    base = repository.head()
    repository.commit({"src/a.py": "2\n"})
    repository.commit({"src/a.py": "1\n", PLACE: capsule("cap-1", paths("src/**", base=base))})
    found = condition(check(repository))
    assert found["verdict"] == "valid"
    assert found["reason"].startswith("same content as at base_commit")


# Path anchors: the digest of what a glob matched, made here by hand from what git lists.


def anchor(repository: Repository, *matched: str) -> str:
    listed = repository.git_bytes("ls-tree", "-r", "-z", "HEAD", "--", *matched) if matched else b""
    entries = [entry.partition(b"\t") for entry in listed.split(b"\0") if entry]
    digest = hashlib.sha256(b"sha1\0")
    for head, _, path in entries:
        mode, _, object_id = head.split(b" ")
        digest.update(b"%s %s %s\0" % (mode, object_id, path))
    return f"sha256:{digest.hexdigest()}"


@pytest.mark.parametrize("base", ["the real one", None])
def test_anchors_judge_a_depth_1_checkout_without_network(
    repository: Repository, tmp_path: Path, base: str | None
) -> None:
    anchors = {"src/**": anchor(repository, "src/"), "README.md": anchor(repository, "README.md")}
    declared = paths("src/**", "README.md", base=base and repository.head(), anchors=anchors)
    repository.commit({PLACE: capsule("cap-1", declared)})
    repository.commit({"unrelated": "1"})
    shallow = Repository.clone(repository, tmp_path / "valid", "--depth=1")
    shallow.git("remote", "set-url", "origin", "file:///nonexistent")
    found = condition(check(shallow))
    assert (found["verdict"], found["method"]) == ("valid", "anchor")
    assert found["reason"] == "same content as at its path anchors"

    repository.commit({"src/a.py": "2\n"})
    run = check(Repository.clone(repository, tmp_path / "partly", "--depth=1"))
    found = condition(run)
    assert (found["verdict"], found["method"]) == ("partially_stale", "anchor")
    assert found["paths"][0]["changed_count"] is None
    assert found["paths"][0]["changed"] == []
    assert run.json["notices"] == []

    repository.commit({"README.md": "2\n"})
    assert (
        condition(check(Repository.clone(repository, tmp_path / "stale", "--depth=1")))["verdict"] == "stale"
    )


def test_the_base_decides_against_an_anchor_and_says_so(repository: Repository) -> None:
    anchors = {"src/**": anchor(repository, "README.md")}
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=repository.head(), anchors=anchors))})
    run = check(repository)
    assert (condition(run)["verdict"], condition(run)["method"]) == ("valid", "base_tree")
    assert codes(run) == ["anchor_disagrees"]


def test_an_anchor_of_nothing_tells_something_new_from_still_nothing(repository: Repository) -> None:
    nothing = {"new/**": anchor(repository)}
    repository.commit({PLACE: capsule("cap-1", paths("new/**", base=None, anchors=nothing))})
    assert condition(check(repository))["verdict"] == "unverifiable"
    repository.commit({"new/file": "1"})
    assert condition(check(repository))["verdict"] == "stale"


@pytest.mark.parametrize("anchors", [None, {}, {"src/**": "sha256:xyz"}, {"other": f"sha256:{'0' * 64}"}])
def test_neither_base_nor_anchor_is_unverifiable(
    repository: Repository, anchors: dict[str, str] | None
) -> None:
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=None, anchors=anchors))})
    found = condition(check(repository))
    assert found["verdict"] == "unverifiable"
    assert "base_commit" in found["reason"]
    assert "ophiuchus capture" in found["remedy"]


def test_a_submodule_is_judged_by_its_pointer(repository: Repository) -> None:
    """C037."""
    module = "1" * 40
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{module},vendor/sub")
    base = repository.commit_index()
    repository.write(PLACE, capsule("cap-1", paths("vendor/sub/**", base=base)))
    repository.git("add", PLACE)
    repository.commit_index()
    run = check(repository)
    assert condition(run)["verdict"] == "valid"
    assert codes(run) == ["inside_submodule"]
    repository.git("update-index", "--cacheinfo", f"160000,{'2' * 40},vendor/sub")
    repository.commit_index()
    (glob,) = condition(check(repository))["paths"]
    assert glob["changed"] == [{"path": "vendor/sub", "change": "submodule"}]
    assert "files inside it were not looked at" in glob["reason"]


def test_names_that_are_not_ascii_are_seen_and_spelled(repository: Repository) -> None:
    """C028."""
    repository.commit({"caf\xe9.py".encode(): "1", b"tab\tx.py": "1", b"bad\xff.py": "1"})
    base = repository.head()
    repository.commit({PLACE: capsule("cap-1", paths("*.py", base=base))})
    repository.commit({"caf\xe9.py".encode(): "2", b"tab\tx.py": "2", b"bad\xff.py": "2"})
    (glob,) = condition(check(repository))["paths"]
    assert [one["path"] for one in glob["changed"]] == [r"bad\xff.py", "caf\xe9.py", "tab\tx.py"]


def test_a_mode_alone_is_a_change(repository: Repository) -> None:
    """C092."""
    base = repository.head()
    repository.commit({PLACE: capsule("cap-1", paths("src/a.py", base=base))})
    (repository.top / "src/a.py").chmod(0o755)
    repository.commit()
    assert condition(check(repository))["paths"][0]["changed"] == [{"path": "src/a.py", "change": "mode"}]


def test_the_merge_that_is_checked_out_is_judged_and_named(repository: Repository) -> None:
    """C010."""
    base = repository.head()
    repository.git("checkout", "-q", "-b", "topic")
    topic = repository.commit({PLACE: capsule("cap-1", paths("src/a.py", base=base))})
    repository.git("checkout", "-q", "main")
    upstream = repository.commit({"src/a.py": "2\n"})
    repository.git("checkout", "-q", "--detach", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    run = check(repository)
    assert run.json["evaluated"]["head"] == repository.head()
    assert run.json["evaluated"]["merge"] == {"base": upstream, "head": topic}
    assert condition(run)["paths"][0]["changed"] == [{"path": "src/a.py", "change": "content"}]


def test_a_shallow_merge_knows_its_parents(repository: Repository, tmp_path: Path) -> None:
    repository.git("checkout", "-q", "-b", "topic")
    topic = repository.commit({PLACE: capsule("cap-1", deadline(AHEAD))})
    repository.git("checkout", "-q", "main")
    upstream = repository.commit({"src/a.py": "2\n"})
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    run = check(Repository.clone(repository, tmp_path / "shallow", "--depth=1"))
    assert run.json["evaluated"]["merge"] == {"base": upstream, "head": topic}


def test_one_bad_file_does_not_stop_the_others(repository: Repository) -> None:
    """C023, C109 among others."""
    repository.commit(
        {
            PLACE: capsule("cap-1", deadline(AHEAD)),
            ".ophiuchus/conflict.json": "{\n<<<<<<< HEAD\n",
            ".ophiuchus/deep.json": '{"goal":"g","x":' + "[" * 100_000 + "]" * 100_000 + "}",
        }
    )
    run = check(repository)
    assert run.status == 2
    assert codes(run, "problems") == ["merge_conflict", "too_deep"]
    assert only(run)["validity"]["aggregate"] == "valid"


def test_a_continued_capsule_gates_nothing_unless_all_are_asked_for(repository: Repository) -> None:
    repository.commit(
        {
            ".ophiuchus/a.json": capsule("a", deadline(PASSED)),
            ".ophiuchus/b.json": capsule("b", deadline(AHEAD), parent_capsule_id="a"),
        }
    )
    live = check(repository, "--fail-on", "any")
    assert live.status == 0
    assert [(one["capsule_id"], one["continued"]) for one in live.json["capsules"]] == [
        ("a", True),
        ("b", False),
    ]
    assert live.json["totals"]["continued"] == 1
    every = check(repository, "--fail-on", "any", "--scope", "all")
    assert every.status == 1
    assert [one["continued"] for one in every.json["capsules"]] == [False, False]


# Exit statuses.


@pytest.mark.parametrize(
    ("conditions", "fields", "fail_on", "status"),
    [
        ([deadline(AHEAD)], {}, "any", 0),
        ([deadline(PASSED)], {}, "", 0),
        ([deadline(PASSED)], {}, "stale", 1),
        ([deadline(PASSED)], {}, "unverifiable,partially_stale", 0),
        ([deadline(PASSED), SCOPE], {}, "partially_stale", 1),
        ([SCOPE], {}, "any", 0),
        ([SCOPE], {}, "unverifiable", 0),
        ([{"kind": "weather"}], {}, "any", 0),
        ([paths("src/**", base=NOBODYS)], {}, "unverifiable", 1),
        ([paths("scr/**", base=NOBODYS)], {}, "any", 1),
        ([deadline("soon")], {}, "any", 1),
        ([], {}, "any", 0),
        ([], {}, "not_declared", 1),
        ([deadline(AHEAD)], {"expires_at": PASSED}, "expired", 1),
        ([deadline(AHEAD)], {"expires_at": PASSED}, "stale", 0),
        ([deadline(PASSED, required=False)], {}, "any", 0),
    ],
)
def test_the_status_follows_what_fail_on_names(
    repository: Repository,
    conditions: list[dict[str, Any]],
    fields: dict[str, Any],
    fail_on: str,
    status: int,
) -> None:
    repository.commit({PLACE: capsule("cap-1", *conditions, **fields)})
    run = check(repository, "--fail-on", fail_on)
    assert run.status == status
    assert run.json["gate"]["passed"] is (status == 0)


def test_a_problem_beats_the_gate(repository: Repository) -> None:
    repository.commit({PLACE: capsule("cap-1", deadline(PASSED)), ".ophiuchus/bad.json": "{"})
    run = check(repository, "--fail-on", "stale")
    assert run.json["gate"]["passed"] is False
    assert run.status == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fail-on", "red"], "'red' is no rule of fail_on"),
        (["--at", "tomorrow"], "--at"),
        (["--tree", "nowhere"], "'nowhere' does not name a commit"),
        (["--capsules", "../x"], "the pattern for capsules"),
        (["--scope", "most"], "invalid choice"),
        (["--format", "xml"], "invalid choice"),
        (["-C", "src/nothing"], "src/nothing"),
    ],
)
def test_bad_options_are_told_on_one_line(repository: Repository, words: list[str], said: str) -> None:
    run = CommandRun(repository.top, "check", *words)
    assert run.status == 2
    assert run.out == ""
    assert said in run.err
    assert run.err.startswith("ophiuchus: ")


def test_a_repository_without_a_commit_is_told(tmp_path: Path) -> None:
    run = CommandRun(Repository.create(tmp_path / "empty").top, "check")
    assert run.status == 2
    assert "no commit" in run.err


def test_a_folder_without_a_repository_is_told(tmp_path: Path) -> None:
    run = CommandRun(tmp_path, "check")
    assert run.status == 2
    assert "not in a git checkout" in run.err


# Forms.


def test_people_read_what_was_judged_and_what_to_do(repository: Repository) -> None:
    base = repository.head()
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=base))})
    head = repository.commit({"src/a.py": "2\n"})
    out = CommandRun(repository.top, "check").out
    for words in (
        "Action required",
        "cap-1",
        "stale",
        "vc-1",
        "src/a.py",
        head,
        "not your work tree",
        VALIDITY_LIMIT,
    ):
        assert words in out


def test_annotations_stand_on_the_line_of_the_condition(repository: Repository) -> None:
    repository.commit({PLACE: capsule("cap-1", deadline(AHEAD), deadline(PASSED))})
    run = CommandRun(repository.top, "check", "--format", "github")
    assert f"::warning file={PLACE},line=14," in run.out
    judged = f"Judged: commit {repository.head()}, not your work tree."
    assert run.out.endswith(f"{judged}\n")
    run = CommandRun(repository.top, "check", "--format", "github", "--base", "HEAD~1")
    base = repository.git("rev-parse", "HEAD~1")
    assert run.out.endswith(f"{judged} Compared with commit {base}.\n")


def test_a_page_is_written_and_allows_itself_its_own_script(repository: Repository) -> None:
    """What makes lines harmless changes none of those whose digest is in the page."""
    repository.commit({PLACE: capsule("cap-1", deadline(PASSED))})
    out = CommandRun(repository.top, "check", "--format", "html").out
    assert out.startswith("<!doctype html>")
    CommandRun(repository.top, "check", "--format", "html", "--output", "page.html")
    assert (repository.top / "page.html").read_text("utf-8") == out
    for element in ("style", "script"):
        (source,) = re.findall(f"<{element}>(.*?)</{element}>", out, re.DOTALL)
        assert (
            f"{element}-src 'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
            in out
        )


@pytest.mark.parametrize("form", ["text", "json", "github", "html"])
def test_every_form_goes_to_a_file(repository: Repository, form: str) -> None:
    repository.commit({PLACE: capsule("cap-1", deadline(PASSED), title="##[error] x\n::error::y")})
    printed = CommandRun(repository.top, "check", "--format", form).out
    run = CommandRun(
        repository.top, "check", "--format", form, "--output", "out/report", "--fail-on", "stale"
    )
    assert run.status == 1
    assert run.out == ""
    written = (repository.top / "out/report").read_text("utf-8")
    assert "##[" not in written
    assert "cap-1" in written
    if form == "github":
        assert written == printed


def test_nothing_that_a_capsule_says_becomes_a_command(repository: Repository) -> None:
    """C062, C095."""
    hostile = {"title": "x\n::error::y ##[error]z\x1b[2K", "validity": [
        {"condition_id": "::stop-commands::t", "kind": "##[group]", "required": True}
    ]}  # fmt: skip
    repository.commit({PLACE: capsule("cap-1", **hostile)})
    for form in ("text", "json", "html"):
        out = CommandRun(repository.top, "check", "--format", form).out
        assert "##[" not in out
        assert "\x1b" not in out
        assert not any(line.lstrip().startswith("::") for line in out.splitlines())


def test_a_link_in_the_checkout_is_not_written_through(repository: Repository, tmp_path: Path) -> None:
    repository.commit({PLACE: capsule("cap-1")})
    (repository.top / "out").symlink_to(tmp_path)
    run = CommandRun(repository.top, "check", "--output", "out/report")
    assert run.status == 2
    assert not (tmp_path / "report").exists()


def test_the_checkout_is_left_as_it_was(repository: Repository) -> None:
    """C128."""
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=repository.head()))})
    before = repository.fingerprint()
    check(repository)
    check(repository, "--tree", "index")
    assert repository.fingerprint() == before


# Start-up.


def test_check_imports_nothing_that_it_does_not_need(repository: Repository) -> None:
    repository.commit({PLACE: capsule("cap-1", paths("src/**", base=repository.head()))})
    code = (
        "import sys; sys.argv = ['ophiuchus', 'check']; from ophiuchus import cli\n"
        "try: cli.console()\n"
        "except SystemExit: print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    # What measures coverage in there imports for itself.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    env["PYTHONPATH"] = str(Path(cli.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repository.top, env=env, capture_output=True, text=True, check=True
    )
    unwanted = {"difflib", "yaml", "github", "jsonschema", "urllib.request", "asyncio", "http", "ssl"}
    unwanted |= {"jira", "slack_sdk", "msgraph", "httpx", "certifi", "re2", "filelock", "tomllib"}
    assert unwanted.isdisjoint(done.stderr.splitlines())
    assert "cap-1" in done.stdout
