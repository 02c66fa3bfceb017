"""Document -> one HTML page that stands alone: no script, no network, no font or picture from elsewhere.

All text is cleaned and escaped; the only addresses are those of `Link` nodes. The page forbids itself
everything but its own style sheet, named by its digest.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from importlib.resources import files

from ophiuchus.text.clean import clean
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
    Paragraph,
    Quote,
    Status,
    Strong,
    Table,
    Text,
)


def render_page(document: Document) -> str:
    """The document as a whole HTML page, ready to be written as UTF-8."""
    style = files(__package__).joinpath("page.css").read_text("utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    body = _blocks(block for part in document.parts for block in part.blocks)
    footer = f"<footer>\n{_blocks(document.volatile)}</footer>\n" if document.volatile else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_title(document)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"{body}{footer}</main>\n</body>\n</html>\n"
    )


def _title(document: Document) -> str:
    headings = (block.line for block in document.blocks if isinstance(block, Heading))
    return escape(clean("".join(map(_words, next(headings, (Text("Ophiuchus"),))))))


def _words(node: Inline) -> str:
    return node.label if isinstance(node, Link) else node.value


def _blocks(blocks: Iterable[Block]) -> str:
    return "".join(f"{_block(block)}\n" for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Heading(level, line):
            return f"<h{min(level, 6)}>{_line(line)}</h{min(level, 6)}>"
        case Paragraph(line):
            return f"<p>{_line(line).replace(chr(10), '<br>')}</p>"
        case Bullets(items):
            return f"<ul>{''.join(f'<li>{_line(item)}</li>' for item in items)}</ul>"
        case Table():
            return "".join(_table(block))
        case Quote(text):
            return f"<blockquote>{_text(text)}</blockquote>"
        case CodeBlock(text):
            # A reader drops one newline at the start.
            return f"<pre>\n{_text(text)}</pre>"
        case Graph():
            return _block(block.in_words())
        case Details(summary, blocks):
            return f"<details>\n<summary>{_line(summary)}</summary>\n{_blocks(blocks)}</details>"


def _table(table: Table) -> Iterator[str]:
    yield '<div class="table"><table>\n<thead><tr>'
    yield from (f'<th scope="col">{_text(name)}</th>' for name in table.head)
    yield "</tr></thead>\n<tbody>\n"
    for row in table.rows:
        yield "<tr>"
        for name, cell in zip(table.head, row, strict=True):
            yield f'<td data-name="{_text(name)}">{_line(cell)}</td>'
        yield "</tr>\n"
    yield "</tbody>\n</table></div>"
    if table.more:
        yield f'\n<p class="more">… and {table.more:,} more.</p>'


def _line(line: Line) -> str:
    return "".join(map(_inline, line))


def _inline(node: Inline) -> str:
    match node:
        case Text(value):
            return _text(value)
        case Strong(value):
            return f"<strong>{_text(value)}</strong>"
        case Status(value, tone):
            return f'<span class="status {tone.value}">{tone.sign} {_text(value)}</span>'
        case Code(value):
            return f"<code>{_text(value)}</code>"
        case Link(label, target):
            return f'<a href="{escape(target)}" rel="noreferrer">{_text(label)}</a>'


def _text(text: str) -> str:
    return escape(clean(text))
