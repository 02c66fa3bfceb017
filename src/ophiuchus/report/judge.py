"""Commit in, report out: asks git about all conditions at once and judges every capsule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ophiuchus import __version__
from ophiuchus.assess.remarks import remarks
from ophiuchus.assess.validity import assess
from ophiuchus.assess.verdicts import RANK, VALIDITY_LIMIT, ConditionVerdict, GlobVerdict
from ophiuchus.capsule.reading import condition_lines
from ophiuchus.capsule.shelf import ShelvedCapsule
from ophiuchus.git.scratch import Scratch
from ophiuchus.report.asking import ask, git_paths_of
from ophiuchus.report.attribution import (
    Attributed,
    Attribution,
    Judged,
    attribute,
    set_apart,
    unattributed,
)
from ophiuchus.report.base import Base
from ophiuchus.report.gate import judge_gate
from ophiuchus.report.model import (
    CapsuleReport,
    ConditionReport,
    Evaluated,
    GateRule,
    GlobReport,
    Merge,
    PathChange,
    Report,
    Tool,
    ValidityReport,
)
from ophiuchus.report.totals import count
from ophiuchus.text.clean import spell_path
from ophiuchus.text.instant import format_instant
from ophiuchus.text.problem import Notice, Problem

TOOL = Tool("ophiuchus-action", __version__)
LIMITS = {"validity": VALIDITY_LIMIT}


@dataclass(frozen=True, slots=True)
class Target:
    """The tree that is judged, and `now`. `head` is its commit with its `parents`, None for an index.

    `shallow` says whether history is missing, `repository` is `owner/name` where the environment knows it.
    """

    tree: str
    head: str | None
    parents: tuple[str, ...]
    now: datetime
    shallow: bool
    repository: str | None = None


def judge(
    scratch: Scratch,
    target: Target,
    capsules: Sequence[ShelvedCapsule],
    *,
    problems: Sequence[Problem] = (),
    notices: Sequence[Notice] = (),
    continued: frozenset[str] = frozenset(),
    base: Base | None = None,
    fail_on: tuple[GateRule, ...] = (),
) -> Report:
    """The report on `capsules` of the target's tree.

    `problems` and `notices` are what reading them left; `continued` are the ids of capsules that are to gate
    nothing; `base` is what the change is compared with, where that is known.
    """
    judged = _judge_all(scratch, target, capsules)
    attribution = _attribute(scratch, target, base, judged, problems)
    found_notices = list(notices)
    for one in judged:
        found_notices += remarks(one.shelved.path, one.shelved.capsule, one.facts, one.assessment)
    if base is not None:
        problems, of_before = set_apart(problems, capsules, base)
        found_notices += of_before
    reports = [
        _capsule_report(one, attributed, one.shelved.capsule.capsule_id in continued)
        for one, attributed in zip(judged, attribution.capsules, strict=True)
    ]
    reports.sort(key=lambda report: (-RANK[report.validity.aggregate], report.path))
    return Report(
        tool=TOOL,
        evaluated=_evaluated(target, base),
        capsules=tuple(reports),
        removed=attribution.removed,
        problems=tuple(problems),
        notices=tuple(found_notices),
        totals=count(reports, problems=len(problems), notices=len(found_notices)),
        gate=judge_gate(reports, fail_on, attribution.removed),
        limits=LIMITS,
    )


def _judge_all(scratch: Scratch, target: Target, capsules: Sequence[ShelvedCapsule]) -> list[Judged]:
    """Each capsule as it is on the judged tree. Git is asked once, about all of them."""
    asked = [(shelved.capsule, git_paths_of(shelved.capsule)) for shelved in capsules]
    found = ask(scratch, target.tree, asked, head=target.head)
    return [
        Judged(shelved, facts, assess(shelved.capsule, facts, target.now, shallow=target.shallow))
        for shelved, facts in zip(capsules, found, strict=True)
    ]


def _attribute(
    scratch: Scratch,
    target: Target,
    base: Base | None,
    judged: Sequence[Judged],
    problems: Sequence[Problem],
) -> Attribution:
    if base is None:
        return unattributed(judged)
    return attribute(scratch, base, judged, problems, target.now, shallow=target.shallow)


def _evaluated(target: Target, base: Base | None) -> Evaluated:
    return Evaluated(
        repository=target.repository,
        head=target.head,
        tree=target.tree,
        now=format_instant(target.now),
        base=base.commit if base else None,
        shallow=target.shallow,
        merge=Merge(*target.parents) if len(target.parents) == 2 else None,
    )


def _capsule_report(judged: Judged, attributed: Attributed, continued: bool) -> CapsuleReport:
    shelved, assessment = judged.shelved, judged.assessment
    lines = condition_lines(shelved.data, shelved.capsule)
    return CapsuleReport(
        path=shelved.path,
        capsule_id=shelved.capsule.capsule_id,
        title=shelved.capsule.heading,
        continued=continued,
        expired=assessment.expired,
        needs_action=assessment.needs_action and not continued,
        validity=ValidityReport(
            assessment.aggregate,
            tuple(map(_condition_report, assessment.conditions, lines, attributed.conditions)),
        ),
        before=attributed.before,
        introduced=attributed.introduced,
        new=attributed.new,
        redeclared=attributed.redeclared,
    )


def _condition_report(
    condition: ConditionVerdict, line: int | None, introduced: bool | None
) -> ConditionReport:
    return ConditionReport(
        condition_id=condition.condition_id,
        kind=condition.kind,
        required=condition.required,
        line=line,
        verdict=condition.verdict,
        method=condition.method,
        reason=condition.reason,
        remedy=condition.remedy,
        introduced=introduced,
        paths=tuple(map(_glob_report, condition.paths)),
    )


def _glob_report(glob: GlobVerdict) -> GlobReport:
    changed = tuple(PathChange(spell_path(one.path), one.change) for one in glob.changed)
    return GlobReport(glob.glob, glob.result, glob.reason, glob.changed_count, changed)
