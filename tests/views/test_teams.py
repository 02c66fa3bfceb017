"""HTML for Teams in which nothing that came from data is live; read back with an HTML parser."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hostile_documents import documents
from html_reading import read_html
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
    Inline,
    Line,
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
from ophiuchus.views.render.flat import flattened
from ophiuchus.views.render.inert import joined
from ophiuchus.views.render.teams import render_teams

Z = "\u200b"


def rendered(*some: Block) -> str:
    return render_teams(Document((Part("all", 0, some),)))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words.", "plain words."),
        ("<b> & \"x\" 'y'", "&lt;b&gt; &amp; &quot;x&quot; &#x27;y&#x27;"),
        ("&nbsp; &lt;at&gt;", "&amp;nbsp; &amp;lt;at&amp;gt;"),
        ("@octocat", f"@{Z}octocat"),
        ("https://a.example www.a.example", f"https:{Z}//a.example www{Z}.a.example"),
        (":tada:", f":{Z}tada:"),
        ("**x** [y](z) src/x_y.py a5c3785e", "**x** [y](z) src/x_y.py a5c3785e"),
        ("a\nb", f"a<br>{Z}b"),
    ],
)
def test_prose_is_written_so_that_it_is_only_read(text: str, written: str) -> None:
    assert rendered(Paragraph((Text(text),))) == f"<p>{Z}{written}</p>"


def test_each_block_has_its_form() -> None:
    assert rendered(
        Heading(1, (Text("T & t"),)),
        Heading(6, (Strong("deep"),)),
        Bullets(((Text("one"),), (Code("<two>"),))),
        Table(("condition", "verdict"), (((Code("c1"),), (Status("stale", Tone.BAD),)),), more=1200),
        Quote("said\nthis"),
        CodeBlock("x  <y>\nz"),
        Details((Text("more"),), (Paragraph((Text("see "), Link("run 1", "https://a.example/1"))),)),
    ) == (
        f"<h1>{Z}T &amp; t</h1><h3><b>deep</b></h3><ul><li>{Z}one</li><li><code>&lt;two&gt;</code></li></ul>"
        f"<ul><li><code>c1</code>: ✗ <b>stale</b></li></ul><p>{Z}… and 1,200 more.</p>"
        f"<blockquote>{Z}said<br>{Z}this</blockquote><pre>{Z}x  &lt;y&gt;<br>{Z}z</pre>"
        f'<h3>{Z}more</h3><p>{Z}see <a href="https://a.example/1">run 1</a></p>'
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '<at id="0">Everyone</at> <b>bold</b> <img src="https://tracker.example.invalid/p.png"> a\nb '
            "&nbsp; &lt;at&gt;",
            id="C080",
        ),
        pytest.param(
            "[Open ticket](https://evil.example.invalid/x) **APPROVED** _x_ `y`\n- item\n1. one", id="C103"
        ),
    ],
)
def test_markup_in_data_is_shown_and_nothing_more(text: str) -> None:
    """C080, C103: text is text; its line breaks stay; HTML has no Markdown in it."""
    found = read_html(rendered(Paragraph((Text(text),)), Quote(text)))
    assert [tag for tag, _ in found.forms] == ["p", "blockquote"]
    assert found.shown.replace(Z, "") == text * 2
    assert not found.wrong + found.live + [str(link) for link in found.links]


def test_the_parts_left_out_are_named() -> None:
    parts = tuple(Part("evidence", rank, (Paragraph((Text("&" * 1000),)),)) for rank in range(4))
    assert render_teams(Document(parts)).endswith("<p>\u200bLeft out, to fit here: evidence (2).</p>")


OURS = {"h1", "h2", "h3", "p", "ul", "li", "blockquote", "pre", "b", "code", "a"}


@given(documents)
def test_a_parser_finds_what_was_said_and_nothing_live(document: Document) -> None:
    found = read_html(render_teams(document))
    flat = list(flattened(document.blocks))
    nodes = [node for block in flat for line in _lines(block) for node in line]
    assert bare(found.shown) == bare("".join(word for block in flat for word in _words(block)))
    assert bare_all(text for tag, text in found.forms if tag == "b") == bare_all(
        clean(node.value) for node in nodes if isinstance(node, Strong | Status)
    )
    assert bare_all(text for tag, text in found.forms if tag == "code") == bare_all(
        clean(node.value) for node in nodes if isinstance(node, Code)
    )
    links = [node for node in nodes if isinstance(node, Link)]
    assert bare_all(label for label, _ in found.links) == bare_all(clean(link.label) for link in links)
    assert [target for _, target in found.links] == [link.target for link in links]
    assert {tag for tag, _ in found.forms} <= OURS
    assert not found.live + found.wrong


@given(st.lists(documents, min_size=1, max_size=3), st.sampled_from([1, 30, 200]))
@settings(max_examples=25)
def test_the_limit_of_teams_holds_for_any_document(some: list[Document], times: int) -> None:
    parts = tuple(part for document in some for part in document.parts) * times
    assert utf16_units(render_teams(Document(parts, some[0].volatile))) <= 12_000


@given(documents, st.integers(0, 400))
@settings(max_examples=50)
def test_every_budget_holds_and_nothing_is_left_open(document: Document, limit: int) -> None:
    written = render_teams(document, budget=Budget(limit, utf16_units))
    assert utf16_units(written) <= limit
    found = read_html(written)
    assert not found.live + found.wrong


@pytest.mark.parametrize("text", ["/approve", "bors r+", "x\n/lgtm", "x\r\n/ok"])
def test_no_line_begins_with_a_bots_command(text: str) -> None:
    """C031."""
    line = (Text(text),)
    written = rendered(Heading(1, line), Paragraph(line), Bullets((line,)), Quote(text), CodeBlock(text))
    for one in re.split("<[^>]*>", written):
        assert not re.match(r"\s*(/|bors)", one)


def test_the_parser_sees_what_is_live() -> None:
    found = read_html('<p onclick="x">@u <at id="0">y</at> https://x.y<!-- z --></b><code>https://x.y</code>')
    assert found.live == ["@u", "https:/"]
    assert len(found.wrong) == 4


def _lines(block: Block) -> tuple[Line, ...]:
    match block:
        case Heading(_, line) | Paragraph(line):
            return (line,)
        case Bullets(items):
            return items
        case _:
            return ()


def _words(block: Block) -> Iterable[str]:
    if isinstance(block, Quote | CodeBlock):
        yield clean(block.text)
    for line in _lines(block):
        yield from map(_word, joined(line))


def _word(node: Inline) -> str:
    match node:
        case Link(label, _):
            return clean(label)
        case Status(value, tone):
            return tone.sign + clean(value)
        case _:
            return clean(node.value)


def bare_all(texts: Iterable[str]) -> list[str]:
    return list(map(bare, texts))


def bare(text: str) -> str:
    return "".join(text.replace(Z, "").split())
