"""The view of the rolling issue: what needs action now, grouped by whose it is, the worst first.

Where reports of several repositories are joined, the groups are the repositories.

What changes from sweep to sweep though nothing else did (commit, time, run) is volatile: an issue is written
only when there is something new to say. Nobody is mentioned by it: owners are data like everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ophiuchus.report.files import acting, file_of, rules_by_file
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.report.owners import Owners
from ophiuchus.text.wording import counted
from ophiuchus.views.document import Code, Document, Heading, Line, Link, Paragraph, Part, Table, Text
from ophiuchus.views.one_capsule import capsule_row
from ophiuchus.views.phrases import ROWS_SHOWN, cut_name, listed
from ophiuchus.views.sweep import what_was_judged
from ophiuchus.views.tracks import to_look_at_again
from ophiuchus.views.verdict import headline, problem_table, time_and_run, what_to_do

GROUPS_SHOWN = 50
"""Most groups that are told one by one."""
OWNERS_NAMED = 10
"""Most owners named of one group."""

_HEAD = ("Capsule", "Verdict", "Condition", "Why")


class Group(NamedTuple):
    """Capsules that belong together; `title` is empty where there is but one group."""

    title: Line
    capsules: list[CapsuleReport]


def grouped(capsules: Sequence[CapsuleReport], owners: Mapping[str, Owners] | None) -> list[Group]:
    """The capsules by repository, if they say theirs, else by owners; in one group where nobody has any.

    Groups and capsules keep their order, so the worst group is the first.
    """
    groups: dict[Line, Group] = {}
    for capsule in capsules:
        title = _title(capsule, owners)
        groups.setdefault(title, Group(title, [])).capsules.append(capsule)
    return list(groups.values())


def compose_issue(
    report: Report,
    owners: Mapping[str, Owners] | None,
    *,
    run: Link | None = None,
    repository_url: str | None = None,
) -> Document:
    """What stands in the issue. `owners` has those of each capsule by its path; None: nobody has any.

    `run` leads to the run's log; `repository_url` is the repository's page, from configured values.
    """
    groups = grouped(acting(report), owners)
    limits = tuple(Paragraph((Text(report.limits[track]),)) for track in _tracks_told(report))
    parts = (
        Part("the headline", 0, tuple(headline(report))),
        *problem_table(report.problems),
        *_groups(report, groups, repository_url),
        *what_to_do(acting(report)),
        *to_look_at_again(report.capsules),
        Part("how the issue is kept", 0, (_how_it_is_kept(), *limits)),
    )
    return Document(parts, volatile=(*what_was_judged(report, ()).blocks, time_and_run(report, run)))


def _groups(report: Report, groups: Sequence[Group], repository_url: str | None) -> Iterator[Part]:
    rules = rules_by_file(report)
    for group in groups[:GROUPS_SHOWN]:
        rows = tuple(
            capsule_row(one, rules.get(file_of(one), ()), repository_url)
            for one in group.capsules[:ROWS_SHOWN]
        )
        title = (Heading(2, group.title),) if group.title else ()
        table = Table(_HEAD, rows, len(group.capsules) - len(rows))
        yield Part("capsules", 1, (*title, table))
    if rest := groups[GROUPS_SHOWN:]:
        capsules = counted(sum(len(group.capsules) for group in rest), "more capsule")
        said = Text(f"And {capsules} in {counted(len(rest), 'other group')}.")
        yield Part("the number of other capsules", 0, (Paragraph((said,)),))


def _title(capsule: CapsuleReport, owners: Mapping[str, Owners] | None) -> Line:
    """The title of the group that a capsule is in."""
    if capsule.repository is not None:
        return (Code(cut_name(capsule.repository)),)
    if owners is None:
        return ()
    whose = owners.get(capsule.path)
    if whose is None:
        return (Text("Whose these are was not looked up"),)
    if not whose:
        return (Text("Without an owner in CODEOWNERS"),)
    named: list[Line] = [(Code(cut_name(owner)),) for owner in whose[:OWNERS_NAMED]]
    return listed(named, more=len(whose) - len(named))


def _how_it_is_kept() -> Paragraph:
    return Paragraph(
        (
            Code("ophiuchus inspect ID"),
            Text(" tells all about one capsule. Each sweep brings this issue up to date, closes it when "),
            Text("nothing needs action, and opens it again when something does."),
        )
    )


def _tracks_told(report: Report) -> Iterator[str]:
    yield "validity"
    if report.totals.revalidation_required:
        yield "negative_knowledge"
