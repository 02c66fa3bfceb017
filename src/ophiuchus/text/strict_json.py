"""Strict JSON: UTF-8, one value, no key twice, nothing that another reader would take for something else.

Refused, each with its place (design §3): other encodings, NaN, Infinity and numbers that overflow or are too
long, duplicate keys, lone surrogates, deep nesting, too many bytes, conflict markers, LFS pointers. The
standard parser does the work; places are looked up only after something failed. One leading byte-order mark
is accepted and reported (C013).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from math import isinf
from typing import Any, NamedTuple, NoReturn

from ophiuchus.text import file_text
from ophiuchus.text.file_text import BYTE_ORDER_MARK, Place, UnusableFile, place_at
from ophiuchus.text.json_scan import MAX_DEPTH, MAX_NUMBER, Fault, Pointer, half_of_a_character, scan
from ophiuchus.text.problem import ProblemCode

MAX_BYTES = 256 * 1024
"""Most bytes of one document."""

_STRINGS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_BRACKETS = re.compile(r"[\[\]{}]")


class NotStrictJson(UnusableFile):
    """A text is not strict JSON."""


class Parsed(NamedTuple):
    """A document, and whether a byte-order mark stood before it."""

    document: Any
    byte_order_mark: bool


class Location(NamedTuple):
    """Where a value stands, and its key (None for an item of an array and for the document itself)."""

    value: Place
    key: Place | None


def parse_json(data: bytes, most_bytes: int = MAX_BYTES) -> Parsed:
    """The one document in `data`. Raises NotStrictJson with the first fault, in document order."""
    if len(data) > most_bytes:
        raise NotStrictJson(ProblemCode.TOO_LARGE, None, None, too_large(len(data), most_bytes))
    text = _decoded(data)
    try:
        document = parse_text(text)
    except ValueError:
        raise _refusal(text) from None
    return Parsed(document, data.startswith(BYTE_ORDER_MARK))


def parse_text(text: str) -> Any:
    """The document in a text, for those who read a great many. Raises ValueError, which says nothing."""
    if (text.count("[") + text.count("{") > MAX_DEPTH and _may_be_too_deep(text)) or (
        "\\" in text and half_of_a_character(text) is not None
    ):
        raise _Refused
    text = text.strip(" \t\r\n")
    document, end = _DECODER.raw_decode(text)
    if end < len(text):
        raise _Refused
    return document


def locate(data: bytes, pointers: Collection[Pointer]) -> dict[Pointer, Location]:
    """Where these values of a document stand; those that are not there are left out.

    `data` is as `parse_json` accepts it; otherwise raises NotStrictJson too.
    """
    text = _decoded(data)
    try:
        found = scan(text, pointers)
    except Fault:
        raise _refusal(text) from None
    return {
        pointer: Location(place_at(text, at.value), None if at.key is None else place_at(text, at.key))
        for pointer, at in found.items()
    }


def too_large(size: int, most_bytes: int = MAX_BYTES) -> str:
    """The message for a document of `size` bytes that is not read."""
    return file_text.too_large(size, most_bytes)


class _Refused(ValueError):
    """Something that the standard parser would take."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Refused
    return members


def _integer(digits: str) -> int:
    if len(digits) > MAX_NUMBER:
        raise _Refused
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if len(digits) > MAX_NUMBER or isinf(number):
        raise _Refused
    return number


def _constant(_: str) -> NoReturn:
    raise _Refused


# With these hooks `json` still uses its scanner written in C.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)


def _may_be_too_deep(text: str) -> bool:
    """Whether the standard parser, which recurses, could meet more than `MAX_DEPTH` levels."""
    depth = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _decoded(data: bytes) -> str:
    try:
        return file_text.decode(data)
    except UnusableFile as refused:
        raise _as_json(refused) from None


def _as_json(refused: UnusableFile) -> NotStrictJson:
    return NotStrictJson(refused.code, refused.line, refused.column, refused.message)


def _refusal(text: str) -> NotStrictJson:
    """What is wrong with a text that was refused."""
    if found := file_text.accident(text):
        return _as_json(found)
    try:
        scan(text)
    except Fault as fault:
        if half_resolved := file_text.conflict_at(text, fault.offset):
            return _as_json(half_resolved)
        return NotStrictJson(fault.code, *place_at(text, fault.offset), fault.message)
    return NotStrictJson(ProblemCode.NOT_JSON, None, None, "is not JSON")
