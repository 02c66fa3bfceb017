"""SARIF: valid by the schema of the standard, closed rules, stable fingerprints, inert text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from built_ledgers import FINDINGS, blocking, critic
from built_reports import capsule, condition, report
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.report import sarif
from ophiuchus.report.ledgers import BlockingFinding, Ledgers
from ophiuchus.report.model import Evaluated, Report
from ophiuchus.report.sarif import sarif_text
from ophiuchus.text.clean import spell_path
from ophiuchus.text.problem import Problem, ProblemCode

SCHEMA = Path(__file__).parent / "sarif/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"

STALE = capsule("cap-1", Aggregate.STALE, condition(Verdict.STALE, line=9))
BAD = Problem(".ophiuchus/bad.json", 3, 7, ProblemCode.NOT_JSON, "is not JSON")


def results(*capsules: Any, problems: Any = ()) -> list[dict[str, Any]]:
    (run,) = json.loads(sarif_text(report(*capsules, problems=problems)))["runs"]
    found: list[dict[str, Any]] = run["results"]
    return found


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft4Validator:
    if not SCHEMA.exists():
        pytest.skip("the schema is missing: npm ci --prefix tests/report/sarif")
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_text("utf-8")))


@pytest.mark.node
@pytest.mark.parametrize("shard", [None, "2/4"])
def test_a_log_fits_the_schema_of_the_standard(schema: jsonschema.Draft4Validator, shard: str | None) -> None:
    expired = capsule("cap-2", Aggregate.VALID, condition(Verdict.VALID), expired=True, needs_action=True)
    log = json.loads(sarif_text(report(STALE, expired, problems=[BAD, BAD], shard=shard)))
    schema.validate(log)
    assert len(log["runs"][0]["results"]) == 4
    del log["runs"][0]["tool"]["driver"]["name"]
    assert not schema.is_valid(log)


@pytest.mark.node
def test_a_log_that_was_cut_fits_it_too(
    schema: jsonschema.Draft4Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 1)
    log = json.loads(sarif_text(report(STALE, problems=[BAD, BAD])))
    schema.validate(log)
    (run,) = log["runs"]
    assert len(run["results"]) == 1
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"] == "2 more results were left out."


def test_a_result_names_rule_level_file_and_line() -> None:
    problem, stale = results(STALE, problems=[BAD])
    assert (stale["ruleId"], stale["level"]) == ("condition/stale", "warning")
    assert stale["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": ".ophiuchus/cap-1.json", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 9},
    }
    assert (problem["ruleId"], problem["level"]) == ("problem/not_json", "error")
    assert problem["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 7}


@pytest.mark.parametrize(
    ("one", "rules"),
    [
        (condition(Verdict.STALE), ["condition/stale"]),
        (condition(Verdict.PARTIALLY_STALE), ["condition/partially_stale"]),
        (condition(Verdict.UNVERIFIABLE, remedy="fetch it"), ["condition/unverifiable"]),
        (condition(Verdict.UNVERIFIABLE), []),
        (condition(Verdict.STALE, required=False), []),
        (condition(Verdict.VALID), []),
    ],
)
def test_what_needs_action_is_a_result_and_nothing_else(one: Any, rules: list[str]) -> None:
    assert [found["ruleId"] for found in results(capsule("a", Aggregate.STALE, one))] == rules


def test_what_is_continued_is_no_result() -> None:
    assert results(capsule("a", Aggregate.STALE, condition(Verdict.STALE), continued=True)) == []


def test_rules_are_a_closed_set_and_every_result_points_at_its_own() -> None:
    log = json.loads(sarif_text(report(STALE, problems=[BAD])))
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert (
        json.loads(sarif_text(report()))["runs"][0]["tool"]["driver"]["rules"]
        == run["tool"]["driver"]["rules"]
    )
    assert {f"problem/{code.value}" for code in ProblemCode} < set(rules)
    for found in run["results"]:
        assert rules[found["ruleIndex"]] == found["ruleId"]


def fingerprints(*capsules: Any, problems: Any = ()) -> list[str]:
    return [
        found["partialFingerprints"]["primaryLocationLineHash"]
        for found in results(*capsules, problems=problems)
    ]


def test_a_fingerprint_stays_where_only_the_place_or_the_reason_changed() -> None:
    moved = capsule(
        "CAP-1",
        Aggregate.PARTIALLY_STALE,
        condition(Verdict.PARTIALLY_STALE, line=40, reason="other"),
        path="x",
    )
    assert fingerprints(moved) == fingerprints(STALE)


def test_two_results_have_two_fingerprints() -> None:
    two = capsule("a", Aggregate.STALE, condition(Verdict.STALE), condition(Verdict.STALE, condition_id="b"))
    found = fingerprints(two, STALE, problems=[BAD, BAD])
    assert len(set(found)) == len(found) == 5


# The critics' findings.


def with_findings(*findings: BlockingFinding, **fields: Any) -> Report:
    return replace(report(), ledgers=Ledgers(critic=critic(*findings, **fields)))


def run_of(found: Report, home: str | None = None) -> dict[str, Any]:
    (run,) = json.loads(sarif_text(found, home))["runs"]
    made: dict[str, Any] = run
    return made


def prints(*findings: BlockingFinding) -> list[str]:
    return [
        one["partialFingerprints"]["primaryLocationLineHash"]
        for one in run_of(with_findings(*findings))["results"]
    ]


@pytest.mark.node
def test_a_log_with_findings_fits_the_schema(schema: jsonschema.Draft4Validator) -> None:
    found = with_findings(blocking(), blocking(2, text=None), blocking(3, text="b"), open_blocking_count=9)
    schema.validate(json.loads(sarif_text(found)))


def test_an_open_blocking_finding_is_a_result_on_its_line_and_names_the_code() -> None:
    (found,) = run_of(with_findings(blocking()))["results"]
    assert (found["ruleId"], found["level"]) == ("finding/blocking", "warning")
    assert found["message"]["text"] == (
        "Open and blocking (high, challenger, auto-20260628-01, execute): "
        "Two writers race on the append, case 1: src/pay/append.py:41"
    )
    assert [one["physicalLocation"] for one in found["locations"]] == [
        {"artifactLocation": {"uri": FINDINGS, "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 11}}
    ]
    assert [one["physicalLocation"] for one in found["relatedLocations"]] == [
        {
            "artifactLocation": {"uri": "src/pay/append.py", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 41},
        }
    ]


@pytest.mark.parametrize("text", ["../../etc/passwd.d/a.py:1", "/etc/a.py:1", "nothing", "", None])
def test_a_finding_that_names_no_place_here_has_none(text: str | None) -> None:
    (found,) = run_of(with_findings(blocking(text=text)))["results"]
    assert "relatedLocations" not in found


def test_of_a_finding_that_holds_a_secret_only_its_line_is_told() -> None:
    withheld = blocking(finding_id="", run_id="", phase_id="", lens="", severity="", text=None)
    (found,) = run_of(with_findings(withheld))["results"]
    assert found["message"]["text"] == ("Open and blocking: (not shown: it looks like it holds a secret)")


def test_without_the_ledger_or_with_nothing_open_there_is_no_result() -> None:
    assert run_of(report())["results"] == []
    assert run_of(with_findings())["results"] == []


def test_a_finding_keeps_its_fingerprint_wherever_it_stands_and_however_it_is_worded() -> None:
    moved = replace(blocking(), line=900, text="other words", severity="low")
    assert prints(blocking(2), moved)[1:] == prints(blocking())


def test_two_findings_have_two_fingerprints_be_their_ids_alike_or_withheld() -> None:
    withheld = blocking(finding_id="", run_id="", phase_id="", lens="", severity="", text=None)
    of_other_phase = blocking(phase_id="qa")
    found = prints(blocking(), blocking(2), blocking(), of_other_phase, withheld, withheld)
    assert len(set(found)) == 6


def test_its_rule_speaks_of_ledgers_and_not_of_capsules() -> None:
    (rule,) = [one for one in run_of(report())["tool"]["driver"]["rules"] if one["id"] == "finding/blocking"]
    assert "ophiuchus critic resolve" in rule["help"]["text"]
    assert "written by an agent" in rule["fullDescription"]["text"]
    assert "capsule" not in json.dumps(rule)


@pytest.mark.parametrize(
    ("number", "said"), [(3, "1 more result was left out."), (1_202, "1,200 more results were left out.")]
)
def test_findings_that_are_only_counted_are_said_to_be_left_out(number: int, said: str) -> None:
    run = run_of(with_findings(blocking(), blocking(2), open_blocking_count=number))
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"]) == ("warning", said)


@pytest.mark.parametrize(("home", "kept"), [("octo/shop", 1), ("OCTO/Shop", 1), ("octo/else", 0), (None, 1)])
def test_findings_of_another_repository_are_left_out_where_its_report_was_joined(
    home: str | None, kept: int
) -> None:
    source = Evaluated("octo/shop", "a" * 40, "b" * 40, "2026-11-30T12:34:56Z")
    run = run_of(replace(with_findings(blocking()), sources=(source,)), home)
    assert len(run["results"]) == kept
    assert ("invocations" in run) is (kept == 0)
    assert len(run_of(with_findings(blocking()), home)["results"]) == 1


@given(st.text())
def test_no_word_of_a_finding_is_a_link_or_a_command(text: str) -> None:
    hostile = f"{text}](https://x.y) {{0}} ##[error]x\n::error::y\x7f src/a.py:3 {text}"
    one = blocking(text=hostile, run_id=hostile, phase_id=text, finding_id=text)
    written = sarif_text(with_findings(one))
    assert written.isascii()
    assert "##[" not in written
    assert not any(line.lstrip().startswith("::") for line in written.splitlines())
    (found,) = json.loads(written)["runs"][0]["results"]
    said = found["message"]["text"]
    assert "](" not in said
    assert not re.search(r"(?<!\{)\{(\{\{)*\d", said)
    assert "\n" not in said


def test_each_shard_is_a_category_of_its_own() -> None:
    found = {
        json.loads(sarif_text(report(shard=shard)))["runs"][0]["automationDetails"]["id"]
        for shard in (None, "1/2", "2/2")
    }
    assert found == {"ophiuchus/", "ophiuchus/shard-1-of-2/", "ophiuchus/shard-2-of-2/"}


@pytest.mark.parametrize(
    ("home", "kept", "said"),
    [
        ("octo/shop", 3, "1 result of another repository was left out."),
        ("OCTO/Shop", 3, "1 result of another repository was left out."),
        ("octo/else", 1, "3 results of other repositories were left out."),
        (None, 1, "3 results of other repositories were left out."),
    ],
)
def test_what_is_another_repositorys_is_left_out_and_counted(home: str | None, kept: int, said: str) -> None:
    own = [replace(BAD, repository="octo/shop"), replace(BAD, repository="away/x"), BAD]
    stale = replace(STALE, repository="octo/shop")
    (run,) = json.loads(sarif_text(report(stale, problems=own, repository=None), home))["runs"]
    assert len(run["results"]) == kept
    (invocation,) = run["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"]) == ("note", said)


def test_a_fingerprint_does_not_depend_on_other_repositories() -> None:
    def of(*problems: Problem) -> list[Any]:
        (run,) = json.loads(sarif_text(report(problems=problems), "octo/shop"))["runs"]
        return [found["partialFingerprints"] for found in run["results"]]

    own = replace(BAD, repository="octo/shop")
    assert of(replace(BAD, repository="away/x"), own) == of(own)


@given(st.text())
def test_no_text_of_data_is_a_link_a_place_to_fill_in_or_a_command(text: str) -> None:
    hostile = f"{text}](https://x.y) {{0}} ##[error]x\n::error::y\x7f\x1b[2J"
    one = capsule("a", Aggregate.STALE, condition(Verdict.STALE, reason=hostile, condition_id=text, line=1))
    written = sarif_text(report(one, problems=[Problem(text, None, None, ProblemCode.NOT_JSON, hostile)]))
    assert written.isascii()
    assert "##[" not in written
    assert not any(line.lstrip().startswith("::") for line in written.splitlines())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", written)
    for found in json.loads(written)["runs"][0]["results"]:
        said = found["message"]["text"]
        assert "](" not in said
        assert not re.search(r"(?<!\{)\{(\{\{)*\d", said)
        assert "\n" not in said
        assert "\x1b" not in said


@given(st.binary(min_size=1).filter(lambda path: b"\0" not in path))
def test_a_path_comes_back_from_its_address(path: bytes) -> None:
    from urllib.parse import unquote_to_bytes

    uri = sarif._uri(spell_path(path))
    assert unquote_to_bytes(uri) == path
    assert re.fullmatch(r"[A-Za-z0-9_.~/%-]*", uri)
