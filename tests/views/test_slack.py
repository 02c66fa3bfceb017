"""Slack messages in which nothing that came from data is live; read back by a strict reader of its markup."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hostile_documents import documents, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_reading import meant_for_slack, read_mrkdwn

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
from ophiuchus.views.render.slack import SlackMessage, render_slack

Z = "\u200b"


def message(*some: Block) -> SlackMessage:
    return render_slack(Document((Part("all", 0, some),)))


def rendered(*some: Block) -> str:
    return message(*some).text


def sections(sent: SlackMessage) -> list[str]:
    return [block["text"]["text"] for block in sent.blocks if block["type"] == "section"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words.", "plain words."),
        ("a & b", "a &amp; b"),
        ("&lt;", "&amp;lt;"),
        ("<!here>", "&lt;!here&gt;"),
        ("> quoted", "&gt; quoted"),
        ("@here", f"@{Z}here"),
        ("#general", f"#{Z}general"),
        ("https://a.example", f"https:{Z}//a.example"),
        ("www.a.example", f"www{Z}.a.example"),
        (":tada:", f":{Z}tada:"),
        (":`:", f":{Z}\u02cb:"),
        ("*b* ~s~ `c`", "\u2217b\u2217 \u223cs\u223c \u02cbc\u02cb"),
        ("_i_ snake_case __init__", "\u02cdi\u02cd snake_case \u02cd\u02cdinit\u02cd\u02cd"),
        ("commit a5c3785ed8d6a35868bc", "commit a5c3785ed8d6a35868bc"),
        ("tests/test_x.py", "tests/test_x.py"),
        ("a\n> b", f"a\n{Z}&gt; b"),
    ],
)
def test_prose_is_written_so_that_it_is_only_read(text: str, written: str) -> None:
    assert rendered(Paragraph((Text(text),))) == Z + written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("src/**/*.py", "`src/**/*.py`"),
        ("a`b", "`a\u02cbb`"),
        ("", f"`{Z}`"),
        ("a\nb", "`a b`"),
        ("<@U1> & x", "`&lt;@U1&gt; &amp; x`"),
        ("@here @scope/x", f"`@{Z}here @scope/x`"),
    ],
)
def test_a_name_is_a_code_span_that_it_cannot_leave(text: str, written: str) -> None:
    assert rendered(Paragraph((Code(text),))) == written


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ((Strong(" a "), Text("b")), f"{Z} *a* b"),
        ((Strong("a"), Code("b")), f"*a*{Z}`b`"),
        ((Text("("), Code("b"), Text(")")), f"{Z}({Z}`b`{Z})"),
        ((Strong(" "), Code("b")), f"{Z} `b`"),
        ((Strong(""), Text("> b")), f"{Z}&gt; b"),
        ((Strong("a\nb"),), "*a b*"),
    ],
)
def test_a_mark_stands_where_slack_takes_it_for_one(line: Any, written: str) -> None:
    assert rendered(Paragraph(line)) == written


def test_each_block_has_its_form() -> None:
    sent = message(
        Heading(1, (Text("Title: 1"),)),
        Bullets(((Text("one"),), (Code("two"),))),
        Table(("condition", "verdict"), (((Code("c1"),), (Status("stale", Tone.BAD),)),), more=1200),
        Table(
            ("id", "how", "why"), (((Code("c2"),), (Text("base"),), (Text("gone"),)), ((Code("c3"),), (), ()))
        ),
        Quote("said\nthis"),
        CodeBlock("x\n```\n"),
        Details((Code("<id>"), Text(" & more")), (Paragraph((Strong("in"),)),)),
        Paragraph((Text("see "), Link("run 1", "https://a.example/1"))),
    )
    body = f"""• {Z}one
• `two`

• `c1`{Z}: ✗ *stale*

{Z}… and 1,200 more.

• `c2`{Z}: how: base; why: gone
• `c3`

> {Z}said
> {Z}this

```
{Z}x
{Z}\u02cb\u02cb\u02cb
{Z}
```

`&lt;id&gt;` *&amp; more*

*in*

