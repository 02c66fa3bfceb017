"""Records: they are what any frozen dataclass is, but that nothing stops who changes one."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.record import record


@record
class Quick:
    """A pair with a third of no weight."""

    name: str
    number: int = 0
    seen: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Careful:
    """The same, frozen."""

    name: str
    number: int = 0
    seen: str = field(default="", compare=False, repr=False)


VALUES = st.tuples(st.sampled_from("ab"), st.integers(0, 1), st.sampled_from("xy"))


@given(VALUES, VALUES)
def test_a_record_is_compared_hashed_and_shown_like_a_frozen_dataclass(
    one: tuple[str, int, str], other: tuple[str, int, str]
) -> None:
    assert (Quick(*one) == Quick(*other)) is (Careful(*one) == Careful(*other))
    assert len({Quick(*one), Quick(*other)}) == len({Careful(*one), Careful(*other)})
    assert hash(Quick(*one)) == hash(Careful(*one))
    assert repr(Quick(*one)) == repr(Careful(*one)).replace("Careful", "Quick")
    assert replace(Quick(*one), number=other[1]) == Quick(one[0], other[1])


def test_a_record_has_slots_and_no_other_attribute() -> None:
    assert [one.name for one in fields(Quick)] == ["name", "number", "seen"]
    assert not hasattr(Quick("a"), "__dict__")
    with pytest.raises(AttributeError):
        Quick("a").other = 1  # type: ignore[attr-defined]


def test_the_type_checker_alone_keeps_a_record_from_being_changed() -> None:
    """An unused `type: ignore` is an error there, so its refusal is tested as well."""
    quick, careful = Quick("a"), Careful("a")
    quick.name = "b"  # type: ignore[misc]
    assert quick.name == "b"
    with pytest.raises(FrozenInstanceError):
        careful.name = "b"  # type: ignore[misc]
