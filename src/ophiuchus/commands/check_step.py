"""The step of `mode: check`: the commit is judged as `check` does, told, and told on the pull request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ophiuchus.commands.edge import ExitStatus
from ophiuchus.commands.judging import Place, judge_checkout
from ophiuchus.commands.report_step import Told, kept_text, outcome_line, remote_for, tell_notice, tell_report
from ophiuchus.commands.surfaces import Surfaces
from ophiuchus.github.comment import CommentMode, CommentOutcome, CommentRequest, keep_comment
from ophiuchus.report.model import Evaluated
from ophiuchus.report.share import is_concerning
from ophiuchus.views.verdict import compose
from ophiuchus.workflow.event import FOLLOWED_PULL_REQUEST, FOLLOWING_EVENT, PullRequest
from ophiuchus.workflow.inputs import Settings


def begin_check(settings: Settings, surfaces: Surfaces) -> Callable[[], ExitStatus]:
    """Judge the commit; telling of it is what is left to do. Raises ExpectedFailure."""
    edge = surfaces.edge
    judgement = judge_checkout(
        Place(directory=Path(settings.workspace, settings.path), now=edge.now, in_ci=True),
        edge,
        base=settings.base or None,
        event=surfaces.event,
        remote=remote_for(settings, surfaces),
        capsules=settings.capsules,
        scope=settings.scope,
        fail_on=settings.fail_on,
        switches=settings.switches,
    )

    def keep(told: Told) -> str:
        return _tell_pull_request(settings, surfaces, told)

    return lambda: tell_report(settings, surfaces, judgement, compose, keep)


def _tell_pull_request(settings: Settings, surfaces: Surfaces, told: Told) -> str:
    """Keep the comment; what became of it, as a line for the log."""
    event = surfaces.event
    if settings.comment is CommentMode.NEVER:
        return ""
    if event.pull_request is None:
        followed = event.name == FOLLOWING_EVENT
        more = f" {FOLLOWED_PULL_REQUEST} names none that it follows." if followed else ""
        named = f"the event {event.name} names" if event.name else "GITHUB_EVENT_NAME is not set, so there is"
        return f"\nNo comment: {named} no pull request.{more}"
    judged = _judged_head(told.report.evaluated)
    if event.pull_request.followed and judged != event.pull_request.head:
        return f"\nNo comment: {judged} was judged, the run before was about {event.pull_request.head}."
    kept: list[CommentOutcome] = []
    request = _request(settings, surfaces, told, event.pull_request)
    surfaces.attempt("the comment", lambda: kept.append(keep_comment(request, surfaces.edge.env)))
    return "".join(_tell_outcome(surfaces, comment) for comment in kept)


def _judged_head(evaluated: Evaluated) -> str | None:
    """The commit of the pull request that was judged, itself or as it would be merged."""
    return evaluated.merge.head if evaluated.merge else evaluated.head


def _tell_outcome(surfaces: Surfaces, comment: CommentOutcome) -> str:
    if comment.notice is not None:
        tell_notice(surfaces, "the comment", comment.notice)
    if comment.url:
        surfaces.write_outputs({"comment_url": comment.url})
    return outcome_line("Comment", comment.state, comment.url)


def _request(settings: Settings, surfaces: Surfaces, told: Told, pull_request: PullRequest) -> CommentRequest:
    body, footer = kept_text(told.document, told.finish)
    evaluated = told.report.evaluated
    env = surfaces.edge.env
    key = (env.get("GITHUB_WORKFLOW", ""), env.get("GITHUB_JOB", ""), settings.path)
    return CommentRequest(
        mode=settings.comment,
        action_needed=is_concerning(told.report),
        key=settings.comment_key or "\n".join(key),
        body=body,
        footer=footer,
        event=surfaces.event.name,
        pull_number=pull_request.number,
        head=pull_request.head or _judged_head(evaluated),
        locked=pull_request.locked,
        token=settings.github_token,
    )
