"""What a person gives a command to read: a file by its name, or `-` for the standard input."""

from __future__ import annotations

from pathlib import Path

from ophiuchus.commands.edge import Edge
from ophiuchus.text.problem import ExpectedFailure

STDIN = "-"


class GivenUnreadable(ExpectedFailure):
    """The file that was named cannot be read."""

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(
            f"{name} cannot be read: {error.strerror}", f"Name a file, or {STDIN} for the standard input."
        )


def read_given(name: str, edge: Edge, most: int) -> bytes:
    """What is in there, up to one byte more than `most`: enough to be refused. Raises GivenUnreadable."""
    if name == STDIN:
        return edge.stdin.read(most + 1)
    try:
        with Path(name).open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise GivenUnreadable(name, error) from error
