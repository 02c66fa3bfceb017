"""The neutral document: what a composer says, before any surface's syntax.

Every string in it is data: renderers clean and escape all of it, so nothing in a document can be live on any
surface. The one thing that links is a `Link`, whose target this program built from configured origins and
checked ids.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from ophiuchus.capsule.capsule_id import is_capsule_id

_TARGET = re.compile(
    r"(?:https://[A-Za-z0-9][A-Za-z0-9.-]*|http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]{1,5})?"
    r"(?:/[A-Za-z0-9._~%/-]*)?(?:\?[A-Za-z0-9._~%=-]+)?(?:#[A-Za-z0-9._-]+)?"
)


class NotATarget(ValueError):
    """A link's target is not one that this program would build."""


class NotAnId(ValueError):
    """What stands in a graph is no capsule's id."""


@dataclass(frozen=True, slots=True)
class Text:
    """Plain words."""

    value: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that carry the message."""

    value: str


@dataclass(frozen=True, slots=True)
class Code:
    """A name as it is spelled: an id, a path, a glob, a command."""

    value: str


class Tone(StrEnum):
    """How a state reads at a glance. Its sign only ever accompanies the word."""

    GOOD = "good"
    PART = "part"
    BAD = "bad"
    OPEN = "open"
    NONE = "none"

    @property
    def sign(self) -> str:
        """One character that is told apart from the others without colour."""
        return {"good": "✓", "part": "◐", "bad": "✗", "open": "?", "none": "·"}[self.value]


@dataclass(frozen=True, slots=True)
class Status:
    """A state in words, with its tone."""

    value: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Link:
    """A link that we built; `target` is never taken from data.

    `is_name`: what it says is a name as it is spelled, set as `Code` is where a surface has that in a link.
    Raises NotATarget unless it is https, or http to this machine, in characters that mean nothing to any
    surface's syntax.
    """

    label: str
    target: str
    is_name: bool = False

    def __post_init__(self) -> None:
        if not _TARGET.fullmatch(self.target):
            raise NotATarget(self.target)

    @property
    def value(self) -> str:
        """What it says, as any other node of a line has it."""
        return self.label


Inline = Text | Strong | Code | Status | Link
Line = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the document's own."""

    level: int
    line: Line


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph; a newline in its text stays a line break."""

    line: Line


@dataclass(frozen=True, slots=True)
class Bullets:
    """An unordered list of one-line items. Two that follow each other in a document are one."""

    items: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has as many cells as `head`. `more` counts the rows that are not in it."""

    head: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    more: int = 0

    def __post_init__(self) -> None:
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError("a row has more or fewer cells than the head")


@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody's words, set apart."""

    text: str


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Text shown exactly, in lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks folded under one line."""

    summary: Line
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A capsule in a graph. `marked` ones are told apart from the others.

    Raises NotAnId: in the one form that a drawing program reads, nothing stands but an id, letter by letter.
    """

    capsule_id: str
    marked: bool = False

    def __post_init__(self) -> None:
        if not is_capsule_id(self.capsule_id):
            raise NotAnId(self.capsule_id[:128])


@dataclass(frozen=True, slots=True)
class Graph:
    """Who is continued by whom: `edges` are places in `nodes`, each from a capsule to one that continues it.

    Drawn where the surface draws, told in words elsewhere. `more` counts the edges that are not in it.
    """

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]
    more: int = 0

    def in_words(self) -> Bullets:
        """The same as a list."""
        items: list[Line] = [
            (Code(self.nodes[child].capsule_id), Text(" continues "), Code(self.nodes[parent].capsule_id))
            for parent, child in self.edges
        ]
        if self.more:
            items.append((Text(f"and {self.more:,} more"),))
        return Bullets(tuple(items))


Block = Heading | Paragraph | Bullets | Table | Quote | CodeBlock | Details | Graph


@dataclass(frozen=True, slots=True)
class Brief:
    """Fewer words in a part's place: they take it when its turn at `rank` comes, before the part goes."""

    rank: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Blocks that stay or go together. Rank 0 goes last; the highest rank goes first.

    `name` says in words what is missing when parts of that name were left out ("capsule details").
    `brief` says itself what it leaves out.
    """

    name: str
    rank: int
    blocks: tuple[Block, ...]
    brief: Brief | None = None

    def in_brief(self) -> Part:
        """The part in the fewer words that it has."""
        return Part(self.name, self.rank, self.brief.blocks) if self.brief else self


@dataclass(frozen=True, slots=True)
class Document:
    """Parts in reading order. `volatile` (time, run) closes the document and is no part of what it says."""

    parts: tuple[Part, ...]
    volatile: tuple[Block, ...] = ()

    def lasting(self) -> Document:
        """What the document says: equal for two runs that found the same (design §6)."""
        return replace(self, volatile=())

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in reading order; lists that follow each other are one."""
        blocks: list[Block] = []
        for block in (*(block for part in self.parts for block in part.blocks), *self.volatile):
            last = blocks[-1] if blocks else None
            if isinstance(block, Bullets) and isinstance(last, Bullets):
                blocks[-1] = Bullets(last.items + block.items)
            else:
                blocks.append(block)
        return tuple(blocks)


Finish = Callable[[Document], Document]
"""Fills in a document what is known only when it was fitted to its surface."""


def unchanged(document: Document) -> Document:
    """A document with nothing to fill in."""
    return document
