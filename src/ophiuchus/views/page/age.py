"""How long a capsule has been stale, in the words of a table's cell."""

from __future__ import annotations

from dataclasses import dataclass

from ophiuchus.report.model import Since, SinceWhat
from ophiuchus.text.instant import NotAnInstant, parse_instant
from ophiuchus.text.wording import counted

_COUNTED_FROM = {
    SinceWhat.CHANGE: "since a change",
    SinceWhat.DEADLINE: "since its deadline",
    SinceWhat.EXPIRY: "since it expired",
    SinceWhat.CREATED: "at most, since it was written",
}


@dataclass(frozen=True, slots=True)
class Age:
    """Whole `days` since the moment `at`, and what that moment is, in words."""

    days: int
    at: str
    counted_from: str

    @property
    def words(self) -> str:
        """`less than a day`, `1 day`, `12 days`."""
        return counted(self.days, "day") if self.days else "less than a day"


def age_of(since: Since | None, now: str) -> Age | None:
    """The age at `now`; None where either moment is not known, as in a report that somebody edited."""
    if since is None:
        return None
    try:
        lived = parse_instant(now) - parse_instant(since.at)
    except NotAnInstant:
        return None
    return Age(max(lived.days, 0), since.at, _COUNTED_FROM[since.what])
