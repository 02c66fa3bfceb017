r"""Blocks -> Markdown in which nothing that came from data is live.

The order is fixed: clean, break what the surface links with a zero-width space, then escape what Markdown
reads. A backslash alone does not stop a surface's own filters, which run on the text after Markdown is done,
so each thing they look for is broken in the text itself (measured with remark-github). A line that would
begin with data begins with a zero-width space: no block syntax can start there, and no bot finds its command
at a line's start (case C031). In code nothing is linked, but bots read the source, so handles are broken
there too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ophiuchus.text.clean import clean
from ophiuchus.text.fence import fence_for, longest_backticks
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
from ophiuchus.views.render.inert import ZERO_WIDTH, broken, joined, line_start

_FIRST_LEVEL = 3
"""A document's own heading is a third-level one here: it stands below the pull request's or the job's."""

_ESCAPES = str.maketrans(
    {character: "\\" + character for character in "\\`*_[]~|!#"}
    | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
    # GitHub finds formulas in spite of the backslash; a dollar without a neighbour is none.
    | {"$": rf"{ZERO_WIDTH}\${ZERO_WIDTH}"}
)
_HTML_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": f"{ZERO_WIDTH}${ZERO_WIDTH}"})
_MARKED = "  classDef marked stroke-width:3px,stroke-dasharray:6 3"
"""How a marked node of a graph is drawn: told apart without colour."""
_PIPE = re.compile(r"\\?\|")


@dataclass(frozen=True, slots=True)
class Markdown:
    """The Markdown of one surface. `live` matches what it acts on in prose, to be broken behind the match."""

    live: re.Pattern[str]

    def sent(self, blocks: tuple[Block, ...]) -> str:
        """The blocks as they are sent, each with the blank line that parts it from the next."""
        return "".join(f"{self._block(block)}\n\n" for block in blocks)

    def _block(self, block: Block) -> str:
        match block:
            case Heading(level, line):
                return f"{'#' * min(level + _FIRST_LEVEL - 1, 6)} {self._one_line(line)}"
            case Paragraph(line):
                return line_start(line) + self._inlines(line).replace("\n", f"\\\n{ZERO_WIDTH}")
            case Bullets(items):
                return "\n".join(f"- {line_start(item)}{self._one_line(item)}" for item in items)
            case Table():
                return self._table(block)
            case Quote(text):
                return f"> {ZERO_WIDTH}" + self.prose(clean(text)).replace("\n", f"\\\n> {ZERO_WIDTH}")
            case CodeBlock(text):
                return _code_block(text)
            case Graph():
                return _mermaid(block)
            case Details(summary, blocks):
                return f"<details>\n<summary>{self._html(summary)}</summary>\n\n{self.sent(blocks)}</details>"

    def _one_line(self, line: Line) -> str:
        return self._inlines(line).replace("\n", " ")

    def _inlines(self, line: Line, *, in_cell: bool = False) -> str:
        written = ""
        for node in joined(line):
            piece = self._inline(node, in_cell)
            if piece and piece[0] in "`*" and written.endswith(piece[0]):
                written += ZERO_WIDTH
            written += piece
        return written

    def _inline(self, node: Inline, in_cell: bool) -> str:
        match node:
            case Text(value):
                return self.prose(clean(value))
            case Strong(value):
                return self._strong(clean(value))
            case Status(value, tone):
                return f"{tone.sign} {self._strong(clean(value))}"
            case Code(value):
                return _code(clean(value), in_cell)
            case Link(label, target, is_name):
                said = _code(clean(label), in_cell) if is_name else self.prose(clean(label))
                return f"[{said}]({target})"

    def prose(self, text: str) -> str:
        """Cleaned words as Markdown that reads as just these words; a newline stays one."""
        return broken(text, self.live).translate(_ESCAPES).replace("\t", " ")

    def _strong(self, text: str) -> str:
        # Emphasis next to a blank or a sign is read by rules that depend on its neighbours; next to this not.
        first, last = ("" if end.isalnum() else ZERO_WIDTH for end in (text[:1], text[-1:]))
        return f"**{first}{self.prose(text)}{last}**"

    def _table(self, table: Table) -> str:
        head = _row(self.prose(clean(name)).replace("\n", " ") for name in table.head)
        rule = _row("---" for _ in table.head)
        rows = "".join("\n" + _row(map(self._cell, row)) for row in table.rows)
        more = f"\n\n… and {table.more:,} more." if table.more else ""
        return f"{head}\n{rule}{rows}{more}"

    def _cell(self, line: Line) -> str:
        return self._inlines(line, in_cell=True).replace("\n", " ")

    def _html(self, line: Line) -> str:
        """A line inside a block of HTML, where Markdown is not read but GitHub's filters still run."""
        return "".join(map(self._html_inline, joined(line))).replace("\n", " ")

    def _html_inline(self, node: Inline) -> str:
        match node:
            case Text(value):
                return self._html_text(value)
            case Strong(value):
                return f"<strong>{self._html_text(value)}</strong>"
            case Status(value, tone):
                return f"{tone.sign} <strong>{self._html_text(value)}</strong>"
            case Code(value):
                return _html_code(value)
            case Link(label, target, is_name):
                said = _html_code(label) if is_name else self._html_text(label)
                return f'<a href="{target}">{said}</a>'

    def _html_text(self, text: str) -> str:
        return broken(clean(text), self.live).translate(_HTML_ESCAPES)


def _broken_in_code(text: str) -> str:
    """GitHub links nothing in code, but bots and the finder of our own comment read the source."""
    return text.replace("@", f"@{ZERO_WIDTH}").replace("<!--", f"<!{ZERO_WIDTH}--")


def _html_code(text: str) -> str:
    return f"<code>{_broken_in_code(clean(text)).translate(_HTML_ESCAPES)}</code>"


def _code(text: str, in_cell: bool) -> str:
    text = _broken_in_code(text.replace("\n", " ")) or ZERO_WIDTH
    if in_cell:
        text = _PIPE.sub(_escaped_pipe, text)
    ticks = "`" * (longest_backticks(text) + 1)
    padding = (
        " " if text[0] == "`" or text[-1] == "`" or (text[0] == text[-1] == " " and text.strip(" ")) else ""
    )
    return f"{ticks}{padding}{text}{padding}{ticks}"


def _escaped_pipe(found: re.Match[str]) -> str:
    # Two backslashes before a pipe would escape each other and end the cell.
    return (f"\\{ZERO_WIDTH}" if found[0] != "|" else "") + r"\|"


def _code_block(text: str) -> str:
    text = _broken_in_code(clean(text))
    fence = fence_for(text)
    lines = "\n".join(ZERO_WIDTH + line for line in text.split("\n"))
    return f"{fence}\n{lines}\n{fence}"


def _mermaid(graph: Graph) -> str:
    """A flowchart. Of data it holds ids alone; an underscore could be emphasis in a label, so a code."""
    nodes = (f'  n{place}["{node.capsule_id}"]' for place, node in enumerate(graph.nodes))
    edges = (f"  n{parent} --> n{child}" for parent, child in graph.edges)
    marked = ",".join(f"n{place}" for place, node in enumerate(graph.nodes) if node.marked)
    style = (_MARKED, f"  class {marked} marked") if marked else ()
    lines = "\n".join(["flowchart LR", *nodes, *edges, *style]).replace("_", "#95;")
    more = f"\n\n… and {graph.more:,} more." if graph.more else ""
    return f"```mermaid\n{lines}\n```{more}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
