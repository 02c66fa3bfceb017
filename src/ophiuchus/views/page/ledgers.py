"""The ledgers on the page: of the critics what blocks first, then signs that they say yes to all; the memory.

Nothing is told of a ledger that is switched off. Whatever a row says is data, shown as text or code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ophiuchus.report.ledgers import LEDGER_LIMIT, BlockingFinding, CriticLedger, Ledgers, MemoryLedger
from ophiuchus.report.model import Report
from ophiuchus.text.problem import Notice, Problem
from ophiuchus.text.wording import counted
from ophiuchus.views.document import Line, Paragraph, Part, Status, Text, Tone
from ophiuchus.views.ledgers import (
    blocking_words,
    lost_parts,
    memory_part,
    named,
    phase_parts,
    provenance_parts,
    rows_of,
    said_in,
)
from ophiuchus.views.page.markup import blocks_html, line_html, text_html
from ophiuchus.views.phrases import cut_name, notice_list

PLACE = "ledgers"
PROBLEMS = "problems"
"""The fragments of the ledgers, and of the table of what could not be used."""

_TONES = {"critical": Tone.BAD, "high": Tone.BAD, "medium": Tone.PART, "low": Tone.NONE}
_HEADS = ("Severity", "What was found", "Finding")


def way_to_ledgers(ledgers: Ledgers) -> str:
    """What is said of them at the top, with the way there."""
    if not ledgers.is_any_read:
        return ""
    told = [Status(words, Tone.BAD) for words in (blocking_words(ledgers),) if words]
    if count := ledgers.lost_count:
        told.append(Status(f"{counted(count, 'row')} removed or altered", Tone.PART))
    said = ", ".join(line_html((one,)) for one in told) or "no finding is open and blocks"
    if ledgers.critic is None and not told:
        said = "the memory was read"
    return f'<p><a href="#{PLACE}">Ledgers</a>: {said}.</p>\n'


def ledger_section(report: Report) -> Iterator[str]:
    """Both ledgers, as far as they were read, piece by piece."""
    ledgers = report.ledgers
    if not ledgers.is_any_read:
        return
    yield f'<section class="ledgers" id="{PLACE}">\n'
    if ledgers.critic is not None:
        yield "<h2>Critics' findings</h2>\n"
        yield from _critic(ledgers.critic, report)
    if ledgers.memory is not None:
        yield "<h2>Memory</h2>\n"
        yield from _memory(ledgers.memory, report)
    yield f'<p class="more">{text_html(LEDGER_LIMIT)}</p>\n</section>\n'


def is_told_with_ledgers(path: str, ledgers: Ledgers) -> bool:
    """Whether what is said of this file is said where its ledger is told of."""
    critic, memory = ledgers.critic, ledgers.memory
    return (critic is not None and path == critic.path) or (memory is not None and _is_of(path, memory))


def _is_of(path: str, memory: MemoryLedger) -> bool:
    """Whether it is one of the memory's files: an archive's folder is named as the ledgers' own, and more."""
    folders = {family.path.rpartition("/")[0] for family in memory.families}
    return any(path.startswith(folder) for folder in folders if folder)


def _critic(critic: CriticLedger, report: Report) -> Iterator[str]:
    yield blocks_html([Paragraph(rows_of(critic))])
    yield from _findings(critic)
    yield _notices([one for one in report.notices if one.path == critic.path])
    yield _parts(lost_parts(critic.lost, critic.lost_count))
    yield _problems([one for one in report.problems if one.path == critic.path])
    yield _parts(phase_parts(critic))


def _memory(memory: MemoryLedger, report: Report) -> Iterator[str]:
    yield _notices([one for one in report.notices if _is_of(one.path, memory)])
    yield _parts(lost_parts(memory.lost, memory.lost_count))
    yield _problems([one for one in report.problems if _is_of(one.path, memory)])
    yield _parts([*provenance_parts(memory.provenance), memory_part(memory)])


def _parts(parts: Iterable[Part]) -> str:
    return blocks_html(block for part in parts for block in part.blocks)


def _notices(notices: Sequence[Notice]) -> str:
    return blocks_html([notice_list(notices)]) if notices else ""


def _problems(problems: Sequence[Problem]) -> str:
    """How many there are: they stand at the top, since nothing else of the report may be so urgent."""
    if not problems:
        return ""
    said = line_html((Status(counted(len(problems), "problem"), Tone.BAD),))
    return f'<p>{said}, <a href="#{PROBLEMS}">told at the top</a>.</p>\n'


# What blocks. The words to narrow it by are hidden until the script runs.


def _findings(critic: CriticLedger) -> Iterator[str]:
    if not critic.open_blocking:
        return
    yield (
        '<div class="narrowing" role="search" aria-label="Findings" hidden>\n'
        '<label>Find <input type="search" name="finding" autocomplete="off" spellcheck="false"'
        ' placeholder="words, lens, phase, id"></label>\n<output></output>\n</div>\n'
    )
    heads = "".join(f'<th role="columnheader" scope="col">{head}</th>' for head in _HEADS)
    yield (
        '<table role="table" class="findings">\n<caption class="unseen">Open and blocking</caption>\n'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>\n<tbody role="rowgroup">\n'
    )
    yield from map(_finding, critic.open_blocking)
    yield "</tbody>\n</table>\n"
    if (more := critic.open_blocking_count - len(critic.open_blocking)) > 0:
        yield f'<p class="more">… and {more:,} more.</p>\n'


def _finding(one: BlockingFinding) -> str:
    severity: Line = (Status(cut_name(one.severity) or "not said", _TONES.get(one.severity, Tone.OPEN)),)
    lens: Line = (Text(", ".join(filter(None, (cut_name(one.lens), f"line {one.line:,}")))),)
    where: Line = (*named(one.run_id), Text(", "), *named(one.phase_id))
    return (
        f'<tr role="row"><td role="cell">{line_html(severity)}</td>'
        f'<td role="cell">{text_html(said_in(one))} <small>{line_html(lens)}</small></td>'
        f'<td role="cell">{line_html(named(one.finding_id))} <small>{line_html(where)}</small></td></tr>\n'
    )
