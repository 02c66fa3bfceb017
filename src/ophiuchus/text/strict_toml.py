"""TOML as committed files of ours may hold it: UTF-8, bounded, with the place of what is wrong.

The standard parser does the work. It takes memory in the square of a dotted key's length, so that a small
file could take all there is: long ones are refused before it sees them.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

from ophiuchus.text.file_text import UnusableFile, accident, decode, too_large
from ophiuchus.text.problem import ProblemCode

MOST_BYTES = 256 * 1024
"""Most bytes of one document."""
MOST_DOTS = 64
"""Most dots on one line that is no comment."""

_POSITION = re.compile(r" \(at (?:line (?P<line>[0-9]+), column (?P<column>[0-9]+)|end of document)\)\Z")
# What the parser quotes of the document; single characters that it expected stay.
_QUOTED = re.compile(r"\(.*\)|(['\"]).{3,}\1", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Toml:
    """A document and its text. The document is what JSON could hold: dates and times are texts in it."""

    document: dict[str, Any]
    text: str = field(repr=False)


def parse_toml(data: bytes) -> Toml:
    """The document in `data`. Raises UnusableFile, whose message repeats nothing of the document."""
    if len(data) > MOST_BYTES:
        raise UnusableFile(ProblemCode.TOO_LARGE, None, None, too_large(len(data), MOST_BYTES))
    text = decode(data)
    _refuse_long_keys(text)
    try:
        document: dict[str, Any] = json.loads(json.dumps(tomllib.loads(text), default=str))
    except RecursionError:
        raise UnusableFile(ProblemCode.TOO_DEEP, None, None, "is nested too deep") from None
    except ValueError as error:
        raise accident(text) or _not_toml(str(error)) from None
    return Toml(document, text)


def _refuse_long_keys(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS and not line.lstrip(" \t").startswith("#"):
            message = f"has more than {MOST_DOTS} dots on line {number}: no key is that deep"
            raise UnusableFile(ProblemCode.TOO_DEEP, number, None, message)


def _not_toml(said: str) -> UnusableFile:
    found = _POSITION.search(said)
    if found is None:
        return UnusableFile(ProblemCode.NOT_TOML, None, None, "is not TOML: a number is out of range")
    line, column = (int(found["line"]), int(found["column"])) if found["line"] else (None, None)
    reason = _QUOTED.sub("…", said[: found.start()])
    return UnusableFile(ProblemCode.NOT_TOML, line, column, f"is not TOML: {reason}")
