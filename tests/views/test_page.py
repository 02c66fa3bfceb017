"""The page stands alone: it shows all that the report says as text, and forbids itself everything else."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from built_ledgers import blocking, critic, lost, memory, phase, source
from built_reports import HEAD, capsule, condition, glob, report
from hostile_capsules import HandOff, hand_offs, pieces
from hypothesis import given
from hypothesis import strategies as st
from page_reading import ReadPage, words_in
from varied_reports import name_of, varied_report

from ophiuchus.assess.continuity import Continuity, ContinuityStatus
from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.report.judge import LIMITS
from ophiuchus.report.ledgers import Ledgers, MemoryFamily
from ophiuchus.report.model import (
    CapsuleReport,
    Evaluated,
    GateRule,
    RemovedCapsule,
    Report,
    Since,
    SinceWhat,
)
from ophiuchus.text.clean import clean
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.views.document import Link
from ophiuchus.views.page import table
from ophiuchus.views.page.age import age_of
from ophiuchus.views.page.whole import page

FRAME = {"html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section", "script"}
CONTROLS = {"label", "input", "select", "option", "button", "output"}
BLOCKS = {"h1", "h2", "h3", "p", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "div"}
WORDS = {"strong", "small", "b", "code", "pre", "span", "a", "br"}
OURS = FRAME | CONTROLS | BLOCKS | WORDS | {"details", "summary"}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "rel", "role", "scope"),
    *("colspan", "aria-colspan", "aria-label", "type", "value", "hidden", "placeholder", "autocomplete"),
    *("spellcheck", "data-sort", "data-verdict", "data-marks", "data-repository", "data-path", "data-days"),
}
URL = "https://github.example/octo/shop"
MARCH = "2026-03-01T00:00:00Z"


def html_of(found: Report, **options: Any) -> str:
    return "".join(page(found, **options))


def body_of(html: str, capsule_id: str) -> str:
    """The HTML of one capsule."""
    found = re.search(rf'<tbody [^>]*id="c-{re.escape(capsule_id)}".*?</tbody>', html, re.DOTALL)
    assert found
    return found[0]


def continuing(parent: str, status: ContinuityStatus = ContinuityStatus.COMPARED) -> dict[str, Any]:
    return {"continuity": Continuity(status, parent, int(status is not ContinuityStatus.GONE))}


# What it forbids itself.


def test_the_policy_allows_its_own_style_sheet_and_script_and_nothing_else() -> None:
    html = html_of(varied_report(3))

    def digest(element: str) -> str:
        (source,) = re.findall(f"<{element}>(.*?)</{element}>", html, re.DOTALL)
        return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"

    policy = re.search('Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert policy[1] == (
        f"default-src 'none'; script-src {digest('script')}; style-src {digest('style')}; "
        "base-uri 'none'; form-action 'none'"
    )


def test_its_own_files_load_nothing_and_write_no_markup() -> None:
    folder = files("ophiuchus.views.page")
    style = folder.joinpath("page.css").read_text("utf-8")
    script = folder.joinpath("page.js").read_text("utf-8")
    for one in ("url(", "@import", "</", "<!--", "##["):
        assert one not in style + script
    for one in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch(",
        "import(",
    ):
        assert one not in script
    assert "prefers-color-scheme: dark" in style


@st.composite
def hostile_reports(draw: st.DrawFn) -> Report:
    """Reports as somebody who edits one could write them: no text in them is as it should be."""
    found: list[HandOff] = draw(st.lists(hand_offs(), max_size=3))
    text = pieces.map(lambda piece: f"ж{piece}ж")
    any_of = st.none() | text
    capsules = [
        replace(
            one.report,
            capsule_id=draw(text | st.just("cap")),
            repository=draw(any_of),
            continued=draw(st.booleans()),
            before=draw(st.none() | st.sampled_from(Aggregate)),
            stale_since=draw(st.none() | st.builds(Since, text | st.just(MARCH), st.sampled_from(SinceWhat))),
        )
        for one in found
    ]
    problems = [Problem(draw(text), 1, None, ProblemCode.NOT_JSON, draw(text))]
    notices = [Notice(draw(text), NoticeCode.NOT_A_CAPSULE, draw(text))]
    made = report(
        *capsules,
        problems=problems,
        notices=notices,
        failed=dict.fromkeys(capsules, GateRule.STALE),
        repository=draw(any_of),
        head=draw(any_of),
        now=draw(text | st.just("2026-11-30T12:34:56Z")),
        base=draw(any_of),
    )
    removed = RemovedCapsule(draw(text), draw(text), Aggregate.STALE, continued=False)
    part = Evaluated(draw(any_of), draw(any_of), draw(text), draw(text), shard=draw(any_of))
    limits = {"validity": draw(text)}
    return replace(
        made,
        removed=(removed,),
        sources=draw(st.sampled_from([(), (part,)])),
        limits=limits,
        ledgers=hostile_ledgers(draw(text)),
    )


def hostile_ledgers(text: str) -> Ledgers:
    """Both ledgers, every row of which says this text wherever it can."""
    names: dict[str, Any] = {
        "finding_id": text,
        "run_id": text,
        "phase_id": text,
        "lens": text,
        "severity": text,
    }
    return Ledgers(
        critic(
            blocking(**names, text=text),
            path=text,
            phases=(phase(run_id=text, phase_id=text),),
            lost=(lost(path=text, identity=text),),
        ),
        memory(
            families=(MemoryFamily(text, 1, 1, 1),),
            digest=text,
            digest_entry_ids=(text,),
            provenance=(source(path=text, item_id=text, entry_id=text, ledger=text, status=text, text=text),),
            lost=(lost(path=text, identity=text),),
        ),
    )


@given(hostile_reports())
def test_data_is_text_whatever_it_says(found: Report) -> None:
    read = ReadPage(html_of(found, repository_url=URL))
    assert set(read.tags) <= OURS
    assert read.attributes <= ATTRIBUTES
    assert clean(read.text) == read.text
    assert len(set(read.ids)) == len(read.ids)
    assert all(re.fullmatch(r"[cn]-[A-Za-z0-9._-]+|ledgers|problems", one) for one in read.ids)
    for address in read.addresses:
        assert address.removeprefix("#") in read.ids or address.startswith(f"{URL}/commit/")
    for one in found.capsules:
        assert "".join(clean(one.capsule_id).split()) in "".join(read.text.split())


def test_a_report_that_somebody_edited_is_shown_without_what_cannot_be() -> None:
    """Among others a moment that is none, an id with blanks in it, and one twice."""
    odd = capsule('a b"><i>', Aggregate.STALE, stale_since=Since("yesterday", SinceWhat.CHANGE))
    html = html_of(report(odd, odd, capsule("n-1", Aggregate.VALID)))
    assert ReadPage(html).ids == ["n-0", "n-1", "c-n-1"]
    assert "data-days" not in html


# What it shows.


def test_a_stale_capsule_is_told_with_its_four_tracks() -> None:
    html = body_of(html_of(varied_report(20), repository_url=URL), name_of(0))
    row, _, below = html.partition("<details>")
    assert 'data-verdict="stale" data-marks="action revalidate"' in row
    assert f'data-path=".ophiuchus/{name_of(0)}.json" data-days="332"' in row
    assert "Bring billing to an end, step 0" in row
    assert "src/billing/part_0.py changed, by 5c84d403e7" in words_in(row)
    assert f'<a href="{URL}/commit/5c84d403e7' in row
    assert "332 days since a change" in words_in(row)
    for said in (
        "2 conditions, 1 idea ruled out",
        f"File: .ophiuchus/{name_of(0)}.json",
        "Stale for: 332 days since a change (2026-01-02T10:00:00Z)",
        "Validity billing-code (git_paths, line 12): ✗ stale , 1 of 2 globs differs",
        "Fidelity No critical unit of it was looked for in a rendering.",
        "Ruled out Tried and ruled out: shortcut : ✗ revalidation required",
        "Continuity It continues no other capsule.",
    ):
        assert said in words_in(below)


def test_what_a_track_has_nothing_of_is_said() -> None:
    said = words_in(html_of(report(capsule("a", Aggregate.NOT_DECLARED))))
    assert "Validity It declares no condition." in said
    assert "Ruled out It rules nothing out." in said
    assert "0 conditions" in said


def test_the_fidelity_of_a_run_is_told_of_each_capsule() -> None:
    said = words_in(body_of(html_of(varied_report(2)), name_of(1)))
    assert (
        "Fidelity Fidelity to summary: 1 of 2 critical units whole u-state at state : ✗ unsupported" in said
    )


def test_every_limit_is_told_once_and_what_was_judged() -> None:
    said = words_in(html_of(varied_report(3), run=Link("this run", f"{URL}/actions/runs/1")))
    for limit in LIMITS.values():
        assert said.count(limit) == 1
    assert f"Judged: commit {HEAD} , not your work tree." in said
    assert "this run" in said


def test_counts_come_first_and_leave_continued_capsules_out() -> None:
    found = varied_report(40)
    said = words_in(html_of(found).partition("<table")[0])
    totals = found.totals
    verdicts = {aggregate: totals.verdicts[aggregate] for aggregate in reversed(Aggregate)}
    for aggregate, number in verdicts.items():
        assert (f"{number} " in said and f" {aggregate.value.replace('_', ' ')} " in said) is bool(number)
    assert f"{totals.continued} · continued by a newer one" in said
    assert f"{totals.needs_action} ✗ needs action" in said
    assert f"{totals.revalidation_required} ◐ something to revalidate" in said
    assert "expired" not in said


def test_what_a_newer_one_continues_comes_last_however_bad_it_is() -> None:
    found = varied_report(40)
    shown = re.findall(r'<tbody[^>]* data-verdict="(\w+)"', html_of(found))
    live = [one.validity.aggregate.value for one in found.capsules if not one.continued]
    assert shown == [*live, *("continued",) * found.totals.continued]
    assert 0 < len(live) < len(shown)


def test_what_this_change_did_comes_first_where_it_is_known() -> None:
    older = capsule("older", Aggregate.STALE, introduced=False)
    made_worse = capsule("worse", Aggregate.PARTIALLY_STALE, introduced=True)
    continued = capsule("left", Aggregate.STALE, introduced=True, continued=True)
    found = report(continued, older, made_worse)
    assert ids_in(html_of(found)) == ["older", "worse", "left"]
    compared = report(continued, older, made_worse, base="b" * 40)
    assert ids_in(html_of(compared)) == ["worse", "older", "left"]


def ids_in(html: str) -> list[str]:
    return re.findall(r'<tbody[^>]* id="c-([^"]+)"', html)


def test_names_in_a_problem_s_message_are_code() -> None:
    problem = Problem("a.json", 1, 1, ProblemCode.BAD_FIELD, "`goal` is missing; “a`b” is not known")
    html = html_of(replace(varied_report(1), problems=(problem,)))
    assert "<td><code>goal</code> is missing; “a`b” is not known</td>" in html


def test_a_gate_a_problem_and_notices_are_told() -> None:
    bad = capsule("bad", Aggregate.NOT_DECLARED)
    notices = [
        Notice(bad.path, NoticeCode.UNKNOWN_KEY, "the key “gaol” is not known"),
        Notice("a.json", NoticeCode.NOT_A_CAPSULE, "is no capsule"),
        Notice("", NoticeCode.BASE_UNKNOWN, "what this change did is not known"),
    ]
    problems = [Problem("b.json", 3, 1, ProblemCode.NOT_JSON, "is no JSON")]
    html = html_of(report(bad, problems=problems, notices=notices, failed={bad: GateRule.NOT_DECLARED}))
    assert "This check fails , because fail_on names not_declared (1)." in words_in(html)
    assert "b.json:3:1 is no JSON" in words_in(html)
    assert "fail_on names not_declared" in words_in(body_of(html, "bad").partition("<details>")[0])
    assert "the key “gaol” is not known" in words_in(body_of(html, "bad"))
    assert words_in(html).count("the key “gaol” is not known") == 1
    assert "Worth knowing a.json : is no capsule" in words_in(html)
    assert words_in(html).count("what this change did is not known") == 1


def test_what_this_change_did_has_a_column_where_it_is_known() -> None:
    added = capsule("new", Aggregate.STALE, condition(Verdict.STALE), new=True, before=Aggregate.VALID)
    gone = RemovedCapsule(".ophiuchus/old.json", "old", Aggregate.VALID, continued=False)
    html = html_of(replace(report(added, base="b" * 40), removed=(gone,)))
    assert '<td role="cell" class="change">added it</td>' in html
    assert "Before this change: ✓ valid" in words_in(html)
    assert "Removed by this change Capsule It was File old ✓ valid .ophiuchus/old.json" in words_in(html)
    unknown = html_of(report(added))
    assert 'class="change"' not in unknown
    assert "This change" not in words_in(unknown)


def test_repositories_have_a_column_where_there_are_several() -> None:
    for found in (varied_report(3), varied_report(1, repositories=2)):
        assert "Repository" not in words_in(html_of(found))
        assert "data-repository" not in body_of(html_of(found), name_of(0))
    html = html_of(varied_report(4, repositories=3))
    assert 'data-repository="octo/checkout"' not in html
    for name in ("octo/billing", "octo/session-keys", "octo/search-index"):
        assert f'<option value="{name}">' in html
        assert f'data-repository="{name}"' in html


def test_of_joined_reports_each_source_is_told() -> None:
    sources = (
        Evaluated("octo/a", HEAD, "t", MARCH, shard="2/4"),
        Evaluated(None, None, "7" * 40, MARCH),
    )
    said = words_in(html_of(replace(varied_report(2), sources=sources)))
    assert f"octo/a: commit {HEAD} , shard 2/4, at {MARCH}" in said
    assert f"a repository without a name: the index, tree {'7' * 40} , at {MARCH}" in said
    assert "not your work tree" not in said


def test_an_empty_report_says_how_to_begin() -> None:
    html = html_of(report())
    assert "there are no capsules yet" in html
    assert "<table" not in html
    assert "<title>Nothing to do: there are no capsules yet · octo/shop</title>" in html


# Age.


@pytest.mark.parametrize(
    ("at", "what", "words"),
    [
        ("2026-02-27T00:00:00Z", SinceWhat.CHANGE, "2 days since a change"),
        ("2026-02-28T00:00:00Z", SinceWhat.DEADLINE, "1 day since its deadline"),
        ("2026-02-28T00:00:01Z", SinceWhat.EXPIRY, "less than a day since it expired"),
        ("2026-03-02T00:00:00Z", SinceWhat.CHANGE, "less than a day since a change"),
        ("2023-03-01T00:00:00Z", SinceWhat.CREATED, "1,096 days at most, since it was written"),
    ],
)
def test_an_age_says_what_it_is_counted_from(at: str, what: SinceWhat, words: str) -> None:
    age = age_of(Since(at, what), MARCH)
    assert age is not None
    assert f"{age.words} {age.counted_from}" == words


@pytest.mark.parametrize(("at", "now"), [("soon", MARCH), (MARCH, ""), ("2026-03-01", MARCH)])
def test_a_moment_that_is_none_gives_no_age(at: str, now: str) -> None:
    assert age_of(Since(at, SinceWhat.CHANGE), now) is None
    assert age_of(None, MARCH) is None


# Lineage.


def test_parents_and_children_lead_to_each_other() -> None:
    html = html_of(
        report(
            capsule("a", Aggregate.VALID),
            capsule("b", Aggregate.VALID, **continuing("A")),
            capsule("c", Aggregate.VALID, **continuing("a")),
            capsule("d", Aggregate.VALID, **continuing("gone", ContinuityStatus.GONE)),
        )
    )
    assert 'Continued by <a href="#c-b"><code>b</code></a>, <a href="#c-c"><code>c</code></a></p>' in html
    assert 'Continues <a href="#c-a"><code>A</code></a>: ' in body_of(html, "b")
    assert "Continues <code>gone</code>: " in body_of(html, "d")
    assert "there is nothing to compare" in body_of(html, "d")


def test_lineage_stays_within_a_repository() -> None:
    def of(repository: str, *names: str) -> list[CapsuleReport]:
        return [
            capsule(name, Aggregate.VALID, repository=repository, **(continuing("a") if name == "b" else {}))
            for name in names
        ]

    html = html_of(report(*of("o/x", "a", "b"), *of("o/y", "a", "b"), *of("o/z", "b")))
    assert ReadPage(html).ids == ["c-a", "c-b", "n-2", "n-3", "n-4"]
    assert ReadPage(html).addresses == ["#c-b", "#c-a", "#n-3", "#n-2"]


def test_of_many_children_some_are_named() -> None:
    children = [capsule(f"child-{number}", Aggregate.VALID, **continuing("a")) for number in range(12)]
    said = words_in(body_of(html_of(report(capsule("a", Aggregate.VALID), *children)), "a"))
    assert "child-9 and 2 more" in said
    assert "child-10" not in said


# Size.


def test_it_comes_in_pieces_each_of_whole_lines_and_small() -> None:
    made = list(page(varied_report(300)))
    assert len(made) > 300
    assert all(piece.endswith("\n") for piece in made if piece)
    longest = sorted(map(len, made))[-4:]
    assert longest[0] < 8_000


def test_a_glob_without_end_and_a_title_without_end_are_cut() -> None:
    many = glob("*", {f"{number:04}/{'x' * 300}": Change.CONTENT for number in range(10)}, count=90_000)
    long = capsule("long", Aggregate.STALE, condition(Verdict.STALE, *[many] * 50), title="t" * 9_000)
    assert len(html_of(report(long))) - len(html_of(report())) < 60_000


def test_more_capsules_than_a_browser_takes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "CAPSULES_SHOWN", 5)
    html = html_of(varied_report(8))
    assert html.count("<tbody ") == 5
    assert "… and 3 more, none of them more urgent." in html
