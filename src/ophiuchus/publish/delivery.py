"""Delivery: claim, read back, write once, settle. Each destination on its own, whatever became of the others.

What makes it once: a claim is stored by compare and swap before the provider is called, so of any number of
runs one gets it; it is read back before the write, so a store that lost it stops the run; and nobody writes
for a claim that somebody else holds, not even after its deadline, for it may have been written (design §7).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from ophiuchus.publish.attempt import SECONDS, attempt
from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.outcome import Outcome, OutcomeStatus
from ophiuchus.publish.provider import Provider, Write
from ophiuchus.publish.receipts import (
    Malformed,
    Receipt,
    ReceiptStatus,
    Row,
    claim_key,
    idempotency_key,
    target_digest,
)
from ophiuchus.publish.reference import Reference, is_under, parse_reference
from ophiuchus.publish.stores.store import Store, StoreUnreadable
from ophiuchus.text.instant import format_instant, parse_instant
from ophiuchus.text.problem import ExpectedFailure

CLAIM = timedelta(minutes=10)
"""How long a claim reads as somebody's who is at work: far longer than a write may take."""
PAUSES = (1.0, 5.0)
"""Seconds before what became of a write is stored again, where the store could not be read for it."""
_UNSENT = Outcome(OutcomeStatus.FAILED, "nothing was sent")
_TOO_LATE = Outcome(OutcomeStatus.FAILED, "storing its claim took too long; nothing was sent")


class Step(StrEnum):
    """Where one delivery is. A step is told of when it begins."""

    CLAIMING = "claiming"
    READING_BACK = "reading_back"
    WRITING = "writing"
    SETTLING = "settling"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Plan:
    """One approved write. `payload_digest` is over what is sent.

    `in_other_form` is over the same text as the other operation would send it, where that was looked at: a
    create and an append of one hand-off say the same.
    """

    alias: str
    capsule_id: str
    provider: ProviderName
    origin: str
    write: Write
    payload_digest: str
    in_other_form: str | None = None

    def is_what(self, receipt: Receipt) -> bool:
        """Whether `receipt` is about this very text, whichever operation wrote it."""
        return receipt.payload_digest in (self.payload_digest, self.in_other_form)

    @property
    def claim_key(self) -> str:
        """What at most one write is made for."""
        return claim_key(self.capsule_id, self.provider, self.origin, self.write.target)

    @property
    def idempotency_key(self) -> str:
        """The seed's key."""
        return idempotency_key(self.capsule_id, self.provider, self.write.target, self.write.operation)


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of one plan. `receipt` is the row as it now should be; None where nothing was claimed.

    `written_now` is false where an earlier run's receipt already says it. `unrecorded` says why the receipt
    could not be stored after the write: then the claim stays, and reads as ambiguous later. `busy_until` is
    the end of another run's claim, while that run may be at work. `remedy` is what to do where nothing was
    even tried.
    """

    plan: Plan
    outcome: Outcome
    receipt: Receipt | None = None
    written_now: bool = False
    unrecorded: str | None = None
    busy_until: str | None = None
    remedy: str = ""

    @property
    def operation(self) -> Operation:
        """What was done, or tried: an earlier run may have made what a run of today would add."""
        return self.plan.write.operation if self.receipt is None else self.receipt.operation

    @property
    def idempotency_key(self) -> str:
        """The seed's key of that."""
        return self.plan.idempotency_key if self.receipt is None else self.receipt.idempotency_key

    @property
    def reason(self) -> str:
        """Why it is not published, with the time until which the provider wants to be left alone."""
        return f"{self.outcome.reason} until {self.wait_until}" if self.wait_until else self.outcome.reason

    @property
    def wait_until(self) -> str | None:
        """That time for people, the minute begun, its day where that is another one; None: not known."""
        if self.outcome.retry_after is None or self.receipt is None:
            return None
        refused = parse_instant(self.receipt.at)
        until = refused + timedelta(seconds=self.outcome.retry_after + 59)
        return f"{until:%H:%M} UTC" if until.date() == refused.date() else f"{until:%Y-%m-%d %H:%M} UTC"

    @property
    def is_done(self) -> bool:
        """Whether it is published, with a receipt that says so."""
        return self.outcome.status is OutcomeStatus.PUBLISHED and self.unrecorded is None


class OtherContent(ExpectedFailure):
    """The same capsule was published to the same target with other content, as `receipt` says."""

    def __init__(self, plan: Plan, receipt: Receipt) -> None:
        super().__init__(
            f"{plan.capsule_id} was already published to {plan.alias} with other content, at {receipt.at}",
            "Leave a new hand-off that names this one as its parent: it is appended there.",
        )
        self.receipt = receipt


Told = Callable[[Plan, Step], None]
"""Hears where a delivery is."""


def standing_of(plan: Plan, row: Row | None, now: datetime) -> Delivered | None:
    """What an earlier run's receipt says of `plan`; None where it is still to be written.

    Raises OtherContent.
    """
    match row:
        case None:
            return None
        case Malformed(where=where):
            return _blocked(plan, f"its receipt cannot be read ({where})", None)
        case Receipt():
            if not row.is_about(plan.capsule_id, plan.provider, plan.origin, plan.write.target):
                return _blocked(plan, "the receipt in its place is about something else", None)
            return _standing(plan, row, now)


