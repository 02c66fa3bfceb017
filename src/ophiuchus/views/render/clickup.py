"""Document -> a ClickUp task's description (Markdown) and a comment on one (plain text).

ClickUp links more than GitHub does: bare domains, and a mention is written as a link to a user. So a dot
inside a name is broken too, and what would put a bracket beside a parenthesis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ophiuchus.text.clean import clean
from ophiuchus.views.budget import CLICKUP, Budget, render_within
from ophiuchus.views.document import (
    Block,
    Bullets,
    CodeBlock,
    Document,
    Finish,
    Heading,
    Line,
    Link,
    Paragraph,
    Quote,
    unchanged,
)
from ophiuchus.views.render.flat import FlatBlock, flattened, unfolded, words_of
from ophiuchus.views.render.inert import ACTING, ZERO_WIDTH, broken
from ophiuchus.views.render.markdown import Markdown

_ACTS = re.compile(rf"{ACTING}|(?<=\w)\.(?=[^\W\d_]{{2}})|/(?=/)|\](?=\()", re.IGNORECASE)
_MARKDOWN = Markdown(_ACTS)


def render_clickup(document: Document, *, budget: Budget = CLICKUP, finish: Finish = unchanged) -> str:
    """The `markdown_content` of a task, within `budget`; empty where the budget leaves no room at all.

    `finish` fills in what is known only when the document fits; it must not make it longer.
    """
    return render_within(budget, document, finish, _markdown).removesuffix("\n")


def render_clickup_comment(
    document: Document, *, budget: Budget = CLICKUP, finish: Finish = unchanged
) -> str:
    """The `comment_text` of a comment, as `render_clickup`: no syntax, so code is broken like all data."""
    return render_within(budget, document, finish, _plain).removesuffix("\n")


def _markdown(blocks: tuple[Block, ...]) -> str:
    return _MARKDOWN.sent(tuple(unfolded(blocks)))


def _plain(blocks: tuple[Block, ...]) -> str:
    return "".join("".join(f"{line}\n" for line in _lines(block)) + "\n" for block in flattened(blocks))


def _lines(block: FlatBlock) -> Iterator[str]:
    match block:
        case Heading(_, line):
            yield ZERO_WIDTH + _words(line).replace("\n", " ")
        case Paragraph(line):
            yield from (ZERO_WIDTH + one for one in _words(line).split("\n"))
        case Bullets(items):
            yield from (f"- {ZERO_WIDTH}" + _words(item).replace("\n", " ") for item in items)
        case Quote(text) | CodeBlock(text):
            yield from (f"> {ZERO_WIDTH}{one}" for one in _data(text).split("\n"))


def _words(line: Line) -> str:
    """The line's words. What all its data forms together is broken, so our own addresses are added after."""
    written, data = "", ""
    for node in line:
        data += words_of(node)
        if isinstance(node, Link):
            written += f"{_data(data)} <{node.target}>"
            data = ""
    return written + _data(data)


def _data(text: str) -> str:
    return broken(clean(text), _ACTS)
