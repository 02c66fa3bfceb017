"""A text behind a fence of Markdown that nothing in it can end."""

from __future__ import annotations

import re

_BACKTICKS = re.compile("`+")


def longest_backticks(text: str) -> int:
    """How many backticks stand in a row in `text`, at the most."""
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def fence_for(text: str) -> str:
    """The backticks of a fence around `text`: more than it could be closed by."""
    return "`" * max(3, longest_backticks(text) + 1)


def fenced(text: str, info: str) -> str:
    """A block of code with `text`; `info` follows the backticks that begin it."""
    fence = fence_for(text)
    return f"{fence}{info}\n{text}\n{fence}"
