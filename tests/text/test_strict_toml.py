"""TOML: what is refused, with its place, and nothing of it repeated."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ophiuchus.text.file_text import UnusableFile
from ophiuchus.text.problem import ProblemCode
from ophiuchus.text.strict_toml import MOST_BYTES, parse_toml


def test_a_document_is_what_json_could_hold() -> None:
    data = b'\xef\xbb\xbfa = 1\r\nb = [true, 2.5]\nc.d = 2026-01-02T03:04:05Z\n["e.f"]\ng = 12:30:00\n'
    read = parse_toml(data)
    assert read.document == {
        "a": 1,
        "b": [True, 2.5],
        "c": {"d": "2026-01-02 03:04:05+00:00"},
        "e.f": {"g": "12:30:00"},
    }
    assert read.text == data.decode("utf-8-sig")
    assert "12:30" not in repr(parse_toml(b"# 12:30"))


@pytest.mark.parametrize(
    ("data", "line", "column", "code", "words"),
    [
        (b"a = ", None, None, ProblemCode.NOT_TOML, "is not TOML: Invalid value"),
        (b"a = 1\nb 2\n", 2, 3, ProblemCode.NOT_TOML, "Expected '=' after a key in a key/value pair"),
        (b"[secret]\n[secret]\n", 2, 8, ProblemCode.NOT_TOML, "Cannot declare … twice"),
        (b"a = {secret = 1, secret = 2}", 1, 28, ProblemCode.NOT_TOML, "Duplicate inline table key …"),
        (b"a = 2026-02-31\n", 1, 5, ProblemCode.NOT_TOML, "Invalid date"),
        (b"a = " + b"1" * 5000, None, None, ProblemCode.NOT_TOML, "a number is out of range"),
        (b"a = 1\n<<<<<<< HEAD\n=======\n", 2, 1, ProblemCode.MERGE_CONFLICT, "merge conflict at line 2"),
        (b"version https://git-lfs.github.com/spec/v1\n", 1, 1, ProblemCode.LFS_POINTER, "LFS pointer"),
        (b"a = 1\n\xff\n", 2, 1, ProblemCode.NOT_UTF8, "is not UTF-8"),
        ("a = 1".encode("utf-16"), None, None, ProblemCode.NOT_UTF8, "UTF-16"),
        (b"#" * (MOST_BYTES + 1), None, None, ProblemCode.TOO_LARGE, "too large"),
        (b"a = " + b"[" * 100_000, None, None, ProblemCode.TOO_DEEP, "is nested too deep"),
        (b"#\na" + b".a" * 100_000 + b" = 1", 2, None, ProblemCode.TOO_DEEP, "dots on line 2"),
        (b"b = {a" + b" . a" * 65 + b" = 1}", 1, None, ProblemCode.TOO_DEEP, "dots on line 1"),
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_what_is_refused_has_a_place_and_a_reason(
    data: bytes, line: int | None, column: int | None, code: ProblemCode, words: str
) -> None:
    with pytest.raises(UnusableFile) as refusal:
        parse_toml(data)
    assert (refusal.value.line, refusal.value.column, refusal.value.code) == (line, column, code)
    assert words in refusal.value.message
    assert "secret" not in refusal.value.message


def test_dots_in_a_comment_are_no_key() -> None:
    assert parse_toml(b"\t# " + b"." * 100).document == {}


@example(b"\xef\xbb\xbf")
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode(errors="replace")))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    with suppress(UnusableFile):
        assert parse_toml(data).text.encode() in data
