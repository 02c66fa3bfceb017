"""The glob dialect of design §4: what a declared glob may look like, and what it means.

A glob means what `git -- ':(top,glob)G'` means: anchored at the top, bytes, case-sensitive; `*` and `?` stay
within a segment and match leading dots; `**` is a whole segment and crosses any number; `dir/` and a trailing
`/**` are everything below; a path without wildcard is itself or everything below. Two additions are ours:
every segment is also tried literally (`app/[id]/page.tsx`, C091), and the capsule folder is left out unless
the first segment names it. What git would read as magic, an option or another repository is refused
(C007, C017, C038, C091; traps 1 to 9).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

from ophiuchus.git.segment import NeverMatches, read_class

CAPSULE_FOLDER = b".ophiuchus"
"""Left out of every glob whose first segment is another: else committing a hand-off makes `**` stale."""
MOST_BYTES = 1024
MOST_STARS = 8
"""Most `*` in one segment."""

WILDCARD = re.compile(rb"[*?\[\\]")
"""What makes a segment a pattern."""
ANY_DEPTH = b"**"

# Possessive, for else a glob that does not match after all is tried from every one of its characters.
_NAME = rb"[^./*?\[\\{\0][^/*?\[\\{\0]*+"
_PLAIN = re.compile(rb"(?![:!]|.:)(%b(?:/%b)*+)(/(?:\*\*)?)?" % (_NAME, _NAME), re.DOTALL)
_DRIVE = re.compile(rb"[A-Za-z]:[\\/]")
_BRACES = re.compile(rb"\{[^{},]*+,[^{}]*+\}")
# What a segment is refused for, but for too many stars.
_DOUBTFUL = re.compile(rb"(?:^|/)(?:\.{0,2}|\.git)(?:/|$)|\*\*[^/]|[^/]\*\*", re.IGNORECASE)


class RefusedGlob(ValueError):
    """A declared glob has a form that is not evaluated; `reason` says why, in words that follow the glob."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Shape(Enum):
    """How a glob selects paths."""

    ITSELF_OR_BELOW = auto()
    """Without wildcard: the path, and everything below it."""
    BELOW = auto()
    """`dir/` and `dir/**`: everything below the path; below the top where it is empty."""
    PATTERN = auto()
    """With wildcards: what its segments match, one by one. Literally it is ITSELF_OR_BELOW as well."""


class Glob(NamedTuple):
    """One accepted glob. A tuple: a run makes very many.

    `path` is the literal path without trailing slash; `segments` are those of a PATTERN, `**` only once in a
    row, and empty for the other shapes.
    """

    text: str
    shape: Shape
    path: bytes
    segments: tuple[bytes, ...] = ()

    @property
    def literal_prefix(self) -> bytes:
        """The leading segments without wildcards, joined: where all of its matches lie, by git's reading."""
        if self.shape is not Shape.PATTERN:
            return self.path
        literal = []
        for segment in self.segments:
            if WILDCARD.search(segment):
                break
            literal.append(segment)
        return b"/".join(literal)


def compile_glob(text: str) -> Glob:
    """The glob that `text` declares. Raises RefusedGlob."""
    try:
        pattern = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RefusedGlob("is not valid Unicode") from error
    if len(pattern) > MOST_BYTES:
        raise RefusedGlob(f"is longer than {MOST_BYTES} bytes")
    # Most are a path, or a folder with `/` or `/**` behind, that needs no second look.
    if plain := _PLAIN.fullmatch(pattern):
        path, behind = plain.groups()
        return Glob(text, Shape.BELOW if behind else Shape.ITSELF_OR_BELOW, path)
    return _checked(text, pattern)


def accepted_globs(texts: Iterable[str]) -> list[Glob]:
    """The globs among these texts, without those that `compile_glob` refuses."""
    accepted = []
    for text in texts:
        with suppress(RefusedGlob):
            accepted.append(compile_glob(text))
    return accepted


def _checked(text: str, pattern: bytes) -> Glob:
    _refuse_foreign(pattern)
    segments = _split(pattern)
    path = pattern.removesuffix(b"/")
    if not WILDCARD.search(path):
        return Glob(text, Shape.BELOW if path != pattern else Shape.ITSELF_OR_BELOW, path)
    if path != pattern:
        # As in git, a pattern that ends in a slash matches no file: only the folder of that very name counts.
        return Glob(text, Shape.BELOW, path)
    distinct = segments
    if segments.count(ANY_DEPTH) > 1:
        distinct = [part for before, part in pairwise([b"", *segments]) if not part == before == ANY_DEPTH]
    if distinct[-1] == ANY_DEPTH and not any(map(WILDCARD.search, distinct[:-1])):
        return Glob(text, Shape.BELOW, b"/".join(distinct[:-1]))
    return Glob(text, Shape.PATTERN, path, tuple(distinct))


def _refuse_foreign(pattern: bytes) -> None:
    """Refuse what is no path below the top, or is written in another dialect."""
    if not pattern:
        raise RefusedGlob("is empty")
    if b"\0" in pattern:
        raise RefusedGlob("holds a NUL")
    if pattern.startswith(b"/") or _DRIVE.match(pattern):
        raise RefusedGlob("is an absolute path; write it from the root of the repository")
    if pattern.startswith(b":"):
        raise RefusedGlob("starts with ':', which is git's pathspec magic and not supported")
    if pattern.startswith(b"!"):
        raise RefusedGlob("starts with '!'; negation is not supported")


def _split(pattern: bytes) -> list[bytes]:
    """The segments of `pattern` without a trailing slash, each checked."""
    outline = _outline(pattern)
    if _BRACES.search(outline):
        raise RefusedGlob("has braces; {a,b} is not supported, declare each path")
    segments = pattern.removesuffix(b"/").split(b"/")
    if outline.count(b"*") <= MOST_STARS and not _DOUBTFUL.search(outline):
        return segments
    for segment, drawn in zip(segments, outline.removesuffix(b"/").split(b"/"), strict=True):
        if segment in (b"", b".", b".."):
            raise RefusedGlob("has an empty, '.' or '..' segment")
        if segment.lower() == b".git":
            raise RefusedGlob("names .git")
        if ANY_DEPTH in drawn and drawn != ANY_DEPTH:
            raise RefusedGlob("has '**' glued to other characters; it must be a whole segment")
        if drawn != ANY_DEPTH and drawn.count(b"*") > MOST_STARS:
            raise RefusedGlob(f"has more than {MOST_STARS} '*' in one segment")
    return segments


def _outline(pattern: bytes) -> bytes:
    """`pattern` with every escaped character and every class drawn as one `x`: its real stars and braces."""
    if b"[" not in pattern and b"\\" not in pattern:
        return pattern
    drawn, at = bytearray(), 0
    met: set[tuple[int, bool]] = set()
    while at < len(pattern):
        end = at + 1
        if pattern[at : at + 1] == b"\\":
            end = at + 2
        elif pattern[at : at + 1] == b"[":
            with suppress(NeverMatches):
                end = read_class(pattern, at, met).end
        part = pattern[at:end]
        if len(part) > 1 and b"/" in part:
            raise RefusedGlob("has a '/' inside [...] or behind a backslash")
        drawn += part if len(part) == 1 else b"x"
        at = end
    return bytes(drawn)
