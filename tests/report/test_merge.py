"""Reports joined: every shard once, totals and gate reckoned anew, and a bad report stops no other."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from built_reports import HEAD, capsule, condition, report
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.report.merge import NamedReport, NothingToMerge, merge
from ophiuchus.report.model import Gate, GateRule, Report
from ophiuchus.report.reading import NotAReport, read_report
from ophiuchus.report.serial import report_bytes
from ophiuchus.report.shard import Shard
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode

STALE = capsule("a", Aggregate.STALE, condition(Verdict.STALE))
VALID = capsule("b", Aggregate.VALID, condition(Verdict.VALID))
BAD = Problem("bad.json", 1, 2, ProblemCode.NOT_JSON, "is not JSON")


def joined(*reports: Report) -> Report:
    return merge([NamedReport(f"{number}.json", one) for number, one in enumerate(reports, 1)])


def codes(found: Report) -> list[tuple[str, ProblemCode]]:
    return [(problem.path, problem.code) for problem in found.problems]


# What is joined.


def test_the_shards_of_one_commit_are_one_report() -> None:
    notice = Notice("x", NoticeCode.NOT_A_CAPSULE, "said")
    found = joined(
        report(VALID, shard="1/2", problems=[BAD], notices=[notice], now="2026-11-30T12:00:00Z", truncated=2),
        report(STALE, shard="2/2", now="2026-11-30T12:00:01Z", truncated=1, shallow=True),
    )
    assert [one.capsule_id for one in found.capsules] == ["a", "b"]
    assert [one.repository for one in found.capsules] == [None, None]
    assert (found.problems, found.notices) == ((BAD,), (notice,))
    assert (found.evaluated.head, found.evaluated.shard) == (HEAD, None)
    assert (found.evaluated.now, found.evaluated.truncated) == ("2026-11-30T12:00:01Z", 3)
    assert found.evaluated.shallow
    assert [source.shard for source in found.sources] == ["1/2", "2/2"]
    assert (found.totals.capsules, found.totals.needs_action, found.totals.problems) == (2, 1, 1)


def test_capsules_of_several_repositories_keep_theirs() -> None:
    found = joined(
        report(STALE, problems=[BAD], repository="octo/shop"), report(STALE, VALID, repository="octo/till")
    )
    assert [(one.repository, one.capsule_id) for one in found.capsules] == [
        ("octo/shop", "a"),
        ("octo/till", "a"),
        ("octo/till", "b"),
    ]
    assert found.problems[0].place() == "octo/shop:bad.json:1:2"
    assert (found.evaluated.repository, found.evaluated.head, found.evaluated.tree) == (None, None, "")


def test_joining_in_another_order_gives_the_same_capsules() -> None:
    one, two = report(STALE, repository="o/r"), report(VALID, repository="o/s")
    assert joined(one, two).capsules == joined(two, one).capsules


@pytest.mark.parametrize(
    ("judged", "home", "said"),
    [
        ("o/r", None, None),
        ("o/r", "O/R", None),
        (None, "o/r", None),
        ("o/s", "o/r", "o/s"),
    ],
)
def test_of_one_repository_it_is_said_which_where_that_is_not_the_run_s(
    judged: str | None, home: str | None, said: str | None
) -> None:
    found = merge([NamedReport("1", report(STALE, problems=[BAD], repository=judged))], home=home)
    assert found.capsules[0].repository == said
    assert found.problems[0].repository == said
    assert found.evaluated.repository == judged


# What does not fit.


@pytest.mark.parametrize(
    ("shards", "message"),
    [
        (("2/4", "4/4"), "shards 1/4, 3/4 are missing; name their reports too, or run those jobs"),
        (("2/2",), "shard 1/2 is missing; name its report too, or run that job"),
    ],
)
def test_a_shard_that_is_missing_is_told(shards: tuple[str, ...], message: str) -> None:
    found = joined(*(report(shard=shard) for shard in shards))
    assert codes(found) == [("1.json", ProblemCode.MISSING_SHARD)]
    assert found.problems[0].message == message


@pytest.mark.parametrize(("shards", "name"), [(("1/2", "1/2", "2/2"), "shard 1/2"), ((None, None), "commit")])
def test_what_was_named_twice_is_counted_once(shards: tuple[str | None, ...], name: str) -> None:
    found = joined(*(report(VALID if shard != "2/2" else STALE, shard=shard) for shard in shards))
    assert codes(found) == [("2.json", ProblemCode.DUPLICATE_REPORT)]
    assert "1.json" in found.problems[0].message
    assert name in found.problems[0].message
    assert found.totals.capsules == len(set(shards))


@pytest.mark.parametrize(
    ("other", "name"),
    [({"head": "0" * 40}, "of commit 000000000000"), ({"shard": "1/3"}, "shard 1/3")],
)
def test_a_report_of_another_commit_or_other_shards_is_not_joined(other: dict[str, Any], name: str) -> None:
    found = joined(
        report(VALID, shard="1/2"), report(VALID, shard="2/2"), report(STALE, **{"shard": "1/2", **other})
    )
    assert codes(found) == [("3.json", ProblemCode.DOES_NOT_FIT)]
    assert name in found.problems[0].message
    assert found.totals.capsules == 2


def test_repositories_are_named_without_case() -> None:
    found = joined(report(VALID, repository="Octo/Shop"), report(VALID, repository="octo/shop"))
    assert codes(found) == [("2.json", ProblemCode.DUPLICATE_REPORT)]


def test_what_was_joined_is_not_joined_again() -> None:
    found = joined(report(VALID, shard="1/1"), joined(report(STALE)))
    assert codes(found) == [("2.json", ProblemCode.DOES_NOT_FIT)]


def test_nothing_to_join_is_no_report() -> None:
    with pytest.raises(NothingToMerge, match=r"bad\.json:1:2: is not JSON"):
        merge([], [BAD])


# What a report says of itself is not believed.


def test_totals_verdicts_and_gate_are_reckoned_anew() -> None:
    honest = report(STALE, VALID)
    lie = replace(
        honest,
        capsules=(
            replace(STALE, needs_action=False, validity=replace(STALE.validity, aggregate=Aggregate.VALID)),
            VALID,
        ),
        totals=replace(honest.totals, capsules=999, needs_action=0, problems=0),
        gate=Gate((GateRule.STALE,), passed=True, reasons=()),
        problems=(BAD,),
        limits={"validity": "trust me"},
    )
    found = joined(lie)
    assert found.capsules == honest.capsules
    assert found.totals == replace(honest.totals, problems=1)
    assert [(reason.rule, reason.capsule_id) for reason in found.gate.reasons] == [(GateRule.STALE, "a")]
    assert found.limits == honest.limits


def test_the_gate_is_that_of_all() -> None:
    first = replace(report(VALID, shard="1/2"), gate=Gate((GateRule.STALE,), passed=True, reasons=()))
    second = replace(report(STALE, shard="2/2"), gate=Gate((GateRule.EXPIRED,), passed=True, reasons=()))
    found = joined(first, second)
    assert found.gate.fail_on == (GateRule.STALE, GateRule.EXPIRED)
    assert not found.gate.passed


def test_a_reason_of_the_gate_names_the_repository() -> None:
    gate = Gate((GateRule.STALE,), passed=True, reasons=())
    found = joined(
        replace(report(STALE, repository="o/r"), gate=gate),
        replace(report(VALID, repository="o/s"), gate=gate),
    )
    assert [(one.repository, one.capsule_id) for one in found.gate.reasons] == [("o/r", "a")]


# Reading.


def test_a_report_is_read_as_it_was_written() -> None:
    one = report(STALE, VALID, problems=[BAD], shard="1/2")
    assert read_report("r.json", report_bytes(one)) == one


def test_a_key_that_is_there_twice_is_found_in_a_whole_report_too() -> None:
    data = report_bytes(report(STALE)).replace(b'"expired":false', b'"expired":true,"expired":false', 1)
    with pytest.raises(NotAReport) as refused:
        read_report("r.json", data)
    assert refused.value.problem.code is ProblemCode.DUPLICATE_KEY
    assert refused.value.problem.line == 2


def test_a_report_may_be_laid_out_anew_and_have_more_keys() -> None:
    document = {**json.loads(report_bytes(report(STALE))), "later": [1]}
    assert read_report("r.json", json.dumps(document, indent=2).encode()) == report(STALE)


def shard_without(name: str) -> str:
    """One of two shards, in which the capsule of this id is not."""
    return next(str(shard) for shard in (Shard(1, 2), Shard(2, 2)) if not shard.holds(name))


def spoilt(change: Any) -> bytes:
    document = json.loads(report_bytes(report(STALE)))
    change(document)
    return json.dumps(document, indent=1).encode()


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda it: it.update(schema_version=2), ProblemCode.BAD_FIELD, "newer Ophiuchus"),
        (lambda it: it.update(schema_version=True), ProblemCode.BAD_FIELD, "no report of version 1"),
        (lambda it: it.pop("schema_version"), ProblemCode.BAD_FIELD, "no report of version 1"),
        (lambda it: it.pop("gate"), ProblemCode.BAD_FIELD, "`gate`"),
        (lambda it: it["capsules"][0].update(expired="yes"), ProblemCode.BAD_FIELD, "`capsules.0.expired`"),
        (
            lambda it: it["capsules"][0]["validity"].update(aggregate="fine"),
            ProblemCode.BAD_FIELD,
            "`capsules.0.validity.aggregate`",
        ),
        (lambda it: it["evaluated"].update(repository="../x"), ProblemCode.BAD_FIELD, "names no repository"),
        (lambda it: it["evaluated"].update(shard="9/2"), ProblemCode.BAD_FIELD, "names no shard"),
        (lambda it: it["evaluated"].update(now="today"), ProblemCode.BAD_FIELD, "no moment"),
        (lambda it: it["evaluated"].update(head="--help"), ProblemCode.BAD_FIELD, "`evaluated.head`"),
        (lambda it: it["evaluated"].update(tree="HEAD:x"), ProblemCode.BAD_FIELD, "`evaluated.tree`"),
        (lambda it: it["evaluated"].update(base="A" * 40), ProblemCode.BAD_FIELD, "`evaluated.base`"),
        (
            lambda it: it["evaluated"].update(merge={"base": "b" * 40, "head": ""}),
            ProblemCode.BAD_FIELD,
            "`evaluated.merge.head`",
        ),
        (lambda it: it["evaluated"].update(truncated=-1), ProblemCode.BAD_FIELD, "less than 0"),
        (lambda it: it["evaluated"].update(fetched=-1), ProblemCode.BAD_FIELD, "less than 0"),
        (lambda it: it["evaluated"].update(shard=shard_without("a")), ProblemCode.BAD_FIELD, "to shard"),
        (
            lambda it: it["capsules"].append({**it["capsules"][0], "capsule_id": "A", "path": "x"}),
            ProblemCode.BAD_FIELD,
            "`capsules.1.capsule_id` is there twice",
        ),
        (
            lambda it: it["capsules"][0]["validity"]["conditions"][0].update(line=-3),
            ProblemCode.BAD_FIELD,
            "is no line",
        ),
        (
            lambda it: it["problems"].append(
                {"path": "x", "line": 0, "column": 1, "code": "not_json", "message": "m", "repository": None}
            ),
            ProblemCode.BAD_FIELD,
            "`problems.0.line`",
        ),
        (
            lambda it: it["problems"].append(
                {"path": "x", "line": 1, "column": -1, "code": "not_json", "message": "m", "repository": None}
            ),
            ProblemCode.BAD_FIELD,
            "`problems.0.column`",
        ),
        (
            lambda it: it["capsules"][0]["validity"]["conditions"][0]["changed_by"].append(
                {"commit": '"><script>', "subject": "s", "at": None}
            ),
            ProblemCode.BAD_FIELD,
            "changed_by.0.commit` is no full id",
        ),
    ],
)
def test_what_is_no_report_is_told_with_its_line(change: Any, code: ProblemCode, said: str) -> None:
    data = spoilt(change)
    with pytest.raises(NotAReport) as refused:
        read_report("r.json", data)
    problem = refused.value.problem
    assert (problem.path, problem.code) == ("r.json", code)
    assert said in problem.message
    assert ";" in problem.message
    assert problem.line is not None


def test_the_line_is_that_of_the_value() -> None:
    data = spoilt(lambda it: it["evaluated"].update(shard="9/2"))
    with pytest.raises(NotAReport) as refused:
        read_report("r.json", data)
    assert b"9/2" in data.splitlines()[(refused.value.problem.line or 0) - 1]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", ProblemCode.NOT_JSON),
        (b"[" * 100, ProblemCode.TOO_DEEP),
        (b'{"schema_version": 1, "schema_version": 1}', ProblemCode.DUPLICATE_KEY),
        (b'{"schema_version": NaN}', ProblemCode.BAD_NUMBER),
        (b"\xff\xfe{\0", ProblemCode.NOT_UTF8),
        (b"[]", ProblemCode.BAD_FIELD),
        (b"null", ProblemCode.BAD_FIELD),
    ],
)
def test_what_is_no_strict_json_is_told(data: bytes, code: ProblemCode) -> None:
    with pytest.raises(NotAReport) as refused:
        read_report("r.json", data)
    assert refused.value.problem.code is code


@given(st.data())
def test_whatever_a_report_holds_it_is_read_or_refused(data: st.DataObject) -> None:
    document = json.loads(report_bytes(report(STALE, problems=[BAD], shard="1/2")))
    parts: list[Any] = [document]
    for part in parts:
        values = part.values() if isinstance(part, dict) else part
        parts += [value for value in values if isinstance(value, dict | list)]
    part = data.draw(st.sampled_from([part for part in parts if part]))
    key = data.draw(st.sampled_from(list(part) if isinstance(part, dict) else range(len(part))))
    part[key] = data.draw(
        st.none() | st.booleans() | st.integers() | st.text() | st.just([]) | st.just({}) | st.floats()
    )
    try:
        read = read_report("r.json", json.dumps(document).encode())
    except NotAReport:
        return
    assert read_report("j.json", report_bytes(joined(read))).capsules == joined(read).capsules
