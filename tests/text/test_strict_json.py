"""Strict JSON: what is refused and where, that both readers agree, and that nothing else is raised."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ophiuchus.text.file_text import Place
from ophiuchus.text.json_scan import MAX_DEPTH, Fault, Pointer, scan
from ophiuchus.text.problem import Problem, ProblemCode
from ophiuchus.text.strict_json import MAX_BYTES, Location, NotStrictJson, locate, parse_json

Code = ProblemCode


def refusal(data: bytes | str) -> NotStrictJson:
    with pytest.raises(NotStrictJson) as caught:
        parse_json(data.encode() if isinstance(data, str) else data)
    return caught.value


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "words"),
    [
        ("", Code.NOT_JSON, 1, 1, "is empty"),
        (" \n ", Code.NOT_JSON, 1, 1, "is empty"),
        ('{"a": 1,\n "b": }', Code.NOT_JSON, 2, 7, "`}` stands where a value should be"),
        ('{"a": 1,}', Code.NOT_JSON, 1, 8, "a comma before `}`"),
        ("[1, ]", Code.NOT_JSON, 1, 3, "a comma before `]`"),
        ('{"a" 1}', Code.NOT_JSON, 1, 6, "`:` after the key"),
        ("{'a': 1}", Code.NOT_JSON, 1, 2, "double quotes"),
        ("['a']", Code.NOT_JSON, 1, 2, "double quotes"),
        ("{a: 1}", Code.NOT_JSON, 1, 2, "a key in double quotes"),
        ("{“a”: 1}", Code.NOT_JSON, 1, 2, "straight double quotes"),
        ("{\xa0}", Code.NOT_JSON, 1, 2, r"`\xa0` stands where"),
        ('{"a":\u200b 1}', Code.NOT_JSON, 1, 6, r"`\u200b` stands where"),
        ("[1,\x0b2]", Code.NOT_JSON, 1, 4, r"`\x0b` stands where"),
        ("[True]", Code.NOT_JSON, 1, 2, "true, false and null"),
        ('{"a": None}', Code.NOT_JSON, 1, 7, "true, false and null"),
        ('{"a": 1 "b": 2}', Code.NOT_JSON, 1, 9, "`,` or `}`"),
        ('["a"', Code.NOT_JSON, 1, 5, "it ends where `,` or `]` should be"),
        ('{"a": "b', Code.NOT_JSON, 1, 9, "not closed"),
        ('{"a": "b\nc"}', Code.NOT_JSON, 1, 9, r"write a newline as \n"),
        (r'{"a": "\x"}', Code.NOT_JSON, 1, 8, r"write a backslash as \\"),
        (r'{"a": "\u12"}', Code.NOT_JSON, 1, 8, "unknown escape"),
        ("// note\n{}", Code.NOT_JSON, 1, 1, "no comments"),
        ("{} {}", Code.NOT_JSON, 1, 4, "the end of the file"),
        ("[01]", Code.NOT_JSON, 1, 3, "`,` or `]`"),
        ("[tru]", Code.NOT_JSON, 1, 2, "a value"),
        ('{"é🎉": nul}', Code.NOT_JSON, 1, 8, "a value"),
        ('{"a": NaN}', Code.BAD_NUMBER, 1, 7, "NaN is no number"),
        ("[Infinity]", Code.BAD_NUMBER, 1, 2, "Infinity"),
        ("[-Infinity]", Code.BAD_NUMBER, 1, 2, "-Infinity"),
        ("[1e999]", Code.BAD_NUMBER, 1, 2, "out of range"),
        ("[-1.5E+400]", Code.BAD_NUMBER, 1, 2, "out of range"),
        ('{"goal":"g","n":' + "9" * 5000 + "}", Code.BAD_NUMBER, 1, 17, "number too long"),
        ("[0." + "1" * 400 + "]", Code.BAD_NUMBER, 1, 2, "number too long"),
        ('{"a": 1, "b": {"c": 1,\n"c": 2}}', Code.DUPLICATE_KEY, 2, 1, "`c` is there twice"),
        ('{"a": 1, "\\u0061": 2}', Code.DUPLICATE_KEY, 1, 10, "`a` is there twice"),
        ('{"' + "k" * 99 + '": 1, "' + "k" * 99 + '": 2}', Code.DUPLICATE_KEY, 1, 108, "k" * 39 + "…"),
        (r'{"a": "ship it \ud83d"}', Code.LONE_SURROGATE, 1, 16, r"\ud83d is half a character"),
        (r'{"a": "\ude00\ud83d"}', Code.LONE_SURROGATE, 1, 8, r"\ude00"),
        (r'{"a\uD83D": 1}', Code.LONE_SURROGATE, 1, 4, r"\uD83D"),
        (r'["\ud83d\u0041"]', Code.LONE_SURROGATE, 1, 3, r"\ud83d"),
        ("[" * 65 + "]" * 65, Code.TOO_DEEP, 1, 65, "nested too deeply"),
        ("[" * 100_000, Code.TOO_DEEP, 1, 65, "nested too deeply"),
        ('{"goal":"g","x":' + "[" * 100_000 + "]" * 100_000 + "}", Code.TOO_DEEP, 1, 80, "nested too deeply"),
        ('{"a":' * 30_000, Code.TOO_DEEP, 1, 321, "nested too deeply"),
        ("\ufeff\ufeff{}", Code.NOT_JSON, 1, 1, "a value"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_what_is_not_strict_json_is_refused_with_its_place(
    text: str, code: ProblemCode, line: int, column: int, words: str
) -> None:
    """C077, C109, C110."""
    refused = refusal(text)
    assert (refused.code, refused.line, refused.column) == (code, line, column)
    assert words in refused.message
    assert len(refused.message) < 250
    assert refused.problem("a.json") == Problem("a.json", line, column, code, refused.message)


CONFLICT = """{
  "capsule_id": "cap-c1",
<<<<<<< HEAD
  "goal": "finish parser",
=======
  "goal": "finish renderer",
>>>>>>> feature
  "state": "s",
  "next_action": "n"
}
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CONFLICT, 3),
        (CONFLICT.replace("\n", "\r\n"), 3),
        (CONFLICT.replace("<<<<<<< HEAD\n", ""), 6),
        (CONFLICT.replace("<<<<<<<", "<" * 9), 3),
        ('{"n": NaN,\n<<<<<<<\n"a": 1}', 2),
    ],
    ids=["both", "crlf", "closing marker only", "longer markers", "behind another fault"],
)
def test_conflict_markers_are_named_with_their_line(text: str, line: int) -> None:
    """C023."""
    refused = refusal(text)
    assert (refused.code, refused.line, refused.column) == (Code.MERGE_CONFLICT, line, 1)
    assert f"unresolved merge conflict at line {line}" in refused.message


