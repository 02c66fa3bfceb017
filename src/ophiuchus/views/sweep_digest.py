"""The DISCUSS of a sweep: what needs action, the worst first by whose it is, and what is asked.

It is for a channel, so it is short whatever was found, and says what it does not show. It holds no clock, run
or commit: as long as the same needs action it is the same. Owners and ids are data and call nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.report.files import acting
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.report.owners import Owners
from ophiuchus.text.problem import Problem
from ophiuchus.text.wording import counted
from ophiuchus.views.document import Bullets, Code, Document, Heading, Line, Paragraph, Part, Text
from ophiuchus.views.one_capsule import verdict_of
from ophiuchus.views.phrases import cut_path, files_with_problems
from ophiuchus.views.rolling_issue import Group, grouped

GROUPS_SHOWN = 10
"""Most groups that are told one by one."""
SHOWN_OF_A_GROUP = 5
"""Most hand-offs told of one group, and most files with a problem."""


def title_of_digest(repository: str) -> str:
    """The subject, where a surface has one."""
    return f"Hand-offs that need action in {repository}"


def compose_digest(report: Report, owners: Mapping[str, Owners] | None, repository: str) -> Document:
    """The message about the report of `repository`, and of others where it tells of them.

    `owners` are those of `compose_issue`.
    """
    told = acting(report)
    others = _others(report, repository)
    return Document(
        (
            Part("the headline", 0, (Heading(1, (Text(_lead(report, told)), Code(repository), *others)),)),
            *_groups(grouped(told, owners)),
            *_problems(report.problems),
            Part("what is asked", 0, (_request(), Paragraph((Text(VALIDITY_LIMIT),)))),
        )
    )


def repositories_told(report: Report) -> Sequence[str]:
    """Whose that is said to be of which the message tells, each once; empty where nothing says it."""
    said = (*(one.repository for one in acting(report)), *(one.repository for one in report.problems))
    return list(dict.fromkeys(name for name in said if name is not None))


def _lead(report: Report, told: Sequence[CapsuleReport]) -> str:
    trouble = []
    if told:
        trouble.append(f"{counted(len(told), 'hand-off')} {'needs' if len(told) == 1 else 'need'} action")
    trouble += filter(None, [files_with_problems(report.problems)])
    return f"{' and '.join(trouble)} in "


def _others(report: Report, repository: str) -> Line:
    """How many other repositories are told of; what they are called stands over what is theirs."""
    others = len({name.casefold() for name in repositories_told(report)} - {repository.casefold()})
    if not others:
        return ()
    return (Text(f" and {others:,} other {'repository' if others == 1 else 'repositories'}"),)


def _groups(groups: Sequence[Group]) -> Iterator[Part]:
    for group in groups[:GROUPS_SHOWN]:
        title = (Heading(2, group.title),) if group.title else ()
        lines: list[Line] = [
            (Code(one.capsule_id), Text(": "), *verdict_of(one)) for one in group.capsules[:SHOWN_OF_A_GROUP]
        ]
        yield Part("hand-offs", 1, (*title, Bullets(_with_more(lines, len(group.capsules)))))
    if rest := groups[GROUPS_SHOWN:]:
        more = counted(sum(len(group.capsules) for group in rest), "more hand-off")
        said = Text(f"And {more} in {counted(len(rest), 'other group')}.")
        yield Part("the number of other hand-offs", 0, (Paragraph((said,)),))


def _problems(problems: Sequence[Problem]) -> Iterator[Part]:
    paths = list(dict.fromkeys(":".join(filter(None, (one.repository, one.path))) for one in problems))
    if paths:
        lines: list[Line] = [(Code(cut_path(path)),) for path in paths[:SHOWN_OF_A_GROUP]]
        title = Heading(2, (Text("Files with a problem"),))
        yield Part("files with a problem", 1, (title, Bullets(_with_more(lines, len(paths)))))


def _with_more(lines: Sequence[Line], of: int) -> tuple[Line, ...]:
    more = of - len(lines)
    return (*lines, (Text(f"and {more:,} more"),)) if more else tuple(lines)


def _request() -> Paragraph:
    return Paragraph(
        (
            Text("Please bring each up to date, leave a newer one that continues it, or remove it. "),
            *(Code("ophiuchus sweep"), Text(" lists them all, "), Code("ophiuchus inspect ID")),
            Text(" tells all about one."),
        )
    )
