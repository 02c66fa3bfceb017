"""The workflow that `ophiuchus init` writes, and the examples that call ours, run as they stand by act.

GitHub, the git server and the services are on the loopback address; what the examples call comes from this
checkout. act knows no environments: nobody is asked, and their secrets are the repository's.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from act_run import ROOT, Act, Done, Run
from action_step import Event
from command_run import capsule as capsule_text
from command_run import paths
from git_repository import Repository
from hosted_project import NUMBER, REPOSITORY, Project
from loopback_github import ROBOT
from loopback_issues import IssuesInMemory
from loopback_services import Services, services
from receipts_branch import make_receipts_branch
from smart_http import GitServer, serve_bare, serving

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


DESTINATIONS = f"""\
[destinations.tracker]
provider = "github"
target = "{REPOSITORY}"

[destinations.channel]
provider = "slack"
target = "C0123ABCD"
"""
SLACK_TOKEN = "OPHIUCHUS_SLACK_BOT_TOKEN"
UNATTENDED = f"""\
name: Tell the channel
on: schedule
jobs:
  digest:
    permissions:
      contents: write
    uses: OWNER/ophiuchus-action/.github/workflows/digest.yml@v1
    with:
      digest_to: channel
    secrets:
      OPHIUCHUS_ALLOWED_TARGETS: ${{{{ secrets.OPHIUCHUS_ALLOWED_TARGETS }}}}
      {SLACK_TOKEN}: ${{{{ secrets.{SLACK_TOKEN} }}}}
"""


def slack_secret() -> dict[str, str]:
    return {SLACK_TOKEN: f"xoxb-{secrets.token_hex(18)}"}


@dataclass
class Hosted:
    """A project that publishes, on a git server, with receipts: `cap-1` is valid, `moved` is stale."""

    act: Act
    clone: Repository
    git: GitServer
    github: IssuesInMemory
    services: Services
    token: str

    def run(
        self, event: str, workflow: Path, payload: Mapping[str, object], secret: Mapping[str, str] = {}
    ) -> Done:
        """Run the workflow on `main`, with `secret`s of the repository, which nobody is told."""
        main = "refs/heads/main"
        about = {"repository": {"full_name": REPOSITORY, "default_branch": "main"}, **payload}
        env = {**self.github.env, "GITHUB_SERVER_URL": self.git.url}
        variables = {**self.services.env(), "OPHIUCHUS_GITHUB_API_URL": self.github.env["GITHUB_API_URL"]}
        started = Event(event, main, self.clone.head(), about)
        done = self.act.run(Run(started, self.clone.top, workflow, self.token, env, variables, secret))
        assert self.token not in done.text
        assert secret.get(SLACK_TOKEN, self.token) not in done.text
        return done


@pytest.fixture
def hosted(act: Act, github: IssuesInMemory, token: str, tmp_path: Path) -> Iterator[Hosted]:
    source = Repository.create(tmp_path / "source")
    base = source.commit({"src/a.py": "1", "docs/guide.md": "old"})
    source.commit(
        {
            "docs/guide.md": "new",
            ".ophiuchus/cap-1.json": capsule_text("cap-1", paths("src/**", base=base)),
            ".ophiuchus/moved.json": capsule_text("moved", paths("docs/**", base=base)),
            ".ophiuchus/destinations.toml": DESTINATIONS,
        }
    )
    bare = Repository(serve_bare(source.top, tmp_path / "served", REPOSITORY))
    bare.git("symbolic-ref", "HEAD", "refs/heads/main")
    make_receipts_branch(bare)
    clone = Repository.clone(source, tmp_path / "clone")
    with serving(tmp_path / "served") as git, services() as there:
        git.takes_pushes = True
        yield Hosted(act, clone, git, github, there, token)


def test_what_was_shown_is_sent_once_and_what_wanted_a_secret_once_that_is_there(hosted: Hosted) -> None:
    payload = {"ref": "refs/heads/main", "inputs": {"capsule": "cap-1", "destinations": "tracker channel"}}
    done = hosted.run("workflow_dispatch", EXAMPLES / "publish.yml", payload)
    digest = done.outputs("preview")["view_digest"]
    assert done.outputs("publish")["view_digest"] == digest, done.text
    assert done.outputs("publish")["deliveries"] == '{"tracker":"published","channel":"failed"}'
    assert f"{SLACK_TOKEN} is not set" in done.text
    assert done.status == 1
    assert hosted.services.arrived == []
    done = hosted.run("workflow_dispatch", EXAMPLES / "publish.yml", payload, slack_secret())
    assert done.outputs("publish")["deliveries"] == '{"tracker":"published","channel":"published"}'
    assert done.status == 0, done.text
    assert len(hosted.services.arrived) == 1
    assert hosted.github.writes() == [("POST", "/issues")]


def test_a_sweep_shows_a_digest_and_what_was_shown_is_sent_once(hosted: Hosted, tmp_path: Path) -> None:
    secret = slack_secret()
    done = hosted.run("schedule", EXAMPLES / "digest.yml", {}, secret)
    assert done.status == 0, done.text
    assert done.outputs("report")["view_digest"] == done.outputs("digest")["view_digest"]
    assert done.outputs("digest")["deliveries"] == '{"channel":"published"}'
    (sent,) = hosted.services.arrived
    assert sent.headers["authorization"] == f"Bearer {secret[SLACK_TOKEN]}"
    assert "moved" in sent.body.decode()
    assert len(hosted.github.open_issues()) == 1

    unattended = tmp_path / "unattended.yml"
    unattended.write_text(UNATTENDED)
    allowed = {"OPHIUCHUS_ALLOWED_TARGETS": "slack:C0123ABCD"}
    done = hosted.run("schedule", unattended, {}, {**secret, **allowed})
    assert (done.status, done.outputs("digest")["deliveries"]) == (0, '{"channel":"published"}'), done.text
    assert len(hosted.services.arrived) == 1  # the state was told already
    done = hosted.run("schedule", unattended, {}, secret)
    assert done.status == 1
    assert "OPHIUCHUS_ALLOWED_TARGETS is empty" in done.text
