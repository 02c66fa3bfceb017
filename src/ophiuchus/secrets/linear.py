"""Patterns in linear time, over the UTF-8 bytes of a text: the one door to google-re2.

Bytes are read as Latin-1, so that every text can be read, one with half a character too. The patterns
themselves speak of ASCII only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import re2  # type: ignore[import-untyped]

_MEMORY = 32 << 20
"""Most bytes that one automaton may use; what does not fit is worked out again, in the same linear time."""


class Caught(NamedTuple):
    """The value of one match, and where it stands, in bytes."""

    value: str
    start: int
    end: int


def as_bytes(text: str) -> bytes:
    """The bytes that patterns read."""
    return text.encode("utf-8", "surrogatepass")


class Pattern:
    """One expression. Its value is what its groups caught, without groups the whole match.

    Where it has groups and none took part, the match is passed over: so an alternative can take what must
    not be caught, for there is no looking back.
    """

    def __init__(self, expression: str) -> None:
        self._compiled = re2.compile(expression.encode("ascii"), _options())

    def all_in(self, data: bytes) -> Iterator[Caught]:
        """Every match, from left to right, none overlapping the next."""
        groups = range(1, self._compiled.groups + 1) or (0,)
        for found in self._compiled.finditer(data):
            for group in groups:
                if found.start(group) >= 0:
                    yield Caught(found.group(group).decode("latin-1"), found.start(group), found.end(group))


class Screen:
    """Many expressions in one pass: which of them occur at all."""

    def __init__(self, expressions: Sequence[str]) -> None:
        together = re2.Set.SearchSet(_options())
        for expression in expressions:
            together.Add(expression.encode("ascii"))
        together.Compile()
        self._match: Callable[[bytes], list[int] | None] = together.Match

    def those_in(self, data: bytes) -> list[int]:
        """The indexes of the expressions that match somewhere in `data`, in no order."""
        return self._match(data) or []


def compiled(expression: str) -> Any:
    r"""What `re.compile` gives, for text as it is and in linear time. Python's `\Z` is understood."""
    return re2.compile(expression.replace(r"\Z", r"\z"))


def _options() -> re2.Options:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    options.log_errors = False
    return options
