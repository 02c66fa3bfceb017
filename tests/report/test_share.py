"""What this change did, and what is older: each capsule stands in one list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from built_reports import capsule, report

from ophiuchus.assess.verdicts import Aggregate
from ophiuchus.report.model import GateRule, RemovedCapsule
from ophiuchus.report.share import Share, is_concerning, share_of
from ophiuchus.text.problem import Problem, ProblemCode

OLD: dict[str, Any] = {"before": Aggregate.STALE, "introduced": False, "new": False, "redeclared": False}
GONE = RemovedCapsule(".ophiuchus/gone.json", "gone", Aggregate.VALID, continued=False)
PROBLEM = Problem("x.json", 1, 1, ProblemCode.NOT_JSON, "m")

ONE: dict[str, tuple[Aggregate, dict[str, Any], str | None]] = {
    "older drift": (Aggregate.STALE, {}, "older"),
    "valid": (Aggregate.VALID, {}, None),
    "introduced": (Aggregate.STALE, {"introduced": True}, "introduced"),
    "introduced and edited": (Aggregate.STALE, {"introduced": True, "redeclared": True}, "introduced"),
    "edited, stale as before": (Aggregate.STALE, {"redeclared": True}, "redeclared"),
    "edited, valid": (Aggregate.VALID, {"redeclared": True}, "redeclared"),
    "new, stale": (Aggregate.STALE, {"new": True, "before": None}, "added"),
    "new, valid": (Aggregate.VALID, {"new": True, "before": None}, None),
    "new, in place of a stale one": (Aggregate.STALE, {"new": True, "redeclared": True}, "redeclared"),
    "continued": (Aggregate.STALE, {"introduced": True, "continued": True}, None),
}


@pytest.mark.parametrize("case", ONE)
def test_a_capsule_stands_in_the_first_list_that_fits(case: str) -> None:
    aggregate, fields, name = ONE[case]
    one = capsule("one", aggregate, **{**OLD, **fields})
    share = share_of(report(one, base="b" * 40))
    assert share is not None
    lists = {key: getattr(share, key) for key in Share.__slots__}
    assert {key: found for key, found in lists.items() if found} == ({name: (one,)} if name else {})


def test_without_a_base_there_is_no_share() -> None:
    assert share_of(report(capsule("one", Aggregate.STALE))) is None


def test_all_that_this_change_did_leads_in_one_order() -> None:
    kinds = {
        name: capsule(name, Aggregate.STALE, **{**OLD, name: True})
        for name in ("new", "redeclared", "introduced")
    }
    found = replace(report(*kinds.values(), base="b" * 40), removed=(GONE, replace(GONE, continued=True)))
    share = share_of(found)
    assert share is not None
    assert share.leading == (kinds["introduced"], kinds["redeclared"], GONE, kinds["new"])


def test_who_made_the_change_is_told_of_what_it_did_and_not_of_older_drift() -> None:
    """The rule of the comment in mode auto; without a base it is what needs action."""
    older = capsule("older", Aggregate.STALE, **OLD)
    introduced = capsule("mine", Aggregate.STALE, **{**OLD, "introduced": True})
    edited = capsule("mine", Aggregate.VALID, **{**OLD, "redeclared": True})
    base: dict[str, Any] = {"base": "b" * 40}
    assert not is_concerning(report(older, **base))
    assert is_concerning(report(older))
    assert is_concerning(report(older, introduced, **base))
    assert is_concerning(report(older, edited, **base))
    assert is_concerning(replace(report(**base), removed=(GONE,)))
    assert is_concerning(report(older, problems=[PROBLEM], **base))
    assert is_concerning(report(older, failed={older: GateRule.STALE}, **base))
    assert not is_concerning(report(capsule("valid", Aggregate.VALID)))
    assert not is_concerning(report(**base))
