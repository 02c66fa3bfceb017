r"""Document -> the wiki markup of Jira Data Center, in which nothing that came from data is live.

The order is fixed: clean, break with a zero-width space what Jira acts on whatever stands before it, then put
a backslash before what has a meaning. Measured with Atlassian's own parser: a backslash is not believed in
emphasis, before what ends a link's label, or before a pipe in a cell. So data is emphasised only where
nothing in it had to be escaped, a label that could end its link stands before it, and in a cell a pipe is a
look-alike. Every line that begins with data begins with a zero-width space: headings, quotes and lists start
at a line's start, and so do the commands of bots. A mention is broken in code too, since who is told may be
found in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ophiuchus.text.clean import clean
from ophiuchus.views.budget import WIKI, Budget, render_within
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Finish,
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
    unchanged,
)
from ophiuchus.views.render.inert import ACTING, ZERO_WIDTH, broken, joined, line_start

_FIRST_LEVEL = 2
"""A document's own heading is a second-level one here: it stands below the ticket's summary."""
_FOLD_LEVEL = 6
"""There are no folds in this markup: what would be folded stands under the smallest heading."""
_PIPE_IN_CELL = "\u2223"

# Besides what acts everywhere: mentions, macros, files, issue keys, emoticons, entities, and the backslash
# itself, or two of them would be a line break and one an escape.
_LIVE = re.compile(
    rf"""{ACTING}
    | \[(?=~)
    | \{{(?=[a-z])
    | \b(?:file|news)(?=:)
    | (?<![a-z0-9_])[a-z][a-z0-9_]*-(?=[0-9])
    | [:;](?=-?(?:[()]|[pd](?![a-z0-9])))
    | \((?=(?:[ynix/!+?*-]|\*[rgby]|on|off|flag|flagoff)\))
    | &(?=[#a-z])
    | \\""",
    re.IGNORECASE | re.VERBOSE,
)
_ESCAPES = str.maketrans({character: "\\" + character for character in "{}[]!|*_+-^~?#"} | {"\t": " "})
_LIVE_IN_CODE = re.compile(r"\{(?=noformat)|\[(?=~)", re.IGNORECASE)
_STARTS_A_BLOCK = re.compile(r"(?:h[1-6]|bq)\.")
_ENDS_A_LABEL = re.compile(r"[\[\]|!\\\n]")


def render_wiki(document: Document, *, budget: Budget = WIKI, finish: Finish = unchanged) -> str:
    """The markup to send, within `budget`; empty where the budget leaves no room at all.

    `finish` fills in what is known only when the document fits; it must not make it longer.
    """
    return render_within(budget, document, finish, _sent).rstrip("\n")


def _sent(blocks: tuple[Block, ...]) -> str:
    # A list and a table take their last newline for their own, so theirs is one more: else the first line
    # of the paragraph below would be one by itself.
    return "".join(f"{_block(block)}\n\n" for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Heading(level, line):
            return _heading(level + _FIRST_LEVEL - 1, line)
        case Paragraph(line):
            return _inlines(line).replace("\n", f"\n{ZERO_WIDTH}")
        case Bullets(items):
            return "".join(f"* {_one_line(item)}\n" for item in items)
        case Table():
            return _table(block)
        case Quote(text):
            return f"{{quote}}\n{_lines(_escaped(clean(text)))}\n{{quote}}"
        case CodeBlock(text):
            return f"{{noformat}}\n{_lines(broken(clean(text), _LIVE_IN_CODE))}\n{{noformat}}"
        case Graph():
            return _block(block.in_words())
        case Details(summary, blocks):
            return f"{_heading(_FOLD_LEVEL, summary)}\n\n{_sent(blocks)}".rstrip("\n")


def _heading(level: int, line: Line) -> str:
    return f"h{min(level, 6)}. {_one_line(line)}"


def _lines(text: str) -> str:
    return "\n".join(ZERO_WIDTH + line for line in text.split("\n"))


def _table(table: Table) -> str:
    head = _row("||", (_cell((Text(name),)) for name in table.head))
    rows = "".join(_row("|", map(_cell, row)) for row in table.rows)
    more = f"\n\n… and {table.more:,} more." if table.more else ""
    return f"{head}{rows}{more}"


def _row(bar: str, cells: Iterable[str]) -> str:
    return f"{bar} {f' {bar} '.join(cells)} {bar}\n"


def _cell(line: Line) -> str:
    return _inlines(line, in_cell=True).replace("\n", " ")


def _one_line(line: Line) -> str:
    return _inlines(line).replace("\n", " ")


def _inlines(line: Line, *, in_cell: bool = False) -> str:
    simple = [node for node in _simple(line, in_cell) if node != Text("")]
    nodes = tuple(_formatted_where_it_holds(simple))
    return line_start(nodes) + "".join(map(_inline, joined(nodes)))


def _simple(line: Line, in_cell: bool) -> Iterator[Inline]:
    """The line cleaned, in nodes that this markup has; what it would not believe is a text."""
    for node in line:
        match node:
            case Status(value, tone):
                yield from _simple((Text(f"{tone.sign} "), Strong(value)), in_cell)
            case Link(label, target):
                yield from _link(_cleaned(label, in_cell), target)
            case Code(value):
                yield _own(Code, _cleaned(value, in_cell).replace("\n", " "))
            case Strong(value):
                text = _cleaned(value, in_cell)
                yield _own(Strong, text) if _is_plain(text) else Text(text)
            case Text(value):
                yield Text(_cleaned(value, in_cell))


def _cleaned(text: str, in_cell: bool) -> str:
    return clean(text).replace("|", _PIPE_IN_CELL) if in_cell else clean(text)


def _own(kind: type[Strong | Code], text: str) -> Strong | Code | Text:
    """Emphasis has to hug its words; where there is none, or a blank at an end, the text is plain."""
    return kind(text) if text and text.strip() == text else Text(text)


def _is_plain(text: str) -> bool:
    """Whether nothing in it could be syntax: within emphasis it is read anew, from a line's start."""
    return _escaped(text) == text and "\n" not in text and not _STARTS_A_BLOCK.match(text)


def _link(label: str, target: str) -> Iterator[Text | Link]:
    if "[" in target:
        # An address of this machine in brackets: this markup has no way to link it.
        yield Text(f"{label} {target}")
    elif _ENDS_A_LABEL.search(label):
        yield Text(f"{label} ")
        yield Link("", target)
    else:
        yield Link(label.strip(), target)


def _formatted_where_it_holds(nodes: list[Inline]) -> Iterator[Inline]:
    """The nodes, emphasis kept only between characters that let it begin and end."""
    for before, node, after in zip([None, *nodes], nodes, [*nodes[1:], None], strict=False):
        match node:
            case Strong(value) | Code(value) if not (_lets_begin(before) and _lets_end(after)):
                yield Text(value)
            case _:
                yield node


def _lets_begin(before: Inline | None) -> bool:
    return before is None or (isinstance(before, Text) and before.value[-1] in " (")


def _lets_end(after: Inline | None) -> bool:
    return after is None or (isinstance(after, Text) and after.value[0] in " .,;:)")


def _inline(node: Inline) -> str:
    match node:
        case Strong(value):
            return f"*{value}*"
        case Code(value):
            return f"{{{{{_escaped(value)}}}}}"
        case Link("", target):
            return f"[{target}]"
        case Link(label, target):
            return f"[{ZERO_WIDTH}{_escaped(label)}|{target}]"
        case _:
            return _escaped(node.value)


def _escaped(text: str) -> str:
    return broken(text, _LIVE).translate(_ESCAPES)
