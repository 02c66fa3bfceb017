"""Since when a capsule does not hold any more, as far as that is known. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from ophiuchus.assess.verdicts import CHANGED, Aggregate, Assessment
from ophiuchus.capsule.model import Capsule, Condition, TimeWindow
from ophiuchus.git.log_walk import MOST_COMMITS, LoggedCommit
from ophiuchus.report.model import Since, SinceWhat
from ophiuchus.text.instant import format_instant, parse_instant

_STALE = (Aggregate.STALE, Aggregate.PARTIALLY_STALE)


def stale_since(
    capsule: Capsule, assessment: Assessment, commits: Sequence[Sequence[LoggedCommit]], now: datetime
) -> Since | None:
    """The earliest moment that is known: an expiry, a deadline, a change; else when it was written, or None.

    `commits` has for each condition those that changed it. A moment after `now` dates nothing.
    """
    if not assessment.expired and assessment.aggregate not in _STALE:
        return None
    known = list(_expiry(capsule, assessment))
    for declared, judged, changed_by in zip(capsule.validity, assessment.conditions, commits, strict=True):
        if judged.required and judged.verdict in CHANGED:
            known += _moments(declared, changed_by)
    return _earliest(known, now) or _earliest(_creation(capsule), now)


def _earliest(known: Iterable[tuple[datetime, SinceWhat]], now: datetime) -> Since | None:
    passed = [moment for moment in known if moment[0] <= now]
    if not passed:
        return None
    return _since(*min(passed))


def _expiry(capsule: Capsule, assessment: Assessment) -> Iterator[tuple[datetime, SinceWhat]]:
    if assessment.expired and capsule.expires_at is not None:
        yield parse_instant(capsule.expires_at), SinceWhat.EXPIRY


def _moments(declared: Condition, changed_by: Sequence[LoggedCommit]) -> Iterator[tuple[datetime, SinceWhat]]:
    if isinstance(declared, TimeWindow):
        yield parse_instant(declared.not_after), SinceWhat.DEADLINE
    for commit in changed_by:
        if commit.at is not None:
            yield _moment_of(commit.at), SinceWhat.CHANGE


# The same few commits stand behind many capsules.


@lru_cache(maxsize=MOST_COMMITS)
def _moment_of(commit_date: str) -> datetime:
    return parse_instant(commit_date)


@lru_cache(maxsize=MOST_COMMITS)
def _since(at: datetime, what: SinceWhat) -> Since:
    return Since(format_instant(at), what)


def _creation(capsule: Capsule) -> Iterator[tuple[datetime, SinceWhat]]:
    if capsule.created_at is not None:
        yield parse_instant(capsule.created_at), SinceWhat.CREATED
