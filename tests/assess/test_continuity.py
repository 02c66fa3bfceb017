"""Continuity: the walk over the ancestors, the delta against the parent, and continued capsules."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.continuity import (
    CONTINUITY_LIMIT,
    MOST_HOPS,
    Continuity,
    ContinuityStatus,
    CountDelta,
    Delta,
    IdDelta,
    Lineage,
    StateTransition,
)
from ophiuchus.capsule.model import Capsule, parse_capsule

REQUIRED = {"condition_id": "vc", "kind": "declared_scope", "scope": "x"}
OPTIONAL = {**REQUIRED, "required": False}


def capsules(
    *lines: tuple[str, str | None], validity: Sequence[dict[str, Any]] = (REQUIRED,)
) -> list[Capsule]:
    fields = {"goal": "g", "state": "s", "next_action": "n", "validity": list(validity)}
    return [
        parse_capsule({"capsule_id": capsule_id, "parent_capsule_id": parent, **fields})
        for capsule_id, parent in lines
    ]


@pytest.mark.parametrize(
    ("lines", "continued"),
    [
        ([("a", None)], set()),
        ([("a", None), ("b", "a")], {"a"}),
        ([("a", None), ("b", "a"), ("c", "b")], {"a", "b"}),
        ([("b", "gone")], set()),
        ([("Cap-A", None), ("b", "cap-a")], {"Cap-A"}),
        ([("a", "a")], set()),
        ([("a", "b"), ("b", "a")], set()),
        ([("a", "b"), ("b", "a"), ("c", "a")], set()),
        ([("a", "a"), ("x", None), ("y", "x")], {"x"}),
        # who has an id that another has too neither continues nor is continued
        ([("a", None), ("A", None), ("b", "a")], set()),
        ([("a", None), ("b", "a"), ("B", "a")], set()),
        ([("a", None), ("b", "a"), ("b", None), ("c", "a")], {"a"}),
    ],
)
def test_a_child_with_a_parent_that_is_here_and_a_line_that_ends_continues_it(
    lines: list[tuple[str, str | None]], continued: set[str]
) -> None:
    """C094 among others."""
    assert Lineage(capsules(*lines)).continued() == continued


@pytest.mark.parametrize("validity", [[], [OPTIONAL]])
def test_a_child_that_requires_nothing_does_not_silence_its_parent(validity: list[dict[str, Any]]) -> None:
    assert Lineage(capsules(("a", None), ("b", "a"), validity=validity)).continued() == frozenset()


def test_a_long_line_is_walked_once() -> None:
    line = [(f"c{n}", f"c{n + 1}" if n < 9_999 else None) for n in range(10_000)]
    assert len(Lineage(capsules(*line)).continued()) == 9_999


# The walk.


def chain(length: int) -> list[tuple[str, str | None]]:
    """p1 continues p2, and so on; the last one has no parent."""
    return [(f"p{n}", f"p{n + 1}" if n < length else None) for n in range(1, length + 1)]


def walked(lines: Sequence[tuple[str, str | None]], capsule_id: str) -> tuple[str, int, bool]:
    """Status, hops, and whether there is a delta."""
    made = capsules(*lines)
    found = Lineage(made).continuity(next(one for one in made if one.capsule_id == capsule_id))
    return found.status.value, found.hops, found.delta is not None


@pytest.mark.parametrize(
    ("lines", "capsule_id", "expected"),
    [
        ([("a", None)], "a", ("none", 0, False)),
        ([("a", "gone")], "a", ("gone", 0, False)),
        ([("a", "b"), ("b", None)], "a", ("compared", 1, True)),
        ([("a", "B"), ("b", None)], "a", ("compared", 1, True)),
        ([("a", "b"), ("b", "gone")], "a", ("gone", 1, True)),
        ([("a", "a")], "a", ("cycle", 0, False)),
        ([("a", "A")], "a", ("cycle", 0, False)),
        ([("a", "b"), ("b", "a")], "a", ("cycle", 1, True)),
        ([("a", "b"), ("b", "c"), ("c", "b")], "a", ("cycle", 2, True)),
        (chain(11), "p1", ("compared", 10, True)),
        (chain(12), "p1", ("bounded", 10, True)),
        (chain(12), "p2", ("compared", 10, True)),
        ([*chain(15)[:-1], ("p15", "p16")], "p1", ("bounded", 10, True)),
        ([*chain(15)[:-1], ("p15", "p16")], "p5", ("gone", 10, True)),
        ([*chain(15)[:-1], ("p15", "p16")], "p6", ("gone", 9, True)),
        ([*chain(15)[:-1], ("p15", "p16")], "p15", ("gone", 0, False)),
        ([*chain(11)[:-1], ("p11", "p1")], "p1", ("cycle", 10, True)),
        ([*chain(12)[:-1], ("p12", "p1")], "p1", ("bounded", 10, True)),
        ([("a", "b"), ("b", None), ("B", None)], "a", ("gone", 0, False)),
        ([("a", "b"), ("b", None), ("a", None)], "a", ("compared", 1, True)),
        ([("a", "b"), ("b", "c"), ("c", None), ("C", "b")], "a", ("gone", 1, True)),
    ],
)
def test_the_walk_ends_as_the_table_says(
    lines: list[tuple[str, str | None]], capsule_id: str, expected: tuple[str, int, bool]
) -> None:
    """C094: cycles, chains that are too long, gone parents, and ids that two capsules share."""
    assert walked(lines, capsule_id) == expected


@given(st.lists(st.sampled_from([None, *range(16)]), min_size=1, max_size=14))
def test_any_graph_of_parents_ends_the_first_way_that_applies(parents: list[int | None]) -> None:
    """Cycle before gone before bounded before compared, by an oracle that walks without limit."""
    named = [(f"c{n}", None if parent is None else f"c{parent}") for n, parent in enumerate(parents)]
    made = capsules(*named)
    lineage = Lineage(made)
    for number, capsule in enumerate(made):
        line, at = [number], parents[number]
        while at is not None and at < len(parents) and at not in line:
            line.append(at)
            at = parents[at]
        ancestors = len(line) - 1
        if parents[number] is None:
            status = ContinuityStatus.NONE
        elif ancestors > MOST_HOPS:
            status = ContinuityStatus.BOUNDED
        elif at is None:
            status = ContinuityStatus.COMPARED
        else:
            status = ContinuityStatus.CYCLE if at in line else ContinuityStatus.GONE
        found = lineage.continuity(capsule)
        assert (found.status, found.hops) == (status, min(ancestors, MOST_HOPS))
        assert (found.delta is not None) == (found.hops > 0)
        assert found.parent_capsule_id == capsule.parent_capsule_id


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "B", "c", "d", "e"]),
            st.sampled_from([None, "A", "b", "c", "D", "e", "gone"]),
            st.sampled_from([(), (OPTIONAL,), (REQUIRED,)]),
        ),
        max_size=6,
    )
)
def test_who_is_continued_is_what_a_walk_from_each_child_tells(
    made: list[tuple[str, str | None, tuple[dict[str, Any], ...]]],
) -> None:
    """The reckoning over all of them at once against one child after the other, line by line."""
    ids = [capsule_id.casefold() for capsule_id, _, _ in made]
    spelled = {one.casefold(): one for one, _, _ in made if ids.count(one.casefold()) == 1}
    parents = {one.casefold(): (parent or "").casefold() for one, parent, _ in made}
    continued = set()
    for capsule_id, _, validity in made:
        at, line = capsule_id.casefold(), set[str]()
        while at in spelled and at not in line:
            line.add(at)
            at = parents[at]
        parent = parents[capsule_id.casefold()]
        if at not in line and {capsule_id.casefold(), parent} <= spelled.keys() and REQUIRED in validity:
            continued.add(spelled[parent])
    built = [capsules((one, parent), validity=validity)[0] for one, parent, validity in made]
    assert Lineage(built).continued() == continued


def test_a_capsule_that_is_not_among_them_is_compared_all_the_same() -> None:
    (child,) = capsules(("new", "a"))
    assert Lineage(capsules(("a", None))).continuity(child).status is ContinuityStatus.COMPARED


# The delta.


def with_fields(capsule_id: str, parent: str | None = None, **fields: Any) -> Capsule:
    known = {"goal": "g", "state": "s", "next_action": "n"}
    return parse_capsule({"capsule_id": capsule_id, "parent_capsule_id": parent, **known, **fields})


def delta(parent: dict[str, Any], child: dict[str, Any]) -> Delta:
    one, other = with_fields("parent", **parent), with_fields("child", "parent", **child)
    found = Lineage([one, other]).continuity(other).delta
    assert found is not None
    return found


ITEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "critical": ("unit_id", {"kind": "goal"}),
    "validity": ("condition_id", {"kind": "declared_scope", "scope": "x"}),
    "negative_knowledge": ("item_id", {"hypothesis": "h", "why_invalid": "w"}),
}
TEXTS = ["evidence", "rejected", "constraints", "open_questions"]


@pytest.mark.parametrize("field", ITEMS)
@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        ("", "", ("", "", "")),
        ("ab", "", ("", "", "ab")),
        ("", "ab", ("", "ab", "")),
        ("ab", "ab", ("ab", "", "")),
        ("abc", "cdb", ("cb", "d", "a")),
        ("a", "A", ("", "A", "a")),
    ],
)
def test_items_with_ids_are_told_apart_by_id(
    field: str, parent: str, child: str, expected: tuple[str, str, str]
) -> None:
    key, more = ITEMS[field]
    found = delta(
        {field: [{key: letter, **more} for letter in parent]},
        {field: [{key: letter, **more} for letter in child]},
    )
    assert getattr(found, field) == IdDelta(*map(tuple, expected))
    assert all(getattr(found, other) == IdDelta((), (), ()) for other in ITEMS if other != field)


@pytest.mark.parametrize("field", TEXTS)
@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        ("", "", (0, 0, 0)),
        ("ab", "", (0, 0, 2)),
        ("", "ab", (0, 2, 0)),
        ("ab", "ba", (2, 0, 0)),
        ("aab", "abb", (2, 1, 1)),
        ("a", "A", (0, 1, 1)),
    ],
)
def test_bare_texts_are_counted_and_never_named(
    field: str, parent: str, child: str, expected: tuple[int, int, int]
) -> None:
    found = delta({field: list(parent)}, {field: list(child)})
    assert getattr(found, field) == CountDelta(*expected)
    assert all(getattr(found, other) == CountDelta(0, 0, 0) for other in TEXTS if other != field)


@pytest.mark.parametrize(
    ("supersedes", "resolved"),
    [
        ([None], ()),
        (["u1"], ("u1",)),
        (["u9"], ()),
        (["U1"], ()),
        (["u2", "u1", "u2"], ("u2", "u1")),
    ],
)
def test_a_unit_resolves_what_it_supersedes_if_the_parent_has_it(
    supersedes: list[str | None], resolved: tuple[str, ...]
) -> None:
    found = delta(
        {"critical": [{"unit_id": "u1", "kind": "goal"}, {"unit_id": "u2", "kind": "state"}]},
        {
            "critical": [
                {"unit_id": f"n{number}", "kind": "goal", "supersedes": one}
                for number, one in enumerate(supersedes)
            ]
        },
    )
    assert found.resolved == resolved


@pytest.mark.parametrize("before", ["rejected", "superseded", "revalidated", "paused"])
@pytest.mark.parametrize("after", ["rejected", "superseded", "revalidated", "paused", None])
def test_a_state_that_is_another_one_is_a_transition(before: str, after: str | None) -> None:
    item = {"item_id": "nk", "hypothesis": "h", "why_invalid": "w"}
    child = [] if after is None else [{**item, "state": after}]
    found = delta({"negative_knowledge": [{**item, "state": before}]}, {"negative_knowledge": child})
    moved = after is not None and after != before
    assert found.transitions == ((StateTransition("nk", before, str(after)),) if moved else ())


def test_only_the_immediate_parent_is_compared_with() -> None:
    oldest = with_fields("a", evidence=["x", "y"])
    parent = with_fields("b", "a", evidence=["x"])
    child = with_fields("c", "b", evidence=["x", "y"])
    found = Lineage([oldest, parent, child]).continuity(child)
    assert found.hops == 2
    assert found.delta is not None
    assert found.delta.evidence == CountDelta(1, 1, 0)


def test_no_text_of_a_capsule_is_in_a_delta() -> None:
    found = delta({field: ["SECRET one"] for field in TEXTS}, {field: ["SECRET two"] for field in TEXTS})
    assert "SECRET" not in repr(found)


# What it costs.


def shaped(shape: str, number: int) -> list[Capsule]:
    chain: list[int | None] = [*range(1, number), None]
    star: list[int | None] = [None, *[0] * (number - 1)]
    parents = chain if shape == "chain" else star
    return capsules(
        *((f"c{n}", None if parent is None else f"c{parent}") for n, parent in enumerate(parents))
    )


@pytest.mark.parametrize("shape", ["chain", "star"])
def test_ten_thousand_capsules_take_a_moment(shape: str) -> None:
    made = shaped(shape, 10_000)
    gc.collect()
    started = time.process_time()
    lineage = Lineage(made)
    found = [lineage.continuity(capsule) for capsule in made]
    assert time.process_time() - started < 5
    hops = sum(one.hops for one in found)
    assert hops == (10 * 9_990 + sum(range(10)) if shape == "chain" else 9_999)


def test_a_parents_long_lists_are_not_counted_for_every_child() -> None:
    """A star whose middle is as large as a file may be."""
    texts = [f"{n:06}" for n in range(20_000)]
    middle = with_fields("c0", evidence=texts)
    children = [with_fields(f"c{n}", "c0", evidence=texts[:1]) for n in range(1, 2_000)]
    lineage = Lineage([middle, *children])
    started = time.process_time()
    deltas = [lineage.continuity(child).delta for child in children]
    assert time.process_time() - started < 2
    assert all(one and one.evidence == CountDelta(1, 0, 19_999) for one in deltas)


def test_a_capsule_without_a_parent_says_nothing_else() -> None:
    assert Lineage([]).continuity(with_fields("a")) == Continuity(ContinuityStatus.NONE)


def test_the_limit_says_that_it_is_no_history() -> None:
    assert "no history" in CONTINUITY_LIMIT
