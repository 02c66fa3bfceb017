"""Titles: one line of plain words, for fields that no surface reads as markup (case C020)."""

from __future__ import annotations

import re
import unicodedata

from ophiuchus.text.clean import clean
from ophiuchus.views.budget import utf16_units
from ophiuchus.views.render.gfm import GITHUB
from ophiuchus.views.render.inert import broken

GITHUB_TITLE = 256
"""The longest title of a GitHub issue, in UTF-16 units."""

_NONE = "(untitled)"
_CUT = "…"

# Joiners, looks, keycaps and skin tones belong to the character before them. So does what follows a joiner.
_BELONGS_TO_THE_ONE_BEFORE = re.compile(
    "[\u200c\u200d\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]"
)
_JOINER = "\u200d"
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")


def plain_title(text: str, limit: int) -> str:
    """`text` as a title of at most `limit` (at least 1) UTF-16 units, never empty.

    It is cleaned, every run of blanks and line breaks is one space, and a cut ends with "…", never inside a
    character.
    """
    return _cut(_one_line(text), limit)


def gfm_title(text: str) -> str:
    """`text` as the title of a GitHub issue, in which nothing refers or notifies.

    Markdown is not read there, so what GitHub looks for is broken with zero-width spaces and nothing is
    escaped; a code span, which only changes the letters' look, may remain.
    """
    return _cut(broken(_one_line(text), GITHUB.live), GITHUB_TITLE)


def _one_line(text: str) -> str:
    # Breaks first, or cleaning would spell some of them out; then the blanks that cleaning brought together.
    return _blanks_joined(clean(_blanks_joined(text))) or _NONE


def _blanks_joined(text: str) -> str:
    return " ".join(text.split())


def _cut(title: str, limit: int) -> str:
    if utf16_units(title) <= limit:
        return title
    room, end = limit - utf16_units(_CUT), 0
    while (room := room - utf16_units(title[end])) >= 0:
        end += 1
    return title[: _between_characters(title, end)].rstrip() + _CUT


def _between_characters(title: str, end: int) -> int:
    """The last place up to `end` where a cut parts no character; `end` itself where there is none."""
    places = range(end, 0, -1)
    return next((place for place in places if not _parts_a_character(title, place)), end)


def _parts_a_character(title: str, place: int) -> bool:
    before, after = title[place - 1], title[place]
    if unicodedata.combining(after) or _BELONGS_TO_THE_ONE_BEFORE.match(after) or before == _JOINER:
        return True
    letters = 0
    while letters < place and _FLAG_LETTER.match(title[place - 1 - letters]):
        letters += 1
    return bool(letters % 2 and _FLAG_LETTER.match(after))
