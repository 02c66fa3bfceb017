"""What is sent to ClickUp, in which nothing that came from data is live.

The description is read back with markdown-it; what else finds addresses is tried in test_clickup_linked.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from gfm_readings import meant, read_with_markdown_it
from hostile_documents import documents
from hypothesis import given, settings
from hypothesis import strategies as st

from ophiuchus.text.clean import clean
from ophiuchus.views.budget import Budget, utf16_units
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
    Part,
    Quote,
    Status,
    Strong,
    Table,
    Text,
    Tone,
)
from ophiuchus.views.render.clickup import render_clickup, render_clickup_comment
from ophiuchus.views.render.flat import flattened, unfolded, words_of

Z = "\u200b"


def described(*some: Block) -> str:
    return render_clickup(Document((Part("all", 0, some),))).removesuffix("\n")


def commented(*some: Block) -> str:
    return render_clickup_comment(Document((Part("all", 0, some),))).removesuffix("\n")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words. 3.11 e.g. x", "plain words. 3.11 e.g. x"),
        ("@octocat", f"@{Z}octocat"),
        ("evil.example", f"evil.{Z}example"),
        ("//localhost", f"/{Z}/localhost"),
        ("https://a.example", f"https:{Z}/{Z}/a.{Z}example"),
        ("[@Name](#user_mention#1)", f"\\[@{Z}Name\\]{Z}(\\#{Z}user\\_mention\\#{Z}1)"),
        ("a5c3785ed8d6a GH-1", "a5c3785ed8d6a GH-1"),
        ("<b>&amp;*", "&lt;b&gt;&amp;amp;\\*"),
        ("a\nb", f"a\\\n{Z}b"),
    ],
)
def test_prose_is_written_so_that_it_is_only_read(text: str, written: str) -> None:
    assert described(Paragraph((Text(text),))) == Z + written


def test_a_fold_is_a_heading_with_what_it_held() -> None:
    blocks = (
        Details((Code("c1"), Text(" more")), (Paragraph((Strong("in"),)), Table(("a", "b"), ((), ())[:0]))),
    )
    assert described(*blocks) == "##### `c1` more\n\n**in**\n\n| a | b |\n| --- | --- |"


def test_a_comment_is_plain_words() -> None:
    assert commented(
        Heading(1, (Text("Title"),)),
        Bullets(((Text("one"),), (Code("tests/test_x.py"),))),
        Table(("condition", "verdict"), (((Code("c1"),), (Status("stale", Tone.BAD),)),), more=1200),
        Quote("said\nthis"),
        CodeBlock("curl https://a.example"),
        Details((Text("more"),), (Paragraph((Strong("in"), Text("\nand"))),)),
        Paragraph((Text("see "), Link("run 1", "https://a.example/1"), Text("/../x"))),
    ) == (
        f"{Z}Title\n\n- {Z}one\n- {Z}tests/test_x.{Z}py\n\n- {Z}c1: ✗ stale\n\n{Z}… and 1,200 more.\n\n"
        f"> {Z}said\n> {Z}this\n\n> {Z}curl https:{Z}/{Z}/a.{Z}example\n\n{Z}more\n\n{Z}in\n{Z}and\n\n"
        f"{Z}see run 1 <https://a.example/1>/../x"
    )


@pytest.mark.parametrize("pieces", [["[@Name]", "(#user_mention#1)"], ["evil", ".example"], ["http:", "//x"]])
def test_what_two_pieces_would_form_together_is_broken_too(pieces: list[str]) -> None:
    one = tuple(map(Text, pieces))
    assert described(Paragraph(one)) == described(Paragraph((Text("".join(pieces)),)))
    other = (Strong(pieces[0]), Code(pieces[1]))
    assert commented(Paragraph(other)) == commented(Paragraph((Text("".join(pieces)),)))


@pytest.mark.parametrize("renderer", [render_clickup, render_clickup_comment])
def test_the_parts_left_out_are_named(renderer: Callable[[Document], str]) -> None:
    parts = tuple(Part("evidence", rank, (Paragraph((Text("@" * 5000),)),)) for rank in range(4))
    assert renderer(Document(parts)).rstrip().endswith("Left out, to fit here: evidence (2).")


@given(documents)
def test_a_reader_finds_what_was_said_and_nothing_live(document: Document) -> None:
    written = render_clickup(document)
    blocks = tuple(unfolded(document.blocks))
    reading, wanted = read_with_markdown_it(written), meant(apart_lists(blocks))
    assert reading.links == wanted.links
    assert reading.blocks == wanted.blocks
    assert not [one for one in reading.live if one[0] != "text"]


def apart_lists(blocks: tuple[Block, ...]) -> list[Block]:
    """Lists that follow each other are one to a reader."""
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, Bullets) and kept and isinstance(kept[-1], Bullets):
            kept[-1] = Bullets(kept[-1].items + block.items)
        else:
            kept.append(block)
    return kept


@given(documents)
def test_a_comment_says_all_words_and_nothing_in_it_links(document: Document) -> None:
    written = render_clickup_comment(document)
    assert not re.search(r"@[^\u200b]|\]\(|\bwww\.", written)
    words = re.sub(f"(?m)^[->] {Z}", "", written).replace(Z, "")
    assert "".join(words.split()) == "".join(_said(document).split())


def _said(document: Document) -> str:
    said = ""
    for block in flattened(document.blocks):
        match block:
            case Heading(_, line) | Paragraph(line):
                said += _line(line)
            case Bullets(items):
                said += "".join(map(_line, items))
            case Quote(text) | CodeBlock(text):
                said += clean(text)
    return said


def _line(line: tuple[object, ...]) -> str:
    said, data = "", ""
    for node in line:
        data += words_of(node)  # type: ignore[arg-type]
        if isinstance(node, Link):
            said, data = f"{said}{clean(data)}<{node.target}>", ""
    return said + clean(data)


@given(st.lists(documents, min_size=1, max_size=3), st.sampled_from([1, 30, 200]))
@settings(max_examples=25)
def test_the_limit_holds_for_any_document(some: list[Document], times: int) -> None:
    document = Document(tuple(part for one in some for part in one.parts) * times, some[0].volatile)
    assert utf16_units(render_clickup(document)) <= 30_000
    assert utf16_units(render_clickup_comment(document)) <= 30_000


@given(documents, st.integers(0, 400))
@settings(max_examples=50)
def test_every_budget_holds_and_nothing_comes_alive_in_it(document: Document, limit: int) -> None:
    budget = Budget(limit, utf16_units)
    written, comment = (
        render_clickup(document, budget=budget),
        render_clickup_comment(document, budget=budget),
    )
    assert max(utf16_units(written), utf16_units(comment)) <= limit
    assert not [one for one in read_with_markdown_it(written).live if one[0] != "text"]


@pytest.mark.parametrize("text", ["/approve", "bors r+", "> /lgtm", "x\n/lgtm", "x\r\n/ok"])
def test_no_line_begins_with_a_bots_command(text: str) -> None:
    """C031."""
    line = (Text(text),)
    some = (Heading(1, line), Paragraph(line), Bullets((line,)), Quote(text), CodeBlock(text))
    for one in (described(*some) + commented(*some)).splitlines():
        assert not re.match(r"[\s>-]*(/|bors)", one)
