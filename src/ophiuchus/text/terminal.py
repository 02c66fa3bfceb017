"""The sanitiser: the one way by which text reaches stdout and stderr.

A line that the runner would take for a workflow command (`::` at its start, `##[` anywhere), or that would
rewrite what a terminal shows (control characters), cannot come out of here.
"""

from __future__ import annotations

from typing import TextIO


def harmless_line(text: str) -> str:
    """`text` as one printable line that neither the runner nor a terminal obeys."""
    raise NotImplementedError


def harmless_json(text: str) -> str:
    """The same JSON value, spelled so that no line of it can be a command or hold a control character."""
    raise NotImplementedError


class Terminal:
    """Where a command's words go: `say` to stdout, `warn` to stderr, `say_json` for JSON on stdout."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err

    def say(self, text: str) -> None:
        """Print `text` to stdout, each of its lines made harmless."""
        raise NotImplementedError

    def say_json(self, text: str) -> None:
        """Print a JSON text to stdout."""
        raise NotImplementedError

    def warn(self, text: str) -> None:
        """Print `text` to stderr, each of its lines made harmless."""
        raise NotImplementedError
