"""The sender's words: where they are cut, how they are set, and which of them a reader sees exactly."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.clean import clean
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Heading,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
)
from ophiuchus.views.sender_words import CODE_COLUMNS, entry, exact_texts, item, prose, shown

NOTE = re.compile(r"… \(([\d,]+) more characters?\)\Z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("twenty characters ok", "twenty characters ok"),
        ("twenty-one characters", "twenty-one… (11 more characters)"),
        ("a word that ends here, not there", "a word that ends… (16 more characters)"),
        ("x" * 21, "x" * 20 + "… (1 more character)"),
        ("a " + "x" * 30, "a " + "x" * 18 + "… (12 more characters)"),
        ("\n\n" + "y" * 19, "y" * 19),
        ("x" * 5_020, "x" * 20 + "… (5,000 more characters)"),
        ("x" + "🇩🇪" * 20, "x" + "🇩🇪" * 9 + "… (22 more characters)"),
        ("x" + "👨\u200d👩\u200d👧" * 9, "x" + "👨\u200d👩\u200d👧" * 3 + "… (30 more characters)"),
    ],
)
def test_a_long_text_is_cut_at_a_word_and_says_how_much_follows(text: str, expected: str) -> None:
    assert shown(text, 20) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo", "one\ntwo"),
        ("one\ntwo\nthree", "one\ntwo… (6 more characters)"),
        ("\none\ntwo\nthree", "one\ntwo… (6 more characters)"),
        ("one\n\nthree", "one… (7 more characters)"),
        ("one\ntwo\n", "one\ntwo\n"),
    ],
)
def test_first_lines_are_cut_alike(text: str, expected: str) -> None:
    assert shown(text, 100, lines=2) == expected


@given(st.text(max_size=60), st.integers(1, 40), st.none() | st.integers(1, 3))
def test_what_is_shown_is_clean_bounded_and_a_beginning(text: str, most: int, lines: int | None) -> None:
    said = shown(text, most, lines)
    found = NOTE.search(said)
    head = said[: found.start()] if found else said
    assert len(head) <= most
    assert clean(text).strip("\n").startswith(head.strip("\n"))
    if found is None:
        assert head.strip("\n") == clean(text).strip("\n")
    else:
        assert len(head) + int(found[1].replace(",", "")) == len(clean(text).strip("\n"))


LONG = "x" * (CODE_COLUMNS + 1)


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("one", Paragraph),
        ("one  blank more", Paragraph),
        ("one\ntwo", Paragraph),
        ("one\n  two", CodeBlock),
        ("one\n\ttwo", CodeBlock),
        (f"one\n  {LONG}", Paragraph),
    ],
)
def test_a_layout_is_kept_where_lines_are_short(text: str, block: type[Block]) -> None:
    assert isinstance(prose(text), block)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("one", ["Bullets"]),
        ("one\ntwo", ["Paragraph", "Quote"]),
        ("one\n  two", ["Paragraph", "CodeBlock"]),
    ],
)
def test_an_item_with_lines_of_its_own_is_set_apart(text: str, kinds: list[str]) -> None:
    assert [type(block).__name__ for block in item((Code("evidence[0]"),), text)] == kinds
    assert [type(block).__name__ for block in item((), text)] == kinds[-1:]


def test_an_entry_with_lines_is_a_paragraph() -> None:
    assert isinstance(entry((Code("x"), Text("one"))), Bullets)
    assert isinstance(entry((Code("x"), Text("one\ntwo"))), Paragraph)


LINE, LINES, BLANKS = Text("line"), Text("two\nlines"), Text("a  b")


@pytest.mark.parametrize(
    ("block", "exact"),
    [
        (Paragraph((LINE, LINES, BLANKS, Strong("s"))), {"line", "two\nlines", "s"}),
        (Paragraph((Code("c"), Code("c\nd"))), {"c"}),
        (Paragraph((Text("\nedge"), Text("edge\n"), Text(" edge"), Text("edge "), Text("\t"))), set()),
        (Heading(2, (LINE, LINES)), {"line"}),
        (Bullets(((LINE, LINES), (BLANKS, Text("b")))), {"line", "b"}),
        (Table(("a", "b"), (((LINE,), (LINES,)),)), {"line"}),
        (Quote("two\nlines"), {"two\nlines"}),
        (Quote("two  blanks"), set()),
        (CodeBlock("  laid\n\tout "), {"  laid\n\tout "}),
        (CodeBlock("val\u202eid"), set()),
        (Paragraph((Text("val\u202eid"), Text("a\x1bb"))), set()),
        (Details((LINE,), (Quote("inner"),)), {"line", "inner"}),
    ],
)  # fmt: skip
def test_what_a_reader_sees_exactly(block: Block, exact: set[str]) -> None:
    assert exact_texts([block]) == exact
