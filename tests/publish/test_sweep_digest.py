"""A sweep's digest as writes: for channels only, each state once, and never in a capsule's place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import built_reports
import pytest

from ophiuchus.assess.verdicts import Aggregate
from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.delivery import Plan
from ophiuchus.publish.destination import Destination, GitHubDestination, SlackDestination, TeamsDestination
from ophiuchus.publish.origins import Origin
from ophiuchus.publish.receipts import Receipt, ReceiptStatus, Row, target_digest
from ophiuchus.publish.sweep_digest import (
    NoChannel,
    Sweep,
    is_digest_word,
    leaks_of_sweep,
    propose_digest,
)
from ophiuchus.report.elsewhere import with_elsewhere
from ophiuchus.report.model import Report
from ophiuchus.text.problem import Problem, ProblemCode

CHAT = SlackDestination(provider=ProviderName.SLACK, target="C0123ABCD")
TEAM = TeamsDestination(
    provider=ProviderName.TEAMS, target="0f0f0f0f-0000-4000-8000-000000000000/19:channel@thread.tacv2"
)
TRACKER = GitHubDestination(provider=ProviderName.GITHUB, target="acme/web")
ORIGIN = Origin("https://slack.example/api", None)


def report(*names: str) -> Report:
    return built_reports.report(*(built_reports.capsule(name, Aggregate.STALE) for name in names))


def sweep(*names: str, **fields: Any) -> Sweep:
    return replace(Sweep("octo/shop", "key", report(*names), None), **fields)


def plan(swept: Sweep, rows: Mapping[str, Row] = {}, destination: Destination = CHAT) -> Plan:
    (one,) = propose_digest(swept, {"chat": (destination, ORIGIN)}, rows).writes
    return one.plan


def settled(one: Plan, at: int, status: ReceiptStatus = ReceiptStatus.PUBLISHED) -> dict[str, Row]:
    """The receipt of a plan."""
    receipt = Receipt(
        claim_key=one.claim_key,
        capsule_id=one.capsule_id,
        provider=one.provider,
        operation=one.write.operation,
        destination_alias=one.alias,
        target_digest=target_digest(one.provider, one.origin, one.write.target),
        payload_digest=one.payload_digest,
        idempotency_key=one.idempotency_key,
        status=status,
        external_reference="1700000000.000100" if status is ReceiptStatus.PUBLISHED else None,
        nonce="0b" * 16,
        at=f"2026-01-01T00:00:{at:02}Z",
        claimed_until="2026-01-01T00:10:00Z",
    )
    return {one.claim_key: receipt}


def test_the_word_of_a_digest_is_one_that_a_receipt_takes_and_no_usual_id() -> None:
    one = plan(sweep("bad"))
    assert is_digest_word(one.capsule_id)
    assert settled(one, 1)
    assert is_digest_word(one.capsule_id.upper())
    assert not is_digest_word("sweep.of-the-floor")
    assert not is_digest_word(f"{one.capsule_id}.1")


def with_others(*names: str, of: str = "octo/b") -> Sweep:
    """Of `octo/shop` the capsule `bad`, and these of another repository, as a report of that one has them."""
    others = built_reports.report(
        *(built_reports.capsule(name, Aggregate.STALE, repository=of) for name in names)
    )
    return sweep(report=with_elsewhere(report("bad"), "octo/shop", others))


def test_what_is_told_of_others_is_known_to_be_reported_and_is_a_part_of_the_state() -> None:
    assert not sweep("bad").is_reported
    assert not with_others().is_reported
    assert not with_others("x", of="OCTO/shop").is_reported
    assert with_others("x").is_reported
    assert plan(with_others()) == plan(sweep("bad")) == plan(with_others("x", of="octo/shop"))
    states = [plan(one).claim_key for one in (sweep("bad"), with_others("x"), with_others("x", of="octo/c"))]
    assert len(set(states)) == 3


def test_a_problem_elsewhere_is_to_be_told_where_all_is_well_here() -> None:
    broken = Problem("a.json", 1, 1, ProblemCode.NOT_JSON, "is no JSON", "octo/b")
    told = with_elsewhere(report(), "octo/shop", built_reports.report(problems=[broken]))
    swept = sweep(report=told)
    assert (swept.needs_action, swept.is_reported) == (True, True)


def test_a_secret_in_a_repository_s_name_is_found() -> None:
    assert leaks_of_sweep(with_others("x", of="octo/gh" + "p_" + "C3d4" * 9))


def test_a_destination_of_records_is_refused_by_name() -> None:
    with pytest.raises(NoChannel, match="tracker is at github"):
        propose_digest(sweep("bad"), {"chat": (CHAT, ORIGIN), "tracker": (TRACKER, ORIGIN)}, {})


def test_nothing_is_written_where_nothing_needs_action() -> None:
    clean = sweep(report=built_reports.report(built_reports.capsule("kept", Aggregate.VALID)))
    proposal = propose_digest(clean, {"chat": (CHAT, ORIGIN)}, {})
    assert (proposal.subject, proposal.is_digest, proposal.writes) == ("octo/shop", True, ())


def test_the_same_state_is_the_same_claim_on_another_commit_and_day() -> None:
    later = replace(
        report("bad"), evaluated=replace(report().evaluated, head="b" * 40, now="2027-01-01T00:00:00Z")
    )
    assert plan(sweep("bad")) == plan(sweep(report=later))


@pytest.mark.parametrize(
    "other",
    [
        sweep("bad", "worse"),
        sweep("worse"),
        sweep("bad", repository="octo/other"),
        sweep("bad", key="another"),
        sweep("bad", owners={".ophiuchus/bad.json": ("@zoe",)}),
        sweep(report=built_reports.report(built_reports.capsule("bad", Aggregate.PARTIALLY_STALE))),
        sweep(report=built_reports.report(built_reports.capsule("bad", Aggregate.STALE, expired=True))),
    ],
)
def test_another_state_or_sweep_is_another_claim(other: Sweep) -> None:
    assert plan(other).claim_key != plan(sweep("bad")).claim_key


def test_what_a_message_has_no_room_for_is_a_part_of_the_state() -> None:
    names = [f"c{number:03}" for number in range(100)]
    one, other = plan(sweep(*names)), plan(sweep(*names[:-1], "another"))
    assert one.write.content == other.write.content
    assert one.claim_key != other.claim_key


def test_a_state_that_was_told_last_is_told_already() -> None:
    first = plan(sweep("bad"))
    (again,) = propose_digest(sweep("bad"), {"chat": (CHAT, ORIGIN)}, settled(first, 1)).writes
    assert again.plan == first
    assert again.is_published


def test_a_state_is_told_again_once_another_one_was_told() -> None:
    rows: dict[str, Row] = {}
    told = []
    for at, name in enumerate(["bad", "worse", "bad", "worse"], 1):
        told.append(plan(sweep(name), rows))
        rows |= settled(told[-1], at)
    assert len({one.claim_key for one in told}) == 4
    assert plan(sweep("worse"), rows) == told[-1]


@pytest.mark.parametrize("status", [ReceiptStatus.FAILED, ReceiptStatus.AMBIGUOUS, ReceiptStatus.CLAIMED])
def test_what_was_not_published_is_neither_told_nor_another_place(status: ReceiptStatus) -> None:
    first = plan(sweep("bad"))
    assert plan(sweep("bad"), settled(first, 1, status)) == first


def test_what_was_told_elsewhere_or_of_another_repository_does_not_count() -> None:
    first = plan(sweep("bad"))
    elsewhere = settled(plan(sweep("bad"), destination=replace_target("C9999ZZZZ")), 2)
    of_other = settled(plan(sweep("worse", repository="octo/other")), 3)
    assert plan(sweep("bad"), {**elsewhere, **of_other}) == first


def replace_target(target: str) -> SlackDestination:
    return SlackDestination(provider=ProviderName.SLACK, target=target)


def test_a_destination_that_names_a_thread_gets_a_reply_there() -> None:
    threaded = SlackDestination(
        provider=ProviderName.SLACK, target="C0123ABCD", append_to="1600000000.000100"
    )
    write = plan(sweep("bad"), destination=threaded).write
    assert (write.operation, str(write.append_to)) == (Operation.APPEND, "1600000000.000100")
    assert write.content["reply_broadcast"] is False


def test_in_teams_it_has_a_subject() -> None:
    assert (
        plan(sweep("bad"), destination=TEAM).write.content["subject"]
        == "Hand-offs that need action in octo/shop"
    )


def test_the_view_digest_covers_the_place_and_the_state() -> None:
    def view_digest(swept: Sweep, destination: Destination) -> str:
        return propose_digest(swept, {"chat": (destination, ORIGIN)}, {}).view_digest

    one = view_digest(sweep("bad"), CHAT)
    assert one == view_digest(sweep("bad"), CHAT)
    assert len({one, view_digest(sweep("worse"), CHAT), view_digest(sweep("bad"), replace_target("C9"))}) == 3


def test_a_secret_in_a_name_is_found_as_it_is_spelled() -> None:
    token = "gh" + "p_" + "C3d4" * 9
    found = leaks_of_sweep(sweep("bad", owners={".ophiuchus/bad.json": (f"@{token}",)}))
    assert found
    assert token not in "".join(found)
    assert leaks_of_sweep(sweep("bad")) == ()
