r"""Document -> GitHub Flavored Markdown in which nothing that came from data is live.

The order is fixed: clean, break what GitHub links with a zero-width space, then escape what Markdown reads.
A backslash alone does not stop GitHub's own filters, which run on the text after Markdown is done, so each
thing they look for is broken in the text itself (measured with remark-github). A line that would begin with
data begins with a zero-width space: no block syntax can start there, and no bot finds its command at a line's
start (case C031). In code nothing is linked, but bots read the source, so handles are broken there too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from ophiuchus.text.clean import clean
from ophiuchus.views.budget import COMMENT, Budget, fit
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
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
    Table,
    Text,
    unchanged,
)

ZERO_WIDTH = "\u200b"

_FIRST_LEVEL = 3
"""A document's own heading is a third-level one here: it stands below the pull request's or the job's."""

# Each match gets a zero-width space behind it: handles and e-mail addresses, references, schemes and hosts
# that link by themselves, emoji codes, alerts, and commit ids (seven digits are enough for GitHub).
_LIVE = re.compile(
    r"@|\#(?!\ufe0f)|gh-|:(?=//|[\w+-]+:)|www(?=\.)|(?:mailto|xmpp)(?=:)|\[(?=!)|[0-9a-f]{6}(?=[0-9a-f])",
    re.IGNORECASE,
)
_ESCAPES = str.maketrans(
    {character: "\\" + character for character in "\\`*_[]~|!#"}
    | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
    # GitHub finds formulas in spite of the backslash; a dollar without a neighbour is none.
    | {"$": rf"{ZERO_WIDTH}\${ZERO_WIDTH}"}
)
_HTML_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": f"{ZERO_WIDTH}${ZERO_WIDTH}"})
_BACKTICKS = re.compile("`+")
_PIPE = re.compile(r"\\?\|")


def render_gfm(document: Document, *, budget: Budget = COMMENT, finish: Finish = unchanged) -> str:
    """The Markdown to send, within `budget`; empty where the budget leaves no room at all.

    `finish` fills in what is known only when the document fits; it must not make it longer.
    No `<!--` of data comes out whole, so that what marks a comment as ours can be put before it by the one
    who sends it, and nowhere else be found (cases C046, C082).
    """
    fitted = fit(document, budget.limit, lambda blocks: budget.measure(_sent(blocks)))
    return _sent(finish(fitted).blocks).removesuffix("\n")


def _sent(blocks: tuple[Block, ...]) -> str:
    return "".join(f"{_block(block)}\n\n" for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Heading(level, line):
            return f"{'#' * min(level + _FIRST_LEVEL - 1, 6)} {_one_line(line)}"
        case Paragraph(line):
            return _line_start(line) + _inlines(line).replace("\n", f"\\\n{ZERO_WIDTH}")
        case Bullets(items):
            return "\n".join(f"- {_line_start(item)}{_one_line(item)}" for item in items)
        case Table():
            return _table(block)
        case Quote(text):
            return f"> {ZERO_WIDTH}" + _prose(clean(text)).replace("\n", f"\\\n> {ZERO_WIDTH}")
        case CodeBlock(text):
            return _code_block(text)
        case Details(summary, blocks):
            return f"<details>\n<summary>{_html(summary)}</summary>\n\n{_sent(blocks)}</details>"


def _line_start(line: Line) -> str:
    """What keeps a line's first word from being read as syntax or as a bot's command."""
    return ZERO_WIDTH if not line or isinstance(line[0], Text) else ""


def _one_line(line: Line) -> str:
    return _inlines(line).replace("\n", " ")


def _inlines(line: Line, *, in_cell: bool = False) -> str:
    written = ""
    for node in _joined(line):
        piece = _inline(node, in_cell)
        if piece and piece[0] in "`*" and written.endswith(piece[0]):
            written += ZERO_WIDTH
        written += piece
    return written


def _joined(line: Line) -> Iterator[Inline]:
    """The line with neighbouring texts as one, or a reference could hide in the seam."""
    for texts, nodes in groupby(line, lambda node: isinstance(node, Text)):
        if texts:
            yield Text("".join(node.value for node in nodes if isinstance(node, Text)))
        else:
            yield from nodes


def _inline(node: Inline, in_cell: bool) -> str:
    match node:
        case Text(value):
            return _prose(clean(value))
        case Strong(value):
            return _strong(clean(value))
        case Status(value, tone):
            return f"{tone.sign} {_strong(clean(value))}"
        case Code(value):
            return _code(clean(value), in_cell)
        case Link(label, target):
            return f"[{_prose(clean(label))}]({target})"


def _broken(text: str) -> str:
    return _LIVE.sub(lambda found: found[0] + ZERO_WIDTH, text)


def _broken_in_code(text: str) -> str:
    """GitHub links nothing in code, but bots and the finder of our own comment read the source."""
    return text.replace("@", f"@{ZERO_WIDTH}").replace("<!--", f"<!{ZERO_WIDTH}--")


def _prose(text: str) -> str:
    return _broken(text).translate(_ESCAPES).replace("\t", " ")


def _strong(text: str) -> str:
    # Emphasis next to a blank or a sign is read by rules that depend on the neighbours; next to this, never.
    first, last = ("" if end.isalnum() else ZERO_WIDTH for end in (text[:1], text[-1:]))
    return f"**{first}{_prose(text)}{last}**"


def _code(text: str, in_cell: bool) -> str:
    text = _broken_in_code(text.replace("\n", " ")) or ZERO_WIDTH
    if in_cell:
        text = _PIPE.sub(_escaped_pipe, text)
    ticks = "`" * (_longest_run(text) + 1)
    padding = (
        " " if text[0] == "`" or text[-1] == "`" or (text[0] == text[-1] == " " and text.strip(" ")) else ""
    )
    return f"{ticks}{padding}{text}{padding}{ticks}"


def _escaped_pipe(found: re.Match[str]) -> str:
    # Two backslashes before a pipe would escape each other and end the cell.
    return (f"\\{ZERO_WIDTH}" if found[0] != "|" else "") + r"\|"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _code_block(text: str) -> str:
    text = _broken_in_code(clean(text))
    fence = "`" * max(3, _longest_run(text) + 1)
    lines = "\n".join(ZERO_WIDTH + line for line in text.split("\n"))
    return f"{fence}\n{lines}\n{fence}"


def _table(table: Table) -> str:
    head = _row(_prose(clean(name)).replace("\n", " ") for name in table.head)
    rule = _row("---" for _ in table.head)
    rows = "".join("\n" + _row(map(_cell, row)) for row in table.rows)
    more = f"\n\n… and {table.more:,} more." if table.more else ""
    return f"{head}\n{rule}{rows}{more}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(line: Line) -> str:
    return _inlines(line, in_cell=True).replace("\n", " ")


def _html(line: Line) -> str:
    """A line inside a block of HTML, where Markdown is not read but GitHub's filters still run."""
    return "".join(map(_html_inline, _joined(line))).replace("\n", " ")


def _html_inline(node: Inline) -> str:
    match node:
        case Text(value):
            return _html_text(value)
        case Strong(value):
            return f"<strong>{_html_text(value)}</strong>"
        case Status(value, tone):
            return f"{tone.sign} <strong>{_html_text(value)}</strong>"
        case Code(value):
            return f"<code>{_broken_in_code(clean(value)).translate(_HTML_ESCAPES)}</code>"
        case Link(label, target):
            return f'<a href="{target}">{_html_text(label)}</a>'


def _html_text(text: str) -> str:
    return _broken(clean(text)).translate(_HTML_ESCAPES)
