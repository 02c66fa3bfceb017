"""The verdict view: what one run found, for the job summary, the pull request comment, a page, a terminal.

It leads with whether anything is to be done; only what needs action is unfolded, worst first, and every row
names the condition that fired (design §5, §6). Lists are bounded and say what they do not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from ophiuchus.assess.verdicts import RANK, Aggregate, GlobResult, Verdict
from ophiuchus.assess.wording import counted
from ophiuchus.report.model import (
    CapsuleReport,
    ConditionReport,
    Evaluated,
    Gate,
    GateRule,
    GlobReport,
    Report,
)
from ophiuchus.text.problem import Notice, NoticeCode, Problem
from ophiuchus.views.document import (
    Block,
    Bullets,
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

Item = TypeVar("Item")

ROWS_SHOWN = 200
"""Most rows of one table."""
DETAILS_SHOWN = 50
"""Most capsules whose conditions are told one by one."""
GLOBS_SHOWN = 10
"""Most globs told of one condition."""
NAMED_IN_ROW = 3
"""Most conditions, and most changed paths, named in one row of the leading table."""
TEXT_CHARACTERS = 500
"""Most characters shown of a reason or a message."""
NAME_CHARACTERS = 200
"""Most characters shown of a path, a glob or a title."""

_TONES: Mapping[str, Tone] = {
    Aggregate.VALID: Tone.GOOD,
    Aggregate.NOT_DECLARED: Tone.NONE,
    Aggregate.UNVERIFIABLE: Tone.OPEN,
    Aggregate.PARTIALLY_STALE: Tone.PART,
    Aggregate.STALE: Tone.BAD,
    GlobResult.UNCHANGED: Tone.GOOD,
    GlobResult.CHANGED: Tone.BAD,
    GlobResult.NOT_EVALUATED: Tone.OPEN,
}


def compose(report: Report, *, run: Link | None = None) -> Document:
    """The document of one run. `run` leads to the run's log and, like the time, is volatile."""
    gated = _by_path((reason.path, reason.rule) for reason in report.gate.reasons)
    acting, others = _apart(report.capsules, gated)
    notices = _by_path((notice.path, notice) for notice in report.notices)
    told = acting[:DETAILS_SHOWN]
    parts = [
        _headline(report, len(acting)),
        *_problems(report.problems),
        *_acting_table(acting, gated),
        *(_capsule_details(capsule, notices.pop(capsule.path, ())) for capsule in told),
        *_other_capsules(others),
        *_notices([notice for found in notices.values() for notice in found]),
        _judged(report.evaluated, report.limits),
    ]
    return Document(tuple(parts), volatile=(_time_and_run(report, run),))


def _apart(
    capsules: Iterable[CapsuleReport], gated: Container[str]
) -> tuple[list[CapsuleReport], list[CapsuleReport]]:
    """Which capsules need action, be it only because the gate names them, and which do not."""
    acting: list[CapsuleReport] = []
    others: list[CapsuleReport] = []
    for capsule in capsules:
        needs = capsule.path in gated or (capsule.needs_action and not capsule.continued)
        (acting if needs else others).append(capsule)
    return acting, others


