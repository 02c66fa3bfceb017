"""Texts are cut between the characters that a reader sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.cut import cut, cut_units, place_to_cut

FAMILY = "👨\u200d👩\u200d👧"
FLAG = "🇩🇪"
THUMB = "👍🏽"
HEART = "❤\ufe0f"
KEYCAP = "1\ufe0f\u20e3"
ACCENTED = "e\u0301"
HINDI = "\u0915\u093f"
"""A consonant and the vowel that is written before it, which is no combining mark of a class."""

characters = st.sampled_from([FAMILY, FLAG, THUMB, HEART, KEYCAP, ACCENTED, HINDI, "a", " "])
pieces = st.lists(characters, max_size=12).map(lambda made_of: ["a", *made_of])


@pytest.mark.parametrize("character", [FAMILY, FLAG, THUMB, HEART, KEYCAP, ACCENTED, HINDI])
def test_no_cut_parts_what_reads_as_one_character(character: str) -> None:
    text = f"ab{character}{character}c"
    whole = {f"ab{character * number}…" for number in (0, 1)} | {"a…", "…", text, f"ab{character * 2}…"}
    for most in range(1, len(text) + 1):
        assert cut(text, most) in whole
        assert cut_units(text, most) in whole
    assert cut(text, len(f"ab{character}") + 1) == f"ab{character}…"


def test_marks_that_nothing_bears_are_cut_somewhere() -> None:
    assert cut("\u0301" * 9, 4) == "\u0301" * 3 + "…"
    assert place_to_cut("", 5) == 5


@given(pieces, st.integers(1, 40))
def test_what_is_left_is_a_beginning_of_whole_characters(made_of: list[str], most: int) -> None:
    text = "".join(made_of)
    begins = {"".join(made_of[:number]) for number in range(len(made_of) + 1)}
    short, thin = cut(text, most), cut_units(text, most)
    assert len(short) <= most
    assert len(thin.encode("utf-16-le")) <= 2 * most
    assert short == text or short.removesuffix("…") in begins
    assert thin == text or thin.removesuffix("…") in {begin.rstrip() for begin in begins}


@given(st.text(), st.integers(1, 30))
def test_any_text_is_cut_to_its_limit(text: str, most: int) -> None:
    for short, size in ((cut(text, most), len), (cut_units(text, most), _units)):
        assert size(short) <= most
        assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
