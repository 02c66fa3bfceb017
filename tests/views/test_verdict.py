"""The verdict view leads with what is to be done, and every row says which condition fired."""

from __future__ import annotations

import dataclasses
import time
import tracemalloc

import pytest
from built_reports import HEAD, MERGE, capsule, condition, glob, report
from gfm_readings import meant, read_with_markdown_it
from hostile_documents import texts
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.verdicts import VALIDITY_LIMIT, Aggregate, GlobResult, GlobVerdict, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.model import CapsuleReport, ConditionReport, GateRule, Report
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.views import phrases, pieces, receive
from ophiuchus.views.budget import COMMENT, utf16_units
from ophiuchus.views.document import Code, Details, Document, Heading, Link, Paragraph, Table, Text
from ophiuchus.views.one_capsule import GLOBS_SHOWN
from ophiuchus.views.phrases import ROWS_SHOWN
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.verdict import DETAILS_SHOWN, compose

CHANGED = {"src/a.py": Change.CONTENT, "src/b.py": Change.DELETED}
STALE = capsule("old", Aggregate.STALE, condition(Verdict.STALE, glob("src/**", CHANGED)))
PARTLY = capsule(
    "half",
    Aggregate.PARTIALLY_STALE,
    condition(Verdict.PARTIALLY_STALE, glob("docs/**"), glob("src/a.py", {"src/a.py": Change.MODE})),
)
BASELESS = capsule(
    "lost",
    Aggregate.UNVERIFIABLE,
    condition(Verdict.UNVERIFIABLE, reason="commit not in this clone", remedy="give `fetch-depth: 0`"),
    needs_action=True,
)
SCOPED = capsule(
    "scoped",
    Aggregate.UNVERIFIABLE,
    condition(Verdict.UNVERIFIABLE, kind="declared_scope", reason="a scope in the sender's words"),
)
VALID = capsule("good", Aggregate.VALID, condition(Verdict.VALID, glob("src/**"), reason="same content"))
BROKEN = Problem(".ophiuchus/broken.json", 14, 3, ProblemCode.MERGE_CONFLICT, "unresolved merge conflict")


def lead(of: Report) -> str:
    heading = compose(of).parts[0].blocks[0]
    assert isinstance(heading, Heading)
    return "".join(node.value for node in heading.line if not isinstance(node, Link))


def told(of: Report) -> str:
    return render_plain(compose(of))


def tables(document: Document, *, folded: bool = False) -> list[Table]:
    found = [block for block in document.blocks if isinstance(block, Table)]
    if folded:
        folds = [block for block in document.blocks if isinstance(block, Details)]
        return [block for fold in folds for block in fold.blocks if isinstance(block, Table)]
    return found


def folds(document: Document) -> list[Details]:
    return [block for block in document.blocks if isinstance(block, Details)]


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (report(STALE, PARTLY, VALID), "Action required: 2 of 3 capsules need action"),
        (report(STALE), "Action required: 1 of 1 capsule needs action"),
        (report(BASELESS, SCOPED), "Action required: 1 of 2 capsules needs action"),
        (
            report(STALE, problems=[BROKEN]),
            "Action required: 1 of 1 capsule needs action, 1 file has a problem",
        ),
        (report(problems=[BROKEN, BROKEN]), "Action required: 1 file has a problem"),
        (
            report(VALID, problems=[BROKEN, dataclasses.replace(BROKEN, path="x.json")]),
            "Action required: 2 files have a problem",
        ),
        (report(VALID, SCOPED), "Nothing to do: none of 2 capsules needs action"),
        (report(), "Nothing to do: there are no capsules yet"),
    ],
)
def test_it_leads_with_what_is_to_be_done(found: Report, sentence: str) -> None:
    assert lead(found) == sentence
    assert told(found).startswith(sentence + "\n")


