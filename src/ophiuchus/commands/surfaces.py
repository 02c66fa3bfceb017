"""The surfaces that every step has, whatever it does: job summary, outputs, annotations, the log.

Each is tried: one that fails is one warning, hides no other one and changes no exit status. A bug in one is
kept until all were tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from ophiuchus.commands.edge import Edge
from ophiuchus.report.totals import NoVerdict
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.document import Document, Finish, Heading, Paragraph, Part, Text, unchanged
from ophiuchus.workflow.command_files import append_outputs
from ophiuchus.workflow.commands import Annotation, CommandWriter, Level
from ophiuchus.workflow.debug_log import DebugLog, Phase
from ophiuchus.workflow.event import Event
from ophiuchus.workflow.summary import append_summary

NOTHING_JUDGED = {
    "verdict": NoVerdict.UNREADABLE.value,
    "passed": "false",
    "counts": "{}",
    "report_path": "",
    "comment_url": "",
    "issue_url": "",
    "view_digest": "",
    "deliveries": "{}",
}
"""Every output, of a step that came to nothing."""

_PHASES = {
    "the job summary": Phase.SUMMARY,
    "the outputs": Phase.OUTPUTS,
    "the annotations": Phase.ANNOTATIONS,
    "the comment": Phase.COMMENT,
    "the issue": Phase.ISSUE,
}
"""How the debug log calls a surface; any other one is a file that was asked for."""


class Surfaces:
    """The surfaces of one step, which `event` started, and its debug log."""

    def __init__(self, edge: Edge, writer: CommandWriter, event: Event) -> None:
        self.edge = edge
        self.writer = writer
        self.event = event
        self.log = DebugLog(writer, edge.env, time.monotonic)
        self._refused: set[str] = set()
        self._bug: Exception | None = None

    def use_environment(self, env: Mapping[str, str]) -> None:
        """Go on with `env` in the place of the step's own environment."""
        self.edge = replace(self.edge, env=env)

    def tell_failure(self, failure: ExpectedFailure, what: str) -> None:
        """Tell on every surface that nothing could be done of `what`, such as "judged", and why."""
        words = "\n".join(filter(None, (failure.message, failure.remedy)))
        heading = Heading(1, (Text(f"Action required: nothing could be {what}"),))
        said = Paragraph((Text(words),))
        self.append_summary(Document((Part("the failure", 0, (heading, said)),)))
        self.write_outputs(NOTHING_JUDGED)
        self.writer.annotate(Annotation(Level.ERROR, f"nothing could be {what}", words))

    def write_outputs(self, values: Mapping[str, str]) -> None:
        """Set outputs of the step, where it has any."""
        if path := self.edge.env.get("GITHUB_OUTPUT"):
            self.attempt("the outputs", lambda: append_outputs(path, values))

    def append_summary(self, document: Document, keep: int = 0, finish: Finish = unchanged) -> None:
        """Append to the job summary, where there is one, leaving `keep` bytes of room in it."""
        if path := self.edge.env.get("GITHUB_STEP_SUMMARY"):
            self.attempt("the job summary", lambda: append_summary(path, document, keep=keep, finish=finish))

    def attempt(self, what: str, write: Callable[[], object]) -> bool:
        """Whether `write` could do it; what the outside refuses is a warning, once for each surface."""
        done = self._attempt(what, write)
        self.log.note(_PHASES.get(what, Phase.FILE), done=done)
        return done

    def _attempt(self, what: str, write: Callable[[], object]) -> bool:
        try:
            write()
        except (ExpectedFailure, OSError) as failure:
            if what not in self._refused:
                reason = failure.message if isinstance(failure, ExpectedFailure) else _refusal(failure)
                self.writer.annotate(Annotation(Level.WARNING, "", f"{what} could not be written: {reason}"))
            self._refused.add(what)
        except Exception as bug:
            self._bug = self._bug or bug
        else:
            return True
        return False

    def raise_bug(self) -> None:
        """Raise what was a bug in one of them."""
        if self._bug is not None:
            raise self._bug


def _refusal(error: OSError) -> str:
    """What the system says, which is nothing where Python itself refuses, as it does for a pipe."""
    return error.strerror or "it is no plain file"
