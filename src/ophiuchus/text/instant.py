"""Moments: the one accepted written form, the `date-time` of RFC 3339.

Accepted is that grammar, no more: four-digit year, `T`, seconds, a fraction of up to 9 digits after a full
stop (kept to the microsecond, the rest cut off), and an offset, `Z` or `+hh:mm`/`-hh:mm`; `t` and `z` may be
lower case, digits are ASCII. Refused on every Python: no offset, second 60, 24:00, offsets with seconds,
a comma, a blank for `T`, week and basic forms, blanks around (cases C011, C112, C113, C115).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

INSTANT_PATTERN = (
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])"
    r"(?:\.([0-9]{1,9}))?"
    r"([Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"
)
"""The form as a pattern that JSON Schema can carry: to the second, fraction, offset."""

_FORM = re.compile(INSTANT_PATTERN)


class NotAnInstant(ValueError):
    """A text is not a moment in the accepted form. The message says what it is not, and no word of it."""


def parse_instant(text: str) -> datetime:
    """The moment in `text`, in UTC. Raises NotAnInstant for any other form and for days that do not exist."""
    if _FORM.fullmatch(text) is None:
        raise NotAnInstant("is not an RFC 3339 date and time with an offset")
    try:
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise NotAnInstant("is no moment of the years 1 to 9999 in UTC") from error


def is_instant(text: str) -> bool:
    """Whether `parse_instant` would accept it."""
    try:
        parse_instant(text)
    except NotAnInstant:
        return False
    return True


def format_instant(moment: datetime) -> str:
    """RFC 3339 in UTC with whole seconds, ending in Z. `moment` must have an offset."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def format_exactly(moment: datetime) -> str:
    """The same with the fraction that `moment` has, if any: for what is compared, or may be given again."""
    text = format_instant(moment)
    fraction = f"{moment.microsecond:06d}".rstrip("0")
    return f"{text[:-1]}.{fraction}Z" if fraction else text
