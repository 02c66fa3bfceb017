"""Data within Markdown of ours: on one line, or behind a fence that it cannot end."""

from __future__ import annotations

import re

from ophiuchus.text.clean import clean

_BACKTICKS = re.compile("`+")


def one_line(text: str) -> str:
    """A text on one line, without characters that act or hide."""
    return " ".join(clean(text).split())


def fenced(text: str, language: str) -> str:
    """A block of code with `text`, whose fence is longer than any that stands in it."""
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"
