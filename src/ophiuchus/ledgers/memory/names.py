"""Names from outside that become a file's name here: ids of runs and of sprints."""

from __future__ import annotations

import re

from ophiuchus.text.new_file import is_device_name
from ophiuchus.text.problem import ExpectedFailure

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class UnsafeName(ExpectedFailure):
    """A name could lead to another file, or is none on some system."""


def safe_name(name: str, whose: str) -> str:
    """`name`, which stays one visible file in its folder. `whose` says what it is. Raises UnsafeName."""
    if _SAFE.fullmatch(name) is None or is_device_name(name):
        raise UnsafeName(
            f"the {whose}'s id cannot be a file's name",
            "Use up to 128 letters, digits, `.`, `_` and `-`, the first a letter or digit; no device's name.",
        )
    return name
