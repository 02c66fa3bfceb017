r"""Characters that do something other than show: named once, for cleaning, for printing, for finding secrets.

Each constant is the inside of a character class. A visible code is spelled `\xHH`, `\uHHHH` or `\UHHHHHHHH`
(`\n` and `\r` for those two), as in Python.
"""

from __future__ import annotations

import re

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""All twelve bidirectional controls (case C107)."""
CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff"
"""Control characters other than newline and tab, two separators that some readers take for a newline, and two
codes that are no characters, which XML cannot hold."""
SURROGATE = "\ud800-\udfff"
"""Halves of a character: a text that holds one cannot be encoded (case C077)."""
TAG = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
"""Tag characters and what Unicode reserves beside them: invisible, able to carry a hidden text."""
ZERO_WIDTH = (
    "\xad\u17b4\u17b5\u200b\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
"""Soft hyphen, Khmer vowels that do not show, zero-width space, invisible operators, Korean fillers,
byte-order mark and interlinear, shorthand and musical format characters: no reader misses any of them."""
FILLER = "\u115f\u1160"
"""Korean fillers that complete a syllable of single letters, and show nothing elsewhere."""
JOINER = "\u034f\u180e\u200c\u200d"
"""Joiners: part of how words of some scripts and some emoji are written, and hidden elsewhere."""
SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Variation selectors: they choose the look of the character before them."""

_SHORT = {"\n": r"\n", "\r": r"\r"}


def visible_code(character: str) -> str:
    """The spelling of one character that does not show."""
    number = ord(character)
    if number > 0xFFFF:
        return f"\\U{number:08x}"
    return _SHORT.get(character) or (f"\\u{number:04x}" if number > 0xFF else f"\\x{number:02x}")


def visible_codes(found: re.Match[str]) -> str:
    """`visible_code` of each character of a match, for `re.sub`."""
    return "".join(map(visible_code, found[0]))
