"""`ophiuchus action`: one step of a workflow, the container's only command.

Secrets are masked before anything is printed. Then the commit is judged as `check` does it, and told on one
surface after the other: job summary, files that were asked for, outputs, annotations, the comment, the log.
A surface that fails is one warning; it hides no other one and never changes the exit status, which follows
the verdicts (cases C004, C016).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.fidelity import Gauge, with_fidelity
from ophiuchus.commands.judging import Judgement, Place, exit_status, judge_checkout, remote_of
from ophiuchus.git.remote import Remote
from ophiuchus.github.comment import CommentMode, CommentOutcome, CommentRequest, keep_comment
from ophiuchus.report.model import Report
from ophiuchus.report.share import is_concerning
from ophiuchus.report.totals import NoVerdict, outcome
from ophiuchus.text.new_file import replace_file
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.budget import COMMENT, Budget
from ophiuchus.views.document import Document, Finish, Heading, Link, Paragraph, Part, Text, unchanged
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.verdict import compose
from ophiuchus.workflow.annotations import annotate
from ophiuchus.workflow.command_files import append_outputs
from ophiuchus.workflow.commands import Annotation, CommandWriter, Level
from ophiuchus.workflow.event import Event, PullRequest, read_event
from ophiuchus.workflow.inputs import Settings, misspelt_inputs, read_settings
from ophiuchus.workflow.summary import append_summary

HELP = "run as a step of a GitHub workflow (what the action's container does)"
EXAMPLE = "  GITHUB_WORKSPACE=$PWD INPUT_FAIL_ON=stale ophiuchus action"

_NOTHING_JUDGED = {
    "verdict": NoVerdict.UNREADABLE.value,
    "passed": "false",
    "counts": "{}",
    "report_path": "",
    "comment_url": "",
}
_KEPT_FOR_THE_COMMENT = 4_000
"""Bytes of the summary that are left for saying what became of the comment."""
_AROUND_A_COMMENT = 200
"""More characters than the marker of a comment and the line above its footer take."""


def add_arguments(_: argparse.ArgumentParser) -> None:
    """It has no options: a step is set up by its inputs."""


def run(_: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Run one step. Everything outside comes from `edge.env`, as the runner sets it."""
    writer = CommandWriter(edge.stdout)
    if edge.env.get("GITHUB_ACTIONS") == "true":  # anywhere else nobody would swallow what is to be hidden
        writer.mask([edge.env.get("INPUT_GITHUB_TOKEN", "")])
    step = _Step(edge, writer, read_event(edge.env))
    try:
        for sentence in misspelt_inputs(edge.env):
            writer.annotate(Annotation(Level.WARNING, "", sentence))
        settings = read_settings(edge.env)
        remote = _remote(settings, writer, edge)
        judgement = _judge(settings, step.event, remote, edge)
    except ExpectedFailure as failure:
        step.tell_failure(failure)
        return ExitStatus.BAD_INPUT
    except Exception:
        step.write_outputs(_NOTHING_JUDGED)
        raise
    step.tell(settings, judgement)
    return exit_status(judgement.report)


