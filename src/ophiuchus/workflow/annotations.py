"""Report -> annotations: what is wrong, on the line where the capsule says it; this change's share first.

Errors are for files that could not be used, warnings for what needs action, notices for the rest that is
worth saying. A step shows ten of a level, so the last one of a full level says how many more there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ophiuchus.assess.verdicts import CHANGED, RANK, VALIDITY_LIMIT, GlobResult, Verdict
from ophiuchus.report.model import CapsuleReport, ConditionReport, RemovedCapsule, Report
from ophiuchus.report.share import share_of
from ophiuchus.text.clean import spell_name
from ophiuchus.text.cut import cut_units
from ophiuchus.text.problem import Notice, Problem, counts_first
from ophiuchus.text.terminal import harmless_line
from ophiuchus.text.wording import counted
from ophiuchus.views.phrases import changes_of, cut_path
from ophiuchus.workflow.commands import MESSAGE_UNITS, Annotation, CommandWriter, Level
from ophiuchus.workflow.ledger_annotations import blocking_findings, lost_rows

COMMIT_CHARACTERS = 10
PATHS_SHOWN = 5
"""Most changed paths or globs that one annotation names."""


def annotate(writer: CommandWriter, report: Report, keep: Mapping[Level, int] = {}) -> None:
    """Write the annotations of `report`, as many as `writer` has left less what `keep` holds back."""
    for level, found in annotations_of(report).items():
        for annotation in at_most(found, writer.left(level) - keep.get(level, 0)):
            writer.annotate(annotation)


def annotations_of(report: Report) -> dict[Level, list[Annotation]]:
    """All annotations of each level: what this change introduced or added, then the worst, then by place."""
    live = [capsule for capsule in report.capsules if not capsule.continued]
    warnings = sorted(
        (found for capsule in live for found in _needing_action(capsule)),
        key=lambda found: (-found[0], -found[1], found[2].path, found[2].line or 0),
    )
    optional = (found for capsule in live for found in _not_required(capsule))
    return {
        Level.ERROR: [_problem(problem) for problem in counts_first(report.problems)],
        Level.WARNING: [*(annotation for *_, annotation in warnings), *blocking_findings(report)],
        Level.NOTICE: [
            *_declared_anew(report),
            *lost_rows(report),
            *optional,
            *(_notice(notice) for notice in report.notices),
        ],
    }


def at_most(annotations: Sequence[Annotation], most: int) -> list[Annotation]:
    """The first ones; where there are more than `most`, the last place says how many are not shown."""
    if len(annotations) <= most:
        return list(annotations)
    if most <= 0:
        return []
    shown = list(annotations[: most - 1])
    level = annotations[0].level
    rest = counted(len(annotations) - len(shown), f"more {level.value}")
    message = f"Only {most} of a kind can be shown here; the job summary has the report."
    return [*shown, Annotation(level, f"and {rest}", message)]


def _problem(problem: Problem) -> Annotation:
    title = f"not usable: {_words(problem.code)}"
    message = _one_line(f"{spell_name(problem.place())}: {problem.message}")
    return Annotation(Level.ERROR, title, message, _file(problem), problem.line)


def _needing_action(capsule: CapsuleReport) -> Iterator[tuple[int, int, Annotation]]:
    """What needs action about one capsule, each with how much this change has to do with it, and how bad."""
    added = int(capsule.new is True)
    if capsule.expired:
        title = f"expired: {capsule.capsule_id}"
        message = f"{capsule.capsule_id}: the moment that expires_at names has passed\n{VALIDITY_LIMIT}"
        yield added, RANK[Verdict.STALE], Annotation(Level.WARNING, title, message, _file(capsule))
    for condition in capsule.validity.conditions:
        if condition.needs_action:
            share = 2 if condition.introduced else added
            yield share, RANK[condition.verdict], _condition(Level.WARNING, capsule, condition)


def _declared_anew(report: Report) -> Iterator[Annotation]:
    """What this change promises anew, or no more: for whoever reviews it."""
    share = share_of(report)
    if share is None:
        return
    for capsule in (*share.introduced, *share.redeclared):
        if capsule.redeclared:
            title = f"declared anew: {capsule.capsule_id}"
            message = f"{capsule.capsule_id}: this change rewrote what it promises, or whom it continues"
            yield Annotation(Level.NOTICE, title, message, _file(capsule))
    for gone in share.removed:
        message = f"{gone.capsule_id}: this change removed it; it was {_words(gone.before)}"
        yield Annotation(Level.NOTICE, f"declared anew: {gone.capsule_id}", message, _file(gone))


def _not_required(capsule: CapsuleReport) -> Iterator[Annotation]:
    for condition in capsule.validity.conditions:
        if not condition.required and condition.verdict in CHANGED:
            yield _condition(Level.NOTICE, capsule, condition)


def _condition(level: Level, capsule: CapsuleReport, condition: ConditionReport) -> Annotation:
    needed = "" if condition.required else " (not required)"
    message = [f"{capsule.capsule_id}, condition {condition.condition_id}{needed}: {condition.reason}"]
    if changed := _changed(condition):
        message.append(changed)
    message += [f"By {one.commit[:COMMIT_CHARACTERS]} {one.subject}" for one in condition.changed_by]
    if condition.remedy is not None:
        message.append(condition.remedy)
    by = " by this change" if condition.introduced else ""
    return Annotation(
        level,
        f"{_words(condition.verdict)}{by}: {capsule.capsule_id}",
        _limited(message),
        _file(capsule),
        condition.line,
    )


def _limited(message: Sequence[str]) -> str:
    """The lines with the track's limit sentence behind them, which no length of theirs may push out."""
    said = "\n".join(harmless_line(_one_line(line)) for line in message)
    return f"{cut_units(said, MESSAGE_UNITS - len(VALIDITY_LIMIT) - 1)}\n{VALIDITY_LIMIT}"


def _changed(condition: ConditionReport) -> str:
    """The changed paths; where they are not known, the globs that they are under."""
    paths, total, at_least = changes_of(condition)
    named = [f"{cut_path(path)} ({change.value})" for path, change in paths.items()]
    if not named:
        named = [cut_path(glob.glob) for glob in condition.paths if glob.result is GlobResult.CHANGED]
        total = len(named)
    if not named:
        return ""
    shown = named[:PATHS_SHOWN]
    more = total - len(shown)
    rest = f" and {'at least ' if at_least else ''}{more:,} more" if more > 0 else ""
    return f"Changed: {', '.join(shown)}{rest}"


def _notice(notice: Notice) -> Annotation:
    message = f"{spell_name(notice.path)}: {notice.message}" if notice.path else notice.message
    return Annotation(Level.NOTICE, _words(notice.code), _one_line(message), _file(notice))


def _file(one: CapsuleReport | RemovedCapsule | Problem | Notice) -> str:
    """The file to annotate; none where it is in another repository than the workflow's."""
    return one.path if one.repository is None else ""


def _words(code: str) -> str:
    return code.replace("_", " ")


def _one_line(text: str) -> str:
    return text.replace("\n", " ")
