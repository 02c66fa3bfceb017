"""What a report says of a capsule beside its conditions: what was ruled out, fidelity, continuity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ophiuchus.assess.continuity import Continuity, ContinuityStatus, CountDelta, Delta, IdDelta
from ophiuchus.assess.fidelity import FidelityVerdict
from ophiuchus.assess.negative_knowledge import ItemVerdict
from ophiuchus.report.model import CapsuleReport, FidelityReport
from ophiuchus.text.wording import counted
from ophiuchus.views.document import Block, Bullets, Code, Details, Line, Paragraph, Part, Strong, Table, Text
from ophiuchus.views.phrases import (
    ROWS_SHOWN,
    capsule_name,
    cut_name,
    cut_path,
    cut_text,
    listed,
    status,
    words,
)


def to_look_at_again(capsules: Iterable[CapsuleReport]) -> Iterator[Part]:
    """The one standing that is told loudly: what was ruled out under conditions that have changed since."""
    found = [(one, item) for one in capsules if not one.continued for item in one.to_revalidate]
    if found:
        rows = tuple(
            (capsule_name(one), (Code(item.item_id),), (Text(cut_text(item.reason)),))
            for one, item in found[:ROWS_SHOWN]
        )
        number = f" {counted(len(found), 'item')} {'was' if len(found) == 1 else 'were'} ruled out under "
        lead = (Strong("Revalidation required:"), Text(f"{number}conditions that have changed since."))
        table = Table(("Capsule", "Ruled out", "Why"), rows, len(found) - len(rows))
        yield Part("what to look at again", 1, (Paragraph(lead), table))


def ruled_out(items: Sequence[ItemVerdict]) -> Iterator[Block]:
    """Every item with its standing and why."""
    if items:
        yield Paragraph((Text("Tried and ruled out:"),))
        yield Bullets(
            tuple(
                (Code(one.item_id), Text(": "), status(one.standing), Text(f", {cut_text(one.reason)}"))
                for one in items
            )
        )


def continuation(continuity: Continuity) -> Iterator[Block]:
    """The capsule's place in its line, folded; nothing where it continues none."""
    if continuity.status is not ContinuityStatus.NONE:
        parent = Code(cut_name(continuity.parent_capsule_id or ""))
        yield Details((Text("Continues "), parent, Text(": "), *read_of(continuity)), (compared(continuity),))


def read_of(continuity: Continuity) -> Line:
    """What became of the walk over the ancestors."""
    return status(continuity.status), Text(f", {counted(continuity.hops, 'ancestor')} read")


def compared(continuity: Continuity) -> Bullets:
    """What is not as in the parent."""
    told = tuple(_told(continuity.delta)) if continuity.delta else ()
    return Bullets(told or ((Text("there is nothing to compare"),),))


def fidelity_to(track: FidelityReport) -> Iterator[Block]:
    """What became of the critical units on the way to one consumer: of all, or of those that were lost."""
    lost = sum(one.verdict is not FidelityVerdict.PRESERVED for one in track.units)
    to = track.consumer.value if track.consumer else "whoever receives it"
    whole = "nothing is critical"
    if critical := track.preserved + lost:
        whole = f"{track.preserved:,} of {counted(critical, 'critical unit')} whole"
    yield Paragraph((Text(f"Fidelity to {to}: {whole}"),))
    if track.units:
        yield Bullets(
            tuple(
                (
                    *(Code(one.unit_id), Text(" at "), Code(cut_path(one.kind)), Text(": ")),
                    *(status(one.verdict), Text(f", {cut_text(one.reason)}")),
                )
                for one in track.units
            )
        )


def _told(delta: Delta) -> Iterator[Line]:
    """Where something changed, ids for what has ids and numbers for what has none."""
    for name, ids in (
        ("critical", delta.critical),
        ("validity", delta.validity),
        ("negative_knowledge", delta.negative_knowledge),
    ):
        yield from _ids(name, ids)
    for name, counts in (
        ("evidence", delta.evidence),
        ("rejected", delta.rejected),
        ("constraints", delta.constraints),
        ("open_questions", delta.open_questions),
    ):
        yield from _counts(name, counts)
    if delta.resolved:
        yield Text("resolved: "), *listed([(Code(one),) for one in delta.resolved])
    for one in delta.transitions:
        yield Code(one.item_id), Text(f": from {cut_path(one.before)} to {cut_path(one.after)}")


def _ids(name: str, delta: IdDelta) -> Iterator[Line]:
    deeds = (("inherited", delta.inherited), ("added", delta.added), ("dropped", delta.dropped))
    told: list[Line] = [
        (Text(f"{deed} "), *listed([(Code(one),) for one in ids])) for deed, ids in deeds if ids
    ]
    if told:
        yield Text(f"{words(name)}: "), *listed(told, between="; ")


def _counts(name: str, delta: CountDelta) -> Iterator[Line]:
    deeds = (
        (delta.carried_over, "carried over"),
        (delta.added, "added"),
        (delta.absent_here, "absent here"),
    )
    if told := [f"{number:,} {deed}" for number, deed in deeds if number]:
        yield (Text(f"{words(name)}: {', '.join(told)}"),)
