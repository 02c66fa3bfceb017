"""Commit in, report out: asks git about all conditions at once and judges every capsule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ophiuchus import __version__
from ophiuchus.assess.continuity import continued_ids
from ophiuchus.assess.remarks import remarks
from ophiuchus.assess.validity import assess
from ophiuchus.assess.verdicts import RANK, VALIDITY_LIMIT, Assessment, ConditionVerdict, GlobVerdict
from ophiuchus.capsule.model import GitPaths
from ophiuchus.capsule.reading import condition_lines
from ophiuchus.capsule.shelf import Shelf, ShelvedCapsule
from ophiuchus.git.changes import look
from ophiuchus.git.findings import PathsFacts, PathsQuestion
from ophiuchus.git.scratch import Scratch
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

Facts = Mapping[str, PathsFacts]
"""What git found about one capsule, by the id of the condition."""


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
    fail_on: tuple[GateRule, ...] = (),
) -> Report:
    """The report on `capsules` of the target's tree.

    `problems` and `notices` are what reading them left; `continued` are the ids of capsules that are to gate
    nothing.
    """
    found_notices = list(notices)
    reports = []
    for shelved, facts in zip(capsules, _look_at_all(scratch, target, capsules), strict=True):
        assessment = assess(shelved.capsule, facts, target.now, shallow=target.shallow)
        found_notices += remarks(shelved.path, shelved.capsule, facts, assessment)
        reports.append(_capsule_report(shelved, assessment, shelved.capsule.capsule_id in continued))
    reports.sort(key=lambda report: (-RANK[report.validity.aggregate], report.path))
    return Report(
        tool=TOOL,
        evaluated=_evaluated(target),
        capsules=tuple(reports),
        problems=tuple(problems),
        notices=tuple(found_notices),
        totals=count(reports, problems=len(problems), notices=len(found_notices)),
        gate=judge_gate(reports, fail_on),
        limits=LIMITS,
    )


def continued_on(shelf: Shelf) -> frozenset[str]:
    """Ids of the capsules on the shelf that a newer one continues, among those with an id of their own."""
    return continued_ids(
        shelved.capsule for shelved in shelf.capsules if shelf.by_id(shelved.capsule.capsule_id) is not None
    )


def _look_at_all(scratch: Scratch, target: Target, capsules: Sequence[ShelvedCapsule]) -> Iterator[Facts]:
    """For each capsule what git found about its conditions. Git is asked once, about all of them."""
    conditions = [
        [condition for condition in shelved.capsule.validity if isinstance(condition, GitPaths)]
        for shelved in capsules
    ]
    questions = [
        PathsQuestion(condition.paths, shelved.capsule.base_of(condition), condition.anchors or {})
        for shelved, its_own in zip(capsules, conditions, strict=True)
        for condition in its_own
    ]
    answers = iter(look(scratch, target.tree, questions, head=target.head) if questions else ())
    for its_own in conditions:
        yield {condition.condition_id: next(answers) for condition in its_own}


def _evaluated(target: Target) -> Evaluated:
    return Evaluated(
        repository=target.repository,
        head=target.head,
        tree=target.tree,
        now=format_instant(target.now),
        shallow=target.shallow,
        merge=Merge(*target.parents) if len(target.parents) == 2 else None,
    )


def _capsule_report(shelved: ShelvedCapsule, assessment: Assessment, continued: bool) -> CapsuleReport:
    lines = condition_lines(shelved.data, shelved.capsule)
    return CapsuleReport(
        path=shelved.path,
        capsule_id=shelved.capsule.capsule_id,
        title=shelved.capsule.heading,
        continued=continued,
        expired=assessment.expired,
        needs_action=assessment.needs_action and not continued,
        validity=ValidityReport(
            assessment.aggregate, tuple(map(_condition_report, assessment.conditions, lines))
        ),
    )


def _condition_report(condition: ConditionVerdict, line: int | None) -> ConditionReport:
    return ConditionReport(
        condition_id=condition.condition_id,
        kind=condition.kind,
        required=condition.required,
        line=line,
        verdict=condition.verdict,
        method=condition.method,
        reason=condition.reason,
        remedy=condition.remedy,
        introduced=None,
        paths=tuple(map(_glob_report, condition.paths)),
    )


def _glob_report(glob: GlobVerdict) -> GlobReport:
    changed = tuple(PathChange(spell_path(one.path), one.change) for one in glob.changed)
    return GlobReport(glob.glob, glob.result, glob.reason, glob.changed_count, changed)
