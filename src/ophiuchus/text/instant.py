"""Moments: the one accepted written form, the `date-time` of RFC 3339.

Accepted is that grammar, no more: four-digit year, `T`, seconds, a fraction of up to 9 digits after a full
stop (kept to the microsecond, the rest cut off), and an offset, `Z` or `+hh:mm`/`-hh:mm`; `t` and `z` may be
lower case, digits are ASCII. Refused on every Python: no offset, second 60, 24:00, offsets with seconds,
a comma, a blank for `T`, week and basic forms, blanks around (cases C011, C112, C113, C115).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_FORM = re.compile(
    r"(?P<to_second>\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)"
    r"(?:\.(?P<fraction>\d{1,9}))?"
    r"(?P<offset>[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)


class NotAnInstant(ValueError):
    """A text is not a moment in the accepted form."""


def parse_instant(text: str) -> datetime:
    """The moment in `text`, in UTC. Raises NotAnInstant for any other form and for days that do not exist."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise NotAnInstant(text)
    to_second, fraction, offset = form["to_second"].upper(), form["fraction"] or "", form["offset"].upper()
    try:
        return datetime.fromisoformat(f"{to_second}.{fraction[:6]:0<6}{offset}").astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise NotAnInstant(text) from error


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
