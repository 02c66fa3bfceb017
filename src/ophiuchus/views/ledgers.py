"""The ledgers in a view: what blocks, how each phase stands, rows that went, the memory's digest.

Whatever a row says is data, shown as text or code and never obeyed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ophiuchus.assess.wording import counted
from ophiuchus.report.ledgers import (
    LEDGER_LIMIT,
    NOT_SHOWN,
    BlockingFinding,
    CriticLedger,
    Ledgers,
    MemoryLedger,
    PhaseDecision,
    PhaseReview,
    Provenance,
)
from ophiuchus.views.document import (
    Block,
    Code,
    CodeBlock,
    Details,
    Inline,
    Line,
    Paragraph,
    Part,
    Status,
    Strong,
    Table,
    Text,
    Tone,
)
from ophiuchus.views.phrases import cut_name, cut_text

_TONES = {
    PhaseDecision.PASS: Tone.GOOD,
    PhaseDecision.REWORK: Tone.PART,
    PhaseDecision.CAP_EXHAUSTED: Tone.BAD,
}


def ledger_parts(ledgers: Ledgers) -> Iterator[Part]:
    """All that is told of the ledgers that were read; nothing where none was."""
    if ledgers.critic is not None:
        yield from _critic_parts(ledgers.critic)
    if ledgers.lost_count:
        yield _lost(ledgers)
    if ledgers.memory is not None:
        yield from provenance_parts(ledgers.memory.provenance)
        yield _memory(ledgers.memory)
    if ledgers.critic is not None or ledgers.memory is not None:
        yield Part("what ledgers are", 2, (Paragraph((Text(LEDGER_LIMIT),)),))


def provenance_parts(provenance: Sequence[Provenance]) -> Iterator[Part]:
    """What was ruled out, and the entries of the memory that it comes from."""
    if provenance:
        rows = tuple(_source(one) for one in provenance)
        table = Table(("Capsule", "Ruled out", "Entry", "Status", "What it says"), rows)
        summary = (Text(f"{counted(len(rows), 'rejection')} with a source in the memory"),)
        yield Part("what rejections come from", 3, (Details(summary, (table,)),))


def blocking_words(ledgers: Ledgers) -> str:
    """`2 findings are open and block`; empty where none is."""
    count = ledgers.critic.open_blocking_count if ledgers.critic else 0
    if not count:
        return ""
    return f"{counted(count, 'finding')} {'is open and blocks' if count == 1 else 'are open and block'}"


def _critic_parts(critic: CriticLedger) -> Iterator[Part]:
    line: list[Inline] = [Strong("Critics' findings: "), Text(f"{counted(critic.rows, 'row')} in ")]
    line += [Code(critic.path), Text(f", {critic.open_blocking_count:,} open and blocking.")]
    blocks: list[Block] = [Paragraph(tuple(line))]
    if critic.open_blocking:
        head = ("Line", "Finding", "Run, phase", "Lens", "Severity", "What was found")
        rows = tuple(_finding(one) for one in critic.open_blocking)
        blocks.append(Table(head, rows, critic.open_blocking_count - len(rows)))
    yield Part("what the critics found", 1, tuple(blocks))
    if critic.phases:
        phases = tuple(_phase(one) for one in critic.phases)
        head_of_phases = ("Run", "Phase", "Least score", "Open and blocking", "Comes to")
        table = Table(head_of_phases, phases, critic.phase_count - len(phases))
        summary = (Text(f"{counted(critic.phase_count, 'phase')} reviewed"),)
        yield Part("reviewed phases", 3, (Details(summary, (table,)),))


def _finding(one: BlockingFinding) -> tuple[Line, ...]:
    said = NOT_SHOWN if one.text is None else cut_text(one.text)
    return (
        (Text(str(one.line)),),
        _named(one.finding_id),
        (*_named(one.run_id), Text(", "), *_named(one.phase_id)),
        (Text(one.lens),),
        (Text(one.severity),),
        (Text(said),),
    )


def _phase(one: PhaseReview) -> tuple[Line, ...]:
    words = one.decision.value.replace("_", " ")
    if one.decision is PhaseDecision.REWORK:
        words = f"rework {one.generation + 1:,} of {one.most:,}"
    return (
        _named(one.run_id),
        _named(one.phase_id),
        (Text("none" if one.aggregate is None else str(one.aggregate)),),
        (Text(f"{one.open_blocking:,}"),),
        (Status(words, _TONES[one.decision]),),
    )


def _lost(ledgers: Ledgers) -> Part:
    rows = tuple(
        ((Code(cut_name(f"{one.path}:{one.line}")),), _named(one.identity or ""), (Text(one.change.value),))
        for one in ledgers.lost
    )
    are = "row that stands" if ledgers.lost_count == 1 else "rows that stand"
    lead = (
        Strong("Not only added to: "),
        Text(f"this change removed or altered {ledgers.lost_count:,} {are} in a ledger at the base."),
    )
    table = Table(("At the base", "Id", "What became of it"), rows, ledgers.lost_count - len(rows))
    return Part("rows that went", 1, (Paragraph(lead), table))


def _memory(memory: MemoryLedger) -> Part:
    head = ("Ledger", "Rows", "Active", "Archives")
    rows = tuple(
        (
            (Code(family.path),),
            (Text(f"{family.rows:,}"),),
            (Text(f"{family.active:,}"),),
            (Text(f"{family.archives:,}"),),
        )
        for family in memory.families
    )
    blocks: list[Block] = [Table(head, rows)]
    if memory.digest:
        blocks.append(CodeBlock(memory.digest))
    number = len(memory.digest_entry_ids)
    summary = (Text(f"Memory: {number:,} {'entry' if number == 1 else 'entries'} in its digest"),)
    return Part("the memory's digest", 4, (Details(summary, tuple(blocks)),))


def _source(one: Provenance) -> tuple[Line, ...]:
    if one.ledger is None:
        entry: Line = (Code(cut_name(one.entry_id)), Text(": no such entry"))
    else:
        entry = (Code(cut_name(one.entry_id)), Text(" at "), Code(cut_name(f"{one.ledger}:{one.line}")))
    said = "" if one.ledger is None else NOT_SHOWN if one.text is None else cut_text(one.text)
    return (
        (Code(cut_name(one.path)),),
        (Code(one.item_id),),
        entry,
        (Text(one.status or ""),),
        (Text(said),),
    )


def _named(name: str) -> Line:
    return (Code(cut_name(name)),) if name else (Text("(none)"),)
