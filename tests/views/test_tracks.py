"""What is said of a capsule beside its conditions."""

from __future__ import annotations

from typing import Any

import pytest
from built_reports import capsule, report

from ophiuchus.assess.continuity import (
    CONTINUITY_LIMIT,
    Continuity,
    ContinuityStatus,
    CountDelta,
    Delta,
    IdDelta,
    StateTransition,
)
from ophiuchus.assess.fidelity import FIDELITY_LIMIT, Consumer, FidelityVerdict, UnitVerdict
from ophiuchus.assess.negative_knowledge import NEGATIVE_KNOWLEDGE_LIMIT, ItemVerdict, Standing
from ophiuchus.assess.verdicts import VALIDITY_LIMIT, Aggregate
from ophiuchus.report.model import CapsuleReport, FidelityReport
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.views.document import Details, Document
from ophiuchus.views.inspection import compose_inspection
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.tracks import continuation, ruled_out
from ophiuchus.views.verdict import compose

NOTHING = CountDelta(0, 0, 0)
SAME = IdDelta((), (), ())


def item(name: str, standing: Standing) -> ItemVerdict:
    return ItemVerdict(name, "rejected", standing, f"because of {name}")


def delta(**fields: Any) -> Delta:
    known: dict[str, Any] = {
        **dict.fromkeys(("critical", "validity", "negative_knowledge"), SAME),
        **dict.fromkeys(("evidence", "rejected", "constraints", "open_questions"), NOTHING),
        "resolved": (),
        "transitions": (),
    }
    return Delta(**{**known, **fields})


def compared(**fields: Any) -> Continuity:
    return Continuity(ContinuityStatus.COMPARED, "old", 2, delta(**fields))


def shown(*capsules: CapsuleReport, **fields: Any) -> str:
    return render_plain(compose(report(*capsules, **fields)))


# Loud.


def test_what_is_to_be_revalidated_is_told_unfolded_whatever_the_verdict() -> None:
    calm = capsule("calm", Aggregate.VALID, negative_knowledge=(item("nk", Standing.REVALIDATION_REQUIRED),))
    notice = Notice(calm.path, NoticeCode.REVALIDATION_REQUIRED, "said by the table")
    out = shown(calm, notices=[notice])
    assert out.startswith("Nothing to do: none of 1 capsule needs action\n")
    assert "◐ 1 with something to revalidate" in out
    assert "Revalidation required: 1 item was ruled out under conditions that have changed since." in out
    assert "because of nk" in out
    assert "said by the table" not in out
    assert NEGATIVE_KNOWLEDGE_LIMIT in out


@pytest.mark.parametrize("standing", [one for one in Standing if one is not Standing.REVALIDATION_REQUIRED])
def test_no_other_standing_is_loud(standing: Standing) -> None:
    out = shown(capsule("calm", Aggregate.VALID, negative_knowledge=(item("nk", standing),)))
    assert "because of nk" not in out
    assert NEGATIVE_KNOWLEDGE_LIMIT not in out


def test_what_is_continued_is_not_loud() -> None:
    items = (item("nk", Standing.REVALIDATION_REQUIRED),)
    assert "Revalidation" not in shown(
        capsule("old", Aggregate.STALE, continued=True, negative_knowledge=items)
    )


def test_loud_rows_are_bounded() -> None:
    items = tuple(item(f"nk-{n}", Standing.REVALIDATION_REQUIRED) for n in range(10))
    many = [capsule(f"c{n:03}", Aggregate.VALID, negative_knowledge=items) for n in range(25)]
    out = shown(*many)
    assert "250 items were ruled out" in out
    assert "… and 50 more." in out


# In a capsule's details.


def test_details_tell_every_standing() -> None:
    items = tuple(item(standing.value, standing) for standing in Standing)
    out = shown(capsule("cap", Aggregate.STALE, negative_knowledge=items))
    for sign, standing in zip("✓✗?·", Standing, strict=True):
        words = standing.value.replace("_", " ")
        assert f"- {standing.value}: {sign} {words}, because of {standing.value}" in out
    assert list(ruled_out(())) == []


