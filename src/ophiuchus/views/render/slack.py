"""Document -> a Slack message: blocks in Slack's own markup, and the same content as its `text`.

Escaping `&`, `<` and `>` is all that Slack knows, and it stops every mention, reference, date and link.
Nothing stops bold, code and the like: no escape exists, and a zero-width space counts as a neighbour that
formatting may have. So the characters that format are shown by others that look like them, except inside a
code span, where only the backtick is. Bare addresses are broken for `text`; in blocks Slack is told to link
nothing by itself.

Neighbouring blocks share a section up to its limit, so a message of 12,000 characters has at most ten of the
fifty blocks that are taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ophiuchus.text.clean import clean
from ophiuchus.text.cut import place_to_cut
from ophiuchus.views.budget import SLACK, SLACK_BLOCK, SLACK_HEADER, Budget, fit
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
from ophiuchus.views.render.flat import FlatBlock, flattened, words_of
from ophiuchus.views.render.inert import ZERO_WIDTH, broken, joined

_BETWEEN = "\n\n"

_CONTROLS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_FORMATS = str.maketrans({"*": "\u2217", "~": "\u223c", "`": "\u02cb"})
# Inside a word an underscore formats nothing.
_UNDERSCORE = re.compile("(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_BAR = "\u2223"
_BROADCAST = re.compile("@(?=here|channel|everyone)", re.IGNORECASE)

_WrittenLine = tuple[Line, Callable[[Line], str]]


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """`text` is what a notification and a client without blocks show; both say the same."""

    text: str
    blocks: list[dict[str, Any]]


def render_slack(document: Document, *, budget: Budget = SLACK, finish: Finish = unchanged) -> SlackMessage:
    """The message, its blocks' texts together and its `text` each within `budget`.

    Empty where the budget leaves no room at all. `finish` fills in what is known only when the document
    fits; it must not make it longer.
    """
    fitted = fit(document, budget.limit, lambda blocks: budget.measure(_sent(blocks)))
    blocks = finish(fitted).blocks
    return SlackMessage(_sent(blocks).removesuffix(_BETWEEN), list(_layout(blocks)))


def _sent(blocks: tuple[Block, ...]) -> str:
    return "".join(piece + _BETWEEN for piece in _pieces(blocks))


def _layout(blocks: tuple[Block, ...]) -> Iterator[dict[str, Any]]:
    header = _header(blocks[0]) if blocks else None
    if header:
        yield {"type": "header", "text": {"type": "plain_text", "text": header, "emoji": False}}
        blocks = blocks[1:]
    for text in _packed(_pieces(blocks), _BETWEEN):
        mrkdwn = {"type": "mrkdwn", "text": text, "verbatim": True}
        yield {"type": "section", "text": mrkdwn, "expand": True}


def _header(block: Block) -> str | None:
    """The document's own heading as a header, where one can hold it: no link, and nothing to escape."""
    if not isinstance(block, Heading) or block.level > 1 or any(isinstance(one, Link) for one in block.line):
        return None
    words = "".join(map(words_of, block.line)).replace("\n", " ")
    text = ZERO_WIDTH + broken(clean(words))
    fits = words.strip() and SLACK_HEADER.measure(text) <= SLACK_HEADER.limit
    return text if fits and text == text.translate(_CONTROLS) else None


def _pieces(blocks: Iterable[Block]) -> Iterator[str]:
    """Each block as one text, or as several where it is longer than a section may be."""
    for block in flattened(blocks):
        lines = (piece for line, written in _lines(block) for piece in _in_sections(line, written))
        yield from (piece for piece in _packed(lines, "\n") if piece.strip(f" \n{ZERO_WIDTH}"))


def _packed(pieces: Iterable[str], between: str) -> Iterator[str]:
    """The pieces joined, as many together as a section holds."""
    section: str | None = None
    for piece in pieces:
        longer = piece if section is None else f"{section}{between}{piece}"
        if section is not None and not _fits(longer):
            yield section
            longer = piece
        section = longer
    if section is not None:
        yield section


def _fits(text: str) -> bool:
    return SLACK_BLOCK.measure(text) <= SLACK_BLOCK.limit


