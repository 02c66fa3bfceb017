"""The step of `mode: check`: the commit is judged as `check` does, and told on one surface after the other.

Job summary, files that were asked for, outputs, annotations, the comment, the log. The exit status follows
the verdicts (cases C004, C016).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.fidelity import Gauge, with_fidelity
from ophiuchus.commands.judging import Judgement, Place, exit_status, judge_checkout, remote_of
from ophiuchus.commands.surfaces import NOTHING_JUDGED, Surfaces
from ophiuchus.git.remote import Remote
from ophiuchus.github.comment import CommentMode, CommentOutcome, CommentRequest, keep_comment
from ophiuchus.report.model import Report
from ophiuchus.report.share import is_concerning
from ophiuchus.report.totals import outcome
from ophiuchus.text.new_file import replace_file
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.budget import COMMENT, Budget
from ophiuchus.views.document import Document, Finish, Link, Paragraph, Part, Text
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.verdict import compose
from ophiuchus.workflow.annotations import annotate
from ophiuchus.workflow.commands import Annotation, CommandWriter, Level
from ophiuchus.workflow.event import Event, PullRequest
from ophiuchus.workflow.inputs import Settings

_KEPT_FOR_THE_COMMENT = 4_000
"""Bytes of the summary that are left for saying what became of the comment."""
_AROUND_A_COMMENT = 200
"""More characters than the marker of a comment and the line above its footer take."""


def begin_check(settings: Settings, surfaces: Surfaces) -> Callable[[], ExitStatus]:
    """Judge the commit; telling of it is what is left to do. Raises ExpectedFailure."""
    edge = surfaces.edge
    remote = _remote(settings, surfaces.writer, edge)
    judgement = _judge(settings, surfaces.event, remote, edge)

    def tell() -> ExitStatus:
        _Check(surfaces).tell(settings, judgement)
        return exit_status(judgement.report)

    return tell


class _Check:
    """One check, told on the surfaces."""

    def __init__(self, surfaces: Surfaces) -> None:
        self._surfaces = surfaces
        self._event = surfaces.event
        self._run = Link("this run", self._event.run_url) if self._event.run_url else None

    def tell(self, settings: Settings, judgement: Judgement) -> None:
        """Tell on every surface what was found. Raises only what is a bug, and that last."""
        gauge = Gauge(judgement.critical)
        document = compose(
            judgement.report, run=self._run, repository_url=self._event.repository_url, critical=gauge.units
        )
        # Without a job summary the report tells of the whole view.
        gauge.finish(document)
        self._surfaces.append_summary(document, keep=_KEPT_FOR_THE_COMMENT, finish=gauge.finish)
        report = with_fidelity(judgement.report, gauge.tracks)
        report_path = self._write_files(settings, report)
        self._surfaces.write_outputs({**NOTHING_JUDGED, **_outputs(report), "report_path": report_path})
        if settings.annotations:
            # One notice is kept for the comment.
            writer = self._surfaces.writer
            self._surfaces.attempt("the annotations", lambda: annotate(writer, report, {Level.NOTICE: 1}))
        told = self._tell_pull_request(settings, report, document, gauge.finish)
        self._surfaces.edge.terminal.say(render_plain(_short(document)) + told)
        self._surfaces.raise_bug()

    def _write_files(self, settings: Settings, report: Report) -> str:
        """Write the files that were asked for; the path of the report if it was written, else nothing."""
        root = Path(settings.workspace)
        if settings.html:
            self._surfaces.attempt(settings.html, lambda: self._write_page(root, settings.html, report))
        if not settings.report_path:
            return ""
        written = self._surfaces.attempt(
            settings.report_path, lambda: _write_report(root, settings.report_path, report)
        )
        return settings.report_path if written else ""

    def _write_page(self, root: Path, place: str, report: Report) -> None:
        from ophiuchus.views.page.whole import page

        pieces = page(report, run=self._run, repository_url=self._event.repository_url)
        replace_file(root, PurePosixPath(place), (piece.encode() for piece in pieces))

    def _tell_pull_request(
        self, settings: Settings, report: Report, document: Document, finish: Finish
    ) -> str:
        """Keep the comment; what became of it, as a line for the log."""
        if settings.comment is CommentMode.NEVER:
            return ""
        if self._event.pull_request is None:
            return f"\nNo comment: the event {self._event.name} names no pull request."
        kept: list[CommentOutcome] = []
        request = self._request(settings, report, document, finish, self._event.pull_request)
        env = self._surfaces.edge.env
        self._surfaces.attempt("the comment", lambda: kept.append(keep_comment(request, env)))
        return "".join(map(self._tell_outcome, kept))

    def _tell_outcome(self, comment: CommentOutcome) -> str:
        if comment.notice is not None:
            said = comment.notice.message
            self._surfaces.writer.annotate(Annotation(Level.NOTICE, "", said))
            self._surfaces.append_summary(Document((Part("the comment", 0, (Paragraph((Text(said),)),)),)))
        if comment.url:
            self._surfaces.write_outputs({"comment_url": comment.url})
        return f"\nComment: {comment.state.value.replace('_', ' ')} {comment.url}"

    def _request(
        self,
        settings: Settings,
        report: Report,
        document: Document,
        finish: Finish,
        pull_request: PullRequest,
    ) -> CommentRequest:
        footer = render_gfm(Document((), document.volatile))
        budget = Budget(COMMENT.limit - COMMENT.measure(footer) - _AROUND_A_COMMENT, COMMENT.measure)
        merge = report.evaluated.merge
        env = self._surfaces.edge.env
        key = (env.get("GITHUB_WORKFLOW", ""), env.get("GITHUB_JOB", ""), settings.path)
        return CommentRequest(
            mode=settings.comment,
            action_needed=is_concerning(report),
            key=settings.comment_key or "\n".join(key),
            body=render_gfm(document.lasting(), budget=budget, finish=finish),
            footer=footer,
            event=self._event.name,
            pull_number=pull_request.number,
            head=pull_request.head or (merge.head if merge else report.evaluated.head),
            locked=pull_request.locked,
            token=settings.github_token,
        )


def _remote(settings: Settings, writer: CommandWriter, edge: Edge) -> Remote | None:
    """Where missing commits are fetched from; a run that cannot know goes on without them, and says so."""
    if not settings.fetch_missing:
        return None
    try:
        return remote_of(edge.env, settings.github_token)
    except ExpectedFailure as failure:
        writer.annotate(
            Annotation(Level.NOTICE, "nothing is fetched", f"{failure.message}. {failure.remedy}")
        )
        return None


def _judge(settings: Settings, event: Event, remote: Remote | None, edge: Edge) -> Judgement:
    return judge_checkout(
        Place(directory=Path(settings.workspace, settings.path), now=edge.now, in_ci=True),
        edge,
        base=settings.base or None,
        event=event,
        remote=remote,
        capsules=settings.capsules,
        scope=settings.scope,
        fail_on=settings.fail_on,
    )


def _outputs(report: Report) -> dict[str, str]:
    totals = report.totals
    counts = {
        "capsules": totals.capsules,
        "continued": totals.continued,
        **{aggregate.value: number for aggregate, number in totals.verdicts.items()},
        "expired": totals.expired,
        "revalidation_required": totals.revalidation_required,
        "needs_action": totals.needs_action,
        "problems": totals.problems,
        "notices": totals.notices,
    }
    return {
        "verdict": outcome(report).value,
        "passed": "true" if exit_status(report) is ExitStatus.DONE else "false",
        "counts": json.dumps(counts, separators=(",", ":")),
    }


def _short(document: Document) -> Document:
    """What leads, and what was judged: the log is read when something went wrong."""
    return replace(document, parts=tuple(part for part in document.parts if part.rank == 0))


def _write_report(root: Path, place: str, report: Report) -> None:
    from ophiuchus.report.serial import report_lines

    replace_file(root, PurePosixPath(place), report_lines(report))
