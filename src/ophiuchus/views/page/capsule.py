"""One capsule on the page: its row in the table, and below it, folded, all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ophiuchus.assess.continuity import ContinuityStatus
from ophiuchus.report.model import CapsuleReport, GateRule
from ophiuchus.text.problem import Notice
from ophiuchus.text.wording import counted
from ophiuchus.views import change
from ophiuchus.views.document import Block, Code, Line, Paragraph, Text
from ophiuchus.views.one_capsule import capsule_row, condition_blocks, worth_knowing
from ophiuchus.views.page.age import Age
from ophiuchus.views.page.columns import Column
from ophiuchus.views.page.lineage import CHILDREN_NAMED, Lineage
from ophiuchus.views.page.markup import blocks_html, line_html, text_html
from ophiuchus.views.phrases import cut_name, cut_path, listed, status
from ophiuchus.views.tracks import compared, fidelity_to, read_of, ruled_out

CONTINUED = "continued"
"""What stands for a verdict where a newer capsule continues this one: the counts leave it out too."""
ACTION, EXPIRED, REVALIDATE = "action", "expired", "revalidate"
"""What else a capsule can be looked for by."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One capsule with what the report says of it elsewhere. `fragment` is its place on the page."""

    capsule: CapsuleReport
    fragment: str
    repository: str | None
    age: Age | None
    rules: Sequence[GateRule]
    notices: Sequence[Notice]


def entry_html(entry: Entry, columns: Sequence[Column], lineage: Lineage, repository_url: str | None) -> str:
    """The capsule as one `tbody` of two rows: what it comes to, and its four tracks.

    The roles say what the elements are by themselves, until a style sheet displays them as anything else.
    """
    cells = _cells(entry, repository_url)
    return (
        f'<tbody role="rowgroup" id="{text_html(entry.fragment)}"{_attributes(entry)}>\n<tr role="row">'
        f"{''.join(_cell(column, cells[column]) for column in columns)}</tr>\n"
        f'<tr role="row"><td role="cell" colspan="{len(columns)}" aria-colspan="{len(columns)}"><details>\n'
        f'<summary><span class="unseen">{text_html(cut_name(entry.capsule.capsule_id))}: </span>'
        f"{line_html(_summary(entry))}</summary>\n"
        f"{''.join(_tracks(entry, lineage, repository_url))}</details></td></tr>\n</tbody>\n"
    )


def verdict_key(capsule: CapsuleReport) -> str:
    """What a capsule is counted under: its verdict, unless a newer one continues it."""
    return CONTINUED if capsule.continued else capsule.validity.aggregate.value


def marks_of(capsule: CapsuleReport) -> Iterator[str]:
    """What a live capsule is besides its verdict."""
    if not capsule.continued:
        if capsule.needs_action:
            yield ACTION
        if capsule.expired:
            yield EXPIRED
        if capsule.to_revalidate:
            yield REVALIDATE


def _attributes(entry: Entry) -> str:
    """What the page's script reads. Of these the path and the repository are data."""
    known = {
        "verdict": verdict_key(entry.capsule),
        "marks": " ".join(marks_of(entry.capsule)),
        "repository": entry.repository or "",
        "path": entry.capsule.path,
        "days": "" if entry.age is None else str(entry.age.days),
    }
    return "".join(f' data-{name}="{text_html(value)}"' for name, value in known.items() if value)


def _cells(entry: Entry, repository_url: str | None) -> dict[Column, str]:
    capsule = entry.capsule
    name, verdict, conditions, causes = capsule_row(capsule, entry.rules, repository_url)
    why = [part for part in (conditions, causes) if part]
    age = entry.age
    return {
        Column.CAPSULE: f'{line_html(name)}<span class="title">{text_html(cut_name(capsule.title))}</span>',
        Column.REPOSITORY: text_html(entry.repository or ""),
        Column.VERDICT: line_html(verdict),
        Column.CHANGE: text_html(change.deed(capsule)),
        Column.WHY: "<br>".join(map(line_html, why)),
        Column.AGE: f"{age.words} <small>{age.counted_from}</small>" if age else "",
    }


def _cell(column: Column, html: str) -> str:
    if column is Column.CAPSULE:
        return f'<th role="rowheader" scope="row" class="{column}">{html}</th>'
    return f'<td role="cell" class="{column}">{html}</td>'


def _summary(entry: Entry) -> Line:
    """What there is to unfold, in a few words."""
    capsule = entry.capsule
    told: list[Line] = [(Text(counted(len(capsule.validity.conditions), "condition")),)]
    if ideas := len(capsule.negative_knowledge):
        told.append((Text(f"{counted(ideas, 'idea')} ruled out"),))
    if (parent := capsule.continuity.parent_capsule_id) is not None:
        told.append((Text("continues "), Code(cut_name(parent))))
    return listed(told)


def _tracks(entry: Entry, lineage: Lineage, repository_url: str | None) -> Iterator[str]:
    capsule = entry.capsule
    yield blocks_html(_about(entry))
    yield '<div class="tracks">\n'
    yield from _track("Validity", condition_blocks(capsule, repository_url), "It declares no condition.")
    fidelity = (block for track in capsule.fidelity for block in fidelity_to(track))
    yield from _track("Fidelity", fidelity, "No critical unit of it was looked for in a rendering.")
    yield from _track("Ruled out", ruled_out(capsule.negative_knowledge), "It rules nothing out.")
    yield f"<section>\n<h3>Continuity</h3>\n{_lines(capsule, lineage)}</section>\n</div>\n"
    yield blocks_html(worth_knowing(entry.notices))


def _about(entry: Entry) -> Iterator[Block]:
    capsule, age = entry.capsule, entry.age
    yield Paragraph((Text("File: "), Code(cut_path(capsule.path))))
    if capsule.before is not None:
        yield Paragraph((Text("Before this change: "), status(capsule.before)))
    if age is not None:
        yield Paragraph((Text(f"Stale for: {age.words} {age.counted_from} ({age.at})"),))


def _track(title: str, blocks: Iterator[Block], nothing: str) -> Iterator[str]:
    told = blocks_html(blocks) or blocks_html([Paragraph((Text(nothing),))])
    yield f"<section>\n<h3>{title}</h3>\n{told}</section>\n"


def _lines(capsule: CapsuleReport, lineage: Lineage) -> str:
    """The capsule it continues and those that continue it, with the ways to them."""
    continuity = capsule.continuity
    html = "<p>It continues no other capsule.</p>\n"
    if continuity.status is not ContinuityStatus.NONE:
        parent = _way(continuity.parent_capsule_id or "", lineage.parent_place(capsule))
        html = f"<p>Continues {parent}: {line_html(read_of(continuity))}</p>\n"
        html += blocks_html([compared(continuity)])
    if children := lineage.children(capsule):
        ways = [_way(one.capsule_id, lineage.place_of(one)) for one in children[:CHILDREN_NAMED]]
        more = f" and {len(children) - len(ways):,} more" if len(children) > len(ways) else ""
        html += f"<p>Continued by {', '.join(ways)}{more}</p>\n"
    return html


def _way(capsule_id: str, fragment: str | None) -> str:
    named = line_html((Code(cut_name(capsule_id)),))
    return named if fragment is None else f'<a href="#{text_html(fragment)}">{named}</a>'
