"""Continued capsules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ophiuchus.assess.continuity import continued_ids
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
    ],
)
def test_a_child_with_a_parent_that_is_here_and_a_line_that_ends_continues_it(
    lines: list[tuple[str, str | None]], continued: set[str]
) -> None:
    """C094 among others."""
    assert continued_ids(capsules(*lines)) == continued


@pytest.mark.parametrize("validity", [[], [OPTIONAL]])
def test_a_child_that_requires_nothing_does_not_silence_its_parent(validity: list[dict[str, Any]]) -> None:
    assert continued_ids(capsules(("a", None), ("b", "a"), validity=validity)) == frozenset()


def test_a_long_line_is_walked_once() -> None:
    line = [(f"c{n}", f"c{n + 1}" if n < 9_999 else None) for n in range(10_000)]
    assert len(continued_ids(capsules(*line))) == 9_999