def _by_path(pairs: Iterable[tuple[str, Item]]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for path, item in pairs:
        found.setdefault(path, []).append(item)
    return found


# The parts, in reading order.


def _headline(report: Report, acting: int) -> Part:
    blocks: list[Block] = [Heading(1, (Text(_lead(report, acting)),))]
    if report.capsules:
        blocks.append(Paragraph(_counts(report)))
    elif not report.problems:
        blocks.append(_how_to_begin())
    if not report.gate.passed:
        blocks.append(Paragraph(_gate(report.gate)))
    return Part("the headline", 0, tuple(blocks))


def _lead(report: Report, acting: int) -> str:
    capsules = len(report.capsules)
    files = len({problem.path for problem in report.problems})
    wanted = []
    if acting:
        needs = "needs" if acting == 1 else "need"
        wanted.append(f"{acting:,} of {counted(capsules, 'capsule')} {needs} action")
    if files:
        wanted.append(f"{counted(files, 'file')} {'has' if files == 1 else 'have'} a problem")
    if wanted:
        return f"Action required: {', '.join(wanted)}"
    if not capsules:
        return "Nothing to do: there are no capsules yet"
    return f"Nothing to do: none of {counted(capsules, 'capsule')} needs action"


def _counts(report: Report) -> Line:
    totals = report.totals
    counts: list[Line] = [
        (Status(f"{number:,} {_words(aggregate)}", _TONES[aggregate]),)
        for aggregate, number in sorted(totals.verdicts.items(), key=lambda item: -RANK[item[0]])
        if number
    ]
    if totals.expired:
        counts.append((Status(f"{totals.expired:,} expired", Tone.BAD),))
    if totals.continued:
        counts.append((Text(f"{totals.continued:,} continued by a newer capsule"),))
    return _listed(counts)


def _how_to_begin() -> Paragraph:
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


def _gate(gate: Gate) -> Line:
    counts = Counter(reason.rule for reason in gate.reasons)
    rules = [(Code(rule.value), Text(f" ({number:,})")) for rule, number in counts.items()]
    because = (Strong("This check fails"), Text(", because "), Code("fail_on"), Text(" names "))
    return (*because, *_listed(rules), Text("."))


def _problems(problems: Sequence[Problem]) -> Iterable[Part]:
    if problems:
        rows = [
            (((Code(_name(problem.place())),)), ((Text(_text(problem.message))),))
            for problem in problems[:ROWS_SHOWN]
        ]
        table = Table(("File", "Problem"), tuple(rows), len(problems) - len(rows))
        yield Part("problems", 0, (table,))


def _acting_table(acting: Sequence[CapsuleReport], gated: Mapping[str, Sequence[GateRule]]) -> Iterable[Part]:
    if acting:
        head = ("Capsule", "Verdict", "Condition", "Why")
        rows = tuple(_acting_row(capsule, gated.get(capsule.path, ())) for capsule in acting[:ROWS_SHOWN])
        yield Part("capsules", 0, (Table(head, rows, len(acting) - len(rows)),))


def _acting_row(capsule: CapsuleReport, rules: Sequence[GateRule]) -> tuple[Line, ...]:
    fired = [condition for condition in _worst_first(capsule) if _fired(condition)]
    named = fired[:NAMED_IN_ROW]
    conditions: list[Line] = []
    causes: list[Line] = []
    if capsule.expired:
        conditions.append((Code("expires_at"),))
        causes.append((Text("the capsule has expired"),))
    for condition in named:
        conditions.append((Code(condition.condition_id),))
        causes.append(_cause(condition))
    if not causes:
        named_by = _listed([(Code(rule.value),) for rule in rules])
        causes.append((Code("fail_on"), Text(" names "), *named_by))
    return (
        (Code(capsule.capsule_id),),
        _verdict(capsule),
        _listed(conditions, more=len(fired) - len(named)),
        _listed(causes, between="; "),
    )


def _cause(condition: ConditionReport) -> Line:
    changed = [glob for glob in condition.paths if glob.result is GlobResult.CHANGED]
    paths = dict.fromkeys(change.path for glob in changed for change in glob.changed)
    if not paths:
        return (Text(_text(condition.reason)),)
    total = sum(glob.changed_count or 0 for glob in changed)
    named: list[Line] = [(Code(_name(path)),) for path in islice(paths, NAMED_IN_ROW)]
    return (*_listed(named, more=total - len(named)), Text(" changed"))


def _capsule_details(capsule: CapsuleReport, notices: Iterable[Notice]) -> Part:
    summary = (Code(capsule.capsule_id), Text(": "), *_verdict(capsule), Text(f" · {_name(capsule.title)}"))
    blocks: list[Block] = [Paragraph((Text("File: "), Code(_name(capsule.path))))]
    for condition in _worst_first(capsule):
        blocks.extend(_condition(condition))
    if further := [notice for notice in notices if notice.code not in _SAID_OF_THE_GLOB]:
        blocks += [Paragraph((Text("Worth knowing:"),)), _notice_list(further)]
    return Part("capsule details", 2, (Details(summary, tuple(blocks)),))


_SAID_OF_THE_GLOB = {NoticeCode.GLOB_NOT_EVALUATED, NoticeCode.INSIDE_SUBMODULE}


def _condition(condition: ConditionReport) -> Iterable[Block]:
    about = [_name(condition.kind)]
    if condition.line is not None:
        about.append(f"line {condition.line}")
    if not condition.required:
        about.append("not required")
    named = (Code(condition.condition_id), Text(f" ({', '.join(about)}): "))
    yield Paragraph((*named, _status(condition.verdict), Text(f", {_text(condition.reason)}")))
    if condition.remedy is not None:
        yield Paragraph((Strong("To do:"), Text(" "), *_with_code(_text(condition.remedy))))
    if condition.paths:
        ordered = sorted(condition.paths, key=lambda glob: _GLOB_ORDER[glob.result])
        shown: list[Line] = [_glob(glob, condition.reason) for glob in ordered[:GLOBS_SHOWN]]
        if len(ordered) > len(shown):
            shown.append((Text(f"and {counted(len(ordered) - len(shown), 'more glob')}"),))
        yield Bullets(tuple(shown))


_GLOB_ORDER = {GlobResult.CHANGED: 0, GlobResult.NOT_EVALUATED: 1, GlobResult.UNCHANGED: 2}


def _glob(glob: GlobReport, said: str) -> Line:
    line: list[Inline] = [Code(_name(glob.glob)), Text(": "), _status(glob.result)]
    if glob.reason is not None and glob.reason != said:
        line.append(Text(f", {_text(glob.reason)}"))
    if glob.changed:
        paths: list[Line] = [
            (Code(_name(change.path)), Text(f" ({change.change.value})")) for change in glob.changed
        ]
        line += [Text(": "), *_listed(paths, more=(glob.changed_count or 0) - len(paths))]
    return tuple(line)


def _other_capsules(others: Sequence[CapsuleReport]) -> Iterable[Part]:
    if others:
        rows = tuple(
            ((Code(capsule.capsule_id),), _verdict(capsule), (Text(_name(capsule.title)),))
            for capsule in others[:ROWS_SHOWN]
        )
        table = Table(("Capsule", "Verdict", "Title"), rows, len(others) - len(rows))
        needs = "needs" if len(others) == 1 else "need"
        summary = (Text(f"{counted(len(others), 'capsule')} {needs} no action"),)
        yield Part("capsules that need no action", 3, (Details(summary, (table,)),))


def _notices(notices: Sequence[Notice]) -> Iterable[Part]:
    if notices:
        yield Part(
            "notices", 4, (Details((Text(counted(len(notices), "notice")),), (_notice_list(notices),)),)
        )


def _notice_list(notices: Sequence[Notice]) -> Bullets:
    shown: list[Line] = [_notice(notice) for notice in notices[:ROWS_SHOWN]]
    if len(notices) > len(shown):
        shown.append((Text(f"and {counted(len(notices) - len(shown), 'more notice')}"),))
    return Bullets(tuple(shown))


def _notice(notice: Notice) -> Line:
    message = Text(_text(notice.message))
    return (Code(_name(notice.path)), Text(": "), message) if notice.path else (message,)


def _judged(evaluated: Evaluated, limits: Mapping[str, str]) -> Part:
    line: list[Inline] = [Text("Judged: ")]
    if evaluated.head is None:
        line += [Text("the index, tree "), Code(evaluated.tree)]
    else:
        line += [Text("commit "), Code(evaluated.head)]
    line.append(Text(", not your work tree."))
    if merge := evaluated.merge:
        line += [Text(" It is the merge of "), Code(merge.head), Text(" into "), Code(merge.base), Text(".")]
    sentences = (Paragraph((Text(sentence),)) for sentence in limits.values())
    return Part("what was judged", 0, (Paragraph(tuple(line)), *sentences))


def _time_and_run(report: Report, run: Link | None) -> Paragraph:
    said = Text(f"Judged at {report.evaluated.now} by {report.tool.name} {report.tool.version}")
    return Paragraph((said, Text(", "), run) if run else (said,))


# Words.


def _fired(condition: ConditionReport) -> bool:
    return condition.required and (
        condition.verdict in (Verdict.STALE, Verdict.PARTIALLY_STALE)
        or (condition.verdict is Verdict.UNVERIFIABLE and condition.remedy is not None)
    )


def _worst_first(capsule: CapsuleReport) -> list[ConditionReport]:
    return sorted(capsule.validity.conditions, key=lambda condition: -RANK[condition.verdict])


def _verdict(capsule: CapsuleReport) -> Line:
    line: list[Inline] = [_status(capsule.validity.aggregate)]
    if capsule.expired:
        line += [Text(", "), Status("expired", Tone.BAD)]
    if capsule.continued:
        line.append(Text(", continued by a newer capsule"))
    return tuple(line)


def _status(word: Aggregate | Verdict | GlobResult) -> Status:
    return Status(_words(word), _TONES[word])


def _words(word: Aggregate | Verdict | GlobResult) -> str:
    return word.value.replace("_", " ")


def _listed(lines: Sequence[Line], *, between: str = ", ", more: int = 0) -> Line:
    """The lines as one, separated, with how many more there are."""
    listed: list[Inline] = []
    for line in lines:
        listed += [Text(between), *line] if listed else line
    if more > 0:
        listed.append(Text(f" and {more:,} more"))
    return tuple(listed)


def _with_code(text: str) -> Line:
    """A sentence of ours, in which backticks enclose what to type."""
    pieces = text.split("`")
    return tuple(Code(piece) if number % 2 else Text(piece) for number, piece in enumerate(pieces) if piece)


def _text(text: str) -> str:
    return _shortened(text, TEXT_CHARACTERS)


def _name(text: str) -> str:
    return _shortened(text, NAME_CHARACTERS)


def _shortened(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"
