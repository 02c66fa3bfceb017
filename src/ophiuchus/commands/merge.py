"""`ophiuchus merge`: join the reports of shards, of one repository or many, into one."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.judging import exit_status
from ophiuchus.commands.output import show
from ophiuchus.commands.report_options import add_form
from ophiuchus.report.merge import NamedReport, merge
from ophiuchus.report.model import Report
from ophiuchus.report.reading import MOST_REPORT_BYTES, NotAReport, read_report
from ophiuchus.text.file_text import too_large
from ophiuchus.text.problem import ExpectedFailure, Problem, ProblemCode
from ophiuchus.views.sweep import compose_sweep

HELP = "join the reports of shards and of repositories into one"
EXAMPLE = """\
  ophiuchus merge shard-1.json shard-2.json
  ophiuchus merge reports/*/sweep.json --format html --output sweep.html"""

MOST_BYTES = 1024 * 1024 * 1024
"""Most bytes of all reports together."""

MOST_REPORTS = 10_000
"""Most files of a folder that are joined."""


class NoReports(ExpectedFailure):
    """A folder has no report, or far too many."""

    def __init__(self, folder: str, found: str) -> None:
        super().__init__(
            f"the folder {folder} has {found}",
            "let each shard upload the file of its report_path, and download them with "
            "actions/download-artifact into the folder that is named",
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("reports", nargs="+", metavar="REPORT", help="a file that `--format json` wrote")
    add_form(parser, ("text", "json", "github", "html"))


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Join them and tell of it. Raises NothingToMerge."""
    report = joined((name, Path(name)) for name in arguments.reports)
    show(report, compose_sweep(report), arguments.format, arguments.output, edge)
    return exit_status(report)


def reports_in(folder: Path, called: str) -> Sequence[Path]:
    """Each `*.json` at any depth of a folder that a person calls so. Raises NoReports."""
    files = sorted(path for path in folder.rglob("*.json") if path.is_file() and not path.is_symlink())
    if not 0 < len(files) <= MOST_REPORTS:
        raise NoReports(called, f"{len(files):,} files *.json" if files else "no file *.json")
    return files


def joined(files: Iterable[tuple[str, Path]], home: str | None = None) -> Report:
    """The reports in these files as one; a file that holds none is a problem by its name.

    `home` is the run's own repository, where it has one. Raises NothingToMerge.
    """
    reports: list[NamedReport] = []
    problems: list[Problem] = []
    left = MOST_BYTES
    for name, place in files:
        try:
            data = _read(name, place, min(left, MOST_REPORT_BYTES))
            left -= len(data)
            reports.append(NamedReport(name, read_report(name, data)))
        except NotAReport as refused:
            problems.append(refused.problem)
    return merge(reports, problems, home)


def _read(name: str, place: Path, most: int) -> bytes:
    """The bytes of a file, of which there may be at most `most`. Raises NotAReport."""
    try:
        if not place.is_file():
            raise NotAReport(_unread(name, ProblemCode.UNREADABLE, "is no file; name a report"))
        with place.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise NotAReport(_unread(name, ProblemCode.TOO_LARGE, too_large(size, most)))
            return file.read(most)
    except OSError as error:
        message = f"cannot be read: {error.strerror}; name a file that is there"
        raise NotAReport(_unread(name, ProblemCode.UNREADABLE, message)) from None


def _unread(name: str, code: ProblemCode, message: str) -> Problem:
    return Problem(name, None, None, code, message)
