"""The verdict view: what one run found, for the job summary, the pull request comment, a page, a terminal.

It leads with whether anything is to be done, and where a base is known with what this change did; only that,
or else what needs action, is unfolded, and every row names the condition that fired (design §5, §6). Lists
are bounded and say what they do not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ophiuchus.assess.continuity import ContinuityStatus
from ophiuchus.assess.verdicts import RANK, STALE_AGGREGATES
from ophiuchus.report.files import File, by_file, file_of, rules_by_file
from ophiuchus.report.model import (
    CapsuleReport,
    Evaluated,
    Gate,
    GateRule,
    RemovedCapsule,
    Report,
)
from ophiuchus.report.share import Share, share_of
from ophiuchus.report.totals import unread_before
from ophiuchus.text.problem import Notice, NoticeCode, Problem, counts_first
from ophiuchus.text.wording import counted
from ophiuchus.views import change
from ophiuchus.views.carriage import fidelity_line
from ophiuchus.views.document import (
    Block,
    Code,
    Details,
    Document,
    Heading,
    Inline,
    Line,
    Link,
    Paragraph,
    Part,
    Status,
    Strong,
    Table,
    Text,
    Tone,
)
from ophiuchus.views.ledgers import blocking_words, ledger_parts
from ophiuchus.views.one_capsule import Row, capsule_details, capsule_row, removed_row, verdict_of
from ophiuchus.views.phrases import (
    ROWS_SHOWN,
    TONES,
    capsule_name,
    cut_name,
    cut_path,
    cut_sentence,
    cut_text,
    files_with_problems,
    listed,
    notice_list,
    with_code,
    words,
)
from ophiuchus.views.tracks import to_look_at_again

DETAILS_SHOWN = 50
"""Most capsules whose conditions are told one by one."""


def compose(
    report: Report, *, run: Link | None = None, repository_url: str | None = None, critical: int = 0
) -> Document:
    """The document of one run. `run` leads to the run's log and, like the time, is volatile.

    `repository_url` is the repository's page, from configured values: commits are linked below it. Where the
    capsules have `critical` units, a place is kept for the line that says how many the view carries.
    """
    view = _View.of(report, repository_url)
    notices = by_file(notice for notice in report.notices if not _is_told(notice))
    told = [one for one in view.leading if isinstance(one, CapsuleReport)][:DETAILS_SHOWN]
    parts = [
        _headline(view),
        *problem_table(report.problems),
        *_leading_table(view),
        *to_look_at_again(report.capsules),
        *ledger_parts(report.ledgers),
        *(
            Part("capsule details", 2, (capsule_details(one, notices.pop(file_of(one), ()), repository_url),))
            for one in told
        ),
        *_older_capsules(view),
        *capsules_without_action(view.others),
        *folded_notices([notice for found in notices.values() for notice in found]),
        *([fidelity_line(critical)] if critical else []),
        judged(report.evaluated, [report.limits[track] for track in tracks_told(report, told, critical)]),
    ]
    return Document(tuple(parts), volatile=(time_and_run(report, run),))


@dataclass(frozen=True, slots=True)
class _View:
    """A report with its capsules sorted by how much is said of them.

    `leading` are unfolded; `folded` need action, but not through this change and not for the gate; `others`
    need none. `gated` has the rules that name a capsule, by its file.
    """

    report: Report
    share: Share | None
    gated: Mapping[File, Sequence[GateRule]]
    leading: Sequence[CapsuleReport | RemovedCapsule]
    folded: Sequence[CapsuleReport]
    others: Sequence[CapsuleReport]
    repository_url: str | None

    @classmethod
    def of(cls, report: Report, repository_url: str | None) -> _View:
        share = share_of(report)
        gated = rules_by_file(report)
        leading: list[CapsuleReport | RemovedCapsule] = list(share.leading) if share else []
        placed = {file_of(one) for one in leading if isinstance(one, CapsuleReport)}
        folded: list[CapsuleReport] = []
        others: list[CapsuleReport] = []
        for capsule in report.capsules:
            if file_of(capsule) in placed:
                continue
            needs_action = capsule.needs_action and not capsule.continued
            if file_of(capsule) in gated or (needs_action and share is None):
                leading.append(capsule)
            else:
                (folded if needs_action else others).append(capsule)
        return cls(report, share, gated, leading, folded, others, repository_url)


def _is_told(notice: Notice) -> bool:
    return notice.code in (NoticeCode.REVALIDATION_REQUIRED, NoticeCode.BASE_UNKNOWN)


def tracks_told(report: Report, told: Sequence[CapsuleReport], critical: int) -> Iterator[str]:
    """The tracks of which something is said: each brings its limit."""
    yield "validity"
    if critical:
        yield "fidelity"
    if report.totals.revalidation_required or any(one.negative_knowledge for one in told):
        yield "negative_knowledge"
    if any(one.continuity.status is not ContinuityStatus.NONE for one in told):
        yield "continuity"


# The parts, in reading order.


def headline(report: Report) -> Iterator[Block]:
    """What is said first, for a view that counts and lists the capsules in its own way."""
    return _said_first(_View.of(report, None), (), folded=0)


def _headline(view: _View) -> Part:
    counts = (Paragraph(verdict_counts(view.report)),) if view.report.capsules else ()
    return Part("the headline", 0, tuple(_said_first(view, counts, folded=len(view.folded))))


def _said_first(view: _View, counts: Iterable[Block], *, folded: int) -> Iterator[Block]:
    report = view.report
    yield Heading(1, (Text(_lead(view)),))
    yield from counts
    if not report.capsules and not report.problems and not unread_before(report):
        yield how_to_begin()
    if view.share is not None:
        yield from change.summary(view.share, folded)
    # Else nobody would see that a gate that names `introduced` could not tell.
    unknown = [notice for notice in report.notices if notice.code is NoticeCode.BASE_UNKNOWN]
    for notice in unknown:
        yield Paragraph(with_code(cut_text(f"Note: {notice.message}.")))
    if not report.gate.passed:
        yield Paragraph(gate_line(report.gate))


def _lead(view: _View) -> str:
    report, share = view.report, view.share
    capsules = counted(len(report.capsules), "capsule")
    trouble = []
    if share is not None:
        if older := len(view.leading) - len(share.leading):
            trouble.append(f"fail_on names {older:,} of {capsules} for what is older")
    elif acting := len(view.leading):
        trouble.append(f"{acting:,} of {capsules} {'needs' if acting == 1 else 'need'} action")
    trouble += filter(None, [files_with_problems(report.problems)])
    if share is None or any(one.rule is GateRule.BLOCKING_FINDINGS for one in report.gate.reasons):
        trouble += filter(None, [blocking_words(report.ledgers)])
    if share is not None:
        return change.lead(report, share, trouble)
    if trouble:
        return f"Action required: {', '.join(trouble)}"
    return change.nothing_to_do(report)


def verdict_counts(report: Report) -> Line:
    """How many capsules came to what, worst first."""
    totals = report.totals
    counts: list[Line] = [
        (Status(f"{number:,} {words(aggregate)}", TONES[aggregate]),)
        for aggregate, number in sorted(totals.verdicts.items(), key=lambda item: -RANK[item[0]])
        if number
    ]
    if totals.expired:
        counts.append((Status(f"{totals.expired:,} expired", Tone.BAD),))
    if totals.revalidation_required:
        number = f"{totals.revalidation_required:,} with something to revalidate"
        counts.append((Status(number, Tone.PART),))
    if totals.continued:
        counts.append((Text(f"{totals.continued:,} continued by a newer capsule"),))
    return listed(counts)


def how_to_begin() -> Paragraph:
    """What is said where there is no capsule."""
    return Paragraph(
        (
            Text("A capsule is a hand-off that is committed as JSON, by default below "),
            Code(".ophiuchus/"),
            Text(". "),
            Code("ophiuchus init"),
            Text(" sets a repository up, "),
            Code("ophiuchus capture"),
            Text(" writes a capsule."),
        )
    )


def gate_line(gate: Gate) -> Line:
    """Why the gate does not pass."""
    counts = Counter(reason.rule for reason in gate.reasons)
    rules = [(Code(rule.value), Text(f" ({number:,})")) for rule, number in counts.items()]
    because = (Strong("This check fails"), Text(", because "), Code("fail_on"), Text(" names "))
    return (*because, *listed(rules), Text("."))


def problem_table(problems: Sequence[Problem]) -> Iterable[Part]:
    """The files that could not be used, and why."""
    if problems:
        rows = [
            (((Code(cut_path(problem.place())),)), cut_sentence(problem.message))
            for problem in counts_first(problems)[:ROWS_SHOWN]
        ]
        table = Table(("File", "Problem"), tuple(rows), len(problems) - len(rows))
        yield Part("problems", 0, (table,))


def _leading_table(view: _View) -> Iterable[Part]:
    head: tuple[str, ...] = ("Capsule", "Verdict", "Condition", "Why")
    if view.share is not None:
        head = ("Capsule", "Verdict", "This change", "Condition", "Why")
    rows = tuple(
        removed_row(one) if isinstance(one, RemovedCapsule) else _row(one, view)
        for one in view.leading[:ROWS_SHOWN]
    )
    if rows:
        yield Part("capsules", 0, (Table(head, rows, len(view.leading) - len(rows)),))
    yield from what_to_do([one for one in view.leading if isinstance(one, CapsuleReport)])


def what_to_do(capsules: Sequence[CapsuleReport]) -> Iterator[Part]:
    """What nearly every row asks for, so that nobody has to unfold a capsule to learn it."""
    if any(one.validity.aggregate in STALE_AGGREGATES for one in capsules):
        line = (
            *(Strong("To do:"), Text(" read what is stale against what changed: if it still holds, ")),
            *(Code("ophiuchus capture --refresh ID"), Text("; else correct it.")),
        )
        yield Part("what to do", 1, (Paragraph(line),))


def _row(capsule: CapsuleReport, view: _View) -> Row:
    deed: tuple[Line, ...] = () if view.share is None else ((Text(change.deed(capsule)),),)
    return capsule_row(capsule, view.gated.get(file_of(capsule), ()), view.repository_url, *deed)


def _older_capsules(view: _View) -> Iterable[Part]:
    if view.folded:
        rows = tuple(capsule_row(one, (), view.repository_url) for one in view.folded[:ROWS_SHOWN])
        table = Table(("Capsule", "Verdict", "Condition", "Why"), rows, len(view.folded) - len(rows))
        more = Paragraph((Code("ophiuchus inspect ID"), Text(" tells all about one.")))
        summary = (Text(f"{counted(len(view.folded), 'capsule')} needed action before this change"),)
        yield Part("capsules that needed action before", 3, (Details(summary, (table, more)),))


def capsules_without_action(others: Sequence[CapsuleReport]) -> Iterable[Part]:
    """The rest, folded."""
    if others:
        rows = tuple(
            (capsule_name(capsule), verdict_of(capsule), (Text(cut_name(capsule.title)),))
            for capsule in others[:ROWS_SHOWN]
        )
        table = Table(("Capsule", "Verdict", "Title"), rows, len(others) - len(rows))
        needs = "needs" if len(others) == 1 else "need"
        summary = (Text(f"{counted(len(others), 'capsule')} {needs} no action"),)
        yield Part("capsules that need no action", 3, (Details(summary, (table,)),))


def folded_notices(notices: Sequence[Notice]) -> Iterable[Part]:
    """What is worth saying, folded."""
    if notices:
        yield Part(
            "notices", 4, (Details((Text(counted(len(notices), "notice")),), (notice_list(notices),)),)
        )


def judged(evaluated: Evaluated, limits: Iterable[str]) -> Part:
    """What was judged, and what the verdicts are not."""
    line: list[Inline] = [Text("Judged: ")]
    if evaluated.head is None:
        line += [Text("the index, tree "), Code(evaluated.tree)]
    else:
        line += [Text("commit "), Code(evaluated.head)]
    line.append(Text(", not your work tree."))
    if merge := evaluated.merge:
        line += [Text(" It is the merge of "), Code(merge.head), Text(" into "), Code(merge.base), Text(".")]
    if evaluated.base is not None:
        line += [Text(" Compared with commit "), Code(evaluated.base), Text(".")]
    sentences = (Paragraph((Text(sentence),)) for sentence in limits)
    return Part("what was judged", 0, (Paragraph(tuple(line)), *sentences))


def time_and_run(report: Report, run: Link | None) -> Paragraph:
    """When it was judged, by what, and where the log is."""
    said = Text(f"Judged at {report.evaluated.now} by {report.tool.name} {report.tool.version}")
    return Paragraph((said, Text(", "), run) if run else (said,))