def test_the_leading_table_names_capsule_verdict_condition_and_paths() -> None:
    deadline = condition(
        Verdict.STALE,
        condition_id="freeze",
        kind="time_window",
        reason="the deadline 2026-01-01T00:00:00Z has passed",
    )
    both = dataclasses.replace(STALE, validity=dataclasses.replace(STALE.validity, conditions=(
        condition(Verdict.VALID, condition_id="fine"), *STALE.validity.conditions, deadline)))  # fmt: skip
    text = render_plain(compose(report(both, PARTLY, BASELESS, VALID)))
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert "Capsule Verdict Condition Why" in rows
    assert (
        "old ✗ stale paths, freeze src/a.py, src/b.py changed; the deadline 2026-01-01T00:00:00Z has passed"
        in rows
    )
    assert "half ◐ partially stale paths src/a.py changed" in rows
    assert "lost ? unverifiable paths commit not in this clone" in rows


def test_a_row_names_three_and_counts_the_rest() -> None:
    many = {f"src/{number}.py": Change.CONTENT for number in range(10)}
    conditions = [
        condition(Verdict.STALE, glob("src/**", many, count=25), condition_id=f"c{number}")
        for number in range(5)
    ]
    text = told(report(capsule("old", Aggregate.STALE, *conditions)))
    assert "c0, c1, c2 and 2 more" in text
    assert "src/0.py, src/1.py, src/2.py and 22 more changed" in text


FIVE = {f"src/{number}.py": Change.CONTENT for number in range(5)}
TEN = {f"src/{number}.py": Change.CONTENT for number in range(10)}


@pytest.mark.parametrize(
    ("globs", "words"),
    [
        ((glob("src/**", FIVE),), "src/2.py and 2 more changed"),
        ((glob("src/**", FIVE), glob("src/*.py", FIVE)), "src/2.py and 2 more changed"),
        ((glob("src/**", FIVE), glob("src/*", TEN)), "src/2.py and 7 more changed"),
        ((glob("src/**", FIVE), glob("doc/**", {"doc/a": Change.ADDED})), "src/2.py and 3 more changed"),
        # Whether the five are among the fifteen that are not named here, nobody knows any more.
        ((glob("src/**", TEN, count=25), glob("src/*.py", FIVE)), "src/2.py and at least 22 more changed"),
        ((glob("src/**", TEN, count=25), glob("doc/**")), "src/2.py and 22 more changed"),
    ],
)
def test_a_path_that_two_globs_match_counts_once(globs: tuple[GlobVerdict, ...], words: str) -> None:
    text = told(report(capsule("old", Aggregate.STALE, condition(Verdict.STALE, *globs))))
    assert words in text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("1 glob differs from base_commit 8d0c1e22a9f3", ["8d0c1e22a9f3"]),
        (f"the commit {'0a' * 20} that it is compared with", ["0a" * 20]),
        (f"`{'0a' * 20}` and {'b1' * 32}", ["0a" * 20, "b1" * 32]),
        ("`goal` is missing; is “`goals` 8d0c1e22a9f3” or “a`b” meant? add `goal`", ["goal", "goal"]),
        ("an odd ` is no name", []),
        ("no id: 8d0c1e, x8d0c1e22a9, 1,234,567 of “é8d0c1e2”", []),
        ("", []),
    ],
)
def test_what_a_sentence_names_is_code_and_what_it_quotes_is_left_alone(text: str, named: list[str]) -> None:
    line = phrases.with_code(text)
    assert [node.value for node in line if isinstance(node, Code)] == named
    spelled = "".join(f"`{node.value}`" if isinstance(node, Code) else node.value for node in line)
    assert spelled.replace("`", "") == text.replace("`", "")
    assert all("`" not in node.value or node.value in text for node in line)


def test_a_path_that_two_globs_match_is_told_of_as_one_to_whoever_gets_the_hand_off() -> None:
    shared = {"src/a.py": Change.CONTENT}
    twice = condition(Verdict.STALE, glob("src/**", shared), glob("src/a.py", shared))
    assert pieces.finding(twice)[-2:] == (Text("; changed: "), Code("src/a.py"))
    assert receive._finding(twice).splitlines()[1:] == ["content: src/a.py"]
    more = condition(Verdict.STALE, glob("src/**", TEN, count=25), glob("src/*.py", FIVE))
    assert pieces.finding(more)[-1] == Text(" and at least 22 more")
    assert receive._finding(more).splitlines()[-1] == "and more"


