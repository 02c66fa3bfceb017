"""`ophiuchus sweep` and `ophiuchus merge`, end to end on real repositories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_run import AHEAD, PASSED, SCOPE, CommandRun, capsule, deadline
from git_repository import Repository

from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.report.serial import report_schema


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Eight capsules, one of them stale, one continued by another, and a file that is none."""
    made = Repository.create(tmp_path / "repository")
    made.commit(
        {
            **{f".ophiuchus/{name}.json": capsule(name, deadline(AHEAD)) for name in "abcde"},
            ".ophiuchus/f.json": capsule("f", deadline(PASSED)),
            ".ophiuchus/g.json": capsule("g", deadline(PASSED)),
            ".ophiuchus/h.json": capsule("h", deadline(AHEAD), parent_capsule_id="g"),
            ".ophiuchus/bad.json": "{",
        }
    )
    return made


def sweep(repository: Repository, *words: str, **more: Any) -> CommandRun:
    return CommandRun(repository.top, "sweep", *words, **more)


def shards(repository: Repository, folder: Path, of: int, env: dict[str, str] | None = None) -> list[str]:
    names = [str(folder / f"{repository.top.name}-{number}.json") for number in range(1, of + 1)]
    for number, name in enumerate(names, 1):
        words = ("--shard", f"{number}/{of}", "--format", "json", "--output", name)
        sweep(repository, *words, env=env or {})
    return names


def comparable(report: dict[str, Any]) -> dict[str, Any]:
    """What is the same in a report of everything and in one that was joined."""
    for said in ("problems", "notices"):
        report[said].sort(key=lambda one: (one["path"], one["code"]))
    for one in report["capsules"]:
        one["fidelity"] = []
    return {**report, "sources": []}


@pytest.mark.parametrize("of", [1, 2, 5])
def test_the_shards_joined_say_what_one_sweep_says(repository: Repository, tmp_path: Path, of: int) -> None:
    whole = sweep(repository, "--format", "json")
    run = CommandRun(tmp_path, "merge", *shards(repository, tmp_path, of), "--format", "json")
    assert run.status == whole.status == 2
    assert comparable(run.json) == comparable(whole.json)
    jsonschema.validate(run.json, report_schema(), jsonschema.Draft202012Validator)


def test_a_shard_knows_parents_and_namesakes_of_other_shards(repository: Repository, tmp_path: Path) -> None:
    repository.commit({".ophiuchus/H.json": capsule("H", deadline(AHEAD))})
    for number in range(1, 6):
        found = sweep(repository, "--shard", f"{number}/5", "--format", "json").json
        assert found["evaluated"]["shard"] == f"{number}/5"
        for one in found["capsules"]:
            if one["capsule_id"] == "h":
                assert one["continuity"]["status"] == "compared"
                named = [problem["path"] for problem in found["problems"]]
                assert {".ophiuchus/H.json", ".ophiuchus/h.json"} <= set(named)


def test_a_whole_sweep_is_no_shard(repository: Repository) -> None:
    assert sweep(repository, "--format", "json").json["evaluated"]["shard"] is None


def test_no_base_and_no_event_is_looked_at(repository: Repository) -> None:
    env = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": "/nowhere"}
    assert sweep(repository, "--format", "json", env=env).json["evaluated"]["base"] is None
    assert sweep(repository, "--base", "HEAD").status == 2


@pytest.mark.parametrize(
    "words", [("--shard", "0/2"), ("--shard", "x"), ("--most", "0"), ("--most", "-1"), ("--most", "many")]
)
def test_what_is_no_shard_and_no_number_is_refused(repository: Repository, words: tuple[str, str]) -> None:
    run = sweep(repository, *words)
    assert run.status == 2
    assert words[1] in run.err


@pytest.mark.parametrize("rule", ["introduced", "redeclared"])
def test_a_gate_about_a_change_is_refused_where_nothing_is_compared(
    repository: Repository, rule: str
) -> None:
    run = sweep(repository, "--fail-on", f"stale,{rule}")
    assert (run.status, run.out) == (2, "")
    assert f"fail_on names {rule}, " in run.err


def test_what_is_left_out_is_said_and_what_is_continued_goes_first(repository: Repository) -> None:
    run = sweep(repository, "--most", "7", "--format", "json")
    assert run.json["evaluated"]["truncated"] == 1
    assert "g" not in [one["capsule_id"] for one in run.json["capsules"]]
    assert [one["code"] for one in run.json["notices"]] == ["truncated"]
    told = sweep(repository, "--most", "5").out
    assert "3 of 8 capsules were not judged" in told.split("bad.json")[0]
    assert sweep(repository, "--most", "8", "--format", "json").json["evaluated"]["truncated"] == 0


def test_the_view_leads_with_what_needs_action(repository: Repository) -> None:
    out = sweep(repository).out
    assert out.startswith("Action required: 1 of 8 capsules needs action, 1 file has a problem\n")
    assert "Stale (1)" in out
    assert "h continues g" in out
    assert VALIDITY_LIMIT in out


