"""The sanitiser: the one way by which text reaches stdout and stderr.

A line that the runner would take for a workflow command (`::` at its start, `##[` anywhere), or that would
rewrite what a terminal shows (control characters), cannot come out of here (design §9; cases C062, C095).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import TextIO

from ophiuchus.text.characters import BIDI, CONTROL, SURROGATE, TAG, visible_codes

_OBEYED = re.compile(f"[\n{CONTROL}{BIDI}{SURROGATE}{TAG}]+")
_OBEYED_IN_JSON = re.compile(rf"[\x7f-\x9f\u2028\u2029{BIDI}{SURROGATE}{TAG}]")
_COLONS_FIRST = re.compile(r"^([^!-~\w]*):(?=[^!-~\w]*:)")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_REWRITTEN = 40
"""How many columns of the line are rewritten: few, for a line that wraps cannot be taken back."""


def harmless_line(text: str) -> str:
    """`text` as one printable line that neither the runner nor a terminal obeys.

    Characters that act become visible codes, and a backslash breaks what the runner would read as a command:
    `##[` anywhere, `::` where nothing visible stands before it. The runner trims what .NET calls white
    space, loses a byte-order mark, and compares by culture, which skips characters that weigh nothing; so
    anything but a letter, a digit or ASCII punctuation counts as nothing here.
    """
    line = _OBEYED.sub(visible_codes, text).replace("##[", r"##\[")
    return _COLONS_FIRST.sub(r"\1\\:", line)


def harmless_json(text: str) -> str:
    r"""The same JSON value, spelled so that no line of it can be a command or hold a control character.

    `text` must be JSON. What is replaced can only stand inside its strings, where `\u` escapes mean the
    same; no line of JSON starts with `::`.
    """
    return _OBEYED_IN_JSON.sub(_json_escape, text).replace("##[", r"##\u005b").replace("\r", " ")


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(rf"\u{units[start : start + 4]}" for start in range(0, len(units), 4))


class Terminal:
    """Where a command's words go: `say` and `say_json` to stdout, `warn` to stderr.

    A character that the stream's encoding does not know never stops a line: it is spelled as a code.
    """

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err

    def say(self, text: str) -> None:
        """Print `text` to stdout, each of its lines made harmless. One newline ends it, given or not."""
        self._out.write(_lines(text, self._out))

    def say_exactly(self, text: str) -> None:
        """Print to stdout a text that was cleaned already, as it is. Never in a workflow: runners obey it."""
        self._out.write(_encodable(text, self._out))

    def say_json(self, text: str) -> None:
        """Print a JSON text to stdout, the same value in ASCII where the stream cannot take more."""
        text = harmless_json(text).removesuffix("\n")
        if _encodable(text, self._out) != text:
            text = _NOT_ASCII.sub(_json_escape, text)
        self._out.write(text + "\n")

    def say_spelled(self, lines: Iterable[bytes]) -> None:
        """Print ASCII that is harmless already, as the report's own JSON is: it is large, so line by line."""
        for line in lines:
            self._out.write(line.decode("ascii"))

    def warn(self, text: str) -> None:
        """Print `text` to stderr, each of its lines made harmless. One newline ends it, given or not."""
        self._err.write(_lines(text, self._err))

    def rewrite(self, text: str) -> None:
        """Put `text` on the last line of a person's stderr, in place of what this put there before.

        It is cut to 40 characters, and an empty one leaves the line empty. Where stderr is no terminal,
        nothing is written; one that is gone stops no run.
        """
        if self._err.isatty():
            # The cursor goes back to the start, so that even an echoed ^C is overwritten.
            line = _encodable(harmless_line(text), self._err)[:_REWRITTEN]
            with suppress(OSError):
                self._err.write(f"\r{line:<{_REWRITTEN}}\r")
                self._err.flush()


def _lines(text: str, stream: TextIO) -> str:
    lines = text.removesuffix("\n").split("\n")
    return _encodable("".join(harmless_line(line) + "\n" for line in lines), stream)


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
