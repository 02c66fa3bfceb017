"""Commit in, report out: asks git about all conditions at once and judges every capsule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ophiuchus import __version__
from ophiuchus.assess.continuity import CONTINUITY_LIMIT, Lineage
from ophiuchus.assess.fidelity import FIDELITY_LIMIT
from ophiuchus.assess.negative_knowledge import NEGATIVE_KNOWLEDGE_LIMIT, judge_negative_knowledge
from ophiuchus.assess.remarks import remarks, to_revalidate
from ophiuchus.assess.validity import assess
from ophiuchus.assess.verdicts import CHANGED, VALIDITY_LIMIT, ConditionVerdict
from ophiuchus.capsule.shelf import ShelvedCapsule
from ophiuchus.git.fetch import Fetcher
from ophiuchus.git.scratch import Scratch
from ophiuchus.report.age import stale_since
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
from ophiuchus.report.commits import ChangedBy, commits_behind, drifts_of
from ophiuchus.report.gate import judge_gate
from ophiuchus.report.model import (
    CapsuleReport,
    ConditionReport,
    Evaluated,
    GateRule,
    Merge,
    Report,
    Tool,
    ValidityReport,
)
from ophiuchus.report.totals import count
from ophiuchus.text.instant import format_exactly
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode

TOOL = Tool("ophiuchus-action", __version__)
LIMITS = {
    "validity": VALIDITY_LIMIT,
    "fidelity": FIDELITY_LIMIT,
    "negative_knowledge": NEGATIVE_KNOWLEDGE_LIMIT,
    "continuity": CONTINUITY_LIMIT,
}
"""What the verdicts of each track are not."""

_REFRESH = (
    "read it against what changed: if it still holds, `ophiuchus capture --refresh {}`{}; else correct it"
)
"""What to do about a capsule whose files changed, by its id, in which nothing needs quoting."""
_STAGED = " (with `--index` where the change is only staged)"
"""What is added where the index is judged: one of the last commit would be stale with the next one."""
_RENAME = "give it a capsule_id that no other has and commit that; then read it against what changed"
"""The same where others have its id, so that it names none of them."""


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
    lineage: Lineage | None = None,
    base: Base | None = None,
    fetcher: Fetcher | None = None,
    fail_on: tuple[GateRule, ...] = (),
) -> Report:
    """The report on `capsules` of the target's tree; parents are looked for in `lineage`, if given.

    `problems` and `notices` are what reading them left; `continued` are the ids of capsules that are to gate
    nothing; `base` is what the change is compared with, where that is known; `fetcher` gets the capsules'
    own bases that are missing.
    """
    judged, drifts = [], []
    found_notices = list(notices)
    for one in _judge_all(scratch, target, capsules, fetcher):
        judged.append(one)
        drifts.append(drifts_of(one))
        found_notices += remarks(one.shelved.path, one.shelved.capsule, one.facts, one.assessment)
    attribution = _attribute(scratch, target, base, judged, problems)
    sharing_id = {problem.path for problem in problems if problem.code is ProblemCode.DUPLICATE_ID}
    if base is not None:
        problems, of_before = set_apart(problems, capsules, base)
        found_notices += of_before
    lineage = lineage or Lineage(shelved.capsule for shelved in capsules)
    behind = commits_behind(scratch, _tips(target, base), drifts)
    reports = [
        _capsule_report(
            one,
            attributed,
            commits,
            lineage,
            continued=one.shelved.capsule.capsule_id in continued,
            shares_id=one.shelved.path in sharing_id,
            target=target,
        )
        for one, attributed, commits in zip(judged, attribution.capsules, behind, strict=True)
    ]
    for report in reports:
        if not report.continued:
            found_notices += to_revalidate(report.path, report.to_revalidate)
    reports.sort(key=lambda report: report.order)
    return Report(
        tool=TOOL,
        evaluated=_evaluated(target, base, fetcher),
        capsules=tuple(reports),
        removed=attribution.removed,
        problems=tuple(problems),
        notices=tuple(found_notices),
        totals=count(reports, problems=len(problems), notices=len(found_notices)),
        gate=judge_gate(
            reports,
            fail_on,
            attribution.removed,
            base_unknown=any(notice.code is NoticeCode.BASE_UNKNOWN for notice in found_notices),
        ),
        limits=LIMITS,
    )


def _judge_all(
    scratch: Scratch, target: Target, capsules: Sequence[ShelvedCapsule], fetcher: Fetcher | None
) -> Iterator[Judged]:
    """Each capsule as it is on the judged tree. Git is asked once, about all of them."""
    asked = [(shelved.capsule, git_paths_of(shelved.capsule)) for shelved in capsules]
    found = ask(scratch, target.tree, asked, head=target.head, fetch=fetcher)
    for shelved, facts in zip(capsules, found, strict=True):
        yield Judged(shelved, facts, assess(shelved.capsule, facts, target.now, shallow=target.shallow))


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


def _evaluated(target: Target, base: Base | None, fetcher: Fetcher | None) -> Evaluated:
    return Evaluated(
        repository=target.repository,
        head=target.head,
        tree=target.tree,
        now=format_exactly(target.now),
        base=base.commit if base else None,
        shallow=target.shallow,
        fetched=fetcher.fetched if fetcher else 0,
        merge=Merge(*target.parents) if len(target.parents) == 2 else None,
    )


def _tips(target: Target, base: Base | None) -> tuple[str, ...]:
    """Where the log begins. The try of a pull request's merge is nobody's commit: its two sides are."""
    if target.head is None:
        return ()
    if base is not None and len(target.parents) == 2 and base.commit == target.parents[0]:
        return target.parents
    return (target.head,)


def _capsule_report(
    judged: Judged,
    attributed: Attributed,
    commits: Sequence[ChangedBy],
    lineage: Lineage,
    *,
    continued: bool,
    shares_id: bool,
    target: Target,
) -> CapsuleReport:
    shelved, assessment = judged.shelved, judged.assessment
    how = _STAGED if target.head is None else ""
    refresh = _RENAME if shares_id else _REFRESH.format(shelved.capsule.capsule_id, how)
    return CapsuleReport(
        path=shelved.path,
        capsule_id=shelved.capsule.capsule_id,
        title=shelved.capsule.heading,
        continued=continued,
        expired=assessment.expired,
        needs_action=assessment.needs_action and not continued,
        validity=ValidityReport(
            assessment.aggregate,
            tuple(
                # What a newer one continues is not the one to refresh.
                _condition_report(condition, line, introduced, changed_by, None if continued else refresh)
                for condition, line, introduced, changed_by in zip(
                    assessment.conditions, shelved.lines, attributed.conditions, commits, strict=True
                )
            ),
        ),
        negative_knowledge=judge_negative_knowledge(shelved.capsule, assessment.conditions),
        continuity=lineage.continuity(shelved.capsule),
        before=attributed.before,
        introduced=attributed.introduced,
        new=attributed.new,
        redeclared=attributed.redeclared,
        stale_since=stale_since(shelved.capsule, assessment, commits, target.now),
    )


def _condition_report(
    condition: ConditionVerdict,
    line: int | None,
    introduced: bool | None,
    changed_by: ChangedBy,
    refresh: str | None,
) -> ConditionReport:
    is_stale = condition.verdict in CHANGED
    return ConditionReport(
        condition_id=condition.condition_id,
        kind=condition.kind,
        required=condition.required,
        line=line,
        verdict=condition.verdict,
        method=condition.method,
        reason=condition.reason,
        remedy=refresh if is_stale and condition.paths else condition.remedy,
        introduced=introduced,
        paths=condition.paths,
        changed_by=changed_by,
    )
