"""The debug log: where a step is and what it counted, on a runner that was told to debug (RUNNER_DEBUG=1).

A line is `phase=judged seconds=0.412 capsules=12`. Only words of ours and numbers can get into it: a log that
is switched on to send it to somebody must hold nothing of the repository, the inputs or the tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from ophiuchus.workflow.commands import CommandWriter


class Phase(StrEnum):
    """What was just finished."""

    INPUTS = "inputs"
    TRUST = "trust"
    JUDGED = "judged"
    PUBLISHED = "published"
    SUMMARY = "summary"
    OUTPUTS = "outputs"
    ANNOTATIONS = "annotations"
    COMMENT = "comment"
    ISSUE = "issue"
    FILE = "file"
    REFUSED = "refused"
    ENDED = "ended"


class DebugLog:
    """Writes the lines. `clock` counts seconds from any moment on; the first call starts the step."""

    def __init__(self, writer: CommandWriter, env: Mapping[str, str], clock: Callable[[], float]) -> None:
        self._writer = writer if env.get("RUNNER_DEBUG") == "1" else None
        self._clock = clock
        self._began = clock()

    def note(self, phase: Phase, **counts: int) -> None:
        """Say that `phase` is over, and what was counted in it. Silent where nobody debugs."""
        if self._writer is None:
            return
        seconds = f"seconds={self._clock() - self._began:.3f}"
        counted = (f"{name}={number:d}" for name, number in counts.items())
        self._writer.debug(" ".join([f"phase={phase.value}", seconds, *counted]))