class _Step:
    """The surfaces of one step. Each is tried; a bug in one is kept until all were."""

    def __init__(self, edge: Edge, writer: CommandWriter, event: Event) -> None:
        self._edge = edge
        self._writer = writer
        self.event = event
        self._refused: set[str] = set()
        self._bug: Exception | None = None

    def tell(self, settings: Settings, judgement: Judgement) -> None:
        """Tell on every surface what was found. Raises only what is a bug, and that last."""
        gauge = Gauge(judgement.critical)
        page = Link("this run", self.event.run_url) if self.event.run_url else None
        document = compose(
            judgement.report, run=page, repository_url=self.event.repository_url, critical=gauge.units
        )
        whole = gauge.finish(document)
        self._append_summary(document, keep=_KEPT_FOR_THE_COMMENT, finish=gauge.finish)
        # What the job summary carried, if there was one.
        report = with_fidelity(judgement.report, gauge.tracks)
        report_path = self._write_files(settings, report, whole)
        self.write_outputs({**_outputs(report), "report_path": report_path, "comment_url": ""})
        if settings.annotations:
            # One notice is kept for the comment.
            self._attempt("the annotations", lambda: annotate(self._writer, report, {Level.NOTICE: 1}))
        told = self._tell_pull_request(settings, report, document, gauge.finish)
        self._edge.terminal.say(render_plain(_short(document)) + told)
        if self._bug is not None:
            raise self._bug

    def tell_failure(self, failure: ExpectedFailure) -> None:
        """Tell on every surface that nothing could be judged, and why."""
        words = "\n".join(filter(None, (failure.message, failure.remedy)))
        heading = Heading(1, (Text("Action required: nothing could be judged"),))
        said = Paragraph((Text(words),))
        self._append_summary(Document((Part("the failure", 0, (heading, said)),)))
        self.write_outputs(_NOTHING_JUDGED)
        self._writer.annotate(Annotation(Level.ERROR, "nothing could be judged", words))

    def write_outputs(self, values: Mapping[str, str]) -> None:
        """Set outputs of the step, where it has any."""
        if path := self._edge.env.get("GITHUB_OUTPUT"):
            self._attempt("the outputs", lambda: append_outputs(path, values))

    def _append_summary(self, document: Document, keep: int = 0, finish: Finish = unchanged) -> None:
        if path := self._edge.env.get("GITHUB_STEP_SUMMARY"):
            self._attempt("the job summary", lambda: append_summary(path, document, keep=keep, finish=finish))

    def _write_files(self, settings: Settings, report: Report, document: Document) -> str:
        """Write the files that were asked for; the path of the report if it was written, else nothing."""
        root = Path(settings.workspace)
        if settings.html:
            self._attempt(settings.html, lambda: _write_page(root, settings.html, document))
        if not settings.report_path:
            return ""
        written = self._attempt(
            settings.report_path, lambda: _write_report(root, settings.report_path, report)
        )
        return settings.report_path if written else ""

    def _tell_pull_request(
        self, settings: Settings, report: Report, document: Document, finish: Finish
    ) -> str:
        """Keep the comment; what became of it, as a line for the log."""
        if settings.comment is CommentMode.NEVER:
            return ""
        if self.event.pull_request is None:
            return f"\nNo comment: the event {self.event.name} names no pull request."
        kept: list[CommentOutcome] = []
        request = self._request(settings, report, document, finish, self.event.pull_request)
        self._attempt("the comment", lambda: kept.append(keep_comment(request, self._edge.env)))
        return "".join(map(self._tell_outcome, kept))

    def _tell_outcome(self, comment: CommentOutcome) -> str:
        if comment.notice is not None:
            said = comment.notice.message
            self._writer.annotate(Annotation(Level.NOTICE, "", said))
            self._append_summary(Document((Part("the comment", 0, (Paragraph((Text(said),)),)),)))
        if comment.url:
            self.write_outputs({"comment_url": comment.url})
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
        key = (self._edge.env.get("GITHUB_WORKFLOW", ""), self._edge.env.get("GITHUB_JOB", ""), settings.path)
        return CommentRequest(
            mode=settings.comment,
            action_needed=is_concerning(report),
            key=settings.comment_key or "\n".join(key),
            body=render_gfm(document.lasting(), budget=budget, finish=finish),
            footer=footer,
            event=self.event.name,
            pull_number=pull_request.number,
            head=pull_request.head or (merge.head if merge else report.evaluated.head),
            locked=pull_request.locked,
            token=settings.github_token,
        )

    def _attempt(self, what: str, write: Callable[[], object]) -> bool:
        """Whether `write` could do it; what the outside refuses is a warning, once for each surface."""
        try:
            write()
        except (ExpectedFailure, OSError) as failure:
            if what not in self._refused:
                reason = failure.message if isinstance(failure, ExpectedFailure) else failure.strerror
                self._writer.annotate(Annotation(Level.WARNING, "", f"{what} could not be written: {reason}"))
            self._refused.add(what)
        except Exception as bug:
            self._bug = self._bug or bug
        else:
            return True
        return False


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


def _write_page(root: Path, place: str, document: Document) -> None:
    from ophiuchus.views.page import render_page

    replace_file(root, PurePosixPath(place), render_page(document).encode())
