"""Fitting a document into a surface's limit: whole parts and whole rows go, in a fixed order, and it is said.

What is measured is what would be sent, after cleaning and escaping, so nothing is ever cut inside a fence, a
table or a fold (design §6; case C068).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ophiuchus.views.document import Block, Details, Document, Finish, Paragraph, Part, Table, Text


def utf16_units(text: str) -> int:
    """Length as a surface may count "characters": never less than the number of characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_bytes(text: str) -> int:
    """Length in bytes as written to a file."""
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be sent, in the unit that `measure` counts."""

    limit: int
    measure: Callable[[str], int]


COMMENT = Budget(59_999, utf16_units)
"""A pull request comment or an issue: under 60,000 characters (the platform refuses 65,537)."""

JIRA = Budget(30_000, len)
"""A Jira Cloud description or comment, in characters of the JSON that is sent (Jira refuses 32,768)."""

WIKI = Budget(30_000, utf16_units)
"""A Jira Data Center description or comment (Jira refuses 32,768)."""

CLICKUP = Budget(30_000, utf16_units)
"""A task's description or comment; no limit is documented."""

SLACK = Budget(12_000, utf16_units)
"""All texts of one message's blocks; somewhat over 13,000 are refused."""

SLACK_BLOCK = Budget(3_000, utf16_units)
"""The text of one block of a message (documented)."""

SLACK_HEADER = Budget(150, utf16_units)
"""The text of a header block (documented)."""

TEAMS = Budget(12_000, utf16_units)
"""A channel message's HTML: about 28 KB are taken for everything, counted as UTF-16."""

SUMMARY_BYTES = 999_999
"""A job summary with all that its step wrote: under 1,000,000 bytes (over 1,048,576 nothing is shown)."""


def summary_budget(already_written: int) -> Budget:
    """What is left of the job summary after `already_written` bytes."""
    return Budget(SUMMARY_BYTES - already_written, utf8_bytes)


def render_within(
    budget: Budget, document: Document, finish: Finish, sent: Callable[[tuple[Block, ...]], str]
) -> str:
    """`document` fitted into `budget`, finished, and written by `sent`, block by block."""
    fitted = fit(document, budget.limit, lambda blocks: budget.measure(sent(blocks)))
    return sent(finish(fitted).blocks)


def fit(document: Document, limit: int, size: Callable[[tuple[Block, ...]], int]) -> Document:
    """`document` without what does not fit into `limit`.

    `size` measures blocks as they will be sent, what joins them to their neighbours included, in the unit of
    `limit`; it is called a few times a part. Parts go from the highest rank down and from the last to the
    first within a rank; before one goes, its tables lose rows from their end if that is enough. One that can
    be said in brief is, when the turn of that comes, which is a rank of its own. A closing paragraph names
    what was left out. Where not even that fits, the document is empty.
    """
    sizes = [size(part.blocks) for part in document.parts]
    room = limit - sum(sizes) - size(document.volatile)
    if room >= 0:
        return document
    room -= size(_left_out(document.parts).blocks)
    kept: list[Part | None] = list(document.parts)
    for place, part in _turns(document.parts):
        if room >= 0:
            break
        if part.brief:
            kept[place] = part.in_brief()
            brief = size(part.brief.blocks)
            sizes[place], room = brief, room + sizes[place] - brief
        else:
            kept[place] = _with_fewer_rows(part, sizes[place] + room, size)
            room = 0 if kept[place] else room + sizes[place]
    if room < 0:
        return Document(())
    gone = [part for part, still in zip(document.parts, kept, strict=True) if still is None]
    note = (_left_out(gone),) if gone else ()
    return replace(document, parts=tuple(part for part in kept if part) + note)


def _turns(parts: Sequence[Part]) -> list[tuple[int, Part]]:
    """Each part and its place, in the order in which they go; one with a brief form first with it."""
    turns = [(part.rank, place, part.in_brief()) for place, part in enumerate(parts)]
    turns += [(part.brief.rank, place, part) for place, part in enumerate(parts) if part.brief]
    return [(place, part) for _, place, part in sorted(turns, key=lambda turn: (-turn[0], -turn[1]))]


def _left_out(parts: Iterable[Part]) -> Part:
    counts = Counter(part.name for part in parts)
    names = ", ".join(name if count == 1 else f"{name} ({count:,})" for name, count in counts.items())
    return Part("what was left out", 0, (Paragraph((Text(f"Left out, to fit here: {names}."),)),))


def _with_fewer_rows(part: Part, limit: int, size: Callable[[tuple[Block, ...]], int]) -> Part | None:
    """The part with as many rows in its tables as fit into `limit`; None where one is too many."""
    fits, over = 0, max(map(_most_rows, part.blocks), default=0)
    while over - fits > 1:
        rows = (fits + over) // 2 if fits else 1
        if size(_cut_tables(part.blocks, rows)) <= limit:
            fits = rows
        elif not fits:
            return None
        else:
            over = rows
    return replace(part, blocks=_cut_tables(part.blocks, fits)) if fits else None


def _most_rows(block: Block) -> int:
    match block:
        case Table(rows=rows):
            return len(rows)
        case Details(blocks=blocks):
            return max(map(_most_rows, blocks), default=0)
        case _:
            return 0


def _cut_tables(blocks: tuple[Block, ...], rows: int) -> tuple[Block, ...]:
    return tuple(_cut_table(block, rows) for block in blocks)


def _cut_table(block: Block, rows: int) -> Block:
    match block:
        case Table() if len(block.rows) > rows:
            return replace(block, rows=block.rows[:rows], more=block.more + len(block.rows) - rows)
        case Details():
            return replace(block, blocks=_cut_tables(block.blocks, rows))
        case _:
            return block
