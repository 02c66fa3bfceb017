"""Since when a capsule does not hold any more, as far as that is known. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from ophiuchus.assess.verdicts import CHANGED, STALE_AGGREGATES, Assessment
from ophiuchus.capsule.model import Capsule, TimeWindow
from ophiuchus.git.log_walk import MOST_COMMITS, LoggedCommit
from ophiuchus.report.model import Since, SinceWhat
from ophiuchus.text.instant import format_instant, parse_instant


def stale_since(
    capsule: Capsule, assessment: Assessment, commits: Sequence[Sequence[LoggedCommit]], now: datetime
) -> Since | None:
    """The earliest moment that is known: an expiry, a deadline, a change; else when it was written, or None.

    `commits` has for each condition those that changed it. A moment after `now` dates nothing.
    """
    if not assessment.expired and assessment.aggregate not in STALE_AGGREGATES:
        return None
    passed = [moment for moment in _moments(capsule, assessment, commits) if moment[0] <= now]
    if not passed and capsule.created_at is not None:
        written = parse_instant(capsule.created_at)
        return _since(written, SinceWhat.CREATED) if written <= now else None
    return _since(*min(passed)) if passed else None


def _moments(
    capsule: Capsule, assessment: Assessment, commits: Sequence[Sequence[LoggedCommit]]
) -> Iterator[tuple[datetime, SinceWhat]]:
    if assessment.expired and capsule.expires_at is not None:
        yield parse_instant(capsule.expires_at), SinceWhat.EXPIRY
    for declared, judged, changed_by in zip(capsule.validity, assessment.conditions, commits, strict=True):
        if judged.required and judged.verdict in CHANGED:
            if isinstance(declared, TimeWindow):
                yield parse_instant(declared.not_after), SinceWhat.DEADLINE
            for commit in changed_by:
                if commit.at is not None:
                    yield _moment_of(commit.at), SinceWhat.CHANGE


# Remembered, for the same few commits stand behind many capsules.
@lru_cache(maxsize=MOST_COMMITS)
def _moment_of(commit_date: str) -> datetime:
    return parse_instant(commit_date)


@lru_cache(maxsize=MOST_COMMITS)
def _since(at: datetime, what: SinceWhat) -> Since:
    return Since(format_instant(at), what)
