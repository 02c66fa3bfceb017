"""A report in the form that was asked for, on the standard output or in a person's file."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ophiuchus.commands.edge import Edge
from ophiuchus.report.model import Report
from ophiuchus.text.new_file import CannotBeWritten, replace_file
from ophiuchus.text.terminal import Terminal, harmless_line
from ophiuchus.views.document import Document


def show(report: Report, document: Document, form: str, file: str | None, edge: Edge) -> None:
    """Print `report` as `form` (one of `report_options.FORMS`), or write that to `file`.

    `document` is what a person reads of it. Raises CannotBeWritten.

    A file gets the same harmless lines as a terminal: a later step of a job may print it.
    """
    if file is not None and form == "json":
        from ophiuchus.report.serial import report_lines

        write_output(file, report_lines(report))
    elif file is not None and form == "html":
        write_output(file, (piece.encode() for piece in _page(report)))
    elif file is None:
        _print(report, document, form, edge)
    else:
        written = io.StringIO()
        inner = replace(edge, stdout=written, terminal=Terminal(written, written), columns=None)
        _print(report, document, form, inner)
        write_output(file, written.getvalue().encode())


def write_output(name: str, data: bytes | Iterable[bytes]) -> None:
    """Write `data`, perhaps in pieces, to the file `name`, whole or not at all. Raises CannotBeWritten.

    A relative name is opened beneath the working folder, which may be somebody else's checkout: no link on
    the way is followed. An absolute name, or one with `..`, is taken at its word up to its folder. What is
    there and no plain file, such as /dev/stdout, is left alone.
    """
    place = Path(name)
    if place.is_symlink() or (place.exists() and not place.is_file()):
        raise CannotBeWritten(f"{name} is there and is no plain file", "name a file of its own")
    if place.is_absolute() or ".." in place.parts:
        if not place.parent.is_dir():
            raise CannotBeWritten(f"{name} cannot be written: its folder is not there", "make that first")
        replace_file(place.parent, PurePosixPath(place.name), data)
    else:
        replace_file(Path(), PurePosixPath(place), data)


def _print(report: Report, document: Document, form: str, edge: Edge) -> None:
    if form == "json":
        from ophiuchus.report.serial import report_lines

        edge.terminal.say_spelled(report_lines(report))
    elif form == "github":
        from ophiuchus.workflow.annotations import annotate
        from ophiuchus.workflow.commands import CommandWriter

        annotate(CommandWriter(edge.stdout), report)
        base = report.evaluated.base
        compared = f" Compared with commit {base}." if base is not None else ""
        edge.terminal.say(f"Judged: {_judged(report)}, not your work tree.{compared}")
    elif form == "sarif":
        from ophiuchus.report.sarif import sarif_text

        edge.terminal.say_spelled((sarif_text(report).encode("ascii"),))
    elif form == "html":
        for piece in _page(report):
            edge.terminal.say(piece)
    else:
        from ophiuchus.views.render.plain import render_plain

        edge.terminal.say(render_plain(document, edge.columns))


def _page(report: Report) -> Iterator[str]:
    """The page in pieces, for it is large, of lines that nothing obeys."""
    from ophiuchus.views.page.whole import page

    for piece in filter(None, page(report)):
        yield "".join(f"{harmless_line(line)}\n" for line in piece.removesuffix("\n").split("\n"))


def _judged(report: Report) -> str:
    evaluated = report.evaluated
    if evaluated.head is None and report.sources:
        return f"the commits of {len(report.sources):,} reports"
    return f"commit {evaluated.head}" if evaluated.head else f"the index, tree {evaluated.tree}"
