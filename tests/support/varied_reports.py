"""Reports of many capsules that differ in everything a page tells, the same ones every time."""

from __future__ import annotations

from typing import Any

import built_reports
from built_reports import capsule, condition, glob

from ophiuchus.assess.continuity import Continuity, ContinuityStatus, CountDelta, Delta, IdDelta
from ophiuchus.assess.fidelity import Consumer, FidelityVerdict, UnitVerdict
from ophiuchus.assess.negative_knowledge import ItemVerdict, Standing
from ophiuchus.assess.verdicts import RANK, Aggregate, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.model import CapsuleReport, FidelityReport, Report, Since, SinceWhat

TOPICS = ("billing", "session-keys", "search-index", "checkout", "interface", "retries", "schema", "import")
COMMIT = LoggedCommit("5c84d403e7" * 4, "Keep cents whole; give read() a default", "2026-11-02T10:00:00Z")
_VERDICTS = (Verdict.STALE, Verdict.VALID, Verdict.PARTIALLY_STALE, Verdict.UNVERIFIABLE, Verdict.VALID)
_NO_IDS, _NO_COUNTS = IdDelta((), (), ()), CountDelta(0, 0, 0)
_DELTA = Delta(
    critical=IdDelta(("u-1",), (), ()),
    validity=IdDelta(("until",), ("code",), ()),
    negative_knowledge=_NO_IDS,
    evidence=CountDelta(2, 1, 0),
    rejected=_NO_COUNTS,
    constraints=_NO_COUNTS,
    open_questions=CountDelta(0, 2, 1),
    resolved=("u-1",),
    transitions=(),
)


def varied_report(number: int, *, repositories: int = 1, **evaluated: Any) -> Report:
    """A report of `number` capsules of so many repositories, the worst first, as every report has them."""
    capsules = [_capsule(place, repositories) for place in range(number)]
    capsules.sort(key=lambda one: (-RANK[one.validity.aggregate], one.path))
    return built_reports.report(*capsules, **evaluated)


def name_of(place: int) -> str:
    return f"{TOPICS[place % len(TOPICS)]}-{place:04}"


def _capsule(place: int, repositories: int) -> CapsuleReport:
    topic = TOPICS[place % len(TOPICS)]
    verdict = _VERDICTS[place % len(_VERDICTS)]
    is_stale = verdict in (Verdict.STALE, Verdict.PARTIALLY_STALE)
    continued = place % 10 == 5
    changed = {f"src/{topic}/part_{part}.py": Change.CONTENT for part in range(place % 4 + 1)}
    conditions = (
        condition(
            verdict,
            glob(f"src/{topic}/**", changed if is_stale else None),
            glob("docs/*.md"),
            condition_id=f"{topic}-code",
            reason=_reason(verdict),
            remedy="check out with `fetch-depth: 0`" if verdict is Verdict.UNVERIFIABLE else None,
            changed_by=(COMMIT,) if is_stale else (),
        ),
        condition(Verdict.VALID, condition_id="until", kind="time_window", reason="the deadline is ahead"),
    )
    return capsule(
        name_of(place),
        Aggregate(verdict.value),
        *conditions,
        title=f"Bring {topic.replace('-', ' ')} to an end, step {place}",
        continued=continued,
        needs_action=verdict is not Verdict.VALID and not continued,
        fidelity=_FIDELITY if place % 2 else (),
        negative_knowledge=_ruled_out(is_stale) if place % 4 == 0 else (),
        continuity=_continuity(place),
        stale_since=_since(place) if is_stale else None,
        repository=f"octo/{TOPICS[place % repositories]}" if repositories > 1 else None,
    )


_FIDELITY = (
    FidelityReport(
        Consumer.SUMMARY,
        1,
        (UnitVerdict("u-state", "state", FidelityVerdict.UNSUPPORTED, "no place for it"),),
    ),
)


def _reason(verdict: Verdict) -> str:
    return {
        Verdict.VALID: "same content as at base_commit 8d0c1e22a9f3",
        Verdict.UNVERIFIABLE: "base_commit 5ca1ab1e5ca1: commit not in this clone",
    }.get(verdict, "1 of 2 globs differs from base_commit 8d0c1e22a9f3")


def _ruled_out(is_stale: bool) -> tuple[ItemVerdict, ...]:
    standing = Standing.REVALIDATION_REQUIRED if is_stale else Standing.STILL_APPLICABLE
    return (ItemVerdict("shortcut", "rejected", standing, "ruled out while “code” held"),)


def _continuity(place: int) -> Continuity:
    if place % 10 != 6:
        return Continuity(ContinuityStatus.NONE)
    return Continuity(ContinuityStatus.COMPARED, name_of(place - 1), 1, _DELTA)


def _since(place: int) -> Since | None:
    """One of every four is of no known age."""
    whats = (SinceWhat.CHANGE, SinceWhat.DEADLINE, None, SinceWhat.CREATED)
    what = whats[place // 2 % len(whats)]
    return None if what is None else Since(f"2026-{place % 10 + 1:02}-02T10:00:00Z", what)
