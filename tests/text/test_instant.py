"""Moments: one written form on every supported Python."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.instant import NotAnInstant, format_exactly, format_instant, is_instant, parse_instant


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2020-01-01T00:00:00Z", datetime(2020, 1, 1, tzinfo=UTC)),
        ("2026-01-02t03:04:05z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05-00:00", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05+05:30", datetime(2026, 1, 1, 21, 34, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05.5Z", datetime(2026, 1, 2, 3, 4, 5, 500_000, tzinfo=UTC)),
        ("2026-01-02T03:04:05.123456789Z", datetime(2026, 1, 2, 3, 4, 5, 123_456, tzinfo=UTC)),
        ("9999-12-31T23:59:59Z", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_the_accepted_form_is_that_of_rfc_3339(text: str, moment: datetime) -> None:
    """C011, C115."""
    assert parse_instant(text) == moment
    assert parse_instant(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        # C011
        "end of sprint 12",
        "",
        # C112
        "2026-07-01T24:00:00Z",
        "2026-07-01T24:00:01Z",
        "9999-12-31T24:00:00Z",
        # C113
        "2016-12-31T23:59:60Z",
        "2020-01-01T00:00:60Z",
        "2026-06-30T23:59:60Z",
        "2026-01-01T00:00:60Z",
        # C115
        "2026-01-02T03:04:05,5Z",
        "2026-01-02 03:04:05+00:00",
        "2026-W01-1",
        "20260102T030405Z",
        "2026-01-02T03:04:05+05:30:15",
        "\u0662026-01-02T03:04:05Z",
        " 2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05Z\n",
        # and what else looks near
        "2026-01-02",
        "2026-01-02T03:04:05",
        "2026-01-02T03:04Z",
        "2026-02-30T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-00:01",
        "2026-01-02T03:04:05+24:00",
        "2026-01-02T03:04:05.Z",
        "2026-01-02T03:04:05.1234567890Z",
        "12026-01-02T03:04:05Z",
    ],
)
def test_every_other_form_is_refused(text: str) -> None:
    with pytest.raises(NotAnInstant):
        parse_instant(text)
    assert not is_instant(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
    ],
)
def test_the_right_form_of_a_moment_that_is_not_told_of_is_called_so(text: str) -> None:
    with pytest.raises(NotAnInstant, match="is no moment of the years 1 to 9999 in UTC"):
        parse_instant(text)


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31)), st.integers(-1439, 1439))  # noqa: DTZ001 - strategies take naive bounds
def test_what_is_written_is_read_again(moment: datetime, minutes: int) -> None:
    aware = moment.replace(microsecond=0, tzinfo=timezone(timedelta(minutes=minutes)))
    assert parse_instant(aware.isoformat()) == aware
    assert parse_instant(format_instant(aware)) == aware
    assert format_exactly(aware) == format_instant(aware)
    exact = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert parse_instant(format_exactly(exact)) == exact


@given(
    date=st.tuples(
        st.sampled_from([0, 1, 4, 1900, 2000, 2024, 9999]) | st.integers(0, 9999),
        st.integers(0, 13),
        st.sampled_from([1, 28, 29, 30, 31]) | st.integers(0, 32),
    ),
    seconds=st.sampled_from([0, 86_399]) | st.integers(0, 86_399),
    fraction=st.just("") | st.text(alphabet="0123456789", min_size=1, max_size=9),
    letter=st.sampled_from("Tt"),
    offset=st.sampled_from(["Z", "z"]) | st.integers(-1439, 1439),
)
def test_every_moment_is_the_one_that_its_numbers_make(
    date: tuple[int, int, int], seconds: int, fraction: str, letter: str, offset: str | int
) -> None:
    """The standard library's reader against a reckoning from the numbers; a fraction is cut, not rounded."""
    time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    text = f"{date[0]:04}-{date[1]:02}-{date[2]:02}{letter}{time}{'.' if fraction else ''}{fraction}"
    minutes = 0
    if isinstance(offset, int):
        minutes = offset
        text += f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"
    else:
        text += offset
    since_midnight = timedelta(seconds=seconds, microseconds=int(f"{fraction:0<6}"[:6]), minutes=-minutes)
    try:
        moment = datetime(*date, tzinfo=UTC) + since_midnight
    except (ValueError, OverflowError):
        assert not is_instant(text)
    else:
        assert parse_instant(text) == moment
        assert parse_instant(text).tzinfo is UTC


@given(st.text(alphabet="0123456789-:TZtz+. ", max_size=30) | st.text(max_size=30))
def test_no_text_raises_anything_else(text: str) -> None:
    assert is_instant(text) in (True, False)
