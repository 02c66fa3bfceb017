"""An exact reading of JSON text for its places: where the first fault is, and where wanted values stand.

Slow beside `json`, so it runs only after something failed. It keeps its own stack, so no input is too deep
for it. Offsets count characters from 0.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from math import isinf
from typing import NamedTuple

from ophiuchus.text.characters import visible_code
from ophiuchus.text.problem import ProblemCode

MAX_DEPTH = 64
"""Deepest nesting of arrays and objects, the outermost counted (case C109)."""
MAX_NUMBER = 300
"""Most characters of a number (case C110): no integer overflows, and no limit of Python's is met."""

Pointer = tuple[str | int, ...]
"""The way to a value: keys of objects and indices of arrays, outermost first."""

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*)*+(?P<end>"?)')
_ESCAPES = re.compile(r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F]|(?P<half>\\u[dD][89a-fA-F])|\\.")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9A-Fa-f]{4}))')
_SHORT_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile("true|false|null")
_OTHER_WORD = re.compile(r"(?:True|False|None|TRUE|FALSE|NULL|nil|undefined)\b")
_OTHER_QUOTES = "'\xab\xbb\u2018\u2019\u201c\u201d\u201e\uff02"
_NOT_A_NUMBER = re.compile("-?(?:NaN|Infinity)")


class Fault(Exception):
    """The first thing in a text that strict JSON does not allow."""

    def __init__(self, code: ProblemCode, offset: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.offset = offset
        self.message = message


class Found(NamedTuple):
    """Where a value starts, and where its key does (None for an item of an array and for the document)."""

    value: int
    key: int | None


def scan(text: str, wanted: Collection[Pointer] = ()) -> dict[Pointer, Found]:
    """The places of those `wanted` values that are there. Raises Fault for text that is not strict JSON."""
    return _Scan(text, frozenset(wanted)).document()


def half_of_a_character(text: str, start: int = 0, end: int | None = None) -> int | None:
    """The offset of the first escape of a lone surrogate in JSON text, None where there is none (C077)."""
    end = len(text) if end is None else end
    if _HALF.search(text, start, end):
        for escape in _ESCAPES.finditer(text, start, end):
            if escape["half"]:
                return escape.start()
    return None


def refusal_of_number(number: str) -> str | None:
    """Why a number of JSON's grammar is not read, None where it is."""
    if len(number) > MAX_NUMBER:
        return f"number too long: {len(number):,} characters, at most {MAX_NUMBER} are read; write it as text"
    if isinf(float(number)):
        return f"number out of range: {_excerpt(number)}; write it as text"
    return None


class _Scan:
    """One pass over one text: a stack machine over `keys` (of each open object; None for an array)."""

    def __init__(self, text: str, wanted: frozenset[Pointer]) -> None:
        self.text = text
        self.wanted = wanted
        self.longest = max(map(len, wanted), default=-1)
        self.found: dict[Pointer, Found] = {}
        self.keys: list[set[str] | None] = []
        self.way: list[str | int] = []
        self.at = 0
        self.key_at: int | None = None

    def document(self) -> dict[Pointer, Found]:
        self.skip_space()
        if self.at == len(self.text):
            raise Fault(ProblemCode.NOT_JSON, 0, "is empty: write one JSON object")
        while True:
            if len(self.way) <= self.longest and (pointer := tuple(self.way)) in self.wanted:
                self.found[pointer] = Found(self.at, self.key_at)
            if self.opens_container() or self.goes_on():
                continue
            self.skip_space()
            if self.at < len(self.text):
                raise self.expected("the end of the file after its one value")
            return self.found

    def opens_container(self) -> bool:
        """Read a scalar or an empty container whole, else go to a container's first value and say so."""
        opening = self.text[self.at : self.at + 1]
        if opening not in ("{", "["):
            self.scalar()
            return False
        if len(self.keys) == MAX_DEPTH:
            raise Fault(
                ProblemCode.TOO_DEEP,
                self.at,
                f"nested too deeply: at most {MAX_DEPTH} levels are read; flatten it",
            )
        self.at += 1
        self.skip_space()
        if self.text.startswith("}" if opening == "{" else "]", self.at):
            self.at += 1
            return False
        self.keys.append(set() if opening == "{" else None)
        self.way.append(-1)
        self.go_to_member()
        return True

    def goes_on(self) -> bool:
        """After a value: close what closes here. True at the next value, False at the end of the document."""
        while self.keys:
            self.skip_space()
            closing = "]" if self.keys[-1] is None else "}"
            if self.text.startswith(",", self.at):
                comma = self.at
                self.at += 1
                self.skip_space()
                if self.text.startswith(closing, self.at):
                    message = f"is not JSON: a comma before `{closing}`; leave it out"
                    raise Fault(ProblemCode.NOT_JSON, comma, message)
                self.go_to_member()
                return True
            if not self.text.startswith(closing, self.at):
                raise self.expected(f"`,` or `{closing}`")
            self.at += 1
            self.keys.pop()
            self.way.pop()
        return False

    def go_to_member(self) -> None:
        keys = self.keys[-1]
        if keys is None:
            self.key_at = None
            self.way[-1] = int(self.way[-1]) + 1
            return
        self.key_at = self.at
        if not self.text.startswith('"', self.at):
            raise self.expected("a key in double quotes")
        key = _unescaped(self.string())
        if key in keys:
            raise Fault(
                ProblemCode.DUPLICATE_KEY,
                self.key_at,
                f"the key `{_excerpt(key)}` is there twice; keep the one that is meant",
            )
        keys.add(key)
        self.way[-1] = key
        self.skip_space()
        if not self.text.startswith(":", self.at):
            raise self.expected("`:` after the key")
        self.at += 1
        self.skip_space()

    def scalar(self) -> None:
        if self.text.startswith('"', self.at):
            self.string()
        elif number := _NUMBER.match(self.text, self.at):
            if refusal := refusal_of_number(number[0]):
                raise Fault(ProblemCode.BAD_NUMBER, self.at, refusal)
            self.at = number.end()
        elif word := _WORD.match(self.text, self.at):
            self.at = word.end()
        elif word := _NOT_A_NUMBER.match(self.text, self.at):
            raise Fault(
                ProblemCode.BAD_NUMBER, self.at, f"{word[0]} is no number of JSON; write null or a number"
            )
        else:
            raise self.expected("a value")

    def string(self) -> str:
        """Step over a string; its inside, still escaped."""
        string = _STRING.match(self.text, self.at)
        if string is None or not string["end"]:
            end = string.end() if string else self.at
            raise Fault(ProblemCode.NOT_JSON, end, _why_no_string(self.text[end : end + 1]))
        half = half_of_a_character(self.text, self.at, string.end())
        if half is not None:
            raise Fault(
                ProblemCode.LONE_SURROGATE,
                half,
                f"{self.text[half : half + 6]} is half a character; write the whole pair, or leave it out",
            )
        self.at = string.end()
        return string[0][1:-1]

    def skip_space(self) -> None:
        space = _SPACE.match(self.text, self.at)
        if space is not None:
            self.at = space.end()

    def expected(self, wanted: str) -> Fault:
        character = self.text[self.at : self.at + 1]
        if not character:
            return Fault(ProblemCode.NOT_JSON, self.at, f"is not JSON: it ends where {wanted} should be")
        shown = character if character.isprintable() and not character.isspace() else visible_code(character)
        message = f"is not JSON: `{shown}` stands where {wanted} should be{self.hint()}"
        return Fault(ProblemCode.NOT_JSON, self.at, message)

    def hint(self) -> str:
        """What JSON wants instead of a thing that other notations have."""
        character = self.text[self.at]
        if character in "/#":
            return "; JSON has no comments"
        if character in _OTHER_QUOTES:
            return "; JSON wants straight double quotes"
        return "; JSON writes true, false and null" if _OTHER_WORD.match(self.text, self.at) else ""


def _why_no_string(character: str) -> str:
    if not character:
        return "is not JSON: a text is not closed with double quotes"
    if character == "\\":
        return r"is not JSON: unknown escape in a text; write a backslash as \\"
    return r"is not JSON: control character in a text; write a newline as \n, a tab as \t"


def _unescaped(inside: str) -> str:
    if "\\" not in inside:
        return inside
    units = _ESCAPE.sub(
        lambda found: chr(int(found[2], 16)) if found[2] else _SHORT_ESCAPES.get(found[1], found[1]), inside
    )
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _excerpt(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
