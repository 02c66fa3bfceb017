"""When a server that refuses for speed wants to be asked again (C053, C076).

Read are the two legal forms of `Retry-After` (RFC 9110 §10.2.3) and the reset time, in Unix seconds, that
GitHub and ClickUp send. Times are compared with the answer's own `Date`, so no clock of ours is needed.
Anything else counts as absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

MOST_SECONDS = 24 * 60 * 60
"""Longer waits are told as this."""

_REFUSALS = (403, 429)
_DIGITS = re.compile(r"[0-9]+", re.ASCII)


def seconds_until_retry(status: int, header: Callable[[str], str | None]) -> int | None:
    """Seconds from the answer on, 0 to `MOST_SECONDS`; None where the answer names no time.

    `header` gives a header's value by its name in any case.
    """
    if status not in _REFUSALS:
        return None
    wanted = (header("Retry-After") or "").strip()
    if wanted:
        seconds = _number(wanted)
        return seconds if seconds is not None else _between(header("Date"), _moment(wanted))
    # GitHub sends its reset time with every answer: it counts only where nothing remains.
    if status == 429 or header("X-RateLimit-Remaining") == "0":
        reset = (header("X-RateLimit-Reset") or "").strip()
        if _DIGITS.fullmatch(reset) and len(reset) < 12:
            return _between(header("Date"), float(reset))
    return None


def _number(text: str) -> int | None:
    if _DIGITS.fullmatch(text) is None:
        return None
    digits = text.lstrip("0") or "0"
    return min(int(digits), MOST_SECONDS) if len(digits) < 10 else MOST_SECONDS


def _moment(text: str) -> float | None:
    """An HTTP date in Unix seconds; one that names no zone is in UTC (RFC 9110 §5.6.7)."""
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _between(date: str | None, then: float | None) -> int | None:
    now = _moment(date) if date else None
    if now is None or then is None:
        return None
    return int(min(max(then - now, 0), MOST_SECONDS))
