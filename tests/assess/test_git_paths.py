"""git_paths: the order of means, the ratio, and what is said about what could not be evaluated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.base_gap import ABSENT_FROM_SHALLOW_CLONE
from ophiuchus.assess.git_paths import judge_paths
from ophiuchus.assess.verdicts import ConditionVerdict, GlobResult, Method, Verdict
from ophiuchus.capsule.model import GitPaths
from ophiuchus.git.findings import (
    TOO_MANY_FILES,
    AnchorFact,
    BaseFact,
    BaseState,
    Change,
    ChangedPath,
    GlobFact,
    PathChange,
    PathsFacts,
)

BASE = "0123456789abcdef0123456789abcdef01234567"
FILE = ChangedPath(b"src/x.py", Change.CONTENT)
NOT_COMPARED = [state for state in BaseState if state is not BaseState.COMPARED]

UNCHANGED = GlobFact("a", matches_now=True, base=BaseFact(0))
CHANGED = GlobFact("b", matches_now=True, base=BaseFact(1, (FILE,)))
GONE = GlobFact("c", matches_now=False, base=BaseFact(1, (replace(FILE, change=Change.DELETED),)))
NOTHING = GlobFact("d", matches_now=False, base=BaseFact(0))
REFUSED = GlobFact("!e", refused="starts with '!'")
EQUAL = GlobFact("f", matches_now=True, anchor=AnchorFact(equal=True, nothing_then=False))
DIFFERS = GlobFact("g", matches_now=True, anchor=AnchorFact(equal=False, nothing_then=False))
STILL_NOTHING = GlobFact("h", anchor=AnchorFact(equal=True, nothing_then=True))
SOMETHING_NOW = GlobFact("i", matches_now=True, anchor=AnchorFact(equal=False, nothing_then=True))
BARE = GlobFact("j", matches_now=True)
UNCHANGED_BUT_ANCHOR = UNCHANGED._replace(anchor=DIFFERS.anchor)
CHANGED_BUT_ANCHOR = CHANGED._replace(anchor=EQUAL.anchor)
NOTHING_BUT_ANCHOR = NOTHING._replace(anchor=DIFFERS.anchor)
REFUSED_BUT_ANCHOR = REFUSED._replace(anchor=EQUAL.anchor)


def judge(
    *globs: GlobFact,
    state: BaseState = BaseState.COMPARED,
    base: str | None = BASE,
    shallow: bool = False,
    detail: str = "",
    **fields: Any,
) -> ConditionVerdict:
    condition = GitPaths.model_validate(
        {"condition_id": "vc", "kind": "git_paths", "paths": [fact.glob for fact in globs], **fields}
    )
    return judge_paths(condition, base, PathsFacts(state, globs, detail), shallow=shallow)


@pytest.mark.parametrize(
    ("fact", "state", "result", "method", "count"),
    [
        (UNCHANGED, BaseState.COMPARED, GlobResult.UNCHANGED, Method.BASE_TREE, 0),
        (CHANGED, BaseState.COMPARED, GlobResult.CHANGED, Method.BASE_TREE, 1),
        (GONE, BaseState.COMPARED, GlobResult.CHANGED, Method.BASE_TREE, 1),
        (NOTHING, BaseState.COMPARED, GlobResult.NOT_EVALUATED, None, 0),
        (REFUSED, BaseState.COMPARED, GlobResult.NOT_EVALUATED, None, 0),
        (EQUAL, BaseState.ABSENT, GlobResult.UNCHANGED, Method.ANCHOR, 0),
        (DIFFERS, BaseState.ABSENT, GlobResult.CHANGED, Method.ANCHOR, None),
        (STILL_NOTHING, BaseState.ABSENT, GlobResult.NOT_EVALUATED, None, 0),
        (SOMETHING_NOW, BaseState.ABSENT, GlobResult.CHANGED, Method.ANCHOR, None),
        (BARE, BaseState.ABSENT, GlobResult.NOT_EVALUATED, None, 0),
        # Both means: the base tree decides, whatever the anchor says.
        (UNCHANGED_BUT_ANCHOR, BaseState.COMPARED, GlobResult.UNCHANGED, Method.BASE_TREE, 0),
        (CHANGED_BUT_ANCHOR, BaseState.COMPARED, GlobResult.CHANGED, Method.BASE_TREE, 1),
        (NOTHING_BUT_ANCHOR, BaseState.COMPARED, GlobResult.NOT_EVALUATED, None, 0),
        (REFUSED_BUT_ANCHOR, BaseState.ABSENT, GlobResult.NOT_EVALUATED, None, 0),
    ],
)  # fmt: skip
def test_the_first_means_that_answers_decides_a_glob(
    fact: GlobFact, state: BaseState, result: GlobResult, method: Method | None, count: int | None
) -> None:
    found = judge(fact, state=state)
    (glob,) = found.paths
    assert (glob.result, found.method, glob.changed_count) == (result, method, count)
    assert glob.changed == (tuple(map(_spelled, fact.base.changed)) if fact.base else ())


def _spelled(path: ChangedPath) -> PathChange:
    return PathChange(path.path.decode(), path.change)


@pytest.mark.parametrize(
    ("globs", "verdict"),
    [
        ((UNCHANGED,), Verdict.VALID),
        ((UNCHANGED, UNCHANGED), Verdict.VALID),
        ((CHANGED,), Verdict.STALE),
        ((CHANGED, GONE), Verdict.STALE),
        ((UNCHANGED, CHANGED), Verdict.PARTIALLY_STALE),
        ((UNCHANGED, NOTHING), Verdict.VALID),
        ((CHANGED, NOTHING), Verdict.STALE),
        ((CHANGED, UNCHANGED, REFUSED), Verdict.PARTIALLY_STALE),
        ((NOTHING,), Verdict.UNVERIFIABLE),
        ((REFUSED,), Verdict.UNVERIFIABLE),
        ((NOTHING, REFUSED), Verdict.UNVERIFIABLE),
    ],
)
def test_a_condition_is_the_ratio_of_its_evaluated_globs(
    globs: tuple[GlobFact, ...], verdict: Verdict
) -> None:
    assert judge(*globs).verdict is verdict


@pytest.mark.parametrize("state", NOT_COMPARED)
@pytest.mark.parametrize(
    ("globs", "verdict"),
    [
        ((EQUAL,), Verdict.VALID),
        ((DIFFERS,), Verdict.STALE),
        ((EQUAL, DIFFERS), Verdict.PARTIALLY_STALE),
        # What nothing could check is never taken for unchanged, and what changed stays loud beside it.
        ((EQUAL, BARE), Verdict.UNVERIFIABLE),
        ((EQUAL, REFUSED), Verdict.VALID),
        ((DIFFERS, BARE), Verdict.STALE),
        ((EQUAL, DIFFERS, BARE), Verdict.PARTIALLY_STALE),
        ((SOMETHING_NOW, STILL_NOTHING), Verdict.STALE),
        ((STILL_NOTHING,), Verdict.UNVERIFIABLE),
        ((BARE,), Verdict.UNVERIFIABLE),
        ((BARE, REFUSED, STILL_NOTHING), Verdict.UNVERIFIABLE),
    ],
)
def test_anchors_judge_where_the_base_cannot(
    state: BaseState, globs: tuple[GlobFact, ...], verdict: Verdict
) -> None:
    found = judge(*globs, state=state)
    assert found.verdict is verdict
    assert found.method is (None if verdict is Verdict.UNVERIFIABLE else Method.ANCHOR)


@st.composite
def consistent_facts(draw: st.DrawFn) -> PathsFacts:
    """Facts as git's room may give them: a base fact for every accepted glob, or for none."""
    compared = draw(st.booleans())
    kinds = [UNCHANGED, CHANGED, GONE, NOTHING, REFUSED] if compared else [
        EQUAL, DIFFERS, STILL_NOTHING, SOMETHING_NOW, BARE, REFUSED
    ]  # fmt: skip
    globs = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=50))
    state = BaseState.COMPARED if compared else draw(st.sampled_from(NOT_COMPARED))
    return PathsFacts(state, tuple(globs))


