from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from receipt_rows import NOW, ORIGIN, TARGET, receipt

from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.receipts import (
    LONGEST_CLAIM,
    Malformed,
    NotAReceipt,
    Receipt,
    ReceiptStatus,
    claim_key,
    idempotency_key,
    parse_row,
    target_digest,
)
from ophiuchus.text.instant import format_instant

GITHUB, SLACK = ProviderName.GITHUB, ProviderName.SLACK
CLAIM = receipt()
KEY = CLAIM.claim_key
STATUSES = list(ReceiptStatus)


def changed(**fields: Any) -> bytes:
    """The claim's row with other values, as somebody might have written it."""
    return json.dumps({**json.loads(CLAIM.line()), **fields}).encode()


@pytest.mark.parametrize("status", STATUSES)
def test_a_row_reads_as_what_was_stored(status: ReceiptStatus) -> None:
    stored = receipt(status)
    assert stored.line().endswith(b"}\n")
    assert stored.line().count(b"\n") == 1
    assert parse_row(stored.line(), "here") == stored
    assert parse_row(stored.line(), "here", KEY) == stored


BROKEN: dict[str, dict[str, Any]] = {
    "an unknown status": {"status": "retracted"},
    "a newer schema": {"schema_version": 2},
    "a field more": {"body": "Half done"},
    "a token for a nonce": {"nonce": "gh" + "p_" + "x" * 36},
    "a reference that is an address": {"status": "published", "external_reference": "https://x.invalid/7"},
    "published without a reference": {"status": "published"},
    "a claim with a reference": {"external_reference": "7"},
    "a provider that we do not have": {"provider": "pager"},
    "an alias with a line end": {"destination_alias": "team\n"},
    "an impossible moment": {"at": "2026-02-30T12:00:00Z"},
    "a moment elsewhere": {"claimed_until": "2026-07-01T12:00:00+02:00"},
    "a name with blanks": {"resolved_by": "Ada Lovelace <ada@example.invalid>"},
    "a digest in capitals": {"payload_digest": "0D" * 32},
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_row_that_breaks_its_pattern_still_says_whose_it_is(fault: str) -> None:
    for promised in (None, KEY):
        row = parse_row(changed(**BROKEN[fault]), "here", promised)
        assert isinstance(row, Malformed)
        assert row.claim_key == KEY
        newer = ", written by a newer Ophiuchus" if fault == "a newer schema" else ""
        assert row.where == f"here{newer}"


NO_ROWS = {
    "nothing": b"",
    "torn": CLAIM.line()[:-40],
    "a list": b"[" + CLAIM.line() + b"]",
    "a key twice": b'{"claim_key":"' + KEY.encode() + b'",' + CLAIM.line()[1:],
    "conflict markers": b"<<<<<<< ours\n" + CLAIM.line(),
    "not UTF-8": CLAIM.line().replace(b"team", b"te\xff"),
    "another key": changed(claim_key="ab" * 32),
    "another capsule": changed(capsule_id="other"),
    "another target": changed(target_digest="cd" * 32),
    "no key": changed(claim_key=None),
    "a capsule with a separator": changed(capsule_id="a\x1fb"),
}


@pytest.mark.parametrize("fault", NO_ROWS)
def test_bytes_that_do_not_say_whose_they_are_are_no_row_but_spoil_their_place(fault: str) -> None:
    with pytest.raises(NotAReceipt):
        parse_row(NO_ROWS[fault], "here")
    assert isinstance(parse_row(NO_ROWS[fault], "here", KEY), Malformed)


def test_a_row_in_the_place_of_another_is_malformed() -> None:
    row = parse_row(CLAIM.line(), "here", "ab" * 32)
    assert isinstance(row, Malformed)
    assert row.claim_key == "ab" * 32


def test_two_broken_rows_in_one_place_are_told_apart() -> None:
    rows = {parse_row(changed(status=word), "here", KEY) for word in ("retracted", "withdrawn")}
    assert len(rows) == 2


@given(st.binary(max_size=300))
def test_any_bytes_in_a_place_are_a_row_of_that_place(data: bytes) -> None:
    assert parse_row(data, "here", KEY).claim_key == KEY


@given(data=st.data())
def test_a_row_with_a_few_bytes_changed_never_becomes_one_of_another_key(data: st.DataObject) -> None:
    line = bytearray(receipt(ReceiptStatus.PUBLISHED).line())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line) - 1))
        line[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    try:
        row = parse_row(bytes(line), "here")
    except NotAReceipt:
        return
    assert row.claim_key == KEY


@pytest.mark.parametrize(
    ("seconds", "standing"),
    [
        (0, ReceiptStatus.CLAIMED),
        (599, ReceiptStatus.CLAIMED),
        (600, ReceiptStatus.AMBIGUOUS),
        (10**8, ReceiptStatus.AMBIGUOUS),
    ],
)
def test_a_claim_that_nobody_settled_reads_as_ambiguous(seconds: int, standing: ReceiptStatus) -> None:
    assert CLAIM.standing(NOW + timedelta(seconds=seconds)) is standing


def test_a_claim_for_years_reads_as_ambiguous_at_once() -> None:
    longest = receipt(claimed_until=format_instant(NOW + LONGEST_CLAIM))
    assert longest.standing(NOW) is ReceiptStatus.CLAIMED
    beyond = receipt(claimed_until=format_instant(NOW + LONGEST_CLAIM + timedelta(seconds=1)))
    assert beyond.standing(NOW) is ReceiptStatus.AMBIGUOUS
    assert receipt(claimed_until="9999-12-31T23:59:59Z").standing(NOW) is ReceiptStatus.AMBIGUOUS


@pytest.mark.parametrize("status", [one for one in STATUSES if one is not ReceiptStatus.CLAIMED])
def test_what_was_settled_stays(status: ReceiptStatus) -> None:
    assert receipt(status).standing(NOW + timedelta(days=9999)) is status


def test_c122_parts_of_a_key_cannot_run_into_each_other() -> None:
    create, append = Operation.CREATE, Operation.APPEND
    keys = [
        idempotency_key("cap-1", SLACK, "C1", create),
        idempotency_key("cap-1", SLACK, "C12", create),
        idempotency_key("cap-1s", SLACK, "C1", create),
        idempotency_key("cap-1", SLACK, "C1", append),
        claim_key("cap-1", GITHUB, "https://a", "b/c"),
        claim_key("cap-1", GITHUB, "https://ab", "/c"),
        claim_key("cap-1g", GITHUB, "https://a", "b/c"),
        target_digest(GITHUB, "https://a", "b/c"),
        target_digest(GITHUB, "https://ab", "/c"),
    ]
    assert len(set(keys)) == len(keys)
    with pytest.raises(ValueError, match="unit separator"):
        idempotency_key("cap-1", SLACK, "C1\x1f", create)


def test_c122_a_receipt_is_about_its_parts_and_nothing_else() -> None:
    assert CLAIM.is_about("session-keys", GITHUB, ORIGIN, TARGET)
    assert CLAIM.is_about("Session-Keys", GITHUB, ORIGIN, TARGET)
    assert not CLAIM.is_about("session", GITHUB, ORIGIN, TARGET)
    assert not CLAIM.is_about("session-keys", SLACK, ORIGIN, TARGET)
    assert not CLAIM.is_about("session-keys", GITHUB, ORIGIN + "/v3", TARGET)
    assert not CLAIM.is_about("session-keys", GITHUB, ORIGIN, "owner/other")


def test_the_claim_is_the_same_for_ids_that_differ_in_case_only() -> None:
    assert claim_key("Cap", GITHUB, ORIGIN, TARGET) == claim_key("cap", GITHUB, ORIGIN, TARGET)


FIELDS = {
    "schema_version",
    "claim_key",
    "capsule_id",
    "provider",
    "operation",
    "destination_alias",
    "target_digest",
    "payload_digest",
    "idempotency_key",
    "status",
    "external_reference",
    "nonce",
    "at",
    "claimed_until",
    "resolved_by",
}


def test_a_receipt_has_room_for_no_token_body_or_person() -> None:
    """Each field is an enum, a digest, a moment or a short pattern (first seed, on delivery receipts)."""
    assert set(Receipt.model_fields) == FIELDS
    token, body, person = "xo" + "xb-" + "1" * 40 + "-" + "a" * 30, "Half done. " * 20, "ada@example.invalid"
    free = {"capsule_id", "destination_alias", "resolved_by"}
    for field in FIELDS:
        for text in (body, person) if field in free else (token, body, person):
            values: dict[str, Any] = {field: text}
            with pytest.raises(ValidationError):
                receipt(**values)
