"""The edge: what a command gets from outside, read once by `cli.py`, and the exit statuses it gives back."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import BinaryIO, TextIO

from ophiuchus.text.terminal import Terminal


class ExitStatus(IntEnum):
    """The exit table (design §5)."""

    DONE = 0
    GATE = 1
    BAD_INPUT = 2
    DELIVERY = 3
    REFUSED = 4
    BUG = 70


_WORST_FIRST = (
    *(ExitStatus.BUG, ExitStatus.BAD_INPUT, ExitStatus.DELIVERY, ExitStatus.REFUSED),
    *(ExitStatus.GATE, ExitStatus.DONE),
)


def worst_of(*found: ExitStatus) -> ExitStatus:
    """The one that beats the others."""
    return min(found, key=_WORST_FIRST.index)


@dataclass(frozen=True, slots=True)
class Edge:
    """One run's outside. `now` is when the run began, in UTC. `env` may hold secrets and does not print.

    Words go to `terminal`; `stdout` is its bare stream, for `workflow.commands` alone. `columns` is the width
    of a person's terminal, None where nobody watches.
    """

    env: Mapping[str, str] = field(repr=False)
    now: datetime
    stdin: BinaryIO
    terminal: Terminal
    stdout: TextIO = field(default_factory=lambda: sys.stdout)
    columns: int | None = None
