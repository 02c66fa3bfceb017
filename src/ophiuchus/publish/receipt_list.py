"""Receipts as a person reads them, and as programs do: what needs a person first, then the latest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ophiuchus.publish.receipts import Malformed, Receipt, ReceiptStatus, Row
from ophiuchus.publish.resolution import needs_a_person
from ophiuchus.publish.stores.store import option_for
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    Document,
    Heading,
    Line,
    Paragraph,
    Part,
    Status,
    Table,
    Text,
    Tone,
)

KEY_SHOWN = 12
"""How many digits of a claim key are shown: enough to name it by."""

_TONES = {
    ReceiptStatus.PUBLISHED: Tone.GOOD,
    ReceiptStatus.AMBIGUOUS: Tone.OPEN,
    ReceiptStatus.CLAIMED: Tone.OPEN,
    ReceiptStatus.FAILED: Tone.BAD,
}


def in_order(rows: Iterable[Row], now: datetime) -> list[Row]:
    """What needs a person first, then the latest."""
    latest_first = sorted(rows, key=lambda row: row.at if isinstance(row, Receipt) else "", reverse=True)
    return sorted(latest_first, key=lambda row: not needs_a_person(row, now))


def compose_list(rows: Mapping[str, Row], now: datetime, receipts: str) -> Document:
    """All receipts in a table. `receipts` says where they are kept, as a person gave it."""
    if not rows:
        return Document((Part("the receipts", 0, (Paragraph((Text("There are no receipts yet."),)),)),))
    ordered = in_order(rows.values(), now)
    head = ("Hand-off", "Destination", "What", "Status", "Reference", "At", "Key")
    parts = [Part("the receipts", 0, (Table(head, tuple(_row(row, now) for row in ordered)),))]
    if open_ones := sum(needs_a_person(row, now) for row in ordered):
        show = Code(f"ophiuchus receipts show KEY{option_for(receipts)}")
        line = (Text(f"{open_ones} of {len(ordered)} wait for a person: "), show, Text(" says how."))
        parts.append(Part("what to do", 0, (Paragraph(line),)))
    return Document(tuple(parts))


def compose_receipt(row: Row, now: datetime, receipts: str) -> Document:
    """All that one receipt says, and what to do about it. `receipts` says where it is kept."""
    if isinstance(row, Malformed):
        heading: Line = (Text("A receipt that cannot be read: "), Code(row.where))
        fields: list[Line] = [(Text("claim_key: "), Code(row.claim_key))]
    else:
        heading = (
            Code(row.capsule_id),
            Text(" for "),
            Code(row.destination_alias),
            Text(": "),
            _standing(row, now),
        )
        values = row.model_dump(mode="json", exclude_none=True)
        fields = [(Text(f"{name}: "), Code(str(value))) for name, value in values.items()]
    parts = [Part("the receipt", 0, (Heading(1, heading), Bullets(tuple(fields))))]
    if needs_a_person(row, now):
        parts.append(Part("what to do", 0, _to_settle(row, option_for(receipts))))
    elif isinstance(row, Receipt) and row.standing(now) is ReceiptStatus.FAILED:
        said = (Text("Nothing is there: the next run writes it."),)
        parts.append(Part("what to do", 0, (Paragraph(said),)))
    return Document(tuple(parts))


def _to_settle(row: Row, option: str) -> tuple[Block, ...]:
    """What a person does about it, with the `option` that says where receipts are kept."""
    resolve = f"ophiuchus receipts resolve {row.claim_key}"
    is_there = (Code(f"{resolve} --published REFERENCE{option}"), Text(" if it is there"))
    is_not = (Code(f"{resolve} --not-published{option}"), Text(" if not: the next run writes it"))
    return (
        Paragraph((Text("Nobody knows whether it was written. Look there, then say so:"),)),
        Bullets((is_there, is_not)),
    )


def as_json(row: Row, now: datetime) -> dict[str, Any]:
    """One receipt with its `standing` now; of a malformed one its key and its place."""
    if isinstance(row, Malformed):
        return {"claim_key": row.claim_key, "standing": "malformed", "where": row.where}
    return {**row.model_dump(mode="json"), "standing": row.standing(now).value}


def list_json(rows: Mapping[str, Row], now: datetime) -> str:
    """All receipts as one JSON document."""
    value = {"schema_version": 1, "receipts": [as_json(row, now) for row in in_order(rows.values(), now)]}
    return json.dumps(value, indent=2)


def export_lines(rows: Mapping[str, Row], now: datetime) -> str:
    """All receipts as JSON lines, by claim key: rows as they are stored, and what of the others is known."""
    ordered = (rows[key] for key in sorted(rows))
    return "".join(
        row.line().decode("ascii") if isinstance(row, Receipt) else json.dumps(as_json(row, now)) + "\n"
        for row in ordered
    )


def _row(row: Row, now: datetime) -> tuple[Line, ...]:
    key: Line = (Code(row.claim_key[:KEY_SHOWN]),)
    if isinstance(row, Malformed):
        malformed = Status("cannot be read", Tone.OPEN)
        return ((Text("not known"),), (Code(row.where),), (), (malformed,), (), (), key)
    by: Line = (Text(f", by {row.resolved_by}"),) if row.resolved_by else ()
    return (
        (Code(row.capsule_id),),
        (Code(row.destination_alias),),
        (Text(f"{row.provider.value}, {row.operation.value}"),),
        (_standing(row, now), *by),
        (Code(row.external_reference),) if row.external_reference else (),
        (Text(row.at),),
        key,
    )


def _standing(row: Receipt, now: datetime) -> Status:
    standing = row.standing(now)
    return Status(standing.value, _TONES[standing])