def _lines(block: FlatBlock) -> Iterator[_WrittenLine]:
    match block:
        case Heading(_, line):
            words = (Strong(one.value) if isinstance(one, Text) else one for one in joined(line))
            yield tuple(words), _one_line
        case Paragraph(line):
            yield line, _paragraph
        case Bullets(items):
            yield from ((item, _item) for item in items)
        case Quote(text):
            yield (Text(text),), _quote
        case CodeBlock(text):
            yield (Code(text),), _code_block


def _in_sections(line: Line, written: Callable[[Line], str]) -> Iterator[str]:
    """The line as written; one that is longer than a section is divided before it is escaped."""
    text = written(line)
    if _fits(text):
        yield text
    else:
        for half in _halves(line):
            yield from _in_sections(half, written)


def _halves(line: Line) -> tuple[Line, ...]:
    if len(line) > 1:
        middle = len(line) // 2
        return line[:middle], line[middle:]
    match line[0]:
        case Link(label, _):
            return ((Text(label),),)
        case Status(value, tone):
            return (Text(f"{tone.sign} "),), (Strong(value),)
        case Text(value) | Strong(value) | Code(value) as node:
            return tuple((replace(node, value=half),) for half in _divided(clean(value)))


def _divided(text: str) -> tuple[str, str]:
    """The text in two, at the last line's end or blank of its first half if there is one."""
    middle = len(text) // 2
    end = text.rfind("\n", 1, middle)
    if end > 0:
        return text[:end], text[end + 1 :]
    cut = text.rfind(" ", 0, middle) + 1 or place_to_cut(text, middle)
    return text[:cut], text[cut:]


def _one_line(line: Line) -> str:
    return _inlines(line).replace("\n", " ")


def _paragraph(line: Line) -> str:
    return _begun(_inlines(line)).replace("\n", f"\n{ZERO_WIDTH}")


def _item(line: Line) -> str:
    return f"• {_begun(_one_line(line))}"


def _begun(written: str) -> str:
    """A line that begins with data kept from beginning with a mark of Slack's or with a bot's command."""
    return written if written.startswith(("*", "`", "<")) else ZERO_WIDTH + written


def _quote(line: Line) -> str:
    return f"> {ZERO_WIDTH}" + _inlines(line).replace("\n", f"\n> {ZERO_WIDTH}")


def _code_block(line: Line) -> str:
    text = "".join(_code_text(node.value) for node in line if isinstance(node, Code))
    return f"```\n{ZERO_WIDTH}" + text.replace("\n", f"\n{ZERO_WIDTH}") + "\n```"


def _inlines(line: Line) -> str:
    written = ""
    for node in joined(line):
        piece = _inline(node)
        if piece and written and _formats_nothing(written[-1], piece[0]):
            written += ZERO_WIDTH
        written += piece
    return written


def _formats_nothing(last: str, first: str) -> bool:
    """Whether one of our marks stands beside a word: there Slack would not take it for one."""
    return (last in "*`" and not first.isspace()) or (first in "*`" and not last.isspace())


def _inline(node: Inline) -> str:
    match node:
        case Text(value):
            return _prose(clean(value))
        case Strong(value):
            return _strong(clean(value))
        case Status(value, tone):
            return f"{tone.sign} {_strong(clean(value))}"
        case Code(value):
            return f"`{_code_text(value) or ZERO_WIDTH}`".replace("\n", " ")
        case Link(label, target):
            words = clean(label).replace("\n", " ")
            return f"<{target}|{_prose(words if words.strip() else target).replace('|', _BAR)}>"


def _prose(text: str) -> str:
    # The look-alike of a backtick is a letter, so it can be part of an emoji code: it must stand there first.
    return _UNDERSCORE.sub("\u02cd", broken(text.translate(_FORMATS))).translate(_CONTROLS)


def _strong(text: str) -> str:
    """In bold, with the blanks of its ends outside, where they do not undo it."""
    text = text.replace("\n", " ")
    words = text.strip()
    if not words:
        return text
    before, after = text[: text.index(words)], text[text.index(words) + len(words) :]
    return f"{before}*{_prose(words)}*{after}"


def _code_text(text: str) -> str:
    return broken(clean(text).replace("`", "\u02cb"), _BROADCAST).translate(_CONTROLS)
