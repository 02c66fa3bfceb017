"""What a Markdown text is to a reader who did not write it, and what a document should be to that reader.

Two readers: remark with GitHub's references and mentions (a node process, tests/views/gfm), and markdown-it
with what GitHub's filters look for in text. Both give the same form: blocks in order, each a list of its kind
and its text, a fold as `open` and `close`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Self

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from ophiuchus.text.clean import clean
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Graph,
    Heading,
    Inline,
    Line,
    Link,
    Paragraph,
    Quote,
    Status,
    Strong,
    Table,
    Text,
)

ZERO_WIDTH = "\u200b"
PACKAGES = Path(__file__).parents[1] / "views" / "gfm"
NO_NODE = "node or its packages are missing: npm ci --prefix tests/views/gfm"


@dataclass(frozen=True)
class Reading:
    """What a reader found: the blocks, the links (label, address), and all else that is live."""

    blocks: list[Any]
    links: list[list[str]] = field(default_factory=list)
    live: list[list[str]] = field(default_factory=list)


def judge_is_installed() -> bool:
    return shutil.which("node") is not None and (PACKAGES / "node_modules" / "remark-github").is_dir()


class Judge:
    """remark, remark-gfm and remark-github in one process for many texts."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            ["node", PACKAGES / "judge.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def read(self, markdown: str) -> Reading:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(markdown) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        folded, live = _folds(found["blocks"])
        return Reading(bare(folded), _one_line_labels(found["links"]), found["live"] + live)


# Read with markdown-it.

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_FILTERS = re.compile(
    r"@[a-z0-9]|#\d|\bgh-\d|://|\bwww\.|[0-9a-f]{7}|:[\w+-]+:|(?<!\u200b)\$|\$(?!\u200b)|\[!", re.IGNORECASE
)


def live_in_text(text: str) -> list[str]:
    """What GitHub's own filters would pick out of a text that Markdown has no part in."""
    return _FILTERS.findall(text)


def read_with_markdown_it(markdown: str) -> Reading:
    found = Reading([])
    blocks = [_block(node, found) for node in SyntaxTreeNode(_MARKDOWN.parse(markdown)).children]
    folded, live = _folds(blocks)
    return Reading(bare(folded), _one_line_labels(found.links), found.live + live)


def _block(node: SyntaxTreeNode, found: Reading) -> list[Any]:
    match node.type:
        case "heading":
            return ["heading", int(node.tag[1]), _flat(node, found)]
        case "paragraph":
            return ["paragraph", _flat(node, found)]
        case "bullet_list":
            return ["list", [[_block(child, found) for child in item.children] for item in node.children]]
        case "table":
            rows = [row for group in node.children for row in group.children]
            return ["table", [[_flat(cell, found) for cell in row.children] for row in rows]]
        case "blockquote":
            return ["quote", [_block(child, found) for child in node.children]]
        case "fence":
            return ["code", node.info, node.content.removesuffix("\n")]
        case "html_block":
            return ["html", node.content.strip("\n")]
        case other:
            found.live.append([other, node.content])
            return [other]


def _flat(node: SyntaxTreeNode, found: Reading) -> str:
    match node.type:
        case "text":
            found.live.extend(["text", hit] for hit in live_in_text(node.content))
            return node.content
        case "code_inline":
            return node.content
        case "hardbreak":
            return "\n"
        case "heading" | "paragraph" | "inline" | "strong" | "td" | "th":
            pass
        case "link":
            found.links.append(
                ["".join(_flat(child, found) for child in node.children), str(node.attrs["href"])]
            )
        case other:
            found.live.append([other, node.content])
    return "".join(_flat(child, found) for child in node.children)


# What HTML there is: folds, and nothing else.


def _folds(blocks: list[Any]) -> tuple[list[Any], list[list[str]]]:
    folded, live = [], []
    for block in blocks:
        if block[0] != "html":
            folded.append(block)
        elif block[1] == "</details>":
            folded.append(["close"])
        elif summary := re.fullmatch(r"<details>\n<summary>(.*)</summary>", block[1]):
            reader = _SummaryReader()
            reader.feed(summary[1])
            reader.close()
            folded.append(["open", reader.text, reader.tags])
            live += [["summary", hit] for text in reader.read for hit in live_in_text(text)]
        else:
            live.append(block)
    return folded, live


