"""Small pieces of the sentences that verdicts, problems and notices are told in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ophiuchus.text.clean import clean
from ophiuchus.text.cut import cut
from ophiuchus.text.terminal import harmless_line
from ophiuchus.text.written import is_written

QUOTED_CHARACTERS = 80
"""Most characters of a capsule's own text that a reason repeats."""
EXCERPT = 40
"""Most characters that a message repeats of a value that is looked at as JSON."""


def quoted(text: str) -> str:
    """`text` as the sender wrote it, escaped to one printable line, shortened, in quotation marks."""
    return f"“{harmless_line(cut(text, QUOTED_CHARACTERS))}”"


def json_excerpt(value: Any) -> str:
    """A bounded excerpt of a value, as JSON; of a list or an object only the sort is said."""
    if isinstance(value, str):
        value = cut(value, EXCERPT)
        # What a reader cannot see is told by its code.
        is_seen = value.isprintable() and clean(value) == value and is_written(value)
        return json.dumps(value, ensure_ascii=not is_seen)
    return str(json.dumps(value))[:EXCERPT] if isinstance(value, int | float) else sort_of(value)


def sort_of(value: Any) -> str:
    """What sort of value of JSON this is: `text`, `a number`, `a list`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    sorts: Iterable[tuple[type, str]] = ((str, "text"), (dict, "an object"), (list, "a list"))
    return next((word for sort, word in sorts if isinstance(value, sort)), "a number")


def counted(number: int, noun: str) -> str:
    """`1 glob`, `3 globs`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
