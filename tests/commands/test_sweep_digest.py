"""`ophiuchus sweep --digest-to`: shown unless somebody asks, sent once for each state, with its own gate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import built_reports
import pytest
from canaries import told
from closed_world import closed_world
from command_run import CommandRun, capsule, paths
from git_repository import ENV
from local_step import SOURCE
from publishing_project import NAME, Project

from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.report.serial import report_bytes

SLACK = "/slack/chat.postMessage"
ALLOWED = "OPHIUCHUS_ALLOWED_TARGETS"
CHAT = "slack:C0123ABCD"


def sweep(
    here: Project, receipts: Path, *words: str, to: tuple[str, ...] = ("chat",), **changed: str | None
) -> CommandRun:
    aliases = [word for alias in to for word in ("--digest-to", alias)]
    where = ("--receipts", f"file:{receipts}", "--format", "json")
    done = CommandRun(here.top, "sweep", *aliases, *where, *words, env=here.env(**changed))
    assert told(done.out + done.err) == []
    return done


def shown(here: Project, receipts: Path, *words: str, to: tuple[str, ...] = ("chat",)) -> str:
    done = sweep(here, receipts, *words, to=to)
    assert done.status == 0, done.err
    digest: str = done.json["view_digest"]
    return digest


def rules(done: CommandRun) -> list[str]:
    return [one["rule"] for one in done.json["refused"]]


def outcomes(done: CommandRun) -> dict[str, str]:
    return {one["destination"]: one["outcome"] for one in done.json["deliveries"]}


def reported(
    folder: Path, repository: str | None = "octo/far", names: tuple[str, ...] = ("far-1", "far-2")
) -> Path:
    """A folder with one report, of capsules that need action."""
    folder.mkdir(exist_ok=True)
    stale = (
        built_reports.capsule(name, Aggregate.STALE, built_reports.condition(Verdict.STALE)) for name in names
    )
    (folder / "far.json").write_bytes(report_bytes(built_reports.report(*stale, repository=repository)))
    return folder


def test_it_is_only_shown_unless_somebody_asks(here: Project, receipts: Path) -> None:
    done = sweep(here, receipts, to=("chat", "team"))
    assert done.status == 0, done.err
    said = done.json
    assert (said["preview"], said["capsule_id"], said["sweep_of"]) == (True, None, NAME)
    assert [one["destination"] for one in said["previews"]] == ["chat", "team"]
    assert "need action" in said["previews"][0]["readable"]
    assert (here.services.arrived, receipts.read_bytes()) == ([], b"")


def test_what_was_approved_is_sent_once_however_often_it_is_run(here: Project, receipts: Path) -> None:
    digest = shown(here, receipts, to=("chat", "team"))
    first = sweep(here, receipts, "--approve", digest, to=("chat", "team"))
    assert (first.status, outcomes(first)) == (0, {"chat": "published", "team": "published"}), first.err
    again = sweep(here, receipts, "--approve", digest, to=("chat", "team"))
    assert (again.status, outcomes(again)) == (0, outcomes(first))
    assert [one["written_now"] for one in again.json["deliveries"]] == [False, False]
    assert len(here.services.arrived) == 2
    assert len({json.loads(line)["claim_key"] for line in receipts.read_text().splitlines()}) == 2


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A folder with the report of another repository, in which two capsules need action."""
    return reported(tmp_path / "reports")


def test_what_others_report_is_told_as_it_was_approved_and_once(
    here: Project, receipts: Path, reports: Path
) -> None:
    folder = ("--reports", str(reports))
    digest = shown(here, receipts, *folder)
    assert digest != shown(here, receipts)
    first = sweep(here, receipts, *folder, "--approve", digest)
    assert (first.status, outcomes(first)) == (0, {"chat": "published"}), first.err
    (sent,) = here.services.arrived
    assert (
        f"5 hand-offs need action and 2 files have a problem in* `{NAME}` *and 1 other" in sent.json["text"]
    )
    assert "far-1" in sent.json["text"]
    for approve in (digest, "none"):
        again = sweep(here, receipts, *folder, "--approve", approve, OPHIUCHUS_ALLOWED_TARGETS=CHAT)
        assert (again.status, outcomes(again)) == (0, {"chat": "published"}), again.out
    assert len(here.services.arrived) == 1


def test_what_others_report_is_not_sent_unattended(here: Project, receipts: Path, reports: Path) -> None:
    done = sweep(
        here, receipts, "--reports", str(reports), "--approve", "none", OPHIUCHUS_ALLOWED_TARGETS=CHAT
    )
    assert (done.status, rules(done)) == (4, ["unattended_report"])
    assert here.services.arrived == []


