"""One judged capsule, as a row of a table and in detail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ophiuchus.assess.verdicts import RANK, GlobResult, GlobVerdict
from ophiuchus.report.model import CapsuleReport, ConditionReport, GateRule, RemovedCapsule
from ophiuchus.text.problem import Notice, NoticeCode
from ophiuchus.text.wording import counted
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    Details,
    Inline,
    Line,
    Paragraph,
    Status,
    Strong,
    Text,
    Tone,
)
from ophiuchus.views.phrases import (
    capsule_name,
    changed_paths,
    commit_name,
    cut_name,
    cut_path,
    cut_sentence,
    cut_text,
    listed,
    notice_list,
    status,
    with_code,
)
from ophiuchus.views.tracks import continuation, ruled_out

GLOBS_SHOWN = 10
"""Most globs told of one condition."""
NAMED_IN_ROW = 3
"""Most conditions, and most changed paths, named in one row."""

Row = tuple[Line, ...]

_SAID_ELSEWHERE = {
    NoticeCode.GLOB_NOT_EVALUATED,
    NoticeCode.INSIDE_SUBMODULE,
    NoticeCode.REVALIDATION_REQUIRED,
}


def capsule_row(
    capsule: CapsuleReport, rules: Sequence[GateRule], repository_url: str | None, *deed: Line
) -> Row:
    """Id, verdict, what this change did (where that is given), which conditions fired, and why.

    `rules` are those of the gate that name the capsule.
    """
    fired = [condition for condition in _first_to_tell(capsule) if condition.needs_action]
    if capsule.introduced:
        # What is older drift of the same capsule is told in its details.
        fired = [condition for condition in fired if condition.introduced]
    named = fired[:NAMED_IN_ROW]
    conditions: list[Line] = []
    causes: list[Line] = []
    if capsule.expired:
        conditions.append((Code("expires_at"),))
        causes.append((Text("the capsule has expired"),))
    for condition in named:
        conditions.append((Code(condition.condition_id),))
        causes.append(_cause(condition, _page_of(capsule, repository_url)))
    if not causes and rules:
        causes.append((Code("fail_on"), Text(" names "), *listed([(Code(rule.value),) for rule in rules])))
    return (
        (Code(capsule.capsule_id),),
        verdict_of(capsule),
        *deed,
        listed(conditions, more=len(fired) - len(named)),
        listed(causes, between="; "),
    )


def removed_row(gone: RemovedCapsule) -> Row:
    """The same for one that this change took away."""
    return (Code(gone.capsule_id),), (Text("it was "), status(gone.before)), (Text("removed it"),), (), ()


def capsule_details(capsule: CapsuleReport, notices: Iterable[Notice], repository_url: str | None) -> Details:
    """All that is known of the capsule, folded under its id, verdict and title."""
    title = Text(f" · {cut_name(capsule.title)}")
    blocks = tuple(capsule_blocks(capsule, notices, repository_url))
    return Details((*capsule_name(capsule), Text(": "), *verdict_of(capsule), title), blocks)


def capsule_blocks(
    capsule: CapsuleReport, notices: Iterable[Notice], repository_url: str | None
) -> Iterator[Block]:
    """Every condition with its reason, paths, commits and remedy; the other tracks; what is worth knowing."""
    yield Paragraph((Text("File: "), Code(cut_path(capsule.path))))
    if capsule.introduced and capsule.before is not None:
        yield Paragraph((Text("Before this change: "), status(capsule.before)))
    yield from condition_blocks(capsule, repository_url)
    yield from ruled_out(capsule.negative_knowledge)
    yield from continuation(capsule.continuity)
    yield from worth_knowing(notices)


def condition_blocks(capsule: CapsuleReport, repository_url: str | None) -> Iterator[Block]:
    """Every condition with its reason, paths, commits and remedy, a remedy once."""
    said: set[str] = set()
    for condition in _first_to_tell(capsule):
        yield from _condition(condition, said, _page_of(capsule, repository_url))


def _page_of(capsule: CapsuleReport, repository_url: str | None) -> str | None:
    """The page below which the capsule's commits are: not that of the run, where it is of another repository.

    On which server another repository is, nobody says.
    """
    if repository_url is None or capsule.repository is None:
        return repository_url
    is_here = repository_url.casefold().endswith(f"/{capsule.repository.casefold()}")
    return repository_url if is_here else None


def worth_knowing(notices: Iterable[Notice]) -> Iterator[Block]:
    """What is to be noticed about one capsule and is told nowhere else."""
    if further := [notice for notice in notices if notice.code not in _SAID_ELSEWHERE]:
        yield Paragraph((Text("Worth knowing:"),))
        yield notice_list(further)


def verdict_of(capsule: CapsuleReport) -> Line:
    """The aggregate and what is said beside it."""
    line: list[Inline] = [status(capsule.validity.aggregate)]
    if capsule.expired:
        line += [Text(", "), Status("expired", Tone.BAD)]
    if capsule.continued:
        line.append(Text(", continued by a newer capsule"))
    return tuple(line)


def _cause(condition: ConditionReport, repository_url: str | None) -> Line:
    commits = listed([commit_name(commit, repository_url) for commit in condition.changed_by])
    by: Line = (Text(", by "), *commits) if commits else ()
    paths = changed_paths(condition, NAMED_IN_ROW)
    if not paths:
        return (*cut_sentence(condition.reason), *by)
    return (*paths, Text(" changed"), *by)


def _condition(condition: ConditionReport, said: set[str], repository_url: str | None) -> Iterable[Block]:
    """One condition; a remedy that was `said` already is not repeated."""
    about = [cut_path(condition.kind)]
    if condition.line is not None:
        about.append(f"line {condition.line}")
    if not condition.required:
        about.append("not required")
    named = (Code(condition.condition_id), Text(f" ({', '.join(about)}): "))
    yield Paragraph((*named, status(condition.verdict), Text(", "), *cut_sentence(condition.reason)))
    if condition.remedy is not None and condition.remedy not in said:
        said.add(condition.remedy)
        yield Paragraph((Strong("To do:"), Text(" "), *with_code(cut_text(condition.remedy))))
    if condition.paths:
        ordered = sorted(condition.paths, key=lambda glob: _GLOB_ORDER[glob.result])
        shown: list[Line] = [_glob(glob, condition.reason) for glob in ordered[:GLOBS_SHOWN]]
        if len(ordered) > len(shown):
            shown.append((Text(f"and {counted(len(ordered) - len(shown), 'more glob')}"),))
        yield Bullets(tuple(shown))
    if condition.changed_by:
        yield Paragraph((Text("Changed by:"),))
        yield Bullets(
            tuple(
                (*commit_name(commit, repository_url), Text(f" {cut_path(commit.subject)}"))
                for commit in condition.changed_by
            )
        )


_GLOB_ORDER = {GlobResult.CHANGED: 0, GlobResult.NOT_EVALUATED: 1, GlobResult.UNCHANGED: 2}


def _glob(glob: GlobVerdict, said: str) -> Line:
    line: list[Inline] = [Code(cut_path(glob.glob)), Text(": "), status(glob.result)]
    if glob.reason is not None and glob.reason != said:
        line += [Text(", "), *cut_sentence(glob.reason)]
    if glob.changed:
        paths: list[Line] = [
            (Code(cut_path(change.path)), Text(f" ({change.change.value})")) for change in glob.changed
        ]
        line += [Text(": "), *listed(paths, more=(glob.changed_count or 0) - len(paths))]
    return tuple(line)


def _first_to_tell(capsule: CapsuleReport) -> list[ConditionReport]:
    """What this change made worse, then the worst."""
    return sorted(
        capsule.validity.conditions,
        key=lambda condition: (not condition.introduced, -RANK[condition.verdict]),
    )
