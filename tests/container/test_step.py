"""The image as a step of a workflow: every event, on the checkout that actions/checkout leaves by default."""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from action_step import RUNNER_UID, Left, Step
from hosted_project import NUMBER, REPOSITORY, Project
from loopback_github import ROBOT, Fault, MemoryGitHub
from runner_model import commands_in

pytestmark = pytest.mark.container

EVENTS = ["pull_request", "push", "schedule", "workflow_dispatch", "merge_group"]
ON_MAIN = {"kept": "valid", "moved": "stale", "touched": "valid"}
ON_MERGE = {"kept": "valid", "moved": "stale", "touched": "stale"}
NO_COMMENT = {"mode": "check", "comment": "never"}
HANGING = 60.0


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {found["capsule_id"]: found["validity"]["aggregate"] for found in report["capsules"]}


def report_of(step: Step) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((step.checkout / "out/report.json").read_text())
    return report


@pytest.mark.parametrize("name", EVENTS)
def test_each_event_gets_a_right_report_on_the_default_checkout_without_any_network(
    image: str, project: Project, runner: Path, tmp_path: Path, name: str
) -> None:
    event = project.events()[name]
    step = Step(image, runner, project.checkout(tmp_path / "checkout", event.ref), event)
    step.inputs = {**NO_COMMENT, "report_path": "out/report.json"}
    left = step.run()
    assert left.status == 0, left.stderr
    expected = ON_MERGE if event.sha == project.merge else ON_MAIN
    report = report_of(step)
    assert verdicts(report) == expected
    assert report["evaluated"]["head"] == event.sha
    assert report["evaluated"]["shallow"] is True
    assert {
        condition["method"] for found in report["capsules"] for condition in found["validity"]["conditions"]
    } == {"anchor"}
    assert report["problems"] == []
    assert left.outputs["verdict"] == "stale"
    assert left.outputs["passed"] == "true"
    assert left.outputs["report_path"] == "out/report.json"
    assert left.summary.lstrip("# ").startswith("Action required")
    for capsule_id, verdict in expected.items():
        assert capsule_id in left.summary or verdict == "valid"
    assert event.sha in left.summary


def test_nothing_in_the_workspace_changes_unless_a_file_is_asked_for(
    image: str, project: Project, runner: Path, tmp_path: Path
) -> None:
    event = project.events()["push"]
    step = Step(image, runner, project.checkout(tmp_path / "checkout", event.ref), event, inputs=NO_COMMENT)
    left = step.run()
    assert left.status == 0, left.stderr
    assert left.changed == []
    assert left.env == {}


def test_a_file_that_was_asked_for_belongs_to_the_workspaces_owner(
    image: str, project: Project, runner: Path, tmp_path: Path
) -> None:
    event = project.events()["push"]
    step = Step(image, runner, project.checkout(tmp_path / "checkout", event.ref), event)
    step.inputs = {**NO_COMMENT, "report_path": "out/report.json", "html": "out/report.html"}
    left = step.run()
    assert left.changed == ["out", "out/report.html", "out/report.json"]
    owners = {(step.checkout / path).stat().st_uid for path in left.changed}
    assert owners == {RUNNER_UID}


def test_the_gate_fails_the_step_and_every_surface_is_still_written(
    image: str, project: Project, runner: Path, tmp_path: Path
) -> None:
    event = project.events()["push"]
    step = Step(image, runner, project.checkout(tmp_path / "checkout", event.ref), event)
    step.inputs = {**NO_COMMENT, "fail_on": "stale"}
    left = step.run()
    assert left.status == 1, left.stderr
    assert left.outputs["passed"] == "false"
    assert "Action required" in left.summary
    annotations = [found for found in commands_in(left.stdout) if found.name in ("error", "warning")]
    assert [found.properties["file"] for found in annotations] == [".ophiuchus/moved.json"]
    text = (step.checkout / ".ophiuchus/moved.json").read_text().splitlines()
    assert '"condition_id"' in text[int(annotations[0].properties["line"]) - 1] or annotations[0].data


