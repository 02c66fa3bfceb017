from __future__ import annotations

import pytest

from ophiuchus.text.wording import counted, json_excerpt, quoted, sort_of
from ophiuchus.text.written import is_written


def test_a_senders_text_is_quoted_in_one_harmless_bounded_line() -> None:
    assert quoted("café") == "“café”"
    assert quoted("a\nb\u202e") == r"“a\nb\u202e”"
    assert quoted("x" * 999) == f"“{'x' * 79}…”"


def test_an_excerpt_is_json_and_bounded() -> None:
    assert json_excerpt("x" * 999) == f'"{"x" * 39}…"'
    assert json_excerpt(10**200) == "1" + "0" * 39
    assert json_excerpt([1]) == "a list"
    assert json_excerpt(True) == "true"


def test_an_excerpt_tells_by_its_code_what_a_reader_cannot_see() -> None:
    assert json_excerpt("caf\xe9") == '"caf\xe9"'
    assert json_excerpt("a\u202eb\u200b") == '"a\\u202eb\\u200b"'
    assert json_excerpt("\u2800") == '"\\u2800"'


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ("x", "text"),
        (1, "a number"),
        (1.5, "a number"),
        ([], "a list"),
        ({}, "an object"),
    ],
)
def test_each_sort_of_value_has_its_words(value: object, words: str) -> None:
    assert sort_of(value) == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 globs"), (1, "1 glob"), (2, "2 globs"), (1000, "1,000 globs")]
)
def test_one_of_a_thing_is_said_in_the_singular(number: int, words: str) -> None:
    assert counted(number, "glob") == words


@pytest.mark.parametrize(
    ("text", "written"), [("a", True), (" \t", False), ("\u200b\u3164", False), ("", False)]
)
def test_written_is_what_shows(text: str, written: bool) -> None:
    assert is_written(text) is written
