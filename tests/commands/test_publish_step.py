"""The action's `mode: preview` and `mode: publish`, run as the runner starts a step, in a process of its own.

The repository's server and the tracker are on loopback; receipts are kept on the branch.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from action_step import Event
from command_run import capsule, paths
from git_repository import Repository
from local_step import LocalStep, Outcome
from receipts_branch import make_receipts_branch
from smart_http import GitServer, serve_bare, serving

TOKEN = "tra" + "cker-" + "7" * 30
DESTINATIONS = """\
[destinations.tracker]
provider = "github"
target = "team/tracker"
labels = ["hand-off"]
"""


@dataclass
class Tracker:
    """A GitHub that makes issues, and remembers what it was asked for."""

    url: str = ""
    status: int = 201
    asked: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def tracker() -> Iterator[Tracker]:
    state = Tracker()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append({"path": self.path, "auth": self.headers["Authorization"], **body})
            answer = json.dumps({"number": 7, "id": 1}).encode()
            self.send_response(state.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Workflow:
    """Steps of one repository's workflow."""

    folder: Path
    clone: Repository
    server: GitServer
    tracker: Tracker
    steps: int = 0

    def step(self, mode: str, event: str = "workflow_dispatch", **inputs: str) -> Outcome:
        """One step on the head of the clone."""
        self.steps += 1
        payload = {"repository": {"full_name": "person/repo", "default_branch": "main"}}
        happened = Event(event, "refs/heads/main", self.clone.head(), payload)
        given = {"mode": mode, "capsule": "cap-1", "destinations": "tracker", "approve": "none", **inputs}
        return LocalStep(
            self.folder / f"runner-{self.steps}",
            self.clone.top,
            happened,
            inputs={"github_token": "ghs_" + "0" * 36, **given},
            env={
                "GITHUB_SERVER_URL": self.server.url,
                "OPHIUCHUS_GITHUB_API_URL": self.tracker.url,
                "OPHIUCHUS_GITHUB_TOKEN": TOKEN,
            },
        ).run()


@pytest.fixture
def workflow(tmp_path: Path, tracker: Tracker) -> Iterator[Workflow]:
    source = Repository.create(tmp_path / "source")
    base = source.commit({"src/a.py": "1"})
    source.commit(
        {
            ".ophiuchus/cap-1.json": capsule("cap-1", paths("src/**", base=base)),
            ".ophiuchus/destinations.toml": DESTINATIONS,
        }
    )
    bare = serve_bare(source.top, tmp_path / "served", "person/repo")
    Repository(bare).git("symbolic-ref", "HEAD", "refs/heads/main")
    clone = Repository.clone(source, tmp_path / "clone")
    with serving(tmp_path / "served") as server:
        server.takes_pushes = True
        yield Workflow(tmp_path, clone, server, tracker)


def init_receipts(workflow: Workflow) -> None:
    make_receipts_branch(Repository(workflow.server.root / "person/repo"))


def test_a_preview_sends_nothing_and_gives_the_digest(workflow: Workflow) -> None:
    init_receipts(workflow)
    left = workflow.step("preview", report_path="preview.json")
    assert left.status == 0, left.stderr
    assert "Preview of `cap-1`: nothing was sent" in left.summary
    assert "What is sent, exactly" in left.summary
    assert left.outputs["deliveries"] == "{}"
    told = json.loads((workflow.clone.top / "preview.json").read_text())
    assert told["view_digest"] == left.outputs["view_digest"]
    assert told["previews"][0]["content"]["labels"] == ["hand-off"]
    assert workflow.tracker.asked == []


def test_what_was_approved_is_published_once_however_often_it_is_run(workflow: Workflow) -> None:
    init_receipts(workflow)
    digest = workflow.step("preview").outputs["view_digest"]
    left = workflow.step("publish", approve=digest)
    assert (left.status, left.outputs["passed"]) == (0, "true"), left.stdout
    assert left.outputs["deliveries"] == '{"tracker":"published"}'
    (asked,) = workflow.tracker.asked
    assert asked["path"] == "/repos/team/tracker/issues"
    assert asked["auth"] == f"token {TOKEN}"
    again = workflow.step("publish", approve=digest)
    assert again.outputs["deliveries"] == '{"tracker":"published"}'
    assert len(workflow.tracker.asked) == 1


