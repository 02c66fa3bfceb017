"""The view of the rolling issue: what needs action now, grouped by whose it is, the worst first.

What changes from sweep to sweep though nothing else did (commit, time, run) is volatile: an issue is written
only when there is something new to say. Nobody is mentioned by it: owners are data like everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ophiuchus.assess.wording import counted
from ophiuchus.report.model import CapsuleReport, GateRule, Report
from ophiuchus.report.owners import Owners
from ophiuchus.views.document import Code, Document, Heading, Line, Link, Paragraph, Part, Table, Text
from ophiuchus.views.one_capsule import capsule_row
from ophiuchus.views.phrases import ROWS_SHOWN, cut_name, listed
from ophiuchus.views.tracks import to_look_at_again
from ophiuchus.views.verdict import headline, judged, problem_table, time_and_run

GROUPS_SHOWN = 50
"""Most groups that are told one by one."""
OWNERS_NAMED = 10
"""Most owners named of one group."""

_HEAD = ("Capsule", "Verdict", "Condition", "Why")


class Group(NamedTuple):
    """Capsules of the same owners; None where who owns them was not looked up."""

    owners: Owners | None
    capsules: list[CapsuleReport]


def acting(report: Report) -> list[CapsuleReport]:
    """The capsules that need action or fail the gate, the worst first."""
    gated = {reason.path for reason in report.gate.reasons}
    return [one for one in report.capsules if one.path in gated or (one.needs_action and not one.continued)]


def grouped(capsules: Sequence[CapsuleReport], owners: Mapping[str, Owners]) -> list[Group]:
    """The capsules by whose they are; groups and capsules keep the order, so the worst group is the first."""
    groups: dict[Owners | None, Group] = {}
    for capsule in capsules:
        whose = owners.get(capsule.path)
        groups.setdefault(whose, Group(whose, [])).capsules.append(capsule)
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
    told = acting(report)
    groups = [Group((), told)] if owners is None else grouped(told, owners)
    limits = tuple(Paragraph((Text(report.limits[track]),)) for track in _tracks_told(report))
    parts = (
        Part("the headline", 0, tuple(headline(report))),
        *problem_table(report.problems),
        *_groups(report, groups, repository_url, is_titled=owners is not None),
        *to_look_at_again(report.capsules),
        Part("how the issue is kept", 0, (_how_it_is_kept(), *limits)),
    )
    return Document(parts, volatile=(*judged(report.evaluated, ()).blocks, time_and_run(report, run)))


def _groups(
    report: Report, groups: Sequence[Group], repository_url: str | None, *, is_titled: bool
) -> Iterator[Part]:
    rules: dict[str, list[GateRule]] = {}
    for reason in report.gate.reasons:
        rules.setdefault(reason.path, []).append(reason.rule)
    for group in groups[:GROUPS_SHOWN]:
        rows = tuple(
            capsule_row(one, rules.get(one.path, ()), repository_url) for one in group.capsules[:ROWS_SHOWN]
        )
        if rows:
            table = Table(_HEAD, rows, len(group.capsules) - len(rows))
            title = (Heading(2, _whose(group)),) if is_titled else ()
            yield Part("capsules", 1, (*title, table))
    if rest := groups[GROUPS_SHOWN:]:
        capsules = counted(sum(len(group.capsules) for group in rest), "more capsule")
        said = Text(f"And {capsules} of {counted(len(rest), 'other group')} of owners.")
        yield Part("the number of other capsules", 0, (Paragraph((said,)),))


def _whose(group: Group) -> Line:
    """The title of a group."""
    if group.owners is None:
        return (Text("Whose these are was not looked up"),)
    if not group.owners:
        return (Text("Without an owner in CODEOWNERS"),)
    named: list[Line] = [(Code(cut_name(owner)),) for owner in group.owners[:OWNERS_NAMED]]
    return listed(named, more=len(group.owners) - len(named))


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
