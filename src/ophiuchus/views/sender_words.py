"""The sender's words in a hand-off view: cut where they are long, and set so that they read as written.

A reader of most surfaces sees neither tabs nor several blanks in a row, and in an item of a list or a cell no
ends of lines either. What would lose those is set apart as a quotation or as a block of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ophiuchus.text.clean import clean
from ophiuchus.text.cut import place_to_cut
from ophiuchus.text.wording import counted
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Heading,
    Line,
    Paragraph,
    Quote,
    Table,
    Text,
)

CODE_COLUMNS = 100
"""Most characters of a line that is still read well in a block of code, which does not wrap."""

_LAYOUT = re.compile(r"\t|  |^ | $", re.MULTILINE)
_EDGE = re.compile(r"\A\n|\n\Z")


def shown(text: str, most: int, lines: int | None = None) -> str:
    """`text`, cleaned; if it has over `most` characters or `lines` lines, its beginning and how much follows.

    The cut is at the end of a word, and what is put behind it takes at most thirty characters more.
    """
    text = clean(text)
    body = text.strip("\n")
    head = body if lines is None else "\n".join(body.split("\n")[:lines])
    if len(head) > most:
        words = head[: most + 1].rsplit(maxsplit=1)
        head = words[0] if len(words) > 1 and len(words[0]) >= most // 2 else head[: place_to_cut(head, most)]
    if len(head) == len(body) and len(text) <= most:
        return text
    head = head.rstrip()
    left = len(body) - len(head)
    return f"{head}… ({counted(left, 'more character')})" if left else head


def prose(text: str) -> Block:
    """One text of several lines, perhaps: a block of code where its layout would be lost otherwise."""
    return CodeBlock(text) if _is_laid_out(text) else Paragraph((Text(text),))


def item(lead: Line, text: str) -> tuple[Block, ...]:
    """One text of a list behind `lead`; what has lines of its own is set apart below it."""
    if "\n" not in text:
        return (Bullets(((*lead, Text(text)),)),)
    apart = CodeBlock(text) if _is_laid_out(text) else Quote(text)
    return (Paragraph(lead), apart) if lead else (apart,)


def entry(line: Line) -> Block:
    """Several texts of one thing: an item of a list, or a paragraph where one has lines of its own."""
    return Paragraph(line) if any("\n" in node.value for node in line) else Bullets((line,))


def exact_texts(blocks: Iterable[Block]) -> frozenset[str]:
    """The texts in `blocks` of which a reader sees every character, on every surface."""
    return frozenset(_exact(blocks))


def _is_laid_out(text: str) -> bool:
    is_laid_out = "\n" in text and _LAYOUT.search(text)
    return bool(is_laid_out) and max(map(len, text.split("\n"))) <= CODE_COLUMNS


def _exact(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph(line):
                yield from _exact_in(line, lines=True)
            case Heading(_, line):
                yield from _exact_in(line)
            case Bullets(items):
                for line in items:
                    yield from _exact_in(line)
            case Table(rows=rows):
                for row in rows:
                    for cell in row:
                        yield from _exact_in(cell)
            case Quote(text):
                yield from _exact_in((Text(text),), lines=True)
            case CodeBlock(text):
                if clean(text) == text:
                    yield text
            case Details(summary, inner):
                yield from _exact_in(summary)
                yield from _exact(inner)


def _exact_in(line: Line, *, lines: bool = False) -> Iterator[str]:
    for node in line:
        text = node.value
        keeps_lines = lines and not isinstance(node, Code) and not _EDGE.search(text)
        if clean(text) == text and not _LAYOUT.search(text) and (keeps_lines or "\n" not in text):
            yield text
