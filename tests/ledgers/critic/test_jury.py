"""Reconciliation, scores, rework, models: DEC-0104's arithmetic."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from critic_rows import finding
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.ledgers.critic.finding import Lens, Severity
from ophiuchus.ledgers.critic.issue_key import EMPTY_KEY, compute_issue_key
from ophiuchus.ledgers.critic.jury import ReconcileFailed, reconcile_findings
from ophiuchus.ledgers.critic.models import OPPOSITE, select_critic_model
from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.critic.rework import Decision, Rework, decide_rework
from ophiuchus.ledgers.critic.rubric import CHECKS, UnknownCheck, aggregate, clamped_score, score_lens
from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.settings import LedgerSettings, Tier

COMPAT, STRICT = Profile.COMPAT, Profile.STRICT


def raw(number: int, lens: str, text: str, **fields: Any) -> dict[str, Any]:
    return finding(number, lens=lens, finding_text=text, issue_key=..., single_finder=..., **fields)


def test_two_lenses_that_say_the_same_agree_and_neither_voice_is_lost() -> None:
    rows = [
        raw(1, "challenger", "Race on append!", anti_slop_score=8, severity="low"),
        raw(2, "architect", "race on append", anti_slop_score=2, blocking=True, severity="critical"),
        raw(3, "subtractor", "Another thing", anti_slop_score=5),
    ]
    found = reconcile_findings(rows, STRICT)
    assert [(one["confidence"], one["single_finder"]) for one in found.findings] == [
        ("high", False),
        ("high", False),
        ("medium", True),
    ]
    for before, after in zip(rows, found.findings, strict=True):
        kept = ("finding_text", "anti_slop_score", "blocking", "lens", "finding_id")
        assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    agreed, single = found.agreements
    assert (agreed.agreed, agreed.lenses) == (True, (Lens.CHALLENGER, Lens.ARCHITECT))
    assert (agreed.blocking, agreed.score, agreed.severity) == (True, 2, Severity.CRITICAL)
    assert (single.agreed, single.blocking) == (False, False)


def test_one_lens_that_says_it_twice_does_not_agree_with_itself() -> None:
    rows = [raw(1, "challenger", "Race"), raw(2, "challenger", "race")]
    (one,) = reconcile_findings(rows, STRICT).agreements
    assert (one.agreed, len(one.findings)) == (False, 2)


def test_c119_texts_that_normalise_to_nothing_are_never_one_issue() -> None:
    rows = [raw(1, "challenger", "!!!"), raw(2, "architect", "...")]
    found = reconcile_findings(rows, STRICT)
    assert [one.agreed for one in found.agreements] == [False, False]
    assert {one["issue_key"] for one in found.findings} == {EMPTY_KEY}


def test_a_key_written_by_hand_counts_in_compat_only() -> None:
    rows = [
        finding(1, issue_key="ik_by_hand", finding_text="Race"),
        finding(2, issue_key="ik_by_hand", finding_text="Other", lens="architect"),
    ]
    assert [one.issue_key for one in reconcile_findings(rows, COMPAT).agreements] == ["ik_by_hand"]
    assert [one.issue_key for one in reconcile_findings(rows, STRICT).agreements] == [
        compute_issue_key("Race"),
        compute_issue_key("Other"),
    ]


@pytest.mark.parametrize("bad", [{"lens": "poet"}, {"finding_text": ...}, {"blocking": 1}])
def test_reconcile_failed_where_one_of_them_is_no_finding(bad: dict[str, Any]) -> None:
    with pytest.raises(ReconcileFailed, match=f"{CriticReason.RECONCILE_FAILED}: finding 2 "):
        reconcile_findings([finding(1), finding(2, **bad)], COMPAT)


@given(
    st.lists(
        st.tuples(st.sampled_from(list(Lens)), st.sampled_from(["a", "A!", "b", "..", "?"]), st.booleans())
    )
)
def test_no_finding_is_dropped_and_a_blocking_one_blocks_its_issue(
    rows: list[tuple[Lens, str, bool]],
) -> None:
    findings = [
        raw(number, lens.value, text, blocking=blocks) for number, (lens, text, blocks) in enumerate(rows)
    ]
    found = reconcile_findings(findings, STRICT)
    assert [one["finding_id"] for one in found.findings] == [one["finding_id"] for one in findings]
    assert sum(len(one.findings) for one in found.agreements) == len(rows)
    blocking = {row["finding_id"] for one in found.agreements if one.blocking for row in one.findings}
    assert {one["finding_id"] for one in findings if one["blocking"]} <= blocking


@pytest.mark.parametrize("lens", Lens)
def test_c088_no_to_four_hits_are_worth_0_2_5_8_10(lens: Lens) -> None:
    names = list(CHECKS[lens])
    assert len(names) == 4
    assert [score_lens(lens, dict.fromkeys(names[:hits], True)) for hits in range(5)] == [0, 2, 5, 8, 10]
    assert score_lens(lens, dict.fromkeys(names, False)) == 0


def test_a_hit_for_another_lens_is_refused() -> None:
    with pytest.raises(UnknownCheck):
        score_lens(Lens.CHALLENGER, {"yagni_applied": True})


@pytest.mark.parametrize(("reported", "ceiling", "score"), [(10, 5, 5), (3, 5, 3), (-1, 5, 0)])
def test_a_critic_may_score_below_its_hits_never_above(reported: int, ceiling: int, score: int) -> None:
    assert clamped_score(reported, ceiling) == score


def test_the_aggregate_is_the_least_and_nothing_has_none() -> None:
    assert aggregate([7, 3, 9]) == 3
    assert aggregate([]) is None


def phase(*rows: tuple[int, int, bool], **fields: Any) -> list[dict[str, Any]]:
    """Rows by their generation, score, and whether they are open and block."""
    return [
        finding(number, rework_generation=generation, anti_slop_score=score, blocking=blocking, **fields)
        for number, (generation, score, blocking) in enumerate(rows)
    ]


def decide(rows: list[dict[str, Any]], profile: Profile = STRICT, **settings: int) -> Rework:
    values = {"threshold": 6, "rework_max": 2, **settings}
    return decide_rework(rows, "auto-20260628-01", "execute", profile=profile, **values)


@pytest.mark.parametrize(
    ("rows", "words", "reason"),
    [
        ([(0, 6, True)], "pass", None),
        ([(0, 5, False)], "pass", None),
        ([(0, 5, True)], "rework 1 of 2", CriticReason.ANTISLOP_FAIL),
        ([(0, 9, True), (0, 5, False)], "rework 1 of 2", CriticReason.ANTISLOP_FAIL),
        ([(0, 5, False), (0, 9, True)], "rework 1 of 2", CriticReason.ANTISLOP_FAIL),
        ([(0, 5, True), (1, 9, True)], "pass", None),
        ([(0, 5, True), (1, 5, True)], "rework 2 of 2", CriticReason.ANTISLOP_FAIL),
        ([(1, 5, True), (2, 5, True)], "cap exhausted", CriticReason.REWORK_CAP_EXHAUSTED),
    ],
)
def test_rework_by_the_letter_allows_as_many_as_the_setting_says(
    rows: list[tuple[int, int, bool]], words: str, reason: CriticReason | None
) -> None:
    decided = decide(phase(*rows))
    assert (decided.words, decided.reason) == (words, reason)


def test_rework_in_compat_tests_after_it_has_counted() -> None:
    assert decide(phase((0, 5, True)), COMPAT).words == "rework 1 of 1"
    assert decide(phase((1, 5, True)), COMPAT).decision is Decision.CAP_EXHAUSTED
    assert decide(phase((0, 5, True)), COMPAT, rework_max=0).decision is Decision.CAP_EXHAUSTED


def test_rework_counts_its_own_run_and_phase_only() -> None:
    others = phase((2, 0, True), orchestrator_run_id="other") + phase((2, 0, True), phase_id="qa")
    assert decide(phase((0, 7, False)) + others) == Rework(Decision.PASS, None, 7, 0, 0, 2)


def test_what_was_closed_blocks_nothing() -> None:
    assert decide(phase((0, 0, True), status="waived")).decision is Decision.PASS


CATALOG = LedgerSettings(
    use_catalog=True,
    catalog={Tier.STRONG: ("big-1", "big-2"), Tier.BALANCED: ("mid",), Tier.CHEAP: ("small",)},
)


@pytest.mark.parametrize(
    ("producer", "tier", "critic"),
    [
        ("fast", Tier.CHEAP, "inherit"),
        ("FAST ", Tier.CHEAP, "inherit"),
        ("inherit", Tier.BALANCED, "fast"),
        ("", Tier.BALANCED, "fast"),
        ("none", Tier.BALANCED, "fast"),
        ("vendor-model-4", Tier.STRONG, "fast"),
    ],
)
def test_without_a_catalog_the_aliases_oppose_each_other(producer: str, tier: Tier, critic: str) -> None:
    choice = select_critic_model(producer, LedgerSettings())
    assert (choice.producer_tier, choice.critic_model_id) == (tier, critic)
    assert choice.critic_tier is OPPOSITE[tier]
    assert not choice.degraded
    assert choice.reason is None


@pytest.mark.parametrize(
    ("producer", "critic"), [("big-1", "small"), ("mid", "small"), ("small", "big-1"), ("unknown", "small")]
)
def test_the_catalog_gives_tiers_and_models(producer: str, critic: str) -> None:
    assert select_critic_model(producer, CATALOG).critic_model_id == critic


def test_critic_model_unavailable_where_the_catalog_has_none_of_the_tier() -> None:
    choice = select_critic_model("big-1", replace(CATALOG, catalog={Tier.STRONG: ("big-1",)}))
    assert (choice.critic_model_id, choice.degraded) == ("big-1", True)
    assert choice.reason is CriticReason.CRITIC_MODEL_UNAVAILABLE


def test_model_collision_where_the_producer_is_all_there_is() -> None:
    choice = select_critic_model(
        "Only", replace(CATALOG, catalog={Tier.STRONG: ("only",), Tier.CHEAP: ("only ",)})
    )
    assert (choice.degraded, choice.reason) == (True, CriticReason.MODEL_COLLISION)


def test_degraded_mode_where_the_producer_is_wanted_as_its_own_critic() -> None:
    choice = select_critic_model("big-1", CATALOG, wanted="BIG-1")
    assert (choice.degraded, choice.reason) == (True, CriticReason.DEGRADED_MODE)
    assert select_critic_model("big-1", CATALOG, wanted="big-2").critic_model_id == "big-2"
