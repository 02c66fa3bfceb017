"""The negative-knowledge track: whether an approach that was ruled out still counts as ruled out. Pure.

It is not a second system of validity: an item only refers to the capsule's own conditions (first seed,
"Negative knowledge lifecycle"). There is no standing in part, by design.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ophiuchus.assess.verdicts import CHANGED, ConditionVerdict, Verdict
from ophiuchus.capsule.model import REJECTED, Capsule, NegativeKnowledge
from ophiuchus.text.wording import counted, quoted

NEGATIVE_KNOWLEDGE_LIMIT = (
    "What was ruled out is the sender's record, not a rule: nobody checked that it was ruled out rightly, "
    "and whoever knows something new may try it again."
)
"""The negative-knowledge track's limit sentence, shown wherever its standings are shown."""

RETIRING = ("superseded", "revalidated")
"""States by which the sender says that later work has moved past an item."""

_NAMED = 3
"""Most conditions that one reason names."""


class Standing(StrEnum):
    """What one item came to."""

    STILL_APPLICABLE = "still_applicable"
    REVALIDATION_REQUIRED = "revalidation_required"
    APPLICABILITY_UNKNOWN = "applicability_unknown"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """One item's standing with its cause in words. `state` is the sender's own word."""

    item_id: str
    state: str
    standing: Standing
    reason: str


def judge_negative_knowledge(
    capsule: Capsule, conditions: Iterable[ConditionVerdict]
) -> tuple[ItemVerdict, ...]:
    """The standing of each item of `capsule`, whose `conditions` were judged (design §4; case C073)."""
    if not capsule.negative_knowledge:
        return ()
    verdicts = {condition.condition_id: condition.verdict for condition in conditions}
    return tuple(
        ItemVerdict(item.item_id, item.state, *_judge(item, verdicts)) for item in capsule.negative_knowledge
    )


def _judge(item: NegativeKnowledge, verdicts: dict[str, Verdict]) -> tuple[Standing, str]:
    """The first rule that applies. One observed change is enough; "could not check" is no change."""
    if item.state in RETIRING:
        return Standing.RETIRED, f"the sender calls it {item.state}"
    if item.state != REJECTED:
        return Standing.APPLICABILITY_UNKNOWN, f"the state {quoted(item.state)} is not known to this version"
    if not item.applies_while:
        return Standing.APPLICABILITY_UNKNOWN, "names no condition under which it was ruled out"
    named = dict.fromkeys(item.applies_while)
    changed = [one for one in named if verdicts.get(one) in CHANGED]
    if changed:
        return Standing.REVALIDATION_REQUIRED, f"ruled out while {_listed(changed, verdicts)}"
    unknown = [one for one in named if verdicts.get(one) is not Verdict.VALID]
    if unknown:
        return Standing.APPLICABILITY_UNKNOWN, f"ruled out while {_listed(unknown, verdicts)}"
    return Standing.STILL_APPLICABLE, f"{counted(len(named), 'condition')} of it still valid"


def _listed(names: list[str], verdicts: dict[str, Verdict]) -> str:
    """`“vc-1” held, which is stale now; “vc-2” held, which is not declared`."""
    told = [
        f"{quoted(name)} held, which "
        + (f"is {verdicts[name].value.replace('_', ' ')} now" if name in verdicts else "is not declared")
        for name in names[:_NAMED]
    ]
    more = len(names) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")
