"""A text that is kept up to date on GitHub: our marker above it, below it a footer that does not count."""

from __future__ import annotations

import hashlib

RUN_LINE = "<!-- ophiuchus:run -->"
"""The line between body and footer. No renderer lets data spell a line of it."""


def marker_line(kind: str, key: str) -> str:
    """The line that marks a text as ours: `kind` is our own word, `key` any text, of which a digest shows."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return f"<!-- ophiuchus:{kind}:{digest[:16]} -->"


def with_marker(marker: str, body: str) -> str:
    """The text to send. The blank line keeps GitHub from reading it as HTML (platform complaint 32)."""
    return f"{marker}\n\n{body}"


def below_marker(marker: str, text: str) -> str | None:
    """What a text says below its first line, None where that is not `marker`."""
    first, _, body = text.replace("\r\n", "\n").partition("\n")
    return body if first == marker else None


def with_footer(body: str, footer: str) -> str:
    """The body with its footer, where it has one."""
    return f"{body}\n\n{RUN_LINE}\n\n{footer}" if footer else body


def says_the_same(one: str, other: str) -> bool:
    """Whether two bodies are equal but for footers, and for what GitHub or an editor does to line ends."""
    return _what_it_says(one) == _what_it_says(other)


def _what_it_says(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    if RUN_LINE in lines:
        lines = lines[: len(lines) - 1 - lines[::-1].index(RUN_LINE)]
    return "\n".join(lines).strip("\n")
