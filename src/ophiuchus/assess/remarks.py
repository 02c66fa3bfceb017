"""What is worth saying about how a condition was judged, though it changes no verdict: notices, pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ophiuchus.assess.base_gap import base_label
from ophiuchus.assess.git_paths import pointer_only
from ophiuchus.assess.negative_knowledge import ItemVerdict
from ophiuchus.assess.verdicts import Assessment, ConditionVerdict, GlobResult, GlobVerdict
from ophiuchus.capsule.model import Capsule, GitPaths
from ophiuchus.git.findings import GlobFact, PathsFacts
from ophiuchus.text.problem import Notice, NoticeCode
from ophiuchus.text.wording import quoted


def remarks(
    path: str, capsule: Capsule, facts: Mapping[str, PathsFacts], assessment: Assessment
) -> Iterator[Notice]:
    """The notices about the git_paths conditions of the capsule at `path`; arguments as for `assess`."""
    for condition, judged in zip(capsule.validity, assessment.conditions, strict=True):
        if isinstance(condition, GitPaths):
            found = facts[condition.condition_id]
            if found.in_history is False:
                yield Notice(
                    path,
                    NoticeCode.NOT_AN_ANCESTOR,
                    f"condition {quoted(condition.condition_id)}: the judged commit does not descend from "
                    f"{base_label(capsule.base_of(condition))}; the two trees were compared all the same",
                )
            for fact, glob in zip(found.globs, judged.paths, strict=True):
                if glob.result is not GlobResult.NOT_EVALUATED and not (fact.anchor or fact.submodule):
                    continue  # as nearly all are: nothing to say
                for code, words in _about_glob(judged, fact, glob):
                    where = f"condition {quoted(condition.condition_id)}: {quoted(fact.glob)}"
                    yield Notice(path, code, f"{where} {words}")


def to_revalidate(path: str, items: Iterable[ItemVerdict]) -> Iterator[Notice]:
    """The notices about what was ruled out under conditions that have changed since."""
    for item in items:
        yield Notice(
            path,
            NoticeCode.REVALIDATION_REQUIRED,
            f"{quoted(item.item_id)} was {item.reason}: look whether it still has to be ruled out",
        )


def _about_glob(
    judged: ConditionVerdict, fact: GlobFact, glob: GlobVerdict
) -> Iterator[tuple[NoticeCode, str]]:
    """What is worth saying of one glob, in words that follow it."""
    # A whole condition without a result says its cause once, in its own reason.
    own_fault = fact.refused is not None or fact.base is not None or fact.anchor is not None
    if glob.result is GlobResult.NOT_EVALUATED and (own_fault or any(map(_is_evaluated, judged.paths))):
        yield NoticeCode.GLOB_NOT_EVALUATED, f"is not evaluated: {glob.reason}"
    elif note := pointer_only(fact):
        yield NoticeCode.INSIDE_SUBMODULE, note
    if fact.base is not None and fact.anchor is not None:
        by_base, by_anchor = fact.base.changed_count > 0, not fact.anchor.equal
        if by_base != by_anchor:
            words = f"is {_word(by_base)} by the base tree and {_word(by_anchor)} by its path anchor"
            yield NoticeCode.ANCHOR_DISAGREES, f"{words}; the base tree decides"


def _is_evaluated(glob: GlobVerdict) -> bool:
    return glob.result is not GlobResult.NOT_EVALUATED


def _word(changed: bool) -> str:
    return "changed" if changed else "unchanged"
