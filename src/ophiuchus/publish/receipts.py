"""Receipts: what is known of each publication, and the keys that make it happen once.

A receipt is a row of a closed set of fields with patterns: it has no place for a token, a body or a person
(first seed, "Delivery Receipt vs. history"). It is written as a claim before the provider is called, and
settled after.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.reference import NotAReference, parse_reference
from ophiuchus.text.instant import NotAnInstant, parse_instant
from ophiuchus.text.strict_json import NotStrictJson, parse_json

LONGEST_CLAIM = timedelta(days=1)
"""No run claims for longer. What reaches further, by mistake or on purpose, must not block for years."""

_UNIT_SEPARATOR = "\x1f"

NOT_KNOWN = "0" * 64
"""The digest of a payload that nobody knows any more: no payload has it, so a next run is refused."""

NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._\[\]-]{0,99}"
"""Who settled it: a login, never an address."""

Digest = Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
Nonce = Annotated[str, Field(pattern=r"\A[0-9a-f]{32}\z")]
Moment = Annotated[str, Field(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\z")]


class ReceiptStatus(StrEnum):
    """What is known. `CLAIMED`: somebody is about to write, or has written and could not say so."""

    CLAIMED = "claimed"
    PUBLISHED = "published"
    AMBIGUOUS = "ambiguous"
    FAILED = "failed"


class Receipt(BaseModel):
    """One row. `claimed_until` is when a claim without an outcome begins to read as ambiguous (UTC).

    `claim_key` follows from `capsule_id` and `target_digest`, so a row that was changed in one of them shows.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    claim_key: Digest
    capsule_id: Annotated[str, Field(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,127}\z")]
    provider: ProviderName
    operation: Operation
    destination_alias: Annotated[str, Field(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,63}\z")]
    target_digest: Digest
    payload_digest: Digest
    idempotency_key: Digest
    status: ReceiptStatus
    external_reference: str | None = None
    nonce: Nonce
    at: Moment
    claimed_until: Moment
    resolved_by: Annotated[str, Field(pattern=rf"\A{NAME_PATTERN}\z")] | None = None

    @model_validator(mode="after")
    def _checked(self) -> Receipt:
        if self.claim_key != _claim_key(self.capsule_id, self.target_digest):
            raise ValueError("claim_key is not that of capsule_id and target_digest")
        if (self.status is ReceiptStatus.PUBLISHED) != (self.external_reference is not None):
            raise ValueError("exactly a published one has an external_reference")
        if self.external_reference is not None:
            try:
                parse_reference(self.provider, self.external_reference)
            except NotAReference as error:
                raise ValueError("external_reference is not an id of the provider") from error
        for moment in (self.at, self.claimed_until):
            try:
                parse_instant(moment)
            except NotAnInstant as error:
                raise ValueError("not a moment") from error
        return self

    def standing(self, now: datetime) -> ReceiptStatus:
        """The status as it reads at `now`: a claim that nobody settled in time is ambiguous."""
        if self.status is ReceiptStatus.CLAIMED:
            left = parse_instant(self.claimed_until) - now
            if not timedelta() < left <= LONGEST_CLAIM:
                return ReceiptStatus.AMBIGUOUS
        return self.status

    def is_about(self, capsule_id: str, provider: ProviderName, origin: str, target: str) -> bool:
        """Whether its parts are these, and not its key alone (case C122)."""
        return (
            self.capsule_id.casefold() == capsule_id.casefold()
            and self.provider is provider
            and self.target_digest == target_digest(provider, origin, target)
        )

    def line(self) -> bytes:
        """The row as it is stored: one line of canonical ASCII JSON with its line end."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return text.encode("ascii") + b"\n"


@dataclass(frozen=True, slots=True)
class Malformed:
    """A row that breaks its pattern but says whose it is. It reads as ambiguous: it may have been a write.

    `digest` is over its bytes, so that a person settles the row that was looked at, and no other.
    """

    claim_key: str
    where: str
    digest: str


class NotAReceipt(ValueError):
    """Bytes are no row at all: not even whose they are can be read."""


Row = Receipt | Malformed


def parse_row(data: bytes, where: str, claim_key: str | None = None) -> Row:
    """The row in `data`; `where` names its place for people.

    `claim_key` is the one that its place promises, where it promises one. Raises NotAReceipt.
    """
    digest = hashlib.sha256(data).hexdigest()
    try:
        value = parse_json(data).document
    except NotStrictJson:
        value = None
    if isinstance(value, dict):
        if type(version := value.get("schema_version")) is int and version > 1:
            where = f"{where}, written by a newer Ophiuchus"
        try:
            receipt = Receipt.model_validate(value)
        except ValidationError:
            if claim_key is None and (found := _key_within(value)) is not None:
                return Malformed(found, where, digest)
        else:
            if claim_key in (None, receipt.claim_key):
                return receipt
    if claim_key is None:
        raise NotAReceipt(where)
    return Malformed(claim_key, where, digest)


def upon(earlier: Row | None, later: Row, where: str) -> Row:
    """What counts once `later` was stored, at `where`, upon `earlier` of the same claim.

    A run changes nothing but its own claim and what is known to have failed; a person settles all else. A
    row that was not made so, as where two files were joined, proves nothing.
    """
    if isinstance(later, Malformed) or later == earlier or later.resolved_by is not None:
        return later
    match earlier:
        case None | Receipt(status=ReceiptStatus.FAILED):
            return later
        case Receipt(status=ReceiptStatus.CLAIMED) if earlier.nonce == later.nonce:
            return later
        case _:
            digest = hashlib.sha256(later.line()).hexdigest()
            return Malformed(later.claim_key, f"{where}, against an earlier line", digest)


def target_digest(provider: ProviderName, origin: str, target: str) -> str:
    """Where a write goes, without saying it in the clear."""
    return _digest(provider, origin, target)


def idempotency_key(capsule_id: str, provider: ProviderName, target: str, operation: Operation) -> str:
    """The seed's key over its four parts, told apart by unit separators (case C122)."""
    return _digest(capsule_id, provider, target, operation)


def claim_key(capsule_id: str, provider: ProviderName, origin: str, target: str) -> str:
    """What at most one write may be made for, whatever its operation: a create and an append meet here.

    Ids of capsules are compared without case, as everywhere.
    """
    return _claim_key(capsule_id, target_digest(provider, origin, target))


def _claim_key(capsule_id: str, digest_of_target: str) -> str:
    return _digest(capsule_id.casefold(), digest_of_target)


def _key_within(value: dict[str, Any]) -> str | None:
    """The claim key of what is no receipt; None where its own parts do not bear it out."""
    match value:
        case {"claim_key": str(key), "capsule_id": str(capsule_id), "target_digest": str(digest)}:
            is_spoilt = _UNIT_SEPARATOR in capsule_id + digest
            return None if is_spoilt or key != _claim_key(capsule_id, digest) else key
        case _:
            return None


def _digest(*parts: str) -> str:
    if any(_UNIT_SEPARATOR in part for part in parts):
        raise ValueError("a part of a key holds a unit separator")
    return hashlib.sha256(_UNIT_SEPARATOR.join(parts).encode()).hexdigest()
