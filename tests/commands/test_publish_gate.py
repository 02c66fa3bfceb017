"""The gate of `publish` from end to end, in a workflow: whatever it refuses, nothing arrives anywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_run import CommandRun, capsule, paths
from publishing_project import DESTINATIONS, TOKEN, Project

WRONG = "0a" * 32


def test_what_keeps_every_rule_is_published(here: Project, receipts: Path) -> None:
    done = here.publish("good", receipts=receipts, approve=here.digest("good"))
    assert done.status == 0, done.out
    (arrived,) = here.services.arrived
    assert "Ship it" in arrived.json["body"]
    assert set(done.json) >= {"capsule_id", "view_digest", "refused", "deliveries"}
    (delivery,) = done.json["deliveries"]
    keys = "destination provider operation outcome reference url idempotency_key reason"
    assert set(delivery) >= set(keys.split())
    assert (delivery["outcome"], delivery["reference"]) == ("published", "7")


# What the run is.

RUNS: list[tuple[dict[str, str | None], set[str]]] = [
    ({"GITHUB_REF": "refs/heads/topic"}, {"branch"}),
    ({"GITHUB_EVENT_NAME": "workflow_run"}, {"event"}),
    ({"GITHUB_EVENT_NAME": None}, {"event"}),
    ({"GITHUB_EVENT_NAME": "pull_request_target"}, {"event", "fork"}),
    ({"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/3/merge"}, {"event", "fork", "branch"}),
    ({"GITHUB_SHA": "4f" * 20}, {"head"}),
]


@pytest.mark.parametrize(
    ("changed", "rules"), RUNS, ids=[" ".join(map(str, run[0].values())) for run in RUNS]
)
def test_a_run_that_may_not_publish(
    here: Project, receipts: Path, changed: dict[str, str | None], rules: set[str]
) -> None:
    event = here.folder / "pull-request.json"
    event.write_text(
        json.dumps({"repository": {"default_branch": "main"}, "pull_request": {"number": 3, "head": {}}})
    )
    env = here.env(**changed, GITHUB_EVENT_PATH=str(event))
    digest = here.digest("good")
    refused(here, here.publish("good", receipts=receipts, approve=digest, env=env), rules)


def test_the_server_and_not_the_event_says_which_branch_is_the_default(
    here: Project, receipts: Path, tmp_path: Path
) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"repository": {"default_branch": "topic"}}))
    env = here.env(GITHUB_EVENT_PATH=str(event), GITHUB_REF="refs/heads/topic")
    digest = here.digest("good")
    refused(here, here.publish("good", receipts=receipts, approve=digest, env=env), {"branch"})


# What was approved.


@pytest.mark.parametrize("approve", ["", " ", "yes", "none ", WRONG[:-1], WRONG + "0", "0x" + WRONG[2:]])
def test_an_approval_that_is_none_is_an_error(here: Project, receipts: Path, approve: str) -> None:
    done = here.publish("good", receipts=receipts, approve=approve)
    assert done.status == 2
    nothing_was_sent(here, receipts)


def test_a_moment_cannot_be_given(here: Project, receipts: Path) -> None:
    done = here.publish("good", receipts=receipts, options=("--at", "2020-01-01T00:00:00Z"))
    assert done.status == 2
    nothing_was_sent(here, receipts)


def test_another_digest_is_refused(here: Project, receipts: Path) -> None:
    refused(here, here.publish("good", receipts=receipts, approve=WRONG), {"approval"})


EDITS = {
    "target": ('target = "acme/web"', 'target = "acme/other"'),
    "option": ('labels = ["hand-off"]', 'labels = ["hand-off", "urgent"]'),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_after_the_preview_is_refused(
    here: Project, receipts: Path, tmp_path: Path, edit: str
) -> None:
    digest = here.digest("good")
    with here.moved({".ophiuchus/destinations.toml": DESTINATIONS.replace(*EDITS[edit])}) as commit:
        there = here.checked_out(commit, tmp_path / "later")
        done = there.publish("good", receipts=receipts, approve=digest, env=there.env(GITHUB_SHA=commit))
        refused(here, done, {"approval"})


def test_another_address_of_the_service_after_the_preview_is_refused(here: Project, receipts: Path) -> None:
    digest = here.digest("good")
    env = here.env(OPHIUCHUS_GITHUB_API_URL=f"{here.services.url}/github/api")
    refused(here, here.publish("good", receipts=receipts, approve=digest, env=env), {"approval"})


# The default branch's tip on the server.


def test_a_move_of_the_branch_that_changes_nothing_of_it_is_harmless(here: Project, receipts: Path) -> None:
    digest = here.digest("good")
    with here.moved({"README.md": "new\n"}):
        done = here.publish("good", receipts=receipts, approve=digest)
    assert done.status == 0, done.out
    assert len(here.services.arrived) == 1


MOVES: dict[str, dict[str, str | None]] = {
    "verdict": {"src/a.py": "2\n"},
    "capsule": {".ophiuchus/good.json": capsule("good", paths("src/**", base=None), state="all done")},
    "destination": {".ophiuchus/destinations.toml": DESTINATIONS.replace("hand-off", "hand-over")},
}


@pytest.mark.parametrize("move", MOVES)
def test_a_move_of_the_branch_that_changes_something_of_it_is_refused(
    here: Project, receipts: Path, move: str
) -> None:
    digest = here.digest("good")
    with here.moved(MOVES[move]):
        refused(here, here.publish("good", receipts=receipts, approve=digest), {"tip_moved"})


def test_a_path_for_a_capsule_does_not_hide_another_one_with_its_id_at_the_tip(
    here: Project, receipts: Path
) -> None:
    path = ".ophiuchus/good.json"
    digest = here.digest(path)
    with here.moved({".ophiuchus/again.json": capsule("good")}):
        refused(here, here.publish(path, receipts=receipts, approve=digest), {"tip_moved"})


def test_the_branch_is_looked_at_again_between_two_destinations(here: Project, receipts: Path) -> None:
    digest = here.digest("good", "tracker", "chat")
    here.services.during = lambda _: here.push(MOVES["verdict"])
    with here.moved({"README.md": "new\n"}):
        done = here.publish("good", "tracker", "chat", receipts=receipts, approve=digest)
    assert [one["outcome"] for one in done.json["deliveries"]] == ["published"]
    assert rules_of(done.json) == {"tip_moved"}
    assert done.status == 4
    assert len(here.services.arrived) == 1


LOGIN = ("text/html", b"<html>Log in</html>")


@pytest.mark.parametrize("place", ["file", "branch"])
def test_a_login_page_in_the_servers_place_sends_nothing_and_is_told_as_such(
    here: Project, receipts: Path, place: str
) -> None:
    here.git.page = LOGIN
    try:
        kept = receipts if place == "file" else None
        done = here.publish("good", receipts=kept, approve=here.digest("good"))
    finally:
        here.git.page = None
    assert (done.status, here.services.arrived) == (2, [])
    assert "what answers there is no git server" in done.err
    assert "login page" in done.err
    assert "receipts init" not in done.err


def test_a_login_page_between_two_destinations_is_told_as_such(here: Project, receipts: Path) -> None:
    digest = here.digest("good", "tracker", "chat")
    here.services.during = lambda _: setattr(here.git, "page", LOGIN)
    try:
        done = here.publish("good", "tracker", "chat", receipts=receipts, approve=digest)
    finally:
        here.git.page = None
    assert [one["outcome"] for one in done.json["deliveries"]] == ["published"]
    (refusal,) = done.json["refused"]
    assert (done.status, refusal["rule"]) == (4, "tip_moved")
    assert "no git server" in refusal["reason"]
    assert len(here.services.arrived) == 1


def test_a_branch_that_is_gone_is_refused(here: Project, receipts: Path) -> None:
    digest = here.digest("good")
    bare = here.git.root / "acme/web"
    head = (bare / "HEAD").read_text()
    (bare / "HEAD").write_text("ref: refs/heads/none\n")
    try:
        refused(here, here.publish("good", receipts=receipts, approve=digest), {"tip_moved"})
    finally:
        (bare / "HEAD").write_text(head)


# What the capsule is.

CAPSULES = {
    "stale": {"publish_when"},
    "in-part": {"publish_when"},
    "scope": {"publish_when"},
    "expired": {"expired"},
    "odd-kind": {"unknown_critical_kind"},
    "split-secret": {"secret"},
    ".ophiuchus/twin.json": {"ambiguous_capsule", "problem"},
}


@pytest.mark.parametrize("name", CAPSULES)
def test_a_capsule_that_may_not_be_published(here: Project, receipts: Path, name: str) -> None:
    digest = here.digest(name)
    refused(here, here.publish(name, receipts=receipts, approve=digest), CAPSULES[name])


def test_a_secret_that_no_capsule_holds_is_found_in_what_would_be_sent(here: Project, receipts: Path) -> None:
    digest = here.digest("secret-name", "chat")
    done = here.publish("secret-name", "chat", receipts=receipts, approve=digest)
    refused(here, done, {"secret"})
    assert done.json["refused"][0]["destination"] == "chat"
    assert TOKEN not in done.out + done.err


@pytest.mark.parametrize("name", ["split-secret", "secret-name"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_preview_does_not_show_a_secret_that_it_found(
    here: Project, receipts: Path, name: str, form: str
) -> None:
    """Whoever may read a log or a summary need not be somebody who may read the repository."""
    words = ("publish", name, "--to", "chat", "--preview", "--format", form)
    done = CommandRun(here.top, *words, "--receipts", f"file:{receipts}", env=here.env())
    assert (done.status, "what looks like a secret" in done.out) == (0, True)
    assert "C0123ABCD" in done.out  # where it would go is told all the same
    shown = re.sub(r"[^0-9A-Za-z]", "", done.out + done.err)
    assert re.sub(r"[^0-9A-Za-z]", "", TOKEN) not in shown


@pytest.mark.parametrize(("name", "when", "passes"), [
    ("stale", "any", True),
    ("stale", "not_stale", False),
    ("in-part", "not_stale", True),
])  # fmt: skip
def test_how_true_it_must_be_can_be_chosen(
    here: Project, receipts: Path, name: str, when: str, passes: bool
) -> None:
    digest = here.digest(name)
    done = here.publish(name, receipts=receipts, approve=digest, options=("--publish-when", when))
    assert done.status == (0 if passes else 4)
    assert len(here.services.arrived) == passes


def test_a_capsule_that_is_not_committed_is_refused(here: Project, receipts: Path) -> None:
    (here.top / "notes.json").write_text(capsule("notes", paths("src/**", base=here.base)))
    try:
        digest = here.digest("notes.json")
        refused(here, here.publish("notes.json", receipts=receipts, approve=digest), {"uncommitted"})
    finally:
        (here.top / "notes.json").unlink()


@pytest.mark.parametrize("name", ["twin", "nobody", "-"])
def test_a_name_that_means_no_one_capsule_is_an_error(here: Project, receipts: Path, name: str) -> None:
    assert here.publish(name, receipts=receipts, approve=WRONG).status == 2
    nothing_was_sent(here, receipts)


def test_a_capsule_that_is_kept_elsewhere_is_named_by_its_path(
    here: Project, receipts: Path, tmp_path: Path
) -> None:
    name = "./handover/elsewhere.json"
    with here.moved(
        {"handover/elsewhere.json": capsule("elsewhere", paths("src/**", base=here.base))}
    ) as commit:
        there = here.checked_out(commit, tmp_path / "later")
        digest = there.digest(name)
        done = there.publish(name, receipts=receipts, approve=digest, env=there.env(GITHUB_SHA=commit))
    assert done.status == 0, done.out + done.err


# Where nobody approved.


def unattended(here: Project, name: str, receipts: Path, allowed: str = "github:acme/web") -> set[str]:
    done = here.publish(name, receipts=receipts, env=here.env(OPHIUCHUS_ALLOWED_TARGETS=allowed))
    if done.status == 0:
        assert len(here.services.arrived) == 1
        return set()
    assert done.status == 4
    nothing_was_sent(here, receipts)
    return rules_of(done.json)


@pytest.mark.parametrize("name", ["good", "both"])
def test_what_a_machine_can_check_needs_nobody(here: Project, receipts: Path, name: str) -> None:
    assert unattended(here, name, receipts) == set()


@pytest.mark.parametrize(("name", "rules"), [
    ("anchored", {"unattended_method", "unattended_ancestor"}),
    ("beside", {"unattended_ancestor"}),
])  # fmt: skip
def test_the_senders_own_word_is_not_enough_where_nobody_looks(
    here: Project, receipts: Path, name: str, rules: set[str]
) -> None:
    assert unattended(here, name, receipts) == rules


def test_the_keeper_of_the_credential_says_where_nobody_needs_to_look(here: Project, receipts: Path) -> None:
    assert unattended(here, "good", receipts, "github:acme/other, slack:C0123ABCD") == {"unattended_target"}


@pytest.mark.parametrize(("name", "told"), [("good", True), ("expired", False)])
def test_a_person_is_told_of_the_approval_where_it_is_all_that_is_missing(
    here: Project, receipts: Path, name: str, told: bool
) -> None:
    words = ("publish", name, "--to", "tracker", "--receipts", f"file:{receipts}")
    done = CommandRun(here.top, *words, env=here.env(OPHIUCHUS_ALLOWED_TARGETS=""))
    assert done.status == 4
    assert "unattended target" in done.out
    assert ("Or preview it, and let a person approve its view digest." in done.out) is told


# What is asserted.


def refused(here: Project, done: CommandRun, rules: set[str]) -> None:
    """It was refused by exactly these rules, and nothing arrived."""
    assert (done.status, rules_of(done.json)) == (4, rules), done.out + done.err
    assert here.services.arrived == []
    assert done.json["deliveries"] == []


def rules_of(account: dict[str, list[dict[str, str]]]) -> set[str]:
    return {one["rule"] for one in account["refused"]}


def nothing_was_sent(here: Project, receipts: Path) -> None:
    """Nothing arrived, and nothing is claimed."""
    assert here.services.arrived == []
    assert receipts.read_bytes() == b""