def test_a_path_that_two_globs_share_is_named_once() -> None:
    shared = {"src/a.py": Change.CONTENT}
    twice = condition(Verdict.STALE, glob("src/**", shared), glob("src/a.py", shared))
    cell = tables(compose(report(capsule("old", Aggregate.STALE, twice))))[0].rows[0][3]
    assert sum(getattr(node, "value", "") == "src/a.py" for node in cell) == 1


def test_c107_a_path_and_a_subject_show_what_would_change_how_they_read() -> None:
    paths = {"src/a\u202epy.x": Change.CONTENT, "src/new\nline": Change.ADDED, "src/a\u200bb": Change.DELETED}
    commit = LoggedCommit("c" * 40, "fine \u202edilav", None)
    changed = condition(Verdict.STALE, glob("src/\u2066**", paths), changed_by=(commit,), kind="new\nkind")
    shown = told(report(capsule("keys", Aggregate.STALE, changed)))
    for name in (
        r"src/a\u202epy.x",
        r"src/new\nline",
        r"src/a\u200bb",
        r"fine \u202edilav",
        r"src/\u2066**",
        r"(new\nkind,",
    ):
        assert name in shown


def test_a_changed_glob_without_known_paths_tells_the_reason() -> None:
    anchored = glob("src/**", result=GlobResult.CHANGED, count=None, reason="differs from its path anchor")
    old = capsule("old", Aggregate.STALE, condition(Verdict.STALE, anchored, reason="1 of 1 glob differs"))
    text = told(report(old))
    assert "1 of 1 glob differs" in text
    assert "- src/**: ✗ changed, differs from its path anchor" in text


def test_expired_is_told_beside_the_verdict() -> None:
    gone = dataclasses.replace(VALID, expired=True, needs_action=True)
    text = told(report(gone))
    assert "good     ✓ valid, ✗ expired  expires_at  the capsule has expired" in text
    assert "✓ 1 valid, ✗ 1 expired" in text


def test_what_needs_no_action_is_one_fold() -> None:
    document = compose(report(STALE, SCOPED, VALID))
    assert len(tables(document)) == 1
    assert len(folds(document)) == 2
    rest = render_plain(Document((), (folds(document)[1],)))
    assert rest.startswith("2 capsules need no action\n")
    assert "scoped" in rest
    assert "good" in rest


def test_a_continued_capsule_is_folded_and_not_counted() -> None:
    continued = dataclasses.replace(STALE, continued=True)
    text = told(report(continued, VALID))
    assert text.startswith("Nothing to do: none of 2 capsules needs action\n")
    assert "✗ stale, continued by a newer capsule" in text
    assert "✓ 1 valid, 1 continued by a newer capsule" in text


def test_details_tell_each_condition_with_reason_remedy_paths_and_notices() -> None:
    refused = glob("{a,b}", result=GlobResult.NOT_EVALUATED, reason="braces are not evaluated")
    half = capsule(
        "half",
        Aggregate.PARTIALLY_STALE,
        condition(Verdict.VALID, condition_id="fine", reason="same content", required=False, line=None),
        condition(
            Verdict.PARTIALLY_STALE,
            glob("docs/**"),
            refused,
            glob("src/**", CHANGED, count=4),
            remedy="run `x y`",
        ),
    )
    about = [
        Notice(half.path, NoticeCode.UNKNOWN_KEY, "key “evidnce” is not known"),
        Notice(half.path, NoticeCode.GLOB_NOT_EVALUATED, "told at the glob already"),
        Notice("", NoticeCode.NO_CAPSULES, "about the run"),
    ]
    document = compose(report(half, notices=about))
    first, second = (render_plain(Document((), (fold,))) for fold in folds(document))
    assert (
        first
        == """half: ◐ partially stale · Title of half
  File: .ophiuchus/half.json

  paths (git_paths, line 12): ◐ partially stale, 1 of 1 glob differs from base_commit 8d0c1e22a9f3

  To do: run x y

  - src/**: ✗ changed: src/a.py (content), src/b.py (deleted) and 2 more
  - {a,b}: ? not evaluated, braces are not evaluated
  - docs/**: ✓ unchanged

  fine (git_paths, not required): ✓ valid, same content

  Worth knowing:

  - .ophiuchus/half.json: key “evidnce” is not known
"""
    )
    assert second == "1 notice\n  - about the run\n"


