"""Blocks and lines of a document as HTML: all text cleaned and escaped, no address but that of a `Link`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

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


def text_html(text: str) -> str:
    """Text, in an element or between the double quotes of an attribute."""
    return escape(clean(text))


def line_html(line: Line) -> str:
    """A line of text with its marks."""
    return "".join(map(_inline, line))


def blocks_html(blocks: Iterable[Block]) -> str:
    """Blocks one below the other, each ending its line."""
    return "".join(f"{_block(block)}\n" for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Heading(level, line):
            return f"<h{min(level, 6)}>{line_html(line)}</h{min(level, 6)}>"
        case Paragraph(line):
            return f"<p>{line_html(line).replace(chr(10), '<br>')}</p>"
        case Bullets(items):
            return f"<ul>{''.join(f'<li>{line_html(item)}</li>' for item in items)}</ul>"
        case Table():
            return "".join(_table(block))
        case Quote(text):
            return f"<blockquote>{text_html(text)}</blockquote>"
        case CodeBlock(text):
            # A reader drops one newline at the start.
            return f"<pre>\n{text_html(text)}</pre>"
        case Graph():
            return _block(block.in_words())
        case Details(summary, blocks):
            return f"<details>\n<summary>{line_html(summary)}</summary>\n{blocks_html(blocks)}</details>"


def _table(table: Table) -> Iterator[str]:
    yield '<div class="table"><table>\n<thead><tr>'
    yield from (f'<th scope="col">{text_html(name)}</th>' for name in table.head)
    yield "</tr></thead>\n<tbody>\n"
    for row in table.rows:
        yield "<tr>"
        yield from (f"<td>{line_html(cell)}</td>" for cell in row)
        yield "</tr>\n"
    yield "</tbody>\n</table></div>"
    if table.more:
        yield f'\n<p class="more">… and {table.more:,} more.</p>'


def _inline(node: Inline) -> str:
    match node:
        case Text(value):
            return text_html(value)
        case Strong(value):
            return f"<strong>{text_html(value)}</strong>"
        case Status(value, tone):
            return f'<span class="status {tone.value}">{tone.sign} {text_html(value)}</span>'
        case Code(value):
            return f"<code>{text_html(value)}</code>"
        case Link(label, target, is_name):
            said = _inline(Code(label) if is_name else Text(label))
            return f'<a href="{escape(target)}" rel="noreferrer">{said}</a>'
