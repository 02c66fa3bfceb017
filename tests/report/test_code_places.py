"""Places of code in a critic's words: only those that can be no other thing, and never outside."""

from __future__ import annotations

import time
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.report.code_places import MOST_PLACES, CodePlace, code_places


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("src/pay/append.py:40 races", [("src/pay/append.py", 40)]),
        ("see `src/a.py:7`, (lib/b.test.ts:12) and src/a.py:7.", [("src/a.py", 7), ("lib/b.test.ts", 12)]),
        ("src/a.py:7-9, src/a.py:7:30", [("src/a.py", 7)]),
        (".github/workflows/ci.yml:3", [(".github/workflows/ci.yml", 3)]),
        ("docs/.eslintrc.json:1", [("docs/.eslintrc.json", 1)]),
        ("a\nsrc/a.py:1\nb", [("src/a.py", 1)]),
    ],
)
def test_a_relative_path_with_a_line_is_a_place(text: str, found: list[tuple[str, int]]) -> None:
    assert list(code_places(text)) == [CodePlace(*one) for one in found]


@pytest.mark.parametrize(
    "text",
    [
        "append.py:40",
        "src/append.py",
        "src/append.py:0",
        "src/append.py:12345678",
        "src/append.py:12abc",
        "/etc/passwd.d/x.txt:1",
        "../src/a.py:1",
        "src/../../a.py:1",
        "./src/a.py:1",
        "src/./a.py:1",
        "src//a.py:1",
        "~/src/a.py:1",
        "C:/src/a.py:1",
        "C:\\src/a.py:1",
        "https://example.org/src/a.py:1",
        "git@example.org/src/a.py:1",
        "file:src/a.py:1",
        "%2e%2e/src/a.py:1",
        ".git/hooks/a.sh:1",
        ".GIT/hooks/a.sh:1",
        "and/or:3",
        "http/2:5",
        "src/é.py:1",
    ],
)
def test_what_may_be_anything_else_is_none(text: str) -> None:
    assert code_places(text) == ()


def test_no_more_than_a_few_are_taken() -> None:
    text = " ".join(f"src/a.py:{line}" for line in range(1, 50))
    assert [one.line for one in code_places(text)] == list(range(1, MOST_PLACES + 1))


@given(st.lists(st.sampled_from(["src", "..", ".", "/", "a.py", ":", "1", "\\", "~", "C:", " ", "%2e"])))
def test_no_place_is_outside(pieces: list[str]) -> None:
    for one in code_places("".join(pieces)):
        path = PurePosixPath(one.path)
        assert not path.is_absolute()
        assert str(path) == one.path
        assert not {"..", "."} & set(one.path.split("/"))
        assert one.line > 0


@pytest.mark.parametrize("text", ["a/" * 50_000, "a" * 100_000, "a/a." * 25_000, "a/a.py:" * 15_000])
def test_a_long_text_costs_no_more_than_its_length(text: str) -> None:
    start = time.perf_counter()
    assert code_places(text) == ()
    assert time.perf_counter() - start < 1
