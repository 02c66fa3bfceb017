"""What a Jira text is to Jira, and what a document should be to it.

Both forms that we send are read as one: Atlassian's own parser makes of wiki markup the same kind of document
that we send to Jira Cloud (a node process, tests/views/atlassian).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

from gfm_readings import Reading, bare

from ophiuchus.text.clean import clean
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Heading,
    Inline,
    Line,
    Link,
    Paragraph,
    Quote,
    Status,
    Table,
)

PACKAGES = Path(__file__).parents[1] / "views" / "atlassian"
NO_NODE = "node or its packages are missing: npm ci --prefix tests/views/atlassian"
_LOOK_ALIKE_PIPE = "\u2223"


def judge_is_installed() -> bool:
    return shutil.which("node") is not None and (PACKAGES / "node_modules" / "ajv").is_dir()


class AtlassianJudge:
    """Jira's parser of wiki markup, and its schema and editor's rules for documents, in one process."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            ["node", PACKAGES / "judge.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def read(self, wiki: str) -> Reading:
        return read_adf(self.parsed(wiki))

    def parsed(self, wiki: str) -> Any:
        """The document that a text is to Jira."""
        return self._answer({"wiki": wiki})

    def complaint(self, adf: Any) -> str | None:
        """What the published schema or the editor has against a document; None where both take it."""
        answer = self._answer({"adf": adf})
        return None if answer is None else str(answer)

    def _answer(self, question: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


# Read.


def read_adf(document: Any) -> Reading:
    """The blocks, our links, and every node or mark that is neither words nor their emphasis."""
    found = Reading([])
    blocks = [form for node in document["content"] for form in _block(node, found)]
    return Reading(_bare(blocks), [[_bare(label), href] for label, href in found.links], found.live)


def _block(node: Any, found: Reading) -> Iterator[list[Any]]:
    content = node.get("content", [])
    match node["type"]:
        case "heading":
            yield ["heading", node["attrs"]["level"], _flat(content, found)]
        case "paragraph":
            yield ["paragraph", _flat(content, found)]
        case "bulletList":
            yield ["list", [_inner(item, found) for item in content]]
        case "table":
            yield ["table", [[_inner(cell, found) for cell in row["content"]] for row in content]]
        case "blockquote":
            yield ["quote", _inner(node, found)]
        case "codeBlock":
            yield ["code", _flat(content, found)]
        case "expand":
            yield ["open", node["attrs"]["title"]]
            yield from _inner(node, found)
            yield ["close"]
        case other:
            found.live.append([other, json.dumps(node)])


def _inner(node: Any, found: Reading) -> list[Any]:
    return [form for child in node.get("content", []) for form in _block(child, found)]


def _flat(nodes: Any, found: Reading) -> str:
    words = ""
    for node in nodes:
        if node["type"] == "hardBreak":
            words += "\n"
        elif node["type"] != "text":
            found.live.append([node["type"], json.dumps(node)])
        else:
            words += node["text"]
            for mark in node.get("marks", []):
                if mark["type"] == "link":
                    found.links.append([node["text"], mark["attrs"]["href"]])
                elif mark["type"] not in {"strong", "code"}:
                    found.live.append([mark["type"], node["text"]])
    return words


# What should be read.


def meant(blocks: Iterable[Block], *, folds: bool) -> list[Any]:
    """What any reader should find in these blocks; without `folds` they are open, below a small heading."""
    return list(_bare([form for block in blocks for form in _meant(block, folds)]))


def _meant(block: Block, folds: bool) -> Iterator[list[Any]]:
    match block:
        case Heading(level, line):
            yield ["heading", min(level + 1, 6), _one_line(line)]
        case Paragraph(line):
            yield ["paragraph", _words(line)]
        case Bullets(items):
            yield ["list", [[["paragraph", _one_line(item)]] for item in items]]
        case Table(head, rows, more):
            names = [[["paragraph", clean(name).replace("\n", " ")]] for name in head]
            cells = [[[["paragraph", _one_line(cell)]] for cell in row] for row in rows]
            yield ["table", [names, *cells]]
            if more:
                yield ["paragraph", f"… and {more:,} more."]
        case Quote(text):
            yield ["quote", [["paragraph", clean(text)]]]
        case CodeBlock(text):
            yield ["code", clean(text)]
        case Details(summary, blocks):
            yield ["open", _one_line(summary)] if folds else ["heading", 6, _one_line(summary)]
            yield from [form for inner in blocks for form in _meant(inner, folds=False)]
            if folds and not blocks:
                yield ["paragraph", ""]
            if folds:
                yield ["close"]


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
        case Link(label, target):
            return clean(label) or target
        case _:
            return clean(node.value)


def _bare(value: Any) -> Any:
    if isinstance(value, list):
        return [_bare(item) for item in value]
    return bare(value.replace(_LOOK_ALIKE_PIPE, "|")) if isinstance(value, str) else value
