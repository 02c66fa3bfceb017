"""Rows of the critics' ledger in both profiles, and the keys of what they say."""

from __future__ import annotations

import string
from typing import Any

import pytest
from critic_rows import finding
from hypothesis import example, given
from hypothesis import strategies as st

from ophiuchus.ledgers.critic.finding import FIELDS, REQUIRED, FaultCode, faults, is_open_blocking
from ophiuchus.ledgers.critic.issue_key import EMPTY_KEY, LONGEST, compute_issue_key, normal_form
from ophiuchus.ledgers.jsonl import Profile

COMPAT, STRICT = Profile.COMPAT, Profile.STRICT


def codes(row: dict[str, Any], profile: Profile) -> list[tuple[str | None, FaultCode]]:
    return [(fault.field, fault.code) for fault in faults(row, profile)]


def test_a_good_row_has_no_fault_in_either_profile() -> None:
    assert faults(finding(), COMPAT) == faults(finding(), STRICT) == []
    bare = {name: value for name, value in finding().items() if name in REQUIRED}
    assert len(bare) == 15
    assert faults(bare, COMPAT) == faults(bare, STRICT) == []


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("name", REQUIRED)
def test_each_required_field_is_missed_by_name(name: str, profile: Profile) -> None:
    (fault,) = faults(finding(**{name: ...}), profile)
    assert (fault.code, fault.message) == (FaultCode.MISSING_FIELD, f"lacks `{name}`")


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("anti_slop_score", True, "true"),
        ("anti_slop_score", 7.0, "a fraction"),
        ("anti_slop_score", "7", "“7”"),
        ("anti_slop_score", 11, "11"),
        ("anti_slop_score", -1, "-1"),
        ("anti_slop_score", 10**30, "a large number"),
        ("blocking", 1, "1"),
        ("blocking", "false", "“false”"),
        ("degraded_mode", None, "null"),
    ],
)
def test_c040_scores_are_integers_and_flags_are_booleans_in_both_profiles(
    profile: Profile, name: str, value: object, shown: str
) -> None:
    (fault,) = faults(finding(**{name: value}), profile)
    assert (fault.field, fault.code) == (name, FaultCode.BAD_FIELD)
    assert fault.message.startswith(f"`{name}` must be ")
    assert fault.message.endswith(f", and is {shown}")


def test_c040_minus_zero_is_the_integer_zero() -> None:
    assert faults(finding(anti_slop_score=-0), STRICT) == []


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("status", "open\n"),
        ("lens", "Challenger"),
        ("severity", " high"),
        ("confidence", []),
        ("lens", {"a": 1}),
        ("finding_text", " \n\u2003"),
        ("finding_text", 5),
        ("ts", 5),
    ],
)
def test_c118_words_are_compared_exactly_in_both_profiles(profile: Profile, name: str, value: object) -> None:
    assert (name, FaultCode.BAD_FIELD) in codes(finding(**{name: value}), profile)


@pytest.mark.parametrize(
    "moment",
    [
        "2026-06-28T10:00:00.000Z\n",
        "٢٠٢٦-06-28T10:00:00.000Z",
        "2026-02-30T10:00:00.000Z",
        "2026-06-28T23:59:60.000Z",
        "2026-06-28T24:00:00.000Z",
        "2026-06-28T10:00:00.000",
        "2026-06-28",
        "",
    ],
)
def test_c113_c118_what_is_no_moment_whole_and_in_ascii_is_told_in_both_profiles(moment: str) -> None:
    for profile in Profile:
        assert codes(finding(ts=moment), profile) == [("ts", FaultCode.BAD_TIME)]


@pytest.mark.parametrize(
    "moment", ["2026-06-28T10:00:00Z", "2026-06-28T12:00:00.000+02:00", "2026-06-28t10:00:00.000z"]
)
def test_a_moment_in_another_form_is_refused_by_the_letter_only(moment: str) -> None:
    assert codes(finding(ts=moment), STRICT) == [("ts", FaultCode.BAD_TIME)]
    assert faults(finding(ts=moment), COMPAT) == []


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("version", [2, 0, "1", 1.0, True, None])
def test_c121_another_version_is_one_fault_without_follow_ups(version: object, profile: Profile) -> None:
    (fault,) = faults(finding(schema_version=version, severity="blocker", new_field=1), profile)
    assert (fault.field, fault.code) == ("schema_version", FaultCode.BAD_FIELD)
    assert fault.message.startswith("unsupported version: ")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"finding_id": "bug0018clo-challenger-001"}, ("finding_id", FaultCode.BAD_ID)),
        ({"finding_id": "9e8d7c6b-5a4f-3e2d-1c0b-1d2e3f405162"}, ("finding_id", FaultCode.BAD_ID)),
        ({"finding_id": "5a1c7e02-9b3d-4f60-8a27-1d2e3f405162\n"}, ("finding_id", FaultCode.BAD_ID)),
        ({"issue_key": "ik_us0121_clean_host_orphan"}, ("issue_key", FaultCode.WRONG_KEY)),
        ({"issue_key": 7}, ("issue_key", FaultCode.BAD_FIELD)),
        ({"confidence": "high"}, ("confidence", FaultCode.WRONG_CONFIDENCE)),
        ({"single_finder": False}, ("confidence", FaultCode.WRONG_CONFIDENCE)),
        ({"single_finder": 1}, ("single_finder", FaultCode.BAD_FIELD)),
        ({"critic_model_id": "inherit"}, ("degraded_mode", FaultCode.UNDECLARED_DEGRADED_MODE)),
        ({"critic_model_id": " Inherit "}, ("degraded_mode", FaultCode.UNDECLARED_DEGRADED_MODE)),
        ({"role": "qe"}, ("role", FaultCode.UNKNOWN_WORD)),
        ({"phase_id": "closure"}, ("phase_id", FaultCode.UNKNOWN_WORD)),
        ({"phase_id": "execute\n"}, ("phase_id", FaultCode.UNKNOWN_WORD)),
        ({"orchestrator_run_id": " "}, ("orchestrator_run_id", FaultCode.EMPTY_ID)),
        ({"producer_model_id": ""}, ("producer_model_id", FaultCode.EMPTY_ID)),
        ({"rework_generation": -1}, ("rework_generation", FaultCode.BAD_FIELD)),
        ({"rework_generation": True}, ("rework_generation", FaultCode.BAD_FIELD)),
    ],
)
def test_what_the_field_writes_passes_compat_and_is_named_by_strict(
    fields: dict[str, Any], fault: tuple[str, FaultCode]
) -> None:
    assert codes(finding(**fields), STRICT) == [fault]
    assert faults(finding(**fields), COMPAT) == []


