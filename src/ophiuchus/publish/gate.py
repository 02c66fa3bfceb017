"""The gate before a write: every rule of design §7 by its own name, judged on plain facts. Pure.

All that refuses is told at once. A refusal is about one destination, or about all of them. What is published
without a person's approval has to pass more.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from ophiuchus.assess.verdicts import STALE_AGGREGATES, GlobResult, Method, Verdict
from ophiuchus.capsule.model import Capsule
from ophiuchus.capsule.places import FIELDS
from ophiuchus.publish.approval import ALLOWED_TARGETS
from ophiuchus.publish.capability import CAPABILITIES, Kind, ProviderName
from ophiuchus.publish.receipts import NOT_KNOWN, Receipt
from ophiuchus.publish.reference import Reference, parse_reference
from ophiuchus.report.model import CapsuleReport, ConditionReport

EVENTS = ("workflow_dispatch", "schedule", "push")
"""The events that may publish: none of them is started by somebody who may not write to the repository."""

_SHOWN = 5


class PublishRule(StrEnum):
    """Why nothing is published, in the order in which it is told."""

    EVENT = "event"
    FORK = "fork"
    BRANCH = "branch"
    HEAD = "head"
    TIP_MOVED = "tip_moved"
    UNCOMMITTED = "uncommitted"
    AMBIGUOUS_CAPSULE = "ambiguous_capsule"
    PROBLEM = "problem"
    EXPIRED = "expired"
    PUBLISH_WHEN = "publish_when"
    UNKNOWN_CRITICAL_KIND = "unknown_critical_kind"
    SECRET = "secret"  # noqa: S105 - a rule's name
    OTHER_CONTENT = "other_content"
    PARENT_UNSETTLED = "parent_unsettled"
    APPROVAL = "approval"
    UNATTENDED_METHOD = "unattended_method"
    UNATTENDED_ANCESTOR = "unattended_ancestor"
    UNATTENDED_TARGET = "unattended_target"
    UNATTENDED_REPORT = "unattended_report"


UNATTENDED = {rule for rule in PublishRule if rule.value.startswith("unattended_")}
"""What is asked only where nobody approved."""


class PublishWhen(StrEnum):
    """How true a hand-off must still be."""

    VERIFIED = "verified"
    NOT_STALE = "not_stale"
    ANY = "any"


DEFAULT_WHEN = {Kind.RECORD: PublishWhen.VERIFIED, Kind.DISCUSS: PublishWhen.ANY}
"""A record stands for itself; a discussion may be about what does not hold any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """The workflow run. None is not known, and what is not known does not pass.

    `ref` is full (refs/heads/main), `commit` the event's; `from_fork`: another repository's head is in it.
    """

    event: str
    ref: str | None
    default_branch: str | None
    commit: str | None
    from_fork: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DestinationFacts:
    """One destination. `leaks` are secrets in what it would be sent, without their values.

    `publish_when` is what was asked for, None: the default. `published_otherwise` is the receipt that says
    that the capsule was published there with another payload; `is_parent_unsettled`: nobody knows whether
    the parent was.
    """

    alias: str
    provider: ProviderName
    target: str
    leaks: tuple[str, ...] = ()
    publish_when: PublishWhen | None = None
    published_otherwise: Receipt | None = None
    is_parent_unsettled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFacts:
    """What the gate looks at whatever is written: all that there is of a sweep's digest.

    `run` is None outside of a workflow. `head` is the judged commit. `approval` is the approved digest, None
    where nobody approved; `digest` that of what would be published.
    """

    run: RunFacts | None
    head: str | None
    approval: str | None
    digest: str
    allowed_targets: Collection[tuple[ProviderName, str]]
    destinations: tuple[DestinationFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts(WriteFacts):
    """All that the gate looks at where a capsule is published.

    `is_committed`: the capsule is in the judged tree; `same_id` counts the capsules there with its id;
    `problems` those of its file. `has_reserved_id`: receipts of digests have such ids.
    `with_base_in_history` are the ids of the conditions whose base is known to be an ancestor of the judged
    commit.
    """

    is_committed: bool
    same_id: int
    problems: int
    has_reserved_id: bool = False
    capsule: Capsule
    report: CapsuleReport
    leaks: tuple[str, ...]
    with_base_in_history: Collection[str]


@dataclass(frozen=True, slots=True)
class GateRefusal:
    """One rule that refuses, and why; `alias` is None where it is about all. A field's name may be data.

    `published` is what is there already, where that is why.
    """

    rule: PublishRule
    reason: str
    alias: str | None = None
    published: Reference | None = None


def judge_publish_gate(facts: Facts) -> tuple[GateRefusal, ...]:
    """Every refusal, in the order of PublishRule; none: it may be published."""
    return _in_order(
        [
            *_of_write(facts),
            *_of_capsule(facts),
            *(() if facts.approval is not None else _of_unattended(facts)),
            *(refusal for one in facts.destinations for refusal in _of_capsule_at(facts, one)),
        ]
    )


def judge_digest_gate(facts: WriteFacts, *, is_reported: bool) -> tuple[GateRefusal, ...]:
    """The same for a sweep's digest: it tells what does not hold, so no verdict refuses it.

    `is_reported`: it tells of other repositories what their reports say, which nobody judged here.
    """
    found = list(_of_write(facts))
    if is_reported and facts.approval is None:
        reason = (
            "without approval only what this run judged is told, and reports of other repositories say more: "
            "approve the digest, or tell of this repository alone, in a step without `reports`"
        )
        found += [GateRefusal(PublishRule.UNATTENDED_REPORT, reason, one.alias) for one in facts.destinations]
    return _in_order(found)


def judge_tip(judged: Hashable, at_tip: Hashable | None, why: str = "") -> tuple[GateRefusal, ...]:
    """The last look before a claim: what the default branch's tip on the server, judged anew, comes to.

    Both are what judging came to, the view's digest foremost: a changed capsule, destination or verdict is
    another one. None: the tip could not be judged, and `why`.
    """
    if at_tip is None:
        reason = f"the tip of the default branch could not be judged again just before the write: {why}"
    elif at_tip != judged:
        reason = "at the tip of the default branch the capsule, a destination or a verdict is another by now"
    else:
        return ()
    return (GateRefusal(PublishRule.TIP_MOVED, reason),)


def refuse_other_content(receipt: Receipt, alias: str) -> GateRefusal:
    """The refusal where `receipt` says that the same hand-off was published there in other words (C061).

    A receipt holds a digest and no words: what differs can be told by what can differ only.
    """
    differs = (
        "nobody knows any more with what content"
        if receipt.payload_digest == NOT_KNOWN
        else "with other content: the hand-off, a verdict, or whether a newer one continues it changed since"
    )
    reason = (
        f"already published there at {receipt.at}, {differs}. What is there stays as it is. To add to it, "
        "leave a new hand-off that names this one as its parent; else leave this destination out"
    )
    reference = parse_reference(receipt.provider, receipt.external_reference)
    return GateRefusal(PublishRule.OTHER_CONTENT, reason, alias, reference)


def _in_order(found: list[GateRefusal]) -> tuple[GateRefusal, ...]:
    return tuple(sorted(found, key=lambda refusal: list(PublishRule).index(refusal.rule)))


def _of_write(facts: WriteFacts) -> Iterator[GateRefusal]:
    yield from _of_run(facts)
    if facts.approval is not None and not hmac.compare_digest(facts.approval, facts.digest):
        reason = "what was approved is not what would be published: preview it and approve that digest"
        yield GateRefusal(PublishRule.APPROVAL, reason)
    for one in facts.destinations:
        yield from _of_destination(facts, one)


def _of_run(facts: WriteFacts) -> Iterator[GateRefusal]:
    run = facts.run
    if run is None:
        return
    if run.event not in EVENTS:
        yield GateRefusal(PublishRule.EVENT, f"the run's event is none of: {', '.join(EVENTS)}")
    if run.from_fork:
        yield GateRefusal(PublishRule.FORK, "the run is about a fork's commit")
    if run.default_branch is None or run.ref != f"refs/heads/{run.default_branch}":
        yield GateRefusal(PublishRule.BRANCH, "the run is not on the default branch")
    if facts.head is None or facts.head != run.commit:
        yield GateRefusal(PublishRule.HEAD, "the judged commit is not the run's own")


def _of_capsule(facts: Facts) -> Iterator[GateRefusal]:
    if not facts.is_committed:
        yield GateRefusal(PublishRule.UNCOMMITTED, "the capsule is not committed")
    if facts.same_id > 1:
        reason = f"{facts.same_id} capsules have this id"
        yield GateRefusal(PublishRule.AMBIGUOUS_CAPSULE, reason)
    if facts.has_reserved_id:
        reason = "receipts know the digests of sweeps by such ids; give the capsule another one"
        yield GateRefusal(PublishRule.AMBIGUOUS_CAPSULE, reason)
    if facts.problems:
        yield GateRefusal(PublishRule.PROBLEM, "the capsule's file has a problem")
    if facts.report.expired:
        yield GateRefusal(PublishRule.EXPIRED, "the capsule is expired")
    unknown = sum(unit.kind not in FIELDS for unit in facts.capsule.critical)
    if unknown:
        reason = f"{unknown} of its critical units are of a kind that this version does not know"
        yield GateRefusal(PublishRule.UNKNOWN_CRITICAL_KIND, reason)
    if facts.leaks:
        yield GateRefusal(
            PublishRule.SECRET, f"the capsule holds what looks like a secret: {_some(facts.leaks)}"
        )


def _of_unattended(facts: Facts) -> Iterator[GateRefusal]:
    required = [one for one in facts.report.validity.conditions if one.required and one.kind == "git_paths"]
    if not required or any(condition.method is not Method.BASE_TREE for condition in required):
        reason = (
            "without approval all required git_paths conditions, at least one, must be judged by their base"
        )
        yield GateRefusal(PublishRule.UNATTENDED_METHOD, reason)
    if any(condition.condition_id not in facts.with_base_in_history for condition in required):
        reason = "without approval every base must be known to be an ancestor of the judged commit"
        yield GateRefusal(PublishRule.UNATTENDED_ANCESTOR, reason)


def _of_destination(facts: WriteFacts, one: DestinationFacts) -> Iterator[GateRefusal]:
    if one.leaks:
        reason = f"what would be sent holds what looks like a secret: {_some(one.leaks)}"
        yield GateRefusal(PublishRule.SECRET, reason, one.alias)
    if facts.approval is None and (one.provider, one.target) not in facts.allowed_targets:
        reason = f"without approval the target must be in {ALLOWED_TARGETS}"
        yield GateRefusal(PublishRule.UNATTENDED_TARGET, reason, one.alias)


def _of_capsule_at(facts: Facts, one: DestinationFacts) -> Iterator[GateRefusal]:
    when = one.publish_when or DEFAULT_WHEN[CAPABILITIES[one.provider].kind]
    if not _holds(facts.report, when):
        reason = f"publish_when is {when}, and the capsule's verdict is {facts.report.validity.aggregate}"
        yield GateRefusal(PublishRule.PUBLISH_WHEN, reason, one.alias)
    if one.published_otherwise is not None:
        yield refuse_other_content(one.published_otherwise, one.alias)
    if one.is_parent_unsettled:
        reason = "what became of its parent's publication there is not settled: `ophiuchus receipts resolve`"
        yield GateRefusal(PublishRule.PARENT_UNSETTLED, reason, one.alias)


def _holds(report: CapsuleReport, when: PublishWhen) -> bool:
    match when:
        case PublishWhen.ANY:
            return True
        case PublishWhen.NOT_STALE:
            return report.validity.aggregate not in STALE_AGGREGATES
        case PublishWhen.VERIFIED:
            checked = [one for one in report.validity.conditions if one.required and _is_checked(one)]
            return bool(checked) and all(map(_is_verified, checked))


def _is_checked(condition: ConditionReport) -> bool:
    """Whether something is compared; a scope in the sender's words never is."""
    return condition.kind in ("git_paths", "time_window")


def _is_verified(condition: ConditionReport) -> bool:
    """Whether it holds, with nothing left out of the comparison."""
    evaluated = all(glob.result is not GlobResult.NOT_EVALUATED for glob in condition.paths)
    return condition.verdict is Verdict.VALID and evaluated


def _some(found: tuple[str, ...]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(found[:_SHOWN]) + more
