from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from receipt_rows import NOW, ORIGIN, TARGET, plan, receipt

from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.delivery import (
    CLAIM,
    Delivered,
    OtherContent,
    Plan,
    Step,
    deliver,
    published_reference,
    standing_of,
)
from ophiuchus.publish.outcome import Answer, Outcome, OutcomeStatus
from ophiuchus.publish.provider import Write
from ophiuchus.publish.receipts import Malformed, Receipt, ReceiptStatus, Row
from ophiuchus.publish.reference import Reference
from ophiuchus.publish.stores.file import FileStore
from ophiuchus.publish.stores.store import StoreMissing, StoreUnreadable
from ophiuchus.publish.tape import Tape
from ophiuchus.text.instant import format_instant

PLAN = plan()
PUBLISHED, AMBIGUOUS, FAILED = OutcomeStatus.PUBLISHED, OutcomeStatus.AMBIGUOUS, OutcomeStatus.FAILED
LATER = NOW + CLAIM


@dataclass
class Service:
    """A provider that takes what it gets and answers with `status`; None breaks the connection."""

    status: int | None = 201
    writes: list[Write] = field(default_factory=list)

    def write(self, write: Write, tape: Tape) -> Answer:
        tape.admit("POST")
        self.writes.append(write)
        if self.status is None:
            tape.failed(ConnectionResetError(), before_sending=False)
            raise ConnectionResetError
        tape.answered(self.status)
        return Reference("7") if write.append_to is None else Reference(write.append_to.artifact, "9")


@dataclass
class Clock:
    """A clock that goes on by `step` each time that somebody looks."""

    now: datetime = NOW
    step: timedelta = timedelta(seconds=1)

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


class Interrupted(FileStore):
    """A file with receipts, where something happens just before the call with a number, counted from 1."""

    def __init__(self, path: Path, before_call: Mapping[int, Callable[[], object]]) -> None:
        super().__init__(path)
        self._before_call = before_call
        self.calls = 0

    def _count(self) -> None:
        self.calls += 1
        self._before_call.get(self.calls, lambda: None)()

    def read(self) -> Mapping[str, Row]:
        self._count()
        return super().read()

    def swap(self, before: Row | None, after: Receipt, now: datetime) -> bool:
        self._count()
        return super().swap(before, after, now)


