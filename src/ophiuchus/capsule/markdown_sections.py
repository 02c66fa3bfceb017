"""Which field the parts of a Markdown text belong to: headings of a closed table name fields.

A heading's words count, not its level, case, number or markup. A heading of the table opens its field until
the next heading of its own or a higher level; a deeper heading that is not in the table belongs to the field.
The first heading of level 1, if it is not in the table, is the title. Blank lines and rules are layout.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ophiuchus.capsule.markdown_blocks import Block, BlockKind
from ophiuchus.capsule.model import Capsule
from ophiuchus.text.wording import json_excerpt

HEADINGS: Mapping[str, tuple[str, ...]] = {
    "goal": ("Goal", "Goals", "Objective"),
    "state": ("State", "Current state", "Status", "Current status", "Current progress", "Where it stands"),
    "next_action": ("Next action", "Next actions", "Next step", "Next steps"),
    "evidence": ("Evidence",),
    "rejected": (
        "Rejected",
        "Ruled out",
        "Tried and ruled out",
        "Failed attempts",
        "Failed approaches",
        "Dead ends",
        "What didn't work",
    ),
    "constraints": ("Constraints",),
    "open_questions": ("Open questions",),
    "paths": ("Paths",),
}
"""The headings that are read, by the field that each one names; `paths` stands for a git_paths condition."""
PATHS = "paths"

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


@dataclass(slots=True)
class LeftOut:
    """Lines that are in no field, and why; they count from 1. `by_heading`: their heading is not read."""

    first: int
    last: int
    why: str
    by_heading: bool = False


@dataclass(slots=True)
class Section:
    """What stands below one heading of the table: entries of one or more blocks each."""

    name: str
    line: int
    entries: list[list[Block]] = field(default_factory=list)

    @property
    def blocks(self) -> list[Block]:
        """The blocks of all entries."""
        return [block for entry in self.entries for block in entry]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the blocks below a heading go: into a section, or into an entry of one, or nowhere, and why."""

    level: int
    section: Section | None = None
    entry: list[Block] | None = None
    why: str = "they stand below no heading that names a field"
    by_heading: bool = False


@dataclass(frozen=True, slots=True)
class Sorted:
    """All blocks of a text: its title, its sections, empty ones too, and what belongs to neither."""

    title: Block | None
    sections: list[Section]
    left_out: list[LeftOut]


def sort_blocks(blocks: Sequence[Block], title: object = None) -> Sorted:
    """The parts of a text. Where `title` is given already, another one in the text is left out."""
    sorter = _Sorter(title)
    for block in blocks:
        sorter.take(block)
    return Sorted(sorter.title, sorter.sections, sorter.left_out)


class _Sorter:
    def __init__(self, title: object) -> None:
        self.title: Block | None = None
        self.sections: list[Section] = []
        self.left_out: list[LeftOut] = []
        self._given_title = title
        self._places = [_Place(0)]
        self._seen_level_one = False
        self._last_is_left_out = False

    def take(self, block: Block) -> None:
        """The next block."""
        if block.kind is BlockKind.HEADING:
            self._take_heading(block)
            return
        place = self._places[-1]
        if block.kind is BlockKind.RULE or (block.kind is BlockKind.ITEM and not block.text):
            return
        if place.section is None:
            self._leave_out(block, place.why, by_heading=place.by_heading)
        elif block.kind is BlockKind.COMMENT:
            self._leave_out(block, "a comment is no part of a field")
        elif place.entry is not None:
            self._add(block, place.entry)
        else:
            place.section.entries.append([])
            self._add(block, place.section.entries[-1])

    def _take_heading(self, block: Block) -> None:
        while self._places[-1].level >= block.level:
            self._places.pop()
        outer = self._places[-1]
        is_first_of_level_one = block.level == 1 and not self._seen_level_one
        self._seen_level_one = self._seen_level_one or block.level == 1
        if named := _FIELD_OF.get(_words(block.text)):
            self.sections.append(Section(named, block.first))
            self._last_is_left_out = False
            place = _Place(block.level, self.sections[-1])
        elif is_first_of_level_one:
            self._take_title(block)
            place = _Place(1)
        elif outer.section is not None:
            entry = outer.entry
            if entry is None:
                outer.section.entries.append(entry := [])
            self._add(block, entry)
            place = _Place(block.level, outer.section, entry)
        elif outer.by_heading or not block.text:
            place = _Place(block.level, why=outer.why, by_heading=outer.by_heading)
            self._leave_out(block, place.why, by_heading=place.by_heading)
        else:
            place = _Place(block.level, why=_why_unknown(block.text), by_heading=True)
            self._leave_out(block, place.why, by_heading=True)
        self._places.append(place)

    def _take_title(self, block: Block) -> None:
        if self._given_title is None:
            self.title = block if block.text else None
        elif block.text != self._given_title:
            self._leave_out(block, "the front matter gives the title")
            return
        self._last_is_left_out = False

    def _add(self, block: Block, entry: list[Block]) -> None:
        entry.append(block)
        self._last_is_left_out = False

    def _leave_out(self, block: Block, why: str, *, by_heading: bool = False) -> None:
        if self._last_is_left_out and self.left_out[-1].why == why:
            self.left_out[-1].last = block.last
        else:
            self.left_out.append(LeftOut(block.first, block.last, why, by_heading))
        self._last_is_left_out = True


def _words(heading: str) -> str:
    """What of a heading is compared: its words in lower case, without a number that counts headings."""
    text = heading.casefold().replace("\u2019", "'").replace("(s)", "s")
    words = _WORD.findall(text)
    if len(words) > 1 and words[0].isdecimal():
        words = words[1:]
    return " ".join(words)


_FIELD_OF = {_words(heading): name for name, headings in HEADINGS.items() for heading in headings}


def _why_unknown(heading: str) -> str:
    key = _words(heading).replace(" ", "_")
    hint = f"; give `{key}` in the front matter" if key in Capsule.model_fields else ""
    return f"the heading {json_excerpt(heading)} names no field that is read{hint}"
