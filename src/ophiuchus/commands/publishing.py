"""What `ophiuchus publish` and the action share: propose, pass the gate, claim, write once, keep the receipt.

A preview returns before anything of a provider is imported, a credential read or a client made: only
`_deliver` does that, and a preview never comes there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ophiuchus.commands.branch_tip import Tip
from ophiuchus.commands.edge import Edge
from ophiuchus.commands.judging import NoRemote, Opened
from ophiuchus.commands.proposing import Judged, Request, judge_to_publish
from ophiuchus.commands.run import Run, start_run
from ophiuchus.publish.account import Account
from ophiuchus.publish.approval import ALLOWED_TARGETS, parse_allowed_targets
from ophiuchus.publish.capability import Deployment, ProviderName
from ophiuchus.publish.delivery import Delivered, OtherContent, Step, deliver
from ophiuchus.publish.destination import JiraDestination
from ophiuchus.publish.gate import (
    DestinationFacts,
    Facts,
    GateRefusal,
    RunFacts,
    judge_publish_gate,
    refuse_other_content,
)
from ophiuchus.publish.leaks import leaks_of_capsule, leaks_of_payload
from ophiuchus.publish.outcome import Outcome, OutcomeStatus
from ophiuchus.publish.proposal import Proposal, Proposed
from ophiuchus.publish.receipts import Row
from ophiuchus.publish.stores.store import Store, StoreMissing, StoreUnreadable
from ophiuchus.publish.sweep_digest import is_digest_word
from ophiuchus.text.problem import ExpectedFailure

if TYPE_CHECKING:
    from ophiuchus.workflow.event import Event

_NO_RECEIPTS = (
    "the receipts could not be read, so this preview takes it that nothing was published yet, and its digest "
    "may not be the one to approve"
)

Told = Callable[[str, Step], None]
"""Hears of each destination's steps, by alias."""


def preview(request: Request, edge: Edge) -> Account:
    """What would be published, and what of it the gate would refuse. Raises ExpectedFailure."""
    run = start_run(request, edge, needs_server=False)
    rows, warnings = rows_to_preview(run.open_receipts())
    with run.open_here() as opened:
        judged = judge_to_publish(run, opened, rows, unattended=False)
    digest = judged.proposal.view_digest
    refused = _refusals(run, judged, approval=digest, branch=None)
    return Account(
        judged.proposal, is_preview=True, refused=refused, warnings=warnings, receipts=request.receipts
    )


def publish(request: Request, edge: Edge, told: Told) -> Account:
    """Publish what was approved, once. Raises ExpectedFailure where what that is cannot even be known."""
    run = start_run(request, edge, needs_server=request.event is not None)
    with run.open_receipts() as store:
        rows = store.read()

        def judged_in(opened: Opened) -> Judged:
            return judge_to_publish(run, opened, rows, unattended=request.approval is None)

        with run.open_to_write() as opened:
            judged = judged_in(opened)
            branch = run.default_branch(opened)
        refused = _refusals(run, judged, approval=request.approval, branch=branch)
        refused = of_what_is_open(refused, judged.proposal)
        account = Account(judged.proposal, is_preview=False, refused=refused, receipts=request.receipts)
        if any(one.alias is None for one in refused):
            return account
        tip = run.tip(branch, judged.head, judged.state, lambda opened: judged_in(opened).state)
        return deliver_all(account, store, edge, tip, told)


def rows_to_preview(receipts: AbstractContextManager[Store]) -> tuple[Mapping[str, Row], tuple[str, ...]]:
    """What a preview takes for published, and a warning where that could not be read."""
    try:
        with receipts as store:
            return store.read(), ()
    except (StoreMissing, StoreUnreadable, NoRemote) as failure:
        return {}, (f"{_NO_RECEIPTS}: {failure.message}. {failure.remedy}",)


def of_what_is_open(refused: tuple[GateRefusal, ...], proposal: Proposal) -> tuple[GateRefusal, ...]:
    """What is there already is not written again, so there is nothing of it to refuse."""
    there = {one.plan.alias for one in proposal.writes if one.is_published}
    if len(there) == len(proposal.writes):
        return ()
    return tuple(one for one in refused if one.alias not in there)