def test_all_wrong_inputs_are_told_at_once(
    image: str, project: Project, runner: Path, tmp_path: Path
) -> None:
    event = project.events()["push"]
    step = Step(image, runner, project.checkout(tmp_path / "checkout", event.ref), event)
    step.inputs = {"mode": "chekc", "annotations": "maybe", "path": "/home/runner/work/x"}
    left = step.run()
    assert left.status == 2
    for name in ("mode", "annotations", "path"):
        assert f"{name}:" in left.stdout + left.stderr


def test_a_missing_checkout_is_told_with_what_to_add(
    image: str, project: Project, runner: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    left = Step(image, runner, empty, project.events()["push"], inputs=NO_COMMENT).run()
    assert left.status == 2
    assert "actions/checkout" in left.stdout + left.stderr


@pytest.fixture
def github(project: Project) -> MemoryGitHub:
    """A GitHub on loopback, reached through the host's network, with a token that is made here."""
    double = MemoryGitHub()
    double.repository, double.number, double.head = REPOSITORY, NUMBER, project.head
    double.tokens = {f"ghs_{secrets.token_hex(18)}": ROBOT}
    return double


def commenting(step: Step, github: MemoryGitHub) -> Step:
    (token,) = github.tokens
    step.network = "host"
    step.inputs = {"mode": "check", "comment": "auto", "github_token": token}
    step.job_env = github.env
    return step


def test_the_comment_arrives_once_and_a_second_run_updates_it_in_its_place(
    image: str, project: Project, tmp_path: Path, github: MemoryGitHub
) -> None:
    event = project.events()["pull_request"]
    checkout = project.checkout(tmp_path / "checkout", event.ref)
    with github:
        lefts: list[Left] = []
        for number in range(2):
            folder = tmp_path / f"runner{number}"
            folder.mkdir()
            lefts.append(commenting(Step(image, folder, checkout, event), github).run())
    assert [left.status for left in lefts] == [0, 0], lefts[0].stderr
    (comment,) = github.comments()
    assert comment.body.startswith("<!-- ")
    assert "Action required" in comment.body
    assert "touched" in comment.body
    assert lefts[0].outputs["comment_url"].endswith(f"#issuecomment-{comment.id}")
    (token,) = github.tokens
    for left in lefts:
        masked = [found for found in commands_in(left.stdout) if found.name == "add-mask"]
        assert token in [found.data for found in masked]
        unmasked = [line for line in left.stdout.splitlines() if not line.startswith("::add-mask::")]
        assert token not in "\n".join([*unmasked, left.stderr, left.summary])


def test_a_refused_comment_is_one_notice_and_changes_nothing_else(
    image: str, project: Project, runner: Path, tmp_path: Path, github: MemoryGitHub
) -> None:
    event = project.events()["pull_request"]
    github.locked = True
    with github:
        left = commenting(
            Step(image, runner, project.checkout(tmp_path / "checkout", event.ref), event), github
        ).run()
    assert left.status == 0, left.stderr
    assert github.comments() == []
    assert left.outputs["verdict"] == "stale"
    assert "Action required" in left.summary


# The runner sends the first, and after a while the second.
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_job_ends_at_once_though_the_action_is_process_one(
    image: str,
    project: Project,
    runner: Path,
    tmp_path: Path,
    github: MemoryGitHub,
    *,
    number: signal.Signals,
) -> None:
    event = project.events()["pull_request"]
    step = commenting(Step(image, runner, project.checkout(tmp_path / "checkout", event.ref), event), github)
    github.faults = [Fault("POST", "GRAPHQL", pause=HANGING), Fault("GET", ".", pause=HANGING)]
    command, env = step.command()
    with github, step.started(command, env) as process:
        until = time.monotonic() + 30
        while not github.seen and time.monotonic() < until:
            time.sleep(0.02)
        assert github.seen, "the action never asked"
        start = time.monotonic()
        process.send_signal(number)  # the client hands the signal on to process 1
        assert process.wait(timeout=HANGING) == 128 + number
        assert time.monotonic() - start < 5
    name = command[command.index("--name") + 1]
    listed = ["docker", "ps", "--all", "--quiet", "--filter", f"name={name}"]
    assert subprocess.run(listed, capture_output=True, text=True, check=True).stdout == ""
