"""The RECORD: a hand-off as a durable artifact, for an issue, a ticket or a task (first seed, "RECORD").

It shows the sender's words by field, what was ruled out with its standing, and every condition. It holds no
clock, run or commit: the same capsule with the same verdicts gives the same document (design §6).
"""

from __future__ import annotations

from collections.abc import Iterator

from ophiuchus.assess.fidelity import Consumer
from ophiuchus.assess.negative_knowledge import ItemVerdict
from ophiuchus.assess.verdicts import CHANGED, Method, Verdict
from ophiuchus.capsule.model import Capsule, Condition, DeclaredScope, GitPaths, NegativeKnowledge, TimeWindow
from ophiuchus.capsule.places import Place
from ophiuchus.report.model import CapsuleReport, ConditionReport
from ophiuchus.views.document import Code, Heading, Inline, Line, Paragraph, Part, Table, Text
from ophiuchus.views.handoff import (
    TABLE,
    HandOff,
    Piece,
    critical_context,
    critical_places,
    hand_off_of,
    rank_of,
)
from ophiuchus.views.phrases import cut_text, listed, status
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
from ophiuchus.views.tracks import continuation

GOAL_CHARACTERS = REQUEST_CHARACTERS = 2_000
"""Most characters of the goal and of the next action: few enough to be left even where letters cost six."""
STATE_CHARACTERS = 4_000
ITEM_CHARACTERS = 2_000
"""Most characters of any other text."""

_NAMES = 200


def compose_record(capsule: Capsule, report: CapsuleReport, *, contact_cards: bool = False) -> HandOff:
    """The record of `capsule`, of which `report` tells what was found. Contact cards only if asked for."""
    pieces = _pieces(capsule, report, contact_cards=contact_cards)
    return hand_off_of(title_of(capsule), Consumer.RECORD, capsule, tuple(pieces))


def _pieces(capsule: Capsule, report: CapsuleReport, *, contact_cards: bool) -> Iterator[Piece]:
    critical = critical_places(capsule)
    yield from headline(capsule, report)
    yield from titled("Goal", "goal", capsule.goal, GOAL_CHARACTERS)
    yield from titled("Where it stands", "state", capsule.state, STATE_CHARACTERS)
    yield from section("Evidence", texts("evidence", capsule.evidence, critical, ITEM_CHARACTERS))
    rejected = texts("rejected", capsule.rejected, critical, ITEM_CHARACTERS)
    yield from section("Tried and ruled out", (*_ruled_out(capsule, report, critical), *rejected))
    yield from section("Constraints", texts("constraints", capsule.constraints, critical, ITEM_CHARACTERS))
    if contact_cards:
        yield from section("Who to ask", people_to_ask(capsule, critical))
    yield from titled("Requested next action", "next_action", capsule.next_action, REQUEST_CHARACTERS)
    yield from critical_context(capsule, with_reasons=True)
    yield from _validity(capsule, report, critical)
    if told := tuple(continuation(report.continuity)):
        place = ("parent_capsule_id", None)
        rank = rank_of("parent_capsule_id", critical=place in critical)
        yield Piece(Part("what it continues", rank, told), place)
    yield from closing(capsule, report, continuity=True)


def _ruled_out(capsule: Capsule, report: CapsuleReport, critical: frozenset[Place]) -> Iterator[Piece]:
    judged = zip(capsule.negative_knowledge, report.negative_knowledge, strict=True)
    for index, (item, verdict) in enumerate(judged):
        place = ("negative_knowledge", index)
        line = Paragraph(_item(item, verdict))
        rank = rank_of("negative_knowledge", critical=place in critical)
        yield Piece(Part("items ruled out", rank, (line,)), place)


