"""The rolling issue says whose hand-offs need action, the worst first, and mentions nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from built_reports import HEAD, capsule, condition, glob, report
from gfm_readings import meant, read_with_markdown_it
from hostile_documents import texts
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.negative_knowledge import NEGATIVE_KNOWLEDGE_LIMIT
from ophiuchus.assess.verdicts import VALIDITY_LIMIT, Aggregate, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.report.files import acting
from ophiuchus.report.merge import NamedReport, merge
from ophiuchus.report.model import CapsuleReport, GateRule, Report
from ophiuchus.text.problem import Problem, ProblemCode
from ophiuchus.views.budget import COMMENT, utf16_units
from ophiuchus.views.document import Document, Link
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.rolling_issue import GROUPS_SHOWN, OWNERS_NAMED, compose_issue, grouped

VALID = capsule("good", Aggregate.VALID, condition(Verdict.VALID, glob("src/**")))


def stale(name: str, path: str = "src/a.py") -> CapsuleReport:
    return capsule(name, Aggregate.STALE, condition(Verdict.STALE, glob(path, {path: Change.CONTENT})))


def owned(**owners: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    return {f".ophiuchus/{name}.json": whose for name, whose in owners.items()}


def lines_of(document: Document) -> list[str]:
    return render_plain(document).splitlines()


def order(document: Document, *words: str) -> list[str]:
    """Those of `words` that are told, in the order in which they are."""
    said = render_plain(document)
    return sorted((word for word in words if word in said), key=said.index)


def test_the_worst_group_comes_first_and_each_capsule_is_told_once() -> None:
    found = report(stale("a"), stale("b"), stale("c"), stale("d"), VALID)
    owners = owned(a=("@zoe",), b=(), c=("@adam", "@octo/team"), d=("@zoe",))
    document = compose_issue(found, owners)
    assert order(document, "@zoe", "Without an owner", "@adam, @octo/team", "good") == [
        "@zoe",
        "Without an owner",
        "@adam, @octo/team",
    ]
    tables = [part for part in document.parts if part.name == "capsules"]
    assert [len(part.blocks) for part in tables] == [2, 2, 2]
    ids = [[one.capsule_id for one in group.capsules] for group in grouped(found.capsules[:4], owners)]
    assert ids == [["a", "d"], ["b"], ["c"]]


def test_what_to_do_about_stale_capsules_is_said_once_behind_the_groups() -> None:
    document = compose_issue(report(stale("a"), stale("b")), owned(a=("@zoe",), b=()))
    assert [part.name for part in document.parts][1:4] == ["capsules", "capsules", "what to do"]
    assert "ophiuchus capture --refresh ID" in render_plain(document)


def test_without_code_owners_there_are_no_groups() -> None:
    document = compose_issue(report(stale("a"), stale("b")), None)
    assert "CODEOWNERS" not in render_plain(document)
    assert len([part for part in document.parts if part.name == "capsules"]) == 1


def test_owners_that_were_not_looked_up_are_not_called_none() -> None:
    said = render_plain(compose_issue(report(stale("a"), stale("b")), owned(a=("@zoe",))))
    assert "Whose these are was not looked up" in said


def test_of_several_repositories_each_is_a_group() -> None:
    one, other = (replace(stale("a"), repository=name) for name in ("octo/shop", "octo/till"))
    document = compose_issue(report(one, other), owned(a=("@zoe",)))
    assert order(document, "octo/shop", "octo/till", "@zoe") == ["octo/shop", "octo/till"]


def test_of_several_repositories_files_are_counted_for_each_and_no_one_commit_is_named() -> None:
    bad = Problem("bad.json", 1, 2, ProblemCode.NOT_JSON, "is not JSON")
    reports = [report(problems=[bad], repository=name) for name in ("octo/shop", "octo/till")]
    found = merge([NamedReport(str(number), one) for number, one in enumerate(reports)])
    said = render_plain(compose_issue(found, {}))
    assert "2 files have a problem" in said
    assert "Judged: 2 reports" in said
    assert "the index" not in said


def test_what_the_gate_names_in_one_repository_is_not_counted_in_another() -> None:
    alike = replace(VALID, path=stale("a").path)
    theirs = report(stale("a"), failed={stale("a"): GateRule.STALE}, repository="octo/till")
    found = merge([NamedReport("1", report(alike)), NamedReport("2", theirs)])
    assert lines_of(compose_issue(found, None))[0] == "Action required: 1 of 2 capsules needs action"


def test_what_fails_the_gate_acts_too_and_what_is_continued_does_not() -> None:
    nothing_declared = capsule("mute", Aggregate.NOT_DECLARED)
    continued = capsule("past", Aggregate.STALE, continued=True, needs_action=False)
    found = report(stale("a"), nothing_declared, continued, failed={nothing_declared: GateRule.NOT_DECLARED})
    assert [one.capsule_id for one in acting(found)] == ["a", "mute"]
    assert "fail_on names not_declared" in render_plain(compose_issue(found, None))


def test_it_leads_with_what_is_to_be_done_and_tells_of_files_that_cannot_be_read() -> None:
    broken = Problem(".ophiuchus/broken.json", 3, None, ProblemCode.NOT_JSON, "no JSON")
    document = compose_issue(report(stale("a"), VALID, problems=[broken]), None)
    assert "Action required: 1 of 2 capsules needs action, 1 file has a problem" in lines_of(document)[0]
    assert ".ophiuchus/broken.json:3" in render_plain(document)
    assert "Nothing to do" in lines_of(compose_issue(report(VALID), None))[0]


def test_time_commit_and_run_are_volatile_and_nothing_else_is() -> None:
    run = Link("this run", "https://github.example/run")
    first = compose_issue(report(stale("a")), None, run=run)
    later = compose_issue(report(stale("a"), now="2026-12-24T00:00:00Z", head="b" * 40), None)
    assert first.lasting() == later.lasting()
    assert HEAD not in render_gfm(first.lasting())
    for word in (HEAD, "2026-11-30", "this run"):
        assert word in render_gfm(Document((), first.volatile))


def test_each_track_that_is_told_of_brings_its_limit() -> None:
    said = render_plain(compose_issue(report(stale("a")), None))
    assert VALIDITY_LIMIT in " ".join(said.split())
    assert NEGATIVE_KNOWLEDGE_LIMIT not in " ".join(said.split())


@pytest.mark.parametrize("many", [GROUPS_SHOWN, GROUPS_SHOWN + 7])
def test_groups_and_owners_are_bounded_and_it_is_said(many: int) -> None:
    owners = owned(**{f"c{number}": (f"@o{number}",) for number in range(many)})
    found = report(*(stale(f"c{number}") for number in range(many)))
    said = render_plain(compose_issue(found, owners))
    assert ("And 7 more capsules in 7 other groups." in said) == (many > GROUPS_SHOWN)
    whose = tuple(f"@o{number}" for number in range(OWNERS_NAMED + 2))
    assert "and 2 more" in render_plain(compose_issue(report(stale("a")), owned(a=whose)))


def test_ten_thousand_stale_capsules_fit_and_say_what_is_missing() -> None:
    owners = {f".ophiuchus/c{number}.json": (f"@o{number % 700}",) for number in range(10_000)}
    found = report(*(stale(f"c{number}", f"src/{number}.py") for number in range(10_000)))
    text = render_gfm(compose_issue(found, owners))
    assert utf16_units(text) <= COMMENT.limit
    assert "other groups" in text
    assert "Action required: 10,000 of 10,000 capsules need action" in text


@given(st.lists(texts, max_size=3).map(tuple), texts, texts, texts)
def test_nothing_of_it_is_live_whatever_owners_and_capsules_say(
    whose: tuple[str, ...], title: str, path: str, reason: str
) -> None:
    one = capsule(
        "a", Aggregate.STALE, condition(Verdict.STALE, glob(path, {path: Change.CONTENT}), reason=reason),
        title=title,
    )  # fmt: skip
    document = compose_issue(_hostile(one, path), {one.path: whose})
    reading = read_with_markdown_it(render_gfm(document))
    assert reading == meant(document.blocks)


def _hostile(one: CapsuleReport, path: str) -> Report:
    return report(one, problems=[Problem(path, None, None, ProblemCode.UNREADABLE, path)])
