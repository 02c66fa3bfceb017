"""Nothing in a text ends the fence around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.fence import fenced, longest_backticks


@pytest.mark.parametrize(("text", "most"), [("", 0), ("a", 0), ("`a`", 1), ("```\n``", 3), ("a````b`", 4)])
def test_the_longest_run_counts(text: str, most: int) -> None:
    assert longest_backticks(text) == most


@given(st.text("`~ \na", max_size=40))
def test_only_the_last_line_closes_what_the_first_opens(text: str) -> None:
    first, *inner, last = fenced(text, "text").split("\n")
    assert first == f"{last}text"
    assert set(last) == {"`"}
    assert len(last) >= 3
    assert "\n".join(inner) == text
    assert not any(last in line for line in inner)
