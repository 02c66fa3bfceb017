"""Shortening a text between what a reader takes for characters: never inside an emoji or a letter with marks.

It is no full segmentation of Unicode's: what a mark, a joiner, a skin tone and a flag's second letter belong
to, and nothing else, is known here.
"""

from __future__ import annotations

import re
import unicodedata

ELLIPSIS = "…"
"""Stands for what was cut."""

_JOINER = "\u200d"
# Joiners and skin tones belong to the character before them, as all marks do.
_BELONGS_TO_THE_ONE_BEFORE = re.compile(f"[\u200c{_JOINER}\U0001f3fb-\U0001f3ff]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")


def cut(text: str, most: int) -> str:
    """`text`, or its beginning and "…", in at most `most` (at least 1) characters."""
    return text if len(text) <= most else text[: place_to_cut(text, most - 1)] + ELLIPSIS


def cut_units(text: str, most: int) -> str:
    """As `cut`, in at most `most` UTF-16 units; no blank stands before the "…"."""
    if len(text.encode("utf-16-le", "surrogatepass")) // 2 <= most:
        return text
    room, end = most - len(ELLIPSIS), 0
    while (room := room - (2 if text[end] > "\uffff" else 1)) >= 0:
        end += 1
    return text[: place_to_cut(text, end)].rstrip() + ELLIPSIS


def place_to_cut(text: str, end: int) -> int:
    """The last place up to `end` where a cut parts no character; `end` itself where there is none."""
    places = range(min(end, len(text)), 0, -1)
    return next((place for place in places if not _parts_a_character(text, place)), end)


def _parts_a_character(text: str, place: int) -> bool:
    if place == len(text):
        return False
    before, after = text[place - 1], text[place]
    is_mark = unicodedata.category(after).startswith("M")
    if is_mark or _BELONGS_TO_THE_ONE_BEFORE.match(after) or before == _JOINER:
        return True
    letters = 0
    while letters < place and _FLAG_LETTER.match(text[place - 1 - letters]):
        letters += 1
    return bool(letters % 2 and _FLAG_LETTER.match(after))
