"""Jira's document format, in which data is the value of text nodes and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from atlassian_readings import meant, read_adf
from hostile_documents import documents
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.views.budget import JIRA, Budget
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Heading,
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
from ophiuchus.views.render.adf import render_adf

EMPTY = {"version": 1, "type": "doc", "content": [{"type": "paragraph", "content": []}]}
AMPLE = Budget(10_000_000, len)
NODES = {
    "doc", "heading", "paragraph", "bulletList", "listItem", "table", "tableRow", "tableHeader", "tableCell",
    "blockquote", "codeBlock", "expand", "text", "hardBreak",
}  # fmt: skip


def rendered(*some: Block) -> list[Any]:
    content = render_adf(Document((Part("all", 0, some),)))["content"]
    assert isinstance(content, list)
    return content


def words(text: str, *marks: str) -> Any:
    return {"type": "text", "text": text} | ({"marks": [{"type": mark} for mark in marks]} if marks else {})


def paragraph(*content: Any) -> Any:
    return {"type": "paragraph", "content": list(content)}


BREAK = {"type": "hardBreak"}


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ((Text("plain"),), [words("plain")]),
        ((), []),
        ((Text(""), Strong(""), Code("")), []),
        ((Text("a\nb"),), [words("a"), BREAK, words("b")]),
        ((Text("\n"),), [BREAK]),
        ((Strong("a\r\nb"),), [words("a", "strong"), BREAK, words("b", "strong")]),
        ((Code("a\nb"),), [words("a b", "code")]),
        ((Status("stale", Tone.BAD),), [words("✗ "), words("stale", "strong")]),
        ((Text("[~jdoe] @jdoe {code}"),), [words("[~jdoe] @jdoe {code}")]),
    ],
)
def test_a_line_is_text_nodes_none_empty_and_none_with_a_newline(line: Line, content: list[Any]) -> None:
    assert rendered(Paragraph(line)) == [paragraph(*content)]


def test_a_link_of_ours_is_a_mark_and_has_words_even_without_a_label() -> None:
    target = "https://a.example/7"
    mark = {"type": "link", "attrs": {"href": target}}
    assert rendered(Paragraph((Link("run\n7", target), Link("", target)))) == [
        paragraph(
            {"type": "text", "text": "run", "marks": [mark]},
            BREAK,
            {"type": "text", "text": "7", "marks": [mark]},
            {"type": "text", "text": target, "marks": [mark]},
        )
    ]


def test_each_block_has_its_node() -> None:
    table = Table(("a\nb", "c"), (((Text("d\ne"),), (Code("f"),)),), more=1200)
    assert rendered(
        Heading(1, (Text("one\ntwo"),)),
        Heading(6, ()),
        Bullets(((Text("x\ny"),), ())),
        Bullets(()),
        Quote("q\nr"),
        CodeBlock("a\n  b"),
        CodeBlock(""),
        table,
    ) == [
        {"type": "heading", "attrs": {"level": 2}, "content": [words("one"), words(" "), words("two")]},
        {"type": "heading", "attrs": {"level": 6}, "content": []},
        {
            "type": "bulletList",
            "content": [
                {"type": "listItem", "content": [paragraph(words("x"), words(" "), words("y"))]},
                {"type": "listItem", "content": [paragraph()]},
            ],
        },
        {"type": "blockquote", "content": [paragraph(words("q"), BREAK, words("r"))]},
        {"type": "codeBlock", "content": [words("a\n  b")]},
        {"type": "codeBlock", "content": []},
        {
            "type": "table",
            "content": [
                {
                    "type": "tableRow",
                    "content": [
                        {"type": "tableHeader", "content": [paragraph(words("a"), words(" "), words("b"))]},
                        {"type": "tableHeader", "content": [paragraph(words("c"))]},
                    ],
                },
                {
                    "type": "tableRow",
                    "content": [
                        {"type": "tableCell", "content": [paragraph(words("d"), words(" "), words("e"))]},
                        {"type": "tableCell", "content": [paragraph(words("f", "code"))]},
                    ],
                },
            ],
        },
        paragraph(words("… and 1,200 more.")),
    ]


def test_a_fold_within_a_fold_is_shown_open_since_a_table_may_be_in_it() -> None:
    table = Table(("n",), (((Text("1"),),),))
    inner = Details((Status("valid", Tone.GOOD),), (table,))
    (fold,) = rendered(Details((Text("all "), Code("x"), Link(" y", "https://a.example")), (inner,)))
    assert fold["type"] == "expand"
    assert fold["attrs"] == {"title": "all x y"}
    assert [node["type"] for node in fold["content"]] == ["heading", "table"]
    assert fold["content"][0]["attrs"] == {"level": 6}


def test_a_fold_without_blocks_holds_an_empty_paragraph() -> None:
    assert rendered(Details((), ())) == [{"type": "expand", "attrs": {"title": ""}, "content": [paragraph()]}]


def test_c049_no_text_node_is_empty_or_holds_a_newline() -> None:
    state = Paragraph((Text("line 1\n\nline 3\n"),))
    assert rendered(state, Bullets(((Text(""),), (Text("  "),), (Text("ok"),)))) == [
        paragraph(words("line 1"), BREAK, BREAK, words("line 3"), BREAK),
        {
            "type": "bulletList",
            "content": [
                {"type": "listItem", "content": [paragraph(*content)]}
                for content in ([], [words("  ")], [words("ok")])
            ],
        },
    ]


def test_c052_what_is_measured_is_what_is_sent() -> None:
    kept = [Part(name, 0, (Paragraph((Text(f"the {name}"),)),)) for name in ("goal", "next action")]
    state = Part("state", 1, (Quote('{*_"' * 8_000),))
    sent = json.dumps(render_adf(Document((kept[0], state, kept[1]))))
    assert len(sent) <= 30_000
    assert "the goal" in sent
    assert "the next action" in sent
    assert "Left out, to fit here: state." in sent


def test_c070_syntax_of_another_form_is_only_words() -> None:
    text = (
        "Filter {a: 1}; use {code} or {color:red}; [~accountid:000000:aaaa] [~jdoe]\nh1. Approved\n"
        "!https://tracker.example.invalid/p.png!\n{quote}x"
    )
    (shown,) = rendered(Paragraph((Text(text),)))
    assert [node.get("text", "\n") for node in shown["content"]] == [
        piece for line in text.split("\n") for piece in ("\n", line)
    ][1:]
    assert all("marks" not in node for node in shown["content"])


def test_bidi_controls_do_not_arrive_and_arabic_does() -> None:
    assert rendered(Paragraph((Text("\u202emarhaba مرحبا\u2069"),))) == [
        paragraph(words("marhaba مرحبا")),
    ]


def all_nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.get("content", []):
        yield from all_nodes(child)


def links_of(value: Any) -> Iterator[str]:
    """The targets of the links in a document's lines, those in a fold's title left out."""
    match value:
        case Link(_, target):
            yield target
        case Details(_, inner):
            for block in inner:
                yield from links_of(block)
        case Heading(_, line) | Paragraph(line):
            yield from links_of(line)
        case Bullets(items):
            yield from links_of(items)
        case Table(_, rows):
            yield from links_of(rows)
        case tuple():
            for item in value:
                yield from links_of(item)


@given(documents)
def test_what_was_said_is_read_and_data_makes_no_node_and_no_mark(document: Document) -> None:
    sent = render_adf(document, budget=AMPLE)
    reading = read_adf(sent)
    assert reading.blocks == (meant(document.blocks, folds=True) or [["paragraph", ""]])
    assert not reading.live
    assert {href for _, href in reading.links} <= set(targets(document.blocks))
    for node in all_nodes(sent):
        assert node["type"] in NODES
        assert node.get("text", "x")
        for child in node.get("content", []):
            assert "\n" not in child.get("text", "") or node["type"] == "codeBlock"
            assert len(child.get("marks", [])) <= 1


def targets(some: tuple[Block, ...]) -> Iterator[str]:
    for block in some:
        match block:
            case Details(summary, inner):
                yield from links_of(summary)
                yield from targets(inner)
            case _:
                yield from links_of(block)


@given(documents, st.integers(len(json.dumps(EMPTY)), 2_000))
def test_the_budget_holds_for_the_json_that_is_sent(document: Document, limit: int) -> None:
    assert len(json.dumps(render_adf(document, budget=Budget(limit, len)))) <= limit


def test_no_room_is_an_empty_document_and_still_one() -> None:
    document = Document((Part("all", 0, (Paragraph((Text("x"),)),)),))
    assert render_adf(document, budget=Budget(0, len)) == EMPTY
    assert render_adf(Document(())) == EMPTY


def test_the_budget_is_what_jira_takes_with_room_to_spare() -> None:
    assert Budget(30_000, len) == JIRA


def test_what_finish_fills_in_is_sent() -> None:
    document = Document((Part("all", 0, (Paragraph((Text("____"),)),)),))

    def filled(fitted: Document) -> Document:
        assert fitted == document
        return Document((Part("all", 0, (Paragraph((Text("kept"),)),)),))

    assert render_adf(document, finish=filled)["content"] == [paragraph(words("kept"))]