def test_one_model_on_both_sides_that_says_so_is_no_fault() -> None:
    row = finding(critic_model_id="fast", producer_model_id="fast", degraded_mode=True)
    assert faults(row, STRICT) == []


@pytest.mark.parametrize("profile", Profile)
def test_a_field_of_no_name_is_told_with_the_nearest_that_has_one(profile: Profile) -> None:
    (fault,) = faults(finding(severty="low"), profile)
    assert (fault.field, fault.code) == ("severty", FaultCode.UNKNOWN_FIELD)
    assert "`severity` is the nearest" in fault.message


def test_a_long_name_is_not_repeated() -> None:
    (fault,) = faults(finding(**{"x" * 100: 1}), COMPAT)
    assert fault.message == "a long name is no field of a finding"


def test_every_fault_of_a_row_is_told_at_once() -> None:
    row = finding(lens="x", severity="y", finding_id="z", ts="now", extra=1)
    assert [field for field, _ in codes(row, STRICT)] == ["lens", "severity", "extra", "ts", "finding_id"]


@pytest.mark.parametrize(
    ("blocking", "status", "blocks"),
    [(True, "open", True), (1, "open", False), ("true", "open", False), (..., "open", False)]
    + [(True, status, False) for status in ("resolved", "waived", "OPEN", ["open"])],
)
def test_only_a_row_that_says_so_blocks(blocking: object, status: object, blocks: bool) -> None:
    assert is_open_blocking(finding(blocking=blocking, status=status)) is blocks


@given(
    st.dictionaries(
        st.sampled_from(FIELDS) | st.text(max_size=3),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
            ),
            max_leaves=3,
        ),
    )
)
def test_no_row_breaks_the_judge_and_strict_finds_whatever_compat_finds(fields: dict[str, Any]) -> None:
    row = {**finding(), **fields}
    assert set(codes(row, COMPAT)) <= set(codes(row, STRICT))
    for fault in faults(row, STRICT):
        assert len(fault.message) < 500


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Race on concurrent append!", "ik_449f85acd0b7593a"),
        ("race on concurrent append", "ik_449f85acd0b7593a"),
        ("Shared coupling risk at module boundary", "ik_403f431038ea4e7e"),
        ("", "ik_e3b0c44298fc1c14"),
        ("word " * 16, "ik_34ef0407da2c4af2"),
        ("word " * 17, "ik_34ef0407da2c4af2"),
        ("a" * 100, "ik_0f45e858fbc4176c"),
    ],
)
def test_issue_keys_are_the_golden_ones(text: str, key: str) -> None:
    assert compute_issue_key(text) == key


@pytest.mark.parametrize(
    ("text", "form", "key"),
    [
        ("!!!", "", EMPTY_KEY),
        ("...", "", EMPTY_KEY),
        ("a" * 200, "a" * 80, "ik_0f45e858fbc4176c"),
        ("w" * 39 + " " + "v" * 40 + " tail", "w" * 39 + " " + "v" * 40, "ik_bc49898375d665fa"),
        ("w" * 39 + " " + "v" * 41 + " tail", "w" * 39, compute_issue_key("w" * 39)),
        ("\u201cquoted\u201d", "\u201cquoted\u201d", "ik_675587678ab18720"),
        ("\u0130stanbul", "i\u0307stanbul", "ik_4a4df120f7d1f3c2"),
    ],
)
def test_c119_normal_forms_at_their_edges(text: str, form: str, key: str) -> None:
    assert normal_form(text) == form
    assert compute_issue_key(text) == key


# What stands behind the last letters of the normal form decides how the sigma among them is written.
@example("", "a" * 78 + "Σ" + "\u0301" * 30 + "b")
@given(st.text(), st.text("aΣ .é\u0301", min_size=70, max_size=200))
def test_a_normal_form_is_that_of_the_whole_text(start: str, end: str) -> None:
    words = " ".join("".join(c for c in (start + end).lower() if c not in string.punctuation).split())
    cut = words if len(words) <= 80 else words[:80] if words[80] == " " else words[:80].rpartition(" ")[0]
    assert normal_form(start + end) == (cut or words[:80])


@given(st.text())
def test_a_normal_form_is_short_and_its_own_normal_form(text: str) -> None:
    form = normal_form(text)
    assert len(form) <= LONGEST
    assert normal_form(form) == form
