"""Attribution: what this change, and not an older one, did to the capsules (design §4).

The capsules are judged at the base as they are declared now, with the same `now`. A condition whose globs
select the same entries in both trees has the same verdict in both, so only the others are judged again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ophiuchus.assess.validity import assess
from ophiuchus.assess.verdicts import RANK, Aggregate, Assessment, ConditionVerdict, GlobResult
from ophiuchus.capsule.model import MAX_ITEMS, Capsule, GitPaths
from ophiuchus.capsule.shelf import ShelvedCapsule
from ophiuchus.git.scratch import Scratch
from ophiuchus.report.asking import Facts, ask, git_paths_of
from ophiuchus.report.base import Base
from ophiuchus.report.model import RemovedCapsule
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode


class Judged(NamedTuple):
    """One capsule of the judged tree, what git found about it there, and what that came to."""

    shelved: ShelvedCapsule
    facts: Facts
    assessment: Assessment


class Attributed(NamedTuple):
    """What this change did to one capsule; `conditions` in the capsule's order. All None without a base."""

    before: Aggregate | None
    introduced: bool | None
    new: bool | None
    redeclared: bool | None
    conditions: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class Attribution:
    """What this change did to each judged capsule, in their order, and which ones it took away."""

    capsules: tuple[Attributed, ...]
    removed: tuple[RemovedCapsule, ...] = ()


def unattributed(judged: Sequence[Judged]) -> Attribution:
    """What is said where no base is known."""
    # One for each number of conditions, which all capsules with as many share.
    of_many = [Attributed(None, None, None, None, (None,) * number) for number in range(MAX_ITEMS + 1)]
    return Attribution(tuple([of_many[len(one.assessment.conditions)] for one in judged]))


def attribute(
    scratch: Scratch,
    base: Base,
    judged: Sequence[Judged],
    problems: Sequence[Problem],
    now: datetime,
    *,
    shallow: bool,
) -> Attribution:
    """What happened between `base` and the judged tree. `judged` are all capsules that are readable there.

    `problems` are the judged tree's: a file with one is not taken for removed. Git is asked once, at the
    base, about the conditions that this change touched and about those of removed capsules.
    """
    removed = _removed(base, judged, problems)
    answers = list(
        ask(
            scratch,
            base.tree,
            [
                *_touched(base, judged),
                *((shelved.capsule, git_paths_of(shelved.capsule)) for shelved in removed),
            ],
        )
    )
    before = [
        _before(base, one, facts, now, shallow=shallow)
        for one, facts in zip(judged, answers, strict=False)  # the rest is about removed ones
    ]
    gone = [
        assess(shelved.capsule, facts, now, shallow=shallow)
        for shelved, facts in zip(removed, answers[len(judged) :], strict=True)
    ]
    worrying = _worrying(base, judged, before, removed, gone)
    return Attribution(
        capsules=tuple(
            _attributed(base, one, then, worrying) for one, then in zip(judged, before, strict=True)
        ),
        removed=tuple(
            RemovedCapsule(
                path=shelved.path,
                capsule_id=shelved.capsule.capsule_id,
                before=then.aggregate,
                continued=shelved.capsule.capsule_id in base.continued,
            )
            for shelved, then in zip(removed, gone, strict=True)
        ),
    )


def is_introduced(before: ConditionVerdict, now: ConditionVerdict) -> bool:
    """Whether a condition became worse: its verdict did, or one more of its globs is changed."""
    return RANK[now.verdict] > RANK[before.verdict] or not _changed(now) <= _changed(before)


def promise(capsule: Capsule) -> tuple[Any, ...]:
    """What the capsule says will hold, in a form that can be compared; notes are no part of it."""
    conditions: dict[str, Mapping[str, Any]] = {}
    for condition in capsule.validity:
        declared = condition.model_dump(exclude={"note"})
        if isinstance(condition, GitPaths):
            declared["base_commit"] = capsule.base_of(condition)
        conditions[condition.condition_id] = declared
    return capsule.expires_at, conditions


def set_apart(
    problems: Sequence[Problem], capsules: Sequence[ShelvedCapsule], base: Base
) -> tuple[list[Problem], list[Notice]]:
    """The problems that this change brought, and notices about those that were there before (design §4).

    What does not lie in the file itself stays a problem: objects that are missing in this clone, capsules
    that are too many.
    """
    bad_before = {
        problem.path
        for problem in problems
        if problem.path not in base.paths and problem.code not in _NOT_OF_THE_FILE
    }
    bad_before |= {
        shelved.path
        for shelved in capsules
        if shelved.path not in base.paths and len(base.shelf.all_with_id(shelved.capsule.capsule_id)) > 1
    }
    notices = [
        Notice(
            problem.path,
            NoticeCode.UNREADABLE_BEFORE,
            f"{problem.place()}: {problem.message} (it was so before this change)",
        )
        for problem in problems
        if problem.path in bad_before
    ]
    return [problem for problem in problems if problem.path not in bad_before], notices