def test_marker_text_inside_a_string_or_a_raw_heading_is_no_conflict() -> None:
    assert parse_json(rb'{"a": "x\n<<<<<<< HEAD\n=======\n"}').document == {"a": "x\n<<<<<<< HEAD\n=======\n"}
    assert refusal('{"a": "Title\n=======\ntext"}').code is Code.NOT_JSON
    assert refusal('{"a": 1,\n==========\n"b": 2}').code is Code.MERGE_CONFLICT
    left = refusal('{\n"a": 1,\r\n=======\r\n"b": 2}')
    assert (left.code, left.line, left.column) == (Code.MERGE_CONFLICT, 3, 1)
    assert refusal('{"a": 1 =======\n}').code is Code.NOT_JSON


@pytest.mark.parametrize("host", ["git-lfs.github.com/spec/v1", "hawser.github.com/spec/v1"])
def test_an_lfs_pointer_is_recognised(host: str) -> None:
    """C059."""
    refused = refusal(f"version https://{host}\noid sha256:{'0' * 64}\nsize 512\n")
    assert refused.code is Code.LFS_POINTER
    assert "not fetched" in refused.message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_named(encoding: str) -> None:
    refused = refusal('{"a": "b"}'.encode(encoding))
    assert (refused.code, refused.line) == (Code.NOT_UTF8, None)
    assert "UTF-16 or UTF-32" in refused.message


