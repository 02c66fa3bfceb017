"""A preview shows exactly what would be sent, and touches no provider, credential or network."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from action_step import Event
from canaries import CANARIES, CREDENTIALS, TOKEN_COMMAND, told
from closed_world import closed_world
from command_run import NOW, CommandRun
from git_repository import ENV
from local_step import SOURCE, LocalStep, Outcome
from publishing_project import ALIASES, NAME, Project

from ophiuchus import cli
from ophiuchus.commands.edge import Edge
from ophiuchus.text.terminal import Terminal

TO_ALL = [word for alias in ALIASES for word in ("--to", alias)]


def run_closed(here: Project, hook: Path, receipts: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`publish good` in a Python that refuses providers and sockets; if we can, without a network."""
    python = [sys.executable, "-B", "-m", "ophiuchus.cli"]
    command = [*alone(), *python, "publish", "good", *TO_ALL, "--receipts", f"file:{receipts}", *words]
    env = {**ENV, **here.on_a_laptop().env()}
    path = os.pathsep.join(map(str, (hook, SOURCE)))
    return subprocess.run(
        command, cwd=here.top, env={**env, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


def alone() -> list[str]:
    """A command's beginning that gives it no network, where this system lets us."""
    words = ["unshare", "--user", "--map-root-user", "--net"]
    try:
        tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return []
    return words if tried.returncode == 0 else []


def test_a_preview_imports_no_provider_and_opens_no_connection(
    here: Project, receipts: Path, tmp_path: Path
) -> None:
    hook = closed_world(tmp_path / "hook")
    done = run_closed(here, hook, receipts, "--preview", "--format", "json")
    assert done.returncode == 0, done.stderr
    account = json.loads(done.stdout)
    assert [one["destination"] for one in account["previews"]] == list(ALIASES)
    assert account["view_digest"] == here.digest("good", *ALIASES)
    assert told(done.stdout + done.stderr) == []
    # The same Python notices a run that is no preview.
    sent = run_closed(here, hook, receipts, "--approve", account["view_digest"])
    assert sent.returncode == 70
    assert "AssertionError" in sent.stderr
    assert told(sent.stdout + sent.stderr) == []
    assert here.services.arrived == []


class Watched(Mapping[str, str]):
    """An environment that remembers which of its variables were read."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.read.add(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        self.read |= set(self._values)
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def watched(here: Project, receipts: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> set[str]:
    """The variables that one run reads."""
    env = Watched({**ENV, **here.env(**{TOKEN_COMMAND: "false"})})
    out = io.StringIO()
    monkeypatch.chdir(here.top)
    receipt = ("--receipts", f"file:{receipts}")
    edge = Edge(env, NOW, io.BytesIO(), Terminal(out, out), out)
    assert cli.main(["publish", "good", *TO_ALL, *receipt, *words], edge) in (0, 3), out.getvalue()
    return env.read


def test_a_preview_reads_no_credential(
    here: Project, receipts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = here.on_a_laptop()
    read = watched(here, receipts, monkeypatch, "--preview")
    assert read & {*CREDENTIALS, TOKEN_COMMAND} == set()
    assert "OPHIUCHUS_JIRA_BASE_URL" in read
    sent = watched(here, receipts, monkeypatch, "--approve", here.digest("good", *ALIASES))
    assert {"OPHIUCHUS_GITHUB_TOKEN", TOKEN_COMMAND} <= sent


def test_a_preview_shows_what_then_is_sent_and_claims_nothing(here: Project, receipts: Path) -> None:
    said = here.preview("good", *ALIASES, receipts=receipts)
    assert receipts.read_bytes() == b""
    assert here.services.arrived == []
    done = here.publish("good", *ALIASES, receipts=receipts, approve=said["view_digest"])
    assert done.json["view_digest"] == said["view_digest"]
    for shown, arrived in zip(said["previews"], here.services.arrived, strict=True):
        assert shown["content"].items() <= arrived.json.items()


def test_a_preview_tells_what_would_be_refused_and_is_no_failure(here: Project, receipts: Path) -> None:
    said = here.preview("stale", receipts=receipts)
    assert [one["rule"] for one in said["refused"]] == ["publish_when"]


def test_a_preview_works_without_receipts_and_says_so(here: Project, tmp_path: Path) -> None:
    said = here.preview("good", receipts=tmp_path / "none")
    assert "receipts could not be read" in said["warnings"][0]


def first_lines(here: Project, receipts: Path, *words: str) -> tuple[str, bool]:
    """A run's headline, as a person reads it, and whether it says that something is to be approved."""
    words = ("publish", *words, "--receipts", f"file:{receipts}")
    text = CommandRun(here.top, *words, env=here.on_a_laptop().env()).out
    return text.splitlines()[0].lstrip("# "), "Approve exactly" in text


@pytest.mark.parametrize(
    ("words", "said", "approving"),
    [
        (("good", "--to", "tracker"), "nothing was sent", True),
        (("stale", "--to", "tracker"), "it would be refused", False),
        (("stale", "--to", "tracker", "--to", "chat"), "it would be refused for 1 of 2", True),
    ],
)
def test_a_preview_asks_for_an_approval_only_of_what_would_then_be_sent(
    here: Project, receipts: Path, words: tuple[str, ...], said: str, approving: bool
) -> None:
    shown = first_lines(here, receipts, *words, "--preview")
    assert shown == (f"Preview of {words[0]}: {said}", approving)


def test_a_preview_without_receipts_asks_for_no_approval(here: Project, tmp_path: Path) -> None:
    shown = first_lines(here, tmp_path / "none", "good", "--to", "tracker", "--preview")
    assert shown == ("Preview of good: nothing was sent", False)


def test_what_is_published_already_is_not_told_as_published_now(here: Project, receipts: Path) -> None:
    words = ("good", "--to", "tracker")
    approved = (*words, "--approve", here.digest("good"))
    assert first_lines(here, receipts, *approved)[0] == "Published to 1 of 1: good"
    assert first_lines(here, receipts, *approved)[0] == "Published already, nothing was sent now: good"
    shown = first_lines(here, receipts, *words, "--preview")
    assert shown == ("Preview of good: it is published already", False)


# The same digest, however deep the clone is.


@pytest.mark.parametrize("name", ["both", "anchored"])
def test_every_clone_gives_the_digest_that_publishing_gives(
    here: Project, receipts: Path, tmp_path: Path, name: str
) -> None:
    shallow = here.checked_out(here.head, tmp_path / "shallow", "--depth=1")
    digests = {place.preview(name, receipts=receipts)["view_digest"] for place in (here, shallow)}
    assert len(digests) == 1
    done = shallow.publish(name, receipts=receipts, approve=digests.pop())
    assert done.status == 0, done.out


# Two jobs of a workflow.


def step(here: Project, folder: Path, **inputs: str) -> Outcome:
    """One step of the action in the project's checkout, credentials and all."""
    payload = {"repository": {"full_name": NAME, "default_branch": "main"}}
    env = {**here.env(), "OPHIUCHUS_ALLOWED_TARGETS": ""}
    del env["GITHUB_EVENT_PATH"]
    done = LocalStep(
        folder,
        here.top,
        Event("workflow_dispatch", "refs/heads/main", here.head, payload),
        NAME,
        inputs={"capsule": "good", "github_token": CANARIES["GITHUB_TOKEN"], **inputs},
        env=env,
    ).run()
    assert told(done.log + done.summary + json.dumps(dict(done.outputs))) == []
    return done


def test_one_job_previews_and_another_publishes_what_was_approved(
    here: Project, receipts: Path, tmp_path: Path
) -> None:
    common = {"destinations": "tracker, chat", "receipts": f"file:{receipts}"}
    shown = step(here, tmp_path / "1", mode="preview", **common)
    assert shown.status == 0, shown.log
    assert here.services.arrived == []
    assert shown.outputs["deliveries"] == "{}"
    assert shown.outputs["view_digest"] in shown.summary
    blank = step(here, tmp_path / "2", mode="publish", approve="", **common)
    assert blank.status == 2
    assert here.services.arrived == []
    done = step(here, tmp_path / "3", mode="publish", approve=shown.outputs["view_digest"], **common)
    assert done.status == 0, done.log
    assert json.loads(done.outputs["deliveries"]) == {"tracker": "published", "chat": "published"}
    assert len(here.services.arrived) == 2
