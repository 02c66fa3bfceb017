"""Names from outside that become part of a file's name here: ids of runs and of sprints."""

from __future__ import annotations

import re

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def is_safe_name(name: str) -> bool:
    """Whether a name stays one file in its folder, visible, on every system."""
    return _SAFE.fullmatch(name) is not None