@pytest.mark.parametrize("data", [b"\0" * 100, b"\x1f\x8b\x08\0abc", b"\x7fEL\0", b"\0GITCRYPT\0abc"])
def test_bytes_that_are_no_text_are_not_taken_for_a_wide_encoding(data: bytes) -> None:
    refused = refusal(data)
    assert (refused.code, refused.line) == (Code.NOT_UTF8, None)
    assert "binary" in refused.message


def test_bytes_that_are_not_utf_8_are_refused_with_their_place() -> None:
    refused = refusal('{"é":\n "é'.encode() + b'\xe9"}')
    assert (refused.code, refused.line, refused.column) == (Code.NOT_UTF8, 2, 4)
    assert "0xe9" in refused.message
    assert refusal(b'["\xed\xa0\x80"]').code is Code.NOT_UTF8


def test_too_many_bytes_are_refused_before_they_are_read() -> None:
    at_most = b'"' + b"x" * (MAX_BYTES - 2) + b'"'
    assert len(parse_json(at_most).document) == MAX_BYTES - 2
    refused = refusal(at_most + b" ")
    assert (refused.code, refused.line) == (Code.TOO_LARGE, None)
    assert "at least 262,145 bytes" in refused.message
    assert ", 262,146 bytes" in refusal(b" " * (MAX_BYTES + 2)).message
    with pytest.raises(NotStrictJson):
        parse_json(b"[1]", most_bytes=2)


def test_one_byte_order_mark_is_accepted_and_reported() -> None:
    """C013."""
    with_mark = parse_json(b'\xef\xbb\xbf{"a": 1}')
    assert (with_mark.document, with_mark.byte_order_mark) == ({"a": 1}, True)
    assert not parse_json(b'{"a": 1}').byte_order_mark
    assert refusal(b"\xef\xbb\xbf[x]").column == 2


def test_what_is_allowed_is_read() -> None:
    assert parse_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH).document
    assert parse_json(('["' + "[" * 99 + '\\"[{"]').encode()).document == ["[" * 99 + '"[{']
    assert parse_json(rb'["\ud83d\ude00", "\\ud83d", 1e-999, -0, 1.5e3]').document == [
        "😀",
        r"\ud83d",
        0.0,
        0,
        1500.0,
    ]
    assert parse_json(b"[" + b"9" * 300 + b"]").document == [int("9" * 300)]
    assert parse_json(b" null ").document is None