@given(consistent_facts(), st.booleans())
def test_the_condition_agrees_with_a_count_made_by_hand(facts: PathsFacts, shallow: bool) -> None:
    good = sum(fact in (UNCHANGED, EQUAL) for fact in facts.globs)
    bad = sum(fact in (CHANGED, GONE, DIFFERS, SOMETHING_NOW) for fact in facts.globs)
    found = judge(*facts.globs, state=facts.base_state, shallow=shallow)
    if good and bad:
        assert found.verdict is Verdict.PARTIALLY_STALE
    elif bad:
        assert found.verdict is Verdict.STALE
    elif good and BARE not in facts.globs:
        assert found.verdict is Verdict.VALID
    else:
        assert found.verdict is Verdict.UNVERIFIABLE
        assert found.remedy, "whatever hinders a git_paths condition, somebody can do something"
    assert found.reason
    assert all(glob.reason for glob in found.paths if glob.result is GlobResult.NOT_EVALUATED)


def test_an_absent_commit_in_a_shallow_clone_asks_for_the_history() -> None:
    """C001."""
    found = judge(BARE, state=BaseState.ABSENT, shallow=True)
    assert found.verdict is Verdict.UNVERIFIABLE
    assert ABSENT_FROM_SHALLOW_CLONE == "commit not in this clone; check out with fetch-depth: 0"
    assert ABSENT_FROM_SHALLOW_CLONE in found.reason