def deliver(
    plan: Plan,
    provider: Provider,
    store: Store,
    clock: Callable[[], datetime],
    told: Told = lambda _plan, _step: None,
    *,
    pauses: Sequence[float] = PAUSES,
) -> Delivered:
    """Write `plan` once, if nobody has, and keep its receipt, trying again after `pauses` if need be.

    Raises OtherContent, and StoreUnreadable, StoreMissing and StoreUnwritable where nothing was written.
    """
    told(plan, Step.CLAIMING)
    now = clock()
    row = store.read().get(plan.claim_key)
    if (settled := standing_of(plan, row, now)) is not None:
        return settled
    claim = _claim(plan, now)
    try:
        if not store.swap(row, claim, now):
            found = store.read().get(plan.claim_key)
            return standing_of(plan, found, clock()) or _beaten(plan, found)
        told(plan, Step.READING_BACK)
        if store.read().get(plan.claim_key) != claim:
            return _blocked(plan, "its claim was stored and is not there any more", None)
        # Else it would read as ambiguous by the end of the write: somebody might settle it meanwhile.
        is_in_time = clock() + timedelta(seconds=SECONDS) < now + CLAIM
        if is_in_time:
            told(plan, Step.WRITING)
    except Exception:
        # Nothing was sent: so that no person has to find that out, the claim is given back, if it is there.
        given_back_at = clock()
        given_back = _settled(claim, _UNSENT, given_back_at)
        _why_unrecorded(store, claim, given_back, given_back_at, pauses)
        raise
    outcome = attempt(provider, plan.write) if is_in_time else _TOO_LATE
    try:
        told(plan, Step.SETTLING)
    finally:  # whoever cannot be told: what became of the write is kept
        settled_at = clock()
        receipt = _settled(claim, outcome, settled_at)
        unrecorded = _why_unrecorded(store, claim, receipt, settled_at, pauses)
    told(plan, Step.DONE)
    return Delivered(plan, outcome, receipt, written_now=True, unrecorded=unrecorded)


def published_reference(
    rows: Mapping[str, Row], capsule_id: str, provider: ProviderName, origin: str, target: str
) -> Reference | None:
    """The artifact that a capsule was published as, by its receipt; what a child is appended to.

    One that is not at the target is none: whoever can write receipts must not choose another place.
    """
    row = rows.get(claim_key(capsule_id, provider, origin, target))
    if (
        isinstance(row, Receipt)
        and row.external_reference is not None
        and row.is_about(capsule_id, provider, origin, target)
    ):
        found = parse_reference(row.provider, row.external_reference).whole
        return found if is_under(provider, target, found) else None
    return None


def _standing(plan: Plan, receipt: Receipt, now: datetime) -> Delivered | None:
    standing = receipt.standing(now)
    if standing is ReceiptStatus.FAILED:
        return None
    if standing is ReceiptStatus.CLAIMED:
        reason = f"another run is at it since {receipt.at}"
        outcome = Outcome(OutcomeStatus.AMBIGUOUS, reason)
        return Delivered(plan, outcome, receipt, busy_until=receipt.claimed_until)
    if standing is ReceiptStatus.AMBIGUOUS:
        return _blocked(plan, f"an earlier run of {receipt.at} may have written it", receipt)
    if not plan.is_what(receipt):
        raise OtherContent(plan, receipt)
    reference = parse_reference(receipt.provider, receipt.external_reference)
    return Delivered(plan, Outcome(OutcomeStatus.PUBLISHED, f"already, at {receipt.at}", reference), receipt)


def _beaten(plan: Plan, found: Row | None) -> Delivered:
    """Another run was first, and its receipt does not stand in the way of a next one."""
    if isinstance(found, Receipt):
        outcome = Outcome(OutcomeStatus.FAILED, f"another run failed at it, at {found.at}")
        return Delivered(plan, outcome, found)
    return _blocked(plan, "another run was first, and its receipt is gone", None)


def _blocked(plan: Plan, why: str, receipt: Receipt | None) -> Delivered:
    reason = f"{why}; look there, then settle it with `ophiuchus receipts resolve`"
    return Delivered(plan, Outcome(OutcomeStatus.AMBIGUOUS, reason), receipt)


def _claim(plan: Plan, now: datetime) -> Receipt:
    return Receipt(
        claim_key=plan.claim_key,
        capsule_id=plan.capsule_id,
        provider=plan.provider,
        operation=plan.write.operation,
        destination_alias=plan.alias,
        target_digest=target_digest(plan.provider, plan.origin, plan.write.target),
        payload_digest=plan.payload_digest,
        idempotency_key=plan.idempotency_key,
        status=ReceiptStatus.CLAIMED,
        nonce=os.urandom(16).hex(),
        at=format_instant(now),
        claimed_until=format_instant(now + CLAIM),
    )


def _settled(claim: Receipt, outcome: Outcome, now: datetime) -> Receipt:
    return claim.model_copy(
        update={
            "status": ReceiptStatus(outcome.status.value),
            "external_reference": str(outcome.reference) if outcome.reference else None,
            "at": format_instant(now),
        }
    )


def _why_unrecorded(
    store: Store, claim: Receipt, receipt: Receipt, now: datetime, pauses: Sequence[float]
) -> str | None:
    """Store `receipt` in its claim's place; why that cannot be done, None where it is safe."""
    left = list(pauses)
    while True:
        try:
            # Where the answer to our own change was lost, the row is ours although it was not seen to change.
            if store.swap(claim, receipt, now) or store.read().get(claim.claim_key) == receipt:
                return None
        except StoreUnreadable as failure:
            if not left:
                return failure.message
        except ExpectedFailure as failure:
            return failure.message
        except OSError as error:
            return f"the system refused: {os.strerror(error.errno or 0)}"
        else:
            return "somebody changed its row meanwhile"
        time.sleep(left.pop(0))
