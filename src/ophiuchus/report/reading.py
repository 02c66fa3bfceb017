"""Reading a report that some run wrote: strict JSON in the published shape, or why it is none.

A report comes from another job, so it is untrusted: its texts are made inert where they are shown, and what
can be reckoned from the rest of it is reckoned anew by who uses it (`report/merge.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ophiuchus.git.object_id import is_any_full_id
from ophiuchus.report.model import REPORT_VERSION, CapsuleReport, Evaluated, Report
from ophiuchus.report.serial import is_as_written, report_in
from ophiuchus.report.shard import WHOLE, NotAShard, Shard, parse_shard
from ophiuchus.text.file_text import BYTE_ORDER_MARK
from ophiuchus.text.instant import NotAnInstant, parse_instant
from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.problem import Problem, ProblemCode
from ophiuchus.text.repository import repository_name
from ophiuchus.text.strict_json import NotStrictJson, locate, parse_json

MOST_REPORT_BYTES = 256 * 1024 * 1024
"""Most bytes of one report."""

_REMEDY = "write it anew with `--format json`"
_LONGEST_KEY = 40

_Fault = tuple[Pointer, str]
"""Where something is wrong in a report, and what."""


class NotAReport(Exception):
    """A file holds no report of this version; `problem` says why, and where in it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_report(name: str, data: bytes) -> Report:
    """The report in the bytes of the file `name`. Raises NotAReport."""
    try:
        report = report_in(data.removeprefix(BYTE_ORDER_MARK))
    except ValidationError as error:
        _refuse_what_is_loose(name, data)
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _refused(
            name, data, first["loc"], f"is not as in a report: {first['msg']}; {_REMEDY}"
        ) from None
    # A strict parse takes as long as all the rest, and what this program wrote needs none.
    if report.schema_version != REPORT_VERSION or not is_as_written(report, data):
        _refuse_what_is_loose(name, data)
    if (fault := next(_faults_in(report), None)) is not None:
        raise _refused(name, data, *fault)
    return report


def _refuse_what_is_loose(name: str, data: bytes) -> None:
    """Raise NotAReport for what is no strict JSON, or of another version."""
    try:
        document = parse_json(data, MOST_REPORT_BYTES).document
    except NotStrictJson as refused:
        raise NotAReport(refused.problem(name)) from None
    if (fault := _of_another_version(document)) is not None:
        raise _refused(name, data, *fault)


def _of_another_version(document: Any) -> _Fault | None:
    version = document.get("schema_version") if isinstance(document, dict) else None
    if type(version) is int and version > REPORT_VERSION:
        message = f"is larger than {REPORT_VERSION}: a newer Ophiuchus wrote it; use that one, or a newer one"
        return ("schema_version",), message
    if version != REPORT_VERSION or type(version) is not int:
        return (), f"is no report of version {REPORT_VERSION}; {_REMEDY}"
    return None


def _faults_in(report: Report) -> Iterator[_Fault]:
    """What of it is used further and could be something else than it says."""
    yield from _faults_of(report.evaluated, ("evaluated",))
    for number, source in enumerate(report.sources):
        yield from _faults_of(source, ("sources", number))
    for number, problem in enumerate(report.problems):
        for key, place in (("line", problem.line), ("column", problem.column)):
            if place is not None and place < 1:
                yield ("problems", number, key), f"is no {key}; {_REMEDY}"
    shard = WHOLE if report.evaluated.shard is None else parse_shard(report.evaluated.shard)
    yield from _faults_of_capsules(report.capsules, shard)


def _faults_of(evaluated: Evaluated, at: Pointer) -> Iterator[_Fault]:
    if evaluated.repository is not None and repository_name(evaluated.repository) is None:
        yield (*at, "repository"), f"names no repository (OWNER/NAME); {_REMEDY}"
    for way, spelled in _object_ids(evaluated):
        if not is_any_full_id(spelled):
            yield (*at, *way), f"is no full id of git's; {_REMEDY}"
    try:
        parse_instant(evaluated.now)
    except NotAnInstant:
        yield (*at, "now"), f"is no moment; {_REMEDY}"
    for key, number in (("fetched", evaluated.fetched), ("truncated", evaluated.truncated)):
        if number < 0:
            yield (*at, key), f"is less than 0; {_REMEDY}"
    try:
        if evaluated.shard is not None:
            parse_shard(evaluated.shard)
    except NotAShard as refused:
        yield (*at, "shard"), f"names no shard; {refused.remedy}"


def _object_ids(evaluated: Evaluated) -> Iterator[tuple[Pointer, str]]:
    """The ids that it names; the tree of several repositories is none."""
    if evaluated.head is not None:
        yield ("head",), evaluated.head
    if evaluated.tree:
        yield ("tree",), evaluated.tree
    if evaluated.base is not None:
        yield ("base",), evaluated.base
    if evaluated.merge is not None:
        yield ("merge", "base"), evaluated.merge.base
        yield ("merge", "head"), evaluated.merge.head


def _faults_of_capsules(capsules: tuple[CapsuleReport, ...], shard: Shard) -> Iterator[_Fault]:
    """Ids that are there twice or belong to another shard would count twice; commits become links."""
    known: set[str] = set()
    for number, capsule in enumerate(capsules):
        at = ("capsules", number)
        folded = capsule.capsule_id.casefold()
        if folded in known:
            yield (*at, "capsule_id"), f"is there twice; {_REMEDY}"
        known.add(folded)
        if shard != WHOLE and not shard.holds(folded):
            yield (*at, "capsule_id"), f"does not belong to shard {shard}; {_REMEDY}"
        for place, condition in enumerate(capsule.validity.conditions):
            if condition.line is not None and condition.line < 1:
                yield (*at, "validity", "conditions", place, "line"), f"is no line; {_REMEDY}"
            for nth, logged in enumerate(condition.changed_by):
                if not is_any_full_id(logged.commit):
                    way = (*at, "validity", "conditions", place, "changed_by", nth, "commit")
                    yield way, f"is no full id of git's; {_REMEDY}"


def _refused(name: str, data: bytes, way: tuple[int | str, ...], message: str) -> NotAReport:
    """The problem at the nearest value that is there: what is missing has no place of its own."""
    places = [way[:length] for length in range(len(way), -1, -1)]
    located = locate(data, places)
    line, column = next((located[one].value for one in places if one in located), (None, None))
    at = ".".join(str(step)[:_LONGEST_KEY] for step in way)
    return NotAReport(
        Problem(name, line, column, ProblemCode.BAD_FIELD, f"`{at}` {message}" if at else message)
    )
