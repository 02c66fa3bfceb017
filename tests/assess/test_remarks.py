"""The notices of the validity track."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ophiuchus.assess.remarks import remarks
from ophiuchus.assess.validity import assess
from ophiuchus.capsule.model import parse_capsule
from ophiuchus.git.findings import AnchorFact, BaseFact, BaseState, GlobFact, PathsFacts
from ophiuchus.text.problem import Notice, NoticeCode

BASE = "0123456789abcdef0123456789abcdef01234567"
UNCHANGED = GlobFact("a", matches_now=True, base=BaseFact(0))
NOTHING = GlobFact("b", base=BaseFact(0))
REFUSED = GlobFact(":!c", refused="starts with ':'")
BARE = GlobFact("d", matches_now=True)
EQUAL = AnchorFact(equal=True, nothing_then=False)
DIFFERS = AnchorFact(equal=False, nothing_then=False)


def notices(
    *globs: GlobFact, state: BaseState = BaseState.COMPARED, in_history: bool | None = True
) -> list[Notice]:
    capsule = parse_capsule(
        {
            "capsule_id": "cap-1",
            "goal": "g",
            "state": "s",
            "next_action": "n",
            "validity": [
                {"condition_id": "vc-time", "kind": "time_window", "not_after": "2030-01-01T00:00:00Z"},
                {
                    "condition_id": "vc-1",
                    "kind": "git_paths",
                    "paths": [fact.glob for fact in globs],
                    "base_commit": BASE,
                },
            ],
        }
    )
    facts = {"vc-1": PathsFacts(state, globs, in_history=in_history)}
    assessment = assess(capsule, facts, datetime(2026, 7, 1, tzinfo=UTC))
    return list(remarks("c.json", capsule, facts, assessment))


def test_nothing_is_said_where_all_went_as_expected() -> None:
    assert notices(UNCHANGED) == []


@pytest.mark.parametrize("fact", [NOTHING, REFUSED])
def test_a_glob_at_fault_is_named(fact: GlobFact) -> None:
    """C017, C091."""
    (notice,) = notices(UNCHANGED, fact)
    assert notice.path == "c.json"
    assert notice.code is NoticeCode.GLOB_NOT_EVALUATED
    assert "“vc-1”" in notice.message
    assert f"“{fact.glob}” is not evaluated" in notice.message


def test_globs_at_fault_are_named_even_when_none_is_left() -> None:
    assert [notice.code for notice in notices(NOTHING, REFUSED)] == [NoticeCode.GLOB_NOT_EVALUATED] * 2


def test_a_missing_base_is_said_once_by_the_condition_itself() -> None:
    assert notices(BARE, BARE._replace(glob="e"), state=BaseState.ABSENT) == []


def test_a_glob_without_anchor_is_named_where_the_others_were_judged_by_theirs() -> None:
    (notice,) = notices(GlobFact("a", matches_now=True, anchor=EQUAL), BARE, state=BaseState.ABSENT)
    assert notice.code is NoticeCode.GLOB_NOT_EVALUATED
    assert "“d”" in notice.message
    assert "commit not in this clone" in notice.message


@pytest.mark.parametrize(
    ("changed", "anchor", "said"),
    [
        (0, EQUAL, False),
        (0, DIFFERS, True),
        (2, EQUAL, True),
        (2, DIFFERS, False),
    ],
)
def test_a_disagreement_of_base_and_anchor_is_told(changed: int, anchor: AnchorFact, said: bool) -> None:
    found = notices(GlobFact("a", matches_now=True, base=BaseFact(changed), anchor=anchor))
    assert [notice.code for notice in found] == ([NoticeCode.ANCHOR_DISAGREES] if said else [])
    if said:
        assert "the base tree decides" in found[0].message


def test_a_glob_inside_a_submodule_is_told() -> None:
    """C037."""
    (notice,) = notices(UNCHANGED._replace(submodule=b"vendor/sub"))
    assert notice.code is NoticeCode.INSIDE_SUBMODULE
    assert "vendor/sub" in notice.message


@pytest.mark.parametrize(("in_history", "said"), [(False, True), (True, False), (None, False)])
def test_a_base_outside_the_history_is_told(in_history: bool | None, said: bool) -> None:
    """C071."""
    found = notices(UNCHANGED, in_history=in_history)
    assert [notice.code for notice in found] == ([NoticeCode.NOT_AN_ANCESTOR] if said else [])
