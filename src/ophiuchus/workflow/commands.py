"""Workflow commands: the only writer of lines that the runner obeys (platform facts 3.7).

A command is one line of stdout, `::name key=value,key=value::data`. The runner undoes `%25 %0D %0A` in data
and `%3A %2C` too in values, so these are escaped here, and nothing else can end a value or the line. What is
said is made harmless first: the runner copies an annotation's text into the log that people read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO

from ophiuchus.text.cut import cut_units
from ophiuchus.text.terminal import harmless_line
from ophiuchus.workflow.masks import words_to_mask

MESSAGE_UNITS = 4096
"""Most UTF-16 units of an annotation's message; the runner cuts the rest without a word."""
TITLE_UNITS = 255
SHOWN_PER_LEVEL = 10
"""Most annotations of one level that one step can show."""


class Level(StrEnum):
    """How loud an annotation is; the value is the command's name."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Annotation:
    """One remark for the pull request's files view and the run's page.

    `path` is relative to the repository (also where the checkout lies deeper in the workspace: that is what
    the page matches), empty where the remark is about no file; `line` counts from 1. Lines of `message` stay
    lines. All of it may hold untrusted text.
    """

    level: Level
    title: str
    message: str
    path: str = ""
    line: int | None = None


class CommandWriter:
    """Writes workflow commands to `out`, which the runner reads (stdout), and counts the annotations."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._left = dict.fromkeys(Level, SHOWN_PER_LEVEL)

    def left(self, level: Level) -> int:
        """How many more annotations of `level` this step can show."""
        return self._left[level]

    def mask(self, secrets: Iterable[str]) -> None:
        """Tell the runner what it must hide. Call it before anything else is printed."""
        for word in words_to_mask(secrets):
            self._write("add-mask", {}, word)

    def annotate(self, annotation: Annotation) -> None:
        """Make one annotation. Beyond `left` the runner logs it, but shows it nowhere else."""
        properties = {}
        if annotation.path:
            properties["file"] = harmless_line(annotation.path)
            if annotation.line is not None:
                properties["line"] = str(annotation.line)
        if annotation.title:
            properties["title"] = cut_units(harmless_line(annotation.title), TITLE_UNITS)
        message = "\n".join(harmless_line(line) for line in annotation.message.split("\n"))
        self._write(annotation.level.value, properties, cut_units(message, MESSAGE_UNITS))
        self._left[annotation.level] = max(0, self._left[annotation.level] - 1)

    def debug(self, text: str) -> None:
        """Log one line that is shown only where debugging is on."""
        self._write("debug", {}, harmless_line(text))

    def _write(self, name: str, properties: dict[str, str], data: str) -> None:
        listed = ",".join(f"{key}={escape_property(value)}" for key, value in properties.items())
        line = f"::{name}{' ' if listed else ''}{listed}::{escape_data(data)}\n"
        encoding = self._out.encoding or "utf-8"
        self._out.write(line.encode(encoding, "backslashreplace").decode(encoding))
        # Lines to stdout and stderr reach the runner by two pipes; a mask must be there before what it hides.
        self._out.flush()


def escape_data(text: str) -> str:
    """`text` as a command's data."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """`text` as the value of a command's property."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")
