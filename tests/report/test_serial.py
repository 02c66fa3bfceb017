"""The report's JSON and its published schema."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import jsonschema
import pytest

from ophiuchus.assess.verdicts import Aggregate, GlobResult, GlobVerdict, Method, Verdict
from ophiuchus.git.findings import Change, PathChange
from ophiuchus.report.model import (
    CapsuleReport,
    ConditionReport,
    Evaluated,
    Gate,
    GateReason,
    GateRule,
    Merge,
    Report,
    Tool,
    ValidityReport,
)
from ophiuchus.report.serial import report_bytes, report_schema
from ophiuchus.report.totals import count
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode

PUBLISHED = Path(__file__).parents[2] / "docs" / "schema" / "report-v1.schema.json"
BASE, HEAD = "0" * 40, "1" * 40


def capsule(number: int) -> CapsuleReport:
    path = PathChange("src/caf\xe9", Change.CONTENT)
    changed = GlobVerdict("src/**", GlobResult.CHANGED, None, 12, (path,))
    unknown = GlobVerdict("doc/**", GlobResult.CHANGED, "differs", None, ())
    conditions = (
        ConditionReport(
            "vc-1", "git_paths", True, 9, Verdict.STALE, Method.BASE_TREE, "r", None, None, (changed, unknown)
        ),
        ConditionReport("vc-2", "weather", False, None, Verdict.UNVERIFIABLE, None, "r", "do it", None, ()),
    )
    return CapsuleReport(
        path=f".ophiuchus/cap-{number}.json",
        capsule_id=f"cap-{number}",
        title="Ship\x1b[2K \u202e it ##[error]",
        continued=False,
        expired=True,
        needs_action=True,
        validity=ValidityReport(Aggregate.STALE, conditions),
    )


def report(capsules: int = 1) -> Report:
    judged = tuple(map(capsule, range(capsules)))
    problems = (Problem("bad.json", 1, None, ProblemCode.NOT_JSON, "m"),)
    notices = (Notice("", NoticeCode.NO_CAPSULES, "m"),)
    return Report(
        tool=Tool("ophiuchus-action", "0.1.0"),
        evaluated=Evaluated("o/r", HEAD, BASE, "2026-07-01T12:00:00Z", merge=Merge(BASE, HEAD), shallow=True),
        capsules=judged,
        problems=problems,
        notices=notices,
        totals=count(judged, problems=1, notices=1),
        gate=Gate((GateRule.ANY,), passed=False, reasons=(GateReason(GateRule.STALE, "p", "c"),)),
        limits={"validity": "sentence"},
    )


def written(value: Report) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(report_bytes(value))
    return document


def test_the_published_schema_is_in_step() -> None:
    """Write it anew with `ophiuchus schema report > docs/schema/report-v1.schema.json`."""
    assert json.loads(PUBLISHED.read_text("utf-8")) == report_schema()


def test_a_report_fits_its_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())
    jsonschema.validate(written(report()), report_schema(), jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document.pop("ledgers"),
        lambda document: document["capsules"][0].pop("before"),
        lambda document: document["evaluated"].pop("shard"),
        lambda document: document["capsules"][0]["validity"].update(aggregate="fine"),
        lambda document: document["problems"][0].update(code="oops"),
        lambda document: document["gate"].update(fail_on=["red"]),
    ],
)
def test_the_schema_asks_for_every_key_and_closed_sets(spoil: Any) -> None:
    document = written(report())
    spoil(document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, report_schema(), jsonschema.Draft202012Validator)


def test_a_later_report_may_have_more_keys() -> None:
    jsonschema.validate({**written(report()), "later": 1}, report_schema(), jsonschema.Draft202012Validator)


def test_the_top_keys_are_those_of_the_design() -> None:
    assert list(written(report())) == [
        "schema_version",
        "tool",
        "evaluated",
        "sources",
        "capsules",
        "removed",
        "problems",
        "notices",
        "ledgers",
        "totals",
        "gate",
        "limits",
    ]


def test_text_comes_out_as_it_was() -> None:
    document = written(report())
    assert document["capsules"][0]["title"] == "Ship\x1b[2K \u202e it ##[error]"
    assert document["capsules"][0]["validity"]["conditions"][0]["paths"][0]["changed"] == [
        {"path": "src/caf\xe9", "change": "content"}
    ]
    assert document["totals"]["verdicts"]["stale"] == 1
    assert report_bytes(report()).isascii()
    assert not set(report_bytes(report())) & set(b"\x1b\x7f\r")


def test_a_report_that_a_later_step_prints_is_no_command() -> None:
    """C062."""
    assert b"##[" not in report_bytes(report())


def test_each_capsule_has_a_line_of_its_own() -> None:
    """So that two reports can be compared line by line, and a large one is never held whole."""
    first, *capsules, last = report_bytes(report(3)).splitlines()
    assert [json.loads(line.removesuffix(b","))["capsule_id"] for line in capsules] == [
        "cap-0",
        "cap-1",
        "cap-2",
    ]
    assert first.endswith(b'"capsules":[')
    assert last.startswith(b"]")


def test_a_report_of_nothing_is_whole() -> None:
    assert written(report(0))["capsules"] == []


def test_a_text_that_looks_like_the_list_of_capsules_is_a_text() -> None:
    value = replace(report(), evaluated=replace(report().evaluated, repository='"capsules":[]'))
    assert written(value)["evaluated"]["repository"] == '"capsules":[]'
    assert len(written(value)["capsules"]) == 1


def test_ten_thousand_capsules_are_written_quickly() -> None:
    """Area scale: far below a second on any machine; the bound is loose for a busy one."""
    large = report(10_000)
    begin = perf_counter()
    report_bytes(large)
    assert perf_counter() - begin < 3
