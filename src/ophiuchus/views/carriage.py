"""What a verdict document carries of the capsules themselves, and the line in it that says so.

The line's place is kept while the document is fitted to its surface; only what is left then counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ophiuchus.assess.fidelity import DECLARED, Carriage, Consumer, Extent
from ophiuchus.assess.verdicts import COMMIT_CHARACTERS
from ophiuchus.capsule.model import Capsule
from ophiuchus.capsule.places import Place, places_of, texts_at
from ophiuchus.text.clean import clean
from ophiuchus.text.wording import counted
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Heading,
    Inline,
    Line,
    Paragraph,
    Part,
    Quote,
    Table,
    Text,
)
from ophiuchus.views.phrases import cut_name

# Where a text is shown in one line, a reader sees neither its ends of lines nor several blanks in a row.
_LOST_IN_A_LINE = re.compile(r"[\n\t]|  |^ | $")

LINE = "the fidelity of this view"
"""The name of the part with the line."""


def fidelity_line(units: int, whole: int | None = None, in_part: int | None = None) -> Part:
    """How many critical units the view carries; without counts the longest line there can be."""
    whole = units if whole is None else whole
    in_part = units if in_part is None else in_part
    carries = f"this view carries {whole:,} whole and {in_part:,} in part"
    said = Text(f"Fidelity: of {counted(units, 'critical unit')} {carries}. A hand-off is read with ")
    return Part(LINE, 1, (Paragraph((said, Code("ophiuchus receive"), Text("."))),))


def with_line(document: Document, line: Part) -> Document:
    """The document with `line` in the place that was kept for it, if that is still there."""
    return replace(document, parts=tuple(line if part.name == LINE else part for part in document.parts))


def carried(document: Document, capsules: Iterable[Capsule]) -> dict[str, Carriage]:
    """What the document carries of each capsule's critical places, by the capsule's id.

    A row or a fold is about the capsule whose id it begins with. A text is whole where all of it stands
    there, in part where its beginning does.
    """
    shown = _texts_by_capsule(document)
    return {
        capsule.capsule_id: dict(_carried(capsule, "\n".join(shown[capsule.capsule_id])))
        for capsule in capsules
    }


def _carried(capsule: Capsule, shown: str) -> Iterator[tuple[Place, Extent]]:
    declared = DECLARED[Consumer.SUMMARY]
    for unit in capsule.critical:
        if unit.kind in declared:
            for place in places_of(capsule, unit):
                yield place, _extent(texts_at(capsule, place), shown)


def _extent(texts: Iterable[str], shown: str) -> Extent:
    found = {_extent_of(text, shown) for text in texts}
    if found <= {Extent.WHOLE}:
        return Extent.WHOLE
    return Extent.PART if found & {Extent.WHOLE, Extent.PART} else Extent.NONE


def _extent_of(text: str, shown: str) -> Extent:
    if text in shown and clean(text) == text and not _LOST_IN_A_LINE.search(text):
        return Extent.WHOLE
    begun = (cut_name(text).removesuffix("…"), *text.splitlines()[:1], text[:COMMIT_CHARACTERS])
    return Extent.PART if any(one.strip() and one.strip() in shown for one in begun) else Extent.NONE


def _texts_by_capsule(document: Document) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for block in document.blocks:
        for about, texts in _regions(block):
            found[about] += texts
    return found


def _regions(block: Block) -> Iterator[tuple[str, list[str]]]:
    """The parts of a block that are about one capsule each, with their texts."""
    match block:
        case Table(rows=rows):
            for row in rows:
                yield from _region(row[0], [node for cell in row for node in cell])
        case Details(summary, blocks):
            yield from _region(summary, [*summary, *_nodes(blocks)])
            for inner in blocks:
                yield from _regions(inner)


def _region(first: Line, nodes: Iterable[Inline]) -> Iterator[tuple[str, list[str]]]:
    if first and isinstance(first[0], Code):
        yield first[0].value, [node.value for node in nodes]


def _nodes(blocks: Iterable[Block]) -> Iterator[Inline]:
    for block in blocks:
        match block:
            case Heading(_, line) | Paragraph(line):
                yield from line
            case Bullets(items):
                for line in items:
                    yield from line
            case Table(rows=rows):
                for row in rows:
                    for cell in row:
                        yield from cell
            case Quote(text) | CodeBlock(text):
                yield Text(text)
            case Details(summary, inner):
                yield from summary
                yield from _nodes(inner)
