"""Document -> the HTML of a Teams message: our own few tags, and data between them only.

No mention can come of it: that takes an `<at>` of ours and an entry in the request, and neither is ever made.
A link is one that we built; a bare address in data is broken, since clients link those by themselves.
"""

from __future__ import annotations

from html import escape

from ophiuchus.text.clean import clean
from ophiuchus.views.budget import TEAMS, Budget, render_within
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Document,
    Finish,
    Heading,
    Inline,
    Line,
    Link,
    Paragraph,
    Quote,
    Status,
    Strong,
    Text,
    unchanged,
)
from ophiuchus.views.render.flat import FlatBlock, flattened
from ophiuchus.views.render.inert import ZERO_WIDTH, broken, joined, line_start

_LAST_LEVEL = 3
"""Headings go from `h1` to this level."""


def render_teams(document: Document, *, budget: Budget = TEAMS, finish: Finish = unchanged) -> str:
    """The body's HTML, within `budget`; empty where the budget leaves no room at all.

    `finish` fills in what is known only when the document fits; it must not make it longer.
    """
    return render_within(budget, document, finish, _html)


def _html(blocks: tuple[Block, ...]) -> str:
    return "".join(map(_block, flattened(blocks)))


def _block(block: FlatBlock) -> str:
    match block:
        case Heading(level, line):
            level = min(level, _LAST_LEVEL)
            return f"<h{level}>{_one_line(line)}</h{level}>"
        case Paragraph(line):
            return f"<p>{_in_lines(line_start(line) + _inlines(line))}</p>"
        case Bullets(items):
            return f"<ul>{''.join(f'<li>{_one_line(item)}</li>' for item in items)}</ul>"
        case Quote(text):
            return f"<blockquote>{ZERO_WIDTH}{_in_lines(_prose(text))}</blockquote>"
        case CodeBlock(text):
            return f"<pre>{ZERO_WIDTH}{_in_lines(escape(clean(text)))}</pre>"


def _one_line(line: Line) -> str:
    return line_start(line) + _inlines(line).replace("\n", " ")


def _in_lines(html: str) -> str:
    return html.replace("\n", f"<br>{ZERO_WIDTH}")


def _inlines(line: Line) -> str:
    return "".join(map(_inline, joined(line)))


def _inline(node: Inline) -> str:
    match node:
        case Text(value):
            return _prose(value)
        case Strong(value):
            return f"<b>{_prose(value)}</b>"
        case Status(value, tone):
            return f"{tone.sign} <b>{_prose(value)}</b>"
        case Code(value):
            return f"<code>{escape(clean(value))}</code>"
        case Link(label, target):
            return f'<a href="{escape(target)}">{_prose(label)}</a>'


def _prose(text: str) -> str:
    return escape(broken(clean(text)))
