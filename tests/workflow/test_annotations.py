from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_model import commands_in

from ophiuchus.assess.verdicts import (
    VALIDITY_LIMIT,
    Aggregate,
    GlobResult,
    GlobVerdict,
    Method,
    Verdict,
)
from ophiuchus.git.findings import Change, PathChange
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.model import (
    CapsuleReport,
    ConditionReport,
    Evaluated,
    Gate,
    RemovedCapsule,
    Report,
    Tool,
    ValidityReport,
)
from ophiuchus.report.totals import count
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.workflow.annotations import annotate, annotations_of, at_most
from ophiuchus.workflow.commands import MESSAGE_UNITS, SHOWN_PER_LEVEL, Annotation, CommandWriter, Level

STALE = ConditionReport(
    condition_id="code",
    kind="git_paths",
    required=True,
    line=12,
    verdict=Verdict.STALE,
    method=Method.BASE_TREE,
    reason="all globs changed",
    remedy=None,
    introduced=None,
    paths=(GlobVerdict("src/**", GlobResult.CHANGED, None, 7, (PathChange("src/a.py", Change.CONTENT),)),),
)
UNVERIFIABLE = replace(
    STALE,
    condition_id="base",
    line=20,
    verdict=Verdict.UNVERIFIABLE,
    reason="no base",
    remedy="fetch it",
    paths=(),
)


def capsule(
    name: str,
    *conditions: ConditionReport,
    aggregate: Aggregate = Aggregate.STALE,
    expired: bool = False,
    continued: bool = False,
) -> CapsuleReport:
    return CapsuleReport(
        path=f".ophiuchus/{name}.json",
        capsule_id=name,
        title="t",
        continued=continued,
        expired=expired,
        needs_action=True,
        validity=ValidityReport(aggregate, conditions),
    )


def report(
    *capsules: CapsuleReport, problems: tuple[Problem, ...] = (), notices: tuple[Notice, ...] = ()
) -> Report:
    return Report(
        tool=Tool("ophiuchus", "0"),
        evaluated=Evaluated("o/r", "a" * 40, "b" * 40, "2026-01-01T00:00:00Z"),
        capsules=capsules,
        problems=problems,
        notices=notices,
        totals=count(capsules, problems=len(problems), notices=len(notices)),
        gate=Gate((), True, ()),
        limits={},
    )


def test_a_stale_condition_is_a_warning_on_its_line() -> None:
    (found,) = annotations_of(report(capsule("cap", STALE)))[Level.WARNING]
    assert (found.path, found.line, found.title) == (".ophiuchus/cap.json", 12, "stale: cap")
    assert found.message.split("\n") == [
        "cap, condition code: all globs changed",
        "Changed: src/a.py (content) and 6 more",
        VALIDITY_LIMIT,
    ]


@pytest.mark.parametrize(
    ("globs", "told"),
    [
        ([(1, ["a"]), (1, ["a"])], "a (content)"),
        (
            [(12, list("abcdefghij")), (1, ["a"])],
            "a (content), b (content), c (content), d (content), e (content) and at least 7 more",
        ),
        ([(1, ["new\nline"]), (1, ["ta\tb\u200b"])], r"new\nline (content), ta\x09b\u200b (content)"),
    ],
)
def test_changed_paths_are_told_as_on_the_other_surfaces(
    globs: list[tuple[int, list[str]]], told: str
) -> None:
    """A path that two globs match is one path, and a name is one line in which nothing hides (C028)."""
    paths = tuple(
        GlobVerdict(
            "**", GlobResult.CHANGED, None, count, tuple(PathChange(name, Change.CONTENT) for name in names)
        )
        for count, names in globs
    )
    (found,) = annotations_of(report(capsule("cap", replace(STALE, paths=paths))))[Level.WARNING]
    assert found.message.split("\n")[1] == f"Changed: {told}"


def test_the_limit_sentence_is_there_however_much_is_said() -> None:
    """The runner cuts a message without a word, and this would be what it cuts."""
    long = "\U000e0041\x1b" * 2_000
    paths = tuple(PathChange(f"{number}{long}", Change.ADDED) for number in range(9))
    globs = (GlobVerdict("**", GlobResult.CHANGED, None, 9, paths),)
    hostile = replace(STALE, reason=long, remedy=long, paths=globs)
    out = io.StringIO()
    annotate(CommandWriter(out), report(capsule("cap", hostile)))
    (found,) = commands_in(out.getvalue())
    assert found.data.endswith(f"…\n{VALIDITY_LIMIT}")
    assert len(found.data.encode("utf-16-le")) // 2 <= MESSAGE_UNITS


