"""Settling what no run could: a person looked at the destination and says whether it is there (design §7)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import datetime

from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.receipts import (
    NAME_PATTERN,
    NOT_KNOWN,
    Malformed,
    Receipt,
    ReceiptStatus,
    Row,
    claim_key,
    idempotency_key,
    target_digest,
)
from ophiuchus.publish.reference import ARTIFACT_FORMS, NotAReference, Reference, parse_reference
from ophiuchus.text.instant import format_instant
from ophiuchus.text.problem import ExpectedFailure

_KNOWN = {
    ReceiptStatus.PUBLISHED: "To say more there, leave a hand-off that names this one as its parent.",
    ReceiptStatus.FAILED: "Publish it again: the next run writes it.",
}
"""What to do about what a run knows."""


class NothingToSettle(ExpectedFailure):
    """The receipt says already what became of it, and a run said so."""


class StillAtWork(ExpectedFailure):
    """A run holds the claim, and its time is not over."""


class BadReference(ExpectedFailure):
    """What was given as the artifact's id is none of this provider, or names another kind of thing."""


class BadName(ExpectedFailure):
    """Who settles it is named in a way that a receipt has no room for."""


class AboutSomethingElse(ExpectedFailure):
    """A malformed row's key is not that of the hand-off and destination that it was taken for."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a claim is about, in the clear."""

    capsule_id: str
    alias: str
    provider: ProviderName
    origin: str
    target: str

    @property
    def claim_key(self) -> str:
        """The key of its claim."""
        return claim_key(self.capsule_id, self.provider, self.origin, self.target)


def resolve(row: Receipt, reference: str | None, by: str, now: datetime) -> Receipt:
    """`row` as a person settles it: published as `reference`, or with None not published.

    Raises NothingToSettle, StillAtWork, BadReference and BadName.
    """
    _check_open(row, now)
    found = None if reference is None else _reference(row.provider, reference)
    if found is not None and found.part is not None and row.operation is Operation.CREATE:
        raise BadReference(
            f"{reference} names a part of an artifact, and this publication makes a whole one",
            "Give the id of the artifact alone.",
        )
    return row.model_copy(update=_settled(found, by, now))


def resolve_malformed(
    row: Malformed, subject: Subject, reference: str | None, by: str, now: datetime
) -> Receipt:
    """A proper receipt for one that cannot be read. Raises what `resolve` does, and AboutSomethingElse."""
    if row.claim_key != subject.claim_key:
        raise AboutSomethingElse(f"the receipt {row.claim_key} is not that of {subject.capsule_id}")
    found = None if reference is None else _reference(subject.provider, reference)
    operation = Operation.APPEND if found is not None and found.part is not None else Operation.CREATE
    fields = {
        "claim_key": subject.claim_key,
        "capsule_id": subject.capsule_id,
        "provider": subject.provider,
        "operation": operation,
        "destination_alias": subject.alias,
        "target_digest": target_digest(subject.provider, subject.origin, subject.target),
        "payload_digest": NOT_KNOWN,
        "idempotency_key": idempotency_key(subject.capsule_id, subject.provider, subject.target, operation),
        "nonce": os.urandom(16).hex(),
        "claimed_until": format_instant(now),
    }
    return Receipt.model_validate({**fields, **_settled(found, by, now)})


def needs_a_person(row: Row, now: datetime) -> bool:
    """Whether nobody knows what became of it, and no run will tell any more."""
    return isinstance(row, Malformed) or row.standing(now) is ReceiptStatus.AMBIGUOUS


def _check_open(row: Receipt, now: datetime) -> None:
    standing = row.standing(now)
    if standing is ReceiptStatus.CLAIMED:
        raise StillAtWork(
            f"a run is at it since {row.at}, and may still write it",
            f"Wait for it to end; from {row.claimed_until} on it can be settled.",
        )
    if standing is not ReceiptStatus.AMBIGUOUS and row.resolved_by is None:
        raise NothingToSettle(
            f"there is nothing to settle: a run says that it is {standing.value}, at {row.at}",
            _KNOWN[standing],
        )


def _reference(provider: ProviderName, text: str) -> Reference:
    try:
        return parse_reference(provider, text)
    except NotAReference:
        raise BadReference(
            f"the reference is no id of {provider}",
            f"Give {ARTIFACT_FORMS[provider]}; with /ID behind it for a comment or a reply.",
        ) from None


def _settled(reference: Reference | None, by: str, now: datetime) -> dict[str, object]:
    if re.fullmatch(NAME_PATTERN, by, re.ASCII) is None:
        raise BadName(
            "the name of who settles it has characters that a receipt has no room for", "Give a login."
        )
    return {
        "status": ReceiptStatus.FAILED if reference is None else ReceiptStatus.PUBLISHED,
        "external_reference": None if reference is None else str(reference),
        "at": format_instant(now),
        "resolved_by": by,
    }
