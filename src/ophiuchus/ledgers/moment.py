"""Moments as rows have them: in UTC and in one form, nearly all, by which they are recognised quickly."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from ophiuchus.text.instant import is_instant

# Exact but for early years, which are looked at again.
_LEAP_YEAR = r"(?:[1-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)"
_DAY = (
    r"(?:[1-9][0-9]{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    rf"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP_YEAR}-02-29)"
)
_TO_SECOND = rf"{_DAY}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
COMMON_MOMENT = rf"^{_TO_SECOND}(?:\.[0-9]{{1,9}})?Z$"
"""The common form as a pattern: what fits is a moment, what does not may still be one."""
COMMON_MILLISECONDS = rf"^{_TO_SECOND}\.[0-9]{{3}}Z$"
"""The same with a fraction of just three digits."""

_COMMON = re.compile(COMMON_MOMENT)


def moment_of(now: datetime) -> str:
    """The `ts` of a row that is written now, to the millisecond."""
    return now.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def is_moment(value: Any) -> bool:
    """Whether a row's `ts` can be put in order: text that `parse_instant` accepts."""
    return type(value) is str and (_COMMON.fullmatch(value) is not None or is_instant(value))
