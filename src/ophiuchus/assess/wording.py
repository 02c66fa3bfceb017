"""Small pieces of the sentences that verdicts and notices are told in."""

from __future__ import annotations

from ophiuchus.text.cut import cut
from ophiuchus.text.terminal import harmless_line

QUOTED_CHARACTERS = 80
"""Most characters of a capsule's own text that a reason repeats."""


def quoted(text: str) -> str:
    """`text` as the sender wrote it, escaped to one printable line, shortened, in quotation marks."""
    return f"“{harmless_line(cut(text, QUOTED_CHARACTERS))}”"


def counted(number: int, noun: str) -> str:
    """`1 glob`, `3 globs`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
