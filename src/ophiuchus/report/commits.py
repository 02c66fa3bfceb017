"""The commits that changed what a condition watches, asked for all conditions at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ophiuchus.assess.verdicts import ConditionVerdict, GlobResult, Verdict
from ophiuchus.capsule.model import Capsule, Condition, GitPaths
from ophiuchus.git.log_walk import Drift, walk_back
from ophiuchus.git.scratch import Scratch
from ophiuchus.report.attribution import Judged
from ophiuchus.report.model import CommitReport

ChangedBy = tuple[CommitReport, ...]


def commits_behind(
    scratch: Scratch, tips: Sequence[str], judged: Sequence[Judged]
) -> Iterator[tuple[ChangedBy, ...]]:
    """For each capsule, for each of its conditions, the commits that changed it; none where it is not stale.

    `tips` are the judged commit, or those that it joins; empty where there is no commit.
    """
    drifts = [
        _drift(one.shelved.capsule, condition, verdict)
        for one in judged
        for condition, verdict in zip(one.shelved.capsule.validity, one.assessment.conditions, strict=True)
    ]
    asked = [drift for drift in drifts if drift is not None]
    found = iter(walk_back(scratch, tips, asked) if tips and asked else [()] * len(asked))
    answers = iter(
        tuple(CommitReport(commit.id, commit.subject) for commit in next(found)) if drift else ()
        for drift in drifts
    )
    for one in judged:
        yield tuple(next(answers) for _ in one.assessment.conditions)


def _drift(capsule: Capsule, condition: Condition, verdict: ConditionVerdict) -> Drift | None:
    """What is to be looked for behind one condition."""
    if not isinstance(condition, GitPaths) or verdict.verdict not in (Verdict.STALE, Verdict.PARTIALLY_STALE):
        return None
    changed = [glob for glob in verdict.paths if glob.result is GlobResult.CHANGED]
    return Drift(
        base=capsule.base_of(condition),
        paths=tuple(dict.fromkeys(one.path for glob in changed for one in glob.changed)),
        globs=tuple(glob.glob for glob in changed if glob.changed_count is None),
    )
