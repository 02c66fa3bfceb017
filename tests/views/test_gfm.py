"""Markdown in which nothing that came from data is live; read back with markdown-it."""

from __future__ import annotations

import re

import pytest
from gfm_readings import ZERO_WIDTH, meant, read_with_markdown_it
from hostile_documents import apart, blocks, documents
from hypothesis import given
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
from ophiuchus.views.render.gfm import render_gfm

Z = ZERO_WIDTH


def rendered(*some: Block) -> str:
    return render_gfm(Document((Part("all", 0, some),))).removesuffix("\n")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words.", "plain words."),
        ("@octocat", f"@{Z}octocat"),
        ("#1", rf"\#{Z}1"),
        ("GH-1 gh-1 (GH-1", f"GH-{Z}1 gh-{Z}1 (GH-{Z}1"),
        ("high-level, though-2, rough-", f"high-level, though-{Z}2, rough-"),
        ("CVE-2024-1 cve-2024-1", f"CVE-{Z}2024-1 cve-{Z}2024-1"),
        ("GHSA-ab12-cd34-ef56", f"GHSA-{Z}ab12-cd34-ef56"),
        ("ABC-12 [A_B2-3] phase-2", rf"ABC-{Z}12 \[A\_B2-{Z}3\] phase-2"),
        ("https://a.example", f"https:{Z}//a.example"),
        ("WWW.a.example", f"WWW{Z}.a.example"),
        ("mailto:x", f"mailto{Z}:x"),
        ("a5c3785e", f"a5c378{Z}5e"),
        ("0123456789abc", f"012345{Z}6789ab{Z}c"),
        ("ABCDEF012-34 ABCDEFAB-3 ABCDEF0GH-3", f"ABCDEF{Z}012-34 ABCDEF{Z}AB-{Z}3 ABCDEF{Z}0GH-{Z}3"),
        ("123456", "123456"),
        (":tada:", f":{Z}tada:"),
        ("12:30", "12:30"),
        ("[!NOTE]", rf"\[{Z}\!NOTE\]"),
        ("$x$", rf"{Z}\${Z}x{Z}\${Z}"),
        ("a*b_c`d~e|f", r"a\*b\_c\`d\~e\|f"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("C:\\x", r"C:\\x"),
        ("#️⃣", "\\#️⃣"),
        ("a\tb", "a b"),
        ("a\nb", f"a\\\n{Z}b"),
        ("a\n\nb", f"a\\\n{Z}\\\n{Z}b"),
    ],
)
def test_prose_is_written_so_that_it_is_only_read(text: str, written: str) -> None:
    assert rendered(Paragraph((Text(text),))) == Z + written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("src/a.py", "`src/a.py`"),
        ("", f"`{Z}`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a```", "```` a``` ````"),
        (" a ", "`  a  `"),
        ("  ", "`  `"),
        (" a", "` a`"),
        ("a\nb", "`a b`"),
        ("@scope/x", f"`@{Z}scope/x`"),
        ("a|b", "`a|b`"),
    ],
)
def test_a_name_is_a_code_span_that_it_cannot_leave(text: str, written: str) -> None:
    assert rendered(Paragraph((Code(text),))) == written


def test_each_block_has_its_form() -> None:
    assert (
        rendered(
            Heading(1, (Text("Title #"),)),
            Bullets(((Text("one"),), (Code("two"),))),
            Table(("a|b", "c"), (((Code("x|y"),), ()),), more=1200),
            Quote("said\nthis"),
            CodeBlock("x\n```\n"),
            Details((Code("<id>"), Text(" & more")), (Paragraph((Strong("in"),)),)),
            Paragraph((Status("stale", Tone.BAD), Text(" "), Link("run 1", "https://a.example/1"))),
        )
        == f"""### Title \\#{Z}

- {Z}one
- `two`

| a\\|b | c |
| --- | --- |
| `x\\|y` |  |

… and 1,200 more.

> {Z}said\\
> {Z}this

````
{Z}x
{Z}```
{Z}
````

<details>
<summary><code>&lt;id&gt;</code> &amp; more</summary>

**in**

</details>

✗ **stale** [run 1](https://a.example/1)"""
    )


@pytest.mark.parametrize("level", range(1, 9))
def test_a_heading_is_never_deeper_than_markdown_knows(level: int) -> None:
    assert rendered(Heading(level, (Text("t"),))).startswith("#" * min(level + 2, 6) + " ")


