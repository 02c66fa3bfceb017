from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.throttle import MOST_SECONDS, seconds_until_retry

DATE = "Wed, 21 Oct 2026 07:28:00 GMT"
DATE_IN_UNIX_SECONDS = 1792567680


def seconds(status: int, headers: dict[str, str]) -> int | None:
    lower = {name.lower(): value for name, value in headers.items()}
    return seconds_until_retry(status, lambda name: lower.get(name.lower()))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("30", 30),
        (" 30 ", 30),
        ("0", 0),
        ("007", 7),
        ("7200", 7200),
        ("Wed, 21 Oct 2026 07:29:30 GMT", 90),
        ("Wed, 21 Oct 2026 07:27:00 GMT", 0),
        ("Wed, 21 Oct 2099 07:28:00 GMT", MOST_SECONDS),
        ("99999999999", MOST_SECONDS),
        ("9" * 5000, MOST_SECONDS),
        ("0.493", None),
        ("-5", None),
        ("", None),
        ("soon", None),
        ("٣", None),
        ("Wed, 99 Foo 2026 07:28:00 GMT", None),
    ],
)
def test_c076_both_legal_forms_are_read_and_all_else_is_absent(value: str, expected: int | None) -> None:
    assert seconds(429, {"Retry-After": value, "Date": DATE}) == expected


def test_c076_a_date_means_nothing_without_the_answers_own() -> None:
    assert seconds(429, {"Retry-After": DATE}) is None


@pytest.mark.parametrize(
    "value",
    ["Wed Oct 21 07:29:30 2026", "Wednesday, 21-Oct-26 07:29:30 GMT", "Wed, 21 Oct 2026 07:29:30 -0000"],
)
def test_c076_a_date_in_an_old_form_is_in_utc_wherever_this_runs(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert seconds(429, {"Retry-After": value, "Date": DATE}) == 90
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (429, {"X-RateLimit-Reset": str(DATE_IN_UNIX_SECONDS + 42)}, 42),
        (403, {"X-RateLimit-Reset": str(DATE_IN_UNIX_SECONDS + 42), "X-RateLimit-Remaining": "0"}, 42),
        (403, {"X-RateLimit-Reset": str(DATE_IN_UNIX_SECONDS + 42), "X-RateLimit-Remaining": "17"}, None),
        (403, {"Retry-After": "2"}, 2),
        (429, {"X-RateLimit-Reset": "9" * 40}, None),
        (404, {"Retry-After": "2"}, None),
        (200, {"Retry-After": "2"}, None),
    ],
)
def test_c053_a_reset_time_counts_where_the_provider_refuses_for_speed(
    status: int, headers: dict[str, str], expected: int | None
) -> None:
    assert seconds(status, {**headers, "Date": DATE}) == expected


@given(
    st.sampled_from([403, 429]),
    st.dictionaries(
        st.sampled_from(["retry-after", "date", "x-ratelimit-reset", "x-ratelimit-remaining"]),
        st.text(alphabet=st.characters(codec="latin-1"))
        | st.text(alphabet="0123456789:, GMTWedOct-+.")
        | st.just(DATE),
    ),
)
def test_c076_no_header_breaks_it(status: int, headers: dict[str, str]) -> None:
    found = seconds(status, headers)
    assert found is None or 0 <= found <= MOST_SECONDS
