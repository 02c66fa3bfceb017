"""The id of a capsule: the one accepted form.

It stands apart from the model, so that what only asks for an id's form loads no validation.
"""

from __future__ import annotations

import re

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
"""A capsule's id. Used as a key and in file names that `capture` writes; never as a path to read."""

_ID = re.compile(ID_PATTERN)


def is_capsule_id(text: str) -> bool:
    """Whether the whole of `text` is an id that a capsule may have."""
    return _ID.fullmatch(text) is not None
