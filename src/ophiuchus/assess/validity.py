"""The validity track: what each declared condition comes to, and the capsule as a whole (design §4). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Protocol

from ophiuchus.assess.git_paths import judge_paths
from ophiuchus.assess.verdicts import Aggregate, Assessment, ConditionVerdict, Verdict
from ophiuchus.capsule.model import Capsule, Condition, DeclaredScope, GitPaths, TimeWindow
from ophiuchus.git.findings import PathsFacts
from ophiuchus.text.instant import NotAnInstant, format_exactly, parse_instant
from ophiuchus.text.wording import quoted


class Required(Protocol):
    """What of a judged condition counts for the whole: its verdict, and whether it is required."""

    @property
    def required(self) -> bool:
        """Whether the capsule depends on it."""

    @property
    def verdict(self) -> Verdict:
        """What it came to."""


def assess(
    capsule: Capsule, facts: Mapping[str, PathsFacts], now: datetime, *, shallow: bool = False
) -> Assessment:
    """What holds of `capsule` at `now` (with an offset).

    `facts` has, for the id of every git_paths condition, what git found; `shallow` says whether the judged
    clone lacks history.
    """
    conditions = tuple(
        judge_paths(condition, capsule.base_of(condition), facts[condition.condition_id], shallow=shallow)
        if isinstance(condition, GitPaths)
        else _judge_without_git(condition, now)
        for condition in capsule.validity
    )
    return Assessment(aggregate_of(conditions), conditions, has_expired(capsule, now))


def aggregate_of(conditions: Iterable[Required]) -> Aggregate:
    """The verdict over the required conditions.

    What is known to be bad stays loud: stale beside unverifiable is partially_stale, never unverifiable
    (first seed; case C032). No required condition at all is its own word.
    """
    verdicts = {condition.verdict for condition in conditions if condition.required}
    if not verdicts:
        return Aggregate.NOT_DECLARED
    if Verdict.STALE in verdicts:
        return Aggregate.PARTIALLY_STALE if Verdict.UNVERIFIABLE in verdicts else Aggregate.STALE
    if Verdict.PARTIALLY_STALE in verdicts:
        return Aggregate.PARTIALLY_STALE
    if Verdict.UNVERIFIABLE in verdicts:
        return Aggregate.UNVERIFIABLE
    return Aggregate.VALID


def has_expired(capsule: Capsule, now: datetime) -> bool:
    """Whether the capsule's own TTL is over at `now`; a different thing from its conditions."""
    return capsule.expires_at is not None and parse_instant(capsule.expires_at) <= now


def _judge_without_git(condition: Condition, now: datetime) -> ConditionVerdict:
    if isinstance(condition, TimeWindow):
        verdict, reason, remedy = _judge_deadline(condition.not_after, now)
    elif isinstance(condition, DeclaredScope):
        verdict, remedy = Verdict.UNVERIFIABLE, None
        reason = "a scope in the sender's words, which nothing can check"
    else:
        verdict, remedy = Verdict.UNVERIFIABLE, None
        reason = f"conditions of kind {quoted(condition.kind)} are not known to this version"
    return ConditionVerdict(
        condition.condition_id, condition.kind, condition.required, verdict, reason, remedy
    )


def _judge_deadline(not_after: str, now: datetime) -> tuple[Verdict, str, str | None]:
    """A deadline holds while `now` is before it; text that is no moment is never "not passed" (case C011)."""
    try:
        deadline = parse_instant(not_after)
    except NotAnInstant as error:
        return (
            Verdict.UNVERIFIABLE,
            f"not_after {quoted(not_after)} {error}",
            "write it as RFC 3339, such as 2026-07-01T12:00:00Z",
        )
    if now < deadline:
        return Verdict.VALID, f"the deadline {format_exactly(deadline)} has not passed", None
    return Verdict.STALE, f"the deadline {format_exactly(deadline)} has passed", None
