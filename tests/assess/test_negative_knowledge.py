"""The standing of what was ruled out: every combination of state and referenced verdicts (C073)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from ophiuchus.assess.negative_knowledge import (
    NEGATIVE_KNOWLEDGE_LIMIT,
    ItemVerdict,
    Standing,
    judge_negative_knowledge,
)
from ophiuchus.assess.verdicts import ConditionVerdict, Verdict
from ophiuchus.capsule.model import parse_capsule

MISSING = "missing"
STATES = ["rejected", "superseded", "revalidated", "paused", ""]
REFERENCED = [*(verdict.value for verdict in Verdict), MISSING]


def judged(
    state: str | None, referenced: Sequence[str], *, required: bool = True, **fields: Any
) -> ItemVerdict:
    """One item that refers to one condition of each verdict given."""
    item = {"item_id": "nk", "hypothesis": "h", "why_invalid": "w", **fields}
    if state is not None:
        item["state"] = state
    item["applies_while"] = [f"vc-{number}" for number in range(len(referenced))]
    capsule = {"capsule_id": "c", "goal": "g", "state": "s", "next_action": "n", "negative_knowledge": [item]}
    conditions = [
        ConditionVerdict(f"vc-{number}", "git_paths", required, Verdict(word), "why")
        for number, word in enumerate(referenced)
        if word != MISSING
    ]
    (verdict,) = judge_negative_knowledge(parse_capsule(capsule), conditions)
    return verdict


def by_the_table(state: str, referenced: Sequence[str]) -> Standing:
    """Design §4, row by row."""
    if state in ("superseded", "revalidated"):
        return Standing.RETIRED
    if state != "rejected" or not referenced:
        return Standing.APPLICABILITY_UNKNOWN
    if {"stale", "partially_stale"} & set(referenced):
        return Standing.REVALIDATION_REQUIRED
    if {"unverifiable", MISSING} & set(referenced):
        return Standing.APPLICABILITY_UNKNOWN
    return Standing.STILL_APPLICABLE


def combinations() -> Iterator[tuple[str, tuple[str, ...]]]:
    sets = [chosen for size in range(4) for chosen in combinations_with_replacement(REFERENCED, size)]
    yield from product(STATES, sets)


@pytest.mark.parametrize(
    ("state", "referenced"),
    list(combinations()),
    ids=lambda value: value if isinstance(value, str) else "+".join(value) or "none",
)
def test_every_state_with_every_set_of_up_to_three_verdicts(state: str, referenced: tuple[str, ...]) -> None:
    assert judged(state, referenced).standing is by_the_table(state, referenced)


@pytest.mark.parametrize(
    ("state", "referenced", "standing"),
    [
        ("rejected", [MISSING], "applicability_unknown"),
        ("rejected", ["unverifiable", "stale"], "revalidation_required"),
        ("superseded", ["stale"], "retired"),
        ("paused", ["stale"], "applicability_unknown"),
        ("rejected", [], "applicability_unknown"),
        ("rejected", ["valid", "valid"], "still_applicable"),
        ("rejected", ["partially_stale", MISSING], "revalidation_required"),
        (None, ["valid"], "still_applicable"),
    ],
)
def test_the_seeds_examples(state: str | None, referenced: list[str], standing: str) -> None:
    """C073, with the default state last."""
    assert judged(state, referenced).standing == standing


def test_a_condition_that_is_not_required_counts_all_the_same() -> None:
    assert judged("rejected", ["stale"], required=False).standing is Standing.REVALIDATION_REQUIRED


def test_when_to_retry_is_never_parsed() -> None:
    assert judged("rejected", ["valid"], retry_if="always; stale").standing is Standing.STILL_APPLICABLE


def test_a_condition_named_twice_is_told_once() -> None:
    item = {"item_id": "nk", "hypothesis": "h", "why_invalid": "w", "applies_while": ["vc", "vc"]}
    capsule = {"capsule_id": "c", "goal": "g", "state": "s", "next_action": "n", "negative_knowledge": [item]}
    condition = ConditionVerdict("vc", "time_window", True, Verdict.STALE, "why")
    (verdict,) = judge_negative_knowledge(parse_capsule(capsule), [condition])
    assert verdict.reason.count("“vc”") == 1


@pytest.mark.parametrize(
    ("state", "referenced", "words"),
    [
        ("superseded", [], ["the sender calls it superseded"]),
        ("paused", ["valid"], ["“paused”", "not known"]),
        ("rejected", [], ["names no condition"]),
        ("rejected", ["valid", "stale"], ["“vc-1”", "is stale now"]),
        ("rejected", ["partially_stale"], ["“vc-0”", "is partially stale now"]),
        ("rejected", ["valid", MISSING], ["“vc-1”", "is not declared"]),
        ("rejected", ["unverifiable"], ["“vc-0”", "is unverifiable now"]),
        ("rejected", ["valid", "valid"], ["2 conditions", "still valid"]),
        ("rejected", ["stale"] * 5, ["“vc-2”", "and 2 more"]),
    ],
)
def test_the_reason_names_what_decided(state: str, referenced: list[str], words: list[str]) -> None:
    reason = judged(state, referenced).reason
    for word in words:
        assert word in reason
    if "stale" in referenced and "valid" in referenced:
        assert "“vc-0”" not in reason


def test_items_stand_in_the_capsules_order_with_the_senders_state() -> None:
    items = [
        {"item_id": name, "hypothesis": "h", "why_invalid": "w", "state": state}
        for name, state in [("b", "superseded"), ("a", "\x1b[2K")]
    ]
    capsule = {"capsule_id": "c", "goal": "g", "state": "s", "next_action": "n", "negative_knowledge": items}
    verdicts = judge_negative_knowledge(parse_capsule(capsule), [])
    assert [(one.item_id, one.state) for one in verdicts] == [("b", "superseded"), ("a", "\x1b[2K")]
    assert "\x1b" not in verdicts[1].reason


def test_the_limit_says_that_it_is_no_rule() -> None:
    assert "not a rule" in NEGATIVE_KNOWLEDGE_LIMIT
