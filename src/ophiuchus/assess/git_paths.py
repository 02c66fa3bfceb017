"""What a git_paths condition comes to, from what git found: pure (design §4).

Each glob is unchanged, changed or not evaluated, by the base tree where it was compared, else by its path
anchor; the condition is the ratio of changed to evaluated globs. A git error is never an empty diff: without
a compared base and without an anchor a glob has no result (case C001).
"""

from __future__ import annotations

from functools import lru_cache

from ophiuchus.assess.base_gap import Gap, base_label, gap_of
from ophiuchus.assess.verdicts import ConditionVerdict, GlobResult, GlobVerdict, Method, Verdict
from ophiuchus.capsule.model import GitPaths
from ophiuchus.git.findings import BaseState, GlobFact, PathsFacts
from ophiuchus.text.clean import spell_path
from ophiuchus.text.wording import counted, quoted

NOTHING_MATCHES = "matches nothing, neither at base_commit nor now"
NOTHING_MATCHED = "matched nothing when its path anchor was taken and matches nothing now"
PATHS_UNKNOWN = "differs from its path anchor; which paths changed is known only with the base commit"
CORRECT_THE_GLOBS = "correct the globs: they start at the root of the repository and are case-sensitive"


def judge_paths(
    condition: GitPaths, base: str | None, facts: PathsFacts, *, shallow: bool
) -> ConditionVerdict:
    """The verdict of one git_paths condition.

    `base` is the text that was asked for as base commit; `shallow` says whether the judged clone lacks
    history, which decides the first cause that is named for an absent base.
    """
    gap = None
    if any(fact.base is None and fact.refused is None and fact.anchor is None for fact in facts.globs):
        gap = gap_of(facts.base_state, facts.detail, base, anchored=bool(condition.anchors), shallow=shallow)
    globs = tuple([_judge_glob(fact, gap) for fact in facts.globs])
    results = [glob.result for glob in globs]
    evaluated = len(results) - results.count(GlobResult.NOT_EVALUATED)
    changed = results.count(GlobResult.CHANGED)
    method = remedy = None
    if evaluated and (changed or gap is None):
        method = Method.BASE_TREE if facts.base_state is BaseState.COMPARED else Method.ANCHOR
        verdict = _of_ratio(changed, evaluated)
        reason = _finding(changed, evaluated, method, base)
        if skipped := len(globs) - evaluated:
            reason += f" ({counted(skipped, 'glob')} not evaluated)"
    elif gap is not None:
        # Also where the other globs are unchanged: what could not be checked is never taken for unchanged.
        verdict, reason, remedy = Verdict.UNVERIFIABLE, gap.reason, gap.remedy
    else:
        verdict, reason, remedy = Verdict.UNVERIFIABLE, _globs_at_fault(globs), CORRECT_THE_GLOBS
    return ConditionVerdict(
        condition_id=condition.condition_id,
        kind=condition.kind,
        required=condition.required,
        verdict=verdict,
        reason=reason,
        remedy=remedy,
        method=method,
        paths=globs,
    )


def _judge_glob(fact: GlobFact, gap: Gap | None) -> GlobVerdict:
    """One glob by the first means that answers; `gap` says why where none does."""
    glob, refused, matches_now, base, anchor, _ = fact
    if refused is not None:
        return GlobVerdict(glob, GlobResult.NOT_EVALUATED, refused)
    if base is not None:
        count, changed = base
        if count:
            shown = tuple([one.spelled for one in changed])
            return GlobVerdict(glob, GlobResult.CHANGED, pointer_only(fact), count, shown)
        if matches_now:
            return GlobVerdict(glob, GlobResult.UNCHANGED, pointer_only(fact))
        return GlobVerdict(glob, GlobResult.NOT_EVALUATED, NOTHING_MATCHES)
    if anchor is not None:
        if not anchor.equal:
            return GlobVerdict(glob, GlobResult.CHANGED, PATHS_UNKNOWN, None)
        if anchor.nothing_then:
            return GlobVerdict(glob, GlobResult.NOT_EVALUATED, NOTHING_MATCHED)
        return GlobVerdict(glob, GlobResult.UNCHANGED, pointer_only(fact))
    return GlobVerdict(glob, GlobResult.NOT_EVALUATED, gap.reason if gap else None)


# Remembered, for many conditions share a base.
@lru_cache(maxsize=65_536)
def _finding(changed: int, evaluated: int, method: Method, base: str | None) -> str:
    """What was found, in words that claim no more than two trees can tell (case C079)."""
    then = "its path anchors" if method is Method.ANCHOR else base_label(base)
    if changed == 0:
        return f"same content as at {then}"
    return f"{changed} of {counted(evaluated, 'glob')} {'differs' if changed == 1 else 'differ'} from {then}"


def pointer_only(fact: GlobFact) -> str | None:
    """What to say of a glob at or below a submodule, else None (case C037)."""
    if fact.submodule is None:
        return None
    return (
        f"follows the pointer of submodule {spell_path(fact.submodule)}; files inside it were not looked at"
    )


def _of_ratio(changed: int, evaluated: int) -> Verdict:
    if changed == 0:
        return Verdict.VALID
    return Verdict.STALE if changed == evaluated else Verdict.PARTIALLY_STALE


def _globs_at_fault(globs: tuple[GlobVerdict, ...]) -> str:
    first, others = globs[0], len(globs) - 1
    reason = f"no glob could be evaluated: {quoted(first.glob)} {first.reason}"
    return f"{reason} (and {others} more)" if others else reason
