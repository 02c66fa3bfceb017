"""A run that follows a fork's: it comments on the pull request whose verified head it judged, or nowhere."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from action_step import Event
from hosted_project import NUMBER, REPOSITORY, Project
from local_step import LocalStep, Outcome
from loopback_github import ROBOT, MemoryGitHub

MERGE_REF = f"refs/pull/{NUMBER}/merge"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.create(tmp_path_factory.mktemp("server") / "repo")


@pytest.fixture
def github(project: Project) -> Iterator[MemoryGitHub]:
    double = MemoryGitHub()
    double.repository, double.number, double.head = REPOSITORY, NUMBER, project.head
    double.tokens = {f"ghs_{secrets.token_hex(18)}": ROBOT}
    with double:
        yield double


def followed(
    project: Project,
    github: MemoryGitHub,
    folder: Path,
    *,
    ref: str = MERGE_REF,
    head: str = "",
    number: str = "",
) -> Outcome:
    """The step of the following run: on the default branch's workflow, with another checkout."""
    checkout = project.checkout(folder / "checkout", ref)
    run = {"event": "pull_request", "head_sha": head or project.head, "pull_requests": []}
    repository = {"full_name": REPOSITORY, "default_branch": "main"}
    event = Event(
        "workflow_run", "refs/heads/main", project.main, {"workflow_run": run, "repository": repository}
    )
    (token,) = github.tokens
    env = {**github.env, "OPHIUCHUS_PULL_REQUEST": number or str(NUMBER)}
    inputs = {"github_token": token}
    return LocalStep(folder / "runner", checkout, event, REPOSITORY, inputs, env).run()


def test_the_comment_tells_what_the_pull_request_would_make_of_the_branch(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    left = followed(project, github, tmp_path)
    assert left.status == 0, left.stderr
    (comment,) = github.comments()
    assert "touched" in comment.body
    assert "this change" in comment.body
    assert left.outputs["comment_url"].endswith(f"#issuecomment-{comment.id}")


def test_the_head_alone_may_be_judged_too(project: Project, github: MemoryGitHub, tmp_path: Path) -> None:
    left = followed(project, github, tmp_path, ref="refs/heads/feature")
    assert left.status == 0, left.stderr
    assert len(github.comments()) == 1


def test_a_checkout_of_something_else_is_not_told_about_anywhere(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    """Such as the default branch, which a workflow_run checks out unless it is told otherwise."""
    left = followed(project, github, tmp_path, ref="refs/heads/main")
    assert left.status == 0, left.stderr
    assert github.writes() == []
    assert f"No comment: {project.main} was judged, the run before was about {project.head}." in left.log


def test_a_pull_request_whose_head_moved_on_is_left_alone(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    github.head = "b" * 40
    followed(project, github, tmp_path)
    assert github.writes() == []


def test_a_number_of_another_pull_request_is_of_no_use(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    """Whoever could choose the number cannot choose that pull request's head."""
    github.head = project.main
    followed(project, github, tmp_path)
    assert github.writes() == []


def test_without_a_number_nothing_is_commented(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    left = followed(project, github, tmp_path, number="7; rm")
    assert github.writes() == []
    assert "No comment: the event workflow_run names no pull request." in left.log
    assert "OPHIUCHUS_PULL_REQUEST names none that it follows." in left.log
