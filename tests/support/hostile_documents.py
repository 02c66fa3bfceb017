"""Documents whose every text wants to be something else: for property tests of renderers."""

from __future__ import annotations

from hypothesis import strategies as st

from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Graph,
    Heading,
    Inline,
    Line,
    Link,
    Node,
    Paragraph,
    Part,
    Quote,
    Status,
    Strong,
    Table,
    Text,
    Tone,
)

NASTY = [
    "@octocat", "@octo/team", "[@octocat]", "mail@example.org", "#1", "octo/shop#2", "GH-3", "gh-4",
    "fixes #5", "https://github.com/o/r/issues/6", "http://", "www.example.org", "mailto:a@example.org",
    "xmpp:a@example.org", "ftp://x", "a5c3785", "a5c3785ed8d6a35868bc169f07e40e889087fd2e", "ABCDEF0",
    "octo@a5c3785", "octo/shop@a5c3785", "`", "``", "```", "````", "~", "~~~", "*", "**", "_", "__", "[",
    "]", "(", ")", "!", "![x](y)", "[x](y)", "[x][1]", "[x]: y", "[^1]", "[^1]: z", "[ ] ", "[x] ",
    "[!NOTE]", "<", ">", "<b>", "</details>", "<!--", "-->", "--!>", "<script>", "<https://x.y>", "<a@b.c>",
    "&", "&#64;u", "&lt;", "&copy;", "\\", "\\\\", "|", "\\|", "||", "-", "- ", "+ ", "1. ", "1) ", "# ",
    "#", "> ", "=", "===", "---", "***", "    ", "  ", " ", "\t", "\n", "\n\n", "\r", "\r\n", "\x0b",
    "\x0c", "\x85", "\u2028", "\0", "\u200b", "\u200d", "\u202e", "\ufeff", "\ud800", "$", "$$", "$`", "`$",
    "$x$", ":x:", ":", "::", "/approve", "bors r+", "x", "ab", "12", "é", "漢", "👩\u200d💻", "!important",
    "w", "ww", "gh", "-", ".", "{", "}", "\"",
    "{code}", "{code:title=", "{noformat}", "{quote}", "{color:red}", "{panel}", "{adf}", "{anchor:x}", "{*}",
    "{{", "}}", "[~", "[~jdoe]", "[~accountid:1]", "[^a.txt]", "!a.png!", "[x|https://x.y]", "h1. ", "bq. ",
    "* ", "----", "?", "??", "+", "^", ":)", "(x)", "(on)", ";-)", "ABC-1", "irc://x",
    "'", "evil.com", "//localhost", "://", "@here", "<!channel>", "<!subteam^S0000000|x>", "<@U0000000>",
    "<#C0000000|general>", "<!date^1^{date}|x>", "<https://x.y|z>", "&lt;!here&gt;", "&amp;lt;!here&amp;gt;",
    "<at id=\"0\">", "</pre>", "<br>", "[@Name](#user_mention#1)", "*b*", "_i_", "~s~", "`c`", "\u2217",
]  # fmt: skip

texts = st.lists(st.sampled_from(NASTY) | st.text(max_size=3), max_size=6).map("".join)
targets = st.sampled_from(["https://example.org/a/1", "http://127.0.0.1:8080/x"])
inlines: st.SearchStrategy[Inline] = st.one_of(
    st.builds(Text, texts),
    st.builds(Text, texts),
    st.builds(Strong, texts),
    st.builds(Code, texts),
    st.builds(Status, texts, st.sampled_from(Tone)),
    st.builds(Link, texts, targets, st.booleans()),
)
lines: st.SearchStrategy[Line] = st.lists(inlines, max_size=4).map(tuple)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    width = draw(st.integers(1, 3))
    row = st.lists(lines, min_size=width, max_size=width).map(tuple)
    head = draw(st.lists(texts, min_size=width, max_size=width).map(tuple))
    return Table(head, draw(st.lists(row, max_size=3).map(tuple)), draw(st.integers(0, 2000)))


plain_blocks: st.SearchStrategy[Block] = st.one_of(
    st.builds(Heading, st.integers(1, 6), lines),
    st.builds(Paragraph, lines),
    st.builds(Bullets, st.lists(lines, min_size=1, max_size=3).map(tuple)),
    tables(),
    st.builds(Quote, texts),
    st.builds(CodeBlock, texts),
)


def apart(blocks: list[Block]) -> tuple[Block, ...]:
    """The blocks with something before each list, since lists that follow each other read as one."""
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, Bullets):
            kept.append(Paragraph(()))
        kept.append(block)
    return tuple(kept)


def _folded(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    return st.builds(Details, lines, st.lists(inner, max_size=3).map(apart))


blocks: st.SearchStrategy[Block] = st.recursive(plain_blocks, _folded, max_leaves=4)
parts = st.builds(Part, texts, st.integers(0, 4), st.lists(blocks, max_size=3).map(apart))
documents: st.SearchStrategy[Document] = st.builds(
    Document,
    st.lists(parts, max_size=4).map(tuple),
    st.lists(blocks, max_size=1).map(apart),
)

ids = st.sampled_from(
    ["end", "www.example.org", "a5c3785", "gh-1", "a__b__", "1.", "x--", "o", "class", "A" * 128, "click"]
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Drawn on GitHub alone; every other surface tells one as the list that it stands for."""
    nodes = draw(st.lists(st.builds(Node, ids, st.booleans()), min_size=1, max_size=4).map(tuple))
    place = st.integers(0, len(nodes) - 1)
    edges = draw(st.lists(st.tuples(place, place), max_size=4).map(tuple))
    return Graph(nodes, edges, draw(st.integers(0, 2000)))
