"""The commits that changed what a condition watches, asked for all conditions at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ophiuchus.assess.verdicts import CHANGED, ConditionVerdict
from ophiuchus.capsule.model import Condition, GitPaths
from ophiuchus.git.log_walk import Drift, LoggedCommit, walk_back
from ophiuchus.git.scratch import Scratch
from ophiuchus.report.attribution import Judged

ChangedBy = tuple[LoggedCommit, ...]
Drifts = Sequence[Drift | None]
"""For each condition of a capsule what changed; None where it is not stale."""


def drifts_of(judged: Judged) -> Drifts:
    """What changed of one capsule."""
    conditions = zip(judged.shelved.capsule.validity, judged.assessment.conditions, strict=True)
    return [_drift(judged, condition, verdict) for condition, verdict in conditions]


def commits_behind(
    scratch: Scratch, tips: Sequence[str], drifts: Sequence[Drifts]
) -> Iterator[tuple[ChangedBy, ...]]:
    """For each capsule, for each of its conditions, the commits that changed it; none where it is not stale.

    `tips` are the judged commit, or those that it joins; empty where there is no commit.
    """
    asked = [drift for of_one in drifts for drift in of_one if drift is not None]
    found = iter(walk_back(scratch, tips, asked) if tips and asked else [()] * len(asked))
    for of_one in drifts:
        yield tuple([() if drift is None else next(found) for drift in of_one])


def _drift(one: Judged, condition: Condition, verdict: ConditionVerdict) -> Drift | None:
    """What is to be looked for behind one condition."""
    if not isinstance(condition, GitPaths) or verdict.verdict not in CHANGED:
        return None
    found = one.facts[condition.condition_id].globs
    paths = tuple([changed.path for fact in found if fact.base for changed in fact.base.changed])
    globs = tuple([glob.glob for glob in verdict.paths if glob.changed_count is None])
    return Drift(one.shelved.capsule.base_of(condition), paths, globs)
