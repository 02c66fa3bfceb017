"""What one run of publishing comes to: for people as a document, for programs as JSON.

It leads with what a person has to do. Links are built from configured addresses and checked ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ophiuchus.assess.fidelity import FIDELITY_LIMIT
from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.publish.capability import CAPABILITIES, Operation
from ophiuchus.publish.delivery import Delivered
from ophiuchus.publish.gate import UNATTENDED, GateRefusal, PublishRule
from ophiuchus.publish.links import link_to
from ophiuchus.publish.next_steps import next_steps
from ophiuchus.publish.outcome import OutcomeStatus
from ophiuchus.publish.proposal import Proposal, Proposed
from ophiuchus.publish.receipt_list import KEY_SHOWN
from ophiuchus.publish.receipts import Malformed, Receipt, ReceiptStatus
from ophiuchus.publish.reference import Reference
from ophiuchus.publish.stores.store import ON_BRANCH
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Heading,
    Inline,
    Line,
    Link,
    Paragraph,
    Part,
    Status,
    Strong,
    Table,
    Text,
    Tone,
)

_TONES = {
    OutcomeStatus.PUBLISHED: Tone.GOOD,
    OutcomeStatus.AMBIGUOUS: Tone.OPEN,
    OutcomeStatus.FAILED: Tone.BAD,
}


@dataclass(frozen=True, slots=True)
class Account:
    """One run. `delivered` has an entry for each destination that was attempted; a preview attempts none.

    `receipts` says where they are kept, as a person gave it. `bug` is what went wrong within this program at
    a destination that has no entry then.
    """

    proposal: Proposal
    is_preview: bool
    refused: tuple[GateRefusal, ...] = ()
    delivered: tuple[Delivered, ...] = ()
    warnings: tuple[str, ...] = ()
    bug: Exception | None = None
    receipts: str = ON_BRANCH

    @property
    def is_delivered(self) -> bool:
        """Whether every destination has it, with a receipt that says so."""
        return len(self.delivered) == len(self.proposal.writes) and all(one.is_done for one in self.delivered)

    @property
    def is_withheld(self) -> bool:
        """Whether no body is shown, for a secret was found: more people read a log than the repository."""
        return any(one.rule is PublishRule.SECRET for one in self.refused)


def account_json(account: Account) -> str:
    """The account as JSON (design §7). In a preview `previews` holds what would be sent."""
    value = {
        "schema_version": 1,
        "capsule_id": None if account.proposal.is_digest else account.proposal.subject,
        "sweep_of": account.proposal.subject if account.proposal.is_digest else None,
        "preview": account.is_preview,
        "view_digest": account.proposal.view_digest,
        "refused": [_refused(account.proposal, one) for one in account.refused],
        "deliveries": [_delivery(account.proposal, one) for one in account.delivered],
        "previews": [_preview(one, account) for one in account.proposal.writes] if account.is_preview else [],
        "warnings": list(account.warnings),
    }
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def deliveries_line(account: Account) -> str:
    """Each destination's outcome as one line of JSON, in words of this program only: a step's output."""
    found = {one.plan.alias: one.outcome.status.value for one in account.delivered}
    return json.dumps(found, separators=(",", ":"))


def compose_account(account: Account) -> Document:
    """The document of one run."""
    parts = [_headline(account)]
    if account.refused:
        lines = tuple(_refusal(account.proposal, one) for one in account.refused)
        parts.append(Part("why not", 0, (Bullets(lines), *_or_approve(account))))
    if account.delivered:
        parts.append(Part("the deliveries", 0, (_deliveries(account),)))
        parts += next_steps(account.delivered, account.receipts)
    if account.warnings:
        parts.append(Part("warnings", 0, (Bullets(tuple((Text(one),) for one in account.warnings)),)))
    if account.is_preview:
        parts += [_shown(one, account) for one in account.proposal.writes]
        limit = VALIDITY_LIMIT if account.proposal.is_digest else FIDELITY_LIMIT
        parts.append(Part("limits", 1, (Paragraph((Text(limit),)),)))
    return Document(tuple(parts))


def url_of(proposal: Proposal, delivered: Delivered) -> str | None:
    """The page of what was written, where it is known."""
    return _url(proposal, delivered.plan.alias, delivered.outcome.reference)


def _url(proposal: Proposal, alias: str | None, reference: Reference | None) -> str | None:
    if reference is None:
        return None
    one = next(one for one in proposal.writes if one.plan.alias == alias)
    return link_to(one.plan.provider, one.origin.site, one.plan.write.target, reference)


def _headline(account: Account) -> Part:
    subject = Code(account.proposal.subject)
    if not account.proposal.writes:
        line: Line = (Text("Nothing needs action, nothing is sent: "), subject)
        return Part("the headline", 0, (Heading(1, line),))
    digest = Paragraph((Text("View digest: "), Code(account.proposal.view_digest)))
    if account.is_preview:
        said, how = _foreseen(account)
        approving = (Paragraph((Text(how),)),) if how else ()
        line = (Text("Preview of "), subject, Text(f": {said}"))
        return Part("the headline", 0, (Heading(1, line), digest, *approving))
    return Part("the headline", 0, (Heading(1, _came_to(account, subject)), digest))


def _foreseen(account: Account) -> tuple[str, str]:
    """What approving would come to, and what to do for that: nothing where it would send nothing.

    Without the receipts nobody knows what it would come to.
    """
    open_now = [one.plan.alias for one in account.proposal.writes if not one.is_published]
    refusing = {one.alias for one in account.refused}
    sent = [alias for alias in open_now if None not in refusing and alias not in refusing]
    if not open_now:
        return "it is published already", ""
    if not sent:
        return "it would be refused", ""
    approve = "" if account.warnings else "with the digest; what then would differ is refused."
    if len(sent) < len(open_now):
        said = f"it would be refused for {len(open_now) - len(sent)} of {len(open_now)}"
        return said, approve and f"Approve exactly the rest {approve}"
    return "nothing was sent", approve and f"Approve exactly this {approve}"


def _came_to(account: Account, subject: Inline) -> Line:
    """What a run that may send came to."""
    if account.refused and not account.delivered:
        return (Text("Refused, nothing was sent: "), subject)
    there = sum(one.outcome.status is OutcomeStatus.PUBLISHED for one in account.delivered)
    done = f"{there} of {len(account.proposal.writes)}"
    if not account.is_delivered:
        unrecorded = there - sum(one.is_done for one in account.delivered)
        but = f", not recorded at {unrecorded}" if unrecorded else ""
        return (Text("Action required: "), subject, Text(f" is published to {done}{but}"))
    if not any(one.written_now for one in account.delivered):
        return (Text("Published already, nothing was sent now: "), subject)
    return (Text(f"Published to {done}: "), subject)


def _or_approve(account: Account) -> Iterator[Block]:
    """What would do as well, where nothing is wrong but that nobody approved it."""
    if not account.is_preview and all(one.rule in UNATTENDED for one in account.refused):
        yield Paragraph((Text("Or preview it, and let a person approve its view digest."),))


def _refusal(proposal: Proposal, refusal: GateRefusal) -> Line:
    about = (Text(" for "), Code(refusal.alias)) if refusal.alias else ()
    there: Line = ()
    if refusal.published is not None:
        url = _url(proposal, refusal.alias, refusal.published)
        there = (Text(". It is there as "), *_named(refusal.published, url))
    return (Strong(refusal.rule.value.replace("_", " ")), *about, Text(f": {refusal.reason}"), *there)


def _deliveries(account: Account) -> Table:
    rows = (_row(account.proposal, one) for one in account.delivered)
    return Table(("Destination", "What", "Outcome", "Where", "Receipt"), tuple(rows))


def _row(proposal: Proposal, delivered: Delivered) -> tuple[Line, ...]:
    plan, outcome = delivered.plan, delivered.outcome
    reason = (Text(f": {delivered.reason}"),) if delivered.reason else ()
    receipt: Line = (Code(plan.claim_key[:KEY_SHOWN]),) if delivered.receipt else (Text("none"),)
    if delivered.unrecorded is not None:
        receipt = (Strong("not recorded"), Text(f": {delivered.unrecorded}"))
    return (
        (Code(plan.alias),),
        (Text(f"{plan.provider.value}, {delivered.operation.value}"),),
        (Status(outcome.status.value, _TONES[outcome.status]), *reason),
        _where(proposal, delivered),
        receipt,
    )


def _where(proposal: Proposal, delivered: Delivered) -> Line:
    reference = delivered.outcome.reference
    if reference is None:
        return (Text("nowhere" if delivered.outcome.status is OutcomeStatus.FAILED else "not known"),)
    return _named(reference, url_of(proposal, delivered))


def _named(reference: Reference, url: str | None) -> Line:
    # As code, so that it can be copied: in prose a long number is broken, lest it act.
    name: Line = (Code(str(reference)),)
    return (*name, Text(" "), Link("open", url)) if url else name


def _shown(proposed: Proposed, account: Account) -> Part:
    """One destination's body, as people read it and as it is sent."""
    plan, capability = proposed.plan, CAPABILITIES[proposed.plan.provider]
    made = capability.made if plan.write.operation is Operation.CREATE else capability.added
    append_to = plan.write.append_to
    where: Sequence[Inline] = (Text(", added to "), Code(str(append_to))) if append_to is not None else ()
    place = (Code(plan.alias), Text(f": {made} at "), Code(plan.write.target), *where)
    if account.is_withheld:
        said = "What would be sent is not shown: it may hold the secret that is named above."
        return Part("a destination's payload", 2, (Heading(2, place), Paragraph((Text(said),))))
    title = (Paragraph((Text("Title: "), Strong(proposed.payload.title))),) if proposed.payload.title else ()
    blocks: tuple[Block, ...] = (
        Heading(2, place),
        *_already(proposed),
        *title,
        *map(_below, proposed.payload.document.blocks),
        Details(
            (Text("What is sent, exactly"),),
            (CodeBlock(json.dumps(dict(plan.write.content), indent=2, sort_keys=True, ensure_ascii=False)),),
        ),
    )
    return Part("a destination's payload", 2, blocks)


