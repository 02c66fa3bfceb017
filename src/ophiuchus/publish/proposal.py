"""The proposal: what would be written to each destination that was named. Nothing is sent here.

Preview shows it, a person approves its digest, and publishing makes the same one again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ophiuchus.capsule.shelf import ShelvedCapsule
from ophiuchus.publish.capability import Operation
from ophiuchus.publish.delivery import Plan, published_reference
from ophiuchus.publish.destination import Destination
from ophiuchus.publish.digest import destination_digest, payload_digest, view_digest
from ophiuchus.publish.origins import Origin
from ophiuchus.publish.payload import Payload, compose_payload
from ophiuchus.publish.provider import Write
from ophiuchus.publish.receipts import Malformed, Receipt, ReceiptStatus, Row, claim_key
from ophiuchus.publish.reference import Reference
from ophiuchus.report.model import CapsuleReport


@dataclass(frozen=True, slots=True)
class Proposed:
    """One destination's write. `digest` covers all that decides it; `row` is the receipt that is there."""

    destination: Destination
    origin: Origin
    plan: Plan
    payload: Payload
    digest: str
    row: Row | None
    is_parent_unsettled: bool

    @property
    def is_published(self) -> bool:
        """Whether a receipt says that exactly this is there already."""
        published = self._published
        return published is not None and self.plan.is_what(published)

    @property
    def published_otherwise(self) -> Receipt | None:
        """The receipt that says that the capsule was published there with another payload, if one does."""
        return None if self.is_published else self._published

    @property
    def _published(self) -> Receipt | None:
        if isinstance(self.row, Receipt) and self.row.status is ReceiptStatus.PUBLISHED:
            return self.row
        return None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be written.

    `subject` is the capsule's id, `verdict` its aggregate. Of a sweep's digest they are the repository's name
    and empty, and there are no writes if there is nothing to tell.
    """

    subject: str
    verdict: str
    writes: tuple[Proposed, ...]

    @property
    def is_digest(self) -> bool:
        """Whether it is about no capsule, but about a sweep."""
        return not self.verdict

    @property
    def view_digest(self) -> str:
        """What a person approves."""
        return view_digest(one.digest for one in self.writes)


def propose(
    shelved: ShelvedCapsule,
    report: CapsuleReport,
    destinations: Mapping[str, tuple[Destination, Origin]],
    rows: Mapping[str, Row],
    parent_id: str | None,
) -> Proposal:
    """The proposal of one capsule for `destinations` by alias, with the receipts in `rows`.

    `parent_id` is the parent's id where it is committed and unique: what it was published as is appended to.
    Raises FrameTooLong.
    """
    proposer = _Proposer(shelved, report, rows, parent_id)
    writes = (proposer.proposed(alias, *where) for alias, where in destinations.items())
    return Proposal(shelved.capsule.capsule_id, report.validity.aggregate.value, tuple(writes))


@dataclass(frozen=True, slots=True)
class _Proposer:
    """Proposes one write after the other, of one hand-off."""

    shelved: ShelvedCapsule
    report: CapsuleReport
    rows: Mapping[str, Row]
    parent_id: str | None

    def proposed(self, alias: str, destination: Destination, origin: Origin) -> Proposed:
        published = self._published_parent(destination, origin)
        append_to = published or destination.artifact
        operation = Operation.CREATE if append_to is None else Operation.APPEND
        payload = compose_payload(destination, operation, self.shelved.capsule, self.report)
        write = Write(operation, destination.target, payload.content, append_to)
        digest_of_payload = payload_digest(payload.content)
        plan = Plan(
            alias,
            self.shelved.capsule.capsule_id,
            destination.provider,
            origin.api,
            write,
            digest_of_payload,
            self._in_other_form(destination, origin, operation),
        )
        digest = destination_digest(
            self.shelved,
            self.report,
            fidelity=payload.fidelity,
            destination=destination,
            origin=origin.api,
            write=write,
        )
        is_unsettled = published is None and self._is_parent_unsettled(destination, origin)
        return Proposed(
            destination, origin, plan, payload, digest, self.rows.get(plan.claim_key), is_unsettled
        )

    def _in_other_form(self, destination: Destination, origin: Origin, operation: Operation) -> str | None:
        """The payload's digest by the operation that a receipt names, where that is another one.

        As where the hand-off was published before its parent: it would be added now, and is there already.
        """
        capsule = self.shelved.capsule
        key = claim_key(capsule.capsule_id, destination.provider, origin.api, destination.target)
        row = self.rows.get(key)
        if not isinstance(row, Receipt) or row.operation is operation:
            return None
        return payload_digest(compose_payload(destination, row.operation, capsule, self.report).content)

    def _published_parent(self, destination: Destination, origin: Origin) -> Reference | None:
        """What the parent was published as there."""
        if self.parent_id is None:
            return None
        return published_reference(
            self.rows, self.parent_id, destination.provider, origin.api, destination.target
        )

    def _is_parent_unsettled(self, destination: Destination, origin: Origin) -> bool:
        """Whether nobody knows what became of the parent's own publication there."""
        if self.parent_id is None:
            return False
        key = claim_key(self.parent_id, destination.provider, origin.api, destination.target)
        row = self.rows.get(key)
        return isinstance(row, Malformed) or (row is not None and row.status is not ReceiptStatus.FAILED)
