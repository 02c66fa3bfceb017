"""Keys of decisions are those that the original computes."""

from __future__ import annotations

import pytest

from ophiuchus.ledgers.memory.decision_key import compute_decision_key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Prefer create-on-first-write for sovereign-memory JSONL files", "d805cd959589342a"),
        ("Prefer create-on-first-write", "4dcb822f18f71ea8"),
        ("  PREFER\tcreate-on-first-write \n", "4dcb822f18f71ea8"),
        ("", "e3b0c44298fc1c14"),
    ],
)
def test_golden_keys(text: str, key: str) -> None:
    assert compute_decision_key(text) == key


def test_punctuation_counts() -> None:
    assert compute_decision_key("Keep it!") != compute_decision_key("Keep it")
