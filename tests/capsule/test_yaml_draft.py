"""YAML drafts: what is read, what is refused, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ophiuchus.capsule.yaml_draft import NotDraftYaml, parse_yaml
from ophiuchus.text.problem import ProblemCode


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: true", True),
        ("a: false", False),
        ("a: yes", "yes"),
        ("a: no", "no"),
        ("a: on", "on"),
        ("a: off", "off"),
        ("a: True", "True"),
        ("a: 'true'", "true"),
        ("a: null", None),
        ("a: ~", None),
        ("a:", None),
        ("a: 'null'", "null"),
        ("a: ''", ""),
        ("a: 1", 1),
        ("a: -7", -7),
        ("a: 0", 0),
        ("a: 007", "007"),
        ("a: 0x1f", "0x1f"),
        ("a: 1_000", "1_000"),
        ("a: 12:30:45", "12:30:45"),
        ("a: 1.10", "1.10"),
        ("a: 1e5", "1e5"),
        ("a: .nan", ".nan"),
        ("a: .inf", ".inf"),
        ("a: 2026-07-01", "2026-07-01"),
        ("a: 2026-07-01T12:00:00Z", "2026-07-01T12:00:00Z"),
        ("a: 2026-07-01 12:00:00", "2026-07-01 12:00:00"),
        ("a: 1234567890", "1234567890"),
        ("a: " + "1" * 40, "1" * 40),
        ("a: |\n  one\n  two\n", "one\ntwo"),
        ("a: >\n  one\n  two\n", "one two"),
        ("a: [x, 'y', 3]", ["x", "y", 3]),
        ("a: {b: {c: d}}", {"b": {"c": "d"}}),
        ("a:\n- x\n- y: z", ["x", {"y": "z"}]),
        ("a: x # said aside", "x"),
        ("---\na: x\n...\n", "x"),
        ("a: src/**", "src/**"),
        ("a: src/[id]/x", "src/[id]/x"),
    ],
)
def test_a_scalar_is_what_it_looks_like_and_nothing_cleverer(text: str, value: object) -> None:
    assert parse_yaml(text).value == {"a": value}
    found = parse_yaml(text).value["a"]
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["", "# only a remark\n", "\n\n"])
def test_an_empty_text_is_null(text: str) -> None:
    assert parse_yaml(text).value is None


def test_keys_are_text_whatever_they_look_like() -> None:
    assert parse_yaml("true: a\n1: b\n~: c\n<<: d\n").value == {"true": "a", "1": "b", "~": "c", "<<": "d"}


@pytest.mark.parametrize(
    ("text", "code", "index"),
    [
        ("a: &x 1", ProblemCode.NOT_YAML, 3),
        ("a: &x {b: 1}", ProblemCode.NOT_YAML, 3),
        ("a: *x", ProblemCode.NOT_YAML, 3),
        ("&x a: 1", ProblemCode.NOT_YAML, 0),
        ("a: !!python/object:os.system {}", ProblemCode.NOT_YAML, 3),
        ("a: !!binary aGk=", ProblemCode.NOT_YAML, 3),
        ("a: !x y", ProblemCode.NOT_YAML, 3),
        ("!x a: y", ProblemCode.NOT_YAML, 0),
        ("a: ! y", ProblemCode.NOT_YAML, 3),
        ("? [a]\n: b", ProblemCode.NOT_YAML, 2),
        ("? {a: b}\n: c", ProblemCode.NOT_YAML, 2),
        ("? *x\n: c", ProblemCode.NOT_YAML, 2),
        ("a: 1\nb: 2\na: 3", ProblemCode.DUPLICATE_KEY, 10),
        ("a: 1\n'a': 3", ProblemCode.DUPLICATE_KEY, 5),
        ("a: 1\n---\nb: 2", ProblemCode.NOT_YAML, 5),
        ("a: [1", ProblemCode.NOT_YAML, 5),
        ("a: *", ProblemCode.NOT_YAML, 4),
        ("a: b: c", ProblemCode.NOT_YAML, 4),
        ("a:\n\tb: c", ProblemCode.NOT_YAML, 3),
        ("a: 'x", ProblemCode.NOT_YAML, 5),
        ("a: \x00", ProblemCode.NOT_YAML, 3),
        ("a: \x1b[2J", ProblemCode.NOT_YAML, 3),
        ('a: "\\ud800"', ProblemCode.LONE_SURROGATE, 3),
        ('"\\udfff": a', ProblemCode.LONE_SURROGATE, 0),
        ('a: "\\U00110000"', ProblemCode.NOT_YAML, None),
        ("%YAML " + "9" * 5000 + ".1\n---\na: 1", ProblemCode.NOT_YAML, None),
        ("[" * 10_000, ProblemCode.TOO_DEEP, 65),
        ("- " * 100 + "x", ProblemCode.TOO_DEEP, 130),
        ("a: " + "{a: " * 100, ProblemCode.TOO_DEEP, 259),
    ],
)
def test_what_is_refused_names_its_place(text: str, code: ProblemCode, index: int | None) -> None:
    with pytest.raises(NotDraftYaml) as refused:
        parse_yaml(text)
    assert (refused.value.code, refused.value.index) == (code, index)
    assert refused.value.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: b: c", "colon"),
        ("a: @user asked", "quotes"),
        ("a: `x`", "quotes"),
        ("a:\n\tb: c", "tab"),
        ("a:\n- **/x.py", "begins with *"),
        ("a:\n- *.py", "begins with *"),
        ("a: &", "begins with &"),
        (r'a: "C:\Users"', "single quotes"),
        (r'a: "C:\src"', "single quotes"),
    ],
)
def test_what_wants_quotes_is_told_to_be_quoted(text: str, words: str) -> None:
    with pytest.raises(NotDraftYaml) as refused:
        parse_yaml(text)
    assert words in refused.value.message


@pytest.mark.parametrize(
    ("text", "asides"),
    [
        ("a: fix #12 now", ["#12 now"]),
        ("a:\n- see #7\n- b\n- c #x\n", ["#7", "#x"]),
        ("a: one\n  two #3", ["#3"]),
        ("a: x # said aside", []),
        ("a: x ## y", []),
        ("a: x#12", []),
        ("a: 'x #12'", []),
        ("a: true #12", []),
        ("#12\na: x\n#13", []),
        ("a: |\n  x #12\n", []),
    ],
)
def test_a_comment_that_may_end_a_text_is_noted(text: str, asides: list[str]) -> None:
    found = parse_yaml(text).asides
    assert [text[index:].partition("\n")[0] for index in found] == asides


def test_a_growing_alias_bomb_is_refused_at_its_first_anchor() -> None:
    layers = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(NotDraftYaml) as refused:
        parse_yaml("\n".join(layers))
    assert refused.value.index == 4


def test_fields_and_items_know_where_they_start() -> None:
    text = "goal: x\nvalidity:\n  - kind: git_paths\n    paths: [a, b]\n"
    starts = parse_yaml(text).starts
    assert text[starts["validity",] :].startswith("validity:")
    assert text[starts["validity", 0] :].startswith("kind: git_paths")
    assert text[starts["validity", 0, "paths", 1] :].startswith("b]")


# YAML takes NEL and the two Unicode separators for line breaks, and allows no other control characters.
words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cn", "Zl", "Zp")), max_size=20)
plain_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-999_999_999, 999_999_999) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(st.from_regex(r"[a-z_]{1,12}", fullmatch=True), plain_values, max_size=5))
def test_json_read_as_yaml_is_the_same_value(value: dict[str, Any]) -> None:
    assert parse_yaml(json.dumps(value, ensure_ascii=False)).value == value


@settings(deadline=None, max_examples=300)
@given(
    st.text()
    | st.text(alphabet="abc:-[]{}&*!|>'\"%@`#,? \n\t\\uUx0189~<")
    | st.binary().map(lambda data: data.decode("latin-1"))
)
def test_any_text_is_read_or_refused_in_our_words(text: str) -> None:
    refused = None
    try:
        parse_yaml(text)
    except NotDraftYaml as error:
        refused = error
    assert refused is None or refused.message
    assert refused is None or refused.index is None or 0 <= refused.index <= len(text) + 1
