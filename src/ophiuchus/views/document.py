"""The neutral document: what a composer says, before any surface's syntax.

Every string in it is data: renderers clean and escape all of it, so nothing in a document can be live on any
surface. The one thing that links is a `Link`, whose target this program built from configured origins and
checked ids.
"""

from __future__ import annotations

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class Link:
    """A link that we built; `target` is never taken from data."""

    label: str
    target: str


Inline = Text | Strong | Code | Link
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
    """An unordered list of one-line items."""

    items: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has as many cells as `head`."""

    head: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]


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


Block = Heading | Paragraph | Bullets | Table | Quote | CodeBlock | Details


@dataclass(frozen=True, slots=True)
class Part:
    """Blocks that stay or go together. `rank` 0 is always kept; the highest rank is dropped first.

    `name` says in words what is missing when the part was left out ("the details of 12 capsules").
    """

    name: str
    rank: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Parts in reading order. `volatile` (time, run) closes the document and is no part of what it says."""

    parts: tuple[Part, ...]
    volatile: tuple[Block, ...] = ()