@pytest.mark.parametrize(
    "text",
    ["/approve", "  /close not-planned", "bors r+", "@example-bot merge", "> /lgtm", "x\n/lgtm", "x\r\n/ok"],
)
def test_no_line_begins_with_a_bots_command(text: str) -> None:
    """C031."""
    line = (Text(text),)
    everywhere = rendered(
        Paragraph(line),
        Bullets((line,)),
        Quote(text),
        CodeBlock(text),
        Details(line, ()),
        Table((text,), ((line,),)),
    )
    for written in everywhere.splitlines():
        assert not re.match(r"[\s>-]*(/|bors|@)", written)
    assert "@e" not in everywhere


@pytest.mark.parametrize("run", ["```", "````", "`````", "~~~", "~~~~"])
def test_a_fence_is_longer_than_what_it_holds(run: str) -> None:
    """C034."""
    text = f"log:\n{run}\n## APPROVED\n![x](https://tracker.example.invalid/p.png)\n~~~\n<details open>"
    assert read_with_markdown_it(rendered(CodeBlock(text))).blocks == [["code", "", text]]


@pytest.mark.parametrize("text", ["cap|1\n| x | valid |", "a\\|b", "\\", "\\\\|", "`|`", "|", "a`\\|`\\"])
def test_a_cell_stays_one_cell(text: str) -> None:
    """C043."""
    table = Table(("a", "b", "c"), (((Text(text),), (Code(text),), (Strong(text),)),))
    assert read_with_markdown_it(rendered(table)) == meant([table])


def test_a_name_that_links_is_spelled_as_it_is() -> None:
    commit = Link("5c84d403e7", "https://a.example/commit/5c84d403e7", is_name=True)
    line = (Text("by "), commit)
    assert rendered(Paragraph(line)) == f"{Z}by [`5c84d403e7`]({commit.target})"
    assert f'by <a href="{commit.target}"><code>5c84d403e7</code></a>' in rendered(Details(line, ()))
    quoted = Link("a]`|b", commit.target, is_name=True)
    assert rendered(Table(("x",), (((quoted,),),))).endswith(rf"| [``a]`\|b``]({commit.target}) |")


@pytest.mark.parametrize(
    "data", ["<!-- ophiuchus a1 -->", "> <!-- ophiuchus a1 -->", "cap--><h1>x</h1><!--", "A --!> B"]
)
def test_data_never_forms_a_marker(data: str) -> None:
    """C046, C082."""
    links = (Link(data, "https://a.example/", is_name) for is_name in (False, True))
    line: Line = (Text(data), Code(data), Strong(data), *links)
    folded = Details(line, (Quote(data), CodeBlock(data)))
    document = Document((Part(data, 0, (Paragraph(line), folded, Table((data,), ((line,),)))),))
    for limit in (10_000, 100):
        assert "<!--" not in render_gfm(document, budget=Budget(limit, utf16_units))


def test_bidi_controls_do_not_arrive_and_arabic_does() -> None:
    """C107."""
    controls = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
    written = rendered(Paragraph((Text(f"{controls}مرحبا"), Code(f"{controls}שלום"))))
    assert written == f"{Z}مرحبا`שלום`"


def test_what_two_texts_would_form_together_is_broken_too() -> None:
    pieces = ["@", "octocat ", "#", "1 a5c", "3785 http", "://x ww", "w.x G", "H-1"]
    reading = read_with_markdown_it(rendered(Paragraph(tuple(map(Text, pieces)))))
    assert reading == meant([Paragraph((Text("".join(pieces)),))])


@given(documents)
def test_a_reader_finds_what_was_said_and_nothing_live(document: Document) -> None:
    assert read_with_markdown_it(render_gfm(document)) == meant(document.blocks)


@given(st.lists(blocks, max_size=3).map(apart))
def test_no_line_and_no_handle_of_data_can_reach_a_bot(some: tuple[Block, ...]) -> None:
    written = rendered(*some)
    assert "@" not in written.replace(f"@{Z}", "")
    assert "<!--" not in written
    for line in re.split(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", written):
        assert re.match(rf"$|{Z}|[#`*|✗◐✓·?\[…]|- |> {Z}|</?(details|summary)>", line)


@given(documents, st.integers(0, 400))
def test_every_budget_holds_and_nothing_is_left_open(document: Document, limit: int) -> None:
    """C068."""
    written = render_gfm(document, budget=Budget(limit, utf16_units))
    assert utf16_units(written) <= limit
    reading = read_with_markdown_it(written)
    assert not reading.live
    kinds = [block[0] for block in reading.blocks]
    assert kinds.count("open") == kinds.count("close")
