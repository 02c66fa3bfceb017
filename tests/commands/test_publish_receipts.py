"""What `publish` does about receipts: once, to what the parent became, and honestly where it is not known."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from canaries import CREDENTIALS, forms, told
from command_run import CommandRun, capsule, paths
from git_repository import ENV
from publishing_project import ALIASES, NAME, Project

from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.delivery import CLAIM
from ophiuchus.publish.receipts import Receipt, ReceiptStatus, claim_key, idempotency_key, target_digest
from ophiuchus.text.instant import format_instant

GITHUB = ProviderName.GITHUB


@pytest.fixture
def here(here: Project) -> Project:
    """The project where a person publishes: receipts know of no workflow."""
    return here.on_a_laptop()


@pytest.fixture
def job(here: Project) -> Project:
    """The same where a workflow publishes."""
    return replace(here, settings={})


def row(
    here: Project, capsule_id: str, status: ReceiptStatus, reference: str | None = None
) -> dict[str, Any]:
    """A receipt for the tracker that anybody who can write there could make."""
    origin = here.services.env()["OPHIUCHUS_GITHUB_API_URL"]
    return Receipt(
        claim_key=claim_key(capsule_id, GITHUB, origin, NAME),
        capsule_id=capsule_id,
        provider=GITHUB,
        operation=Operation.CREATE,
        destination_alias="tracker",
        target_digest=target_digest(GITHUB, origin, NAME),
        payload_digest="0a" * 32,
        idempotency_key=idempotency_key(capsule_id, GITHUB, NAME, Operation.CREATE),
        status=status,
        external_reference=reference,
        nonce="0b" * 16,
        at="2026-01-01T00:00:00Z",
        claimed_until="2026-01-01T00:10:00Z",
    ).model_dump(mode="json")


def keep(receipts: Path, *rows: dict[str, Any]) -> None:
    receipts.write_text("".join(json.dumps(one) + "\n" for one in rows))


def outcomes(done: CommandRun) -> dict[str, str]:
    return {one["destination"]: one["outcome"] for one in done.json["deliveries"]}


def rules(done: CommandRun) -> set[str]:
    return {one["rule"] for one in done.json["refused"]}


# Once.


def test_c061_the_same_again_is_done_and_other_content_is_refused(
    here: Project, receipts: Path, tmp_path: Path
) -> None:
    digest = here.digest("good")
    first = here.publish("good", receipts=receipts, approve=digest)
    again = here.publish("good", receipts=receipts, approve=digest)
    assert (first.status, again.status) == (0, 0)
    assert [done.json["deliveries"][0]["written_now"] for done in (first, again)] == [True, False]
    edited = capsule("good", paths("src/**", base=here.base), state="all done")
    with here.moved({".ophiuchus/good.json": edited}) as commit:
        there = here.checked_out(commit, tmp_path / "later")
        approve = there.preview("good", receipts=receipts)["view_digest"]
        other = there.publish("good", receipts=receipts, approve=approve)
    assert (other.status, rules(other)) == (4, {"other_content"})
    assert len(here.services.arrived) == 1


def test_what_is_there_already_needs_nobody_to_approve_it_again(here: Project, receipts: Path) -> None:
    unapproved = here.publish("good", receipts=receipts)
    assert (unapproved.status, unapproved.json["deliveries"]) == (4, [])
    assert here.publish("good", receipts=receipts, approve=here.digest("good")).status == 0
    again = here.publish("good", receipts=receipts)
    assert (again.status, again.json["refused"]) == (0, [])
    assert outcomes(again) == {"tracker": "published"}
    assert len(here.services.arrived) == 1


CHANGED: dict[str, Callable[[Project], dict[str, str | None]]] = {
    "edited": lambda here: {
        ".ophiuchus/good.json": capsule("good", paths("src/**", base=here.base), state="all done")
    },
    "continued": lambda here: {
        ".ophiuchus/next.json": capsule("next", paths("src/**", base=here.base), parent_capsule_id="good")
    },
    "stale": lambda _: {"src/a.py": "2\n"},
}


@pytest.mark.parametrize("change", CHANGED)
def test_c061_what_would_say_something_else_now_is_refused_with_where_it_is(
    here: Project, receipts: Path, tmp_path: Path, change: str
) -> None:
    first = here.publish("good", receipts=receipts, approve=here.digest("good")).json["deliveries"][0]
    with here.moved(CHANGED[change](here)) as commit:
        there = here.checked_out(commit, tmp_path / "later")
        always = ("--publish-when", "any")
        approve = there.preview("good", receipts=receipts)["view_digest"]
        again = there.publish("good", receipts=receipts, approve=approve, options=always)
        words = ("publish", "good", "--to", "tracker", "--approve", approve, *always)
        said = CommandRun(there.top, *words, "--receipts", f"file:{receipts}", env=there.env()).out
    (refusal,) = again.json["refused"]
    assert (again.status, refusal["rule"], refusal["destination"]) == (4, "other_content", "tracker")
    assert (refusal["reference"], refusal["url"]) == (first["reference"], first["url"])
    assert first["receipt"]["at"] in refusal["reason"]
    assert f"It is there as {first['reference']}" in " ".join(said.split())
    assert len(here.services.arrived) == 1


def test_what_was_published_otherwise_meanwhile_is_told_with_where_it_is(
    here: Project, receipts: Path
) -> None:
    other = row(here, "good", ReceiptStatus.PUBLISHED, "666")
    here.services.during = lambda _: keep(receipts, other)
    digest = here.digest("good", "chat", "tracker")
    done = here.publish("good", "chat", "tracker", receipts=receipts, approve=digest)
    (refusal,) = done.json["refused"]
    assert (refusal["rule"], refusal["destination"]) == ("other_content", "tracker")
    assert (refusal["reference"], "2026-01-01T00:00:00Z" in refusal["reason"]) == ("666", True)
    assert [one.path for one in here.services.arrived] == ["/slack/chat.postMessage"]


def test_a_rerun_touches_only_what_is_open(here: Project, receipts: Path) -> None:
    aliases = ("tracker", "board", "chat")
    digest = here.digest("good", *aliases)
    here.services.instead = {
        "jira": (500, b"{}"),
        "slack": (200, b'{"ok": false, "error": "not_in_channel"}'),
    }
    first = here.publish("good", *aliases, receipts=receipts, approve=digest)
    assert first.status == 3
    assert outcomes(first) == {"tracker": "published", "board": "ambiguous", "chat": "failed"}
    assert len(here.services.arrived) == 3
    here.services.forget()
    second = here.publish("good", *aliases, receipts=receipts, approve=digest)
    assert second.status == 3
    assert outcomes(second) == {"tracker": "published", "board": "ambiguous", "chat": "published"}
    assert [one.path for one in here.services.arrived] == ["/slack/chat.postMessage"]


# What stands there is taken for what it says, or for nothing at all.


def test_c100_a_torn_file_sends_nothing(here: Project, receipts: Path) -> None:
    receipts.write_text('{"claim_key": "4f')
    done = here.publish("good", receipts=receipts, approve=here.digest("good"))
    assert done.status == 2
    assert "cannot be read" in done.err
    assert here.services.arrived == []


def test_c022_no_file_of_receipts_sends_nothing(here: Project, tmp_path: Path) -> None:
    done = here.publish("good", receipts=tmp_path / "none", approve=here.digest("good"))
    assert done.status == 2
    assert here.services.arrived == []
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "change", [{"status": "done"}, {"token": "x"}, {"external_reference": "https://x/7"}]
)
def test_a_row_that_breaks_its_pattern_may_have_been_a_write(
    here: Project, receipts: Path, change: dict[str, str]
) -> None:
    keep(receipts, row(here, "good", ReceiptStatus.PUBLISHED, "7") | change)
    done = here.publish("good", receipts=receipts, approve=here.digest("good"))
    assert (done.status, outcomes(done)) == (3, {"tracker": "ambiguous"})
    assert here.services.arrived == []


def test_a_run_that_is_at_work_is_waited_for_and_not_settled(here: Project, receipts: Path) -> None:
    now = datetime.now(UTC)  # a claim is held against the clock, and not against the moment that is judged
    busy = {"at": format_instant(now), "claimed_until": format_instant(now + CLAIM)}
    keep(receipts, row(here, "good", ReceiptStatus.CLAIMED) | busy)
    words = ("publish", "good", "--to", "tracker", "--approve", here.digest("good"))
    done = CommandRun(here.top, *words, "--receipts", f"file:{receipts}", env=here.env())
    assert (done.status, here.services.arrived) == (3, [])
    assert "wait for it" in done.out
    assert "receipts resolve" not in done.out


def test_a_row_under_the_key_of_another_capsule_stops_everything(here: Project, receipts: Path) -> None:
    keep(receipts, row(here, "parent", ReceiptStatus.PUBLISHED, "7") | {"capsule_id": "good"})
    assert here.publish("good", receipts=receipts, approve=here.digest("good")).status == 2
    assert here.services.arrived == []


def test_a_forged_row_makes_nothing_but_silence_or_a_refusal(here: Project, receipts: Path) -> None:
    keep(receipts, row(here, "good", ReceiptStatus.PUBLISHED, "666"))
    done = here.publish("good", receipts=receipts, approve=here.digest("good"))
    assert (done.status, rules(done)) == (4, {"other_content"})
    assert here.services.arrived == []


def test_a_deleted_row_lets_it_be_written_again_as_the_threat_model_says(
    here: Project, receipts: Path
) -> None:
    for _ in range(2):
        receipts.write_bytes(b"")
        assert here.publish("good", receipts=receipts, approve=here.digest("good")).status == 0
    assert len(here.services.arrived) == 2
    page = Path(__file__).parents[2] / "docs" / "threat-model.md"
    assert "deletes a receipt" in page.read_text("utf-8")


# Create or append.


def test_a_child_is_added_to_what_its_parent_became(here: Project, receipts: Path) -> None:
    assert here.publish("parent", receipts=receipts, approve=here.digest("parent")).status == 0
    said = here.preview("child", receipts=receipts)
    assert (said["previews"][0]["operation"], said["previews"][0]["append_to"]) == ("append", "7")
    done = here.publish("child", receipts=receipts, approve=said["view_digest"])
    assert done.status == 0
    assert done.json["deliveries"][0]["reference"] == "7/99"
    assert here.services.arrived[1].path == f"/github/repos/{NAME}/issues/7/comments"


@pytest.mark.parametrize("alias", ALIASES)
def test_what_was_published_before_its_parent_is_there_already(
    here: Project, receipts: Path, alias: str
) -> None:
    for name in ("child", "parent"):
        approve = here.preview(name, alias, receipts=receipts)["view_digest"]
        assert here.publish(name, alias, receipts=receipts, approve=approve).status == 0
    said = here.preview("child", alias, receipts=receipts)
    assert said["previews"][0]["operation"] == "append"
    done = here.publish("child", alias, receipts=receipts, approve=said["view_digest"])
    (again,) = done.json["deliveries"]
    assert (again["outcome"], again["written_now"]) == ("published", False)
    assert again["operation"] == again["receipt"]["operation"] == "create"
    assert again["idempotency_key"] == again["receipt"]["idempotency_key"]
    assert len(here.services.arrived) == 2


@pytest.mark.parametrize("status", [ReceiptStatus.CLAIMED, ReceiptStatus.AMBIGUOUS])
def test_a_child_waits_until_what_became_of_its_parent_is_settled(
    here: Project, receipts: Path, status: ReceiptStatus
) -> None:
    keep(receipts, row(here, "parent", status))
    done = here.publish("child", receipts=receipts, approve=here.digest("child"))
    assert (done.status, rules(done)) == (4, {"parent_unsettled"})
    assert here.services.arrived == []


def test_a_receipt_that_names_another_place_leads_no_child_there(here: Project, receipts: Path) -> None:
    digest = here.digest("parent", "board")
    assert here.publish("parent", "board", receipts=receipts, approve=digest).status == 0
    receipts.write_text(receipts.read_text().replace("OPH-7", "OTHER-7"))
    here.services.forget()
    said = here.preview("child", "board", receipts=receipts)
    done = here.publish("child", "board", receipts=receipts, approve=said["view_digest"])
    assert (done.status, rules(done)) == (4, {"parent_unsettled"})
    assert here.services.arrived == []


@pytest.mark.parametrize("parent", ["ghost", "twin"])
def test_a_parent_that_is_not_committed_or_not_the_only_one_is_none(
    here: Project, receipts: Path, parent: str
) -> None:
    keep(receipts, row(here, parent, ReceiptStatus.PUBLISHED, "666"))
    child = f"child-of-{parent}"
    done = here.publish(child, receipts=receipts, approve=here.digest(child))
    assert (done.status, outcomes(done)) == (0, {"tracker": "published"})
    assert here.services.arrived[0].path == f"/github/repos/{NAME}/issues"


# A receipt that cannot be stored.


def test_what_cannot_be_recorded_is_told_with_how_to_settle_it(here: Project, receipts: Path) -> None:
    words = ("publish", "good", "--to", "tracker", "--approve", here.digest("good"))
    here.services.during = lambda _: receipts.unlink()
    done = CommandRun(here.top, *words, "--receipts", f"file:{receipts}", env=here.env())
    assert done.status == 3
    assert done.out.startswith("Action required: good is published to 1 of 1, not recorded at 1\n")
    assert "--published 7" in done.out


def test_c064_what_is_written_and_cannot_be_recorded_is_printed_in_full(job: Project) -> None:
    assert CommandRun(job.top, "receipts", "init", env=job.env()).status == 0
    hook = job.git.root / NAME / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)

    def refuse(_: object) -> None:
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)

    job.services.during = refuse
    digest = job.digest("good")
    try:
        done = job.publish("good", receipts=None, approve=digest)
    finally:
        hook.unlink()
    assert done.status == 3
    (delivery,) = done.json["deliveries"]
    assert (delivery["outcome"], delivery["reference"]) == ("published", "7")
    assert "a hook on the server refuses it" in delivery["unrecorded"]
    assert Receipt.model_validate(delivery["receipt"]).status is ReceiptStatus.PUBLISHED
    again = job.publish("good", receipts=None, approve=digest)
    job.origin.git("push", "-q", "origin", ":refs/heads/ophiuchus/receipts")
    assert (again.status, outcomes(again)) == (3, {"tracker": "ambiguous"})
    assert len(job.services.arrived) == 1


# What a person does about what failed.


def steps(here: Project, receipts: Path, capsule_id: str, alias: str, **env: str | None) -> list[str]:
    said = here.preview(capsule_id, alias, receipts=receipts, **env)
    done = CommandRun(
        here.top,
        *("publish", capsule_id, "--to", alias, "--approve", said["view_digest"]),
        *("--receipts", f"file:{receipts}"),
        env=here.env(**env),
    )
    assert done.status == 3
    return [line.removeprefix("- ") for line in done.out.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(
    ("alias", "answer", "words"),
    [
        ("tracker", (404, b"{}"), "look whether acme/web is there and open, and whether OPHIUCHUS_GITHUB"),
        ("tracker", (307, b"{}"), "correct the target in .ophiuchus/destinations.toml, or OPHIUCHUS_GITHUB"),
        (
            "board",
            (401, b"{}"),
            "look at OPHIUCHUS_JIRA_EMAIL and OPHIUCHUS_JIRA_API_TOKEN or OPHIUCHUS_JIRA",
        ),
        ("list", (429, b"{}"), "wait a few minutes, then run again"),
        ("chat", (200, b'{"ok": false, "error": "not_in_channel"}'), "the bot a member of the channel"),
        ("team", (413, b"{}"), "mend the cause, then run again"),
    ],
)
def test_what_failed_says_what_to_do(
    here: Project, receipts: Path, alias: str, answer: tuple[int, bytes], words: str
) -> None:
    services = {"tracker": "github", "board": "jira", "list": "clickup", "chat": "slack", "team": "teams"}
    here.services.instead = {services[alias]: answer}
    (step,) = steps(here, receipts, "good", alias)
    assert step.startswith(f"Nothing is at {alias}: ")
    assert words in step


@pytest.mark.parametrize(
    "answer",
    [
        (404, b"{}"),
        (410, b'{"message": "This issue was deleted"}'),
        (403, b'{"message": "Unable to create comment because issue is locked."}'),
        (301, b"{}"),  # it was transferred to another repository
    ],
)
def test_what_cannot_be_added_to_is_looked_for(
    here: Project, receipts: Path, answer: tuple[int, bytes]
) -> None:
    keep(receipts, row(here, "parent", ReceiptStatus.PUBLISHED, "7"))
    here.services.instead = {"github": answer}
    (step,) = steps(here, receipts, "child", "tracker")
    assert "look whether 7 is still at acme/web, and open; where it is not, leave a hand-off" in step


def test_what_was_not_even_tried_says_what_is_missing(here: Project, receipts: Path) -> None:
    (step,) = steps(here, receipts, "good", "tracker", OPHIUCHUS_GITHUB_TOKEN=None)
    assert step.startswith("Nothing is at tracker. Set OPHIUCHUS_GITHUB_TOKEN from a secret")
    assert step.endswith("job. Then run again.")


# Credentials stay where they belong; `Project.run` looks through what each run says and keeps.


def test_every_service_gets_its_own_credential_and_nobody_else_does(here: Project, receipts: Path) -> None:
    digest = here.digest("good", *ALIASES)
    done = here.publish("good", *ALIASES, receipts=receipts, approve=digest)
    assert (done.status, set(outcomes(done).values())) == (0, {"published"}), done.out
    sent = {one.path.split("/")[1]: json.dumps(dict(one.headers)) for one in here.services.arrived}
    got = {service: {name.split("_")[1] for name in told(headers)} for service, headers in sent.items()}
    assert got == {name.lower(): {name} for name in ("GITHUB", "JIRA", "CLICKUP", "SLACK", "TEAMS")}
    assert [name for one in here.services.arrived for name in told(one.body.decode())] == []


@pytest.mark.parametrize("status", [401, 200])
def test_a_service_that_says_the_credential_back_is_not_repeated(
    here: Project, receipts: Path, status: int
) -> None:
    secrets = [form for secret in CREDENTIALS.values() for form in forms(secret)]
    echo = dict.fromkeys(("message", "error", "err", "ECODE", "id", "key", "number", "ts"), secrets[0])
    keys = dict.fromkeys(secrets, secrets[-1])
    body = json.dumps({**echo, "ok": False, "errorMessages": secrets, "errors": keys}).encode()
    here.services.instead = dict.fromkeys(("github", "jira", "clickup", "slack", "teams"), (status, body))
    done = here.publish("good", *ALIASES, receipts=receipts, approve=here.digest("good", *ALIASES))
    wanted = {"failed"} if status == 401 else {"ambiguous"}
    assert (done.status, set(outcomes(done).values())) == (3, wanted), done.out


def test_a_service_that_is_not_there_is_told_without_the_credential(here: Project, receipts: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
        env = here.env(OPHIUCHUS_GITHUB_API_URL=nowhere)
        digest = here.preview("good", receipts=receipts, OPHIUCHUS_GITHUB_API_URL=nowhere)["view_digest"]
        done = here.publish("good", receipts=receipts, approve=digest, env=env)
        (step,) = steps(here, receipts, "good", "tracker", OPHIUCHUS_GITHUB_API_URL=nowhere)
    assert (done.status, outcomes(done)) == (3, {"tracker": "failed"})
    assert "look at OPHIUCHUS_GITHUB_API_URL, the run's proxy and its certificate authorities" in step


def test_a_missing_credential_is_told_by_its_name_and_claims_nothing(here: Project, receipts: Path) -> None:
    env = here.env(OPHIUCHUS_GITHUB_TOKEN=None)
    done = here.publish("good", receipts=receipts, approve=here.digest("good"), env=env)
    assert (done.status, outcomes(done)) == (3, {"tracker": "failed"})
    assert "OPHIUCHUS_GITHUB_TOKEN is not set" in done.json["deliveries"][0]["reason"]
    assert receipts.read_bytes() == b""


def test_what_failed_is_not_told_as_created(here: Project, receipts: Path) -> None:
    approved = ("--approve", here.digest("good"), "--receipts", f"file:{receipts}")
    env = here.env(OPHIUCHUS_GITHUB_TOKEN=None)
    done = CommandRun(here.top, "publish", "good", "--to", "tracker", *approved, env=env)
    assert "github, create " in done.out
    assert "created" not in done.out


def test_a_bug_at_one_destination_hides_neither_the_others_nor_itself(
    here: Project, receipts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        @staticmethod
        def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
            if name == "ophiuchus.publish.providers.slack":
                raise RuntimeError(" ".join(CREDENTIALS.values()))
            return None

    monkeypatch.delitem(sys.modules, "ophiuchus.publish.providers.slack", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken, *sys.meta_path])
    digest = here.digest("good", "chat", "tracker")
    done = here.publish("good", "chat", "tracker", receipts=receipts, approve=digest)
    assert done.status == 70
    assert "RuntimeError" in done.err
    assert outcomes(done) == {"tracker": "published"}


# What is judged.


def test_publish_judges_objects_that_it_fetched_itself(job: Project, receipts: Path, tmp_path: Path) -> None:
    there = job.checked_out(job.head, tmp_path / "forged")
    digest = job.digest("good")
    forge(there.top, ".ophiuchus/good.json", b"Ship it", b"Sell it")
    assert "Sell it" in CommandRun(there.top, "check", "--format", "json").out
    done = there.publish("good", receipts=receipts, approve=digest)
    assert done.status == 0, done.out
    (arrived,) = job.services.arrived
    assert b"Ship it" in arrived.body
    assert b"Sell it" not in arrived.body


def forge(top: Path, path: str, before: bytes, after: bytes) -> None:
    """Let the checkout's object store say something else under the id of the file at `path`."""

    def git(*words: str) -> bytes:
        return subprocess.run(["git", *words], cwd=top, env=ENV, check=True, capture_output=True).stdout

    blob = git("rev-parse", f"HEAD:{path}").decode().strip()
    content = git("cat-file", "blob", blob).replace(before, after)
    for pack in (top / ".git/objects/pack").glob("*.pack"):
        packed = pack.read_bytes()
        for half in pack.parent.glob(f"{pack.stem}.*"):
            half.unlink()
        subprocess.run(["git", "unpack-objects", "-q"], cwd=top, env=ENV, check=True, input=packed)
    loose = top / ".git/objects" / blob[:2] / blob[2:]
    loose.unlink()
    loose.write_bytes(zlib.compress(b"blob %d\0%s" % (len(content), content)))