@pytest.mark.parametrize("shallow", [True, False])
def test_an_absent_commit_names_the_three_usual_causes(shallow: bool) -> None:
    found = judge(BARE, state=BaseState.ABSENT, shallow=shallow)
    assert "commit not in this clone" in found.reason
    for cause in ("shallow clone", "fetch-depth: 0", "squash", "rebase", "wrong id", "ophiuchus capture"):
        assert cause in (found.remedy or "")


@pytest.mark.parametrize(
    ("state", "base", "words"),
    [
        (BaseState.MALFORMED, "HEAD", "“HEAD” is not a commit id"),
        (BaseState.MALFORMED, "--output=pwned.txt", "“--output=pwned.txt” is not a commit id"),
        (BaseState.MALFORMED, "", "“” is not a commit id"),
        (BaseState.NOT_A_COMMIT, BASE, "base_commit 0123456789ab is not a commit (because)"),
        (BaseState.NOT_ON_SERVER, BASE, "neither in this clone nor on the server"),
        (BaseState.FETCH_FAILED, BASE, "could not be fetched (because)"),
        (BaseState.UNREADABLE, BASE, "could not be compared: because"),
        (BaseState.ABSENT, BASE, "base_commit 0123456789ab: because"),
        (BaseState.OVER_BUDGET, BASE, "more work than one capsule may cost (because)"),
        (BaseState.NOT_DECLARED, None, "neither a base_commit nor path anchors"),
        (BaseState.COMPARED, BASE, "could not be compared"),
    ],
)
def test_each_gap_is_named_with_a_remedy(state: BaseState, base: str | None, words: str) -> None:
    """C065, C124 among others."""
    found = judge(BARE, state=state, base=base, detail="because")
    assert found.verdict is Verdict.UNVERIFIABLE
    assert words in found.reason
    assert found.remedy


def test_a_tree_that_is_too_large_is_no_fault_of_the_globs() -> None:
    found = judge(BARE, state=BaseState.OVER_BUDGET, detail=TOO_MANY_FILES)
    assert TOO_MANY_FILES in found.reason
    assert "fewer files" in (found.remedy or "")


def test_anchors_that_fit_nothing_are_said_to() -> None:
    found = judge(BARE, state=BaseState.NOT_DECLARED, base=None, anchors={"j": "sha256:xyz"})
    assert "no well-formed path anchor" in found.reason


def test_a_mistyped_glob_is_named_and_can_be_corrected() -> None:
    """C017: a typing error is never green, and somebody can mend it."""
    found = judge(NOTHING._replace(glob="scr/**"), REFUSED._replace(glob="src/[a-z"))
    assert found.verdict is Verdict.UNVERIFIABLE
    assert "“scr/**” matches nothing" in found.reason
    assert "1 more" in found.reason
    assert "correct the globs" in (found.remedy or "")


def test_the_missing_base_is_the_cause_where_globs_are_at_fault_too() -> None:
    found = judge(REFUSED, BARE, state=BaseState.ABSENT)
    assert "commit not in this clone" in found.reason


def test_unchanged_means_same_content_and_no_more() -> None:
    """C079."""
    assert judge(UNCHANGED).reason == "same content as at base_commit 0123456789ab"
    assert judge(EQUAL, state=BaseState.ABSENT).reason == "same content as at its path anchors"


def test_the_ratio_is_told() -> None:
    assert judge(UNCHANGED, CHANGED).reason == "1 of 2 globs differs from base_commit 0123456789ab"
    assert judge(DIFFERS, DIFFERS, BARE, state=BaseState.ABSENT).reason == (
        "2 of 2 globs differ from its path anchors (1 glob not evaluated)"
    )


@pytest.mark.parametrize("fact", [UNCHANGED, CHANGED])
def test_a_glob_inside_a_submodule_says_what_was_looked_at(fact: GlobFact) -> None:
    """C037."""
    glob = judge(fact._replace(submodule=b"vendor/sub\xff")).paths[0]
    assert glob.reason == (
        r"follows the pointer of submodule vendor/sub\xff; files inside it were not looked at"
    )
