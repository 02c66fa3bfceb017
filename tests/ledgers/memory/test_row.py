"""Rows of the four families, as the field writes them and by the letter."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_rows import entry

from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.decision_key import compute_decision_key
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.row import FIELDS, Fault, Judgement, RowJudge
from ophiuchus.ledgers.moment import is_moment
from ophiuchus.text.instant import is_instant

COMPAT, STRICT = Profile.COMPAT, Profile.STRICT
DECISIONS, MISTAKES, PATTERNS, DRIFT = Family


def faults_of(row: dict[str, Any], family: Family, profile: Profile) -> list[Fault]:
    return list(RowJudge(family, profile).judge(row).faults)


def fields_at_fault(row: dict[str, Any], family: Family, profile: Profile) -> list[str | None]:
    return [fault.field for fault in faults_of(row, family, profile)]


@pytest.mark.parametrize("family", Family)
@pytest.mark.parametrize("profile", Profile)
def test_a_good_row_of_each_family_has_no_fault(family: Family, profile: Profile) -> None:
    assert faults_of(entry(family), family, profile) == []
    optional = {"source_orchestrator_run_id": "r", "source_story_id": "US-1", "phase_id": "qa"}
    assert faults_of(entry(family, **optional, provenance_ref="R-1"), family, profile) == []


def bad(family: Family, field: str, *values: Any) -> list[tuple[Family, str, Any]]:
    return [(family, field, value) for value in values]


BAD_IN_BOTH = [
    *bad(PATTERNS, "impact_score", True, 7.0, "7", -1, 101, None),
    *bad(PATTERNS, "text", "", " \n", "x" * 2001, None, 1),
    *bad(PATTERNS, "tags", None, "a", [1], ["x"] * 11, ["x" * 41]),
    *bad(PATTERNS, "status", "deleted", "active\n", "Active", None, ["active"], {}),
    *bad(PATTERNS, "ts", None, 1),
    *bad(PATTERNS, "entry_id", None, 1, "", " "),
    *bad(PATTERNS, "applies_to", None, "dev"),
    *bad(PATTERNS, "pattern_id", 1),
    *bad(PATTERNS, "provenance_ref", 1),
    *bad(MISTAKES, "mistake_tag", "oops", "fix_failed\n", None, []),
    *bad(MISTAKES, "failure_reason_code", None),
    *bad(DRIFT, "drift_type", "plan", None),
    *bad(DRIFT, "from_artifact", None),
    *bad(DRIFT, "ledger_decision_id", 1),
    *bad(DECISIONS, "decision_key", "0" * 16, None),
    *bad(DECISIONS, "decision_text", "", None),
    *bad(DECISIONS, "rationale", "x" * 2001, None),
]


@pytest.mark.parametrize(("family", "field", "value"), BAD_IN_BOTH)
@pytest.mark.parametrize("profile", Profile)
def test_what_both_profiles_refuse(family: Family, field: str, value: Any, profile: Profile) -> None:
    assert fields_at_fault(entry(family, **{field: value}), family, profile) == [field]


LONG = "A decision " + "x" * 2000
BAD_IN_STRICT = [
    *bad(
        PATTERNS,
        "ts",
        "2026-07-01T12:00:00+00:00",
        "2026-07-01t12:00:00z",
        "2026-07-01t12:00:00Z",
        "2026-07-01T12:00:00.000Z\n",
    ),
    *bad(PATTERNS, "ts", "2026-02-30T12:00:00Z", "\u0662\u0660\u0662\u0666-07-01T12:00:00Z", "yesterday"),
    *bad(PATTERNS, "ts", "0000-07-01T12:00:00Z", "2026-07-01T24:00:00Z", "2026-07-01t12:00:00Z"),
    *bad(PATTERNS, "entry_id", "bug0018clo-001", "9e8d7c6b-5a4f-7e2d-8c0b-1a2b3c4d5e6f"),
    *bad(PATTERNS, "phase_id", None),
    *bad(PATTERNS, "provenance_ref", None),
    *bad(PATTERNS, "pattern_id", "Not A Slug", "x" * 65, ""),
    *bad(PATTERNS, "applies_to", [1]),
    *bad(PATTERNS, "extra", "field"),
    *bad(PATTERNS, "mistake_tag", "fix_failed"),
    *bad(MISTAKES, "failure_reason_code", " "),
    *bad(DRIFT, "to_artifact", ""),
    *bad(DRIFT, "ledger_decision_id", None),
]


@pytest.mark.parametrize(("family", "field", "value"), BAD_IN_STRICT)
def test_what_the_field_writes_passes_compat_and_strict_names_it(
    family: Family, field: str, value: Any
) -> None:
    row = entry(family, **{field: value})
    assert faults_of(row, family, COMPAT) == []
    assert fields_at_fault(row, family, STRICT) == [field]


def test_a_long_decision_text_passes_compat_and_strict_names_it() -> None:
    row = entry(DECISIONS, decision_text=LONG, decision_key=compute_decision_key(LONG))
    assert faults_of(row, DECISIONS, COMPAT) == []
    assert fields_at_fault(row, DECISIONS, STRICT) == ["decision_text"]


@pytest.mark.parametrize("family", Family)
@pytest.mark.parametrize("profile", Profile)
def test_each_required_field_is_missed(family: Family, profile: Profile) -> None:
    optional = {
        "source_orchestrator_run_id",
        "source_story_id",
        "phase_id",
        "provenance_ref",
        "ledger_decision_id",
    }
    for field in set(FIELDS[family]) - optional - {"schema_version"}:
        (fault,) = faults_of(entry(family, **{field: ...}), family, profile)
        assert (fault.field, fault.message) == (None, f"`{field}` is missing")


@pytest.mark.parametrize("version", [2, "1", 1.0, True, None, ...])
@pytest.mark.parametrize("profile", Profile)
def test_c121_another_version_is_one_fault_without_follow_ups(version: Any, profile: Profile) -> None:
    (fault,) = faults_of(entry(schema_version=version, status="deleted", extra=1), PATTERNS, profile)
    assert fault.message.startswith("unsupported version: ")


@pytest.mark.parametrize("profile", Profile)
def test_c121_a_row_of_another_family_says_so(profile: Profile) -> None:
    (fault,) = faults_of({"schema_version": 1, "drift_type": "ac_drop"}, PATTERNS, profile)
    assert fault.field == "drift_type"
    assert (
        fault.message == "is a row of plan-drift-register, by its fields, and stands among those of patterns"
    )


@pytest.mark.parametrize("profile", Profile)
def test_c121_a_tag_outside_the_closed_set_and_a_status_nobody_knows(profile: Profile) -> None:
    faults = faults_of({"schema_version": 1, "mistake_tag": "oops"}, MISTAKES, profile)
    assert faults[0].message == (
        "`mistake_tag` must be one of fix_failed, revert_applied, plan_fidelity_violation, test_regression, "
        'scope_creep, not "oops"'
    )
    (fault,) = faults_of(entry(status="deleted"), PATTERNS, profile)
    assert fault.message == '`status` must be one of active, superseded, archived, not "deleted"'


def test_c121_an_unknown_field_is_kept_in_compat_and_refused_in_strict() -> None:
    row = entry(mood="good")
    assert RowJudge(PATTERNS, COMPAT).judge(row) == Judgement(unknown=["mood"])
    assert faults_of(row, PATTERNS, COMPAT) == []
    assert fields_at_fault(row, PATTERNS, STRICT) == ["mood"]


@pytest.mark.parametrize("value", ["2026-07-01T12:00:00Z", "2026-01-31T23:59:59.123+02:00"])
def test_moments(value: str) -> None:
    assert is_moment(value)


@pytest.mark.parametrize(
    "value", ["2024-02-29T12:00:00Z", "0999-12-31T12:00:00.5Z", "2026-04-30T23:59:59.123Z"]
)
def test_rare_days_are_days(value: str) -> None:
    assert faults_of(entry(ts=value), PATTERNS, STRICT) == []


@given(st.dates(), st.integers(28, 32), st.sampled_from(["T12:00:00Z", "T24:00:00Z", "T12:00:00.000Z"]))
def test_a_moment_is_one_by_the_calendar(day: date, number: int, time: str) -> None:
    value = f"{day.isoformat()[:8]}{number:02}{time}"
    assert (faults_of(entry(ts=value), PATTERNS, STRICT) == []) == is_instant(value) == is_moment(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@given(
    st.sampled_from(list(Family)),
    st.sampled_from(list(Profile)),
    st.data(),
)
def test_no_row_of_json_makes_the_judging_fail(family: Family, profile: Profile, data: st.DataObject) -> None:
    names = st.sampled_from([*FIELDS[family], "drift_type", "other"])
    row = {**entry(family), **data.draw(st.dictionaries(names, JSON))}
    for fault in faults_of(row, family, profile):
        assert fault.field is None or fault.field in row
    if not faults_of(row, family, STRICT):
        assert not faults_of(row, family, COMPAT)
