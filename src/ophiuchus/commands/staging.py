"""The `git add` that a person can paste to stage what a command wrote."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path, PurePosixPath


def git_add(top: Path, written: Iterable[PurePosixPath], here: Path) -> str:
    """The command for files `written` beneath the checkout's `top`, as it works in the folder `here`."""
    elsewhere = "" if here.resolve() == top.resolve() else f"-C {shlex.quote(os.path.relpath(top, here))} "
    return f"git {elsewhere}add {' '.join(shlex.quote(str(path)) for path in written)}"
