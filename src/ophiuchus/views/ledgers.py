"""The ledgers in a view: what blocks, how each phase stands, rows that went, the memory's digest.

Whatever a row says is data, shown as text or code and never obeyed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ophiuchus.report.ledgers import (
    LEDGER_LIMIT,
    NOT_SHOWN,
    BlockingFinding,
    CriticLedger,
    Ledgers,
    LostRow,
    MemoryLedger,
    PhaseDecision,
    PhaseReview,
    Provenance,
)
from ophiuchus.text.wording import counted
from ophiuchus.views.document import (
    Block,
    Code,
    CodeBlock,
    Details,
    Line,
    Paragraph,
    Part,
    Status,
    Strong,
    Table,
    Text,
    Tone,
)
from ophiuchus.views.phrases import cut_name, cut_path, cut_text, words

_TONES = {
    PhaseDecision.PASS: Tone.GOOD,
    PhaseDecision.REWORK: Tone.PART,
    PhaseDecision.CAP_EXHAUSTED: Tone.BAD,
}


def ledger_parts(ledgers: Ledgers) -> Iterator[Part]:
    """All that is told of the ledgers that were read; nothing where none was."""
    if ledgers.critic is not None:
        yield _critic(ledgers.critic)
        yield from phase_parts(ledgers.critic)
    yield from lost_parts(ledgers.lost, ledgers.lost_count)
    if ledgers.memory is not None:
        yield from provenance_parts(ledgers.memory.provenance)
        yield memory_part(ledgers.memory)
    if ledgers.is_any_read:
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


def rows_of(critic: CriticLedger) -> Line:
    """How many rows there are and where, and how many of them are open and block."""
    if not critic.rows and not critic.open_blocking_count:
        return (Text("None in "), Code(cut_path(critic.path)), Text("."))  # which may not be there
    where = (Text(f"{counted(critic.rows, 'row')} in "), Code(cut_path(critic.path)))
    return (*where, Text(f", {critic.open_blocking_count:,} open and blocking."))


def said_in(finding: BlockingFinding) -> str:
    """A finding's words, cut to a length."""
    return NOT_SHOWN if finding.text is None else cut_text(finding.text)


def named(name: str) -> Line:
    """An id of a row, which may be none."""
    return (Code(cut_name(name)),) if name else (Text("(none)"),)


def _critic(critic: CriticLedger) -> Part:
    blocks: list[Block] = [Paragraph((Strong("Critics' findings: "), *rows_of(critic)))]
    if critic.open_blocking:
        head = ("Line", "Finding", "Run, phase", "Lens", "Severity", "What was found")
        rows = tuple(_finding(one) for one in critic.open_blocking)
        blocks.append(Table(head, rows, critic.open_blocking_count - len(rows)))
    return Part("what the critics found", 1, tuple(blocks))


def phase_parts(critic: CriticLedger) -> Iterator[Part]:
    """How each phase of a run stands, those first that do not pass."""
    if critic.phases:
        phases = tuple(_phase(one) for one in critic.phases)
        head_of_phases = ("Run", "Phase", "Least score", "Open and blocking", "Comes to")
        table = Table(head_of_phases, phases, critic.phase_count - len(phases))
        summary = (Text(f"{counted(critic.phase_count, 'phase')} reviewed"),)
        yield Part("reviewed phases", 3, (Details(summary, (table,)),))


def _finding(one: BlockingFinding) -> tuple[Line, ...]:
    return (
        (Text(str(one.line)),),
        named(one.finding_id),
        (*named(one.run_id), Text(", "), *named(one.phase_id)),
        (Text(one.lens),),
        (Text(one.severity),),
        (Text(said_in(one)),),
    )


def _phase(one: PhaseReview) -> tuple[Line, ...]:
    comes_to = words(one.decision)
    if one.decision is PhaseDecision.REWORK:
        comes_to += f" {one.generation + 1:,} of {one.most:,}"
    return (
        named(one.run_id),
        named(one.phase_id),
        (Text("none" if one.aggregate is None else str(one.aggregate)),),
        (Text(f"{one.open_blocking:,}"),),
        (Status(comes_to, _TONES[one.decision]),),
    )


def lost_parts(lost: Sequence[LostRow], count: int) -> Iterator[Part]:
    """The rows that this change removed or altered, `count` in all."""
    if not count:
        return
    rows = tuple(
        ((Code(cut_path(f"{one.path}:{one.line}")),), named(one.identity or ""), (Text(one.change.value),))
        for one in lost
    )
    are = "row that stands" if count == 1 else "rows that stand"
    lead = (
        Strong("Not only added to: "),
        Text(f"this change removed or altered {count:,} {are} in a ledger at the base."),
    )
    table = Table(("At the base", "Id", "What became of it"), rows, count - len(rows))
    yield Part("rows that went", 1, (Paragraph(lead), table))


def memory_part(memory: MemoryLedger) -> Part:
    """The memory's ledgers and their digest, folded."""
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
        entry = (Code(cut_name(one.entry_id)), Text(" at "), Code(cut_path(f"{one.ledger}:{one.line}")))
    said = "" if one.ledger is None else NOT_SHOWN if one.text is None else cut_text(one.text)
    return (
        (Code(cut_path(one.path)),),
        (Code(one.item_id),),
        entry,
        (Text(one.status or ""),),
        (Text(said),),
    )