{Z}see <https://a.example/1|run 1>"""
    assert sent.text == f"*Title: 1*\n\n{body}"
    assert sent.blocks == [
        {"type": "header", "text": {"type": "plain_text", "text": f"{Z}Title: 1", "emoji": False}},
        {"type": "section", "text": {"type": "mrkdwn", "text": body, "verbatim": True}, "expand": True},
    ]


@pytest.mark.parametrize(
    "heading",
    [
        Heading(2, (Text("t"),)),
        Heading(1, (Text("a & b"),)),
        Heading(1, (Text("a -> b"),)),
        Heading(1, (Text("t" * 150),)),
        Heading(1, (Link("t", "https://a.example/1"),)),
    ],
)
def test_what_no_header_can_show_is_a_line_in_a_section(heading: Heading) -> None:
    assert [block["type"] for block in message(heading).blocks] == ["section"]


def test_nothing_rings_a_channel_and_every_character_is_shown() -> None:
    """C005."""
    text = (
        "<!channel> <!here> <!everyone> <!group> <!subteam^S0000000|x> <@U0000000> <#C0000000|general> "
        "@here @channel"
    )
    line = (Text(text), Strong(text), Code(text), Link(text, "https://a.example/"))
    everywhere = (
        Heading(1, line),
        Paragraph(line),
        Bullets((line,)),
        Table((text, text), ((line, line),)),
        Quote(text),
        CodeBlock(text),
        Details(line, (Paragraph(line),)),
    )
    sent = message(Heading(1, (Text(text),)), *everywhere)
    for written in [sent.text, *(block["text"]["text"] for block in sent.blocks)]:
        assert set(re.findall("<[^|>]*", written)) <= {"<https://a.example/"}
        assert not re.search("@(here|channel|everyone)", written)
    assert rendered(Paragraph((Text("<@U0>"),))) == f"{Z}&lt;@{Z}U0&gt;"
    assert read_mrkdwn(sent.text).words == meant_for_slack((Heading(1, (Text(text),)), *everywhere)).words


def test_a_label_does_not_end_its_link_and_our_links_stay() -> None:
    """C055."""
    label = "rename created_at -> updated_at | see <docs> & more"
    written = rendered(Paragraph((Link(label, "https://a.example/1?x=%7C"),)))
    assert written == (
        "<https://a.example/1?x=%7C|rename created_at -&gt; updated_at \u2223 see &lt;docs&gt; &amp; more>"
    )


@pytest.mark.parametrize("label", ["", " ", "\n"])
def test_a_link_without_words_says_where_it_leads(label: str) -> None:
    written = rendered(Paragraph((Link(label, "https://a.example/1"),)))
    assert written == f"<https://a.example/1|https:{Z}//a.example/1>"


def test_entities_that_were_typed_are_escaped_once() -> None:
    """C104."""
    text = "&lt;!here&gt; and &amp;lt;!channel&amp;gt; and &#60;!everyone&#62;"
    written = rendered(Quote(text))
    assert written.removeprefix(f"> {Z}").replace(Z, "") == (
        "&amp;lt;!here&amp;gt; and &amp;amp;lt;!channel&amp;amp;gt; and &amp;#60;!everyone&amp;#62;"
    )
    assert read_mrkdwn(written).words == meant_for_slack([Quote(text)]).words


LONG = [
    Paragraph((Text("&" * 4000),)),
    Paragraph((Text("word & word\n" * 400),)),
    Paragraph(tuple(Strong(f"<{number:05}> ") for number in range(500))),
    Paragraph((Text("w " * 900), Code("`<&>" * 500), Text(" w" * 900))),
    Heading(2, (Text("h<" * 1500),)),
    Bullets(tuple((Text(f"item {number}"), Code("<>")) for number in range(300))),
    Bullets(((Text("i>" * 1500),),)),
    Quote("said & so\n" * 400),
    Quote("👨\u200d👩\u200d👧" * 900),
    Quote("x" + "🇩🇪" * 1800),
    CodeBlock("line <1>\n" * 500),
    CodeBlock("<" * 2000),
    Paragraph((Link("l&" * 1600, "https://a.example/1"), Text(" after"))),
    Paragraph((Status("s&" * 1600, Tone.BAD),)),
]


