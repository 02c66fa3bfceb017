"""Plans and receipts in few words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.delivery import Plan
from ophiuchus.publish.provider import Write
from ophiuchus.publish.receipts import (
    Receipt,
    ReceiptStatus,
    claim_key,
    idempotency_key,
    target_digest,
)
from ophiuchus.publish.reference import Reference
from ophiuchus.text.instant import format_instant

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
ORIGIN = "https://api.example.invalid"
TARGET = "owner/name"


def plan(
    capsule_id: str = "session-keys",
    *,
    alias: str = "team",
    operation: Operation = Operation.CREATE,
    target: str = TARGET,
    payload_digest: str = "0d" * 32,
) -> Plan:
    """A write to GitHub."""
    append_to = Reference("5") if operation is Operation.APPEND else None
    write = Write(operation, target, {"title": "t"}, append_to)
    return Plan(alias, capsule_id, ProviderName.GITHUB, ORIGIN, write, payload_digest)


def receipt(status: ReceiptStatus = ReceiptStatus.CLAIMED, **fields: Any) -> Receipt:
    """The row of `plan()`, as of NOW."""
    capsule_id = fields.get("capsule_id", "session-keys")
    target = fields.pop("target", TARGET)
    values: dict[str, Any] = {
        "claim_key": claim_key(capsule_id, ProviderName.GITHUB, ORIGIN, target),
        "capsule_id": capsule_id,
        "provider": ProviderName.GITHUB,
        "operation": Operation.CREATE,
        "destination_alias": "team",
        "target_digest": target_digest(ProviderName.GITHUB, ORIGIN, target),
        "payload_digest": "0d" * 32,
        "idempotency_key": idempotency_key(capsule_id, ProviderName.GITHUB, target, Operation.CREATE),
        "status": status,
        "external_reference": "7" if status is ReceiptStatus.PUBLISHED else None,
        "nonce": "ab" * 16,
        "at": format_instant(NOW),
        "claimed_until": format_instant(NOW + timedelta(minutes=10)),
    }
    return Receipt(**{**values, **fields})