def test_a_globs_reason_is_not_repeated_from_its_condition() -> None:
    missing = glob("src/**", result=GlobResult.NOT_EVALUATED, reason="commit not in this clone")
    lost = capsule(
        "lost",
        Aggregate.UNVERIFIABLE,
        condition(Verdict.UNVERIFIABLE, missing, reason="commit not in this clone", remedy="fetch it"),
        needs_action=True,
    )
    assert "  - src/**: ? not evaluated\n" in told(report(lost))


def test_problems_stand_before_verdicts_with_file_and_line() -> None:
    text = told(report(STALE, problems=[BROKEN]))
    assert ".ophiuchus/broken.json:14:3  unresolved merge conflict" in text
    assert text.index("broken.json") < text.index("old")


def test_the_gate_says_why_the_check_fails() -> None:
    undeclared = capsule("bare", Aggregate.NOT_DECLARED)
    text = told(
        report(STALE, PARTLY, undeclared, failed={STALE: GateRule.STALE, undeclared: GateRule.NOT_DECLARED})
    )
    assert text.startswith("Action required: 3 of 3 capsules need action\n")
    assert "This check fails, because fail_on names stale (1), not_declared (1)." in text
    assert "fail_on names not_declared\n" in text


def test_no_capsules_says_what_to_do() -> None:
    text = told(report())
    assert "ophiuchus init" in text
    assert "ophiuchus capture" in text
    assert "ophiuchus init" not in told(report(problems=[BROKEN]))


def test_a_merge_commit_says_what_it_merges() -> None:
    """C010."""
    text = told(report(STALE, merge=MERGE))
    assert f"It is the merge of {MERGE.head} into {MERGE.base}." in text
    assert "merge" not in told(report(STALE))


def test_the_judged_commit_is_named_and_told_from_the_work_tree() -> None:
    """C058."""
    assert f"Judged: commit {HEAD}, not your work tree." in told(report(VALID))
    assert f"Judged: the index, tree {'a' * 40}, not your work tree." in told(report(VALID, head=None))


def test_the_limit_sentence_is_shown_with_the_verdicts() -> None:
    assert VALIDITY_LIMIT in told(report(VALID))


def test_time_and_run_are_no_part_of_what_is_said() -> None:
    run = Link("run 7", "https://github.com/octo/shop/actions/runs/7")
    first = compose(report(STALE), run=run)
    later = compose(report(STALE, now="2027-01-01T00:00:00Z"), run=None)
    assert first.lasting() == later.lasting()
    assert "2026-11-30T12:34:56Z" not in render_plain(first.lasting())
    assert render_plain(first).endswith(
        "Judged at 2026-11-30T12:34:56Z by ophiuchus 0.1.0, run 7 <https://github.com/octo/shop/actions/runs/7>\n"
    )


def test_long_texts_are_shortened_and_say_so() -> None:
    text = told(
        report(
            dataclasses.replace(STALE, title="t" * 5000),
            problems=[dataclasses.replace(BROKEN, message="m" * 5000)],
        )
    )
    assert "t" * 199 + "…" in text
    assert "t" * 200 not in text
    assert "m" * 499 + "…" in text
    assert "m" * 500 not in text


def test_many_globs_are_counted() -> None:
    globs = [glob(f"d{number}/**", CHANGED) for number in range(GLOBS_SHOWN + 7)]
    text = told(report(capsule("old", Aggregate.STALE, condition(Verdict.STALE, *globs))))
    assert "- and 7 more globs\n" in text


