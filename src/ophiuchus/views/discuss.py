"""The DISCUSS: a hand-off as a short message that asks for a conversation (first seed, "DISCUSS").

It says what the matter is, why people should talk about it, and what is asked of them. Everything is cut
harder than in the record. It holds no clock, run or commit.
"""

from __future__ import annotations

from collections.abc import Iterator

from ophiuchus.assess.fidelity import Consumer
from ophiuchus.assess.negative_knowledge import Standing
from ophiuchus.assess.verdicts import CHANGED
from ophiuchus.capsule.model import Capsule
from ophiuchus.capsule.places import Place
from ophiuchus.report.model import CapsuleReport
from ophiuchus.views.document import Bullets, Code, Paragraph, Part, Text
from ophiuchus.views.handoff import HandOff, Piece, critical_context, critical_places, hand_off_of, rank_of
from ophiuchus.views.phrases import cut_text, status
from ophiuchus.views.pieces import (
    closing,
    finding,
    headline,
    people_to_ask,
    section,
    texts,
    title_of,
    titled,
)
from ophiuchus.views.sender_words import entry, shown

GOAL_LINES, GOAL_CHARACTERS = 3, 400
STATE_LINES, STATE_CHARACTERS = 6, 600
REQUEST_CHARACTERS = 1_000
ITEM_CHARACTERS = 300
"""Most characters of a question, of a piece of evidence and of what was ruled out."""
EVIDENCE_SHOWN = 3
"""Most pieces of evidence; critical ones come first."""


def compose_discuss(capsule: Capsule, report: CapsuleReport, *, contact_cards: bool = False) -> HandOff:
    """The message about `capsule` and what `report` tells of it. Contact cards only if asked for."""
    pieces = _pieces(capsule, report, contact_cards=contact_cards)
    return hand_off_of(title_of(capsule), Consumer.DISCUSS, capsule, tuple(pieces))


def _pieces(capsule: Capsule, report: CapsuleReport, *, contact_cards: bool) -> Iterator[Piece]:
    critical = critical_places(capsule)
    yield from headline(capsule, report)
    yield from titled("In short", "goal", capsule.goal, GOAL_CHARACTERS, GOAL_LINES)
    yield from titled("", "state", capsule.state, STATE_CHARACTERS, STATE_LINES)
    reasons = tuple(_reasons(capsule, report, critical))
    yield from section("Why this needs discussion", reasons or [_no_reason()])
    evidence = texts("evidence", capsule.evidence, critical, ITEM_CHARACTERS, at_most=EVIDENCE_SHOWN)
    yield from section("Evidence", evidence)
    if contact_cards:
        yield from section("Who to ask", people_to_ask(capsule, critical))
    yield from titled("Requested discussion", "next_action", capsule.next_action, REQUEST_CHARACTERS)
    yield from critical_context(capsule, with_reasons=False)
    yield from closing(capsule, report, continuity=False)


def _reasons(capsule: Capsule, report: CapsuleReport, critical: frozenset[Place]) -> Iterator[Piece]:
    """What is open, what has moved on, and what was ruled out before that."""
    yield from texts("open_questions", capsule.open_questions, critical, ITEM_CHARACTERS)
    for index, condition in enumerate(report.validity.conditions):
        if condition.verdict in CHANGED:
            place = ("validity", index)
            said = (Code(condition.condition_id), Text(": "), status(condition.verdict), Text(", "))
            line = (*said, *finding(condition))
            rank = rank_of("validity", critical=place in critical)
            yield Piece(Part("conditions", rank, (Bullets((line,)),)), place)
    judged = zip(capsule.negative_knowledge, report.negative_knowledge, strict=True)
    for index, (item, verdict) in enumerate(judged):
        if verdict.standing is Standing.REVALIDATION_REQUIRED:
            place = ("negative_knowledge", index)
            tried = Text(shown(item.hypothesis, ITEM_CHARACTERS))
            line = (
                *(Code(item.item_id), Text(": "), status(verdict.standing)),
                *(Text(f", {cut_text(verdict.reason)}. It was: "), tried),
            )
            rank = rank_of("negative_knowledge", critical=place in critical)
            yield Piece(Part("items ruled out", rank, (entry(line),)), place)


def _no_reason() -> Piece:
    said = "The sender left no open question, and nothing that was declared is found to have changed."
    return Piece(Part("the reasons", rank_of("headings"), (Paragraph((Text(said),)),)))
