"""One path segment with wildcards, as git's wildmatch reads it: stars, `?`, classes, backslashes.

Every test takes time linear in the name: stars are matched leftmost first, never by backtracking (C131,
trap 38).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

SegmentTest = Callable[[bytes], bool]
"""Whether a name (one segment of a path) is matched."""

_STAR, _QUESTION, _OPEN, _BACKSLASH, _CLOSE, _DASH = b"*?[\\]-"
_POSIX = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": rb"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"!-/:-@\[-`{-~",
    # Git has its own ctype, in which vertical tab and form feed are no space.
    b"space": rb" \t\n\r",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}


class CharacterClass(NamedTuple):
    """A `[...]`: a regular expression for one byte, and the index behind it in the pattern."""

    expression: bytes
    end: int


class NeverMatches(ValueError):
    """By wildmatch's rules this pattern matches nothing: a class is not closed or has no such name."""


def read_class(pattern: bytes, at: int, met: set[tuple[int, bool]] | None = None) -> CharacterClass:
    """The class that opens at `at`. Raises NeverMatches where it is not closed or names an unknown set.

    `met` is for who looks for one class after the other in a pattern. It holds where those stood that came to
    nothing, and whether a range could start there: another that comes to the same goes on like them. So all
    of them together take time linear in the pattern.
    """
    met = set() if met is None else met
    negated = pattern[at + 1 : at + 2] in (b"!", b"^")
    at += 2 if negated else 1
    members, before, first = bytearray(), None, True
    while True:
        byte = _byte(pattern, at)
        if not first:
            if byte == _CLOSE:
                break
            here = at, before is None
            if here in met:
                raise NeverMatches
            met.add(here)
        first = False
        if byte == _BACKSLASH:
            at += 1
            before = _byte(pattern, at)
            members += _escaped(before)
        elif byte == _DASH and before is not None and pattern[at + 1 : at + 2] not in (b"", b"]"):
            at += 2 if pattern[at + 1] == _BACKSLASH else 1
            last = _byte(pattern, at)
            if before <= last:
                members += _escaped(before) + b"-" + _escaped(last)
            before = None
        elif pattern[at : at + 2] == b"[:" and (end := _named_set_end(pattern, at)):
            members += _named_set(pattern[at + 2 : end - 1])
            at, before = end, None
        else:
            members += _escaped(byte)
            before = byte
        at += 1
    if members:
        return CharacterClass(b"[" + (b"^" if negated else b"") + bytes(members) + b"]", at + 1)
    # Only ranges that run backwards: no byte is in it.
    return CharacterClass(b"." if negated else b"(?!)", at + 1)


def _byte(pattern: bytes, at: int) -> int:
    if at >= len(pattern):
        raise NeverMatches
    return pattern[at]


def _named_set_end(pattern: bytes, at: int) -> int | None:
    """The index of the `]` that ends a `[:name:]` opened at `at`; None where it is a plain `[`."""
    end = pattern.find(b"]", at + 2)
    if end < 0:
        raise NeverMatches
    return end if end > at + 2 and pattern[end - 1 : end] == b":" else None


def _named_set(name: bytes) -> bytes:
    if name not in _POSIX:
        raise NeverMatches
    return _POSIX[name]


def _escaped(byte: int) -> bytes:
    return b"\\x%02x" % byte


class _Part(NamedTuple):
    """What stands between two stars: a regular expression, and the same as plain bytes where it is plain."""

    expression: bytes
    plain: bytes | None
    runs: tuple[bytes, ...]


def _parts(segment: bytes) -> Iterator[_Part]:
    """The parts of `segment` around its stars. Raises NeverMatches."""
    expression, run, plain, at = bytearray(), bytearray(), True, 0
    runs: list[bytes] = []

    def part() -> _Part:
        return _Part(
            bytes(expression), bytes(run) if plain else None, tuple(filter(None, [*runs, bytes(run)]))
        )

    while at < len(segment):
        byte = segment[at]
        if byte == _STAR:
            yield part()
            expression, run, runs, plain = bytearray(), bytearray(), [], True
        elif byte in (_QUESTION, _OPEN):
            end = at + 1
            if byte == _QUESTION:
                expression += b"."
            else:
                found, end = read_class(segment, at)
                expression += found
            runs.append(bytes(run))
            run, plain, at = bytearray(), False, end - 1
        else:
            if byte == _BACKSLASH:
                at += 1
                byte = _byte(segment, at)
            expression += _escaped(byte)
            run.append(byte)
        at += 1
    yield part()


class Segment:
    """A segment with wildcards, ready to test names.

    `suffix` is set where it is one star and plain bytes behind it; `runs` are plain bytes that every name it
    matches holds.
    """

    __slots__ = ("_pattern", "_test", "runs", "suffix")

    def __init__(self, pattern: bytes) -> None:
        self._pattern = pattern
        self._test: SegmentTest | None = None
        self.suffix: bytes | None = None
        self.runs: tuple[bytes, ...] = ()
        try:
            parts = list(_parts(pattern))
        except NeverMatches:
            self._test = _nothing
            return
        self.runs = tuple(run for part in parts for run in part.runs)
        plain = [part.plain for part in parts if part.plain is not None]
        if len(plain) == len(parts):
            self._test = _plain_test(plain)
            if len(plain) == 2 and not plain[0]:
                self.suffix = plain[1]

    def matches(self, name: bytes) -> bool:
        """Whether `name` is matched, by the reading with wildcards."""
        if self._test is None:
            # Compiled at the first test only: it takes longer than many tests.
            self._test = _compiled_test(list(_parts(self._pattern)))
        return self._test(name)


def _nothing(_name: bytes) -> bool:
    return False


def _plain_test(parts: list[bytes]) -> SegmentTest:
    """A test for plain bytes around stars."""
    if len(parts) == 1:
        return parts[0].__eq__
    first, *middle, last = parts
    shortest = len(first) + len(last)

    def test(name: bytes) -> bool:
        if len(name) < shortest or not name.startswith(first) or not name.endswith(last):
            return False
        at, end = len(first), len(name) - len(last)
        for part in middle:
            at = name.find(part, at, end)
            if at < 0:
                return False
            at += len(part)
        return True

    return test


def _compiled_test(parts: list[_Part]) -> SegmentTest:
    """A test by regular expression; atomic groups keep each part where it matched first."""
    first, *behind = (part.expression for part in parts)
    expression = first
    if behind:
        expression += b"".join(b"(?>.*?%b)" % part for part in behind[:-1]) + b".*" + behind[-1]
    fullmatch = re.compile(expression, re.DOTALL).fullmatch
    return lambda name: fullmatch(name) is not None
