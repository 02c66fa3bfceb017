"""All capsules of the page in one table, and above it the counts, which are what the table is filtered by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ophiuchus.assess.verdicts import Aggregate
from ophiuchus.report.files import by_file, file_of, rules_by_file
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.report.share import share_of
from ophiuchus.views.document import Status, Tone
from ophiuchus.views.page.age import age_of
from ophiuchus.views.page.capsule import (
    ACTION,
    CONTINUED,
    EXPIRED,
    REVALIDATE,
    Entry,
    entry_html,
    verdict_key,
)
from ophiuchus.views.page.columns import HEADS, SORTED_BY, Column, columns_for
from ophiuchus.views.page.lineage import Lineage
from ophiuchus.views.page.markup import line_html, text_html
from ophiuchus.views.phrases import TONES, words

CAPSULES_SHOWN = 20_000
"""Most capsules of one page, the worst ones first: no browser is quick with more."""


def overview(report: Report, repository_url: str | None) -> Iterator[str]:
    """Counts, filters and the table, piece by piece."""
    shown = in_order(report)[:CAPSULES_SHOWN]
    repositories = sorted({name for one in shown if (name := _repository(one, report)) is not None})
    several = len(repositories) > 1
    columns = columns_for(several=several, compared=report.evaluated.base is not None)
    yield from _filters(report, repositories if several else ())
    yield f"{_head(columns)}\n"
    lineage = Lineage(shown)
    for entry in _entries(shown, report, lineage, several=several):
        yield entry_html(entry, columns, lineage, repository_url)
    yield "</table>\n"
    if more := len(report.capsules) - len(shown):
        yield f'<p class="more">… and {more:,} more, none of them more urgent.</p>\n'


def in_order(report: Report) -> list[CapsuleReport]:
    """What this change did comes first, what a newer capsule continues last, for it asks nothing.

    Else as reported.
    """
    share = share_of(report)
    led = {file_of(one) for one in share.leading if isinstance(one, CapsuleReport)} if share else set()
    return sorted(report.capsules, key=lambda one: (one.continued, file_of(one) not in led))


def _entries(
    shown: Sequence[CapsuleReport], report: Report, lineage: Lineage, *, several: bool
) -> Iterator[Entry]:
    notices, rules = by_file(report.notices), rules_by_file(report)
    for number, capsule in enumerate(shown):
        yield Entry(
            capsule,
            lineage.place(number),
            _repository(capsule, report) if several else None,
            age_of(capsule.stale_since, report.evaluated.now),
            rules.get(file_of(capsule), ()),
            notices.get(file_of(capsule), ()),
        )


def _repository(capsule: CapsuleReport, report: Report) -> str | None:
    return capsule.repository or report.evaluated.repository


# What stands above the table. All that needs the script is hidden until it runs.


def _filters(report: Report, repositories: Sequence[str]) -> Iterator[str]:
    yield '<div class="filters" role="search" aria-label="Capsules">\n'
    yield from _counts("Verdict", "verdict", _verdicts(report))
    yield from _counts("Marks", "mark", _marks(report))
    yield '<div class="narrowing" hidden>\n'
    yield (
        '<label>Find <input type="search" name="words" autocomplete="off" spellcheck="false"'
        ' placeholder="id, title, file, cause"></label>\n'
    )
    if repositories:
        options = "".join(
            f'<option value="{text_html(one)}">{text_html(one)}</option>' for one in repositories
        )
        yield (
            '<label>Repository <select name="repository"><option value="">all'
            f" {len(repositories):,}</option>{options}</select></label>\n"
        )
    yield '<button type="button">Show all</button>\n<output></output>\n</div>\n</div>\n'


def _counts(label: str, name: str, counts: Iterable[tuple[str, int, Status]]) -> Iterator[str]:
    yield f'<div role="group" aria-label="{label}"><ul>\n'
    for value, number, said in counts:
        if number:
            box = f'<input type="checkbox" name="{name}" value="{value}" hidden>'
            yield f"<li><label>{box}<b>{number:,}</b> {line_html((said,))}</label></li>\n"
    yield "</ul></div>\n"


def _verdicts(report: Report) -> Iterator[tuple[str, int, Status]]:
    """How many capsules have each verdict, the worst first."""
    counts = Counter(map(verdict_key, report.capsules))
    for verdict in reversed(Aggregate):
        yield verdict.value, counts[verdict.value], Status(words(verdict), TONES[verdict])
    yield CONTINUED, counts[CONTINUED], Status("continued by a newer one", Tone.NONE)


def _marks(report: Report) -> Iterator[tuple[str, int, Status]]:
    totals = report.totals
    yield ACTION, totals.needs_action, Status("needs action", Tone.BAD)
    yield EXPIRED, totals.expired, Status("expired", Tone.BAD)
    yield REVALIDATE, totals.revalidation_required, Status("something to revalidate", Tone.PART)


def _head(columns: Sequence[Column]) -> str:
    names = "".join(
        f'<th role="columnheader" scope="col" class="{column}"{_sortable(column)}>{HEADS[column]}</th>'
        for column in columns
    )
    return (
        '<table role="table" class="capsules">\n<caption class="unseen">All capsules</caption>\n'
        f'<thead role="rowgroup"><tr role="row">{names}</tr></thead>'
    )


def _sortable(column: Column) -> str:
    return f' data-sort="{column}"' if column in SORTED_BY else ""