@pytest.mark.parametrize(
    ("continuity", "told"),
    [
        (compared(), ["Continues old: ✓ compared, 2 ancestors read", "there is nothing to compare"]),
        (
            compared(
                critical=IdDelta(("a",), ("b", "c"), ()),
                validity=IdDelta((), (), ("d",)),
                evidence=CountDelta(3, 0, 1_200),
                resolved=("u",),
                transitions=(StateTransition("nk", "rejected", "revalidated"),),
            ),
            [
                "- critical: inherited a; added b, c",
                "- validity: dropped d",
                "- evidence: 3 carried over, 1,200 absent here",
                "- resolved: u",
                "- nk: from rejected to revalidated",
            ],
        ),
        (Continuity(ContinuityStatus.GONE, "old", 0), ["Continues old: ? gone, 0 ancestors read"]),
        (Continuity(ContinuityStatus.CYCLE, "old", 0), ["Continues old: ✗ cycle"]),
        (
            Continuity(ContinuityStatus.BOUNDED, "old", 10, delta()),
            ["Continues old: ? bounded, 10 ancestors"],
        ),
    ],
)
def test_continuity_is_told_folded_with_its_limit(continuity: Continuity, told: list[str]) -> None:
    found = shown(capsule("cap", Aggregate.STALE, continuity=continuity))
    for words in told:
        assert words in found
    assert CONTINUITY_LIMIT in found
    (block,) = continuation(continuity)
    assert isinstance(block, Details)


def test_a_capsule_that_continues_none_says_nothing_of_it() -> None:
    out = shown(capsule("cap", Aggregate.STALE))
    assert "Continues" not in out
    assert CONTINUITY_LIMIT not in out
    assert VALIDITY_LIMIT in out


# One inspected capsule.


def inspected(made: CapsuleReport, **fields: Any) -> str:
    return render_plain(compose_inspection(report(made, **fields)))


def track(consumer: Consumer | None) -> FidelityReport:
    units = (
        UnitVerdict("u1", "goal", FidelityVerdict.PRESERVED, "whole"),
        UnitVerdict("u2", "moods", FidelityVerdict.UNSUPPORTED, "not known"),
    )
    return FidelityReport(consumer, 1, units)


def test_inspection_tells_all_four_tracks_with_their_limits() -> None:
    out = inspected(
        capsule(
            "cap",
            Aggregate.VALID,
            fidelity=(track(Consumer.CODEX), track(None)),
            negative_knowledge=(item("nk", Standing.RETIRED),),
            continuity=compared(validity=IdDelta((), ("vc",), ())),
        )
    )
    assert out.startswith("cap: ✓ valid\n\nTitle of cap\n")
    for words in (
        "- nk: · retired, because of nk",
        "Fidelity to codex: 1 of 2 critical units whole",
        "Fidelity to whoever receives it: 1 of 2 critical units whole",
        "- u1 at goal: ✓ preserved, whole",
        "- u2 at moods: ✗ unsupported, not known",
        "- validity: added vc",
    ):
        assert words in out
    for limit in (VALIDITY_LIMIT, FIDELITY_LIMIT, NEGATIVE_KNOWLEDGE_LIMIT, CONTINUITY_LIMIT):
        assert limit in out


def test_inspection_shows_limits_of_what_it_tells_only() -> None:
    out = inspected(capsule("cap", Aggregate.VALID, fidelity=(FidelityReport(Consumer.CODEX, 0, ()),)))
    assert "Fidelity to codex: nothing is critical" in out
    assert VALIDITY_LIMIT in out
    for limit in (FIDELITY_LIMIT, NEGATIVE_KNOWLEDGE_LIMIT, CONTINUITY_LIMIT):
        assert limit not in out


def test_inspection_tells_problems_and_notices() -> None:
    made = capsule("cap", Aggregate.VALID)
    problem = Problem(made.path, 3, 1, ProblemCode.DUPLICATE_ID, "is there twice")
    notice = Notice(made.path, NoticeCode.UNKNOWN_KEY, "holds a surprise")
    out = inspected(made, problems=[problem], notices=[notice])
    assert "is there twice" in out
    assert "holds a surprise" in out
    alone = render_plain(compose_inspection(report(problems=[problem])))
    assert "is there twice" in alone
    assert isinstance(compose_inspection(report()), Document)
