"""The common form of a moment knows the calendar, and rows that are written have it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from ophiuchus.ledgers.moment import COMMON_MILLISECONDS, COMMON_MOMENT, moment_of
from ophiuchus.text.instant import is_instant


def test_the_last_days_of_february_are_those_of_the_calendar() -> None:
    common, milliseconds = re.compile(COMMON_MOMENT), re.compile(COMMON_MILLISECONDS)
    for year in range(1000, 10_000):
        for day in (28, 29, 30):
            moment = f"{year}-02-{day}T23:59:59.999Z"
            found = {bool(common.fullmatch(moment)), bool(milliseconds.fullmatch(moment)), is_instant(moment)}
            assert len(found) == 1, moment


def test_milliseconds_are_three_digits() -> None:
    for fraction in ("", ".", ".1", ".12", ".1234"):
        assert re.fullmatch(COMMON_MILLISECONDS, f"2026-07-01T12:00:00{fraction}Z") is None


def test_what_is_written_is_in_utc_to_the_millisecond() -> None:
    now = datetime(2026, 7, 1, 14, 0, 0, 123_999, timezone(timedelta(hours=2)))
    assert moment_of(now) == "2026-07-01T12:00:00.123Z"