def deliver_all(account: Account, store: Store, edge: Edge, tip: Tip | None, told: Told) -> Account:
    """Attempt every destination that is not refused, whatever became of the others, until the gate closes.

    A bug at one is kept until all were attempted, so that what became of the others is told.
    """
    bug: Exception | None = None
    delivered: list[Delivered] = []
    refused = list(account.refused)
    for one in account.proposal.writes:
        if one.plan.alias in {refusal.alias for refusal in account.refused}:
            continue
        if tip is not None and (found := tip.refusals()):
            refused += found
            break
        try:
            delivered.append(_deliver(one, store, edge, told))
        except OtherContent as failure:
            refused.append(refuse_other_content(failure.receipt, one.plan.alias))
        except ExpectedFailure as failure:
            delivered.append(_nothing_sent(one, failure))
        except BrokenPipeError:
            raise
        except Exception as error:
            bug = bug or error
    return replace(account, refused=tuple(refused), delivered=tuple(delivered), bug=bug)


def _deliver(one: Proposed, store: Store, edge: Edge, told: Told) -> Delivered:
    """One destination. Raises ExpectedFailure where nothing was sent."""
    from ophiuchus.publish.providers.opening import open_provider

    env = _with_token(edge.env) if one.plan.provider is ProviderName.TEAMS else edge.env
    destination = one.destination
    deployment = destination.deployment if isinstance(destination, JiraDestination) else Deployment.CLOUD
    provider = open_provider(one.plan.provider, env, one.origin.api, deployment)
    return deliver(
        one.plan, provider, store, lambda: datetime.now(UTC), lambda plan, step: told(plan.alias, step)
    )


def _with_token(env: Mapping[str, str]) -> Mapping[str, str]:
    """The environment with a token for Teams that a program gives, where one is named. Raises NoToken."""
    from ophiuchus.commands.token_command import VARIABLE, read_token

    command = env.get(VARIABLE, "")
    return {**env, "OPHIUCHUS_TEAMS_ACCESS_TOKEN": read_token(command, env)} if command.strip() else env


def _nothing_sent(one: Proposed, failure: ExpectedFailure) -> Delivered:
    reason = f"nothing was sent: {failure.message}"
    return Delivered(one.plan, Outcome(OutcomeStatus.FAILED, reason), remedy=failure.remedy)


def _refusals(
    run: Run[Request], judged: Judged, *, approval: str | None, branch: str | None
) -> tuple[GateRefusal, ...]:
    proposal, capsule = judged.proposal, judged.shelved.capsule
    facts = Facts(
        run=run_facts(run.request.event, run.edge.env, branch),
        head=judged.head,
        is_committed=bool(judged.shelved.blob),
        same_id=judged.same_id,
        has_reserved_id=is_digest_word(capsule.capsule_id),
        problems=judged.problems,
        capsule=capsule,
        report=judged.report,
        leaks=leaks_of_capsule(capsule),
        with_base_in_history=judged.with_base_in_history,
        approval=approval,
        digest=proposal.view_digest,
        allowed_targets=parse_allowed_targets(run.edge.env.get(ALLOWED_TARGETS, "")),
        destinations=tuple(_facts_of(one, run.request) for one in proposal.writes),
    )
    return judge_publish_gate(facts)


def _facts_of(one: Proposed, request: Request) -> DestinationFacts:
    return DestinationFacts(
        alias=one.plan.alias,
        provider=one.plan.provider,
        target=one.plan.write.target,
        leaks=leaks_of_payload(one.payload),
        publish_when=request.publish_when,
        published_otherwise=one.published_otherwise,
        is_parent_unsettled=one.is_parent_unsettled,
    )


def run_facts(event: Event | None, env: Mapping[str, str], branch: str | None) -> RunFacts | None:
    """What the workflow's run is; `branch` is the default one as the server says, None: as the event says."""
    if event is None:
        return None
    return RunFacts(
        event=event.name,
        ref=env.get("GITHUB_REF"),
        default_branch=branch or event.default_branch,
        commit=env.get("GITHUB_SHA"),
        from_fork=event.pull_request is not None,
    )
