"""Since when a capsule does not hold any more."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from ophiuchus.assess.validity import aggregate_of, has_expired
from ophiuchus.assess.verdicts import Assessment, ConditionVerdict, Verdict
from ophiuchus.capsule.model import parse_capsule
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.age import stale_since
from ophiuchus.report.model import Since, SinceWhat

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
MARCH, APRIL, MAY = (f"2026-0{month}-01T00:00:00Z" for month in (3, 4, 5))
LATER = "2026-09-01T00:00:00Z"

DEADLINE = {"kind": "time_window", "not_after": APRIL}
PATHS = {"kind": "git_paths", "paths": ["src/**"]}


def since(
    *conditions: Mapping[str, Any],
    verdict: Verdict = Verdict.STALE,
    changed: Mapping[int, tuple[str | None, ...]] | None = None,
    **fields: Any,
) -> Since | None:
    """Of a capsule with these conditions, all of the one verdict, the commits of each made at `changed`."""
    declared = [{"condition_id": str(number), **one} for number, one in enumerate(conditions)]
    capsule = parse_capsule(
        {"capsule_id": "c", "goal": "g", "state": "s", "next_action": "n", "validity": declared, **fields}
    )
    judged = [
        ConditionVerdict(one.condition_id, one.kind, one.required, verdict, "r") for one in capsule.validity
    ]
    assessment = Assessment(aggregate_of(judged), tuple(judged), has_expired(capsule, NOW))
    commits = [
        tuple(LoggedCommit("1" * 40, "s", at) for at in (changed or {}).get(number, ()))
        for number in range(len(judged))
    ]
    return stale_since(capsule, assessment, commits, NOW)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (since(DEADLINE), Since(APRIL, SinceWhat.DEADLINE)),
        (since(PATHS, changed={0: (MAY, MARCH)}), Since(MARCH, SinceWhat.CHANGE)),
        (since(DEADLINE, PATHS, changed={1: (MAY,)}), Since(APRIL, SinceWhat.DEADLINE)),
        (since(expires_at=MARCH), Since(MARCH, SinceWhat.EXPIRY)),
        (since(DEADLINE, expires_at="2026-03-01T01:00:00+01:00"), Since(MARCH, SinceWhat.EXPIRY)),
        (since(PATHS, created_at=MARCH), Since(MARCH, SinceWhat.CREATED)),
        (since(PATHS, created_at=MARCH, changed={0: (MAY,)}), Since(MAY, SinceWhat.CHANGE)),
        (since(PATHS, verdict=Verdict.PARTIALLY_STALE, created_at=MAY), Since(MAY, SinceWhat.CREATED)),
    ],
)
def test_the_earliest_known_moment_counts_and_the_capsules_own_date_only_without_one(
    found: Since | None, expected: Since
) -> None:
    assert found == expected


@pytest.mark.parametrize(
    "found",
    [
        since(PATHS),
        since(DEADLINE, verdict=Verdict.VALID, created_at=MARCH),
        since(PATHS, verdict=Verdict.UNVERIFIABLE, created_at=MARCH),
        since({**DEADLINE, "required": False}, created_at=MARCH),
        since(created_at=MARCH),
        since(PATHS, changed={0: (None,)}),
    ],
)
def test_what_is_not_stale_or_not_known_has_no_moment(found: Since | None) -> None:
    assert found is None


def test_a_moment_that_has_not_come_dates_nothing() -> None:
    assert since(PATHS, changed={0: (LATER,)}, created_at=MARCH) == Since(MARCH, SinceWhat.CREATED)
    assert since(PATHS, changed={0: (LATER, MAY)}) == Since(MAY, SinceWhat.CHANGE)
    assert since(PATHS, created_at=LATER) is None


def test_what_is_not_required_dates_nothing() -> None:
    assert since({**DEADLINE, "required": False}, PATHS, changed={1: (MAY,)}) == Since(MAY, SinceWhat.CHANGE)
