"""Counts over a report, and the one word that stands for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from ophiuchus.assess.verdicts import RANK, Aggregate
from ophiuchus.report.model import CapsuleReport, Report, Totals
from ophiuchus.text.problem import NoticeCode


class NoVerdict(StrEnum):
    """What the action's output `verdict` says where no aggregate stands for the run (design §5)."""

    UNREADABLE = "unreadable"
    NONE = "none"


def count(capsules: Sequence[CapsuleReport], *, problems: int, notices: int) -> Totals:
    """The totals. Every aggregate is a key; what is continued counts in `capsules` and `continued` only."""
    live = [capsule for capsule in capsules if not capsule.continued]
    verdicts = Counter(capsule.validity.aggregate for capsule in live)
    return Totals(
        capsules=len(capsules),
        continued=len(capsules) - len(live),
        verdicts={aggregate: verdicts[aggregate] for aggregate in Aggregate},
        expired=sum(capsule.expired for capsule in live),
        revalidation_required=sum(bool(capsule.to_revalidate) for capsule in live),
        needs_action=sum(capsule.needs_action for capsule in live),
        problems=problems,
        notices=notices,
    )


def outcome(report: Report) -> Aggregate | NoVerdict:
    """The worst live aggregate; `unreadable` where there are problems, `none` where no capsule is live.

    Files that could not be read before this change either are no problems, but where nothing else is there,
    they are not nothing.
    """
    if report.problems:
        return NoVerdict.UNREADABLE
    live = [capsule.validity.aggregate for capsule in report.capsules if not capsule.continued]
    nothing = NoVerdict.UNREADABLE if not report.capsules and unread_before(report) else NoVerdict.NONE
    return max(live, key=RANK.__getitem__, default=nothing)


def unread_before(report: Report) -> int:
    """How many files could not be read, neither now nor before this change."""
    return len({notice.path for notice in report.notices if notice.code is NoticeCode.UNREADABLE_BEFORE})
