"""fail_on: what it may say, and what each word matches (design §4, §5)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.negative_knowledge import ItemVerdict, Standing
from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.report.gate import (
    NothingCompared,
    UnknownGateRule,
    judge_gate,
    parse_fail_on,
    refuse_rules_about_a_change,
)
from ophiuchus.report.ledgers import BlockingFinding, CriticLedger, Ledgers
from ophiuchus.report.model import CapsuleReport, ConditionReport, GateReason, GateRule, RemovedCapsule

CapsuleMaker = Callable[..., CapsuleReport]

UNVERIFIABLE = ConditionReport(
    "vc-1", "git_paths", True, 1, Verdict.UNVERIFIABLE, None, "reason", "remedy", None, ()
)
NO_REMEDY = replace(UNVERIFIABLE, kind="declared_scope", remedy=None)
OPTIONAL = replace(UNVERIFIABLE, required=False)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("", ()),
        ("  \n", ()),
        ("stale", (GateRule.STALE,)),
        (" any , stale ", (GateRule.ANY, GateRule.STALE)),
        ("stale,,stale,", (GateRule.STALE,)),
        ("stale,\npartially_stale", (GateRule.STALE, GateRule.PARTIALLY_STALE)),
        ("stale\npartially_stale\n", (GateRule.STALE, GateRule.PARTIALLY_STALE)),
        (",".join(GateRule), tuple(GateRule)),
    ],
)
def test_a_comma_list_is_read(text: str, rules: tuple[GateRule, ...]) -> None:
    assert parse_fail_on(text) == rules


def test_an_unknown_word_names_the_allowed_ones_and_the_nearest() -> None:
    with pytest.raises(UnknownGateRule) as caught:
        parse_fail_on("stale, Partialy-Stale")
    assert "'Partialy-Stale' is no rule of fail_on; did you mean partially_stale?" in caught.value.message
    for rule in GateRule:
        assert rule in caught.value.remedy


@pytest.mark.parametrize(
    ("rule", "reads", "passed"),
    [
        (GateRule.BLOCKING_FINDINGS, True, False),
        (GateRule.ANY, True, False),
        (GateRule.STALE, True, True),
        (GateRule.ANY, False, True),
    ],
)
def test_each_finding_that_is_open_and_blocks_is_a_reason_on_its_line(
    rule: GateRule, reads: bool, passed: bool
) -> None:
    finding = BlockingFinding(7, "id", "run", "qa", "architect", "high", "text")
    critic = CriticLedger("handoffs/f.jsonl", 9, 1, (finding,), 0, (), 0, ())
    gate = judge_gate([], (rule,), ledgers=Ledgers(critic=critic if reads else None))
    assert gate.passed is passed
    expected = (GateReason(GateRule.BLOCKING_FINDINGS, "handoffs/f.jsonl", "", line=7),)
    assert gate.reasons == (() if passed else expected)


def test_a_word_near_to_nothing_gets_no_guess() -> None:
    with pytest.raises(UnknownGateRule) as caught:
        parse_fail_on("zzz")
    assert "did you mean" not in caught.value.message


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UnknownGateRule):
        assert set(parse_fail_on(text)) <= set(GateRule)


def test_a_long_word_is_not_repeated_whole() -> None:
    with pytest.raises(UnknownGateRule) as caught:
        parse_fail_on("x" * 100_000)
    assert len(caught.value.message) < 100


# What a capsule matches; `any` is everything but not_declared.
MATCHES: dict[str, tuple[Aggregate, tuple[ConditionReport, ...], dict[str, Any], set[GateRule]]] = {
    "valid": (Aggregate.VALID, (), {}, set()),
    "not declared": (Aggregate.NOT_DECLARED, (), {}, {GateRule.NOT_DECLARED}),
    "stale": (Aggregate.STALE, (), {}, {GateRule.STALE, GateRule.ANY}),
    "partially stale": (Aggregate.PARTIALLY_STALE, (), {}, {GateRule.PARTIALLY_STALE, GateRule.ANY}),
    "base absent": (Aggregate.UNVERIFIABLE, (UNVERIFIABLE,), {}, {GateRule.UNVERIFIABLE, GateRule.ANY}),
    "declared scope alone": (Aggregate.UNVERIFIABLE, (NO_REMEDY,), {}, set()),
    "optional base absent": (Aggregate.VALID, (OPTIONAL,), {}, set()),
    "stale beside base absent": (
        Aggregate.PARTIALLY_STALE,
        (UNVERIFIABLE,),
        {},
        {GateRule.PARTIALLY_STALE, GateRule.UNVERIFIABLE, GateRule.ANY},
    ),
    "stale beside a scope": (
        Aggregate.PARTIALLY_STALE,
        (NO_REMEDY,),
        {},
        {GateRule.PARTIALLY_STALE, GateRule.ANY},
    ),
    "expired": (Aggregate.VALID, (), {"expired": True}, {GateRule.EXPIRED, GateRule.ANY}),
    "introduced": (
        Aggregate.STALE,
        (),
        {"introduced": True},
        {GateRule.STALE, GateRule.INTRODUCED, GateRule.ANY},
    ),
    "redeclared": (Aggregate.VALID, (), {"redeclared": True}, {GateRule.REDECLARED, GateRule.ANY}),
    "to revalidate": (
        Aggregate.VALID,
        (),
        {"negative_knowledge": tuple(ItemVerdict(one, "rejected", one, "r") for one in Standing)},
        {GateRule.REVALIDATION_REQUIRED, GateRule.ANY},
    ),
    "nothing to revalidate": (
        Aggregate.VALID,
        (),
        {
            "negative_knowledge": tuple(
                ItemVerdict(one, "rejected", one, "r")
                for one in Standing
                if one is not Standing.REVALIDATION_REQUIRED
            )
        },
        set(),
    ),
    "nothing introduced": (Aggregate.VALID, (), {"introduced": False, "redeclared": False}, set()),
}


@pytest.mark.parametrize("rule", GateRule)
@pytest.mark.parametrize("case", MATCHES)
def test_a_rule_matches_what_it_names(capsule_report: CapsuleMaker, case: str, rule: GateRule) -> None:
    aggregate, conditions, fields, matched = MATCHES[case]
    gate = judge_gate([capsule_report(aggregate, *conditions, **fields)], (rule,))
    assert gate.passed is (rule not in matched)
    assert gate.passed is (not gate.reasons)


def test_a_continued_capsule_gates_nothing(capsule_report: CapsuleMaker) -> None:
    assert judge_gate([capsule_report(Aggregate.STALE, continued=True)], (GateRule.ANY,)).passed


def test_reasons_name_the_concrete_rule_and_the_capsule(capsule_report: CapsuleMaker) -> None:
    capsules = [
        capsule_report(Aggregate.STALE, expired=True, path="a.json", capsule_id="a"),
        capsule_report(Aggregate.VALID, path="b.json", capsule_id="b"),
    ]
    gate = judge_gate(capsules, (GateRule.ANY, GateRule.NOT_DECLARED))
    assert gate.fail_on == (GateRule.ANY, GateRule.NOT_DECLARED)
    assert gate.reasons == (
        GateReason(GateRule.STALE, "a.json", "a"),
        GateReason(GateRule.EXPIRED, "a.json", "a"),
    )


@pytest.mark.parametrize(
    ("rule", "continued", "named"),
    [
        (GateRule.REDECLARED, False, True),
        (GateRule.ANY, False, True),
        (GateRule.REDECLARED, True, False),
        (GateRule.STALE, False, False),
    ],
)
def test_a_removed_capsule_is_declared_anew(rule: GateRule, continued: bool, named: bool) -> None:
    gone = RemovedCapsule("a.json", "a", Aggregate.STALE, continued)
    gate = judge_gate([], (rule,), [gone])
    assert gate.reasons == ((GateReason(GateRule.REDECLARED, "a.json", "a"),) if named else ())
    assert gate.passed is not named


def test_without_rules_the_gate_is_open(capsule_report: CapsuleMaker) -> None:
    assert judge_gate([capsule_report(Aggregate.STALE)], ()).passed


@pytest.mark.parametrize(
    ("rules", "passed"),
    [
        ((GateRule.INTRODUCED,), False),
        ((GateRule.STALE, GateRule.REDECLARED), False),
        ((GateRule.STALE,), True),
        ((GateRule.ANY,), True),
        ((), True),
    ],
)
def test_a_rule_about_the_change_does_not_pass_unchecked(rules: tuple[GateRule, ...], passed: bool) -> None:
    gate = judge_gate([], rules, base_unknown=True)
    assert gate.passed is passed
    assert all(reason.path == reason.capsule_id == "" for reason in gate.reasons)
    assert judge_gate([], rules).passed


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("introduced", "introduced"),
        ("stale, redeclared", "redeclared"),
        ("introduced,any,redeclared", "introduced, redeclared"),
    ],
)
def test_rules_that_can_never_fire_are_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(NothingCompared) as caught:
        refuse_rules_about_a_change(parse_fail_on(text))
    assert caught.value.message.startswith(f"fail_on names {named}, ")
    assert "check" in caught.value.remedy


@pytest.mark.parametrize("text", ["", "any", "stale, not_declared"])
def test_rules_about_the_capsules_as_they_stand_are_not_refused(text: str) -> None:
    refuse_rules_about_a_change(parse_fail_on(text))
