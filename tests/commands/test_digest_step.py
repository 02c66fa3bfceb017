"""The action's `digest_to` in mode sweep: shown by default, sent where somebody asked, told everywhere."""

from __future__ import annotations

import io
import secrets
import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import built_reports
import pytest
from action_step import Event
from canaries import CREDENTIALS, told
from git_repository import ENV as GIT_ENV
from local_step import LocalStep, Outcome
from publishing_project import NAME, Project
from runner_model import read_file_commands

from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.cli import main
from ophiuchus.commands.edge import Edge, ExitStatus, worst_of
from ophiuchus.report.serial import report_bytes
from ophiuchus.text.terminal import Terminal

ALLOWED = {"OPHIUCHUS_ALLOWED_TARGETS": "slack:C0123ABCD"}
GOOD = ".ophiuchus/good.json"
STALE = ".ophiuchus/stale.json"


@pytest.fixture(autouse=True)
def _quiet(here: Project) -> Iterator[None]:
    yield
    here.services.forget()


def step(
    here: Project, folder: Path, env: Mapping[str, str] = {}, event: str = "schedule", **inputs: str
) -> Outcome:
    """One sweep in this process, without an issue, over the one stale capsule."""
    payload = {"repository": {"full_name": NAME, "default_branch": "main"}}
    asked = LocalStep(
        folder / f"runner-{secrets.token_hex(4)}",
        here.top,
        Event(event, "refs/heads/main", here.head, payload),
        NAME,
        {
            "mode": "sweep",
            "comment": "never",
            "capsules": STALE,
            "digest_to": "chat",
            "receipts": f"file:{folder / 'receipts.jsonl'}",
            "github_token": "ghs_" + "0" * 36,
            **inputs,
        },
        {**here.services.env(), "GITHUB_SERVER_URL": here.git.url, **CREDENTIALS, **env},
    )
    (folder / "receipts.jsonl").touch()
    out, err = io.StringIO(), io.StringIO()
    environment = {**GIT_ENV, **asked.environment()}
    status = main(["action"], Edge(environment, datetime.now(UTC), io.BytesIO(), Terminal(out, err), out))
    left = Outcome(
        status=status,
        stdout=out.getvalue(),
        stderr=err.getvalue(),
        outputs=read_file_commands(asked.files["GITHUB_OUTPUT"].read_text()),
        summary=asked.files["GITHUB_STEP_SUMMARY"].read_text(),
    )
    assert told(left.log + left.summary + "".join(left.outputs.values())) == []
    return left


def test_it_is_shown_and_not_sent_by_default(here: Project, tmp_path: Path) -> None:
    left = step(here, tmp_path)
    assert left.status == 0, left.stderr
    assert f"Preview of `{NAME}`: nothing was sent" in left.summary
    assert "Action required: 1 of 1 capsule needs action" in left.summary
    assert len(left.outputs["view_digest"]) == 64
    assert (left.outputs["verdict"], left.outputs["deliveries"]) == ("stale", "{}")
    assert here.services.arrived == []


def test_what_was_approved_is_sent_once(here: Project, tmp_path: Path) -> None:
    digest = step(here, tmp_path).outputs["view_digest"]
    for _ in range(2):
        left = step(here, tmp_path, event="workflow_dispatch", approve=digest)
        assert (left.status, left.outputs["deliveries"]) == (0, '{"chat":"published"}'), left.stdout
        assert left.outputs["verdict"] == "stale"
    assert len(here.services.arrived) == 1


def test_on_a_schedule_it_is_sent_to_what_the_list_names(here: Project, tmp_path: Path) -> None:
    left = step(here, tmp_path, ALLOWED)
    assert (left.status, left.outputs["deliveries"]) == (0, '{"chat":"published"}'), left.stdout
    (sent,) = here.services.arrived
    assert "1 hand-off needs action" in sent.json["text"]
    assert NAME in sent.json["text"]
    secret = CREDENTIALS["OPHIUCHUS_SLACK_BOT_TOKEN"]
    assert secret in [command.data for command in left.commands if command.name == "add-mask"]


@pytest.fixture
def reports(here: Project) -> Iterator[str]:
    """A folder of the workspace with the report of another repository, in which one capsule needs action."""
    folder = here.top / "reports"
    folder.mkdir()
    stale = built_reports.capsule("far", Aggregate.STALE, built_reports.condition(Verdict.STALE))
    (folder / "far.json").write_bytes(report_bytes(built_reports.report(stale, repository="octo/far")))
    yield folder.name
    shutil.rmtree(folder)


