"""What we send to Jira, read by Atlassian's own parsers of documents and of wiki markup."""

from __future__ import annotations

from typing import Any

import pytest
from atlassian_readings import AtlassianJudge, meant
from hostile_documents import documents, lines, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ophiuchus.views.budget import Budget, utf16_units
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
from ophiuchus.views.render.wiki import render_wiki

pytestmark = pytest.mark.node

one_process = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
AMPLE_JSON, AMPLE = Budget(10_000_000, len), Budget(10_000_000, utf16_units)
TARGET = "https://a.example/x_y/7?a=b"


def shown(text: str) -> Document:
    """The text at each place where a composer can put data."""
    line = (Text(text),)
    every: Line = (Text(f"{text} "), Code(text), Text(" "), Strong(text), Text(" "), Status(text, Tone.BAD))
    table = Table((text,), ((line,), (every,), ((Code(text),),)))
    paragraphs = tuple(Paragraph(words) for words in (line, every, (Code(text),), (Strong(text),)))
    folded = Details(line, (Paragraph(line),))
    set_apart = (Bullets((line, every)), Quote(text), CodeBlock(text), table)
    blocks: tuple[Block, ...] = (Heading(2, line), *paragraphs, *set_apart, folded)
    return Document((Part("all", 0, blocks),))


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": ""}],
        [{"type": "text", "text": "x", "marks": [{"type": "code"}, {"type": "strong"}]}],
        [{"type": "paragraph"}],
        [{"type": "text"}],
    ],
)
def test_c049_jira_refuses_what_it_is_known_to_refuse(jira: AtlassianJudge, content: list[Any]) -> None:
    paragraph = {"type": "paragraph", "content": content}
    assert jira.complaint({"version": 1, "type": "doc", "content": [paragraph]})
    assert jira.complaint("plain words")


@given(documents)
@one_process
def test_jira_takes_every_document(jira: AtlassianJudge, document: Document) -> None:
    assert jira.complaint(render_adf(document, budget=AMPLE_JSON)) is None


@given(documents, st.integers(0, 900))
@one_process
def test_jira_takes_what_was_shortened(jira: AtlassianJudge, document: Document, limit: int) -> None:
    assert jira.complaint(render_adf(document, budget=Budget(limit, len))) is None


def test_jira_sees_what_is_live(jira: AtlassianJudge) -> None:
    found = jira.read(
        "h1. t\nsee [~jdoe] and [x|https://a.example] https://b.example/ :) !p.png! -gone-\n"
        "{color:red}r{color}\n{panel}x{panel}\n"
    )
    assert [kind for kind, _ in found.live] == [
        "mention",
        "emoji",
        "mediaSingle",
        "strike",
        "textColor",
        "panel",
    ]
    assert [href for _, href in found.links] == ["https://a.example", "https://b.example/"]


@pytest.mark.parametrize(
    "text",
    [
        (
            "Filter {a: 1}; use {code} or {color:red}; [~accountid:000000:aaaa] [~jdoe]\nh1. Approved\n"
            "!https://tracker.example.invalid/p.png!\n{quote}x"
        ),
        "h1. x", "bq. x", "* x", "# x", "- x", "|| x || y ||", "| x |", "----", "a -- b --- c",
        ":) :-) ;-) :P (y) (x) (/) (!) (*g) (flag)", "{noformat}x{noformat}", "{code:java}x{code}",
        "{adf}x{adf}",
        "[^f.txt] [#a] [x|mailto:a@b.c] mailto:a@b.c www.x.y irc://x ftp://x.y \\\\host\\share file:///x",
        "*a* _b_ -c- +d+ ^e^ ~f~ ??g?? {{h}} {*}i{*}", "\\*a\\* \\{code\\} \\\\ \\\\\\", "&#91;~jdoe] &amp;",
        "{{a{b}}}", '{"a": {"b": "c"}} }} {{', "ABC-1 abc_2-34 2026-11-30", "@jdoe #1",
    ],
)  # fmt: skip
def test_c070_no_wiki_syntax_of_data_is_live(jira: AtlassianJudge, text: str) -> None:
    found = jira.read(render_wiki(shown(text), budget=AMPLE))
    assert not found.live
    assert not found.links
    assert found.blocks == meant(shown(text).blocks, folds=False)


def test_emphasis_is_read_where_it_is_written(jira: AtlassianJudge) -> None:
    line: Line = (Status("stale", Tone.BAD), Text(" in "), Code("src/a_b.py {x}"), Text(", since"))
    (paragraph,) = jira.parsed(render_wiki(Document((), (Paragraph(line),))))["content"]
    read = [(node["text"], [mark["type"] for mark in node.get("marks", [])]) for node in paragraph["content"]]
    assert read == [
        ("\u200b✗ ", []),
        ("stale", ["strong"]),
        (" in ", []),
        ("src/a_b.py {\u200bx}", ["code"]),
        (", since", []),
    ]


def unlinked(line: Line) -> Line:
    return tuple(Text(node.label) if isinstance(node, Link) else node for node in line)


def without_links(block: Block) -> Block:
    match block:
        case Heading(level, line):
            return Heading(level, unlinked(line))
        case Paragraph(line):
            return Paragraph(unlinked(line))
        case Bullets(items):
            return Bullets(tuple(map(unlinked, items)))
        case Table(head, rows, more):
            return Table(head, tuple(tuple(map(unlinked, row)) for row in rows), more)
        case Details(summary, blocks):
            return Details(unlinked(summary), tuple(map(without_links, blocks)))
        case _:
            return block


@given(documents)
@one_process
def test_jira_finds_what_was_said_and_nothing_live(jira: AtlassianJudge, document: Document) -> None:
    blocks = tuple(map(without_links, document.blocks))
    found = jira.read(render_wiki(Document((), blocks), budget=AMPLE))
    assert not found.live
    assert not found.links
    assert found.blocks == (meant(blocks, folds=False) or [["paragraph", ""]])


@given(lines, texts, lines)
@one_process
def test_a_link_of_ours_is_the_only_link(jira: AtlassianJudge, before: Line, label: str, after: Line) -> None:
    line: Line = (*unlinked(before), Link(label, TARGET), *unlinked(after))
    some: tuple[Block, ...] = (Paragraph(line), Bullets((line,)), Table(("n",), ((line,),)))
    found = jira.read(render_wiki(Document((), some), budget=AMPLE))
    assert not found.live
    assert [href for _, href in found.links] == [TARGET] * 3


@given(documents, st.integers(0, 400))
@one_process
def test_what_was_shortened_is_whole_and_fits(jira: AtlassianJudge, document: Document, limit: int) -> None:
    """C068."""
    written = render_wiki(document, budget=Budget(limit, utf16_units))
    assert utf16_units(written) <= limit
    assert not jira.read(written).live
