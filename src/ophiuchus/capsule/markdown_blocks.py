"""The outermost blocks of a Markdown text, line by line, by CommonMark's rules for blocks.

Headings (with # or underlined), list items, fenced and indented code, quotes, rules and comments are told
apart as any Markdown reader does, so that `# comment` in code is no heading and what an item holds stays with
it. Inline markup is left as written. Simplified: of HTML only comments, processing instructions,
declarations, CDATA, `<pre>`, `<script>`, `<style>` and `<textarea>` are blocks of their own, link references
are paragraphs, and what is nested deeper than MAX_DEPTH is text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_DEPTH = 64

_BLANKS = " \t"
_LINE_END = re.compile(r"\r\n|\n|\r")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$")
_MARKER = re.compile(r"(?:[*+-]|([0-9]{1,9})[.)])(?=[ \t]|$)")
_ITEM_START = re.compile(r"[ \t]*(?:[*+-]|[0-9]{1,9}[.)])[ \t]*")
_RAW_TAG = "(?:script|pre|style|textarea)"
_HTML = (
    (re.compile(rf"<{_RAW_TAG}(?:[ \t>]|$)", re.IGNORECASE), re.compile(rf"</{_RAW_TAG}>", re.IGNORECASE)),
    (re.compile(r"<!--"), re.compile("-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r"<![A-Za-z]"), re.compile(">")),
)


class BlockKind(StrEnum):
    """What a block is, as far as a draft tells blocks apart."""

    HEADING = "heading"
    ITEM = "item"
    CODE = "code"
    COMMENT = "comment"
    RULE = "rule"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Block:
    """One outermost block. Lines count from 1.

    `source` are its lines as they are. `text` is what it holds: a heading's words, an item without its marker
    and indentation, the inside of fenced code, else the source. `level` is a heading's, 1 to 6, else 0.
    """

    kind: BlockKind
    first: int
    last: int
    text: str
    source: str
    level: int = 0


def lines_of(text: str) -> list[str]:
    """The lines of a text, which end in LF, CRLF or CR, as everywhere in Markdown."""
    return _LINE_END.split(text)


def read_blocks(lines: Sequence[str], first: int = 1) -> list[Block]:
    """The outermost blocks of these lines, in order; the first line has the number `first`."""
    reader = _Reader()
    for number, line in enumerate(lines):
        reader.take(number, line.expandtabs(4))
    return [_finished(found, lines, first) for found in reader.found]


@dataclass(slots=True)
class _Container:
    """An open quote (`offset` is None), or an open list item whose content stands `offset` columns in."""

    offset: int | None
    empty: bool = True


@dataclass(slots=True)
class _Leaf:
    """What the innermost lines are: a paragraph, indented code, or raw lines that end with a certain one."""

    kind: BlockKind
    indented: bool = False
    fence: str = ""
    end: re.Pattern[str] | None = None

    @property
    def is_raw(self) -> bool:
        return bool(self.fence) or self.end is not None

    @property
    def is_paragraph(self) -> bool:
        return not self.indented and not self.is_raw

    def ends_with(self, line: str) -> bool:
        """Whether this line is the last one of raw lines."""
        if self.end is not None:
            return self.end.search(line) is not None
        run = line.strip(" ")
        return _indent(line) <= 3 and len(run) >= len(self.fence) and not run.strip(self.fence[0])


@dataclass(slots=True)
class _Found:
    """An outermost block while it grows; lines count from 0. `owner` is what its lines belong to."""

    owner: object
    kind: BlockKind
    first: int
    last: int
    level: int = 0
    offset: int = 0
    closed: bool = False


class _Reader:
    """CommonMark's way: a line first continues what is open, then may begin something, else it is text."""

    def __init__(self) -> None:
        self.found: list[_Found] = []
        self._open: list[_Container] = []
        self._leaf: _Leaf | None = None

    def take(self, number: int, line: str) -> None:
        """The next line, its tabs expanded."""
        matched, rest = self._continue_containers(line)
        if matched == len(self._open) and self._leaf is not None and self._leaf.is_raw:
            self._claim(number)
            self._end_raw_lines(rest)
            return
        while matched < MAX_DEPTH and (inside := self._begin_container(matched, rest)) is not None:
            matched, rest = len(self._open), inside
        if not self._begin_leaf(number, matched, rest):
            self._add_text(number, matched, rest, begun=rest.strip(" ") == "" != line.strip(" "))

    def _continue_containers(self, rest: str) -> tuple[int, str]:
        """How many of the open containers this line continues, and what of it is left inside them."""
        for matched, container in enumerate(self._open):
            indent = _indent(rest)
            if container.offset is None:
                if indent > 3 or rest[indent : indent + 1] != ">":
                    return matched, rest
                rest = rest[indent + 1 :].removeprefix(" ")
            elif indent == len(rest):  # blank: it belongs to the item, unless that began with a blank line
                if container.empty:
                    return matched, rest
            elif indent >= container.offset:
                rest = rest[container.offset :]
            else:
                return matched, rest
        return len(self._open), rest

    def _begin_container(self, matched: int, rest: str) -> str | None:
        """What of this line is left inside a quote or item that begins with it; None where none does."""
        indent = _indent(rest)
        body = rest[indent:]
        if indent > 3 or not body:
            return None
        if body[0] == ">":
            self._close(matched)
            self._open.append(_Container(None))
            return body[1:].removeprefix(" ")
        marker = _MARKER.match(body)
        if marker is None or _RULE.match(body):
            return None
        after = body[marker.end() :]
        spaces = _indent(after)
        blank = spaces == len(after)
        if self._is_in_paragraph(matched) and (blank or int(marker[1] or 1) != 1):
            return None
        if blank or spaces > 4:  # nothing, or indented code, follows one blank
            spaces = 1
        self._close(matched)
        self._open.append(_Container(indent + marker.end() + spaces))
        return after[spaces:]

    def _begin_leaf(self, number: int, matched: int, rest: str) -> bool:
        """Whether a heading, fence, comment or rule begins, or a paragraph turns out to be a heading."""
        indent = _indent(rest)
        body = rest[indent:]
        if indent > 3 or not body:
            return False
        if self._is_in_paragraph(matched) and _UNDERLINE.match(body):
            self._claim(number)
            self._leaf = None
            if not self._open:
                self.found[-1].kind = BlockKind.HEADING
                self.found[-1].level = 1 if body[0] == "=" else 2
            return True
        if heading := _HEADING.match(body):
            self._close(matched)
            self._claim(number, BlockKind.HEADING, len(heading[1]))
        elif fence := _FENCE.match(body):
            self._close(matched)
            self._leaf = _Leaf(BlockKind.CODE, fence=fence[1] or fence[2])
            self._claim(number)
        elif end := next((end for start, end in _HTML if start.match(body)), None):
            self._close(matched)
            is_comment = body.startswith("<!--")
            self._leaf = _Leaf(BlockKind.COMMENT if is_comment else BlockKind.TEXT, end=end)
            self._claim(number)
            self._end_raw_lines(body)
        elif _RULE.match(body):
            self._close(matched)
            self._claim(number, BlockKind.RULE)
        else:
            return False
        return True

    def _add_text(self, number: int, matched: int, rest: str, *, begun: bool) -> None:
        """A blank line, or one of a paragraph or of indented code. `begun`: it is blank but for markers."""
        indent = _indent(rest)
        blank = indent == len(rest)
        leaf = self._leaf
        is_lazy = not blank and leaf is not None and leaf.is_paragraph
        if matched < len(self._open) and not is_lazy:
            self._close(matched)
        if blank:
            if self._leaf is not None and self._leaf.is_paragraph:
                self._leaf = None
            if begun:
                self._claim(number, holds=False)
            return
        if self._leaf is None or (self._leaf.indented and indent <= 3):
            self._leaf = _Leaf(BlockKind.TEXT, indented=indent > 3)
        self._claim(number)

    def _is_in_paragraph(self, matched: int) -> bool:
        return self._leaf is not None and self._leaf.is_paragraph and matched == len(self._open)

    def _close(self, matched: int) -> None:
        """End the paragraph or other lines that are open, and all containers but the first `matched`."""
        del self._open[matched:]
        self._leaf = None

    def _end_raw_lines(self, line: str) -> None:
        if self._leaf is not None and self._leaf.ends_with(line):
            self._leaf = None
            self.found[-1].closed = True

    def _claim(
        self, number: int, kind: BlockKind | None = None, level: int = 0, *, holds: bool = True
    ) -> None:
        """Count this line to its outermost block, a new one unless its owner is that of the line before."""
        for container in self._open if holds else self._open[:-1]:
            container.empty = False
        owner = self._open[0] if self._open else self._leaf
        if self.found and owner is not None and self.found[-1].owner is owner:
            self.found[-1].last = number
            return
        found = _Found(owner, BlockKind.TEXT, number, number)
        if isinstance(owner, _Container):
            if owner.offset is not None:
                found.kind, found.offset = BlockKind.ITEM, owner.offset
        else:
            found.kind, found.level = kind or (owner.kind if owner else found.kind), level
        self.found.append(found)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _finished(found: _Found, lines: Sequence[str], first: int) -> Block:
    own = list(lines[found.first : found.last + 1])
    source, kind = "\n".join(own), found.kind
    text = source
    if kind is BlockKind.HEADING:
        text = _words_of_heading(own)
    elif kind is BlockKind.ITEM:
        text = _inside_item(own, found.offset)
    elif kind is BlockKind.CODE:
        text = "\n".join(own[1:-1] if found.closed else own[1:])
    elif kind is BlockKind.COMMENT and source.partition("-->")[2].strip():
        kind = BlockKind.TEXT  # something stands behind it
    return Block(kind, first + found.first, first + found.last, text, source, found.level)


def _words_of_heading(lines: Sequence[str]) -> str:
    if len(lines) > 1:  # the last one underlines
        return " ".join(line.strip(_BLANKS) for line in lines[:-1])
    text = lines[0].strip(_BLANKS).lstrip("#").strip(_BLANKS)
    unmarked = text.rstrip("#")
    return unmarked.rstrip(_BLANKS) if unmarked[-1:] in ("", " ", "\t") else text


def _inside_item(lines: Sequence[str], offset: int) -> str:
    behind_marker = _ITEM_START.sub("", lines[0], count=1)
    return "\n".join([behind_marker, *(_outdented(line, offset) for line in lines[1:])]).strip()


def _outdented(line: str, columns: int) -> str:
    """The line without so many columns of its indentation, as far as it has them."""
    column = index = 0
    while column < columns and line[index : index + 1] in (" ", "\t"):
        column += 1 if line[index] == " " else 4 - column % 4
        index += 1
    return " " * (column - columns) + line[index:]
