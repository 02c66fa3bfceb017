"""What the steps of `mode: check` and `mode: sweep` share: a report told on one surface after the other.

Job summary, files that were asked for, outputs, annotations, what is kept on GitHub, the log. The exit status
follows the verdicts (cases C004, C016).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Protocol

from ophiuchus.commands.edge import ExitStatus
from ophiuchus.commands.fidelity import Gauge, with_fidelity
from ophiuchus.commands.judging import Judgement, exit_status, remote_of
from ophiuchus.commands.surfaces import NOTHING_JUDGED, Surfaces
from ophiuchus.git.remote import Remote
from ophiuchus.report.model import Report
from ophiuchus.report.totals import outcome
from ophiuchus.text.new_file import replace_file
from ophiuchus.text.problem import ExpectedFailure, Notice
from ophiuchus.views.budget import COMMENT, Budget
from ophiuchus.views.document import Document, Finish, Link, Paragraph, Part, Text
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.workflow.annotations import annotate
from ophiuchus.workflow.commands import Annotation, Level
from ophiuchus.workflow.debug_log import Phase
from ophiuchus.workflow.inputs import Settings

_KEPT_FOR_WHAT_IS_KEPT = 4_000
"""Bytes of the summary that are left for saying what became of the comment or the issue."""
_AROUND = 200
"""More characters than a marker and the line above the footer take."""


class Composer(Protocol):
    """What makes the view of a whole report."""

    def __call__(
        self, report: Report, *, run: Link | None, repository_url: str | None, critical: int
    ) -> Document:
        """The document; the parameters are those of `views.verdict.compose`."""


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of a run: its report, and the view of it that fits a surface when it is finished."""

    report: Report
    document: Document
    finish: Finish


def tell_report(
    settings: Settings,
    surfaces: Surfaces,
    judgement: Judgement,
    compose: Composer,
    keep: Callable[[Told], str],
) -> ExitStatus:
    """Tell on every surface what was found. Raises only what is a bug, and that last.

    `keep` brings up to date what is kept on GitHub, and gives a line for the log.
    """
    totals = judgement.report.totals
    surfaces.log.note(
        Phase.JUDGED,
        capsules=totals.capsules,
        problems=totals.problems,
        notices=totals.notices,
        needs_action=totals.needs_action,
    )
    gauge = Gauge(judgement.critical)
    event = surfaces.event
    document = compose(
        judgement.report, run=run_link(surfaces), repository_url=event.repository_url, critical=gauge.units
    )
    # Without a job summary the report tells of the whole view.
    gauge.finish(document)
    surfaces.append_summary(document, keep=_KEPT_FOR_WHAT_IS_KEPT, finish=gauge.finish)
    report = with_fidelity(judgement.report, gauge.tracks)
    report_path = _write_files(settings, surfaces, report)
    surfaces.write_outputs({**NOTHING_JUDGED, **_outputs(report), "report_path": report_path})
    if settings.annotations:
        # One notice is kept for the comment or the issue.
        surfaces.attempt("the annotations", lambda: annotate(surfaces.writer, report, {Level.NOTICE: 1}))
    kept = keep(Told(report, document, gauge.finish))
    surfaces.edge.terminal.say(render_plain(_short(document)) + kept)
    surfaces.raise_bug()
    return exit_status(report)


def run_link(surfaces: Surfaces) -> Link | None:
    """What leads to the log of this run."""
    return Link("this run", surfaces.event.run_url) if surfaces.event.run_url else None


def kept_text(document: Document, finish: Finish, *, room_for: str = "") -> tuple[str, str]:
    """Body and footer of what is kept on GitHub, which leave room for a marker and for one line more."""
    footer = render_gfm(Document((), document.volatile))
    taken = sum(map(COMMENT.measure, (footer, room_for))) + _AROUND
    budget = Budget(COMMENT.limit - taken, COMMENT.measure)
    return render_gfm(document.lasting(), budget=budget, finish=finish), footer


def tell_notice(surfaces: Surfaces, what: str, notice: Notice) -> None:
    """Tell what hindered `what` is kept on GitHub: once as an annotation, once in the summary."""
    surfaces.writer.annotate(Annotation(Level.NOTICE, "", notice.message))
    surfaces.append_summary(Document((Part(what, 0, (Paragraph((Text(notice.message),)),)),)))


def outcome_line(what: str, state: StrEnum, url: str) -> str:
    """What became of `what`, a thing kept on GitHub, for the log; where it has no page, a notice says why."""
    said = f"\n{what}: {state.value.replace('_', ' ')}"
    return f"{said} {url}" if url else said


def remote_for(settings: Settings, surfaces: Surfaces) -> Remote | None:
    """Where missing commits are fetched from; a run that cannot know goes on without them, and says so."""
    if not settings.fetch_missing:
        return None
    try:
        return remote_of(surfaces.edge.env, settings.github_token)
    except ExpectedFailure as failure:
        said = f"{failure.message}. {failure.remedy}"
        surfaces.writer.annotate(Annotation(Level.NOTICE, "nothing is fetched", said))
        return None


def _write_files(settings: Settings, surfaces: Surfaces, report: Report) -> str:
    """Write the files that were asked for; the path of the report if it was written, else nothing."""

    def write(place: str, content: Callable[[], Iterable[bytes]]) -> bool:
        return bool(place) and surfaces.attempt(
            place, lambda: replace_file(Path(settings.workspace), PurePosixPath(place), content())
        )

    write(settings.html, lambda: _page(surfaces, report))
    write(settings.sarif, lambda: _sarif(surfaces, report))
    return settings.report_path if write(settings.report_path, lambda: _report(report)) else ""


def _page(surfaces: Surfaces, report: Report) -> Iterable[bytes]:
    from ophiuchus.views.page.whole import page

    pieces = page(report, run=run_link(surfaces), repository_url=surfaces.event.repository_url)
    return (piece.encode() for piece in pieces)


def _sarif(surfaces: Surfaces, report: Report) -> Iterable[bytes]:
    from ophiuchus.report.sarif import sarif_text

    return (sarif_text(report, surfaces.event.repository).encode(),)


def _report(report: Report) -> Iterable[bytes]:
    from ophiuchus.report.serial import report_lines

    return report_lines(report)


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
