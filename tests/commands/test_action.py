from __future__ import annotations

import io
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from git_repository import Repository
from hosted_project import NUMBER, REPOSITORY, Project
from local_step import LocalStep, Outcome
from loopback_github import ROBOT, Fault, MemoryGitHub, json_reply
from runner_model import commands_in, lines_of

from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.cli import main
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.text.terminal import Terminal
from ophiuchus.workflow.command_files import OUTPUTS
from ophiuchus.workflow.inputs import DEFAULTS, Settings

ROOT = Path(__file__).parents[2]
EVENTS = ["pull_request", "push", "schedule", "workflow_dispatch", "merge_group"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.create(tmp_path_factory.mktemp("server") / "repo")


@pytest.fixture
def github(project: Project) -> MemoryGitHub:
    """A GitHub on loopback, with a token that is made here."""
    double = MemoryGitHub()
    double.repository, double.number, double.head = REPOSITORY, NUMBER, project.head
    double.tokens = {f"ghs_{secrets.token_hex(18)}": ROBOT}
    return double


def step_on(project: Project, tmp_path: Path, name: str = "push", **inputs: str) -> LocalStep:
    """A step on the checkout that actions/checkout makes for the event."""
    event = project.events()[name]
    checkout = tmp_path / "workspace"
    if not checkout.exists():
        project.checkout(checkout, event.ref)
    return LocalStep(tmp_path / f"runner-{secrets.token_hex(4)}", checkout, event, REPOSITORY, inputs)


def commenting(step: LocalStep, github: MemoryGitHub, **env: str) -> LocalStep:
    (token,) = github.tokens
    step.inputs = {"github_token": token, **step.inputs}
    step.env = {**github.env, **env}
    return step


def local_step(tmp_path: Path, files: dict[str, str], **inputs: str) -> LocalStep:
    """A step on a repository of its own, pushed to."""
    repository = Repository.create(tmp_path / "workspace")
    head = repository.commit(dict(files.items()))
    event = Project(repository, head, head, head).events()["push"]
    return LocalStep(tmp_path / "runner", repository.top, event, REPOSITORY, inputs)


def stale_capsule(name: str, **more: Any) -> str:
    """A capsule that is stale on any day."""
    window = {"condition_id": "until", "kind": "time_window", "not_after": "2020-01-01T00:00:00Z"}
    document = {
        "schema_version": 1,
        "capsule_id": name,
        "goal": "g",
        "state": "s",
        "next_action": "n",
        "validity": [window],
        **more,
    }
    return json.dumps(document, indent=2)


# What was found, on every event.


@pytest.mark.parametrize("name", EVENTS)
def test_each_event_is_judged_and_told_and_only_a_pull_request_is_commented(
    project: Project, github: MemoryGitHub, tmp_path: Path, name: str
) -> None:
    """C016: without a pull request there is one line in the log, and nobody is asked anything."""
    with github:
        left = commenting(step_on(project, tmp_path, name), github).run()
    assert left.status == 0, left.stderr
    merged = project.events()[name].sha == project.merge
    assert left.outputs["verdict"] == "stale"
    assert left.outputs["passed"] == "true"
    counts = json.loads(left.outputs["counts"])
    assert (counts["capsules"], counts["stale"], counts["valid"]) == ((3, 2, 1) if merged else (3, 1, 2))
    assert left.outputs["report_path"] == ""
    assert left.summary.lstrip("# ").startswith("Action required")
    assert project.events()[name].sha in left.summary
    assert project.events()[name].sha in left.log
    assert "https://github.example/person/repo/actions/runs/1000001" in left.summary
    stale = [".ophiuchus/moved.json", ".ophiuchus/touched.json"] if merged else [".ophiuchus/moved.json"]
    assert [found.properties["file"] for found in left.annotations("warning")] == stale
    assert left.annotations("error") == []
    assert left.stderr == ""
    if name == "pull_request":
        (comment,) = github.comments()
        assert "Action required" in comment.body
        assert left.outputs["comment_url"].endswith(f"#issuecomment-{comment.id}")
        assert left.outputs["comment_url"] in left.log
    else:
        assert github.seen == []
        assert left.outputs["comment_url"] == ""
        assert f"No comment: the event {name} names no pull request." in left.log


def test_an_annotation_stands_on_the_line_of_its_condition(project: Project, tmp_path: Path) -> None:
    step = step_on(project, tmp_path)
    (found,) = step.run().annotations("warning")
    lines = (step.workspace / found.properties["file"]).read_text().splitlines()
    around = "\n".join(lines[int(found.properties["line"]) - 2 : int(found.properties["line"]) + 1])
    assert '"condition_id": "code"' in around
    assert found.properties["title"] == "stale: moved"
    assert VALIDITY_LIMIT in found.data


def test_annotations_can_be_switched_off(project: Project, tmp_path: Path) -> None:
    left = step_on(project, tmp_path, annotations="False").run()
    assert left.annotations("warning") == []
    assert left.status == 0


def test_the_worst_ten_are_annotated_and_the_last_says_how_many_more(tmp_path: Path) -> None:
    files = {f".ophiuchus/{number:02}.json": stale_capsule(f"cap-{number:02}") for number in range(25)}
    left = local_step(tmp_path, files).run()
    found = left.annotations("warning")
    assert len(found) == 10
    assert found[-1].properties["title"] == "and 16 more warnings"


@pytest.mark.parametrize(
    ("fail_on", "status", "passed"), [("stale", 1, "false"), ("expired", 0, "true"), ("any", 1, "false")]
)
def test_the_gate_decides_the_status_and_every_surface_is_told(
    project: Project, tmp_path: Path, fail_on: str, status: int, passed: str
) -> None:
    left = step_on(project, tmp_path, fail_on=fail_on).run()
    assert left.status == status
    assert left.outputs["passed"] == passed
    assert left.outputs["verdict"] == "stale"
    assert left.annotations("warning")
    assert left.summary


def test_a_file_that_cannot_be_read_is_an_error_on_its_line_and_status_2(tmp_path: Path) -> None:
    files = {
        ".ophiuchus/bad.json": '{\n  "capsule_id": "a",\n  oops\n}\n',
        ".ophiuchus/good.json": stale_capsule("b"),
    }
    left = local_step(tmp_path, files, fail_on="stale").run()
    assert left.status == 2
    assert (left.outputs["verdict"], left.outputs["passed"]) == ("unreadable", "false")
    assert json.loads(left.outputs["counts"])["problems"] == 1
    (error,) = left.annotations("error")
    assert (error.properties["file"], error.properties["line"]) == (".ophiuchus/bad.json", "3")
    assert [found.properties["file"] for found in left.annotations("warning")] == [".ophiuchus/good.json"]


def test_a_repository_without_capsules_has_nothing_to_do(tmp_path: Path) -> None:
    left = local_step(tmp_path, {"README.md": "x"}, fail_on="any").run()
    assert left.status == 0, left.stderr
    assert left.outputs["verdict"] == "none"
    assert "Nothing to do" in left.summary


def test_the_checkout_may_lie_deeper_and_paths_stay_those_of_the_repository(
    project: Project, tmp_path: Path
) -> None:
    event = project.events()["push"]
    project.checkout(tmp_path / "workspace/sub/repo", event.ref)
    step = LocalStep(tmp_path / "runner", tmp_path / "workspace", event, REPOSITORY, {"path": "sub/repo"})
    left = step.run()
    assert left.status == 0, left.stderr
    assert [found.properties["file"] for found in left.annotations("warning")] == [".ophiuchus/moved.json"]


def test_another_folder_can_hold_the_capsules(tmp_path: Path) -> None:
    files = {"hand-offs/a.json": stale_capsule("a"), ".ophiuchus/b.json": stale_capsule("b")}
    left = local_step(tmp_path, files, capsules="hand-offs/*.json").run()
    assert json.loads(left.outputs["counts"])["capsules"] == 1
    assert [found.properties["file"] for found in left.annotations("warning")] == ["hand-offs/a.json"]


# The comment.


def test_a_second_run_keeps_the_one_comment(project: Project, github: MemoryGitHub, tmp_path: Path) -> None:
    with github:
        first, second = (
            commenting(step_on(project, tmp_path, "pull_request"), github, GITHUB_RUN_ID=str(number)).run()
            for number in (1, 2)
        )
    assert [method for method, _ in github.writes()] == ["POST"]
    assert first.outputs["comment_url"] == second.outputs["comment_url"] != ""
    assert "Comment: created" in first.log
    assert "Comment: unchanged" in second.log


def test_comments_of_two_jobs_and_of_two_keys_are_told_apart(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    with github:
        for env, inputs in [({}, {}), ({"GITHUB_JOB": "other"}, {}), ({}, {"comment_key": "leg"})]:
            step = step_on(project, tmp_path, "pull_request", **inputs)
            assert commenting(step, github, **env).run().status == 0
    assert len(github.comments()) == 3


def test_a_refused_comment_is_one_notice_and_never_the_status(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    """C004"""
    refusal = json_reply(403, {"message": "Resource not accessible by integration"}).as_bytes()
    github.faults = [Fault("POST", "comments$", raw=refusal)]
    with github:
        left = commenting(step_on(project, tmp_path, "pull_request", fail_on="expired"), github).run()
    assert left.status == 0, left.stderr
    (notice,) = [found for found in left.annotations("notice") if "comment" in found.data]
    assert "may not write" in notice.data
    assert "pull-requests: write" in notice.data
    assert "pull_request_target" not in notice.data + left.summary + left.log
    assert left.summary.lstrip("# ").startswith("Action required")
    assert left.summary.rstrip().count("may not write here") == 1
    assert "\nComment: not posted\n" in left.log
    assert left.outputs["comment_url"] == ""


def test_an_overtaken_run_leaves_the_comment_alone_and_says_so_in_its_summary(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    github.head = "f" * 40
    with github:
        left = commenting(step_on(project, tmp_path, "pull_request"), github).run()
    assert github.comments() == []
    assert left.status == 0
    assert "left alone" in left.summary


@pytest.mark.parametrize("inputs", [{"comment": "never"}, {"comment": "always", "github_token": ""}])
def test_no_comment_no_question(
    project: Project, github: MemoryGitHub, tmp_path: Path, inputs: dict[str, str]
) -> None:
    with github:
        left = commenting(step_on(project, tmp_path, "pull_request", **inputs), github).run()
    assert github.seen == []
    assert left.status == 0
    about = [found for found in left.annotations("notice") if "comment" in found.data]
    assert len(about) == (0 if inputs["comment"] == "never" else 1)


def test_without_its_event_file_a_pull_request_is_known_by_its_ref(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    step = commenting(step_on(project, tmp_path, "pull_request"), github)
    step.event_file.unlink()
    with github:
        left = step.run()
    assert left.status == 0, left.stderr
    assert len(github.comments()) == 1


def test_a_pull_request_event_that_names_none_is_told_in_the_log(project: Project, tmp_path: Path) -> None:
    step = step_on(project, tmp_path, "pull_request")
    step.event_file.write_text('{"pull_request": {"number": "7"}}')
    left = step.run()
    assert left.status == 0
    assert "No comment: the event pull_request names no pull request." in left.log


def test_without_an_event_s_name_the_log_says_what_is_not_set(project: Project, tmp_path: Path) -> None:
    step = step_on(project, tmp_path)
    step.env = {"GITHUB_EVENT_NAME": ""}
    left = step.run()
    assert left.status == 0
    assert "No comment: GITHUB_EVENT_NAME is not set, so there is no pull request." in left.log


# Secrets.


def test_the_token_is_masked_before_anything_else_and_shown_nowhere(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    (token,) = github.tokens
    step = commenting(
        step_on(project, tmp_path, "pull_request", report_path="out/r.json", mode=f"x{token}"), github
    )
    with github:
        wrong = step.run()
        step = commenting(step_on(project, tmp_path, "pull_request", report_path="out/r.json"), github)
        right = step.run()
    assert (wrong.status, right.status) == (2, 0)
    for left in (wrong, right):
        commands = commands_in(left.stdout)
        masked = [found.data for found in commands if found.name == "add-mask"]
        assert token in masked
        lines = lines_of(left.stdout)
        assert all(line.startswith("::add-mask::") for line in lines[: len(masked)])
        rest = "\n".join([*lines[len(masked) :], left.stderr, left.summary, *left.outputs.values()])
        assert all(word not in rest for word in masked)
    assert token not in (step.workspace / "out/r.json").read_text()


def test_outside_of_a_workflow_no_token_is_printed(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    (token,) = github.tokens
    with github:
        left = commenting(step_on(project, tmp_path, "pull_request"), github, GITHUB_ACTIONS="").run()
    assert token not in left.stdout + left.stderr


# Hostile text.

HOSTILE_CAPSULES: dict[str, dict[str, Any]] = {
    "C062": {
        "goal": "ok\n::error file=README.md,line=1::injected",
        "state": "x ##[error]injected ##[group]",
        "next_action": "::stop-commands::t0\r::warning::x",
        "title": "##[error]title\n::add-mask::true",
    },
    "C097": {
        "goal": "line\nEOF\nverdict=valid\npublished=true",
        "title": "a\nverdict=valid\npassed<<EOF\ntrue\nEOF",
    },
    "conditions": {
        "validity": [
            {
                "condition_id": "##[error]x",
                "kind": "git_paths",
                "paths": ["::error::x", "##[group]"],
                "base_commit": "\n::error::x",
            },
            {"condition_id": "::error::y", "kind": "time_window", "not_after": "\n::warning::##[x]"},
        ]
    },
    "keys": {"::error::key": 1, "a\n##[error]key": 2},
}


@pytest.mark.parametrize("case", HOSTILE_CAPSULES)
def test_what_a_capsule_says_is_no_command_and_no_output(tmp_path: Path, case: str) -> None:
    """C062, C097: only the commands and outputs that are ours, whatever the text and the file's name say."""
    files = {
        f".ophiuchus/{case}.json": stale_capsule("cap", **HOSTILE_CAPSULES[case]),
        ".ophiuchus/##[error]x\n::error::y,z=1.json": stale_capsule("cap-2"),
        ".ophiuchus/bad\r::error::.json": '{"capsule_id": "\\n::error::x", ::error::\n##[error]',
    }
    left = local_step(tmp_path, files).run()
    assert left.status == 2, left.stderr
    assert {found.name for found in left.commands} <= {"error", "warning", "notice"}
    for found in left.commands:
        assert set(found.properties) <= {"file", "line", "title"}
        assert commands_in(found.data) == []
        assert found.data != "injected"
    for line in lines_of(left.stdout):
        assert "##[" not in line
        assert not line.startswith("::") or line.partition(" ")[0] in ("::error", "::warning", "::notice")
    assert commands_in(left.stderr) == []
    assert set(left.outputs) == set(OUTPUTS)
    assert left.outputs["verdict"] == "unreadable"
    assert left.outputs["passed"] == "false"


# What is written, and what is not.


def test_nothing_is_written_below_the_workspace_and_nothing_stays_in_temp(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    """C128: `.git` too is as it was, byte by byte."""
    step = commenting(step_on(project, tmp_path, "pull_request"), github)
    checkout = Repository(step.workspace)
    before = checkout.fingerprint()
    with github:
        assert step.run().status == 0
    assert checkout.fingerprint() == before
    assert list(step.temp.rglob("*")) == []


def test_files_that_were_asked_for_are_all_that_is_written(project: Project, tmp_path: Path) -> None:
    step = step_on(
        project, tmp_path, report_path="out/report.json", html="out/page.html", sarif="out/found.sarif"
    )
    before = set(step.workspace.rglob("*"))
    left = step.run()
    assert left.status == 0, left.stderr
    made = {path.relative_to(step.workspace).as_posix() for path in set(step.workspace.rglob("*")) - before}
    assert made == {"out", "out/report.json", "out/page.html", "out/found.sarif"}
    assert json.loads((step.workspace / "out/found.sarif").read_text())["version"] == "2.1.0"
    assert left.outputs["report_path"] == "out/report.json"
    report = json.loads((step.workspace / "out/report.json").read_text())
    assert report["evaluated"]["head"] == project.main
    assert (step.workspace / "out/page.html").read_text().startswith("<!doctype html>")


BROKEN = ["summary", "outputs", "report", "page", "link", "comment"]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_surface_that_fails_hides_no_other_and_never_changes_the_status(
    project: Project, github: MemoryGitHub, tmp_path: Path, broken: str
) -> None:
    inputs = {"report_path": "out/report.json", "html": "page/page.html", "fail_on": "stale"}
    step = commenting(step_on(project, tmp_path, "pull_request", **inputs), github)
    if broken == "summary":
        step.files["GITHUB_STEP_SUMMARY"] = Path("/dev/full")
    elif broken == "outputs":
        step.files["GITHUB_OUTPUT"] = step.folder
    elif broken == "report":
        (step.workspace / "out/report.json").mkdir(parents=True)
    elif broken == "page":
        (step.workspace / "page").write_text("")
    elif broken == "link":
        (step.workspace / "out").symlink_to(tmp_path)
    else:
        github.faults = [Fault("POST", ".", raw=b"", times=99)]
    with github:
        left = step.run()
    assert left.status == 1, left.stderr
    assert [f.properties["file"] for f in left.annotations("warning") if f.properties] == [
        ".ophiuchus/moved.json",
        ".ophiuchus/touched.json",
    ]
    assert "Action required" in left.log
    assert bool(left.summary) is (broken != "summary")
    assert bool(left.outputs) is (broken != "outputs")
    assert (step.workspace / "out/report.json").is_file() is (broken not in ("report", "link"))
    assert (step.workspace / "page/page.html").is_file() is (broken != "page")
    assert bool(github.comments()) is (broken != "comment")
    assert not (tmp_path / "report.json").exists()
    if broken != "outputs":
        assert left.outputs["verdict"] == "stale"
        assert left.outputs["report_path"] == ("" if broken in ("report", "link") else "out/report.json")
    warned = [found for found in left.annotations("warning") if not found.properties]
    assert len(warned) == (0 if broken == "comment" else 1), warned


def test_a_pipe_in_the_place_of_a_summary_is_refused_with_a_reason(project: Project, tmp_path: Path) -> None:
    step = step_on(project, tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    step.env = {"GITHUB_STEP_SUMMARY": str(pipe)}
    left = step.run()
    assert left.status == 0
    (warned,) = [found for found in left.annotations("warning") if not found.properties]
    assert warned.data == "the job summary could not be written: it is no plain file"


def test_where_there_are_no_command_files_the_log_is_enough(project: Project, tmp_path: Path) -> None:
    step = step_on(project, tmp_path)
    step.env = {"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""}
    left = step.run()
    assert left.status == 0
    assert left.stderr == ""
    assert "Action required" in left.log


def test_the_summary_adds_to_what_the_step_wrote_and_stays_in_its_budget(tmp_path: Path) -> None:
    files = {f".ophiuchus/{n:03}.json": stale_capsule(f"cap-{n:03}", title="t" * 150) for n in range(120)}
    step = local_step(tmp_path, files)
    step.files["GITHUB_STEP_SUMMARY"].write_text("# earlier\n" + "x" * 980_000)
    left = step.run()
    assert left.status == 0, left.stderr
    assert left.summary.startswith("# earlier\n")
    assert len(left.summary.encode()) < 1_000_000
    assert "Action required" in left.summary
    assert "Left out" in left.summary


# What cannot be judged.


def nothing_judged(left: Outcome) -> str:
    """The one error annotation of a step that could judge nothing; every other surface is looked at."""
    assert left.status == 2
    assert left.outputs == {
        "verdict": "unreadable", "passed": "false", "counts": "{}", "report_path": "", "comment_url": "",
        "issue_url": "", "view_digest": "", "deliveries": "{}",
    }  # fmt: skip
    assert "Action required: nothing could be judged" in left.summary
    (error,) = left.annotations("error")
    return error.data


def test_all_wrong_inputs_are_told_at_once_before_anything_is_asked(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    """C044: no network call comes before the inputs are known to be right."""
    inputs = {"mode": "chekc", "annotations": "yes", "path": "/home/runner/work/x", "fail_on": "steal"}
    with github:
        left = commenting(step_on(project, tmp_path, "pull_request", **inputs), github).run()
    said = nothing_judged(left)
    for name in inputs:
        assert re.search(f"^- {name}: ", said, re.MULTILINE)
    assert github.seen == []


def test_a_missing_checkout_is_told_with_what_to_add(project: Project, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    step = LocalStep(tmp_path / "runner", tmp_path / "empty", project.events()["push"])
    assert "actions/checkout" in nothing_judged(step.run())


def test_a_hyphenated_input_is_warned_about(project: Project, tmp_path: Path) -> None:
    """C098: the variable is there by its exact name, and it is not ours."""
    left = step_on(project, tmp_path, **{"fail-on": "stale"}).run()
    assert left.status == 0
    (warning,) = [found for found in left.annotations("warning") if not found.properties]
    assert "is fail_on meant?" in warning.data


def test_a_capsule_s_wish_for_another_place_is_not_heard(tmp_path: Path) -> None:
    """C089: hosts and credentials come from the environment alone."""
    wish = {"publish": {"provider": "jira", "base_url": "https://evil.example.invalid", "channel": "C0"}}
    left = local_step(tmp_path, {".ophiuchus/a.json": stale_capsule("cap-dst", **wish)}).run()
    assert left.status == 0
    assert "evil.example.invalid" not in left.stdout + left.stderr + left.summary


# The process.


@pytest.mark.parametrize("name", ["push", "pull_request"])
def test_no_sdk_is_imported_unless_a_comment_is_to_be_written(
    project: Project, tmp_path: Path, name: str
) -> None:
    step = step_on(project, tmp_path, name, comment="never")
    step.interpreter = ("-X", "importtime")
    left = step.run()
    assert left.status == 0
    imported = {
        line.rpartition("|")[2].strip()
        for line in left.stderr.splitlines()
        if line.startswith("import time:")
    }
    assert "ophiuchus.commands.judging" in imported
    assert imported.isdisjoint({"github", "requests", "urllib3", "http.client", "yaml"})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("slow", ["cat-file", "ls-tree"])
def test_a_step_that_waits_for_git_can_be_cancelled(
    project: Project, tmp_path: Path, number: signal.Signals, slow: str
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    waits = tmp_path / "waits"
    fake = programs / "git"
    real = shutil.which("git")
    fake.write_text(
        f'#!/bin/sh\ncase "$*" in *{slow}*) touch {waits}; exec sleep 30;; esac\nexec {real} "$@"\n'
    )
    fake.chmod(0o755)
    step = step_on(project, tmp_path)
    step.env = {"PATH": f"{programs}:{os.environ['PATH']}"}
    with subprocess.Popen(step.command(), cwd=step.folder, env=step.environment()) as process:
        until = time.monotonic() + 20
        while not waits.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        assert waits.exists()
        start = time.monotonic()
        process.send_signal(number)
        process.wait(timeout=40)
    assert time.monotonic() - start < 5
    assert process.returncode == 128 + number
    assert list(step.temp.rglob("*")) == []


def test_a_cancelled_step_ends_at_once_and_leaves_nothing(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    github.faults = [Fault("POST", "GRAPHQL", pause=20.0)]
    step = commenting(step_on(project, tmp_path, "pull_request"), github)
    with (
        github,
        subprocess.Popen(
            step.command(), cwd=step.folder, env=step.environment(), stdout=subprocess.PIPE
        ) as process,
    ):
        until = time.monotonic() + 20
        while not github.seen and time.monotonic() < until:
            time.sleep(0.02)
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert time.monotonic() - start < 5
    assert list(step.temp.rglob("*")) == []


@pytest.fixture
def broken_stream() -> io.StringIO:
    """A stream that nobody can write to, in a way that no surface expects."""
    stream = io.StringIO()
    stream.close()
    return stream


def edge_of(step: LocalStep, stream: io.StringIO, now: datetime) -> tuple[Edge, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    env = {**step.environment(), "GITHUB_ACTIONS": ""}
    return Edge(env, now, io.BytesIO(), Terminal(out, err), stream), out, err


def test_a_bug_in_one_surface_is_told_last_and_hides_no_other(
    project: Project, github: MemoryGitHub, tmp_path: Path, broken_stream: io.StringIO
) -> None:
    step = commenting(step_on(project, tmp_path, "pull_request"), github)
    edge, out, err = edge_of(step, broken_stream, datetime.now(UTC))
    with github:
        status = main(["action"], edge)
    assert status == ExitStatus.BUG
    assert "Action required" in step.files["GITHUB_STEP_SUMMARY"].read_text()
    assert "verdict=stale\n" in step.files["GITHUB_OUTPUT"].read_text()
    assert "#issuecomment-" in step.files["GITHUB_OUTPUT"].read_text()
    assert len(github.comments()) == 1
    assert "Action required" in out.getvalue()
    assert "this is a bug in Ophiuchus" in err.getvalue()


def test_a_bug_before_there_is_a_report_still_leaves_outputs(project: Project, tmp_path: Path) -> None:
    step = step_on(project, tmp_path)
    edge, _, err = edge_of(step, io.StringIO(), cast("datetime", "no moment"))
    assert main(["action"], edge) == ExitStatus.BUG
    assert "verdict=unreadable\npassed=false\n" in step.files["GITHUB_OUTPUT"].read_text()
    assert "this is a bug in Ophiuchus" in err.getvalue()


# action.yml says what is true.


@pytest.fixture(scope="module")
def declared() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return found


def test_the_declared_inputs_are_those_that_are_read_with_their_defaults(declared: dict[str, Any]) -> None:
    defaults = {name: about["default"] for name, about in declared["inputs"].items()}
    assert defaults == {**DEFAULTS, "github_token": "${{ github.token }}"}
    assert list(defaults) == list(DEFAULTS)
    assert {field.name for field in fields(Settings)} - {"workspace"} == set(defaults)


def test_the_declared_outputs_are_those_that_are_written(declared: dict[str, Any]) -> None:
    assert list(declared["outputs"]) == list(OUTPUTS)


def test_everything_that_is_declared_is_described(declared: dict[str, Any]) -> None:
    for about in (*declared["inputs"].values(), *declared["outputs"].values()):
        assert about["description"].strip().endswith(".")


def test_every_choice_is_named_in_its_description(declared: dict[str, Any]) -> None:
    step_words = {
        "mode": ["check", "sweep", "preview", "publish"],
        "scope": ["live", "all"],
        "comment": ["auto", "always", "never"],
    }
    for name, words in step_words.items():
        assert all(word in declared["inputs"][name]["description"] for word in words)
