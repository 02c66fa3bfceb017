"""What is sent to ClickUp, read by one that takes more for an address than any other: bare domains too."""

from __future__ import annotations

import pytest
from hostile_documents import documents, texts
from hypothesis import given, settings
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from ophiuchus.views.document import (
    CodeBlock,
    Details,
    Document,
    Heading,
    Link,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
)
from ophiuchus.views.render.clickup import render_clickup, render_clickup_comment

linkify_it = pytest.importorskip("linkify_it", reason="linkify-it-py is not installed")

FINDER = linkify_it.LinkifyIt()
MARKDOWN = MarkdownIt("commonmark", {"linkify": True, "html": True}).enable(["linkify", "table"])
OURS = {"https://example.org/a/1", "http://127.0.0.1:8080/x"}


def linked(markdown: str) -> list[str]:
    """The addresses that a reader of Markdown would follow who also looks for bare ones."""
    found = SyntaxTreeNode(MARKDOWN.parse(markdown)).walk()
    return [str(node.attrs["href"]) for node in found if node.type == "link"]


def found_in(text: str) -> list[str]:
    """The addresses that are looked for in a plain text."""
    return [one.url for one in FINDER.match(text) or []]


@given(documents)
@settings(max_examples=50)
def test_only_our_own_addresses_are_found(document: Document) -> None:
    assert set(linked(render_clickup(document))) <= OURS
    assert set(found_in(render_clickup_comment(document))) <= OURS


@given(texts)
def test_no_text_links_wherever_it_stands(text: str) -> None:
    line = (Text(text), Strong(text), Link(text, "https://a.example/1"), Text(text))
    some = (Heading(1, line), Paragraph(line), Table((text,), ((line,),)), Quote(text), CodeBlock(text))
    document = Document((), (*some, Details(line, some)))
    assert set(linked(render_clickup(document))) == {"https://a.example/1"}
    assert set(found_in(render_clickup_comment(document))) == {"https://a.example/1"}


def test_the_finder_sees_what_is_live() -> None:
    text = "evil.com https://a.example //localhost a@b.org mailto:a@b.org"
    assert len(found_in(text)) == len(linked(text)) == 5
