"""A hand-off as people read it, before any surface: the document, and what it carries of the critical units.

Its fidelity is judged on the document as it was fitted to its surface and then told in a place that was kept
for it, so the view holds its own verdict (design §2). What goes first when not all fits is `rank_of`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from ophiuchus.assess.fidelity import (
    DECLARED,
    Carriage,
    Consumer,
    Extent,
    FidelityVerdict,
    UnitVerdict,
    judge_fidelity,
)
from ophiuchus.capsule.model import Capsule, CriticalUnit
from ophiuchus.capsule.places import FIELDS, Place, places_of, pointer_of, texts_at
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    Document,
    Finish,
    Heading,
    Line,
    Part,
    Strong,
    Text,
)
from ophiuchus.views.phrases import TONES
from ophiuchus.views.sender_words import exact_texts, shown

CRITICAL = "the critical context"
"""The name of the part with the place for the view's own fidelity."""
TABLE = "the validity table"
"""The name of the part with a row for each condition."""
WHY_CHARACTERS = 120
"""Most characters of the reason why a unit is critical; kept on one line."""

_ALWAYS = ("goal", "next_action", "state", "validity table", "headings", "words of long texts")
_LAST_TO_GO = (
    *("constraints", "negative_knowledge", "validity", "open_questions", "rejected", "evidence"),
    *("contact_cards", "parent_capsule_id"),
)
FRAME = 0
"""The rank of title, verdict, critical context and limits, which never go."""

_KIND_CHARACTERS = 40
_IN_THIS_VIEW: Mapping[FidelityVerdict, str] = {
    FidelityVerdict.PRESERVED: "whole in this view",
    FidelityVerdict.DEGRADED: "in part in this view",
    FidelityVerdict.UNSUPPORTED: "not in this view",
    FidelityVerdict.UNKNOWN: "not known yet",
}
# Longer than any verdict by whatever measure, since surfaces escape no letter: no Status, for a surface may
# spell one tone longer than another.
_KEPT: Line = (Text(": ◐ "), Strong("to be judged"), Text(", not known yet in this view"))
_KEPT_AT = slice(1, 1 + len(_KEPT))


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a view and, where it shows the sender's words from one place, that place."""

    part: Part
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class HandOff:
    """One capsule as one of the two artifacts. `title` is the sender's, cleaned and one line."""

    title: str
    document: Document
    consumer: Consumer
    capsule: Capsule = field(repr=False)
    _places: tuple[Place | None, ...] = field(repr=False)

    def carried(self, fitted: Document) -> Carriage:
        """How much of each critical place stands in `fitted`, this document as a surface can send it.

        Whole: a reader of it sees every character that is written there. In part: something of it.
        """
        left = set(fitted.parts)
        blocks: dict[Place, list[Block]] = {}
        for part, place in zip(self.document.parts, self._places, strict=True):
            if place is not None:
                blocks.setdefault(place, []).extend(_left_of(part, left))
        declared = DECLARED[self.consumer]
        critical = [unit for unit in self.capsule.critical if unit.kind in declared]
        places = dict.fromkeys(place for unit in critical for place in places_of(self.capsule, unit))
        found = {place: _extent(texts_at(self.capsule, place), blocks.get(place, ())) for place in places}
        return {**found, **_in_table(self.capsule, fitted, found)}

    def filled(self, fitted: Document, verdicts: Sequence[UnitVerdict]) -> Document:
        """`fitted` with the verdicts on the critical units, in their order, in the place kept for them.

        It is never longer: headings that nothing is left of go too. Nothing is told where the place is gone.
        """
        told = (_told(part, verdicts) if part.name == CRITICAL else part for part in fitted.parts)
        return replace(fitted, parts=tuple(_without_empty_sections(tuple(told))))


def finish_for(hand_off: HandOff) -> Finish:
    """What a renderer does with the fitted document: judge what it carries, and say so in it."""

    def finish(fitted: Document) -> Document:
        carried = hand_off.carried(fitted)
        return hand_off.filled(fitted, judge_fidelity(hand_off.capsule, hand_off.consumer, carried))

    return finish


def hand_off_of(title: str, consumer: Consumer, capsule: Capsule, pieces: Sequence[Piece]) -> HandOff:
    """The pieces, in reading order, as one."""
    document = Document(tuple(piece.part for piece in pieces))
    return HandOff(title, document, consumer, capsule, tuple(piece.place for piece in pieces))


