"""Titles: one line of plain words, for fields that no surface reads as markup (case C020)."""

from __future__ import annotations

from ophiuchus.text.clean import clean_line
from ophiuchus.text.cut import cut_units
from ophiuchus.views.render.gfm import GITHUB
from ophiuchus.views.render.inert import broken

GITHUB_TITLE = 256
"""The longest title of a GitHub issue, in UTF-16 units."""

_NONE = "(untitled)"


def plain_title(text: str, limit: int) -> str:
    """`text` as a title of at most `limit` (at least 1) UTF-16 units, never empty.

    It is cleaned, every run of blanks and line breaks is one space, and a cut ends with "…", never inside a
    character.
    """
    return cut_units(_one_line(text), limit)


def gfm_title(text: str) -> str:
    """`text` as the title of a GitHub issue, in which nothing refers or notifies.

    Markdown is not read there, so what GitHub looks for is broken with zero-width spaces and nothing is
    escaped; a code span, which only changes the letters' look, may remain.
    """
    return cut_units(broken(_one_line(text), GITHUB.live), GITHUB_TITLE)


def _one_line(text: str) -> str:
    # Breaks first, or cleaning would spell some of them out; then the blanks that cleaning brought together.
    return clean_line(" ".join(text.split())) or _NONE
