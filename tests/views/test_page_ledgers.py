"""The ledgers on the page: what blocks first, each ledger's own notices and losses, nothing when off."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from built_ledgers import FINDINGS, MEMORY, blocking, critic, lost, memory, phase
from built_reports import report
from page_reading import words_in
from varied_reports import varied_report

from ophiuchus.report.ledgers import LEDGER_LIMIT, CriticLedger, Ledgers, MemoryLedger
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.views.page.whole import page

SATURATED = Notice(FINDINGS, NoticeCode.SATURATED, "every score is 10: tells nothing (40 rows)")
OLD_ROW = Notice(f"{MEMORY}/patterns.jsonl", NoticeCode.ABOUT_ROWS, "line 3: is of an older form")
ELSEWHERE = Notice("a.json", NoticeCode.NOT_A_CAPSULE, "is no capsule")
TORN = Problem(FINDINGS, 12, 3, ProblemCode.NOT_JSON, "is no JSON")
TORN_ARCHIVE = Problem(f"{MEMORY}-archive/patterns-1.jsonl", 1, 1, ProblemCode.NOT_JSON, "is torn")
ALL = (SATURATED, OLD_ROW, ELSEWHERE)


def page_of(critics: CriticLedger | None = None, remembered: MemoryLedger | None = None) -> str:
    made = report(problems=[TORN, TORN_ARCHIVE], notices=ALL)
    return "".join(page(replace(made, ledgers=Ledgers(critics, remembered))))


def section(html: str) -> str:
    """The words of the ledgers' section."""
    (found,) = re.findall('<section class="ledgers".*?</section>', html, re.DOTALL)
    return words_in(found)


def test_nothing_is_shown_of_ledgers_that_are_off() -> None:
    html = "".join(page(varied_report(3)))
    body = re.sub("<style>.*?</style>|<script>.*?</script>", "", html, flags=re.DOTALL)
    assert "ledger" not in body.casefold()
    assert "findings" not in body


def test_of_the_critics_what_blocks_comes_first_then_signs_losses_problems_and_phases() -> None:
    ledger = critic(blocking(), phases=(phase(),), lost=(lost(),), open_blocking_count=130)
    said = section(page_of(ledger, memory()))
    places = [
        said.index(one)
        for one in (
            f"40 rows in {FINDINGS} , 130 open and blocking.",
            "✗ high Two writers race on the append, case 1: src/pay/append.py:41 challenger, line 11",
            "finding-001 auto-20260628-01 , execute",
            "… and 129 more.",
            "every score is 10: tells nothing (40 rows)",
            "Not only added to: this change removed or altered 1 row that stands in a ledger at the base.",
            f"At the base Id What became of it {FINDINGS}:3 lost-3 removed",
            "✗ 1 problem , told at the top .",
            "1 phase reviewed",
            "◐ rework 1 of 2",
            "Memory",
        )
    ]
    assert places == sorted(places)


def test_where_the_critics_found_nothing_no_count_of_rows_is_told_as_if_there_were_a_file() -> None:
    said = section(page_of(critic(rows=0)))
    assert f"Critics' findings None in {FINDINGS} ." in said
    assert "0 rows in" not in said


def test_of_the_memory_all_is_told_that_the_summary_tells() -> None:
    said = section(page_of(None, memory(lost=(lost(7, path=OLD_ROW.path),))))
    for one in (
        "line 3: is of an older form",
        f"{OLD_ROW.path}:7 lost-7 removed",
        "✗ 1 problem , told at the top .",
        "1 rejection with a source in the memory",
        "Memory: 2 entries in its digest",
        f"{MEMORY}/mistakes.jsonl 9 7 1",
        "- [patterns] p-1: Append, never rewrite",
        LEDGER_LIMIT,
    ):
        assert one in said
    assert "Critics" not in said
    assert "every score is 10" not in said


@pytest.mark.parametrize(
    ("critics", "remembered", "further"),
    [
        (None, None, {SATURATED, OLD_ROW, ELSEWHERE}),
        (critic(), None, {OLD_ROW, ELSEWHERE}),
        (None, memory(), {SATURATED, ELSEWHERE}),
        (critic(), memory(), {ELSEWHERE}),
    ],
)
def test_a_notice_is_told_once_with_its_ledger_or_else_at_the_end(
    critics: CriticLedger | None, remembered: MemoryLedger | None, further: set[Notice]
) -> None:
    html = page_of(critics, remembered)
    end = words_in(html.partition("<h2>Worth knowing</h2>")[2])
    for notice in ALL:
        assert words_in(html).count(notice.message) == 1
        assert (notice.message in end) is (notice in further)


@pytest.mark.parametrize(
    ("critics", "remembered", "said"),
    [
        (critic(blocking(), blocking(2)), None, "Ledgers : ✗ 2 findings are open and block ."),
        (critic(), memory(), "Ledgers : no finding is open and blocks."),
        (None, memory(), "Ledgers : the memory was read."),
        (
            critic(blocking(), lost=(lost(),)),
            memory(lost=(lost(4),)),
            "Ledgers : ✗ 1 finding is open and blocks , ◐ 2 rows removed or altered .",
        ),
    ],
)
def test_the_top_of_the_page_says_what_there_is_and_leads_there(
    critics: CriticLedger | None, remembered: MemoryLedger | None, said: str
) -> None:
    top = page_of(critics, remembered).partition("</header>")[0]
    assert said in words_in(top)
    assert '<a href="#ledgers">' in top


def test_of_a_row_that_holds_a_secret_or_has_no_ids_only_that_is_told() -> None:
    withheld = blocking(finding_id="", run_id="", phase_id="", lens="", severity="", text=None)
    said = section(page_of(critic(withheld)))
    assert "? not said (not shown: it looks like it holds a secret) line 11 (none) (none), (none)" in said