class _SummaryReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.read: list[str] = []
        """The texts that GitHub's filters look at: they leave code alone."""
        self.tags: list[str] = []
        self._in_code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_code = tag == "code"
        self.tags.append(" ".join([tag, *(value or "" for _, value in attrs)]))

    def handle_endtag(self, tag: str) -> None:
        self._in_code = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if not self._in_code:
            self.read.append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.append("comment")


# What should be read.


def meant(blocks: Iterable[Block]) -> Reading:
    """What any reader should find in these blocks."""
    blocks = tuple(blocks)
    links = [[clean(link.label), link.target] for link in _links(blocks)]
    return Reading(bare([form for block in blocks for form in _meant(block)]), _one_line_labels(links))


def _meant(block: Block) -> Iterator[list[Any]]:
    match block:
        case Heading(level, line):
            yield ["heading", min(level + 2, 6), _one_line(line)]
        case Paragraph(line):
            yield ["paragraph", _words(line)]
        case Bullets(items):
            yield ["list", [[["paragraph", _one_line(item)]] for item in items]]
        case Table(head, rows, more):
            head_row = [clean(name).replace("\n", " ") for name in head]
            yield ["table", [head_row, *([_one_line(cell) for cell in row] for row in rows)]]
            if more:
                yield ["paragraph", f"… and {more:,} more."]
        case Quote(text):
            yield ["quote", [["paragraph", clean(text)]]]
        case CodeBlock(text):
            yield ["code", "", clean(text)]
        case Graph(nodes, edges, more):
            marked = [place for place, node in enumerate(nodes) if node.marked]
            yield ["code", "mermaid", drawn([node.capsule_id for node in nodes], edges, marked)]
            if more:
                yield ["paragraph", f"… and {more:,} more."]
        case Details(summary, blocks):
            yield ["open", _one_line(summary), list(_tags(summary))]
            for inner in blocks:
                yield from _meant(inner)
            yield ["close"]


def drawn(ids: list[str], edges: Iterable[tuple[int, int]], marked: list[int]) -> str:
    """The flowchart that a graph is, in Mermaid's words."""
    lines = ["flowchart LR"]
    lines += [f'n{place}["{one.replace("_", "#95;")}"]' for place, one in enumerate(ids)]
    lines += [f"n{parent} --> n{child}" for parent, child in edges]
    if marked:
        lines.append("classDef marked stroke-width:3px,stroke-dasharray:6 3")
        lines.append(f"class {','.join(f'n{place}' for place in marked)} marked")
    return "\n".join(lines)


def _words(line: Line) -> str:
    return "".join(map(_word, line))


def _one_line(line: Line) -> str:
    return _words(line).replace("\n", " ")


def _word(node: Inline) -> str:
    match node:
        case Code(value):
            return clean(value).replace("\n", " ")
        case Status(value, tone):
            return f"{tone.sign} {clean(value)}"
        case Link(label, _, is_name):
            return clean(label).replace("\n", " ") if is_name else clean(label)
        case Text(value) | Strong(value):
            return clean(value)


def _tags(line: Line) -> Iterator[str]:
    for node in line:
        match node:
            case Code():
                yield "code"
            case Strong() | Status():
                yield "strong"
            case Link(_, target, is_name):
                yield f"a {target}"
                yield from ("code",) * is_name


def _links(blocks: Iterable[Block]) -> Iterator[Link]:
    for block in blocks:
        match block:
            case Heading(_, line) | Paragraph(line):
                yield from (node for node in line if isinstance(node, Link))
            case Bullets(items):
                yield from (node for item in items for node in item if isinstance(node, Link))
            case Table(_, rows):
                yield from (node for row in rows for cell in row for node in cell if isinstance(node, Link))
            case Details(_, inner):
                yield from _links(inner)


def _one_line_labels(links: list[list[str]]) -> list[list[str]]:
    return [[bare(label.replace("\n", " ")), target] for label, target in links]


def bare(value: Any) -> Any:
    """Without our zero-width spaces, and with blanks as Markdown keeps them; lists all the way down."""
    if isinstance(value, list):
        return [bare(item) for item in value]
    if isinstance(value, str):
        lines = value.replace(ZERO_WIDTH, "").split("\n")
        return "\n".join(re.sub(r"[ \t]+", " ", line).strip() for line in lines)
    return value