def _item(item: NegativeKnowledge, verdict: ItemVerdict) -> Line:
    """What was tried, why it was ruled out and whether that still counts, each on a line."""
    line: list[Inline] = [
        *(Code(item.item_id), Text(": "), status(verdict.standing), Text(f", {cut_text(verdict.reason)}")),
        *(Text("\nTried: "), Text(shown(item.hypothesis, ITEM_CHARACTERS))),
        *(Text("\nRuled out because: "), Text(shown(item.why_invalid, ITEM_CHARACTERS))),
        *(Text("\nThe sender calls it "), Text(shown(item.state, _NAMES))),
    ]
    if item.applies_while:
        named: list[Line] = [(Code(shown(one, _NAMES)),) for one in item.applies_while]
        line += [Text(" as long as "), *listed(named), Text(" holds" if len(named) == 1 else " hold")]
    if item.retry_if:
        line += [Text("\nWorth another try if: "), Text(shown(item.retry_if, ITEM_CHARACTERS))]
    if item.provenance_ref:
        line += [Text("\nFrom: "), Text(shown(item.provenance_ref, ITEM_CHARACTERS))]
    return tuple(line)


def _validity(capsule: Capsule, report: CapsuleReport, critical: frozenset[Place]) -> Iterator[Piece]:
    """The table of verdicts, and below it what each condition says."""
    conditions = report.validity.conditions
    if not conditions:
        return
    rows = tuple(
        (
            (Code(one.condition_id),),
            (status(one.verdict),),
            (Text(how_checked(one)),),
            (Text("yes" if one.required else "no"),),
        )
        for one in conditions
    )
    table = Table(("Condition", "Verdict", "How it was checked", "Required"), rows)
    blocks = (Heading(2, (Text("What this depends on"),)), table)
    yield Piece(Part(TABLE, rank_of("validity table"), blocks))
    for index, (declared, judged) in enumerate(zip(capsule.validity, conditions, strict=True)):
        place = ("validity", index)
        line = (*_declared(declared, capsule), *_found(judged), *_note(declared))
        rank = rank_of("validity", critical=place in critical)
        yield Piece(Part("conditions", rank, (entry(line),)), place)


def how_checked(condition: ConditionReport) -> str:
    """By which means a condition was judged, in words."""
    match condition.method, condition.kind:
        case Method.BASE_TREE, _:
            return "compared with the base commit"
        case Method.ANCHOR, _:
            return "compared with path anchors"
        case _, "declared_scope":
            return "not checked: the sender's own words"
        case _, "time_window" if condition.verdict is not Verdict.UNVERIFIABLE:
            return "compared with the clock"
        case _:
            return "could not be checked"


def _declared(condition: Condition, capsule: Capsule) -> Line:
    """A condition in the sender's terms."""
    line: list[Inline] = [
        Code(condition.condition_id),
        Text(", "),
        Code(shown(condition.kind, _NAMES)),
        Text(": "),
    ]
    match condition:
        case GitPaths():
            paths: list[Line] = [(Code(shown(path, _NAMES)),) for path in condition.paths]
            line += [*listed(paths), Text(" as they were at "), _base(condition, capsule)]
        case TimeWindow():
            line += [Text("until "), Code(shown(condition.not_after, _NAMES))]
        case DeclaredScope():
            line.append(Text(shown(condition.scope, ITEM_CHARACTERS)))
        case _:
            line.append(Text("a kind that this version does not know"))
    return tuple(line)


def _base(condition: GitPaths, capsule: Capsule) -> Inline:
    """What the paths are compared with. The grounding has no place here, so its commit is not named."""
    if condition.base_commit:
        return Code(shown(condition.base_commit, _NAMES))
    if capsule.base_of(condition):
        return Text("the commit that the hand-off was written on")
    return Text("the time of their anchors" if condition.anchors else "a time that is not named")


def _note(condition: Condition) -> Line:
    return (Text(". Note: "), Text(shown(condition.note, ITEM_CHARACTERS))) if condition.note else ()


def _found(condition: ConditionReport) -> Line:
    """What was found where something changed. Why something could not be checked depends on the checkout."""
    if condition.verdict not in CHANGED:
        return ()
    return (Text("; "), status(condition.verdict), Text(", "), *finding(condition))