def test_where_changed_paths_are_not_known_the_globs_are_named() -> None:
    globs = tuple(
        GlobVerdict(f"{name}/**", result, None, None if result is GlobResult.CHANGED else 0, ())
        for name, result in [*((name, GlobResult.CHANGED) for name in "abcdefg"), ("z", GlobResult.UNCHANGED)]
    )
    (found,) = annotations_of(report(capsule("cap", replace(STALE, paths=globs))))[Level.WARNING]
    assert "\nChanged: a/**, b/**, c/**, d/**, e/** and 2 more\n" in found.message
    (found,) = annotations_of(report(capsule("cap", replace(STALE, paths=()))))[Level.WARNING]
    assert "Changed" not in found.message


def test_an_unverifiable_condition_is_a_warning_only_where_somebody_can_do_something() -> None:
    no_remedy = replace(UNVERIFIABLE, condition_id="scope", remedy=None)
    (found,) = annotations_of(report(capsule("cap", UNVERIFIABLE, no_remedy)))[Level.WARNING]
    assert found.title == "unverifiable: cap"
    assert "fetch it" in found.message


def test_what_needs_no_action_is_no_warning() -> None:
    valid = replace(STALE, verdict=Verdict.VALID, remedy="never mind")
    found = annotations_of(
        report(capsule("a", valid), capsule("b", STALE, expired=True, continued=True), capsule("c"))
    )
    assert found == {Level.ERROR: [], Level.WARNING: [], Level.NOTICE: []}


def test_an_expired_capsule_is_a_warning_on_its_file() -> None:
    (found,) = annotations_of(report(capsule("cap", expired=True)))[Level.WARNING]
    assert (found.title, found.path, found.line) == ("expired: cap", ".ophiuchus/cap.json", None)


def test_the_worst_comes_first_then_the_place() -> None:
    part = replace(STALE, verdict=Verdict.PARTIALLY_STALE, line=3)
    found = annotations_of(
        report(capsule("b", UNVERIFIABLE, STALE), capsule("a", part, replace(STALE, line=30), STALE))
    )
    assert [(a.title, a.line) for a in found[Level.WARNING]] == [
        ("stale: a", 12),
        ("stale: a", 30),
        ("stale: b", 12),
        ("partially stale: a", 3),
        ("unverifiable: b", 20),
    ]


def test_a_problem_is_an_error_and_a_notice_a_notice() -> None:
    problem = Problem(".ophiuchus/x.json", 4, 9, ProblemCode.DUPLICATE_KEY, 'the key "a" again')
    notice = Notice("", NoticeCode.NO_CAPSULES, "no capsules\nhere")
    optional = replace(STALE, required=False)
    found = annotations_of(report(capsule("cap", optional), problems=(problem,), notices=(notice,)))
    assert found[Level.ERROR] == [
        Annotation(
            Level.ERROR,
            "not usable: duplicate key",
            '.ophiuchus/x.json:4:9: the key "a" again',
            ".ophiuchus/x.json",
            4,
        )
    ]
    assert found[Level.WARNING] == []
    assert [a.title for a in found[Level.NOTICE]] == ["stale: cap", "no capsules"]
    assert found[Level.NOTICE][0].message.startswith("cap, condition code (not required): ")
    assert found[Level.NOTICE][1].message == "no capsules here"


def test_what_says_how_many_more_there_are_comes_first() -> None:
    """A step shows ten errors: the eleventh must not be the one that counts a thousand."""
    ordinary = Problem("a.json", 1, 1, ProblemCode.DUPLICATE_KEY, "x")
    more = Problem("z.json", None, None, ProblemCode.TOO_MANY, "and 1,000 more")
    found = annotations_of(report(problems=(ordinary, more)))[Level.ERROR]
    assert [one.path for one in found] == ["z.json", "a.json"]


def test_a_file_of_another_repository_is_named_and_annotates_none_of_this_one() -> None:
    elsewhere = replace(capsule("cap", STALE, expired=True), repository="octo/other")
    problem = Problem("a.json", 1, 1, ProblemCode.DUPLICATE_KEY, "x", repository="octo/other")
    found = annotations_of(report(elsewhere, problems=(problem,)))
    assert [one.path for one in found[Level.WARNING] + found[Level.ERROR]] == ["", "", ""]
    assert "octo/other:a.json" in found[Level.ERROR][0].message


# What this change did.


def compared(*capsules: CapsuleReport, removed: tuple[RemovedCapsule, ...] = ()) -> Report:
    found = report(*capsules)
    return replace(found, evaluated=replace(found.evaluated, base="c" * 40), removed=removed)


def test_what_this_change_introduced_comes_first_then_what_it_added() -> None:
    partly = replace(STALE, verdict=Verdict.PARTIALLY_STALE)
    mine = replace(capsule("mine", replace(partly, introduced=True), STALE), introduced=True, new=False)
    added = replace(capsule("added", partly, expired=True), new=True, introduced=False)
    older = replace(capsule("a-older", STALE), new=False, introduced=False)
    found = annotations_of(compared(older, added, mine))
    assert [one.title for one in found[Level.WARNING]] == [
        "partially stale by this change: mine",
        "expired: added",
        "partially stale: added",
        "stale: a-older",
        "stale: mine",
    ]
    assert found[Level.NOTICE] == []


def test_what_was_declared_anew_is_a_notice_on_its_file() -> None:
    edited = replace(capsule("edited"), redeclared=True, introduced=False)
    both = replace(capsule("both", replace(STALE, introduced=True)), redeclared=True, introduced=True)
    gone = RemovedCapsule(".ophiuchus/gone.json", "gone", Aggregate.PARTIALLY_STALE, continued=False)
    silent = replace(gone, capsule_id="silent", continued=True)
    found = annotations_of(compared(edited, both, removed=(gone, silent)))[Level.NOTICE]
    assert [(one.title, one.path) for one in found] == [
        ("declared anew: both", ".ophiuchus/both.json"),
        ("declared anew: edited", ".ophiuchus/edited.json"),
        ("declared anew: gone", ".ophiuchus/gone.json"),
    ]
    assert found[2].message == "gone: this change removed it; it was partially stale"
    assert annotations_of(replace(report(edited), removed=(gone,)))[Level.NOTICE] == []


def test_the_commits_behind_it_are_named_each_on_its_line() -> None:
    subjects = ("One\n::error::x", "Two")
    commits = tuple(LoggedCommit(str(number) * 40, subject) for number, subject in enumerate(subjects))
    (found,) = annotations_of(report(capsule("cap", replace(STALE, changed_by=commits))))[Level.WARNING]
    assert found.message.split("\n")[2:4] == ["By 0000000000 One ::error::x", "By 1111111111 Two"]


@pytest.mark.parametrize(
    ("given_number", "most", "shown"),
    [(0, 10, 0), (10, 10, 10), (11, 10, 10), (500, 10, 10), (3, 1, 1), (3, 0, 0), (3, -1, 0)],
)
def test_the_last_place_says_how_many_are_not_shown(given_number: int, most: int, shown: int) -> None:
    annotations = [Annotation(Level.WARNING, str(number), "m") for number in range(given_number)]
    found = at_most(annotations, most)
    assert len(found) == shown
    if given_number > most > 0:
        assert found[:-1] == annotations[: most - 1]
        assert found[-1].title == f"and {given_number - most + 1} more warnings"
        assert found[-1].level is Level.WARNING


def test_no_level_gets_more_than_a_step_shows_and_places_can_be_held_back() -> None:
    many = report(
        *(capsule(f"cap-{number:03}", STALE) for number in range(40)),
        problems=tuple(Problem(f"p{number}", None, None, ProblemCode.NOT_JSON, "m") for number in range(11)),
        notices=tuple(Notice("", NoticeCode.UNKNOWN_KEY, "m") for _ in range(10)),
    )
    out = io.StringIO()
    writer = CommandWriter(out)
    writer.annotate(Annotation(Level.WARNING, "", "the summary was not written"))
    annotate(writer, many, keep={Level.NOTICE: 1})
    names = [command.name for command in commands_in(out.getvalue())]
    assert {name: names.count(name) for name in names} == {
        "error": 10,
        "warning": SHOWN_PER_LEVEL,
        "notice": 9,
    }
    assert writer.left(Level.NOTICE) == 1
    titles = [command.properties.get("title") for command in commands_in(out.getvalue())]
    assert "and 32 more warnings" in titles
    assert "and 2 more errors" in titles


@given(st.text(), st.text(min_size=1), st.text())
def test_whatever_a_capsule_says_an_annotation_is_one_command(path: str, word: str, reason: str) -> None:
    """C062"""
    hostile = replace(
        STALE,
        condition_id=word,
        reason=f"{reason}\n::error file=x::{word}\r##[group]",
        remedy="::stop-commands::t0",
        paths=(GlobVerdict(word, GlobResult.CHANGED, None, 1, (PathChange(path, Change.ADDED),)),),
    )
    out = io.StringIO()
    annotate(
        CommandWriter(out),
        report(
            replace(capsule("cap", hostile), path=path, capsule_id=word),
            problems=(Problem(path, 1, 1, ProblemCode.NOT_JSON, f"::add-mask::{word}"),),
            notices=(Notice(path, NoticeCode.UNKNOWN_KEY, f"a\n##[error]{word}"),),
        ),
    )
    assert [command.name for command in commands_in(out.getvalue())] == ["error", "warning", "notice"]
    assert out.getvalue().count("\n") == 3
