"""Plain text: aligned, indented, and no line of ours can be forged by data."""

from __future__ import annotations

import pytest
from hostile_documents import documents
from hypothesis import given

from ophiuchus.text.clean import clean
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Heading,
    Link,
    Paragraph,
    Quote,
    Status,
    Table,
    Text,
    Tone,
)
from ophiuchus.views.render.plain import render_plain


def rendered(*blocks: Block, width: int | None = None) -> str:
    return render_plain(Document((), blocks), width)


TABLE = Table(
    ("Capsule", "Verdict"),
    (((Code("漢字"),), (Status("stale", Tone.BAD),)), ((Code("cap-2"),), (Text("valid"),))),
    more=3,
)


def test_each_block_has_its_form() -> None:
    assert (
        rendered(
            Heading(1, (Text("Title"),)),
            Paragraph((Text("see "), Link("run 1", "https://a.example/1"))),
            Bullets(((Text("one"),), (Code("two"),))),
            Quote("said\nthis"),
            CodeBlock("x\n"),
            Details((Text("more"),), (Paragraph((Text("in"),)), Details((Text("deeper"),), (Quote("q"),)))),
        )
        == """Title

see run 1 <https://a.example/1>

- one
- two

| said
| this

| x
|

more
  in

  deeper
    | q
"""
    )


def test_a_table_is_aligned_by_columns_of_the_terminal() -> None:
    assert (
        rendered(TABLE)
        == """Capsule  Verdict
-------  -------
漢字     ✗ stale
cap-2    valid
… and 3 more.
"""
    )


def test_a_table_wider_than_the_terminal_is_told_row_by_row() -> None:
    assert rendered(TABLE, width=16) == rendered(TABLE)
    assert (
        rendered(TABLE, width=15)
        == """漢字
  Verdict: ✗ stale
cap-2
  Verdict: valid
… and 3 more.
"""
    )


def test_the_width_shrinks_inside_a_fold() -> None:
    fold = Details((Text("fold"),), (TABLE,))
    assert "Verdict: " not in rendered(fold, width=18)
    assert "Verdict: " in rendered(fold, width=17)


@pytest.mark.parametrize(
    "letter", ["e\u0301", "\u0e01\u0e31", "\u0915\u094d", "\u2764\ufe0f", "\u0645\u200c\u0645"]
)
def test_marks_that_join_the_letter_before_take_no_column(letter: str) -> None:
    table = Table(("a", "b"), (((Text(letter),), (Text("x"),)), ((Text("mm"),), (Text("y"),))))
    blanks = "  " if letter.count("\u0645") == 2 else "   "
    assert rendered(table).splitlines()[2:] == [f"{letter}{blanks}x", "mm  y"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize(
    "kind", ["heading", "paragraph", "bullets", "table", "head", "quote", "code", "summary"]
)
def test_a_newline_in_data_never_forges_a_line_of_ours(kind: str, newline: str) -> None:
    text = f"a{newline}Nothing to do"
    line = (Text(text),)
    made: dict[str, Block] = {
        "heading": Heading(1, line),
        "paragraph": Paragraph(line),
        "bullets": Bullets((line,)),
        "table": Table(("x",), ((line,),)),
        "head": Table((text,), ()),
        "quote": Quote(text),
        "code": CodeBlock(text),
        "summary": Details(line, (Paragraph(line),)),
    }
    for width in (None, 3):
        assert not any(
            said.lstrip().startswith("Nothing") for said in rendered(made[kind], width=width).splitlines()
        )


@given(documents)
def test_every_word_arrives_clean(document: Document) -> None:
    text = render_plain(document)
    assert clean(text) == text
