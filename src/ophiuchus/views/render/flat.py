"""A document for a surface with fewer forms: nothing folded, no tables, or words alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ophiuchus.views.document import (
    Block,
    Bullets,
    CodeBlock,
    Details,
    Graph,
    Heading,
    Inline,
    Line,
    Paragraph,
    Quote,
    Status,
    Table,
    Text,
)
from ophiuchus.views.phrases import listed

FlatBlock = Heading | Paragraph | Bullets | Quote | CodeBlock

_SUMMARY_LEVEL = 3
"""What was the summary of a fold stands over its blocks as a heading of this level."""


def unfolded(blocks: Iterable[Block]) -> Iterator[Heading | Paragraph | Bullets | Table | Quote | CodeBlock]:
    """The blocks in reading order, with what was folded under a heading and what is drawn in words."""
    for block in blocks:
        if isinstance(block, Details):
            yield Heading(_SUMMARY_LEVEL, block.summary)
            yield from unfolded(block.blocks)
        elif isinstance(block, Graph):
            yield block.in_words()
        else:
            yield block


def flattened(blocks: Iterable[Block]) -> Iterator[FlatBlock]:
    """The blocks unfolded, with each row of a table as one item of a list."""
    for block in unfolded(blocks):
        if isinstance(block, Table):
            if block.rows:
                yield Bullets(tuple(_row_line(block.head, row) for row in block.rows))
            if block.more:
                yield Paragraph((Text(f"… and {block.more:,} more."),))
        else:
            yield block


def words_of(node: Inline) -> str:
    """What a node says, without its form and without where it leads."""
    return f"{node.tone.sign} {node.value}" if isinstance(node, Status) else node.value


def _row_line(head: tuple[str, ...], row: tuple[Line, ...]) -> Line:
    """The row as "condition: verdict"; of more than two cells, each after the first has its column's name."""
    first, *others = row
    if len(others) > 1:
        others = [(Text(f"{name}: "), *cell) for name, cell in zip(head[1:], others, strict=True) if cell]
    return (*first, Text(": "), *listed(others, between="; ")) if others else first
