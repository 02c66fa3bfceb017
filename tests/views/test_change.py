"""Where a base is known the view leads with what this change did, and folds what is older."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest
from built_reports import HEAD, capsule, condition, glob, report
from gfm_readings import meant, read_with_markdown_it
from hostile_documents import texts
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.continuity import Continuity, ContinuityStatus
from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.model import GateRule, RemovedCapsule, Report
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.views.document import Details, Document, Link, Table
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.verdict import compose

BASE = "b" * 40
PAGE = "https://github.example/octo/shop"
COMMITS = (LoggedCommit("1" * 40, "Second step"), LoggedCommit("2" * 40, "First step"))
STALE_PATHS = condition(
    Verdict.STALE,
    glob("src/**", {"src/a.py": Change.CONTENT}),
    introduced=True,
    changed_by=COMMITS,
    remedy="if it still holds, `ophiuchus capture --refresh mine`",
)
UNTOUCHED: Mapping[str, Any] = {"introduced": False, "new": False, "redeclared": False}
MINE = capsule(
    "mine", Aggregate.STALE, STALE_PATHS, before=Aggregate.VALID, **{**UNTOUCHED, "introduced": True}
)
WORSE = dataclasses.replace(MINE, capsule_id="worse", path="w.json", before=Aggregate.PARTIALLY_STALE)
EDITED = capsule("edited", Aggregate.VALID, before=Aggregate.VALID, **{**UNTOUCHED, "redeclared": True})
CHILD = capsule(
    "child",
    Aggregate.VALID,
    **{**UNTOUCHED, "new": True, "redeclared": True},
    continuity=Continuity(ContinuityStatus.COMPARED, "parent", 1),
)
ADDED = capsule("added", Aggregate.STALE, condition(Verdict.STALE), **{**UNTOUCHED, "new": True})
LOST = capsule(
    "lost",
    Aggregate.UNVERIFIABLE,
    condition(Verdict.UNVERIFIABLE, remedy="x"),
    needs_action=True,
    **{**UNTOUCHED, "new": True},
)
OLDER = capsule(
    "older",
    Aggregate.STALE,
    condition(Verdict.STALE, glob("doc/**", {"doc/x": Change.DELETED}), introduced=False),
    before=Aggregate.STALE,
    **UNTOUCHED,
)
OLDEST = dataclasses.replace(OLDER, capsule_id="oldest", path="o.json")
VALID = capsule("valid", Aggregate.VALID, before=Aggregate.VALID, **UNTOUCHED)
GONE = RemovedCapsule(".ophiuchus/gone.json", "gone", Aggregate.PARTIALLY_STALE, continued=False)
BROKEN = Problem("x.json", 1, 1, ProblemCode.NOT_JSON, "m")


def compared(*capsules: Any, removed: tuple[RemovedCapsule, ...] = (), **more: Any) -> Report:
    return dataclasses.replace(report(*capsules, base=BASE, **more), removed=removed)


def told(of: Report) -> str:
    return render_plain(compose(of))


def lines(of: Report) -> list[str]:
    return [" ".join(line.split()) for line in told(of).splitlines()]


def unfolded(document: Document) -> list[Table]:
    return [block for block in document.blocks if isinstance(block, Table)]


LEADS = [
    (compared(MINE, VALID), "Action required: this change made 1 of 2 capsules stale"),
    (compared(MINE, WORSE, VALID), "Action required: this change made 1 of 3 capsules stale and 1 worse"),
    (compared(WORSE), "Action required: this change made 1 of 1 capsule worse"),
    (
        compared(MINE, EDITED, ADDED, OLDER, removed=(GONE,)),
        (
            "Action required: this change made 1 of 4 capsules stale, declared 2 anew, "
            "added 1 capsule that is already stale"
        ),
    ),
    (compared(ADDED, VALID), "Action required: this change added 1 capsule that is already stale"),
    (compared(ADDED, LOST), "Action required: this change added 2 capsules that need action"),
    (
        compared(MINE, problems=[BROKEN]),
        "Action required: this change made 1 of 1 capsule stale; 1 file has a problem",
    ),
    (compared(OLDER, problems=[BROKEN]), "Action required: 1 file has a problem"),
    (compared(EDITED, VALID), "To review: this change declared 1 capsule anew"),
    (compared(CHILD, EDITED, OLDER), "To review: this change declared 2 capsules anew"),
    (compared(removed=(GONE,)), "To review: this change declared 1 capsule anew"),
    (
        compared(EDITED, failed={EDITED: GateRule.REDECLARED}),
        "Action required: this change declared 1 capsule anew",
    ),
    (compared(OLDER, OLDEST, VALID), "Nothing new: 2 of 3 capsules needed action before this change"),
    (
        compared(OLDER, OLDEST, VALID, failed={OLDER: GateRule.STALE}),
        "Action required: fail_on names 1 of 3 capsules for what is older",
    ),
    (compared(VALID), "Nothing to do: none of 1 capsule needs action"),
    (compared(), "Nothing to do: there are no capsules yet"),
    (
        compared(dataclasses.replace(MINE, continued=True, needs_action=False)),
        "Nothing to do: none of 1 capsule needs action",
    ),
    (
        compared(removed=(dataclasses.replace(GONE, continued=True),)),
        "Nothing to do: there are no capsules yet",
    ),
]


@pytest.mark.parametrize(("found", "sentence"), LEADS)
def test_it_leads_with_what_this_change_did(found: Report, sentence: str) -> None:
    assert told(found).startswith(sentence + "\n")


def test_declared_anew_and_added_have_lines_of_their_own_and_older_drift_is_counted() -> None:
    found = lines(compared(MINE, EDITED, CHILD, ADDED, OLDER, OLDEST, VALID, removed=(GONE,)))
    assert (
        "- Declared anew: edited (edited), child (new; it continues parent, which needed action), "
        "gone (removed; it was partially stale)"
    ) in " ".join(found).replace("  ", " ")
    assert "- Added, already stale: added" in found
    assert "- 2 capsules needed action before this change, folded below." in found
    assert "- Added, already in need of action: lost" in lines(compared(LOST))


def test_many_names_are_counted() -> None:
    many = [
        dataclasses.replace(EDITED, capsule_id=f"e{number}", path=f"{number}.json") for number in range(7)
    ]
    text = " ".join(told(compared(*many)).split())
    assert "e4 (edited) and 2 more" in text
    assert "e5 (edited)" not in text


def test_rows_say_what_this_change_did_which_condition_which_paths_and_by_which_commits() -> None:
    document = compose(compared(MINE, WORSE, EDITED, ADDED, OLDER, removed=(GONE,)), repository_url=PAGE)
    (table,) = unfolded(document)
    assert table.head == ("Capsule", "Verdict", "This change", "Condition", "Why")
    rows = [
        ["".join(node.label if isinstance(node, Link) else node.value for node in cell) for cell in row]
        for row in table.rows
    ]
    assert rows == [
        ["mine", "stale", "made it stale", "paths", "src/a.py changed, by 1111111111, 2222222222"],
        ["worse", "stale", "made it worse", "paths", "src/a.py changed, by 1111111111, 2222222222"],
        ["edited", "valid", "declared it anew", "", ""],
        ["gone", "it was partially stale", "removed it", "", ""],
        ["added", "stale", "added it", "paths", "1 of 1 glob differs from base_commit 8d0c1e22a9f3"],
    ]
    links = [node for node in table.rows[0][4] if isinstance(node, Link)]
    assert [link.target for link in links] == [f"{PAGE}/commit/{'1' * 40}", f"{PAGE}/commit/{'2' * 40}"]


def test_a_row_of_an_introduced_capsule_names_what_is_new_and_its_details_lead_with_it() -> None:
    old = condition(Verdict.STALE, condition_id="aged", introduced=False)
    both = dataclasses.replace(MINE, validity=dataclasses.replace(MINE.validity, conditions=(
        old, *MINE.validity.conditions)))  # fmt: skip
    document = compose(compared(both))
    (table,) = unfolded(document)
    assert [getattr(node, "value", "") for node in table.rows[0][3]] == ["paths"]
    details = render_plain(
        Document((), tuple(block for block in document.blocks if isinstance(block, Details)))
    )
    assert details.index("paths (git_paths") < details.index("aged (git_paths")


def test_details_tell_the_verdict_before_the_commits_and_what_to_do() -> None:
    text = told(compared(MINE))
    assert "Before this change: ✓ valid" in text
    assert "- 1111111111 Second step\n" in text
    assert "- 2222222222 First step\n" in text
    assert text.count("To do: if it still holds, ophiuchus capture --refresh mine") == 1


def test_one_remedy_for_two_conditions_is_said_once() -> None:
    twice = dataclasses.replace(
        MINE, validity=dataclasses.replace(MINE.validity, conditions=(STALE_PATHS, STALE_PATHS))
    )
    assert told(compared(twice)).count("To do: if it still holds") == 1


def test_older_drift_is_folded_with_its_conditions_and_paths() -> None:
    document = compose(compared(OLDER, OLDEST, VALID))
    assert unfolded(document) == []
    folds = [block for block in document.blocks if isinstance(block, Details)]
    text = render_plain(Document((), (folds[0],)))
    assert text.startswith("2 capsules needed action before this change\n")
    assert "doc/x changed" in text
    assert "ophiuchus inspect ID" in text


def test_older_drift_that_the_gate_names_is_not_folded() -> None:
    document = compose(compared(OLDER, OLDEST, failed={OLDER: GateRule.STALE}))
    (table,) = unfolded(document)
    assert len(table.rows) == 1
    assert [getattr(node, "value", "") for node in table.rows[0][2]] == ["did nothing to it"]


def test_the_commit_that_it_was_compared_with_is_named() -> None:
    assert f"Judged: commit {HEAD}, not your work tree. Compared with commit {BASE}." in told(compared(VALID))
    assert "Compared with" not in told(report(VALID))


def test_that_the_base_is_not_known_is_said_at_once_and_once() -> None:
    unknown = Notice("", NoticeCode.BASE_UNKNOWN, "what this change did is not known; `fetch-depth: 2`")
    text = told(report(OLDER, notices=[unknown]))
    assert text.startswith("Action required: 1 of 1 capsule needs action\n")
    said = "Note: what this change did is not known; fetch-depth: 2."
    assert text.index(said) < text.index("Condition")
    assert text.count("is not known") == 1


@given(st.lists(texts, min_size=6, max_size=6))
def test_whatever_subjects_and_ids_say_the_view_keeps_its_shape(given_words: list[str]) -> None:
    name, gone, parent, subject, path, other = given_words
    stale = dataclasses.replace(STALE_PATHS, changed_by=(LoggedCommit("1" * 40, subject),))
    mine = dataclasses.replace(
        MINE,
        capsule_id=name,
        path=f"{path}0",
        validity=dataclasses.replace(MINE.validity, conditions=(stale,)),
    )
    child = dataclasses.replace(
        CHILD,
        capsule_id=other,
        path=f"{path}1",
        continuity=Continuity(ContinuityStatus.COMPARED, parent, 1),
    )
    found = compared(
        mine, child, ADDED, OLDER, removed=(dataclasses.replace(GONE, capsule_id=gone, path=path),)
    )
    for page in (PAGE, None):
        document = compose(found, repository_url=page)
        assert read_with_markdown_it(render_gfm(document)) == meant(document.blocks)