_NOT_OF_THE_FILE = (ProblemCode.DUPLICATE_ID, ProblemCode.UNREADABLE, ProblemCode.TOO_MANY)


def _is_new(base: Base, shelved: ShelvedCapsule) -> bool:
    """Whether the base has no capsule of this id: a file that was moved or renamed holds no new one."""
    return not base.shelf.all_with_id(shelved.capsule.capsule_id)


def _removed(base: Base, judged: Sequence[Judged], problems: Sequence[Problem]) -> Sequence[ShelvedCapsule]:
    """The base's capsules whose id nobody has any more; not those whose file cannot be read now."""
    kept = {one.shelved.capsule.capsule_id.casefold() for one in judged}
    broken = {problem.path for problem in problems}
    return [
        shelved
        for shelved in base.shelf.capsules
        if shelved.capsule.capsule_id.casefold() not in kept and shelved.path not in broken
    ]


def _touched(base: Base, judged: Sequence[Judged]) -> list[tuple[Capsule, list[GitPaths]]]:
    """Of each capsule the conditions that are to be judged again."""
    required = [
        (
            one.shelved.capsule,
            []
            if _is_new(base, one.shelved)
            else [condition for condition in git_paths_of(one.shelved.capsule) if condition.required],
        )
        for one in judged
    ]
    globs = base.touched.among(
        glob for _, conditions in required for condition in conditions for glob in condition.paths
    )
    return [
        (capsule, [condition for condition in conditions if not globs.isdisjoint(condition.paths)])
        for capsule, conditions in required
    ]


def _before(base: Base, one: Judged, facts: Facts, now: datetime, *, shallow: bool) -> Assessment | None:
    """The capsule as it is declared now, judged at the base; None where it is new."""
    if _is_new(base, one.shelved):
        return None
    if not facts:
        return one.assessment
    return assess(one.shelved.capsule, {**one.facts, **facts}, now, shallow=shallow)


def _worrying(
    base: Base,
    judged: Sequence[Judged],
    before: Sequence[Assessment | None],
    removed: Sequence[ShelvedCapsule],
    gone: Sequence[Assessment],
) -> frozenset[str]:
    """Ids, in one case, of the base's capsules that needed action, there or now, and were to be heard."""
    continued = {capsule_id.casefold() for capsule_id in base.continued}
    needing = {
        one.shelved.capsule.capsule_id.casefold()
        for one, then in zip(judged, before, strict=True)
        if then is not None and (then.needs_action or one.assessment.needs_action)
    }
    needing |= {
        shelved.capsule.capsule_id.casefold()
        for shelved, then in zip(removed, gone, strict=True)
        if then.needs_action
    }
    return frozenset(needing - continued)


def _attributed(base: Base, one: Judged, then: Assessment | None, worrying: AbstractSet[str]) -> Attributed:
    now = one.assessment
    before = now if then is None else then
    conditions = tuple(
        is_introduced(earlier, condition) if condition.required else None
        for earlier, condition in zip(before.conditions, now.conditions, strict=True)
    )
    return Attributed(
        before=None if then is None else then.aggregate,
        introduced=True in conditions,
        new=then is None,
        redeclared=_is_redeclared(base, one.shelved, worrying),
        conditions=conditions,
    )


def _is_redeclared(base: Base, shelved: ShelvedCapsule, worrying: AbstractSet[str]) -> bool:
    """Whether this change rewrote what the capsule promises, or silenced another one by continuing it."""
    if shelved.path not in base.paths:
        return False
    capsule = shelved.capsule
    earlier = [other.capsule for other in base.shelf.all_with_id(capsule.capsule_id)]
    if earlier and promise(capsule) not in map(promise, earlier):
        return True
    parent = _parent(capsule)
    return (
        parent in worrying
        and parent not in map(_parent, earlier)
        and any(condition.required for condition in capsule.validity)
    )


def _parent(capsule: Capsule) -> str:
    return (capsule.parent_capsule_id or "").casefold()


def _changed(condition: ConditionVerdict) -> frozenset[str]:
    return frozenset(glob.glob for glob in condition.paths if glob.result is GlobResult.CHANGED)
