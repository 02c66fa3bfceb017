"""The job summary: a document as Markdown, never more than the platform shows.

Over its limit the platform drops a summary whole, so what the step already wrote counts (platform 3.8).
"""

from __future__ import annotations

from pathlib import Path

from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.budget import summary_budget
from ophiuchus.views.document import Document, Finish, unchanged
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.workflow.command_files import append_text

_LINE_ENDS = 2
"""Bytes that appending may add: the end of a line that was begun, and our own."""


class SummaryIsFull(ExpectedFailure):
    """Not even a shortened document fits beside what the step already wrote."""


def append_summary(path: str, document: Document, *, keep: int = 0, finish: Finish = unchanged) -> None:
    """Append `document` to the summary at `path`, as much as fits, leaving `keep` bytes for later.

    `finish` as for `render_gfm`.
    Raises SummaryIsFull and OSError.
    """
    budget = summary_budget(_bytes_at(path) + keep + _LINE_ENDS)
    text = render_gfm(document, budget=budget, finish=finish)
    if not text:
        raise SummaryIsFull("there is no room left in it")
    append_text(path, text)


def _bytes_at(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except FileNotFoundError:
        return 0
