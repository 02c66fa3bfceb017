"""The tables of design §4: conditions, aggregate, order of means."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.validity import aggregate_of, assess, has_expired
from ophiuchus.assess.verdicts import Aggregate, Assessment, ConditionVerdict, Verdict
from ophiuchus.capsule.model import Capsule, parse_capsule

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


def capsule(*conditions: dict[str, Any], **fields: Any) -> Capsule:
    numbered = [{"condition_id": f"vc-{number}", **condition} for number, condition in enumerate(conditions)]
    required = {"capsule_id": "cap-1", "goal": "g", "state": "s", "next_action": "n"}
    return parse_capsule({**required, "validity": numbered, **fields})


def judged(*conditions: dict[str, Any], now: datetime = NOW) -> Assessment:
    return assess(capsule(*conditions), {}, now)


def window(not_after: str, **more: Any) -> dict[str, Any]:
    return {"kind": "time_window", "not_after": not_after, **more}


def verdicts(*words: Verdict) -> list[ConditionVerdict]:
    return [ConditionVerdict(f"vc-{n}", "git_paths", True, word, "r") for n, word in enumerate(words)]


# The aggregate by the set of required verdicts, written out by hand from the first seed and design §4.
V, U, P, S = Verdict.VALID, Verdict.UNVERIFIABLE, Verdict.PARTIALLY_STALE, Verdict.STALE
AGGREGATES = {
    frozenset[Verdict](): Aggregate.NOT_DECLARED,
    frozenset({V}): Aggregate.VALID,
    frozenset({U}): Aggregate.UNVERIFIABLE,
    frozenset({P}): Aggregate.PARTIALLY_STALE,
    frozenset({S}): Aggregate.STALE,
    frozenset({V, U}): Aggregate.UNVERIFIABLE,
    frozenset({V, P}): Aggregate.PARTIALLY_STALE,
    frozenset({V, S}): Aggregate.STALE,
    frozenset({U, P}): Aggregate.PARTIALLY_STALE,
    frozenset({U, S}): Aggregate.PARTIALLY_STALE,
    frozenset({P, S}): Aggregate.STALE,
    frozenset({V, U, P}): Aggregate.PARTIALLY_STALE,
    frozenset({V, U, S}): Aggregate.PARTIALLY_STALE,
    frozenset({V, P, S}): Aggregate.STALE,
    frozenset({U, P, S}): Aggregate.PARTIALLY_STALE,
    frozenset({V, U, P, S}): Aggregate.PARTIALLY_STALE,
}


@pytest.mark.parametrize("words", AGGREGATES, ids=lambda words: "+".join(sorted(words)) or "none")
def test_every_combination_of_required_verdicts_has_its_aggregate(words: frozenset[Verdict]) -> None:
    assert aggregate_of(verdicts(*words)) is AGGREGATES[words]


def test_the_table_names_every_combination() -> None:
    assert len(AGGREGATES) == 2 ** len(Verdict)


@given(st.lists(st.sampled_from(Verdict), max_size=10))
def test_order_and_number_of_conditions_do_not_matter(words: list[Verdict]) -> None:
    assert aggregate_of(verdicts(*words)) is AGGREGATES[frozenset(words)]


@given(st.lists(st.tuples(st.sampled_from(Verdict), st.booleans()), max_size=10))
def test_optional_conditions_do_not_count(words: Sequence[tuple[Verdict, bool]]) -> None:
    conditions = [ConditionVerdict("vc", "git_paths", required, word, "r") for word, required in words]
    assert aggregate_of(conditions) is AGGREGATES[frozenset(word for word, required in words if required)]


def test_a_stale_window_beside_a_declared_scope_is_partially_stale() -> None:
    """C032."""
    found = judged(
        window("2020-01-01T00:00:00Z", required=True),
        {"kind": "declared_scope", "scope": "the auth module", "required": True},
    )
    assert found.aggregate is Aggregate.PARTIALLY_STALE
    assert [condition.verdict for condition in found.conditions] == [S, U]


def test_a_capsule_with_only_optional_conditions_declares_nothing() -> None:
    found = judged(window("2020-01-01T00:00:00Z", required=False))
    assert found.aggregate is Aggregate.NOT_DECLARED
    assert found.conditions[0].verdict is S
    assert not found.needs_action


@pytest.mark.parametrize(
    ("not_after", "verdict"),
    [
        ("2026-07-01T12:00:01Z", V),
        ("2026-07-01T12:00:00.000001Z", V),
        ("2026-07-01T12:00:00Z", S),
        ("2026-07-01T14:00:00+02:00", S),
        ("2026-07-01T14:00:01+02:00", V),
        ("2026-07-01t11:59:59z", S),
        ("2020-01-01T00:00:00Z", S),
    ],
)
def test_a_deadline_holds_while_now_is_before_it(not_after: str, verdict: Verdict) -> None:
    assert judged(window(not_after)).conditions[0].verdict is verdict


def test_now_may_come_in_any_offset() -> None:
    berlin = timezone(timedelta(hours=2))
    assert judged(window("2026-07-01T12:00:01Z"), now=NOW.astimezone(berlin)).conditions[0].verdict is V


@pytest.mark.parametrize(
    "not_after",
    [
        pytest.param("end of sprint 12", id="C011"),
        pytest.param("", id="empty"),
        pytest.param("2026-08-01", id="no time"),
        pytest.param("2026-08-01T00:00:00", id="no offset"),
        pytest.param("2026-08-01T24:00:00Z", id="C112"),
        pytest.param("9999-12-31T24:00:00Z", id="C112 last day"),
        pytest.param("2030-06-30T23:59:60Z", id="C113"),
        pytest.param("2030-01-02T03:04:05,5Z", id="C115 comma"),
        pytest.param("2030-01-02 03:04:05+00:00", id="C115 blank"),
        pytest.param("2030-W01-1", id="C115 week"),
        pytest.param("20300102T030405Z", id="C115 basic"),
        pytest.param(" 2030-01-02T03:04:05Z", id="C115 leading blank"),
        pytest.param("0001-01-01T00:00:00+23:59", id="before the first day"),
    ],
)
def test_an_unreadable_deadline_is_unverifiable_and_quoted(not_after: str) -> None:
    condition = judged(window(not_after)).conditions[0]
    assert condition.verdict is U
    assert f"“{not_after}”" in condition.reason
    assert "RFC 3339" in (condition.remedy or "")


def test_a_deadline_out_of_range_is_told_as_that() -> None:
    condition = judged(window("9999-12-31T23:59:59-08:00")).conditions[0]
    assert condition.verdict is Verdict.UNVERIFIABLE
    assert "is no moment of the years 1 to 9999 in UTC" in condition.reason


def test_an_unreadable_deadline_is_quoted_escaped_and_short() -> None:
    """C011: the text is quoted, and cannot act where it is printed."""
    condition = judged(window("\x1b[2K\n::error::x\u202e" + "y" * 5000)).conditions[0]
    assert condition.reason.isprintable()
    assert r"\x1b[2K\n::error::x\u202e" in condition.reason
    assert len(condition.reason) < 200


def test_a_declared_scope_is_unverifiable_without_remedy() -> None:
    found = judged({"kind": "declared_scope", "scope": "the auth module"})
    assert found.conditions[0].verdict is U
    assert found.conditions[0].remedy is None
    assert found.aggregate is Aggregate.UNVERIFIABLE
    assert not found.needs_action


def test_an_unknown_kind_is_unverifiable_and_counts() -> None:
    """C074."""
    found = judged({"kind": "weather"}, window("2030-01-01T00:00:00Z"))
    assert found.conditions[0].verdict is U
    assert "“weather”" in found.conditions[0].reason
    assert found.conditions[0].remedy is None
    assert found.aggregate is Aggregate.UNVERIFIABLE
    assert not found.needs_action


@pytest.mark.parametrize(
    ("expires_at", "expired"),
    [
        (None, False),
        ("2026-07-01T12:00:00Z", True),
        ("2026-07-01T12:00:01Z", False),
        ("2026-07-01T13:59:59+02:00", True),
    ],
)
def test_a_capsule_expires_at_its_own_moment(expires_at: str | None, expired: bool) -> None:
    assert has_expired(capsule(expires_at=expires_at), NOW) is expired


def test_expiry_stands_apart_from_the_verdict() -> None:
    found = assess(capsule(window("2030-01-01T00:00:00Z"), expires_at="2020-01-01T00:00:00Z"), {}, NOW)
    assert found.aggregate is Aggregate.VALID
    assert found.expired
    assert found.needs_action


@pytest.mark.parametrize(
    ("words", "needed"),
    [((V,), False), ((U,), False), ((P,), True), ((S,), True), ((V, U), False), ((S, U), True), ((), False)],
)
def test_staleness_needs_action_and_a_gap_without_remedy_does_not(
    words: tuple[Verdict, ...], needed: bool
) -> None:
    conditions = tuple(verdicts(*words))
    assert Assessment(aggregate_of(conditions), conditions, expired=False).needs_action is needed


@pytest.mark.parametrize(("required", "remedy"), list(product([True, False], ["do it", None])))
def test_an_unverifiable_condition_needs_action_when_required_and_curable(
    required: bool, remedy: str | None
) -> None:
    condition = ConditionVerdict("vc", "git_paths", required, U, "r", remedy)
    assert Assessment(aggregate_of([condition]), (condition,), expired=False).needs_action is (
        required and remedy is not None
    )