READ, CLAIMS, READS_BACK, SETTLES = 1, 2, 3, 4
"""The calls of one delivery, in order."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "receipts.jsonl"


@pytest.fixture
def store(path: Path) -> FileStore:
    store = FileStore(path)
    store.create(NOW)
    return store


@pytest.fixture
def service() -> Service:
    return Service()


def unreadable() -> None:
    raise StoreUnreadable("the server is away")


@pytest.mark.parametrize(
    ("status", "outcome"), [(201, PUBLISHED), (None, AMBIGUOUS), (422, FAILED), (500, AMBIGUOUS)]
)
def test_an_outcome_is_kept_with_what_it_is_about(
    store: FileStore, status: int | None, outcome: OutcomeStatus
) -> None:
    service = Service(status)
    delivered = deliver(PLAN, service, store, Clock())
    assert delivered.outcome.status is outcome
    assert (delivered.written_now, delivered.unrecorded) == (True, None)
    assert service.writes == [PLAN.write]
    kept = store.read()[PLAN.claim_key]
    assert kept == delivered.receipt
    assert isinstance(kept, Receipt)
    assert kept.status.value == outcome.value
    assert kept.external_reference == ("7" if outcome is PUBLISHED else None)
    assert kept.is_about(PLAN.capsule_id, PLAN.provider, ORIGIN, TARGET)
    assert (kept.payload_digest, kept.idempotency_key) == (PLAN.payload_digest, PLAN.idempotency_key)


def test_the_claim_is_stored_before_the_write(store: FileStore, path: Path) -> None:
    seen: list[Row] = []

    class Looks(Service):
        def write(self, write: Write, tape: Tape) -> Answer:
            seen.extend(FileStore(path).read().values())
            return super().write(write, tape)

    deliver(PLAN, Looks(), store, Clock())
    (row,) = seen
    assert isinstance(row, Receipt)
    assert row.status is ReceiptStatus.CLAIMED


def test_steps_are_told_as_they_begin(store: FileStore, service: Service) -> None:
    told: list[Step] = []
    deliver(PLAN, service, store, Clock(), lambda _, step: told.append(step))
    assert told == list(Step)
    told.clear()
    deliver(PLAN, service, store, Clock(), lambda _, step: told.append(step))
    assert told == [Step.CLAIMING]


def test_no_two_claims_have_the_same_nonce(store: FileStore) -> None:
    refusing = Service(422)
    nonces = set()
    for _ in range(5):
        delivered = deliver(PLAN, refusing, store, Clock())
        assert delivered.receipt is not None
        nonces.add(delivered.receipt.nonce)
    assert len(nonces) == 5


@pytest.mark.parametrize(
    ("row", "now", "outcome"),
    [
        (receipt(ReceiptStatus.PUBLISHED), NOW, PUBLISHED),
        (receipt(ReceiptStatus.PUBLISHED), NOW + timedelta(days=900), PUBLISHED),
        (receipt(ReceiptStatus.AMBIGUOUS), NOW, AMBIGUOUS),
        (receipt(ReceiptStatus.CLAIMED), NOW, AMBIGUOUS),
        (receipt(ReceiptStatus.CLAIMED), LATER, AMBIGUOUS),
        (Malformed(PLAN.claim_key, "there", "0d" * 32), NOW, AMBIGUOUS),
    ],
)
def test_what_stands_is_not_written_again(row: Row, now: datetime, outcome: OutcomeStatus) -> None:
    found = standing_of(PLAN, row, now)
    assert found is not None
    assert (found.outcome.status, found.written_now) == (outcome, False)


@pytest.mark.parametrize("row", [None, receipt(ReceiptStatus.FAILED)])
def test_what_is_known_not_to_be_written_is_free(row: Row | None) -> None:
    assert standing_of(PLAN, row, NOW) is None


def test_a_person_is_told_what_to_do_about_what_is_not_known() -> None:
    for row in (receipt(ReceiptStatus.AMBIGUOUS), Malformed(PLAN.claim_key, "there:3", "0d" * 32)):
        found = standing_of(PLAN, row, NOW)
        assert found is not None
        assert "receipts resolve" in found.outcome.reason


def test_c061_other_content_is_refused_in_words(store: FileStore, service: Service) -> None:
    deliver(PLAN, service, store, Clock())
    with pytest.raises(OtherContent, match="already published to team with other content"):
        deliver(plan(payload_digest="1e" * 32), service, store, Clock())
    assert len(service.writes) == 1


def test_the_same_text_in_the_form_of_the_other_operation_is_there_already(
    store: FileStore, service: Service
) -> None:
    deliver(PLAN, service, store, Clock())
    added = plan(operation=Operation.APPEND, payload_digest="1e" * 32)
    with pytest.raises(OtherContent):
        deliver(added, service, store, Clock())
    again = deliver(replace(added, in_other_form=PLAN.payload_digest), service, store, Clock())
    assert (again.outcome.status, again.written_now) == (PUBLISHED, False)
    assert (again.operation, again.idempotency_key) == (Operation.CREATE, PLAN.idempotency_key)
    assert len(service.writes) == 1


def test_c061_two_targets_that_share_an_alias_are_two(store: FileStore, service: Service) -> None:
    for target in (TARGET, "owner/other"):
        assert deliver(plan(target=target), service, store, Clock()).written_now
    assert len(store.read()) == 2


def test_a_create_and_an_append_meet_at_one_claim(store: FileStore, service: Service) -> None:
    assert deliver(plan(operation=Operation.APPEND), service, store, Clock()).written_now
    again = deliver(PLAN, service, store, Clock())
    assert (again.outcome.status, again.written_now) == (PUBLISHED, False)
    assert again.outcome.reference == Reference("5", "9")
    assert len(service.writes) == 1


def test_a_failed_write_is_made_again_by_the_next_run(store: FileStore) -> None:
    service = Service(422)
    deliver(PLAN, service, store, Clock())
    service.status = 201
    assert deliver(PLAN, service, store, Clock()).outcome.status is PUBLISHED
    assert len(service.writes) == 2


def test_c122_a_receipt_about_something_else_blocks(service: Service) -> None:
    failed = receipt(ReceiptStatus.FAILED, capsule_id="other")
    found = standing_of(PLAN, failed, NOW)
    assert found is not None
    assert "about something else" in found.outcome.reason


@pytest.mark.parametrize("call", [READ, CLAIMS, READS_BACK])
def test_a_store_that_fails_before_the_write_lets_nothing_out(
    store: FileStore, path: Path, service: Service, call: int
) -> None:
    with pytest.raises(StoreUnreadable):
        deliver(PLAN, service, Interrupted(path, {call: unreadable}), Clock())
    assert service.writes == []


@pytest.mark.parametrize(("call", "failures"), [(CLAIMS, 1), (READS_BACK, 1), (READS_BACK, 3)])
def test_a_claim_that_could_not_be_read_back_is_given_back(
    store: FileStore, path: Path, service: Service, call: int, failures: int
) -> None:
    class LosesAnswers(Interrupted):
        """Stores a claim, and then does not say so."""

        def swap(self, before: Row | None, after: Receipt, now: datetime) -> bool:
            is_claim = after.status is ReceiptStatus.CLAIMED
            if is_claim:
                store.swap(before, after, now)
            return super().swap(after if is_claim else before, after, now)

    away = LosesAnswers(path, {call + number: unreadable for number in range(failures)})
    with pytest.raises(StoreUnreadable):
        deliver(PLAN, service, away, Clock(), pauses=[0.0, 0.0])
    assert service.writes == []
    row = store.read()[PLAN.claim_key]
    assert isinstance(row, Receipt)
    assert (row.status, standing_of(PLAN, row, LATER)) == (ReceiptStatus.FAILED, None)
    assert deliver(PLAN, service, store, Clock()).outcome.status is PUBLISHED


def test_the_claim_of_somebody_else_is_not_given_back(store: FileStore, path: Path, service: Service) -> None:
    theirs = receipt(nonce="cd" * 16)

    def overtake() -> None:
        path.write_bytes(theirs.line())
        unreadable()

    with pytest.raises(StoreUnreadable):
        deliver(PLAN, service, Interrupted(path, {READS_BACK: overtake}), Clock(), pauses=[])
    assert store.read() == {PLAN.claim_key: theirs}


@pytest.mark.parametrize("step", [Step.READING_BACK, Step.WRITING, Step.SETTLING])
def test_nobody_to_tell_leaves_no_claim_behind(store: FileStore, service: Service, step: Step) -> None:
    def told(_: Plan, now: Step) -> None:
        if now is step:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        deliver(PLAN, service, store, Clock(), told)
    row = store.read()[PLAN.claim_key]
    assert isinstance(row, Receipt)
    is_written = step is Step.SETTLING
    assert row.status is (ReceiptStatus.PUBLISHED if is_written else ReceiptStatus.FAILED)
    assert len(service.writes) == is_written


@pytest.mark.parametrize("minutes", [-600_000, -1500, -11, -10, -9, -1, 0, 1, 9, 10, 11, 1429, 1431, 600_000])
def test_the_claim_of_a_machine_whose_clock_is_another_lets_nothing_out(
    store: FileStore, service: Service, minutes: int
) -> None:
    theirs = NOW + timedelta(minutes=minutes)
    claim = receipt(at=format_instant(theirs), claimed_until=format_instant(theirs + CLAIM))
    assert store.swap(None, claim, theirs)
    delivered = deliver(PLAN, service, store, Clock(step=timedelta()))
    assert (delivered.outcome.status, service.writes) == (AMBIGUOUS, [])
    assert store.read() == {PLAN.claim_key: claim}
    is_waited_for = delivered.busy_until is not None
    assert is_waited_for == (-10 < minutes <= 1430)
    assert is_waited_for != ("receipts resolve" in delivered.outcome.reason)


@pytest.mark.parametrize("minutes", [-600_000, -60, -1])
def test_a_clock_that_is_set_back_between_the_steps_changes_nothing(
    store: FileStore, service: Service, minutes: int
) -> None:
    delivered = deliver(PLAN, service, store, Clock(step=timedelta(minutes=minutes)))
    assert (delivered.outcome.status, delivered.unrecorded) == (PUBLISHED, None)
    assert store.read() == {PLAN.claim_key: delivered.receipt}


def test_a_missing_store_lets_nothing_out(path: Path, service: Service) -> None:
    with pytest.raises(StoreMissing):
        deliver(PLAN, service, FileStore(path), Clock())
    assert service.writes == []


@pytest.mark.parametrize(
    ("theirs", "outcome"),
    [
        (receipt(), AMBIGUOUS),
        (receipt(ReceiptStatus.PUBLISHED), PUBLISHED),
        (receipt(ReceiptStatus.AMBIGUOUS), AMBIGUOUS),
        (receipt(ReceiptStatus.FAILED), FAILED),
    ],
)
def test_who_comes_second_tells_what_the_first_did(
    store: FileStore, path: Path, service: Service, theirs: Receipt, outcome: OutcomeStatus
) -> None:
    first = Interrupted(path, {CLAIMS: lambda: store.swap(None, theirs, NOW)})
    delivered = deliver(PLAN, service, first, Clock())
    assert (delivered.outcome.status, delivered.receipt) == (outcome, theirs)
    assert not delivered.written_now
    assert service.writes == []


@pytest.mark.parametrize("left", [b"", receipt(nonce="cd" * 16).line()])
def test_a_claim_that_is_not_read_back_lets_nothing_out(
    store: FileStore, path: Path, service: Service, left: bytes
) -> None:
    damaged = Interrupted(path, {READS_BACK: lambda: path.write_bytes(left)})
    delivered = deliver(PLAN, service, damaged, Clock())
    assert delivered.outcome.status is AMBIGUOUS
    assert service.writes == []


@pytest.mark.parametrize(("minutes", "is_sent"), [(8.9, True), (9, False), (30, False)])
def test_a_claim_that_took_too_long_is_given_back_unsent(
    store: FileStore, service: Service, minutes: float, is_sent: bool
) -> None:
    delivered = deliver(PLAN, service, store, Clock(step=timedelta(minutes=minutes)))
    assert bool(service.writes) is is_sent
    if not is_sent:
        assert delivered.outcome.status is FAILED
        assert "nothing was sent" in delivered.outcome.reason
        assert standing_of(PLAN, store.read()[PLAN.claim_key], LATER) is None


@pytest.mark.parametrize("failures", [1, 2])
def test_what_became_of_a_write_is_stored_once_the_store_is_back(
    store: FileStore, path: Path, service: Service, failures: int
) -> None:
    away = Interrupted(path, {SETTLES + number: unreadable for number in range(failures)})
    delivered = deliver(PLAN, service, away, Clock(), pauses=[0.0, 0.0])
    assert delivered.unrecorded is None
    assert store.read()[PLAN.claim_key] == delivered.receipt


def test_c064_what_could_not_be_stored_is_told_in_full_and_reads_as_ambiguous(
    store: FileStore, path: Path, service: Service
) -> None:
    away = Interrupted(path, {SETTLES + number: unreadable for number in range(3)})
    delivered = deliver(PLAN, service, away, Clock(), pauses=[0.0, 0.0])
    assert (delivered.outcome.status, delivered.unrecorded) == (PUBLISHED, "the server is away")
    assert delivered.receipt is not None
    assert delivered.receipt.external_reference == "7"
    later = standing_of(PLAN, store.read()[PLAN.claim_key], LATER + timedelta(minutes=1))
    assert later is not None
    assert later.outcome.status is AMBIGUOUS


def test_a_system_that_refuses_after_the_write_is_told_too(
    store: FileStore, path: Path, service: Service
) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    delivered = deliver(PLAN, service, Interrupted(path, {SETTLES: full}), Clock())
    assert delivered.unrecorded == "the system refused: No space left on device"


def test_a_row_that_somebody_settled_meanwhile_is_left_to_them(
    store: FileStore, path: Path, service: Service
) -> None:
    theirs = receipt(ReceiptStatus.FAILED, resolved_by="ada")

    def resolve() -> None:
        assert store.swap(store.read()[PLAN.claim_key], theirs, NOW)

    delivered = deliver(PLAN, service, Interrupted(path, {SETTLES: resolve}), Clock())
    assert delivered.unrecorded == "somebody changed its row meanwhile"
    assert store.read()[PLAN.claim_key] == theirs


def test_a_row_that_is_ours_although_the_answer_was_lost_is_recorded(
    store: FileStore, path: Path, service: Service
) -> None:
    class LosesAnswers(FileStore):
        def swap(self, before: Row | None, after: Receipt, now: datetime) -> bool:
            stored = super().swap(before, after, now)
            return stored and after.status is ReceiptStatus.CLAIMED

    assert deliver(PLAN, service, LosesAnswers(path), Clock()).unrecorded is None


def _published(row: Row | None, target: str = TARGET) -> Reference | None:
    rows = {} if row is None else {row.claim_key: row}
    return published_reference(rows, "session-keys", ProviderName.GITHUB, ORIGIN, target)


def test_a_child_is_added_to_the_artifact_that_its_parent_s_receipt_names() -> None:
    whole = Reference("7")
    assert _published(receipt(ReceiptStatus.PUBLISHED)) == whole
    assert _published(receipt(ReceiptStatus.PUBLISHED, external_reference="7/12")) == whole
    for row in (None, *map(receipt, set(ReceiptStatus) - {ReceiptStatus.PUBLISHED})):
        assert _published(row) is None
    assert _published(Malformed(PLAN.claim_key, "there", "0d" * 32)) is None
    assert _published(receipt(ReceiptStatus.PUBLISHED), "owner/other") is None
    assert _published(receipt(ReceiptStatus.PUBLISHED, target="owner/other")) is None


@pytest.mark.parametrize(
    ("at", "seconds", "until"),
    [
        ("2026-07-01T12:00:00Z", 0, " until 12:00 UTC"),
        ("2026-07-01T12:00:05Z", 60, " until 12:02 UTC"),
        ("2026-07-01T12:00:00Z", 7200, " until 14:00 UTC"),
        ("2026-07-01T23:59:30Z", 60, " until 2026-07-02 00:01 UTC"),
        ("2026-07-01T12:00:00Z", 86_400, " until 2026-07-02 12:00 UTC"),
        ("2026-07-01T12:00:00Z", None, ""),
    ],
)
def test_c053_a_throttle_says_until_when_and_on_which_day(at: str, seconds: int | None, until: str) -> None:
    outcome = Outcome(OutcomeStatus.FAILED, "rate limited", retry_after=seconds)
    assert Delivered(plan(), outcome, receipt(at=at)).reason == f"rate limited{until}"
    assert Delivered(plan(), outcome).reason == "rate limited"


def test_a_plan_s_keys_do_not_depend_on_its_alias() -> None:
    one, other = plan(alias="a"), plan(alias="b")
    assert (one.claim_key, one.idempotency_key) == (other.claim_key, other.idempotency_key)
