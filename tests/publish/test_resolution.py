from __future__ import annotations

from datetime import timedelta

import pytest
from receipt_rows import NOW, ORIGIN, TARGET, plan, receipt

from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.delivery import OtherContent, standing_of
from ophiuchus.publish.outcome import OutcomeStatus
from ophiuchus.publish.receipts import Malformed, ReceiptStatus, Row, parse_row
from ophiuchus.publish.resolution import (
    AboutSomethingElse,
    BadName,
    BadReference,
    NothingToSettle,
    StillAtWork,
    Subject,
    needs_a_person,
    resolve,
    resolve_malformed,
)

AMBIGUOUS = receipt(ReceiptStatus.AMBIGUOUS)
SUBJECT = Subject("session-keys", "team", ProviderName.GITHUB, ORIGIN, TARGET)
MALFORMED = Malformed(SUBJECT.claim_key, "there", "0d" * 32)
LATER = NOW + timedelta(minutes=10)


def test_what_is_there_is_published_by_a_person_s_word() -> None:
    settled = resolve(AMBIGUOUS, "128", "ada", LATER)
    assert (settled.status, settled.external_reference) == (ReceiptStatus.PUBLISHED, "128")
    assert (settled.resolved_by, settled.at) == ("ada", "2026-07-01T12:10:00Z")
    assert parse_row(settled.line(), "here") == settled
    next_run = standing_of(plan(), settled, LATER)
    assert next_run is not None
    assert next_run.outcome.status is OutcomeStatus.PUBLISHED


def test_what_is_not_there_is_free_again() -> None:
    settled = resolve(AMBIGUOUS, None, "ada", LATER)
    assert (settled.status, settled.external_reference) == (ReceiptStatus.FAILED, None)
    assert parse_row(settled.line(), "here") == settled
    assert standing_of(plan(), settled, LATER) is None


def test_a_claim_is_left_to_its_run_until_its_time_is_over() -> None:
    claim = receipt()
    with pytest.raises(StillAtWork) as refused:
        resolve(claim, "128", "ada", LATER - timedelta(seconds=1))
    assert "2026-07-01T12:10:00Z" in refused.value.remedy
    assert resolve(claim, "128", "ada", LATER).status is ReceiptStatus.PUBLISHED


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(ReceiptStatus.PUBLISHED, "leave a hand-off"), (ReceiptStatus.FAILED, "Publish it again")],
)
def test_what_a_run_knows_is_not_overruled_but_a_person_s_word_is(status: ReceiptStatus, remedy: str) -> None:
    with pytest.raises(NothingToSettle, match=status.value) as refused:
        resolve(receipt(status), None, "ada", LATER)
    assert remedy in refused.value.remedy
    corrected = resolve(receipt(status, resolved_by="ada"), "7", "eve", LATER)
    assert (corrected.external_reference, corrected.resolved_by) == ("7", "eve")


@pytest.mark.parametrize("text", ["", "0", "#128", "https://x.invalid/128", "128\n", "PROJ-1", "1/2/3"])
def test_only_an_id_of_the_provider_is_a_reference(text: str) -> None:
    with pytest.raises(BadReference) as refused:
        resolve(AMBIGUOUS, text, "ada", LATER)
    assert "x.invalid" not in refused.value.message
    with pytest.raises(BadReference):
        resolve_malformed(MALFORMED, SUBJECT, text, "ada", LATER)


def test_a_part_is_no_reference_of_a_whole() -> None:
    with pytest.raises(BadReference, match="a part of an artifact"):
        resolve(AMBIGUOUS, "128/9", "ada", LATER)
    appended = receipt(ReceiptStatus.AMBIGUOUS, operation=Operation.APPEND)
    for text in ("128/9", "128"):
        assert resolve(appended, text, "ada", LATER).external_reference == text


@pytest.mark.parametrize("name", ["", "Ada Lovelace", "ada@example.invalid", "a" * 101, "ada\n", "é"])
def test_a_person_is_named_by_a_login_alone(name: str) -> None:
    with pytest.raises(BadName):
        resolve(AMBIGUOUS, None, name, LATER)
    assert resolve(AMBIGUOUS, None, "renovate[bot]", LATER).resolved_by == "renovate[bot]"


@pytest.mark.parametrize(
    ("reference", "operation"),
    [("128", Operation.CREATE), ("128/9", Operation.APPEND), (None, Operation.CREATE)],
)
def test_a_row_that_cannot_be_read_gives_way_to_a_proper_one(
    reference: str | None, operation: Operation
) -> None:
    settled = resolve_malformed(MALFORMED, SUBJECT, reference, "ada", LATER)
    assert parse_row(settled.line(), "here", SUBJECT.claim_key) == settled
    assert settled.is_about("session-keys", ProviderName.GITHUB, ORIGIN, TARGET)
    assert (settled.operation, settled.external_reference) == (operation, reference)
    if reference is None:
        assert standing_of(plan(), settled, LATER) is None
    else:  # what was written is not known any more, so no content is taken for it
        with pytest.raises(OtherContent):
            standing_of(plan(), settled, LATER)


def test_a_row_is_not_settled_as_another_s() -> None:
    other = Subject("other", "team", ProviderName.GITHUB, ORIGIN, TARGET)
    with pytest.raises(AboutSomethingElse):
        resolve_malformed(MALFORMED, other, None, "ada", LATER)


@pytest.mark.parametrize(
    ("row", "needs"),
    [
        (receipt(), False),
        (AMBIGUOUS, True),
        (receipt(ReceiptStatus.PUBLISHED), False),
        (receipt(ReceiptStatus.FAILED), False),
        (MALFORMED, True),
    ],
)
def test_who_is_needed(row: Row, needs: bool) -> None:
    assert needs_a_person(row, NOW) is needs
    assert needs_a_person(receipt(), LATER)
