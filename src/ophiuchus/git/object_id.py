"""Ids of git objects, as text and as what they promise."""

from __future__ import annotations

import re

ID_LENGTH = {"sha1": 40, "sha256": 64}
"""Hexadecimal digits of a full object id, by the repository's object format."""

_HEX = re.compile(r"[0-9a-f]+", re.ASCII)


def is_full_id(text: str, object_format: str) -> bool:
    """Whether `text` is a full object id in lower-case hexadecimal, of the length `object_format` has.

    Nothing else reaches git as a base: not HEAD, not an abbreviation, not an option (C065, C124; traps 28,
    30).
    """
    return len(text) == ID_LENGTH[object_format] and _HEX.fullmatch(text) is not None


def is_any_full_id(text: str) -> bool:
    """Whether `text` is a full object id of either format."""
    return any(is_full_id(text, object_format) for object_format in ID_LENGTH)
