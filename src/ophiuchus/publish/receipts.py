"""Receipts: what is known of each publication, and the keys that make it happen once.

A receipt is a row of a closed set of fields with patterns: it has no place for a token, a body or a person
(first seed, "Delivery Receipt vs. history"). It is written as a claim before the provider is called, and
settled after.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.reference import NotAReference, parse_reference
from ophiuchus.text.instant import NotAnInstant, parse_instant
from ophiuchus.text.strict_json import NotStrictJson, parse_json

_UNIT_SEPARATOR = "\x1f"

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
    """One row. `claimed_until` is when a claim without an outcome begins to read as ambiguous (UTC)."""

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
    resolved_by: Annotated[str, Field(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._\[\]-]{0,99}\z")] | None = None

    @model_validator(mode="after")
    def _checked(self) -> Receipt:
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
        if self.status is ReceiptStatus.CLAIMED and now >= parse_instant(self.claimed_until):
            return ReceiptStatus.AMBIGUOUS
        return self.status

    def line(self) -> bytes:
        """The row as it is stored: one line of canonical ASCII JSON with its line end."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return text.encode("ascii") + b"\n"


@dataclass(frozen=True, slots=True)
class Malformed:
    """A row that breaks its pattern but says whose it is. It reads as ambiguous: it may have been a write."""

    claim_key: str
    where: str


class NotAReceipt(ValueError):
    """Bytes are no row at all: not even whose they are can be read."""


Row = Receipt | Malformed


def parse_row(data: bytes, where: str, claim_key: str | None = None) -> Row:
    """The row in `data`; `where` names its place for people.

    `claim_key` is the one that its place promises, where it promises one. Raises NotAReceipt.
    """
    try:
        value = parse_json(data).document
    except NotStrictJson:
        value = None
    if isinstance(value, dict):
        try:
            receipt = Receipt.model_validate(value)
        except ValidationError:
            found = value.get("claim_key")
            if claim_key is None and isinstance(found, str) and _is_digest(found):
                return Malformed(found, where)
        else:
            if claim_key in (None, receipt.claim_key):
                return receipt
    if claim_key is None:
        raise NotAReceipt(where)
    return Malformed(claim_key, where)


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
    return _digest(capsule_id.casefold(), provider, origin, target)


def _digest(*parts: str) -> str:
    if any(_UNIT_SEPARATOR in part for part in parts):
        raise ValueError("a part of a key holds a unit separator")
    return hashlib.sha256(_UNIT_SEPARATOR.join(parts).encode()).hexdigest()


def _is_digest(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")
