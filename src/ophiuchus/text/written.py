"""What counts as written: a text of which something shows."""

from __future__ import annotations

import re

WRITTEN_PATTERN = (
    r"[^\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]"
)
"""Something in a text shows: it is not all blanks, fillers and zero-width characters."""

_WRITTEN = re.compile(WRITTEN_PATTERN)


def is_written(text: str) -> bool:
    """Whether anything in `text` shows."""
    return _WRITTEN.search(text) is not None
