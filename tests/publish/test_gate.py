"""The gate: one fact changed, and exactly its rule refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import built_reports
import pytest
from publishable import PATHS, SCOPE, WINDOW, capsule, report
from receipt_rows import receipt

from ophiuchus.assess.verdicts import Aggregate, GlobResult, Method, Verdict
from ophiuchus.publish.capability import CAPABILITIES, ProviderName
from ophiuchus.publish.gate import (
    DEFAULT_WHEN,
    EVENTS,
    DestinationFacts,
    Facts,
    GateRefusal,
    PublishRule,
    PublishWhen,
    RunFacts,
    WriteFacts,
    judge_digest_gate,
    judge_publish_gate,
    judge_tip,
)
from ophiuchus.publish.receipts import NOT_KNOWN, ReceiptStatus
from ophiuchus.publish.reference import Reference
from ophiuchus.report.model import ConditionReport

HEAD, DIGEST = "4f" * 20, "0a" * 32
TRACKER = DestinationFacts(alias="tracker", provider=ProviderName.GITHUB, target="acme/web")
CHAT = DestinationFacts(alias="chat", provider=ProviderName.SLACK, target="C0123ABCD")
RUN = RunFacts(
    event="workflow_dispatch", ref="refs/heads/main", default_branch="main", commit=HEAD, from_fork=False
)
APPROVED = Facts(
    run=RUN,
    head=HEAD,
    is_committed=True,
    same_id=1,
    problems=0,
    capsule=capsule(),
    report=report(),
    leaks=(),
    with_base_in_history=("code",),
    approval=DIGEST,
    digest=DIGEST,
    allowed_targets=(),
    destinations=(TRACKER, CHAT),
)
UNATTENDED = replace(
    APPROVED,
    approval=None,
    allowed_targets=frozenset({(ProviderName.GITHUB, "acme/web"), (ProviderName.SLACK, "C0123ABCD")}),
)
ON_A_LAPTOP = replace(APPROVED, run=None)
ANCHORED = replace(PATHS, method=Method.ANCHOR)
IN_PART = replace(
    PATHS, paths=(*PATHS.paths, built_reports.glob("x", result=GlobResult.NOT_EVALUATED, reason="r"))
)
STALE = replace(PATHS, verdict=Verdict.STALE)
LATE = replace(WINDOW, verdict=Verdict.STALE)
UNKNOWN_KIND = [{"unit_id": "u", "kind": "weather"}]


def rules(facts: Facts) -> list[PublishRule]:
    return [refusal.rule for refusal in judge_publish_gate(facts)]


@pytest.mark.parametrize("facts", [APPROVED, UNATTENDED, ON_A_LAPTOP, replace(UNATTENDED, run=None)])
def test_what_keeps_every_rule_passes(facts: Facts) -> None:
    assert judge_publish_gate(facts) == ()


@pytest.mark.parametrize("event", EVENTS)
def test_three_events_publish(event: str) -> None:
    assert rules(replace(APPROVED, run=replace(RUN, event=event))) == []


def run(**facts: Any) -> Callable[[Facts], Facts]:
    return lambda before: replace(before, run=replace(RUN, **facts))


def fact(**facts: Any) -> Callable[[Facts], Facts]:
    return lambda before: replace(before, **facts)


def found(*conditions: ConditionReport, **fields: Any) -> Callable[[Facts], Facts]:
    return lambda before: replace(before, report=report(*conditions, **fields))


def tracker(**facts: Any) -> Callable[[Facts], Facts]:
    return lambda before: replace(before, destinations=(replace(TRACKER, **facts), CHAT))


R = PublishRule
CHANGES: list[tuple[PublishRule, Facts, Callable[[Facts], Facts]]] = [
    *((R.EVENT, APPROVED, run(event=event)) for event in (
        "pull_request", "pull_request_target", "workflow_run", "issue_comment", "release", "", "Push")),
    (R.FORK, APPROVED, run(from_fork=True)),
    (R.BRANCH, APPROVED, run(ref="refs/heads/topic")),
    (R.BRANCH, APPROVED, run(ref="refs/tags/main")),
    (R.BRANCH, APPROVED, run(ref="main")),
    (R.BRANCH, APPROVED, run(ref=None)),
    (R.BRANCH, APPROVED, run(default_branch=None)),
    (R.BRANCH, APPROVED, run(default_branch=None, ref="refs/heads/None")),
    (R.HEAD, APPROVED, fact(head="5e" * 20)),
    (R.HEAD, APPROVED, run(commit=None)),
    (R.HEAD, APPROVED, lambda before: replace(before, head=None, run=replace(RUN, commit=None))),
    (R.UNCOMMITTED, APPROVED, fact(is_committed=False)),
    (R.UNCOMMITTED, ON_A_LAPTOP, fact(is_committed=False)),
    (R.AMBIGUOUS_CAPSULE, APPROVED, fact(same_id=2)),
    (R.PROBLEM, APPROVED, fact(problems=1)),
    (R.EXPIRED, APPROVED, found(expired=True)),
    (R.UNKNOWN_CRITICAL_KIND, APPROVED, fact(capsule=capsule(critical=UNKNOWN_KIND))),
    (R.SECRET, APPROVED, fact(leaks=("github_token at goal",))),
    (R.SECRET, APPROVED, tracker(leaks=("github_token at body",))),
    (R.OTHER_CONTENT, APPROVED, tracker(published_otherwise=receipt(ReceiptStatus.PUBLISHED))),
    (R.PARENT_UNSETTLED, APPROVED, tracker(is_parent_unsettled=True)),
    (R.PUBLISH_WHEN, APPROVED, found(STALE, WINDOW, aggregate=Aggregate.STALE)),
    (R.PUBLISH_WHEN, APPROVED, found(PATHS, LATE, aggregate=Aggregate.STALE)),
    (R.PUBLISH_WHEN, APPROVED, found(IN_PART, WINDOW)),
    (R.PUBLISH_WHEN, APPROVED, found(SCOPE, aggregate=Aggregate.UNVERIFIABLE)),
    (R.PUBLISH_WHEN, APPROVED, found(replace(PATHS, required=False), aggregate=Aggregate.NOT_DECLARED)),
    (R.APPROVAL, APPROVED, fact(approval="0b" * 32)),
    (R.APPROVAL, UNATTENDED, fact(approval="0b" * 32)),
    (R.UNATTENDED_METHOD, UNATTENDED, found(ANCHORED, WINDOW)),
    (R.UNATTENDED_METHOD, UNATTENDED, found(WINDOW)),
    (R.UNATTENDED_METHOD, UNATTENDED, found(PATHS, replace(ANCHORED, condition_id="code"))),
    (R.UNATTENDED_ANCESTOR, UNATTENDED, fact(with_base_in_history=())),
    (R.UNATTENDED_ANCESTOR, UNATTENDED, fact(with_base_in_history=("until",))),
    (R.UNATTENDED_TARGET, UNATTENDED, fact(allowed_targets={(ProviderName.SLACK, "C0123ABCD")})),
    (R.UNATTENDED_TARGET, UNATTENDED, fact(allowed_targets={
        (ProviderName.SLACK, "C0123ABCD"), (ProviderName.JIRA, "acme/web")})),
    (R.UNATTENDED_TARGET, UNATTENDED, tracker(target="acme/other")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "before", "change"),
    CHANGES,
    ids=[f"{rule}-{number}" for number, (rule, _, _) in enumerate(CHANGES)],
)
def test_one_fact_changed_and_exactly_its_rule_refuses(
    rule: PublishRule, before: Facts, change: Callable[[Facts], Facts]
) -> None:
    assert judge_publish_gate(before) == ()
    assert rules(change(before)) == [rule]


def test_every_rule_has_such_a_fact() -> None:
    others = {PublishRule.TIP_MOVED, PublishRule.UNATTENDED_REPORT}
    assert {rule for rule, _, _ in CHANGES} | others == set(PublishRule)


@pytest.mark.parametrize(
    ("at_tip", "refused"), [(DIGEST, []), ("0b" * 32, [R.TIP_MOVED]), (None, [R.TIP_MOVED])]
)
def test_the_tip_must_come_to_the_same_digest(at_tip: str | None, refused: list[PublishRule]) -> None:
    found = judge_tip(DIGEST, at_tip, "it is away")
    assert [refusal.rule for refusal in found] == refused
    assert [refusal.reason.endswith("it is away") for refusal in found] == [at_tip is None] * len(found)


def test_all_that_refuses_is_told_at_once_and_in_order() -> None:
    facts = replace(
        APPROVED,
        same_id=3,
        report=report(STALE, expired=True, aggregate=Aggregate.STALE),
        approval="0b" * 32,
    )
    assert rules(facts) == [R.AMBIGUOUS_CAPSULE, R.EXPIRED, R.PUBLISH_WHEN, R.APPROVAL]


def test_outside_of_a_workflow_nothing_is_asked_of_the_run() -> None:
    assert rules(replace(ON_A_LAPTOP, head="5e" * 20)) == []


def test_a_refusal_names_the_destination_that_it_is_about() -> None:
    (refusal,) = judge_publish_gate(replace(APPROVED, destinations=(TRACKER, replace(CHAT, leaks=("x",)))))
    assert refusal == GateRefusal(R.SECRET, refusal.reason, "chat")
    (refusal,) = judge_publish_gate(replace(APPROVED, problems=1))
    assert refusal.alias is None


@pytest.mark.parametrize(("count", "end"), [(5, "rule at 4"), (40, "rule at 4 and 35 more")])
def test_many_secrets_are_counted_not_listed(count: int, end: str) -> None:
    leaks = tuple(f"rule at {number}" for number in range(count))
    (refusal,) = judge_publish_gate(replace(APPROVED, leaks=leaks))
    assert refusal.reason.endswith(end)


def test_without_approval_only_required_conditions_count() -> None:
    optional = replace(ANCHORED, condition_id="other", required=False)
    assert rules(replace(UNATTENDED, report=report(PATHS, WINDOW, optional))) == []
    alone = report(replace(PATHS, required=False), WINDOW)
    assert rules(replace(UNATTENDED, report=alone)) == [R.UNATTENDED_METHOD]


def test_a_tip_that_moved_and_one_that_could_not_be_judged_are_told_apart() -> None:
    assert judge_tip(DIGEST, None) != judge_tip(DIGEST, "0b" * 32)


# How true it must be.

SCOPED = (PATHS, SCOPE)
UNSURE = replace(PATHS, verdict=Verdict.UNVERIFIABLE, method=None)
WHEN: list[tuple[tuple[ConditionReport, ...], Aggregate, set[PublishWhen]]] = [
    ((PATHS, WINDOW), Aggregate.VALID, set(PublishWhen)),
    ((WINDOW,), Aggregate.VALID, set(PublishWhen)),
    (SCOPED, Aggregate.UNVERIFIABLE, set(PublishWhen)),
    ((PATHS, replace(LATE, required=False)), Aggregate.VALID, set(PublishWhen)),
    ((SCOPE,), Aggregate.UNVERIFIABLE, {PublishWhen.NOT_STALE, PublishWhen.ANY}),
    ((UNSURE,), Aggregate.UNVERIFIABLE, {PublishWhen.NOT_STALE, PublishWhen.ANY}),
    ((IN_PART,), Aggregate.VALID, {PublishWhen.NOT_STALE, PublishWhen.ANY}),
    ((replace(PATHS, required=False),), Aggregate.NOT_DECLARED, {PublishWhen.NOT_STALE, PublishWhen.ANY}),
    ((STALE,), Aggregate.STALE, {PublishWhen.ANY}),
    ((PATHS, STALE), Aggregate.PARTIALLY_STALE, {PublishWhen.ANY}),
]


@pytest.mark.parametrize("when", PublishWhen)
@pytest.mark.parametrize(("conditions", "aggregate", "passing"), WHEN)
def test_how_true_it_must_be(
    conditions: tuple[ConditionReport, ...],
    aggregate: Aggregate,
    passing: set[PublishWhen],
    when: PublishWhen,
) -> None:
    facts = replace(
        APPROVED,
        report=report(*conditions, aggregate=aggregate),
        destinations=(replace(TRACKER, publish_when=when),),
    )
    assert rules(facts) == ([] if when in passing else [R.PUBLISH_WHEN])


@pytest.mark.parametrize("provider", ProviderName)
def test_by_default_a_record_is_verified_and_a_discussion_may_be_about_anything(
    provider: ProviderName,
) -> None:
    when = DEFAULT_WHEN[CAPABILITIES[provider].kind]
    discusses = provider in (ProviderName.SLACK, ProviderName.TEAMS)
    assert when is (PublishWhen.ANY if discusses else PublishWhen.VERIFIED)


@pytest.mark.parametrize(
    ("payload", "told"),
    [
        ("0d" * 32, "the hand-off, a verdict, or whether a newer one continues it changed since"),
        (NOT_KNOWN, "nobody knows any more with what content"),
    ],
)
def test_c061_other_content_under_the_same_id_is_refused_in_words(payload: str, told: str) -> None:
    there = receipt(ReceiptStatus.PUBLISHED, external_reference="7/12", payload_digest=payload)
    (refusal,) = judge_publish_gate(
        replace(APPROVED, destinations=(replace(TRACKER, published_otherwise=there),))
    )
    assert (refusal.rule, refusal.alias) == (R.OTHER_CONTENT, "tracker")
    assert refusal.published == Reference("7", "12")
    assert f"already published there at {there.at}" in refusal.reason
    assert told in refusal.reason
    assert "names this one as its parent; else leave this destination out" in refusal.reason


DIGEST_FACTS = WriteFacts(
    run=RUN, head=HEAD, approval=DIGEST, digest=DIGEST, allowed_targets=(), destinations=(CHAT,)
)


@pytest.mark.parametrize(
    ("changed", "rules_told"),
    [
        ({}, []),
        ({"run": None}, []),
        ({"run": replace(RUN, event="pull_request_target")}, [PublishRule.EVENT]),
        ({"run": replace(RUN, from_fork=True)}, [PublishRule.FORK]),
        ({"run": replace(RUN, ref="refs/heads/topic")}, [PublishRule.BRANCH]),
        ({"run": replace(RUN, default_branch=None)}, [PublishRule.BRANCH]),
        ({"head": "5e" * 20}, [PublishRule.HEAD]),
        ({"approval": "0b" * 32}, [PublishRule.APPROVAL]),
        ({"approval": None}, [PublishRule.UNATTENDED_TARGET]),
        ({"approval": None, "allowed_targets": {(ProviderName.SLACK, "C0123ABCD")}}, []),
        (
            {"approval": None, "allowed_targets": {(ProviderName.SLACK, "C9")}},
            [PublishRule.UNATTENDED_TARGET],
        ),
        ({"destinations": (replace(CHAT, leaks=("a token in x",)),)}, [PublishRule.SECRET]),
    ],
)
def test_a_digest_passes_the_rules_that_are_of_no_capsule(
    changed: dict[str, Any], rules_told: list[PublishRule]
) -> None:
    facts = replace(DIGEST_FACTS, **changed)
    assert [one.rule for one in judge_digest_gate(facts, is_reported=False)] == rules_told
    unattended = [PublishRule.UNATTENDED_REPORT] if facts.approval is None else []
    assert [one.rule for one in judge_digest_gate(facts, is_reported=True)] == rules_told + unattended


def test_what_is_reported_is_refused_by_destination_for_what_is_there_is_not_sent_again() -> None:
    facts = replace(DIGEST_FACTS, approval=None, allowed_targets={(CHAT.provider, CHAT.target)})
    (refused,) = judge_digest_gate(facts, is_reported=True)
    assert refused.alias == CHAT.alias


def test_a_capsule_whose_id_is_a_digest_s_is_refused() -> None:
    assert rules(replace(APPROVED, has_reserved_id=True)) == [PublishRule.AMBIGUOUS_CAPSULE]