def test_sarif_has_a_result_for_each_thing_to_do(repository: Repository) -> None:
    run = sweep(repository, "--format", "sarif")
    (log,) = json.loads(run.out)["runs"]
    assert [one["ruleId"] for one in log["results"]] == ["problem/not_json", "condition/stale"]
    assert CommandRun(repository.top, "check", "--format", "sarif").out == run.out


def test_fail_on_counts_over_all_shards(repository: Repository, tmp_path: Path) -> None:
    repository.commit({".ophiuchus/bad.json": None})
    names = [str(tmp_path / f"{number}.json") for number in (1, 2)]
    for number, name in enumerate(names, 1):
        sweep(
            repository,
            *("--shard", f"{number}/2", "--fail-on", "stale", "--format", "json", "--output", name),
        )
    run = CommandRun(tmp_path, "merge", *names)
    assert run.status == 1
    assert "This check fails" in run.out


# Merging.


def test_repositories_are_told_apart(tmp_path: Path) -> None:
    names = []
    for name, moment in (("shop", PASSED), ("till", AHEAD)):
        repository = Repository.create(tmp_path / name)
        repository.commit({".ophiuchus/same.json": capsule("same", deadline(moment))})
        names += shards(repository, tmp_path, 2, {"GITHUB_REPOSITORY": f"octo/{name}"})
    run = CommandRun(tmp_path, "merge", *names)
    assert run.status == 0
    assert run.out.startswith("Action required: 1 of 2 capsules of 2 repositories needs action\n")
    row = next(line for line in run.out.splitlines() if line.startswith("same") and "stale" in line)
    assert "octo/shop" in row
    annotated = CommandRun(tmp_path, "merge", *names, "--format", "github").out
    assert "file=" not in annotated
    assert "the commits of 4 reports" in annotated


def test_a_bad_report_stops_no_other(repository: Repository, tmp_path: Path) -> None:
    names = shards(repository, tmp_path, 2)
    (tmp_path / "torn.json").write_bytes(Path(names[0]).read_bytes()[:-30])
    run = CommandRun(tmp_path, "merge", *names, "torn.json", "gone.json", ".", "--format", "json")
    assert run.status == 2
    assert run.json["totals"]["capsules"] == 8
    told = {one["path"]: one for one in run.json["problems"]}
    assert told["torn.json"]["line"] is not None
    assert {"torn.json", "gone.json", "."} < set(told)


def test_a_shard_that_is_missing_ends_with_bad_input(repository: Repository, tmp_path: Path) -> None:
    first, _, third = shards(repository, tmp_path, 3)
    run = CommandRun(tmp_path, "merge", first, third)
    assert run.status == 2
    assert "shard 2/3 is missing" in run.out


def test_no_report_at_all_is_one_sentence(tmp_path: Path) -> None:
    run = CommandRun(tmp_path, "merge", "gone.json")
    assert (run.status, run.out) == (2, "")
    assert "none of the files is a report: gone.json" in run.err


def test_what_a_poisoned_report_says_is_text(repository: Repository, tmp_path: Path) -> None:
    """Issue 7: scripts, markup, wrong totals."""
    (name,) = shards(repository, tmp_path, 1)
    document = json.loads(Path(name).read_text("utf-8"))
    poison = "<script>alert(1)</script> ![x](https://x.y) @octocat\n::error::x ##[error]y \x1b[2J"
    document["totals"] = {**document["totals"], "capsules": 999, "needs_action": 0, "problems": 0}
    document["gate"] = {"fail_on": ["stale"], "passed": True, "reasons": []}
    for one in document["capsules"]:
        one["title"] = poison
        one["capsule_id"] = f"{one['capsule_id']} {poison}"
        one["continuity"] = {"status": "gone", "parent_capsule_id": poison, "hops": -1, "delta": None}
        for condition in one["validity"]["conditions"]:
            condition.update(reason=poison, condition_id=poison, kind=poison, remedy=poison)
        one["validity"]["aggregate"] = "valid"
    document["problems"][0]["message"] = poison
    Path(name).write_text(json.dumps(document), "utf-8")
    run = CommandRun(tmp_path, "merge", name, "--format", "json")
    assert run.status == 2
    assert run.json["totals"]["capsules"] == 8
    assert run.json["totals"]["verdicts"]["stale"] == 1
    assert not run.json["gate"]["passed"]
    for form in ("text", "json", "github"):
        out = CommandRun(tmp_path, "merge", name, "--format", form).out
        assert "\x1b" not in out
        assert "##[error]" not in out
        assert "\n::error::x" not in out

    page = CommandRun(tmp_path, "merge", name, "--format", "html")
    assert page.status == 2
    assert "<script>alert" not in page.out
    assert "javascript:" not in page.out
    assert "&lt;script&gt;alert(1)" in page.out


def test_a_scope_alone_needs_no_action(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "repository")
    repository.commit({".ophiuchus/a.json": capsule("a", SCOPE)})
    assert sweep(repository).out.startswith("Nothing to do: none of 1 capsule needs action")
