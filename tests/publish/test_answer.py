from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.publish.answer import MOST_BYTES, json_object, made, words
from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.provider import Write
from ophiuchus.publish.reference import Reference

CREATE = Write(Operation.CREATE, "123", {})
APPEND = Write(Operation.APPEND, "123", {}, Reference("abc12"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[1]",
        b'"x"',
        b"null",
        b"<html>login</html>",
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"a":' * 200 + b"1" + b"}" * 200,
        b'{"id":1,"id":2}',
        b'{"id":NaN}',
        b'{"x":"' + b"y" * MOST_BYTES + b'"}',
    ],
    ids=lambda body: repr(body[:12]),
)
def test_what_is_no_json_object_is_an_empty_one(body: bytes) -> None:
    assert json_object(body) == {}


@given(st.binary())
def test_no_bytes_break_it(body: bytes) -> None:
    assert isinstance(json_object(body), dict)


def test_an_id_is_a_reference_where_it_has_the_providers_form() -> None:
    assert made(ProviderName.CLICKUP, CREATE, "abc12") == Reference("abc12")
    assert made(ProviderName.CLICKUP, APPEND, 458) == Reference("abc12", "458")
    assert made(ProviderName.CLICKUP, APPEND, "458") == Reference("abc12", "458")


@pytest.mark.parametrize("found", [None, True, 1.5, "", "a/1", "https://x", "a b", [], {}, "a" * 99, "\n"])
@pytest.mark.parametrize("write", [CREATE, APPEND])
def test_anything_else_is_none(write: Write, found: object) -> None:
    assert made(ProviderName.CLICKUP, write, found) is None


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([], ""),
        (["no word", None, 7, ["low"], "low\n", "::error::"], ""),
        (["low", "LOW", "high", "low"], "low, high"),
        ([*"abcdefgh"], "a, b, c, d, e"),
    ],
)
def test_of_an_answer_only_a_few_words_of_a_closed_form_are_told(found: list[object], told: str) -> None:
    assert words(re.compile("[a-z]+"), found) == told
