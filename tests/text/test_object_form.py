"""An object of a known form is what strict JSON says, or is left to those who read with care."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import core_schema as form

from ophiuchus.text.object_form import ObjectForm
from ophiuchus.text.strict_json import NotStrictJson, parse_json

FORM = ObjectForm(
    form.typed_dict_schema(
        {
            "text": form.typed_dict_field(form.str_schema(), required=True),
            "word": form.typed_dict_field(form.literal_schema(["on", "off"]), required=True),
            "count": form.typed_dict_field(form.int_schema(ge=0, le=1_000), required=False),
            "flag": form.typed_dict_field(form.bool_schema(), required=False),
            "note": form.typed_dict_field(form.nullable_schema(form.str_schema()), required=False),
            "hint": form.typed_dict_field(form.str_schema(), required=False),
            "tags": form.typed_dict_field(form.list_schema(form.str_schema()), required=False),
        },
        extra_behavior="forbid",
        config=form.CoreConfig(strict=True),
    )
)


@pytest.mark.parametrize(
    "written",
    [
        r'{"text":"","word":"on"}',
        r'{"text":"two words — é","word":"off","count":7,"flag":false,"note":null,"tags":[]}',
        r'{"text":"","word":"on","hint":"h"}',
        r' {"word" : "on" , "tags" : ["a", "b", ""], "note" : "n", "text" : ":" }' + "\r\n",
        r'{"text":"a \"word\", then\na line \ud83d\ude00 \u0022 \/","word":"on","tags":["\""]}',
        r'{"te\u0078t":"[{","word":"on","count":-0}',
        r'{"text":"\\","word":"on","note":"\\\"","tags":["\\\\","\"\\","\\\\\"\\"]}',
    ],
)
def test_objects_of_the_form_are_taken(written: str) -> None:
    assert FORM.read(written.encode()) == json.loads(written)


@pytest.mark.parametrize(
    "written",
    [
        rb'{"text":"a","word":"on","text":"a"}',
        rb'{"text":"a","word":"on","word":"on"}',
        rb'{"text":"a","word":"on","count":1,"count":1}',
        rb'{"text":"a","word":"on","te\u0078t":"a"}',
        rb'{"text":"\u0022\u0022\u0022\u0022","word":"on","text":"\u0022\u0022\u0022\u0022"}',
        rb'{"text":"\\","word":"on","text":"\\"}',
        rb'{"text":"\\\"","word":"on","note":"\\","note":"\\"}',
        rb'{"text":"a","word":"on","tags":["a"],"tags":["a","b","c"]}',
        rb'{"text":"a","word":"on","note":null,"note":"a"}',
        rb'{"text":"a","word":"on","count":1.0}',
        rb'{"text":"a","word":"on","count":1e0}',
        rb'{"text":"a","word":"on","count":true}',
        rb'{"text":"a","word":"on","count":' + b"1" * 400 + b"}",
        rb'{"text":"\ud83d","word":"on"}',
        rb'{"text":"\ude00\ud83d","word":"on"}',
        b'{"text":"\xed\xa0\xbd","word":"on"}',
        b'{"text":"\xff","word":"on"}',
        b'{"text":"a\tb","word":"on"}',
        b'\xef\xbb\xbf{"text":"a","word":"on"}',
        b'{"text":"a","word":"on"}\x00',
        b'\xc2\xa0{"text":"a","word":"on"}',
        b'{"text":"a","word":"on"}{"text":"a","word":"on"}',
        b'{"text":"a","word":"on","tags":[[]]}',
        b'{"text":"a","word":"on","more":1}',
        b'{"text":"a","word":"other"}',
        b'{"text":"a"}',
        b"[]",
        b"",
    ],
)
def test_what_is_of_another_form_or_no_strict_json_is_not_taken(written: bytes) -> None:
    assert FORM.read(written) is None


_SPACE = st.sampled_from(["", "", " ", "\t", "\r\n", "\u00a0"])
_CHARACTER = st.sampled_from(
    ["a", ":", ",", "{", "—", r"\"", r"\\", r"\u0022", r"\n", r"\ud83d", r"\ude00", r"\/"]
)
_TEXT = st.lists(_CHARACTER, max_size=4).map(lambda parts: '"' + "".join(parts) + '"')
_NUMBER = st.sampled_from(
    ["0", "-0", "7", "1000", "7.0", "1e1", "0.5e1", "01", "1" * 301, "1" * 5_000, "NaN"]
)
_VALUE = (
    _TEXT
    | _NUMBER
    | st.sampled_from(['"on"', '"off"', "true", "false", "null", "{}", "[[]]"])
    | st.lists(_TEXT, max_size=3).map(lambda items: "[" + ",".join(items) + "]")
)
_NAME = st.sampled_from(['"text"', '"word"', '"count"', '"flag"', '"note"', '"tags"', r'"te\u0078t"', '"x"'])
_MEMBER = st.tuples(_SPACE, _NAME, _SPACE, _VALUE, _SPACE).map(
    lambda parts: f"{parts[0]}{parts[1]}{parts[2]}:{parts[3]}{parts[4]}"
)
_GOOD = st.sampled_from(['"text":"a"', '"word":"on"', '"count":7', '"note":null', '"tags":["a","b"]'])


@given(st.lists(_GOOD, unique=True), st.lists(_MEMBER, max_size=4), st.randoms(), _SPACE)
def test_whatever_is_taken_is_what_strict_json_says(
    good: list[str], members: list[str], random: object, end: str
) -> None:
    written = [*good, *members]
    random.shuffle(written)  # type: ignore[attr-defined]
    data = ("{" + ",".join(written) + "}" + end).encode()
    taken = FORM.read(data)
    if taken is None:
        return
    document = parse_json(data).document
    # As text: true, 1 and 1.0 are equal.
    assert json.dumps(taken) == json.dumps({name: document[name] for name in taken})
    assert len(document) == len(taken)


@given(st.binary())
def test_no_bytes_break_it(data: bytes) -> None:
    taken = FORM.read(data)
    try:
        document = parse_json(data).document
    except NotStrictJson:
        document = None
    assert taken is None or taken == document