def test_of_joined_reports_a_person_sees_and_approves_what_is_told(
    here: Project, tmp_path: Path, reports: str
) -> None:
    left = step(here, tmp_path, reports=reports)
    assert left.status == 0, left.stderr
    assert f"2 hand-offs need action in* `{NAME}` *and 1 other repository" in left.summary
    digest = left.outputs["view_digest"]
    left = step(here, tmp_path, event="workflow_dispatch", approve=digest, reports=reports)
    assert (left.status, left.outputs["deliveries"]) == (0, '{"chat":"published"}'), left.stdout
    left = step(here, tmp_path, ALLOWED, reports=reports)
    assert (left.status, left.outputs["deliveries"]) == (0, '{"chat":"published"}'), left.stdout
    (sent,) = here.services.arrived
    assert "far" in sent.json["text"]


def test_of_joined_reports_nothing_goes_out_that_nobody_approved(
    here: Project, tmp_path: Path, reports: str
) -> None:
    left = step(here, tmp_path, ALLOWED, reports=reports)
    assert left.status == ExitStatus.REFUSED
    assert "not publishable for chat: unattended report" in [
        one.properties["title"] for one in left.annotations("error")
    ]
    assert here.services.arrived == []


def test_a_clean_sweep_posts_nothing(here: Project, tmp_path: Path) -> None:
    left = step(here, tmp_path, ALLOWED, capsules=GOOD)
    assert (left.status, left.outputs["view_digest"], left.outputs["deliveries"]) == (0, "", "{}")
    assert "Nothing needs action, nothing is sent" in left.summary
    assert here.services.arrived == []


def test_a_refusal_is_an_error_and_the_sweep_is_told_all_the_same(here: Project, tmp_path: Path) -> None:
    left = step(here, tmp_path, approve="0" * 64)
    assert left.status == ExitStatus.REFUSED
    assert left.outputs["verdict"] == "stale"
    assert "not publishable: approval" in [one.properties["title"] for one in left.annotations("error")]
    assert here.services.arrived == []


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"approve": " "}, "neither a view digest"),
        ({"digest_to": "tracker"}, "tracker is at github"),
        ({"digest_to": "nowhere"}, "has no destination"),
    ],
)
def test_what_cannot_be_sent_is_told_beside_the_sweep(
    here: Project, tmp_path: Path, inputs: dict[str, str], said: str
) -> None:
    left = step(here, tmp_path, ALLOWED, **inputs)
    assert left.status == ExitStatus.BAD_INPUT
    assert left.outputs["verdict"] == "stale"
    assert "Action required: no digest was sent" in left.summary
    assert said in left.annotations("error")[-1].data
    assert here.services.arrived == []


def test_a_failed_delivery_beats_the_verdict(here: Project, tmp_path: Path) -> None:
    here.services.instead = {"slack": (200, b'{"ok": false, "error": "not_in_channel"}')}
    left = step(here, tmp_path, ALLOWED, fail_on="stale")
    assert (left.status, left.outputs["deliveries"]) == (ExitStatus.DELIVERY, '{"chat":"failed"}')
    assert left.outputs["passed"] == "false"


def test_a_sweep_without_a_channel_needs_no_credential(here: Project, tmp_path: Path) -> None:
    left = step(here, tmp_path, digest_to="", approve="")
    assert left.status == 0
    masked = [command.data for command in left.commands if command.name == "add-mask"]
    assert CREDENTIALS["OPHIUCHUS_SLACK_BOT_TOKEN"] not in masked


def test_a_shard_tells_no_channel(here: Project, tmp_path: Path) -> None:
    left = step(here, tmp_path, ALLOWED, shard="1/2")
    assert left.status == ExitStatus.BAD_INPUT
    assert "digest_to" in left.annotations("error")[0].data
    assert here.services.arrived == []


def test_the_worst_status_beats_the_others() -> None:
    """Design §5: 70 beats 2 beats 3 beats 4 beats 1."""
    order = [ExitStatus(number) for number in (70, 2, 3, 4, 1, 0)]
    assert [worst_of(*order[at:][::-1]) for at in range(len(order))] == order
