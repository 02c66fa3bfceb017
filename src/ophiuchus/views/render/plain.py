"""Document -> text for a person at a terminal.

Making each line harmless is the terminal's own task. Here it is kept apart which lines are ours: a newline
that came from data goes on behind a bar, and everything folded is indented.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from ophiuchus.text.clean import clean
from ophiuchus.views.document import (
    Block,
    Bullets,
    CodeBlock,
    Details,
    Document,
    Graph,
    Heading,
    Inline,
    Line,
    Link,
    Paragraph,
    Quote,
    Status,
    Table,
)

_INDENT = "  "
_GAP = "  "
_NO_COLUMN = ("Mn", "Me", "Cf")
"""The kinds of characters that are drawn onto or beside the one before: marks and joiners."""


def render_plain(document: Document, width: int | None = None) -> str:
    """The document as lines, with a newline at the end.

    `width` is the terminal's, in columns: a table that is wider is told row by row. None: no limit.
    """
    return "".join(f"{line}\n" for line in _lines(document.blocks, width))


def _lines(blocks: Iterable[Block], width: int | None) -> Iterator[str]:
    for number, block in enumerate(blocks):
        if number:
            yield ""
        yield from _block(block, width)


def _block(block: Block, width: int | None) -> Iterator[str]:
    match block:
        case Heading(_, line) | Paragraph(line):
            first, *rest = _inlines(line).split("\n")
            yield first
            yield from map(_barred, rest)
        case Bullets(items):
            yield from (f"- {_one_line(item)}" for item in items)
        case Table():
            yield from _table(block, width)
        case Quote(text) | CodeBlock(text):
            yield from map(_barred, clean(text).split("\n"))
        case Graph():
            yield from _block(block.in_words(), width)
        case Details(summary, blocks):
            yield _one_line(summary)
            inner = None if width is None else width - len(_INDENT)
            yield from (_INDENT + line if line else "" for line in _lines(blocks, inner))


def _barred(line: str) -> str:
    return f"| {line}".rstrip()


def _one_line(line: Line) -> str:
    return _inlines(line).replace("\n", " ")


def _inlines(line: Line) -> str:
    return "".join(map(_inline, line))


def _inline(node: Inline) -> str:
    match node:
        case Status(value, tone):
            return f"{tone.sign} {clean(value)}"
        case Link(label, target):
            return f"{clean(label)} <{target}>"
        case _:
            return clean(node.value)


def _table(table: Table, width: int | None) -> Iterator[str]:
    head = [clean(name).replace("\n", " ") for name in table.head]
    rows = [[_one_line(cell) for cell in row] for row in table.rows]
    columns = [max(map(_columns, column)) for column in zip(head, *rows, strict=True)]
    if width is None or sum(columns) + len(_GAP) * (len(columns) - 1) <= width:
        for row in (head, ["-" * wide for wide in columns], *rows):
            yield _GAP.join(map(_padded, row, columns)).rstrip()
    else:
        for row in rows:
            yield row[0]
            yield from (f"{_INDENT}{name}: {cell}" for name, cell in zip(head[1:], row[1:], strict=True))
    if table.more:
        yield f"… and {table.more:,} more."


def _padded(cell: str, columns: int) -> str:
    return cell + " " * (columns - _columns(cell))


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(character) in _NO_COLUMN
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )
