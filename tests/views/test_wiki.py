"""Jira's wiki markup as it is written; what Jira reads in it: test_atlassian_judged."""

from __future__ import annotations

import re

import pytest
from hostile_documents import documents
from hypothesis import given

from ophiuchus.views.budget import WIKI, Budget, utf16_units
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
from ophiuchus.views.render.inert import ZERO_WIDTH as Z
from ophiuchus.views.render.wiki import render_wiki

TARGET = "https://a.example/x_y"


def rendered(*some: Block) -> str:
    return render_wiki(Document((Part("all", 0, some),)))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words.", "plain words."),
        ("a*b_c+d^e~f|g", r"a\*b\_c\+d\^e\~f\|g"),
        ("{a: 1}", rf"\{{{Z}a: 1\}}"),
        ("{1}", r"\{1\}"),
        ("[~jdoe]", rf"\[{Z}\~jdoe\]"),
        ("!a.png!", r"\!a.png\!"),
        ("https://a.example", f"https:{Z}//a.example"),
        ("mailto:a@b.example", f"mailto{Z}:a@{Z}b.example"),
        ("file:///x news:y", f"file{Z}:{Z}///x news{Z}:y"),
        ("profile: x", "profile: x"),
        (r"C:\x", rf"C:\{Z}x"),
        (r"\\", rf"\{Z}\{Z}"),
        (r"\*", rf"\{Z}\*"),
        ("OPH-7 oph_2-3", rf"OPH\-{Z}7 oph\_2\-{Z}3"),
        ("2026-11-30", r"2026\-11\-30"),
        (":) ;-) :D :Data", rf":{Z}) ;{Z}\-) :{Z}D :Data"),
        (":(x)", f":{Z}({Z}x)"),
        ("(x) (on) (xy)", f"({Z}x) ({Z}on) (xy)"),
        ("&#91; a & b", rf"&{Z}\#{Z}91; a & b"),
        ("a\tb", "a b"),
        ("a\n\nh1. b", f"a\n{Z}\n{Z}h1. b"),
    ],
)  # fmt: skip
def test_words_are_written_so_that_they_are_only_read(text: str, written: str) -> None:
    assert rendered(Paragraph((Text(text),))) == Z + written


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ((Strong("ab c"),), "*ab c*"),
        ((Strong("a_b"),), rf"{Z}a\_b"),
        ((Strong("h1. a"),), f"{Z}h1. a"),
        ((Strong("bq. a"),), f"{Z}bq. a"),
        ((Strong(" a"),), f"{Z} a"),
        ((Strong("a\nb"),), f"{Z}a\n{Z}b"),
        ((Code("a_b.py"),), r"{{a\_b.py}}"),
        ((Code("a\nb"),), "{{a b}}"),
        ((Code("a "),), f"{Z}a "),
        ((Code(""), Strong(""), Text("")), Z),
        ((Text("in "), Code("x"), Text(", (")), f"{Z}in {{{{x}}}}, ("),
        ((Text("x"), Code("y")), f"{Z}xy"),
        ((Code("x"), Text("y")), f"{Z}xy"),
        ((Text("—"), Strong("y")), f"{Z}—y"),
        ((Code("x"), Code("y")), f"{Z}xy"),
        ((Text("http"), Code(":"), Text("//x")), f"{Z}http:{Z}//x"),
        ((Status("stale", Tone.BAD), Text(" now")), f"{Z}✗ *stale* now"),
        ((Link("run 7", TARGET),), f"[{Z}run 7|{TARGET}]"),
        ((Link("a_b", TARGET),), rf"[{Z}a\_b|{TARGET}]"),
        ((Link("", TARGET),), f"[{TARGET}]"),
        ((Link("a|b", TARGET),), rf"{Z}a\|b [{TARGET}]"),
        ((Link("[x]", TARGET), Text(".")), rf"{Z}\[x\] [{TARGET}]."),
        ((Link("a\nb", TARGET),), f"{Z}a\n{Z}b [{TARGET}]"),
        ((Link("here", "http://[::1]:80/x"),), rf"{Z}here http:{Z}//\[::1\]:80/x"),
    ],
)
def test_emphasis_and_links_are_written_where_they_are_believed(line: Line, written: str) -> None:
    assert rendered(Paragraph(line)) == written


def test_each_block_has_its_markup() -> None:
    table = Table(
        ("a|b", "c"), (((Text("d\ne"),), ()), ((Code("f|g"),), (Status("ok", Tone.GOOD),))), more=1200
    )
    assert rendered(
        Heading(1, (Text("one\ntwo"),)),
        Heading(6, (Strong("x"),)),
        Bullets(((Text("x\ny"),), (Code("z"),))),
        Quote("q\nh1. r"),
        CodeBlock("a {noformat} [~b]\n\n  {c}"),
        table,
        Details((Text("all"),), (Paragraph((Text("in"),)), Details((), ()))),
    ) == "\n\n".join(
        (
            f"h2. {Z}one two",
            "h6. *x*",
            f"* {Z}x y\n* {{{{z}}}}\n",
            f"{{quote}}\n{Z}q\n{Z}h1. r\n{{quote}}",
            f"{{noformat}}\n{Z}a {{{Z}noformat}} [{Z}~b]\n{Z}\n{Z}  {{c}}\n{{noformat}}",
            f"|| {Z}a\u2223b || {Z}c ||\n| {Z}d e | {Z} |\n| {{{{f\u2223g}}}} | {Z}✓ *ok* |\n",
            "… and 1,200 more.",
            f"h6. {Z}all",
            f"{Z}in",
            f"h6. {Z}",
        )
    )


def test_c052_what_is_measured_is_what_is_sent() -> None:
    kept = [Part(name, 0, (Paragraph((Text(f"the {name}"),)),)) for name in ("goal", "next action")]
    state = Part("state", 1, (Quote("{*_" * 9_000),))
    sent = render_wiki(Document((kept[0], state, kept[1])))
    assert utf16_units(sent) <= 30_000
    assert "the goal" in sent
    assert "the next action" in sent
    assert "Left out, to fit here: state." in sent


@pytest.mark.parametrize(
    "text", ["/approve", "  /close not\\-planned", "bors r+", "@example-bot merge", "> /lgtm"]
)
def test_c031_no_line_begins_with_words_of_data(text: str) -> None:
    line = (Text(f"x\n{text}"),)
    written = rendered(Paragraph(line), Quote(f"x\n{text}"), CodeBlock(f"x\n{text}"), Bullets((line,)))
    assert not re.search(rf"^{re.escape(text[:3])}", written, re.MULTILINE)


@given(documents)
def test_no_line_of_data_can_reach_a_bot_and_no_mention_is_in_the_source(document: Document) -> None:
    written = render_wiki(document, budget=Budget(10_000_000, utf16_units))
    assert "[~" not in written
    assert len(re.findall(r"\{noformat\}", written)) % 2 == 0
    for line in written.split("\n"):
        assert re.match(rf"$|{Z}|h[1-6]\. |\* |\|\|? |\*[^* ]|\{{\{{|\[|\{{(quote|noformat)\}}$|… and ", line)


def test_the_budget_is_what_jira_takes_with_room_to_spare() -> None:
    assert Budget(30_000, utf16_units) == WIKI


def test_no_room_is_nothing() -> None:
    document = Document((Part("all", 0, (Paragraph((Text("x"),)),)),))
    assert render_wiki(document, budget=Budget(1, utf16_units)) == ""
