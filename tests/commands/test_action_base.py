"""A step on a pull request whose base is in the checkout: what this change did leads, the rest is folded."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from pathlib import Path

import pytest
from git_repository import Repository
from hosted_project import NUMBER, REPOSITORY, Project
from local_step import LocalStep
from loopback_github import ROBOT, MemoryGitHub

CREATED, NOT_NEEDED = "Comment: created", "Comment: not needed"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.create(tmp_path / "server")


@pytest.fixture
def github(project: Project) -> MemoryGitHub:
    double = MemoryGitHub()
    double.repository, double.number, double.head = REPOSITORY, NUMBER, project.head
    double.tokens = {f"ghs_{secrets.token_hex(18)}": ROBOT}
    return double


def harmless(project: Project) -> Project:
    """The same project with a pull request that touches no declared path: `moved` is stale all the same."""
    server = project.server
    server.git("checkout", "-q", "-b", "harmless", project.main)
    head = server.commit({"README.md": "hello\n"})
    server.git("checkout", "-q", "--detach", project.main)
    server.git("merge", "-q", "--no-ff", "--no-edit", "harmless")
    merge = server.head()
    server.git("update-ref", f"refs/pull/{NUMBER}/merge", merge)
    return Project(server, project.main, head, merge)


def step_on(project: Project, github: MemoryGitHub, tmp_path: Path, **inputs: str) -> LocalStep:
    """A step on what actions/checkout makes with `fetch-depth: 0`."""
    event = project.events()["pull_request"]
    checkout = tmp_path / f"workspace-{event.sha}"
    if not checkout.exists():
        repository = Repository.create(checkout)
        repository.git("fetch", "-q", project.server.top.as_uri(), "+refs/*:refs/remotes/origin/*")
        repository.git("checkout", "-q", "--detach", event.sha)
    github.head = project.head
    (token,) = github.tokens
    inputs = {"github_token": token, "fetch_missing": "false", **inputs}
    folder = tmp_path / f"runner-{secrets.token_hex(4)}"
    return LocalStep(folder, checkout, event, REPOSITORY, inputs, github.env)


def test_what_the_pull_request_made_stale_leads_on_every_surface(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    lead = "Action required: this change made 1 of 3 capsules stale"
    step = step_on(project, github, tmp_path, report_path="report.json", fail_on="introduced")
    with github:
        left = step.run()
    assert left.status == 1, left.stderr
    report = json.loads((step.workspace / "report.json").read_text())
    assert report["evaluated"]["base"] == project.main
    introduced = {one["capsule_id"]: one["introduced"] for one in report["capsules"]}
    assert introduced == {"kept": False, "moved": False, "touched": True}
    assert CREATED in left.log
    (comment,) = github.comments()
    link = f"](https://github.example/{REPOSITORY}/commit/{project.head})"
    for text in (left.summary, comment.body):
        assert f"# {lead}\n" in text
        assert link in text
        # Older drift comes later, and folded.
        assert text.index("touched") < text.index("<details>") < text.index("moved")
    assert lead in left.log
    assert [one.properties["title"] for one in left.annotations("warning")] == [
        "stale by this change: touched",
        "stale: moved",
    ]


@pytest.mark.parametrize(
    ("comment", "said"), [("auto", NOT_NEEDED), ("always", CREATED)], ids=["auto", "always"]
)
def test_older_drift_alone_makes_no_comment_on_a_pull_request(
    project: Project, github: MemoryGitHub, tmp_path: Path, comment: str, said: str
) -> None:
    step = step_on(harmless(project), github, tmp_path, comment=comment, fail_on="introduced, redeclared")
    with github:
        left = step.run()
    assert left.status == 0, left.stderr
    assert "# Nothing new: 1 of 3 capsules needed action before this change\n" in left.summary
    assert "moved" in left.summary
    assert json.loads(left.outputs["counts"])["needs_action"] == 1
    assert left.outputs["verdict"] == "stale"
    assert said in left.log
    assert len(github.comments()) == (comment == "always")


def test_a_comment_that_is_there_is_kept_up_to_date_when_nothing_is_left(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    with github:
        assert CREATED in step_on(project, github, tmp_path).run().log
        assert "Comment: updated" in step_on(harmless(project), github, tmp_path).run().log
    (comment,) = github.comments()
    assert "Nothing new" in comment.body


def test_what_makes_the_step_fail_is_told_in_a_comment_though_it_is_older(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    with github:
        left = step_on(harmless(project), github, tmp_path, fail_on="stale").run()
    assert left.status == 1
    (comment,) = github.comments()
    assert "Action required: fail\\_on names 1 of 3 capsules for what is older" in comment.body


def test_another_base_can_be_given(project: Project, github: MemoryGitHub, tmp_path: Path) -> None:
    """Since its first commit, main made one capsule stale and brought all of them."""
    first = project.server.git("rev-list", "--max-parents=0", "main")
    step = step_on(harmless(project), github, tmp_path, base=first, report_path="report.json")
    with github:
        left = step.run()
    assert left.status == 0, left.stderr
    report = json.loads((step.workspace / "report.json").read_text())
    assert report["evaluated"]["base"] == first
    assert {one["new"] for one in report["capsules"]} == {True}
    assert "Action required: this change added 1 capsule that is already stale" in left.summary


def test_a_base_that_is_nowhere_is_bad_input(project: Project, github: MemoryGitHub, tmp_path: Path) -> None:
    with github:
        left = step_on(project, github, tmp_path, base="no-such-branch").run()
    assert left.status == 2
    assert "no-such-branch" in left.annotations("error")[0].data
    assert github.comments() == []


def test_an_unreadable_file_that_was_there_before_does_not_fail_the_pull_request(
    project: Project, github: MemoryGitHub, tmp_path: Path
) -> None:
    server = project.server
    main = server.commit({".ophiuchus/bad.json": "{\n oops"})
    broken = harmless(replace(project, main=main))
    with github:
        left = step_on(broken, github, tmp_path).run()
    assert left.status == 0, left.stderr
    assert left.annotations("error") == []
    (notice,) = [one for one in left.annotations("notice") if "oops" not in one.data and "bad" in one.data]
    assert notice.properties["title"] == "unreadable before"
    assert "it was so before this change" in notice.data
