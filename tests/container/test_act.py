"""The workflow that `ophiuchus init` writes, and the three examples, run as they stand by act.

GitHub and the git server are on the loopback address; what the examples call comes from this checkout.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from act_run import ROOT, Act, Run
from action_step import Event
from command_run import capsule as capsule_text
from command_run import paths
from git_repository import Repository
from hosted_project import NUMBER, REPOSITORY, Project
from loopback_github import ROBOT
from loopback_issues import IssuesInMemory
from receipts_branch import make_receipts_branch
from smart_http import serve_bare, serving

pytestmark = pytest.mark.container

STARTER = ROOT / "src/ophiuchus/commands/starter/workflow.yml"
EXAMPLES = ROOT / "examples" / "workflows"


@pytest.fixture
def act(image: str, tmp_path: Path) -> Act:
    return Act(image, tmp_path / "act")


@pytest.fixture
def token() -> str:
    return f"ghs_{secrets.token_hex(18)}"


@pytest.fixture
def github(project: Project, token: str) -> Iterator[IssuesInMemory]:
    double = IssuesInMemory()
    double.repository, double.number, double.head = REPOSITORY, NUMBER, project.head
    double.tokens = {token: ROBOT}
    with double:
        yield double


@pytest.mark.parametrize(("workflow", "status"), [(STARTER, 0), (EXAMPLES / "check.yml", 1)])
def test_the_comment_on_a_pull_request_arrives(  # noqa: PLR0917 - pytest gives them by name
    act: Act,
    project: Project,
    github: IssuesInMemory,
    token: str,
    tmp_path: Path,
    workflow: Path,
    status: int,
) -> None:
    """The example fails on what the pull request made stale."""
    event = project.events()["pull_request"]
    checkout = project.checkout(tmp_path / "checkout", event.ref)
    done = act.run(Run(event, checkout, workflow, token, github.env))
    assert done.status == status, done.text
    (comment,) = github.comments()
    assert "Action required" in comment.body
    assert "touched" in comment.body
    outputs = done.outputs("check")
    assert outputs["verdict"] == "stale"
    assert token not in done.text


def test_the_sweep_joins_its_shards_and_keeps_an_issue(
    act: Act, project: Project, github: IssuesInMemory, token: str, tmp_path: Path
) -> None:
    event = project.events()["schedule"]
    checkout = project.checkout(tmp_path / "checkout", event.ref)
    done = act.run(Run(event, checkout, EXAMPLES / "sweep.yml", token, github.env))
    assert done.status == 0, done.text
    shards = [
        json.loads((act.artifacts / f"ophiuchus-shard-{number}/shard-{number}.json").read_text())
        for number in (1, 2)
    ]
    assert sorted(found["capsule_id"] for shard in shards for found in shard["capsules"]) == [
        "kept", "moved", "touched",
    ]  # fmt: skip
    report = json.loads((act.artifacts / "ophiuchus-report/report.json").read_text())
    assert report["totals"]["capsules"] == 3
    assert report["totals"]["needs_action"] == 1
    assert "moved" in (act.artifacts / "ophiuchus-report/report.html").read_text("utf-8")
    outputs = done.outputs("report")
    assert outputs["verdict"] == "stale"
    (issue,) = github.open_issues()
    assert "moved" in (issue.body or "")
    assert outputs["issue_url"].endswith(f"/issues/{issue.number}")
    assert token not in done.text


def test_a_publication_is_previewed_and_what_was_shown_is_sent_once(
    act: Act, github: IssuesInMemory, token: str, tmp_path: Path
) -> None:
    source = Repository.create(tmp_path / "source")
    base = source.commit({"src/a.py": "1"})
    destinations = f'[destinations.tracker]\nprovider = "github"\ntarget = "{REPOSITORY}"\n'
    source.commit(
        {
            ".ophiuchus/cap-1.json": capsule_text("cap-1", paths("src/**", base=base)),
            ".ophiuchus/destinations.toml": destinations,
        }
    )
    bare = Repository(serve_bare(source.top, tmp_path / "served", REPOSITORY))
    bare.git("symbolic-ref", "HEAD", "refs/heads/main")
    make_receipts_branch(bare)
    clone = Repository.clone(source, tmp_path / "clone")
    event = Event(
        "workflow_dispatch",
        "refs/heads/main",
        clone.head(),
        {
            "ref": "refs/heads/main",
            "inputs": {"capsule": "cap-1", "destinations": "tracker"},
            "repository": {"full_name": REPOSITORY, "default_branch": "main"},
        },
    )
    with serving(tmp_path / "served") as server:
        server.takes_pushes = True
        env = {**github.env, "GITHUB_SERVER_URL": server.url}
        address = {"OPHIUCHUS_GITHUB_API_URL": github.env["GITHUB_API_URL"]}
        run = Run(event, clone.top, EXAMPLES / "publish.yml", token, env, address)
        done = act.run(run)
        digest = done.outputs("preview")["view_digest"]
        assert done.outputs("publish")["view_digest"] == digest, done.text
        assert done.status == 0, done.text
        assert act.run(run).status == 0
        assert github.writes() == [("POST", "/issues")]
    assert token not in done.text
