"""The self-test finds nothing here, and finds what is broken."""

from __future__ import annotations

import pytest

from ophiuchus.ledgers.memory import self_test
from ophiuchus.ledgers.memory.digest import InjectionDigest


def test_all_is_well() -> None:
    assert list(self_test.failures()) == []


@pytest.mark.parametrize(
    ("name", "broken", "told"),
    [
        ("compute_decision_key", lambda text: "0" * 16, "is not d805cd959589342a"),
        ("family_of", lambda name: None, "the family of mistakes.jsonl"),
        ("new_mistake", lambda *_: {}, "a mistake fix_failed"),
        ("build_digest", lambda *_: InjectionDigest("other", ()), "has another digest"),
    ],
)
def test_what_is_broken_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str, broken: object, told: str
) -> None:
    monkeypatch.setattr(self_test, name, broken)
    assert any(told in failure for failure in self_test.failures())