def test_what_is_there_already_needs_no_approval_to_be_left_alone(workflow: Workflow) -> None:
    init_receipts(workflow)
    workflow.step("publish", approve=workflow.step("preview").outputs["view_digest"])
    left = workflow.step("publish", approve="none")
    assert (left.status, left.outputs["deliveries"]) == (0, '{"tracker":"published"}')
    assert "Published already" in workflow.step("preview").summary
    assert len(workflow.tracker.asked) == 1


@pytest.mark.parametrize(("status", "words"), [(403, "OPHIUCHUS_GITHUB_TOKEN"), (429, "rate limited")])
def test_a_failure_says_what_to_mend(workflow: Workflow, status: int, words: str) -> None:
    init_receipts(workflow)
    workflow.tracker.status = status
    left = workflow.step("publish", approve=workflow.step("preview").outputs["view_digest"])
    assert (left.status, left.outputs["deliveries"]) == (3, '{"tracker":"failed"}')
    assert words in left.summary


def test_a_refusal_is_told_on_every_surface_and_sends_nothing(workflow: Workflow) -> None:
    init_receipts(workflow)
    left = workflow.step("publish", approve="0" * 64)
    assert (left.status, left.outputs["passed"]) == (4, "false")
    assert "Refused, nothing was sent" in left.summary
    (error,) = left.annotations("error")
    assert error.properties["title"] == "not publishable: approval"
    assert workflow.tracker.asked == []


@pytest.mark.parametrize("approve", ["", " ", "yes"])
def test_an_approval_that_is_none_is_no_approval(workflow: Workflow, approve: str) -> None:
    """A forgotten output is blank, and blank must not mean that nobody has to approve."""
    init_receipts(workflow)
    left = workflow.step("publish", approve=approve)
    assert left.status == 2
    assert "nothing could be published" in left.summary
    assert workflow.tracker.asked == []


def test_a_missing_branch_of_receipts_is_no_fresh_start(workflow: Workflow) -> None:
    """C022: what cannot be read is never taken for empty."""
    digest = workflow.step("preview").outputs["view_digest"]
    left = workflow.step("publish", approve=digest)
    assert left.status == 2
    assert "receipts init" in left.summary
    assert workflow.tracker.asked == []


def test_an_outcome_that_nobody_knows_says_what_to_do(workflow: Workflow) -> None:
    """C029: a 502 after the write is ambiguous, and is not sent again."""
    init_receipts(workflow)
    workflow.tracker.status = 502
    digest = workflow.step("preview").outputs["view_digest"]
    left = workflow.step("publish", approve=digest)
    assert (left.status, left.outputs["deliveries"]) == (3, '{"tracker":"ambiguous"}')
    assert "ophiuchus receipts resolve" in left.summary
    workflow.step("publish", approve=digest)
    assert len(workflow.tracker.asked) == 1


def test_the_credential_is_masked_before_anything_else_and_shown_nowhere(workflow: Workflow) -> None:
    init_receipts(workflow)
    workflow.tracker.status = 401
    left = workflow.step("publish", approve=workflow.step("preview").outputs["view_digest"])
    assert left.status == 3
    assert left.stdout.startswith("::add-mask::")
    assert TOKEN in [command.data for command in left.commands if command.name == "add-mask"]
    assert TOKEN not in left.log + left.stderr + left.summary + "".join(left.outputs.values())


def test_a_preview_reads_no_credential(workflow: Workflow) -> None:
    left = workflow.step("preview")
    assert left.status == 0
    assert TOKEN not in left.stdout + left.stderr + left.summary


def test_an_event_that_anybody_can_start_publishes_nothing(workflow: Workflow) -> None:
    init_receipts(workflow)
    digest = workflow.step("preview").outputs["view_digest"]
    left = workflow.step("publish", event="issue_comment", approve=digest)
    assert left.status == 4
    assert workflow.tracker.asked == []


def test_a_condition_to_publish_that_is_none_is_named(workflow: Workflow) -> None:
    left = workflow.step("preview", publish_when="always")
    assert left.status == 2
    assert "publish_when" in left.annotations("error")[0].data