def critical_places(capsule: Capsule) -> frozenset[Place]:
    """Everything that a critical unit points at."""
    known = (unit for unit in capsule.critical if unit.kind in FIELDS)
    return frozenset(place for unit in known for place in places_of(capsule, unit))


def rank_of(name: str, *, critical: bool = False) -> int:
    """When a part of this name goes: the highest rank first.

    First items that are not critical, then those that are, both from the end of _LAST_TO_GO; then most words
    of a long state, next action or goal (case C052), headings, the table, and those three themselves. FRAME
    stays to the last.
    """
    if name in _ALWAYS:
        return 1 + _ALWAYS.index(name)
    within = _LAST_TO_GO.index(name)
    return 1 + len(_ALWAYS) + within + (0 if critical else len(_LAST_TO_GO))


def critical_context(capsule: Capsule, *, with_reasons: bool) -> Iterator[Piece]:
    """Each critical unit as a pointer, with the place for its verdict kept."""
    if capsule.critical:
        lines: list[Line] = []
        for unit in capsule.critical:
            known = unit.kind in FIELDS
            pointer = pointer_of(capsule, unit) if known else shown(unit.kind, _KIND_CHARACTERS)
            why = shown(" ".join((unit.why or "").split()), WHY_CHARACTERS) if with_reasons else ""
            named = _ids_at(capsule, unit) if known else ()
            lines.append((Code(pointer), *_KEPT, *named, *((Text(". "), Text(why)) if why else ())))
        heading = Heading(2, (Text("Critical context"),))
        yield Piece(Part(CRITICAL, FRAME, (heading, Bullets(tuple(lines)))))


def _ids_at(capsule: Capsule, unit: CriticalUnit) -> Line:
    """By which id the view shows the one item that a unit points at, if items there have ids."""
    match places_of(capsule, unit):
        case (("validity", int(index)),):
            return Text(": "), Code(capsule.validity[index].condition_id)
        case (("negative_knowledge", int(index)),):
            return Text(": "), Code(capsule.negative_knowledge[index].item_id)
    return ()


def _left_of(part: Part, left: AbstractSet[Part]) -> tuple[Block, ...]:
    """What stands in the fitted document of a part of the whole one."""
    shown = next((one for one in (part, part.in_brief()) if one in left), None)
    return shown.blocks if shown else ()


def _extent(texts: Sequence[str], blocks: Sequence[Block]) -> Extent:
    if not blocks:
        return Extent.NONE
    exact = exact_texts(blocks)
    return Extent.WHOLE if all(text in exact for text in texts if text) else Extent.PART


def _in_table(capsule: Capsule, fitted: Document, found: Carriage) -> Carriage:
    """The conditions of which nothing but their row in the table is left: that much is carried."""
    named = exact_texts(block for part in fitted.parts if part.name == TABLE for block in part.blocks)
    return {
        (name, index): Extent.PART
        for (name, index), extent in found.items()
        if name == "validity" and index is not None and extent is Extent.NONE
        if capsule.validity[index].condition_id in named
    }


def _told(kept: Part, verdicts: Sequence[UnitVerdict]) -> Part:
    """The part with the place in each of its lines filled."""
    blocks = (_with_verdicts(one, verdicts) if isinstance(one, Bullets) else one for one in kept.blocks)
    return replace(kept, blocks=tuple(blocks))


def _with_verdicts(bullets: Bullets, verdicts: Sequence[UnitVerdict]) -> Bullets:
    units = zip(bullets.items, verdicts, strict=True)
    lines = ((*line[: _KEPT_AT.start], *_verdict(one.verdict), *line[_KEPT_AT.stop :]) for line, one in units)
    return Bullets(tuple(lines))


def _verdict(verdict: FidelityVerdict) -> Line:
    return Text(f": {TONES[verdict].sign} "), Strong(verdict.value), Text(f", {_IN_THIS_VIEW[verdict]}")


def _without_empty_sections(parts: Sequence[Part]) -> Iterator[Part]:
    for part, following in zip(parts, (*parts[1:], None), strict=True):
        is_heading = len(part.blocks) == 1 and isinstance(part.blocks[0], Heading)
        if not is_heading or (following is not None and not isinstance(following.blocks[0], Heading)):
            yield part
