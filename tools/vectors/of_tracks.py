"""Vectors about negative knowledge, fidelity and continuity (design §4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vectors.history import History
from vectors.vector import FUTURE, PAST, Vector, capsule, committed, deadline, found, paths

_PAST, _AHEAD = deadline(PAST, condition_id="past"), deadline(FUTURE, condition_id="ahead")
_SCOPE = {"condition_id": "scope", "kind": "declared_scope", "scope": "x"}
_STANDINGS = {
    "superseded": (["past"], "superseded", "retired"),
    "revalidated": (["past"], "revalidated", "retired"),
    "odd-state": (["past"], "paused", "applicability_unknown"),
    "nothing-named": ([], "rejected", "applicability_unknown"),
    "named-stale": (["past", "scope"], "rejected", "revalidation_required"),
    "named-partly": (["partly"], "rejected", "revalidation_required"),
    "named-unverifiable": (["ahead", "scope"], "rejected", "applicability_unknown"),
    "named-missing": (["ahead", "nowhere"], "rejected", "applicability_unknown"),
    "named-valid": (["ahead"], "rejected", "still_applicable"),
}


def vectors() -> Iterator[Vector]:
    """All of them."""
    yield _standings()
    yield _fidelity()
    yield _statuses()
    yield _too_many_hops()
    yield _delta()
    yield from _continued()


def _item(item_id: str, state: str = "rejected", applies_while: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "item_id": item_id, "hypothesis": "h", "why_invalid": "w", "state": state,
        "applies_while": list(applies_while),
    }  # fmt: skip


def _standings() -> Vector:
    history = History()
    base = history.commit({"a": "1", "b": "1"})
    partly = paths("a", "b", base=base, condition_id="partly")
    items = [_item(name, state, tuple(named)) for name, (named, state, _) in _STANDINGS.items()]
    without_state = {**_item("no-state", applies_while=("ahead",))}
    del without_state["state"]
    text = capsule("items", _PAST, _AHEAD, _SCOPE, partly, negative_knowledge=[*items, without_state])
    history.commit({"a": "2", **committed(text)})
    told = [{"item_id": name, "standing": standing} for name, (_, _, standing) in _STANDINGS.items()]
    return Vector(
        name="standings",
        rules=(
            "retired", "unknown-state", "nothing-named", "revalidation-required", "named-not-known",
            "still-applicable", "default-state",
        ),
        says="The first rule that applies; no standing is partial.",
        history=history,
        expect={
            "capsules": [
                found(
                    "items",
                    negative_knowledge=[*told, {"item_id": "no-state", "standing": "still_applicable"}],
                )
            ],
            "totals": {"revalidation_required": 1},
        },
    )  # fmt: skip


def _fidelity() -> Vector:
    units = [
        {"unit_id": "the-goal", "kind": "goal"},
        {"unit_id": "the-evidence", "kind": "evidence", "index": 0},
        {"unit_id": "the-mood", "kind": "mood"},
    ]
    history = History()
    history.commit(committed(capsule("units", evidence=["e"], critical=units)))
    told = [
        {"unit_id": "the-evidence", "verdict": "unsupported"},
        {"unit_id": "the-mood", "verdict": "unsupported"},
    ]
    return Vector(
        name="fidelity",
        rules=("preserved", "unknown-critical-kind", "no-place"),
        says="A job summary has a place for the goal and none for evidence; it counts what is whole and "
        "lists what is not.",
        history=history,
        expect={
            "capsules": [found("units", fidelity=[{"consumer": "summary", "preserved": 1, "units": told}])]
        },
    )


def _statuses() -> Vector:
    history = History()
    history.commit(
        committed(
            capsule("alone"),
            capsule("child", parent_capsule_id="ALONE"),
            capsule("orphan", parent_capsule_id="nobody"),
            capsule("grandchild", parent_capsule_id="orphan"),
            capsule("ring-1", parent_capsule_id="ring-2"),
            capsule("ring-2", parent_capsule_id="ring-1"),
            capsule("itself", parent_capsule_id="itself"),
        )
    )

    def status(word: str) -> dict[str, Any]:
        return {"continuity": {"status": word}}

    return Vector(
        name="continuity-status",
        rules=("no-parent", "compared", "gone", "cycle", "delta-when-read"),
        says="None without a parent; else the first of cycle, gone, bounded and compared.",
        history=history,
        expect={
            "capsules": [
                found("alone", **status("none")),
                found("child", **status("compared")),
                found("orphan", continuity={"status": "gone", "parent_capsule_id": "nobody", "delta": None}),
                found("grandchild", continuity={"status": "gone", "delta": {"resolved": []}}),
                found("ring-1", **status("cycle")),
                found("ring-2", **status("cycle")),
                found("itself", **status("cycle")),
            ]
        },
    )


def _too_many_hops() -> Vector:
    history = History()
    line = [capsule("g00"), *(capsule(f"g{n:02}", parent_capsule_id=f"g{n - 1:02}") for n in range(1, 13))]
    history.commit(committed(*line))
    statuses = ["none", *["compared"] * 10, "bounded", "bounded"]
    return Vector(
        name="hops",
        rules=("bounded",),
        says="At most ten ancestors are walked over.",
        history=history,
        expect={
            "capsules": [
                found(f"g{number:02}", continuity={"status": word}) for number, word in enumerate(statuses)
            ]
        },
    )


def _delta() -> Vector:
    history = History()
    units = [{"unit_id": "old-goal", "kind": "goal"}, {"unit_id": "both", "kind": "state"}]
    newer = [{"unit_id": "new-goal", "kind": "goal", "supersedes": "old-goal"}, units[1]]
    history.commit(
        committed(
            capsule(
                "parent", _PAST, _AHEAD,
                critical=units,
                negative_knowledge=[_item("turned"), _item("left")],
                evidence=["kept", "left", "left"], constraints=["kept"],
            ),
            capsule(
                "child", _AHEAD, _SCOPE,
                parent_capsule_id="parent", critical=newer,
                negative_knowledge=[_item("turned", "superseded"), _item("came")],
                evidence=["kept", "came"], open_questions=["came"],
            ),
        )
    )  # fmt: skip
    delta = {
        "critical": {"inherited": ["both"], "added": ["new-goal"], "dropped": ["old-goal"]},
        "validity": {"inherited": ["ahead"], "added": ["scope"], "dropped": ["past"]},
        "negative_knowledge": {"inherited": ["turned"], "added": ["came"], "dropped": ["left"]},
        "evidence": {"carried_over": 1, "added": 1, "absent_here": 2},
        "rejected": {"carried_over": 0, "added": 0, "absent_here": 0},
        "constraints": {"carried_over": 0, "added": 0, "absent_here": 1},
        "open_questions": {"carried_over": 0, "added": 1, "absent_here": 0},
        "resolved": ["old-goal"],
        "transitions": [{"item_id": "turned", "before": "rejected", "after": "superseded"}],
    }
    return Vector(
        name="delta",
        rules=("id-delta", "count-delta", "resolved", "state-transition"),
        says="Ids where there are ids, counts only where there are bare texts.",
        history=history,
        expect={
            "capsules": [
                found("parent"),
                found("child", continuity={"status": "compared", "hops": 1, "delta": delta}),
            ]
        },
    )


def _continued() -> Iterator[Vector]:
    history = History()
    history.commit(
        committed(
            capsule("old", _PAST),
            capsule("new", _AHEAD, parent_capsule_id="old"),
            capsule("kept", _PAST),
            capsule("says-nothing", parent_capsule_id="kept"),
        )
    )
    for scope, continued in (("live", True), ("all", False)):
        yield Vector(
            name=f"continued-{scope}",
            rules=("continued", f"scope-{scope}"),
            says="A child that declares something required continues its parent; in scope all none does.",
            history=history,
            scope=scope,
            expect={
                "capsules": [
                    found("old", "stale", continued=continued),
                    found("new", "valid", continued=False),
                    found("kept", "stale", continued=False),
                    found("says-nothing", "not_declared", continued=False),
                ],
                "totals": {"capsules": 4, "continued": int(continued), "needs_action": 1 + (not continued)},
            },
        )
