"""Titles: one line of plain words, cut between characters."""

from __future__ import annotations

import pytest
from gfm_readings import live_in_text
from hostile_documents import texts
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.clean import clean
from ophiuchus.views.budget import utf16_units
from ophiuchus.views.render.title import gfm_title, plain_title

Z = "\u200b"
WOMAN_WITH_COMPUTER = "👩\u200d💻"
EMOJI = "\u2764\ufe0f"
THUMB = "👍🏽"
FLAG = "🇫🇮"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("plain", "plain"),
        ("  a \t b  ", "a b"),
        (
            "Finish the parser\r\nthen the renderer\u2028and the docs 🎉🎉🎉",
            "Finish the parser then the renderer and the docs 🎉🎉🎉",
        ),
        ("a\x0bb\x0cc\x1cd\x85e\u2029f\rg\nh", "a b c d e f g h"),
        ("a \u200b b", "a b"),
        ("a\u202eb\x00", "ab\\x00"),
        ("", "(untitled)"),
        (" \n\u200b\u2028", "(untitled)"),
        ("*a* <b> `c` [~d]", "*a* <b> `c` [~d]"),
    ],
)  # fmt: skip
def test_c020_a_title_is_one_line(text: str, title: str) -> None:
    assert plain_title(text, 255) == title


@pytest.mark.parametrize(
    ("text", "limit", "title"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("abcd efg", 6, "abcd…"),
        ("🎉🎉🎉🎉", 7, "🎉🎉🎉…"),
        ("🎉🎉🎉🎉", 6, "🎉🎉…"),
        (f"ab{WOMAN_WITH_COMPUTER}cd", 8, f"ab{WOMAN_WITH_COMPUTER}…"),
        (f"ab{WOMAN_WITH_COMPUTER}cd", 7, "ab…"),
        (f"ab{WOMAN_WITH_COMPUTER}cd", 6, "ab…"),
        (f"ab{WOMAN_WITH_COMPUTER}cd", 5, "ab…"),
        (f"ab{THUMB}cd", 5, "ab…"),
        (f"ab{EMOJI}cd", 4, "ab…"),
        (f"a{FLAG}{FLAG}b", 8, f"a{FLAG}…"),
        (f"a{FLAG}{FLAG}b", 4, "a…"),
        ("abe\u0301f", 4, "ab…"),
        ("e" + "\u0301" * 20, 4, "e\u0301\u0301…"),
        ("ab", 1, "…"),
        ("", 4, "(un…"),
    ],
)
def test_c020_a_cut_never_parts_a_character(text: str, limit: int, title: str) -> None:
    assert plain_title(text, limit) == title
    assert utf16_units(title) <= limit


@given(texts | st.text(), st.integers(1, 300))
def test_a_title_is_clean_one_line_within_its_limit_and_says_something(text: str, limit: int) -> None:
    title = plain_title(text, limit)
    assert 1 <= utf16_units(title) <= limit
    assert title == clean(title)
    assert title == " ".join(title.split())
    if not title.endswith("…"):
        assert title == plain_title(title, limit)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Ask @octocat about #7, GH-9", f"Ask @{Z}octocat about #{Z}7, GH-{Z}9"),
        ("octo/shop#7 a5c3785e", f"octo/shop#{Z}7 a5c378{Z}5e"),
        ("https://github.com/o/r/pull/8", f"https:{Z}//github.com/o/r/pull/8"),
        ("fix `parser` *now* \\o/ <b>", "fix `parser` *now* \\o/ <b>"),
        ("a\r\nb", "a b"),
        ("", "(untitled)"),
    ],
)
def test_nothing_in_the_title_of_an_issue_refers_or_notifies(text: str, title: str) -> None:
    """C002, C035."""
    assert gfm_title(text) == title


@given(st.lists(texts, max_size=12).map("".join))
def test_the_title_of_an_issue_is_inert_and_never_too_long(text: str) -> None:
    title = gfm_title(text)
    assert 1 <= utf16_units(title) <= 256
    # A formula is only drawn where Markdown is read, and a title is not.
    assert not [hit for hit in live_in_text(title) if hit != "$"]


def test_a_long_title_is_cut_after_it_was_broken() -> None:
    title = gfm_title("#1 " * 200)
    assert utf16_units(title) <= 256
    assert title.endswith("…")
    assert f"#{Z}1 " in title
    assert "#1" not in title
