"""Receipts as a person reads them, and as programs do: what needs a person first, then the latest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ophiuchus.publish.receipts import Malformed, Receipt, ReceiptStatus, Row
from ophiuchus.publish.resolution import needs_a_person
from ophiuchus.views.document import (
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


def compose_list(rows: Mapping[str, Row], now: datetime) -> Document:
    """All receipts in a table."""
    if not rows:
        return Document((Part("the receipts", 0, (Paragraph((Text("There are no receipts yet."),)),)),))
    ordered = in_order(rows.values(), now)
    head = ("Hand-off", "Destination", "What", "Status", "Reference", "At", "Key")
    parts = [Part("the receipts", 0, (Table(head, tuple(_row(row, now) for row in ordered)),))]
    if open_ones := sum(needs_a_person(row, now) for row in ordered):
        said = f"{open_ones} of {len(ordered)} wait for a person: `ophiuchus receipts show KEY` says how."
        parts.append(Part("what to do", 0, (Paragraph((Text(said),)),)))
    return Document(tuple(parts))


def compose_receipt(row: Row, now: datetime) -> Document:
    """All that one receipt says, and what to do about it."""
    if isinstance(row, Malformed):
        said: Line = (Text("A receipt that cannot be read: "), Code(row.where))
        fields: list[Line] = [(Text("claim_key: "), Code(row.claim_key))]
    else:
        said = (
            Code(row.capsule_id),
            Text(" for "),
            Code(row.destination_alias),
            Text(": "),
            _standing(row, now),
        )
        values = row.model_dump(mode="json", exclude_none=True)
        fields = [(Text(f"{name}: "), Code(str(value))) for name, value in values.items()]
    parts = [Part("the receipt", 0, (Heading(1, said), Bullets(tuple(fields))))]
    if needs_a_person(row, now):
        resolve = f"ophiuchus receipts resolve {row.claim_key}"
        parts.append(
            Part(
                "what to do",
                0,
                (
                    Paragraph((Text("Nobody knows whether it was written. Look there, then say so:"),)),
                    Bullets(
                        (
                            (Code(f"{resolve} --published REFERENCE"), Text(" if it is there")),
                            (Code(f"{resolve} --not-published"), Text(" if not: the next run writes it")),
                        )
                    ),
                ),
            )
        )
    return Document(tuple(parts))


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
