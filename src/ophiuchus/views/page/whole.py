"""Report -> one HTML page that stands alone: counts, every capsule in a table to filter and sort, its tracks.

Everything can be read without the script, which only hides and moves rows. The page forbids itself all but
its own style sheet and script, each named by its digest, so nothing in a report could load or run anything.
Texts are cleaned and escaped; into the script goes no text at all.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.resources import files

from ophiuchus.report.files import File, file_of
from ophiuchus.report.model import Evaluated, RemovedCapsule, Report
from ophiuchus.text.problem import Notice, NoticeCode
from ophiuchus.text.wording import counted
from ophiuchus.views.document import Block, Bullets, Code, Heading, Line, Link, Table, Text
from ophiuchus.views.page.ledgers import PROBLEMS, is_told_with_ledgers, ledger_section, way_to_ledgers
from ophiuchus.views.page.markup import blocks_html, text_html
from ophiuchus.views.page.table import overview
from ophiuchus.views.phrases import ROWS_SHOWN, cut_name, cut_path, notice_list, status
from ophiuchus.views.verdict import headline, judged, problem_table, time_and_run


def page(report: Report, *, run: Link | None = None, repository_url: str | None = None) -> Iterator[str]:
    """The whole page, piece by piece, to be written as UTF-8: all of a large one need not be held.

    `run` leads to the run's log, `repository_url` is the repository's own page: both from configured values.
    """
    style, script = _own_file("page.css"), _own_file("page.js")
    first = tuple(headline(report))
    yield from _frame_before(_title(first, report.evaluated.repository), style, script)
    yield f"<header>\n{blocks_html(first)}{way_to_ledgers(report.ledgers)}</header>\n"
    if report.problems:
        problems = blocks_html(block for part in problem_table(report.problems) for block in part.blocks)
        yield f'<section id="{PROBLEMS}">\n{problems}</section>\n'
    yield blocks_html(_removed(report.removed))
    if report.capsules:
        yield from overview(report, repository_url)
    yield from ledger_section(report)
    yield blocks_html(_notices(report))
    yield f'<section class="limits">\n{blocks_html(_limits(report))}</section>\n'
    yield f"<footer>\n{blocks_html([time_and_run(report, run)])}</footer>\n"
    yield f"</main>\n<script>{script}</script>\n</body>\n</html>\n"


def _frame_before(title: str, style: str, script: str) -> Iterator[str]:
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
    )


def _own_file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _digest(source: str) -> str:
    return f"sha256-{b64encode(sha256(source.encode()).digest()).decode()}"


def _title(first: Iterable[Block], repository: str | None) -> str:
    heading = next((block.line for block in first if isinstance(block, Heading)), ())
    lead = "".join(node.value for node in heading)
    return text_html(" · ".join(filter(None, (lead, repository))))


def _removed(removed: Sequence[RemovedCapsule]) -> Iterator[Block]:
    """The capsules that this change took away."""
    if removed:
        rows: list[tuple[Line, ...]] = [
            ((Code(cut_name(gone.capsule_id)),), (status(gone.before),), (Code(cut_path(gone.path)),))
            for gone in removed[:ROWS_SHOWN]
        ]
        yield Heading(2, (Text("Removed by this change"),))
        yield Table(("Capsule", "It was", "File"), tuple(rows), len(removed) - len(rows))


def _notices(report: Report) -> Iterator[Block]:
    """What is said of the run, and of files that are no capsules."""
    told = set(map(file_of, report.capsules))
    untold = (notice for notice in report.notices if _is_untold(notice, told))
    if further := [one for one in untold if not is_told_with_ledgers(one.path, report.ledgers)]:
        yield Heading(2, (Text("Worth knowing"),))
        yield notice_list(further)


def _is_untold(notice: Notice, told: set[File]) -> bool:
    # That the base is not known is said first.
    return file_of(notice) not in told and notice.code is not NoticeCode.BASE_UNKNOWN


def _sources(sources: Sequence[Evaluated]) -> Iterator[Block]:
    """What was judged in each of several reports."""
    shown: list[Line] = [
        (
            Text(f"{cut_name(one.repository or 'a repository without a name')}: "),
            *((Text("commit "), Code(one.head)) if one.head else (Text("the index, tree "), Code(one.tree))),
            Text(f", shard {one.shard}" if one.shard else ""),
            Text(f", at {one.now}"),
        )
        for one in sources[:ROWS_SHOWN]
    ]
    if more := len(sources) - len(shown):
        shown.append((Text(f"and {counted(more, 'more report')}"),))
    yield Heading(2, (Text("What was judged"),))
    yield Bullets(tuple(shown))


def _limits(report: Report) -> Iterator[Block]:
    """What was judged, and what the verdicts of each track are not."""
    yield from _sources(report.sources) if report.sources else judged(report.evaluated, ()).blocks
    yield Heading(2, (Text("What the verdicts do not say"),))
    yield Bullets(tuple((Text(sentence),) for sentence in report.limits.values()))
