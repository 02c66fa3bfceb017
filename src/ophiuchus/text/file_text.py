"""The text in a committed file's bytes: UTF-8 and nothing else, and what else a file can be by accident."""

from __future__ import annotations

import re
from typing import NamedTuple

from ophiuchus.text.problem import Problem, ProblemCode

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_CONFLICT = re.compile(r"^(?:<{7,}|>{7,}|\|{7,})(?:[ \t].*)?\r?$", re.MULTILINE)
_HALVES = re.compile(r"^={7,}\r?$", re.MULTILINE)
_LFS_POINTER = re.compile(r"version https?://(?:git-lfs\.github\.com|hawser\.github\.com|git-media\.io)/\S*")
# One ASCII character in UTF-16 or UTF-32, of either byte order.
_WIDE = re.compile(rb"[\t\n\r -~]\0|\0[\t\n\r -~](?:\0|\Z)|\0\0\0[\t\n\r -~]")


class Place(NamedTuple):
    """A place in a text; both count from 1, columns in characters."""

    line: int
    column: int


class UnusableFile(Exception):
    """A file is not what it must be. `line` and `column` are as in Place; None: the whole file."""

    def __init__(self, code: ProblemCode, line: int | None, column: int | None, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.column = column
        self.message = message

    def problem(self, path: str) -> Problem:
        """This as a problem of the file `path`."""
        return Problem(path, self.line, self.column, self.code, self.message)


def decode(data: bytes) -> str:
    """The UTF-8 text in `data`, one leading byte-order mark apart (C013). Raises UnusableFile."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or _WIDE.match(data):
        raise UnusableFile(
            ProblemCode.NOT_UTF8, None, None, "is UTF-16 or UTF-32, not UTF-8: save it as UTF-8"
        )
    if b"\0" in data[:4]:
        message = "is no text: binary, encrypted, or cut short in writing; commit it as plain UTF-8"
        raise UnusableFile(ProblemCode.NOT_UTF8, None, None, message)
    data = data.removeprefix(BYTE_ORDER_MARK)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise UnusableFile(
            ProblemCode.NOT_UTF8,
            *place_at(before, len(before)),
            f"is not UTF-8: byte {data[error.start]:#04x} belongs to no character; save it as UTF-8",
        ) from None


def accident(text: str) -> UnusableFile | None:
    """What befell a text that cannot be parsed, where it is plain: a conflict left in it, an LFS pointer."""
    if conflict := _CONFLICT.search(text):
        return _conflict(text, conflict.start())
    if _LFS_POINTER.match(text):
        message = (
            "is a Git LFS pointer and was not fetched: keep this file out of LFS, so that every reader has it"
        )
        return UnusableFile(ProblemCode.LFS_POINTER, 1, 1, message)
    return None


def conflict_at(text: str, offset: int) -> UnusableFile | None:
    """The conflict whose middle line stands at `offset`, where no text can be; inside a text it is one."""
    return _conflict(text, offset) if _HALVES.match(text, offset) else None


def _conflict(text: str, offset: int) -> UnusableFile:
    line, column = place_at(text, offset)
    message = f"unresolved merge conflict at line {line}; resolve it and commit the result"
    return UnusableFile(ProblemCode.MERGE_CONFLICT, line, column, message)


def place_at(text: str, offset: int) -> Place:
    """The place of the character at `offset`."""
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def too_large(size: int, most_bytes: int) -> str:
    """The message for a file of `size` bytes that is not read."""
    # One byte too many is where reading ends, wherever the file does.
    known = f"{size:,}" if size != most_bytes + 1 else f"at least {size:,}"
    return f"not read: too large, {known} bytes where {most_bytes:,} are the most; shorten or split it"