TEXTS = st.text(alphabet=st.sampled_from('ab"\\/\n\t\x00é😀\u2028{}[]:,') | st.characters(codec="utf-8"))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_valid_documents_are_read_as_the_standard_parser_reads_them(
    value: Any, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert repr(parse_json(text.encode()).document) == repr(json.loads(text))
    scan(text)


def referee(text: str) -> bool:
    """Whether `text` is strict JSON, by the standard parser in pure terms and a look at its result."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    def constant(_: str) -> None:
        raise AssertionError

    def number(digits: str) -> float:
        assert len(digits) <= 300
        assert abs(float(digits)) < float("inf")
        return float(digits)

    def depth(value: Any) -> int:
        if isinstance(value, dict):
            for key in value:
                key.encode()
            return 1 + max(map(depth, value.values()), default=0)
        if isinstance(value, str):
            value.encode()
        return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_constant=constant, parse_int=number, parse_float=number
        )
        return depth(value) <= 64
    except (ValueError, AssertionError, RecursionError):
        return False


PUNCTUATION = ('"', "{", "}", "[", "]", ":", ",", " ", "\n", "-", ".", "\\", "\x00")
WORDS = ('"a"', '"b"', '{"a":', "true", "null", "NaN", "-Infinity", "é", "<<<<<<< x\n", "[" * 40, "]" * 40)
ESCAPES = (r'"\ud83d"', r"\ud83d", r"\ude00", r"\u00")
PIECES = st.sampled_from([*PUNCTUATION, *WORDS, *ESCAPES, "1", "1e9", "1e999", "9" * 200])


@settings(max_examples=400)
@given(st.lists(PIECES, max_size=14).map("".join))
@example('{"a":"b","a":"b"}')
@example("[" * 64 + "]" * 64)
@example("[" * 65 + "]" * 65)
@example("9" * 301)
def test_both_readers_agree_with_the_referee_about_what_is_strict(text: str) -> None:
    try:
        scan(text)
        scanned = True
    except Fault:
        scanned = False
    try:
        parse_json(text.encode())
        parsed = True
    except NotStrictJson:
        parsed = False
    assert parsed == scanned == referee(text)


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([b"\xef\xbb\xbf", b"\xff\xfe", b"[", b"1", b"]", b"\0"])).map(b"".join)
)
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    refused = None
    try:
        parse_json(data)
    except NotStrictJson as error:
        refused = error
    if refused is not None and refused.line is not None:
        assert refused.line >= 1
        assert refused.column is not None
        assert refused.column >= 1


class Writer:
    """Writes a document with odd spacing and remembers where everything was put."""

    def __init__(self, spaces: list[str]) -> None:
        self.spaces = spaces
        self.text = ""
        self.places: dict[Pointer, tuple[int, int | None]] = {}

    def space(self) -> None:
        if self.spaces:
            self.text += self.spaces.pop()

    def write(self, value: Any, way: Pointer = (), key: int | None = None) -> None:
        self.space()
        self.places[way] = (len(self.text), key)
        if isinstance(value, dict | list):
            self.text += "{" if isinstance(value, dict) else "["
            for number, item in enumerate(value):
                self.text += "," * (number > 0)
                if isinstance(value, dict):
                    self.space()
                    start = len(self.text)
                    self.text += json.dumps(item)
                    self.space()
                    self.text += ":"
                    self.write(value[item], (*way, item), start)
                else:
                    self.write(item, (*way, number))
                self.space()
            self.space()
            self.text += "}" if isinstance(value, dict) else "]"
        else:
            self.text += json.dumps(value, ensure_ascii=False)
        self.space()


def place(text: str, offset: int) -> Place:
    lines = text[:offset].split("\n")
    return Place(len(lines), len(lines[-1]) + 1)


@given(VALUES, st.lists(st.sampled_from([" ", "\n", "\r\n", "\t", ""]), max_size=40))
def test_every_value_and_key_is_located_where_it_was_written(value: Any, spaces: list[str]) -> None:
    writer = Writer(spaces)
    writer.write(value)
    located = locate(b"\xef\xbb\xbf" + writer.text.encode(), writer.places)
    assert located == {
        way: Location(place(writer.text, at), None if key is None else place(writer.text, key))
        for way, (at, key) in writer.places.items()
    }


def test_what_is_not_there_is_not_located() -> None:
    data = b'{"validity": [1, {"not_after": 2}]}'
    assert locate(data, [("validity", 7), ("gone",), ("validity", 1, "not_after")]) == {
        ("validity", 1, "not_after"): Location(Place(1, 32), Place(1, 19))
    }
    with pytest.raises(NotStrictJson):
        locate(b"[", [()])


def test_messages_name_a_remedy() -> None:
    for text in ("[1e999]", "[NaN]", '{"a":1,"a":2}', r'["\ud83d"]', CONFLICT, "[" * 70):
        assert re.search(r"; (write|keep|resolve|flatten)", refusal(text).message), text
