"""Pieces that both hand-off views are put together from: title, lists, findings, contacts, limits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ophiuchus.assess.continuity import CONTINUITY_LIMIT, ContinuityStatus
from ophiuchus.assess.fidelity import FIDELITY_LIMIT
from ophiuchus.assess.negative_knowledge import NEGATIVE_KNOWLEDGE_LIMIT
from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.capsule.model import Capsule
from ophiuchus.capsule.places import Place, spelled
from ophiuchus.report.model import CapsuleReport, ConditionReport
from ophiuchus.text.clean import clean, clean_line, hidden_characters
from ophiuchus.views.document import Brief, Bullets, Code, Heading, Line, Paragraph, Part, Text
from ophiuchus.views.handoff import FRAME, Piece, rank_of
from ophiuchus.views.one_capsule import verdict_of
from ophiuchus.views.phrases import changed_paths, count_not_valid, cut_sentence, listed, words
from ophiuchus.views.sender_words import item, prose, shown

TITLE_CHARACTERS = 200
"""Most characters of a title, which stays one line."""
PATHS_NAMED = 3
"""Most changed paths named of one condition."""

_CARD_CHARACTERS = 200
_CODES_NAMED = 12
_BRIEF_SHARE, _BRIEF_LINES = 5, 30
"""A field's brief form has one in so many of the characters that it may have, and at most so many lines."""


def title_of(capsule: Capsule) -> str:
    """The title on one line, cleaned and cut; the id where none of it shows."""
    return shown(clean_line(capsule.heading), TITLE_CHARACTERS) or capsule.capsule_id


def headline(capsule: Capsule, report: CapsuleReport) -> Iterator[Piece]:
    """The title, what holds of the hand-off as a whole, and what cleaning left out of it (case C107)."""
    heading = Heading(1, (Text(title_of(capsule)),))
    # Without a title it is the goal's first line, and so much of the goal is shown then.
    is_own = capsule.heading == (capsule.title or "").strip()
    place = ("title" if is_own else "goal", None) if clean(capsule.heading).strip() else None
    yield Piece(Part("the title", FRAME, (heading,)), place)
    counted = Text(f", {count_not_valid(report.validity)}.")
    verdict = (Text("Context validity: "), *verdict_of(report), counted)
    yield Piece(Part("the verdict", FRAME, (Paragraph(verdict),)))
    if hidden := hidden_characters(json.dumps(capsule.model_dump(mode="json"), ensure_ascii=False)):
        codes: list[Line] = [(Code(code),) for code in hidden[:_CODES_NAMED]]
        said = Text("Left out here are invisible characters that change how the sender's text reads: ")
        line = (said, *listed(codes, more=len(hidden) - len(codes)), Text("."))
        yield Piece(Part("the invisible characters", FRAME, (Paragraph(line),)))


def section(title: str, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces that go one by one, below a heading; nothing where there are none."""
    if below := tuple(pieces):
        yield Piece(Part("headings", rank_of("headings"), (Heading(2, (Text(title),)),)))
        yield from below


def titled(title: str, name: str, text: str, most: int, lines: int | None = None) -> Iterator[Piece]:
    """One field under a heading of its own, unless that is empty: they stay or go together.

    A long one has a brief form, of so few words that all three fields of a hand-off fit into every surface.
    """
    if said := shown(text, most, lines):
        heading = (Heading(2, (Text(title),)),) if title else ()
        few = most // _BRIEF_SHARE
        in_brief = (*heading, prose(shown(text, few, min(lines or _BRIEF_LINES, _BRIEF_LINES))))
        brief = Brief(rank_of("words of long texts"), in_brief) if len(said) > 2 * few else None
        part = Part(f"the {words(name)}", rank_of(name), (*heading, prose(said)), brief)
        yield Piece(part, (name, None))


def texts(
    name: str, written: Sequence[str], critical: frozenset[Place], most: int, *, at_most: int | None = None
) -> Iterator[Piece]:
    """A list of bare texts, each a piece; at most `at_most`, the critical ones first among them."""
    written_at = [index for index, text in enumerate(written) if clean(text).strip()]
    chosen = sorted(written_at, key=lambda index: (name, index) not in critical)[:at_most]
    for index in sorted(chosen):
        place = (name, index)
        part = Part(
            words(name),
            rank_of(name, critical=place in critical),
            item(_lead(place, critical), shown(written[index], most)),
        )
        yield Piece(part, place)
    if more := len(written_at) - len(chosen):
        note = Bullets(((Text(f"and {more:,} more in the hand-off itself"),),))
        yield Piece(Part(words(name), rank_of(name), (note,)))


def _lead(place: Place, critical: frozenset[Place]) -> Line:
    """What a critical item without an id is led by, so that it is found from the critical context."""
    return (Code(spelled(place)), Text(" ")) if place in critical else ()


def finding(condition: ConditionReport) -> Line:
    """Why a condition does not hold, and some of what changed."""
    changed = changed_paths(condition, PATHS_NAMED)
    if not changed:
        return cut_sentence(condition.reason)
    return (*cut_sentence(condition.reason), Text("; changed: "), *changed)


def people_to_ask(capsule: Capsule, critical: frozenset[Place]) -> Iterator[Piece]:
    """The contact cards: personal data, for destinations that ask for it only."""
    for index, card in enumerate(capsule.contact_cards):
        place = ("contact_cards", index)
        said = [text for text in (card.name, card.role, card.contact) if text]
        parts: list[Line] = [(Text(shown(text, _CARD_CHARACTERS)),) for text in said]
        line = (*_lead(place, critical), *listed(parts))
        rank = rank_of("contact_cards", critical=place in critical)
        yield Piece(Part("contact cards", rank, (Bullets((line,)),)), place)


def closing(capsule: Capsule, report: CapsuleReport, *, continuity: bool) -> Iterator[Piece]:
    """Where all of it is, and what the verdicts above are not. `continuity` says whether that is told."""
    name = capsule.capsule_id
    said: Line = (
        Text("The words above are the sender's; the verdicts are Ophiuchus's. This is hand-off "),
        *(Code(name), Text(": "), Code(f"ophiuchus receive {name}"), Text(" gives the whole of it.")),
    )
    limits: Mapping[str, bool] = {
        VALIDITY_LIMIT: True,
        FIDELITY_LIMIT: bool(capsule.critical),
        NEGATIVE_KNOWLEDGE_LIMIT: bool(report.negative_knowledge),
        CONTINUITY_LIMIT: continuity and report.continuity.status is not ContinuityStatus.NONE,
    }
    sentences = Bullets(tuple((Text(limit),) for limit, is_told in limits.items() if is_told))
    yield Piece(Part("the limits", FRAME, (Heading(2, (Text("What the verdicts do not say"),)), sentences)))
    yield Piece(Part("the hand-off's id", FRAME, (Paragraph(said),)), ("capsule_id", None))
