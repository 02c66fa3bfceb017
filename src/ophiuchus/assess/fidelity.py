"""The fidelity track: whether what the sender marked as critical reached a rendering. Pure.

A composer reports how much of each place it carried; this is judged here, so that no view is the judge of
itself. It is a claim about text on a page, not about anybody's understanding (first seed, "Critical Context
Fidelity").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ophiuchus.capsule.model import Capsule, CriticalUnit
from ophiuchus.capsule.places import FIELDS, Place, places_of, texts_at
from ophiuchus.text.wording import quoted

FIDELITY_LIMIT = (
    "Fidelity says which of the sender's words are in one rendering by Ophiuchus. It is no evidence that any "
    "person or model read, understood, remembered or followed them."
)
"""The fidelity track's limit sentence, shown wherever its verdicts are shown."""


class Consumer(StrEnum):
    """Who a rendering is for."""

    CODEX = "codex"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    SUMMARY = "summary"
    RECORD = "record"
    DISCUSS = "discuss"


AGENTS = (Consumer.CODEX, Consumer.CLAUDE_CODE, Consumer.CURSOR)
"""Consumers that `receive` writes for."""

_NOT_FOR_AGENTS = {"schema_version", "critical", "contact_cards"}  # contact cards: personal data

DECLARED: Mapping[Consumer, frozenset[str]] = {
    **dict.fromkeys(AGENTS, frozenset(FIELDS) - _NOT_FOR_AGENTS),
    Consumer.SUMMARY: frozenset(
        {
            *("capsule_id", "parent_capsule_id", "grounding", "validity", "negative_knowledge"),
            *("title", "goal"),  # the goal's first line stands in for a title
        }
    ),
    Consumer.RECORD: frozenset(
        {
            "capsule_id",
            "title",
            "goal",
            "state",
            "next_action",
            "evidence",
            "rejected",
            "constraints",
            "validity",
            "negative_knowledge",
            "parent_capsule_id",
            "contact_cards",  # where the destination asks for them
        }
    ),
    Consumer.DISCUSS: frozenset(
        {
            "capsule_id",
            "title",
            "goal",
            "state",
            "next_action",
            "evidence",
            "open_questions",
            "validity",
            "negative_knowledge",
            "contact_cards",
        }
    ),
}
"""The fields that each consumer's rendering has a place for (design §6)."""


class Extent(StrEnum):
    """How much of one place a rendering carried."""

    WHOLE = "whole"
    PART = "part"
    NONE = "none"


Carriage = Mapping[Place, Extent]
"""What a composer carried. A place that is missing was not carried."""


class FidelityVerdict(StrEnum):
    """What became of one critical unit."""

    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    DEGRADED = "degraded"
    PRESERVED = "preserved"


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """One critical unit's verdict with its cause in words."""

    unit_id: str
    kind: str
    verdict: FidelityVerdict
    reason: str


def judge_fidelity(capsule: Capsule, consumer: Consumer | None, carried: Carriage) -> tuple[UnitVerdict, ...]:
    """The verdict on each critical unit of `capsule`, in order (design §4).

    `carried` is what the consumer's composer reports; without a consumer nothing is known yet, which is what
    a sender sees.
    """
    return tuple(
        UnitVerdict(unit.unit_id, unit.kind, *_judge(capsule, unit, consumer, carried))
        for unit in capsule.critical
    )


def _judge(
    capsule: Capsule, unit: CriticalUnit, consumer: Consumer | None, carried: Carriage
) -> tuple[FidelityVerdict, str]:
    """The first rule that applies."""
    if consumer is None:
        return FidelityVerdict.UNKNOWN, "no rendering was looked at; the recipient's decides"
    if unit.kind not in FIELDS:
        return FidelityVerdict.UNSUPPORTED, f"the kind {quoted(unit.kind)} is not known to this version"
    if unit.kind not in DECLARED[consumer]:
        readers = "agents get" if consumer in AGENTS else f"{consumer} gets"  # all agents get one text
        return FidelityVerdict.UNSUPPORTED, f"{unit.kind} has no place in what {readers}"
    extents = {
        carried.get(place, Extent.NONE) for place in places_of(capsule, unit) if texts_at(capsule, place)
    }
    if not extents:
        return FidelityVerdict.PRESERVED, "nothing is written there"
    if extents == {Extent.NONE}:
        return FidelityVerdict.UNSUPPORTED, "not in this rendering"
    if extents == {Extent.WHOLE}:
        return FidelityVerdict.PRESERVED, "whole in this rendering"
    return FidelityVerdict.DEGRADED, "only in part in this rendering"
