"""What a text that is kept up to date says, and the footer below it (time, run) that does not count."""

from __future__ import annotations

RUN_LINE = "<!-- ophiuchus:run -->"
"""The line between body and footer. No renderer lets data spell a line of it."""


def with_footer(body: str, footer: str) -> str:
    """The text to send."""
    return f"{body}\n\n{RUN_LINE}\n\n{footer}" if footer else body


def says_the_same(one: str, other: str) -> bool:
    """Whether two texts are equal but for footers, and for what GitHub or an editor does to line ends."""
    return _what_it_says(one) == _what_it_says(other)


def _what_it_says(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    if RUN_LINE in lines:
        lines = lines[: len(lines) - 1 - lines[::-1].index(RUN_LINE)]
    return "\n".join(lines).strip("\n")
