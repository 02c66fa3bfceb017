"""What the text of one input may be: each function reads one kind of value, or says why it is none.

All of them raise UnusableText. Empty text is what was not given, where an input may be left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TypeVar

from ophiuchus.git.globs import RefusedGlob, compile_glob

_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_PATH_CHARACTERS = 1_000

Choice = TypeVar("Choice", bound=StrEnum)


class UnusableText(Exception):
    """Why one input's text cannot be used; who reads the input shows the text beside it."""


def choice_of(choices: type[Choice]) -> Callable[[str], Choice]:
    """What reads one of a closed set of words."""

    def read(text: str) -> Choice:
        try:
            return choices(text)
        except ValueError:
            raise UnusableText(f"is not one of: {', '.join(choices)}") from None

    return read


def boolean(text: str) -> bool:
    """Yes or no, as a workflow spells it."""
    try:
        return _BOOLEANS[text.lower()]
    except KeyError:
        raise UnusableText("is neither true (1) nor false (0)") from None


def switch(text: str) -> bool | None:
    """On, off, or not said here: then other places are asked."""
    return boolean(text) if text else None


def one_line(text: str) -> str:
    """Text that can be printed on one line."""
    if not text.isprintable():
        raise UnusableText("has a character that cannot be printed")
    return text


def one_line_of(most: int) -> Callable[[str], str]:
    """What reads a line of at most so many characters."""

    def read(text: str) -> str:
        if len(text) > most:
            raise UnusableText(f"is longer than {most:,} characters")
        return one_line(text)

    return read


def names(text: str) -> tuple[str, ...]:
    """Names with commas, blanks or ends of lines between them."""
    return tuple(dict.fromkeys(one_line(" ".join(text.replace(",", " ").split())).split()))


def pattern(text: str) -> str:
    """A pattern of paths."""
    try:
        compile_glob(one_line(text))
    except RefusedGlob as refused:
        raise UnusableText(refused.reason) from None
    return text


def new_file(text: str) -> str:
    """Where a file may be written, relative to the workspace."""
    if not text:
        return ""
    place = _place(text)
    if not place.parts or text.endswith("/"):
        raise UnusableText("names a folder, not a file")
    return str(place)


def folder_in(workspace: str, remedy: str) -> Callable[[str], str]:
    """What reads a folder of the workspace, relative to it. `remedy` is how it gets there."""

    def read(text: str) -> str:
        if not text:
            return ""
        place = _place(text)
        folder = _beneath(workspace, place)
        if not os.path.isdir(folder):  # noqa: PTH112 - Path's own raises for a name that is too long
            raise UnusableText(f"is no folder of the workspace; {remedy}")
        return str(place)

    return read


def file_in(workspace: str) -> Callable[[str], str]:
    """What reads the absolute path of a file: below the workspace, or where the runner keeps it."""

    def read(text: str) -> str:
        if not text:
            return ""
        is_absolute = PurePosixPath(one_line(text)).is_absolute()
        file = Path(text) if is_absolute else _beneath(workspace, _place(text))
        if not os.path.isfile(file):  # noqa: PTH113 - Path's own raises for a name that is too long
            raise UnusableText(
                "is no file; a path of the host does not exist in a container, but RUNNER_TEMP does"
            )
        return str(file)

    return read


def _place(text: str) -> PurePosixPath:
    """A relative path that stays where it starts."""
    place = PurePosixPath(one_line_of(_PATH_CHARACTERS)(text))
    if place.is_absolute():
        raise UnusableText(
            "is absolute; give it relative to the workspace (paths of the host do not exist here)"
        )
    if ".." in place.parts:
        raise UnusableText("has a '..'; it must stay in the workspace")
    if any(part.casefold() == ".git" for part in place.parts):
        raise UnusableText("is inside git's own folder")
    return place


def _beneath(workspace: str, place: PurePosixPath) -> Path:
    """What is there, links followed, as long as it is in the workspace."""
    root = Path(os.path.realpath(workspace))
    found = Path(os.path.realpath(root / place))
    if not found.is_relative_to(root):
        raise UnusableText("leads out of the workspace through a link")
    return found