@pytest.mark.parametrize("repository", [NAME, NAME.upper(), None])
def test_what_is_reported_of_this_repository_decides_nothing(
    here: Project, receipts: Path, tmp_path: Path, repository: str | None
) -> None:
    folder = reported(tmp_path / "own", repository)
    assert shown(here, receipts, "--reports", str(folder)) == shown(here, receipts)


def test_reports_that_moved_on_are_not_what_was_approved(
    here: Project, receipts: Path, reports: Path
) -> None:
    digest = shown(here, receipts, "--reports", str(reports))
    reported(reports, names=("far-1", "far-3"))
    done = sweep(here, receipts, "--reports", str(reports), "--approve", digest)
    assert (done.status, rules(done)) == (4, ["approval"])
    assert here.services.arrived == []


def test_a_report_that_cannot_be_read_is_warned_of_and_a_folder_without_any_is_refused(
    here: Project, receipts: Path, reports: Path, tmp_path: Path
) -> None:
    (reports / "torn.json").write_text("{")
    done = sweep(here, receipts, "--reports", str(reports))
    assert done.status == 0
    assert "torn.json" in done.err
    assert sweep(here, receipts, "--reports", str(tmp_path / "nowhere")).status == 2


def test_reports_are_for_a_digest_only(here: Project, reports: Path) -> None:
    done = CommandRun(here.top, "sweep", "--reports", str(reports), env=here.env())
    assert done.status == 2
    assert "--digest-to" in done.err


def test_a_changed_state_is_a_new_message(here: Project, receipts: Path, tmp_path: Path) -> None:
    sweep(here, receipts, "--approve", "none", OPHIUCHUS_ALLOWED_TARGETS=CHAT)
    worse = capsule("worse", paths("docs/**", base=here.base))
    with here.moved({".ophiuchus/worse.json": worse}) as commit:
        later = here.checked_out(commit, tmp_path / "later")
        done = sweep(later, receipts, "--approve", "none", GITHUB_SHA=commit, OPHIUCHUS_ALLOWED_TARGETS=CHAT)
        assert outcomes(done) == {"chat": "published"}, done.err
        sweep(later, receipts, "--approve", "none", GITHUB_SHA=commit, OPHIUCHUS_ALLOWED_TARGETS=CHAT)
    assert [one.path for one in here.services.arrived] == [SLACK, SLACK]


def test_nothing_is_sent_where_nothing_needs_action(here: Project, tmp_path: Path) -> None:
    """Not even receipts are needed then."""
    only_good = ("--capsules", ".ophiuchus/good.json")
    for approve in ((), ("--approve", "none"), ("--approve", "0" * 64)):
        done = sweep(here, tmp_path / "nowhere" / "r.jsonl", *only_good, *approve)
        assert done.status == 0, done.err
        assert (done.json["previews"], done.json["deliveries"], done.json["warnings"]) == ([], [], [])
    assert here.services.arrived == []


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"GITHUB_EVENT_NAME": "issue_comment"}, "event"),
        ({"GITHUB_REF": "refs/heads/other"}, "branch"),
        ({"GITHUB_SHA": "0" * 40}, "head"),
    ],
)
def test_a_run_that_may_not_publish_sends_no_digest(
    here: Project, receipts: Path, changed: dict[str, Any], rule: str
) -> None:
    done = sweep(here, receipts, "--approve", shown(here, receipts), **changed)
    assert (done.status, rules(done)) == (4, [rule])
    assert here.services.arrived == []


def test_another_digest_than_the_approved_one_is_not_sent(here: Project, receipts: Path) -> None:
    done = sweep(here, receipts, "--approve", "0" * 64)
    assert (done.status, rules(done)) == (4, ["approval"])
    assert here.services.arrived == []


def test_what_was_approved_for_one_channel_is_not_sent_to_two(here: Project, receipts: Path) -> None:
    done = sweep(here, receipts, "--approve", shown(here, receipts), to=("chat", "team"))
    assert rules(done) == ["approval"]
    assert here.services.arrived == []


def test_without_approval_only_what_the_list_names_is_told(here: Project, receipts: Path) -> None:
    done = sweep(here, receipts, "--approve", "none", to=("chat", "team"), OPHIUCHUS_ALLOWED_TARGETS=CHAT)
    assert rules(done) == ["unattended_target"]
    assert outcomes(done) == {"chat": "published"}
    assert [one.path for one in here.services.arrived] == [SLACK]


def test_a_moved_branch_with_another_state_is_not_told_of(here: Project, receipts: Path) -> None:
    digest = shown(here, receipts)
    with here.moved({".ophiuchus/worse.json": capsule("worse", paths("docs/**", base=here.base))}):
        done = sweep(here, receipts, "--approve", digest)
    assert (done.status, rules(done)) == (4, ["tip_moved"])
    assert here.services.arrived == []


def test_a_moved_branch_with_the_same_state_is(here: Project, receipts: Path) -> None:
    digest = shown(here, receipts)
    with here.moved({"unrelated.txt": "1\n"}):
        done = sweep(here, receipts, "--approve", digest)
    assert (done.status, outcomes(done)) == (0, {"chat": "published"}), done.out