@pytest.mark.parametrize("block", LONG)
def test_what_is_longer_than_a_section_goes_on_in_the_next(block: Block) -> None:
    sent = render_slack(Document((Part("all", 0, (block,)),)), budget=Budget(60_000, utf16_units))
    shown = sections(sent)
    assert len(shown) > 1
    assert all(0 < utf16_units(text) <= 3000 for text in shown)
    assert not any(read_mrkdwn(text).live for text in shown)
    words = "".join(read_mrkdwn(text).words for text in shown)
    assert words.replace("•", "") == meant_for_slack([block]).words.replace("•", "")


def test_a_text_longer_than_a_section_is_divided_between_words() -> None:
    shown = sections(message(Paragraph((Text("continental " * 611),))))
    assert len(shown) > 2
    assert {word.strip("\u200b") for text in shown for word in text.split()} == {"continental"}


def test_the_parts_left_out_are_named() -> None:
    parts = tuple(Part("evidence", rank, (Paragraph((Text("&" * 1000),)),)) for rank in range(4))
    sent = render_slack(Document(parts))
    assert "Left out, to fit here: evidence (2)." in sections(sent)[-1]
    assert sent.text.endswith("Left out, to fit here: evidence (2).")


@given(st.lists(documents, min_size=1, max_size=3), st.sampled_from([1, 30, 200]))
@settings(max_examples=25)
def test_every_limit_of_slack_holds_for_any_document(some: list[Document], times: int) -> None:
    parts = tuple(part for document in some for part in document.parts) * times
    sent = render_slack(Document(parts, some[0].volatile))
    assert utf16_units(sent.text) <= 12_000
    assert sum(utf16_units(block["text"]["text"]) for block in sent.blocks) <= 12_000
    assert len(sent.blocks) <= 10
    for block in sent.blocks:
        assert 0 < utf16_units(block["text"]["text"]) <= (150 if block["type"] == "header" else 3000)


@given(documents, st.integers(0, 400))
@settings(max_examples=50)
def test_every_budget_holds_and_nothing_comes_alive_in_it(document: Document, limit: int) -> None:
    sent = render_slack(document, budget=Budget(limit, utf16_units))
    assert utf16_units(sent.text) <= limit
    assert not read_mrkdwn(sent.text).live


@given(documents)
def test_a_strict_reader_finds_what_was_said_and_nothing_live(document: Document) -> None:
    sent = render_slack(document)
    reading = read_mrkdwn(sent.text)
    assert reading == meant_for_slack(document.blocks)
    headers = [read_mrkdwn(block["text"]["text"]) for block in sent.blocks if block["type"] == "header"]
    shown = headers + [read_mrkdwn(text) for text in sections(sent)]
    assert "".join(one.words for one in shown) == reading.words
    assert not [one.live for one in shown if one.live]
    assert not [one.forms for one in headers if one.forms]


@given(texts)
def test_no_data_forms_a_control_sequence(text: str) -> None:
    line = (Text(text), Strong(text), Code(text))
    written = rendered(Heading(1, line), Paragraph(line), Bullets((line,)), Quote(text), CodeBlock(text))
    assert "<" not in written
    assert ">" not in re.sub("(?m)^> ", "", written)


def test_the_strict_reader_sees_what_is_live() -> None:
    found = read_mrkdwn("<!here> <@U1> <https://a.b> *b* ~s~ _i_ `c` :x: https://x.y @u\n> q\n&gt; q & <")
    assert [kind for kind, _ in found.live] == [
        "control", "control", "control", "struck", "italic", "emoji", "address", "address", "quote", "stray",
        "stray",
    ]  # fmt: skip
    assert found.forms == [["bold", "b"], ["code", "c"], ["quote"]]


@pytest.mark.parametrize("text", ["/approve", "bors r+", "> /lgtm", "x\n/lgtm", "x\r\n/ok"])
def test_no_line_begins_with_a_bots_command(text: str) -> None:
    """C031."""
    line = (Text(text),)
    written = rendered(Heading(1, line), Paragraph(line), Bullets((line,)), Quote(text), CodeBlock(text))
    for one in written.splitlines():
        assert not re.match(r"[\s>•]*(/|bors)", one)
