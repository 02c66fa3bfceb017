"""The report as JSON and its published schema: pydantic over the plain dataclasses.

Imported only where JSON is wanted, since building the schema takes longer than a small run.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from ophiuchus.report.model import REPORT_VERSION, Report

_REPORT = TypeAdapter(Report)


class _PublishedSchema(GenerateJsonSchema):
    """Every key is always written, so every key is required; a title that repeats the key says nothing."""

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: ARG002
        return True

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def report_bytes(report: Report) -> bytes:
    """The report in ASCII JSON, indented, ending in a newline.

    Spelled so that a later step of a job may print the file: no line of it is a workflow command, and what
    is no plain character is an escape. A large report is tens of megabytes: it is made once and not copied.
    """
    data = _REPORT.dump_json(report, indent=2, ensure_ascii=True)
    return data.replace(b"\x7f", rb"\u007f").replace(b"##[", rb"##\u005b") + b"\n"


def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of what `report_bytes` writes. More keys are allowed: version 1 may gain some."""
    schema = _REPORT.json_schema(mode="serialization", schema_generator=_PublishedSchema)
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **schema,
        "title": f"Ophiuchus report, version {REPORT_VERSION}",
    }