def test_how_deep_the_checkout_is_changes_nothing(here: Project, receipts: Path, tmp_path: Path) -> None:
    """It is judged on what the server has, not on what the clone has."""
    digest = shown(here, receipts)
    shallow = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", here.origin.top.as_uri(), str(shallow)], check=True, env=ENV
    )
    assert shown(here.at(shallow), receipts) == digest


def test_an_ambiguous_digest_is_not_sent_again(here: Project, receipts: Path) -> None:
    here.services.instead = {"slack": (502, b"{}")}
    digest = shown(here, receipts)
    first = sweep(here, receipts, "--approve", digest)
    here.services.instead = {}
    second = sweep(here, receipts, "--approve", digest)
    assert (first.status, second.status) == (3, 3)
    assert (outcomes(first), outcomes(second)) == ({"chat": "ambiguous"}, {"chat": "ambiguous"})
    assert len(here.services.arrived) == 1


def test_a_tracker_is_no_channel(here: Project, receipts: Path) -> None:
    done = sweep(
        here, receipts, "--approve", "none", to=("tracker",), OPHIUCHUS_ALLOWED_TARGETS=f"github:{NAME}"
    )
    assert done.status == 2
    assert "tracker is at github" in done.err
    assert here.services.arrived == []


def test_torn_receipts_send_nothing(here: Project, receipts: Path) -> None:
    digest = shown(here, receipts)
    receipts.write_text('{"claim_key": "4f')
    assert sweep(here, receipts, "--approve", digest).status == 2
    assert "could not be read" in sweep(here, receipts).json["warnings"][0]
    assert here.services.arrived == []


@pytest.mark.parametrize(
    "words",
    [
        ("--at", "2026-07-01T12:00:00Z"),
        ("--tree", "HEAD~1"),
        ("--shard", "1/2"),
        ("--most", "3"),
        ("--fail-on", "any"),
        ("--format", "sarif"),
    ],
)
def test_what_a_digest_cannot_be_of_is_refused(here: Project, receipts: Path, words: tuple[str, ...]) -> None:
    done = sweep(here, receipts, *words)
    assert done.status == 2
    assert words[0] in done.err


@pytest.mark.parametrize("approve", ["", " ", "yes"])
def test_an_approval_that_is_none_is_refused(here: Project, receipts: Path, approve: str) -> None:
    assert sweep(here, receipts, "--approve", approve, OPHIUCHUS_ALLOWED_TARGETS=CHAT).status == 2
    assert here.services.arrived == []


def test_an_approval_of_nothing_is_refused(here: Project) -> None:
    done = CommandRun(here.top, "sweep", "--approve", "none", env=here.env())
    assert done.status == 2
    assert "--digest-to" in done.err


def test_without_the_repository_s_name_nothing_is_told(here: Project, receipts: Path) -> None:
    done = sweep(here.on_a_laptop(), receipts, GITHUB_REPOSITORY=None)
    assert done.status == 2
    assert "GITHUB_REPOSITORY" in done.err


def test_a_person_shows_it_in_words(here: Project) -> None:
    done = CommandRun(here.top, "sweep", "--digest-to", "chat", env=here.on_a_laptop().env())
    assert done.status == 0
    assert f"Preview of {NAME}: nothing was sent" in done.out
    assert "View digest: " in done.out


def test_showing_it_imports_no_provider_and_opens_no_connection(
    here: Project, receipts: Path, tmp_path: Path
) -> None:
    hook = closed_world(tmp_path / "hook")
    env: dict[str, Any] = {**ENV, **here.on_a_laptop().env()}
    command = [sys.executable, "-B", "-m", "ophiuchus.cli", "sweep", "--digest-to", "chat"]
    ran = [
        subprocess.run(
            [*command, "--receipts", f"file:{receipts}", *words],
            cwd=here.top,
            env={**env, "PYTHONPATH": os.pathsep.join(map(str, (hook, SOURCE))), ALLOWED: CHAT},
            capture_output=True,
            text=True,
            check=False,
        )
        for words in ((), ("--approve", "none"))
    ]
    assert [one.returncode for one in ran] == [0, 70], ran[0].stderr


def test_a_capsule_cannot_stand_in_a_digest_s_place(here: Project, receipts: Path, tmp_path: Path) -> None:
    name = f"sweep.{'0' * 16}.{'1' * 32}.{'2' * 16}"
    with here.moved({".ophiuchus/odd.json": capsule(name, paths("src/**", base=here.base))}) as commit:
        there = here.checked_out(commit, tmp_path / "later").on_a_laptop()
        assert there.preview(name, "chat", receipts=receipts)["refused"][0]["rule"] == "ambiguous_capsule"