def worst_conditions(number: int) -> tuple[ConditionReport, ...]:
    changed = {f"src/{number}/{path}/{'x' * 60}.py": Change.CONTENT for path in range(10)}
    return tuple(
        condition(
            Verdict.STALE,
            *(glob(f"g{which}/**", changed, count=999) for which in range(5)),
            condition_id=f"c{which}",
        )
        for which in range(10)
    )


def test_ten_thousand_capsules_are_bounded_in_time_and_memory() -> None:
    conditions = worst_conditions(1)
    capsules: list[CapsuleReport] = [
        capsule(f"cap-{number}", Aggregate.STALE, *conditions) for number in range(10_000)
    ]
    notices = [Notice(made.path, NoticeCode.UNKNOWN_KEY, "m" * 400) for made in capsules]
    problems = [dataclasses.replace(BROKEN, path=f"{number}.json") for number in range(10_000)]
    found = report(*capsules, notices=notices, problems=problems)
    tracemalloc.start()
    started = time.process_time()
    document = compose(found)
    written = render_gfm(document)
    seconds, (_, peak) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert utf16_units(written) <= COMMENT.limit
    assert [table.more for table in tables(document)] == [10_000 - ROWS_SHOWN] * 2
    assert len(folds(document)) == DETAILS_SHOWN + 1
    assert "Left out, to fit here: " in written
    assert peak < 60_000_000
    assert seconds < 10


def test_that_there_are_more_problems_is_said_however_many_are_told() -> None:
    bad = [Problem(f"{n:03}.json", 1, 1, ProblemCode.NOT_JSON, "is not JSON") for n in range(ROWS_SHOWN)]
    more = Problem(".ophiuchus", None, None, ProblemCode.TOO_MANY, "40 more files were not read")
    (table,) = tables(compose(report(VALID, problems=[*bad, more])))
    assert table.rows[0] == ((Code(".ophiuchus"),), (Text("40 more files were not read"),))
    assert (len(table.rows), table.more) == (ROWS_SHOWN, 1)


@given(st.lists(texts, min_size=8, max_size=8))
def test_whatever_a_capsule_says_the_view_keeps_its_shape(words: list[str]) -> None:
    name, title, path, fired, reason, remedy, spelled, changed = words
    stale = condition(
        Verdict.STALE,
        glob(spelled, {changed: Change.CONTENT}, reason=reason + "x"),
        condition_id=fired,
        kind=title,
        reason=reason,
        remedy=remedy,
    )
    old = capsule(name, Aggregate.STALE, stale, path=path, title=title)
    found = report(
        old,
        dataclasses.replace(old, path=path + "2", needs_action=False),
        problems=[dataclasses.replace(BROKEN, path=path, message=reason)],
        notices=[
            Notice(path, NoticeCode.UNKNOWN_KEY, reason),
            Notice(spelled, NoticeCode.UNKNOWN_KEY, remedy),
        ],
    )
    document = compose(found)
    assert lead(found) == "Action required: 1 of 2 capsules needs action, 1 file has a problem"
    assert [type(block) for block in document.blocks] == (
        [Heading, Paragraph, Table, Table, Paragraph] + [Details] * (2 + (path != spelled)) + [Paragraph] * 3
    )
    assert read_with_markdown_it(render_gfm(document)) == meant(document.blocks)


def test_what_to_do_about_stale_capsules_is_said_where_nothing_is_folded() -> None:
    said = "To do: read what is stale against what changed: if it still holds, ophiuchus capture --refresh ID"
    for stale in (STALE, PARTLY):
        blocks = [block for block in compose(report(stale, VALID)).blocks if not isinstance(block, Details)]
        assert said in render_plain(Document((), tuple(blocks)))
    expired = dataclasses.replace(VALID, expired=True, needs_action=True)
    assert said not in told(report(BASELESS, expired, SCOPED))


def test_all_valid_needs_no_details() -> None:
    document = compose(report(*(capsule(f"cap-{number}", Aggregate.VALID) for number in range(500))))
    assert tables(document) == []
    assert [table.more for table in tables(document, folded=True)] == [500 - ROWS_SHOWN]
