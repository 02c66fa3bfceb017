"""The report as JSON and its published schema: pydantic over the plain dataclasses.

Imported only where JSON is wanted, since building the schema takes longer than a small run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from ophiuchus.report.model import REPORT_VERSION, CapsuleReport, Report

_REPORT = TypeAdapter(Report)
_CAPSULE = TypeAdapter(CapsuleReport)
_NO_CAPSULES = b'"capsules":[]'


class _PublishedSchema(GenerateJsonSchema):
    """Every key is always written, so every key is required; a title that repeats the key says nothing."""

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: ARG002
        return True

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def report_lines(report: Report) -> Iterator[bytes]:
    """The report in ASCII JSON, piece by piece: a line for each capsule, one before and one behind them all.

    Spelled so that a later step of a job may print it: no line is a workflow command, and what is no plain
    character is an escape. A large report has hundreds of megabytes, so nobody should hold all of it.
    """
    frame = _spelled(_REPORT, replace(report, capsules=()))
    # Inside a text the quotes would be escaped, so this is the key.
    before, _, behind = frame.partition(_NO_CAPSULES)
    yield before + _NO_CAPSULES[:-1]
    between = b"\n"
    for capsule in report.capsules:
        yield between + _spelled(_CAPSULE, capsule)
        between = b",\n"
    yield b"\n]" + behind + b"\n"


def report_bytes(report: Report) -> bytes:
    """All of `report_lines` in one."""
    return b"".join(report_lines(report))


def report_in(data: bytes) -> Report:
    """The report in JSON of any spelling, without keys that are not known. Raises pydantic's ValidationError.

    Strict about types, not about JSON: of a key that is there twice, one is taken.
    """
    return _REPORT.validate_json(data, strict=True)


def is_as_written(report: Report, data: bytes) -> bool:
    """Whether `report_lines` writes just this, line ends apart: then it is strict JSON without more ado."""
    return data.replace(b"\n", b"") == _spelled(_REPORT, report)


def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of what `report_lines` writes. More keys are allowed: version 1 may gain some."""
    schema = _REPORT.json_schema(mode="serialization", schema_generator=_PublishedSchema)
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **schema,
        "title": f"Ophiuchus report, version {REPORT_VERSION}",
    }


def _spelled(adapter: TypeAdapter[Any], value: Any) -> bytes:
    spelled = adapter.dump_json(value)
    if not spelled.isascii():  # the few pay for it: to look at every character takes a third of the time
        spelled = adapter.dump_json(value, ensure_ascii=True)
    spelled = spelled.replace(b"\x7f", rb"\u007f")
    return spelled.replace(b"##[", rb"##\u005b") if b"#" in spelled else spelled
