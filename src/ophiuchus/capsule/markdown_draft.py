"""A capsule's draft in Markdown, such as a coding agent's notes.

Headings name fields (`markdown_sections`): a field of text gets what stands below its heading, as it is
written; a list field gets one entry for each list item (what is nested stays text), for each deeper heading
with all that it holds, and for each other paragraph, code block or quote. `Paths` becomes one git_paths
condition, of one pattern for each list item or each line of fenced code. Front matter, YAML between two lines
`---`, holds any field, and is where structured ones go. All else is left out and told; nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ophiuchus.capsule.markdown_blocks import Block, BlockKind, read_blocks
from ophiuchus.capsule.markdown_sections import HEADINGS, PATHS, LeftOut, Section, Sorted, sort_blocks
from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.problem import ProblemCode
from ophiuchus.text.wording import json_excerpt

PATHS_CONDITION = "paths"
"""The condition_id of what `Paths` becomes."""
TEXT_FIELDS = ("goal", "state", "next_action")

_RULER = re.compile(r"---[ \t]*$")
_CONFLICT = "<<<<<<< "


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that keeps a text from being a draft, with its line."""

    code: ProblemCode
    line: int
    message: str


class NotDraftMarkdown(Exception):
    """A Markdown text cannot be taken as a draft; `faults` says why."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = faults


@dataclass(frozen=True, slots=True)
class MarkdownDraft:
    """The document, the lines at which its fields and entries begin, and what it leaves out, in order."""

    document: dict[str, Any]
    lines: dict[Pointer, int]
    left_out: list[LeftOut]


def front_matter(lines: Sequence[str]) -> int:
    """How many lines the front matter takes, both rulers and blank lines before it too; 0 without one.

    Raises NotDraftMarkdown where it has no end.
    """
    first = next((number for number, line in enumerate(lines) if line.strip(" \t")), len(lines))
    if first == len(lines) or not _RULER.match(lines[first]):
        return 0
    for number in range(first + 1, len(lines)):
        if _RULER.match(lines[number]):
            return number + 1
    message = "begins front matter, which ends with another line ---, but there is none"
    raise NotDraftMarkdown((Fault(ProblemCode.NOT_YAML, first + 1, message),))


def read_notes(lines: Sequence[str], first: int, front: Mapping[str, Any]) -> MarkdownDraft:
    """The draft that these lines and the front matter before them make; the first has the number `first`.

    Raises NotDraftMarkdown: a text field given twice, one given in the front matter too, patterns that are
    none, a merge conflict.
    """
    blocks = read_blocks(lines, first)
    _refuse_conflict(blocks)
    return _Filler(front, sort_blocks(blocks, front.get("title"))).fill()


class _Filler:
    """Makes a document of the front matter and the sections."""

    def __init__(self, front: Mapping[str, Any], sorted_: Sorted) -> None:
        self._document = dict(front)
        self._sorted = sorted_
        self._lines: dict[Pointer, int] = {}
        self._faults: list[Fault] = []
        self._left_out = list(sorted_.left_out)

    def fill(self) -> MarkdownDraft:
        """The draft. Raises NotDraftMarkdown."""
        if (title := self._sorted.title) is not None:
            self._document["title"] = title.text
            self._lines["title",] = title.first
        for name in HEADINGS:
            sections = [one for one in self._sorted.sections if one.name == name and one.entries]
            if not sections:
                continue
            if name == PATHS:
                self._fill_paths(sections)
            elif self._document.get(name) is not None:
                self._fault(sections[0].line, f"`{name}` is given in the front matter too; keep one of them")
            elif name in TEXT_FIELDS:
                self._fill_text(name, sections)
            else:
                self._fill_list(name, sections)
        if self._faults:
            raise NotDraftMarkdown(tuple(self._faults))
        self._left_out.sort(key=lambda one: one.first)
        return MarkdownDraft(self._document, self._lines, self._left_out)

    def _fill_text(self, name: str, sections: Sequence[Section]) -> None:
        first, *more = sections
        for other in more:
            self._fault(other.line, f"`{name}` is given at line {first.line} already; keep one of them")
        self._document[name] = _joined(first.blocks)
        self._lines[name,] = first.line

    def _fill_list(self, name: str, sections: Sequence[Section]) -> None:
        found = [(entry[0].first, _joined(entry)) for section in sections for entry in section.entries]
        entries = [(line, text) for line, text in found if text]
        self._document[name] = [text for _, text in entries]
        self._lines[name,] = sections[0].line
        self._lines |= {(name, index): line for index, (line, _) in enumerate(entries)}

    def _fill_paths(self, sections: Sequence[Section]) -> None:
        found = [one for section in sections for block in section.blocks for one in self._patterns(block)]
        if not found:
            words = "`Paths` names no pattern: write each as a list item, such as - src/session/**"
            self._fault(sections[0].line, words)
            return
        conditions = self._document.get("validity")
        conditions = [] if conditions is None else conditions
        if not isinstance(conditions, list):
            return  # the front matter's own are refused for their shape
        patterns = [pattern for _, pattern in found]
        condition = {"condition_id": PATHS_CONDITION, "kind": "git_paths", "paths": patterns}
        self._document["validity"] = [*conditions, condition]
        own: Pointer = ("validity", len(conditions))
        self._lines[own] = sections[0].line
        self._lines |= {(*own, "paths", index): line for index, (line, _) in enumerate(found)}

    def _patterns(self, block: Block) -> Iterator[tuple[int, str]]:
        if block.kind is BlockKind.ITEM:
            pattern, rest = _split_item(block.text)
            if rest:
                why = f"only the pattern of an item counts, not {json_excerpt(rest)}"
                self._left_out.append(LeftOut(block.first, block.last, why))
            yield block.first, pattern
        elif block.kind is BlockKind.CODE and block.text.strip():
            for number, line in enumerate(block.text.split("\n"), block.first + 1):
                if line.strip():
                    yield number, line.strip()
        else:
            self._left_out.append(LeftOut(block.first, block.last, "below `Paths` only list items count"))

    def _fault(self, line: int, message: str) -> None:
        self._faults.append(Fault(ProblemCode.BAD_FIELD, line, message))


def _refuse_conflict(blocks: Sequence[Block]) -> None:
    for block in blocks:
        for number, line in enumerate(block.source.split("\n"), block.first):
            if line.startswith(_CONFLICT) and block.kind is not BlockKind.CODE:
                message = f"unresolved merge conflict at line {number}; resolve it"
                raise NotDraftMarkdown((Fault(ProblemCode.MERGE_CONFLICT, number, message),))


def _joined(blocks: Sequence[Block]) -> str:
    """The blocks as they are written, but a list item that is alone and a heading at the start unmarked."""
    first, *more = blocks
    is_unmarked = first.kind is BlockKind.HEADING or (first.kind is BlockKind.ITEM and not more)
    text, last = first.text if is_unmarked else first.source, first.last
    for block in more:
        text += ("\n" if block.first == last + 1 else "\n\n") + block.source
        last = block.last
    text = text.strip("\n").rstrip()
    indent = len(text) - len(text.lstrip(" "))
    return text[indent:] if indent <= 3 else text


def _split_item(text: str) -> tuple[str, str]:
    """The pattern in a list item, which may be in backticks, and what else the item says."""
    ticks = len(text) - len(text.lstrip("`"))
    if ticks and (end := re.search(rf"(?<!`)`{{{ticks}}}(?!`)", text[ticks:])):
        inside = text[ticks : ticks + end.start()]
        return inside.strip(), text[ticks + end.end() :].strip()
    pattern, _, rest = text.partition("\n")
    return pattern.strip(), rest.strip()