def _below(block: Block) -> Block:
    """A block of the payload, its headings below that of its destination."""
    return replace(block, level=block.level + 2) if isinstance(block, Heading) else block


def _already(proposed: Proposed) -> Iterator[Block]:
    match proposed.row:
        case Receipt(status=ReceiptStatus.PUBLISHED) as receipt:
            name = Code(str(receipt.external_reference))
            yield Paragraph((Text(f"Published already, at {receipt.at}: "), name))
        case Receipt() | Malformed():
            said = "An earlier run was at it: this is written only where its receipt says that it failed."
            yield Paragraph((Text(said),))


def _refused(proposal: Proposal, refusal: GateRefusal) -> dict[str, Any]:
    return {
        "rule": refusal.rule,
        "reason": refusal.reason,
        "destination": refusal.alias,
        "reference": None if refusal.published is None else str(refusal.published),
        "url": _url(proposal, refusal.alias, refusal.published),
    }


def _delivery(proposal: Proposal, delivered: Delivered) -> dict[str, Any]:
    plan, outcome = delivered.plan, delivered.outcome
    return {
        "destination": plan.alias,
        "provider": plan.provider,
        "operation": delivered.operation,
        "outcome": outcome.status,
        "reference": None if outcome.reference is None else str(outcome.reference),
        "url": url_of(proposal, delivered),
        "idempotency_key": delivered.idempotency_key,
        "claim_key": plan.claim_key,
        "reason": delivered.reason,
        "retry_after": outcome.retry_after,
        "written_now": delivered.written_now,
        "unrecorded": delivered.unrecorded,
        "receipt": None if delivered.receipt is None else delivered.receipt.model_dump(mode="json"),
    }


def _preview(proposed: Proposed, account: Account) -> dict[str, Any]:
    plan = proposed.plan
    return {
        "destination": plan.alias,
        "provider": plan.provider,
        "operation": plan.write.operation,
        "target": plan.write.target,
        "append_to": None if plan.write.append_to is None else str(plan.write.append_to),
        "digest": proposed.digest,
        "readable": None if account.is_withheld else proposed.payload.readable,
        "content": None if account.is_withheld else dict(plan.write.content),
    }
