"""The step of `mode: sweep`: everything is judged as it stands, or joined of reports of shards; one issue.

The issue tells of the default branch: a run on another one, or one that judges a part only, leaves it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ophiuchus.commands.edge import ExitStatus, worst_of
from ophiuchus.commands.judging import Judgement, Place, judge_checkout
from ophiuchus.commands.report_step import (
    Told,
    kept_text,
    outcome_line,
    remote_for,
    run_link,
    tell_notice,
    tell_report,
)
from ophiuchus.commands.surfaces import Surfaces
from ophiuchus.commands.sweep_key import sweep_key
from ophiuchus.github.comment import CommentMode
from ophiuchus.github.issue import IssueOutcome, IssueRequest, keep_issue, mention_line
from ophiuchus.report.files import acting
from ophiuchus.report.gate import judge_gate, refuse_rules_about_a_change
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.report.owners import Owners, owners_of
from ophiuchus.report.shard import WHOLE
from ophiuchus.report.share import is_concerning
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.document import unchanged
from ophiuchus.views.render.title import gfm_title
from ophiuchus.views.rolling_issue import compose_issue
from ophiuchus.views.sweep import compose_sweep
from ophiuchus.workflow.inputs import Settings


def begin_sweep(settings: Settings, surfaces: Surfaces) -> Callable[[], ExitStatus]:
    """Judge, or join what was judged; telling of it is what is left to do. Raises ExpectedFailure."""
    refuse_rules_about_a_change(settings.fail_on)
    judgement = _joined(settings, surfaces) if settings.reports else _judged(settings, surfaces)

    def keep(told: Told) -> str:
        return _tell_issue(settings, surfaces, told.report)

    def tell() -> ExitStatus:
        status = tell_report(settings, surfaces, judgement, compose_sweep, keep)
        if not settings.digest_to:
            return status
        from ophiuchus.commands.digest_step import tell_digest

        joined = judgement.report if settings.reports else None
        return worst_of(status, tell_digest(settings, surfaces, joined))

    return tell


def _judged(settings: Settings, surfaces: Surfaces) -> Judgement:
    edge = surfaces.edge
    return judge_checkout(
        Place(directory=Path(settings.workspace, settings.path), now=edge.now, in_ci=True),
        edge,
        remote=remote_for(settings, surfaces),
        capsules=settings.capsules,
        scope=settings.scope,
        fail_on=settings.fail_on,
        shard=settings.shard,
        switches=settings.switches,
    )


def _joined(settings: Settings, surfaces: Surfaces) -> Judgement:
    """The reports of all shards as one. What this step says of `fail_on` counts before what they said."""
    from ophiuchus.commands.merge import joined, reports_in

    files = reports_in(Path(settings.workspace, settings.reports), settings.reports)
    named = ((path.relative_to(settings.workspace).as_posix(), path) for path in files)
    report = joined(named, home=surfaces.event.repository)
    if settings.fail_on:
        gate = judge_gate(report.capsules, settings.fail_on, report.removed, ledgers=report.ledgers)
        report = replace(report, gate=gate)
    return Judgement(report, {})


def _tell_issue(settings: Settings, surfaces: Surfaces, report: Report) -> str:
    """Keep the issue; what became of it, as a line for the log."""
    if settings.comment is CommentMode.NEVER:
        return ""
    if (why_not := _why_not(settings, surfaces, report)) is not None:
        return f"\nNo issue was written: {why_not}."
    kept: list[IssueOutcome] = []

    def keep() -> None:
        kept.append(keep_issue(_request(settings, surfaces, report), surfaces.edge.env))

    surfaces.attempt("the issue", keep)
    return "".join(_tell_outcome(surfaces, issue) for issue in kept)


def _why_not(settings: Settings, surfaces: Surfaces, report: Report) -> str | None:
    """Why what was judged is not what the issue is about."""
    if settings.shard != WHOLE:
        return f"this is shard {settings.shard}; the step that joins all reports keeps the issue"
    event, ref = surfaces.event, surfaces.edge.env.get("GITHUB_REF", "")
    branch = event.default_branch
    if event.pull_request is not None or (branch is not None and ref != f"refs/heads/{branch}"):
        return "the issue is about the default branch, and this run is of another one"
    if report.evaluated.truncated and not is_concerning(report):
        return f"{report.evaluated.truncated:,} capsules were not judged, so nobody knows if all is well"
    return None


def _request(settings: Settings, surfaces: Surfaces, report: Report) -> IssueRequest:
    owners = _owners(settings, surfaces, report)
    mentions = tuple(_owners_in_order(acting(report), owners or {})) if settings.notify_owners else ()
    document = compose_issue(
        report, owners, run=run_link(surfaces), repository_url=surfaces.event.repository_url
    )
    body, footer = kept_text(document, unchanged, room_for=mention_line(mentions))
    return IssueRequest(
        action_needed=is_concerning(report),
        key=settings.comment_key or sweep_key(settings.path, settings.capsules),
        title=gfm_title(settings.issue_title),
        body=body,
        footer=footer,
        mentions=mentions,
        token=settings.github_token,
    )


def _owners(settings: Settings, surfaces: Surfaces, report: Report) -> Mapping[str, Owners] | None:
    """Whose the capsules are that need action: by CODEOWNERS of the judged tree; None where it has none."""
    told = acting(report)
    evaluated, here = report.evaluated, surfaces.event.repository
    if not told or (evaluated.repository or "").casefold() != (here or "").casefold():
        return {}
    from ophiuchus.commands.ownership import code_owners

    try:
        rules = code_owners(Path(settings.workspace, settings.path), evaluated.tree, surfaces.edge.env)
    except ExpectedFailure:  # the job that joins reports need not have checked anything out
        return {}
    return None if rules is None else owners_of(rules, told)


def _owners_in_order(capsules: list[CapsuleReport], owners: Mapping[str, Owners]) -> Iterator[str]:
    """The owners of what is worst first."""
    for capsule in capsules:
        yield from owners.get(capsule.path, ())


def _tell_outcome(surfaces: Surfaces, issue: IssueOutcome) -> str:
    if issue.notice is not None:
        tell_notice(surfaces, "the issue", issue.notice)
    if issue.url:
        surfaces.write_outputs({"issue_url": issue.url})
    return outcome_line("Issue", issue.state, issue.url)
