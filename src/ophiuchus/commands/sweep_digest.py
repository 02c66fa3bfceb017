"""The digest of a sweep: judged as what is published is, shown, and sent where somebody asked for that.

In a workflow this repository is judged anew on objects that this program fetched itself: a report that a
shard uploaded decides nothing about what is sent. What reports say of other repositories is sent only as a
person approved it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ophiuchus.commands.edge import Edge
from ophiuchus.commands.judging import NoCommit, Opened, fetcher_for
from ophiuchus.commands.ownership import code_owners_in
from ophiuchus.commands.proposing import named_destinations
from ophiuchus.commands.publishing import Told, deliver_all, of_what_is_open, rows_to_preview, run_facts
from ophiuchus.commands.run import Asked, Run, start_run
from ophiuchus.publish.account import Account
from ophiuchus.publish.approval import ALLOWED_TARGETS, parse_allowed_targets
from ophiuchus.publish.destination import Destination
from ophiuchus.publish.destinations import PATH
from ophiuchus.publish.gate import DestinationFacts, GateRefusal, WriteFacts, judge_digest_gate
from ophiuchus.publish.leaks import leaks_of_payload
from ophiuchus.publish.origins import Origin
from ophiuchus.publish.proposal import Proposal
from ophiuchus.publish.receipts import Row
from ophiuchus.publish.sweep_digest import (
    Sweep,
    leaks_of_sweep,
    propose_digest,
    refuse_other_than_channels,
)
from ophiuchus.report.elsewhere import with_elsewhere
from ophiuchus.report.files import acting
from ophiuchus.report.judge import judge
from ophiuchus.report.model import Report, Scope
from ophiuchus.report.owners import PLACES, Owners, owners_of
from ophiuchus.report.scope import continued_in, lineage_of
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.repository import repository_name


class NoRepositoryName(ExpectedFailure):
    """The environment does not say which repository is swept."""

    def __init__(self) -> None:
        super().__init__(
            "a digest says of which repository it is, and that is not known",
            "Set GITHUB_REPOSITORY to OWNER/NAME.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRequest(Asked):
    """What is to be told, and where. `key` tells sweeps of one repository apart.

    `joined` are reports that may tell of other repositories.
    """

    key: str
    scope: Scope
    joined: Report | None = None

    def files(self, top: Path) -> tuple[str, ...]:  # noqa: ARG002 - of a request that names a file
        """The destinations, and where the owners of code may be named."""
        return (PATH, *PLACES)


@dataclass(frozen=True, slots=True)
class _Swept:
    """One commit, judged."""

    head: str
    sweep: Sweep
    destinations: Mapping[str, tuple[Destination, Origin]]

    def proposal(self, rows: Mapping[str, Row]) -> Proposal:
        return propose_digest(self.sweep, self.destinations, rows)


def preview_digest(request: DigestRequest, edge: Edge) -> Account:
    """What would be sent, and what of it the gate would refuse. Raises ExpectedFailure."""
    run = start_run(request, edge, needs_server=request.event is not None)
    with run.open_to_write() as opened:
        swept = _sweep(run, opened)
    rows: Mapping[str, Row] = {}
    warnings: tuple[str, ...] = ()
    if swept.sweep.needs_action:
        rows, warnings = rows_to_preview(run.open_receipts())
    proposal = swept.proposal(rows)
    approved = replace(run, request=replace(request, approval=proposal.view_digest))
    refused = _refusals(approved, swept, proposal, branch=None)
    return Account(proposal, is_preview=True, refused=refused, warnings=warnings, receipts=request.receipts)


def send_digest(request: DigestRequest, edge: Edge, told: Told) -> Account:
    """Send it, once for each state; nothing where nothing needs action.

    Raises ExpectedFailure where what would be sent cannot even be known.
    """
    run = start_run(request, edge, needs_server=request.event is not None)
    with run.open_to_write() as opened:
        swept = _sweep(run, opened)
        branch = run.default_branch(opened)
    if not swept.sweep.needs_action:
        return Account(swept.proposal({}), is_preview=False)
    with run.open_receipts() as store:
        rows = store.read()
        proposal = swept.proposal(rows)
        refused = of_what_is_open(_refusals(run, swept, proposal, branch=branch), proposal)
        account = Account(proposal, is_preview=False, refused=refused, receipts=request.receipts)
        if any(one.alias is None for one in refused):
            return account

        def state_of(opened: Opened) -> str:
            return _sweep(run, opened).proposal(rows).view_digest

        tip = run.tip(branch, swept.head, proposal.view_digest, state_of)
        return deliver_all(account, store, edge, tip, told)


def _repository(edge: Edge) -> str:
    """The name of the swept repository. Raises NoRepositoryName."""
    name = repository_name(edge.env.get("GITHUB_REPOSITORY"))
    if name is None:
        raise NoRepositoryName
    return name


def _sweep(run: Run[DigestRequest], opened: Opened) -> _Swept:
    """Judge all capsules of one commit. Raises NoChannel, and what `named_destinations` raises."""
    request, repository = run.request, _repository(run.edge)
    if opened.target.head is None:
        raise NoCommit("there is no commit to sweep", "commit something first")
    destinations = named_destinations(request.aliases, opened, run.edge.env)
    refuse_other_than_channels(destinations)
    shelf, lineage = opened.shelf, lineage_of(opened.shelf)
    report = judge(
        opened.scratch,
        opened.target,
        shelf.capsules,
        problems=shelf.problems,
        continued=continued_in(lineage, request.scope),
        lineage=lineage,
        fetcher=fetcher_for(opened, run.remote, run.edge.env),
    )
    owners = _owners(opened, report)
    if request.joined is not None:
        report = with_elsewhere(report, repository, request.joined)
    return _Swept(opened.target.head, Sweep(repository, request.key, report, owners), destinations)


def _owners(opened: Opened, report: Report) -> Mapping[str, Owners] | None:
    rules = code_owners_in(opened.scratch, opened.target.tree)
    return None if rules is None else owners_of(rules, acting(report))


def _refusals(
    run: Run[DigestRequest], swept: _Swept, proposal: Proposal, *, branch: str | None
) -> tuple[GateRefusal, ...]:
    names = leaks_of_sweep(swept.sweep)
    facts = WriteFacts(
        run=run_facts(run.request.event, run.edge.env, branch),
        head=swept.head,
        approval=run.request.approval,
        digest=proposal.view_digest,
        allowed_targets=parse_allowed_targets(run.edge.env.get(ALLOWED_TARGETS, "")),
        destinations=tuple(
            DestinationFacts(
                alias=one.plan.alias,
                provider=one.plan.provider,
                target=one.plan.write.target,
                leaks=tuple(dict.fromkeys((*names, *leaks_of_payload(one.payload)))),
            )
            for one in proposal.writes
        ),
    )
    return judge_digest_gate(facts, is_reported=swept.sweep.is_reported)
