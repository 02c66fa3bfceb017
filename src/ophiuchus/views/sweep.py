"""The sweep's view: everything that one run or several found, worst first, for the summary and the issue.

What needs action is grouped by verdict; where reports of several repositories are joined, each row names its
own. Lists are bounded and say what they do not show.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ophiuchus.assess.verdicts import RANK, Aggregate
from ophiuchus.report.files import File, acting, by_file, file_of, rules_by_file
from ophiuchus.report.model import CapsuleReport, GateRule, Report
from ophiuchus.report.totals import unread_before
from ophiuchus.text.problem import NoticeCode
from ophiuchus.text.wording import counted
from ophiuchus.views.carriage import fidelity_line
from ophiuchus.views.document import Block, Code, Document, Heading, Line, Link, Paragraph, Part, Table, Text
from ophiuchus.views.ledgers import ledger_parts
from ophiuchus.views.lineage import lineage
from ophiuchus.views.one_capsule import capsule_details, capsule_row
from ophiuchus.views.phrases import (
    COMMIT_CHARACTERS,
    ROWS_SHOWN,
    cut_text,
    files_with_problems,
    with_code,
    words,
)
from ophiuchus.views.tracks import to_look_at_again
from ophiuchus.views.verdict import (
    DETAILS_SHOWN,
    capsules_without_action,
    folded_notices,
    gate_line,
    how_to_begin,
    judged,
    problem_table,
    time_and_run,
    tracks_told,
    verdict_counts,
    what_to_do,
)

_TOLD = (NoticeCode.REVALIDATION_REQUIRED, NoticeCode.TRUNCATED)
_DATE = len("2026-07-01")


def compose_sweep(
    report: Report, *, run: Link | None = None, repository_url: str | None = None, critical: int = 0
) -> Document:
    """The document of one sweep, or of reports that were joined. Its parameters are those of `compose`."""
    found = _Found.of(report)
    told = found.acting[:DETAILS_SHOWN]
    notices = by_file(one for one in report.notices if one.code not in _TOLD)
    details = tuple(
        Part(
            "capsule details",
            2,
            (capsule_details(one, notices.pop(file_of(one), ()), repository_url),),
        )
        for one in told
    )
    limits = [report.limits[track] for track in tracks_told(report, told, critical)]
    parts = [
        _headline(found),
        *problem_table(report.problems),
        *_repositories(report),
        *_groups(found, repository_url),
        *what_to_do(found.acting),
        *to_look_at_again(report.capsules),
        *ledger_parts(report.ledgers),
        *details,
        *capsules_without_action(found.others),
        *lineage(report.capsules),
        *folded_notices([notice for of_one in notices.values() for notice in of_one]),
        *([fidelity_line(critical)] if critical else []),
        what_was_judged(report, limits),
    ]
    return Document(tuple(parts), volatile=(time_and_run(report, run),))


@dataclass(frozen=True, slots=True)
class _Found:
    """A report with its capsules parted: `acting` need action or are named by the gate, `others` neither.

    `gated` has the rules that name a capsule, by its file.
    """

    report: Report
    gated: Mapping[File, Sequence[GateRule]]
    acting: Sequence[CapsuleReport]
    others: Sequence[CapsuleReport]

    @classmethod
    def of(cls, report: Report) -> _Found:
        told = acting(report)
        places = set(map(file_of, told))
        others = [one for one in report.capsules if file_of(one) not in places]
        return cls(report, rules_by_file(report), told, others)


def _several(report: Report) -> bool:
    return bool(report.sources) and not report.evaluated.tree


# The parts, in reading order.


def _headline(found: _Found) -> Part:
    report = found.report
    blocks: list[Block] = [Heading(1, (Text(_lead(found)),))]
    if report.capsules:
        blocks.append(Paragraph(verdict_counts(report)))
    elif not report.problems and not unread_before(report) and report.evaluated.shard is None:
        blocks.append(how_to_begin())
    left_out = [one for one in report.notices if one.code is NoticeCode.TRUNCATED]
    for notice in left_out[:ROWS_SHOWN]:
        of = f" in {notice.repository}" if notice.repository else ""
        blocks.append(Paragraph(with_code(cut_text(f"Note{of}: {notice.message}."))))
    if not report.gate.passed:
        blocks.append(Paragraph(gate_line(report.gate)))
    return Part("the headline", 0, tuple(blocks))


def _lead(found: _Found) -> str:
    report = found.report
    capsules = counted(len(report.capsules), "capsule")
    if _several(report):
        capsules += f" of {_repositories_counted(report)}"
    elif report.evaluated.shard is not None:
        capsules += f" of shard {report.evaluated.shard}"
    trouble = []
    if number := len(found.acting):
        trouble.append(f"{number:,} of {capsules} {'needs' if number == 1 else 'need'} action")
    trouble += filter(None, [files_with_problems(report.problems)])
    if trouble:
        return f"Action required: {', '.join(trouble)}"
    return f"Nothing to do: none of {capsules} needs action" if report.capsules else _nothing(report)


def _nothing(report: Report) -> str:
    shard = report.evaluated.shard
    return f"Nothing to do: there are no capsules {'yet' if shard is None else f'in shard {shard}'}"


def _repositories_counted(report: Report) -> str:
    number = len({source.repository for source in report.sources})
    return "1 repository" if number == 1 else f"{number:,} repositories"


def _repositories(report: Report) -> Iterator[Part]:
    """Each repository with its numbers, the ones with most to do first."""
    if not _several(report):
        return
    capsules = Counter(one.repository for one in report.capsules)
    needing = Counter(one.repository for one in report.capsules if one.needs_action and not one.continued)
    problems = Counter(one.repository for one in report.problems)
    commits = {source.repository: source for source in report.sources}
    ordered = sorted(commits, key=lambda name: (-needing[name], -problems[name], name or ""))
    rows: list[tuple[Line, ...]] = [
        (
            (Text(name or "unnamed"),),
            (Code((commits[name].head or commits[name].tree)[:COMMIT_CHARACTERS]),),
            *((Text(f"{counts[name]:,}"),) for counts in (capsules, needing, problems)),
        )
        for name in ordered[:ROWS_SHOWN]
    ]
    head = ("Repository", "Commit", "Capsules", "Need action", "Problems")
    yield Part("repositories", 1, (Table(head, tuple(rows), len(ordered) - len(rows)),))


def _groups(found: _Found, repository_url: str | None) -> Iterator[Part]:
    """A table for each verdict of which something needs action, the worst first."""
    groups: dict[Aggregate, list[CapsuleReport]] = defaultdict(list)
    for one in found.acting:
        groups[one.validity.aggregate].append(one)
    several = _several(found.report)
    head = ("Capsule", "Verdict", *(("Repository",) if several else ()), "Since", "Condition", "Why")
    for aggregate in sorted(groups, key=lambda one: -RANK[one]):
        members = groups[aggregate]
        rows = tuple(
            capsule_row(
                one,
                found.gated.get(file_of(one), ()),
                repository_url,
                *(((Text(one.repository or ""),),) if several else ()),
                _since(one),
            )
            for one in members[:ROWS_SHOWN]
        )
        but = ", but expired" if aggregate is Aggregate.VALID and all(one.expired for one in members) else ""
        title = Heading(2, (Text(f"{words(aggregate).capitalize()}{but} ({len(members):,})"),))
        yield Part(f"{words(aggregate)} capsules", 0, (title, Table(head, rows, len(members) - len(rows))))


def _since(capsule: CapsuleReport) -> Line:
    """The day since which it does not hold."""
    return (Text(capsule.stale_since.at[:_DATE]),) if capsule.stale_since else ()


def what_was_judged(report: Report, limits: Sequence[str]) -> Part:
    """What was judged, in one repository or in several, and what the verdicts are not."""
    if not _several(report):
        return judged(report.evaluated, limits)
    said = Text(f"Judged: {counted(len(report.sources), 'report')}, each of a commit, not of your work tree.")
    return Part("what was judged", 0, (Paragraph((said,)), *(Paragraph((Text(one),)) for one in limits)))
