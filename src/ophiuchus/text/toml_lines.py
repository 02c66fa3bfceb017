"""Where a value stands in TOML, looked up only after something was found wrong with it.

The standard parser tells no places. But each statement of TOML ends with a line, so the parser itself says
how far one goes: to the first line with which it parses. So every way to write a table is understood, inline
ones and dotted keys too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

MOST_CHARACTERS = 1024 * 1024
"""Most characters that are parsed for one place; beyond them it is not known."""

Way = tuple[str, ...]


def line_of(text: str, way: Way) -> int | None:
    """The line on which the statement begins that first gives the value at `way`, counted from 1.

    `text` is TOML. None where the value is not there, or where it takes too much work to find.
    """
    table: Way = ()
    for line, statement, value in _statements(text):
        if statement.lstrip().startswith("["):
            table = _way_of(value)
            if table[: len(way)] == way:
                return line
        elif way[: len(table)] == table and _leads(value, way[len(table) :]):
            return line
    return None


def _statements(text: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Each statement, with its first line and the value that it is by itself. Blank lines are some, too."""
    lines = text.replace("\r\n", "\n").split("\n")
    left, start, end = MOST_CHARACTERS, 0, 1
    while end <= len(lines):
        statement = "\n".join(lines[start:end])
        left -= len(statement)
        if left < 0:
            return
        try:
            yield start + 1, statement, tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            end += 1
        else:
            start, end = end, end + 1


def _way_of(header: Any) -> Way:
    """The way to the one table in what a header is by itself."""
    way: list[str] = []
    while header:
        if isinstance(header, list):
            header = header[-1]
        else:
            ((name, header),) = header.items()
            way.append(name)
    return tuple(way)


def _leads(value: Any, way: Way) -> bool:
    for name in way:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return bool(way)
