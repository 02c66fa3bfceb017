"""Document -> Atlassian Document Format, the JSON that Jira Cloud takes for a description or a comment.

Nothing in it is ever read as syntax: a mention, a link, a picture are nodes and marks of their own, and data
becomes the value of text nodes only, or the title of a fold, which is a plain string. What Jira refuses is
not made either: no empty text node and none with a newline, `code` never with `strong`, nothing but
paragraphs in list items (case C049; Atlassian's own schema judges it in the tests).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ophiuchus.text.clean import clean
from ophiuchus.views.budget import JIRA, Budget, fit
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Finish,
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
    unchanged,
)

Node = dict[str, Any]
"""A node of the format, ready for `json.dumps`."""

_FIRST_LEVEL = 2
"""A document's own heading is a second-level one here: it stands below the ticket's summary."""
_FOLD_LEVEL = 6
"""A fold within a fold is not allowed around a table, so it is shown open, under the smallest heading."""


def render_adf(document: Document, *, budget: Budget = JIRA, finish: Finish = unchanged) -> Node:
    """The `doc` node to send, within `budget`; without words where the budget leaves no room at all.

    What is measured is the JSON text as `json.dumps` writes it, every escape counted. `finish` fills in what
    is known only when the document fits; it must not make it longer.
    """
    room = budget.limit - budget.measure(json.dumps(_doc([])))
    # The brackets that each measured list has around it pay for the comma that joins it to the next.
    fitted = fit(document, room, lambda blocks: budget.measure(json.dumps(_nodes(blocks))))
    return _doc(_nodes(finish(fitted).blocks))


def _doc(content: list[Node]) -> Node:
    # The editor takes no document without a block.
    return {"version": 1, "type": "doc", "content": content or [_paragraph(())]}


def _nodes(blocks: Iterable[Block], *, folded: bool = False) -> list[Node]:
    return [node for block in blocks for node in _block(block, folded)]


def _block(block: Block, folded: bool) -> Iterator[Node]:
    match block:
        case Heading(level, line):
            yield _heading(level + _FIRST_LEVEL - 1, line)
        case Paragraph(line):
            yield _paragraph(_inlines(line))
        case Bullets(items):
            if items:
                yield {"type": "bulletList", "content": [_holding("listItem", item) for item in items]}
        case Table():
            yield from _table(block)
        case Quote(text):
            yield {"type": "blockquote", "content": [_paragraph(_words(clean(text)))]}
        case CodeBlock(text):
            # The one place where the format wants the newlines in the text.
            yield {"type": "codeBlock", "content": list(_word(clean(text)))}
        case Graph():
            yield from _block(block.in_words(), folded)
        case Details(summary, blocks) if folded:
            yield _heading(_FOLD_LEVEL, summary)
            yield from _nodes(blocks, folded=True)
        case Details(summary, blocks):
            content = _nodes(blocks, folded=True) or [_paragraph(())]
            yield {"type": "expand", "attrs": {"title": _title(summary)}, "content": content}


def _heading(level: int, line: Line) -> Node:
    return {"type": "heading", "attrs": {"level": min(level, 6)}, "content": _one_line(line)}


def _paragraph(content: Iterable[Node]) -> Node:
    return {"type": "paragraph", "content": list(content)}


def _holding(kind: str, line: Line) -> Node:
    return {"type": kind, "content": [_paragraph(_one_line(line))]}


def _table(table: Table) -> Iterator[Node]:
    head = [_holding("tableHeader", (Text(name),)) for name in table.head]
    rows = [[_holding("tableCell", cell) for cell in row] for row in table.rows]
    yield {"type": "table", "content": [{"type": "tableRow", "content": cells} for cells in (head, *rows)]}
    if table.more:
        yield _paragraph(_words(f"… and {table.more:,} more."))


def _inlines(line: Line) -> Iterator[Node]:
    for node in line:
        yield from _inline(node)


def _one_line(line: Line) -> list[Node]:
    """The line where a break has no place: in a heading, a list item, a cell."""
    return [next(_word(" ")) if node["type"] == "hardBreak" else node for node in _inlines(line)]


def _inline(node: Inline) -> Iterator[Node]:
    match node:
        case Text(value):
            yield from _words(clean(value))
        case Strong(value):
            yield from _words(clean(value), {"type": "strong"})
        case Status(value, tone):
            yield from _word(f"{tone.sign} ")
            yield from _words(clean(value), {"type": "strong"})
        case Code(value):
            yield from _word(clean(value).replace("\n", " "), {"type": "code"})
        case Link(label, target):
            yield from _words(clean(label) or target, {"type": "link", "attrs": {"href": target}})


def _words(text: str, *marks: Node) -> Iterator[Node]:
    for number, line in enumerate(text.split("\n")):
        if number:
            yield {"type": "hardBreak"}
        yield from _word(line, *marks)


def _word(text: str, *marks: Node) -> Iterator[Node]:
    """One text node; none for an empty text."""
    if text and marks:
        yield {"type": "text", "text": text, "marks": list(marks)}
    elif text:
        yield {"type": "text", "text": text}


def _title(line: Line) -> str:
    """A fold's line, which can hold neither marks nor links."""
    return "".join(node["text"] for node in _one_line(line))
