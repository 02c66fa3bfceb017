"""Reading a committed file: a capsule, or every problem with its place, and what is worth a notice."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ophiuchus.capsule.fields import MOST_FAULTS, field_name, unknown_keys
from ophiuchus.capsule.model import Capsule, TimeWindow
from ophiuchus.capsule.reading import Reading, condition_lines, read_capsule
from ophiuchus.text.problem import NoticeCode, Problem, ProblemCode
from ophiuchus.text.strict_json import locate

WRITTEN = {"schema_version": 1, "capsule_id": "cap-1", "goal": "g", "state": "s", "next_action": "n"}

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


def read(document: Any, **spelling: Any) -> Reading:
    return read_capsule("a.json", json.dumps(document, **spelling).encode())


def capsule_of(reading: Reading) -> Capsule:
    assert reading.problems == ()
    assert reading.capsule is not None
    return reading.capsule


def notices(reading: Reading) -> list[NoticeCode]:
    assert all(notice.path == "a.json" and notice.message for notice in reading.notices)
    return [notice.code for notice in reading.notices]


def test_a_capsule_is_read_without_a_word() -> None:
    reading = read(WRITTEN)
    assert capsule_of(reading).capsule_id == "cap-1"
    assert reading.notices == ()


def test_a_byte_order_mark_is_accepted_with_a_notice() -> None:
    """C013: the case's bytes."""
    data = base64.b64decode(
        "77u/eyJjYXBzdWxlX2lkIjoiY2FwLWIxIiwiZ29hbCI6ImciLCJzdGF0ZSI6InMiLCJuZXh0X2FjdGlvbiI6Im4ifQ=="
    )
    reading = read_capsule("a.json", data)
    assert capsule_of(reading).capsule_id == "cap-b1"
    assert notices(reading) == [NoticeCode.BYTE_ORDER_MARK, NoticeCode.NO_SCHEMA_VERSION]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (
            CONFLICT,
            (3, 1, ProblemCode.MERGE_CONFLICT, "unresolved merge conflict at line 3"),
        ),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 512\n",
            (1, 1, ProblemCode.LFS_POINTER, "is a Git LFS pointer"),
        ),
        (
            r'{"capsule_id":"cap-h1","goal":"ship it \ud83d","state":"s","next_action":"n"}',
            (1, 40, ProblemCode.LONE_SURROGATE, "half a character"),
        ),
        (
            '{"goal":"g","x":' + "[" * 100_000 + "]" * 100_000 + "}",
            (1, 80, ProblemCode.TOO_DEEP, "nested too deeply"),
        ),
        ('{"goal":"g","n":' + "9" * 5000 + "}", (1, 17, ProblemCode.BAD_NUMBER, "number too long")),
    ],
    ids=["C023", "C059", "C077", "C109", "C110"],
)
def test_what_is_not_strict_json_is_one_problem(
    data: str, problem: tuple[int, int, ProblemCode, str]
) -> None:
    reading = read_capsule("a.json", data.encode())
    (found,) = reading.problems
    assert (found.line, found.column, found.code) == problem[:3]
    assert problem[3] in found.message
    assert (reading.capsule, found.path, reading.notices) == (None, "a.json", ())


def test_negative_knowledge_of_any_state_is_read() -> None:
    """C073: what it comes to is `assess`'s matter."""
    items = [
        {"item_id": "a", "hypothesis": "h", "why_invalid": "w", "applies_while": ["vc-gone"]},
        {"item_id": "d", "hypothesis": "h", "why_invalid": "w", "state": "paused"},
    ]
    assert [
        item.state for item in capsule_of(read({**WRITTEN, "negative_knowledge": items})).negative_knowledge
    ] == [
        "rejected",
        "paused",
    ]


def test_unknown_kinds_and_keys_never_refuse_a_capsule() -> None:
    """C074: the case's capsule."""
    reading = read(
        {
            **{key: value for key, value in WRITTEN.items() if key != "schema_version"},
            "x_team": "q",
            "validity": [{"condition_id": "v", "kind": "weather", "required": True}],
            "critical": [{"unit_id": "u", "kind": "moods", "index": 0}],
        }
    )
    assert capsule_of(reading).validity[0].kind == "weather"
    assert notices(reading) == [NoticeCode.NO_SCHEMA_VERSION, NoticeCode.UNKNOWN_KEY]
    assert reading.notices[1].message == "unknown key `x_team` is kept out of every view"


def test_eleven_items_are_a_problem() -> None:
    """C074."""
    conditions = [{"condition_id": f"v{n}", "kind": "weather"} for n in range(11)]
    (problem,) = read({**WRITTEN, "validity": conditions}).problems
    assert (problem.code, problem.message) == (
        ProblemCode.BAD_FIELD,
        "`validity` has 11 items; at most 10 are allowed",
    )


def test_control_characters_in_texts_are_read_and_in_ids_and_paths_are_problems() -> None:
    """C095."""
    assert capsule_of(read({**WRITTEN, "goal": "ok\0bad", "next_action": "a\rb\bc\f"})).goal == "ok\0bad"
    paths = {"condition_id": "v", "kind": "git_paths", "paths": ["a\0"]}
    for fields in ({"capsule_id": "a\0"}, {"validity": [paths]}, {"parent_capsule_id": "\x1b"}):
        assert [problem.code for problem in read({**WRITTEN, **fields}).problems] == [ProblemCode.BAD_FIELD]


@pytest.mark.parametrize(
    "bad", ["../x", "../../.git/config", "a/b", "", "x" * 5000, ".hidden", "a b", "é", "-x"]
)
def test_ids_have_a_pattern_and_a_length(bad: str) -> None:
    """C127."""
    for field in ("capsule_id", "parent_capsule_id"):
        (problem,) = read({**WRITTEN, field: bad}).problems
        assert problem.code is ProblemCode.BAD_FIELD
        assert len(problem.message) < 200
    # A name that one system reserves is as good an id as any: nothing is opened by it.
    assert capsule_of(read({**WRITTEN, "capsule_id": "CON"})).capsule_id == "CON"


def test_deadlines_are_not_judged_while_reading() -> None:
    """C011: unreadable text makes the condition `unverifiable`, not the file."""
    capsule = capsule_of(
        read(
            {
                **WRITTEN,
                "validity": [
                    {"condition_id": "vc-z", "kind": "time_window", "not_after": "2020-01-01T00:00:00Z"},
                    {"condition_id": "vc-x", "kind": "time_window", "not_after": "end of sprint 12"},
                ],
            }
        )
    )
    assert [c.not_after for c in capsule.validity if isinstance(c, TimeWindow)][1] == "end of sprint 12"


@pytest.mark.parametrize("document", [{"name": "x"}, {}, [], [WRITTEN], "text", 5, None, True], ids=repr)
def test_json_that_is_no_capsule_is_a_notice(document: Any) -> None:
    """C130: the folder holds other JSON files."""
    reading = read(document)
    assert (reading.capsule, reading.problems, notices(reading)) == (None, (), [NoticeCode.NOT_A_CAPSULE])


def test_an_object_with_one_of_the_two_keys_is_meant_to_be_a_capsule() -> None:
    for document in ({"schema_version": 1}, {"capsule_id": "a"}):
        assert any("`goal` is missing" in problem.message for problem in read(document).problems)


def test_a_newer_version_is_not_judged_and_no_problem() -> None:
    for version in (2, 10**200):
        reading = read({"schema_version": version, "goal": 5})
        assert (reading.capsule, reading.problems, notices(reading)) == (None, (), [NoticeCode.NEWER_SCHEMA])
        assert len(reading.notices[0].message) < 200


@pytest.mark.parametrize("version", ["1", 1.0, True, None, 0, -1, [1]])
def test_any_other_version_is_a_problem(version: Any) -> None:
    (problem,) = read({**WRITTEN, "schema_version": version}).problems
    assert "`schema_version` must be the whole number 1" in problem.message


def test_every_problem_has_the_place_of_its_field_or_of_the_object_that_lacks_it() -> None:
    data = b"""\xef\xbb\xbf{
  "schema_version": 1,
  "capsule_id": "../x", "goal": 5,
  "validity": [
    {"condition_id": "a", "kind": "git_paths"},
    {"condition_id": "a",
     "kind": "time_window", "not_after": 7}
  ],
  "state": "s"
}"""
    assert [(p.line, p.column, p.message.split("`")[1]) for p in read_capsule("a.json", data).problems] == [
        (1, 1, "next_action"),
        (3, 17, "capsule_id"),
        (3, 33, "goal"),
        (5, 5, "validity[0].paths"),
        (6, 22, "validity[1].condition_id"),
        (7, 42, "validity[1].not_after"),
    ]


def test_the_problems_and_notices_of_one_file_are_bounded() -> None:
    reading = read({**WRITTEN, "evidence": list(range(1000)), **{f"key{n}": n for n in range(1000)}})
    assert len(reading.problems) == MOST_FAULTS + 1
    assert reading.problems[-1] == Problem(
        "a.json",
        None,
        None,
        ProblemCode.TOO_MANY,
        "980 more faults in this file are not listed; mend these first",
    )
    assert len(reading.notices) == 21
    assert "980 more unknown keys" in reading.notices[-1].message


@pytest.mark.parametrize("goal", ["\U000e0041\U000e0042", "\U000e0101", "\ufff9\nx", "\U0001d173"])
def test_a_heading_shows_something_after_cleaning(goal: str) -> None:
    capsule = capsule_of(read({**WRITTEN, "goal": goal}))
    assert capsule.heading == ("x" if "x" in goal else capsule.capsule_id)


def test_invisible_characters_are_noticed_however_they_are_spelled() -> None:
    """C107."""
    for ascii_only in (True, False):
        reading = read({**WRITTEN, "goal": "a\u202eb", "evidence": ["\U000e0041"]}, ensure_ascii=ascii_only)
        assert notices(reading) == [NoticeCode.HIDDEN_CHARACTERS]
        assert r"\u202e, \U000e0041" in reading.notices[0].message
    assert notices(read({**WRITTEN, "goal": "été \\u202e مرحبا 👩\u200d💻"})) == []
    many = read({**WRITTEN, "goal": "x" + "".join(map(chr, range(0xE0020, 0xE0060)))})
    assert "and 52 others" in many.notices[0].message


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
WORDS = st.sampled_from(["a", "b", "goal", "evidence", "validity", "git_paths", "time_window", "weather", ""])
CONDITIONS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ["condition_id", "kind", "paths", "not_after", "required", "anchors"], WORDS | VALUES
    ),
)
UNITS = st.fixed_dictionaries(
    {},
    optional={
        "unit_id": WORDS | VALUES,
        "kind": WORDS | VALUES,
        "index": st.integers() | VALUES,
        "ref": WORDS | VALUES,
    },
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(Capsule.model_fields, VALUES),
        "validity": st.lists(CONDITIONS | VALUES, max_size=12) | VALUES,
        "critical": st.lists(UNITS | VALUES, max_size=12) | VALUES,
        "gaol": VALUES,
    },
)


@given(FIELDS, st.sampled_from([None, 1]))
@example({"schema_version": 2}, None)
def test_no_document_raises_and_every_problem_lies_in_the_file(
    fields: dict[str, Any], indent: int | None
) -> None:
    data = json.dumps({**WRITTEN, **fields}, indent=indent).encode()
    reading = read_capsule("a.json", data)
    assert (reading.capsule is None) or not reading.problems
    assert reading.capsule or reading.problems or reading.notices
    lines = data.decode().split("\n")
    for problem in reading.problems[:MOST_FAULTS]:
        assert len(problem.message) < 800
        assert problem.line is not None
        assert problem.column is not None
        assert 1 <= problem.column <= len(lines[problem.line - 1])


@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_raise(data: bytes) -> None:
    reading = read_capsule("a.json", data)
    assert reading.problems or reading.notices


def lines_of(text: str) -> tuple[int | None, ...]:
    return condition_lines(text.encode(), capsule_of(read_capsule("a.json", text.encode())))


HEAD = '{"capsule_id": "c", "goal": "g", "state": "s", "next_action": "n",\n'


@pytest.mark.parametrize(
    ("rest", "lines"),
    [
        ('"validity": []}', ()),
        (
            '"validity": [\n{"condition_id": "a", "kind": "k"},\n{"kind": "k",\n"condition_id":\n"b"}]}',
            (3, 5),
        ),
        # the same ids elsewhere, and text that only looks like the key
        ('"x": {"condition_id": "a"},\n"validity": [{"condition_id": "a", "kind": "k"}]}', (3,)),
        ('"note": "\\"condition_id\\": \\"z\\"",\n"validity": [{"condition_id": "a", "kind": "k"}]}', (3,)),
        # keys and ids spelled with escapes
        ('"x": {"condition_id": "a"},\n"validity": [{"condition\\u005fid": "a", "kind": "k"}]}', (3,)),
        ('"validity": [\n{"condition_id": "\\u0061", "kind": "k"}]}', (3,)),
        ('"validity": [\n{"condition_id": "\\u00e9\\"", "kind": "k"}]}', (3,)),
        ('"validity": [\n{"condition_id": "é", "kind": "k"}]}', (3,)),
        # an id with an escape that is no letter's, and the same id elsewhere without
        ('"x": {"condition_id": "a/b"},\n"validity": [{"condition_id": "a\\/b", "kind": "k"}]}', (3,)),
        ('"x": {"condition_id": "é"},\n"validity": [{"condition_id": "\\u00e9", "kind": "k"}]}', (3,)),
        # the key's name as a text
        ('"x": ["condition_id"],\n"validity": [{"condition_id": "a", "kind": "k"}]}', (3,)),
    ],
    ids=ascii,
)
def test_conditions_have_the_line_of_their_id(rest: str, lines: tuple[int, ...]) -> None:
    assert lines_of(HEAD + rest) == lines


@st.composite
def spelled(draw: st.DrawFn, text: str) -> str:
    """A JSON text in which one character may be an escape; a slash has the short one always."""
    at = draw(st.none() | st.integers(0, len(text) - 1))
    escape = draw(st.sampled_from(["\\u{:04x}", "\\u{:04X}"]))
    return (
        '"'
        + "".join(
            escape.format(ord(one)) if place == at else one.replace("/", "\\/")
            for place, one in enumerate(text)
        )
        + '"'
    )


@given(st.data(), st.lists(st.sampled_from(["a", "a/b", "é", "condition_id"]), max_size=2, unique=True))
def test_the_quick_way_agrees_with_the_scanner_however_a_file_is_spelled(
    draw: st.DataObject, ids: list[str]
) -> None:
    """What stands elsewhere may be the same ids plainly, and any key or id may hold escapes."""

    def condition(condition_id: str) -> str:
        key, one = draw.draw(spelled("condition_id")), draw.draw(spelled(condition_id))
        return f'\n{{"kind": "weather", {key}:\n {one}}}'

    def other(condition_id: str) -> str:
        one = json.dumps(condition_id, ensure_ascii=False)
        return draw.draw(st.sampled_from([f'\n{{"condition_id": {one}}}', f"\n[{one}]"]))

    extras = ",".join(map(other, draw.draw(st.lists(st.sampled_from([*ids, "a"]), max_size=2))))
    data = f'{HEAD}"extra": [{extras}],\n"validity": [{",".join(map(condition, ids))}]}}'.encode()
    capsule = capsule_of(read_capsule("a.json", data))
    assert [one.condition_id for one in capsule.validity] == ids
    pointers = [("validity", index, "condition_id") for index in range(len(ids))]
    located = locate(data, pointers)
    assert condition_lines(data, capsule) == tuple(
        key.line for pointer in pointers if (key := located[pointer].key)
    )


WHOLE: dict[str, Any] = {
    **WRITTEN,
    "producer": {"tool": "t"},
    "grounding": {"commit": None},
    "critical": [{"unit_id": "u", "kind": "goal"}],
    "validity": [
        {"condition_id": "p", "kind": "git_paths", "paths": ["a"], "anchors": {"x": "y"}},
        {"condition_id": "t", "kind": "time_window", "not_after": "z"},
        {"condition_id": "s", "kind": "declared_scope", "scope": "s"},
        {"condition_id": "k", "kind": "weather"},
    ],
    "negative_knowledge": [{"item_id": "n", "hypothesis": "h", "why_invalid": "w"}],
    "contact_cards": [{"name": "n"}],
}
PLACES: list[tuple[str | int, ...]] = [(), ("producer",), ("grounding",)]
PLACES += [
    (field, index) for field, items in WHOLE.items() if type(items) is list for index in range(len(items))
]


@pytest.mark.parametrize("goal", ["g", ""])
@pytest.mark.parametrize("places", [[], *([place] for place in PLACES), PLACES], ids=repr)
def test_every_unknown_key_is_told_wherever_it_stands_and_whatever_else_is_wrong(
    places: list[tuple[str | int, ...]], goal: str
) -> None:
    """The quick look, whether a capsule keeps any, sees each place that a walk over the document finds."""
    document = json.loads(json.dumps({**WHOLE, "goal": goal}))
    for place in places:
        part = document
        for step in place:
            part = part[step]
        part["x"] = {"condition_id": "p"}
    reading = read(document)
    assert (reading.capsule is None) is (not goal)
    found = [f"`{field_name(key.pointer)}`" for key in unknown_keys(document)]
    assert len(found) == len(places) - (("validity", 3) in places)
    assert [message for notice in reading.notices for message in re.findall("`.*x`", notice.message)] == found


@given(
    st.lists(
        st.text(min_size=1, max_size=4).filter(lambda t: not re.search(r"[\x00-\x1f\x7f-\x9f]|^\s*$", t)),
        max_size=5,
        unique=True,
    ),
    st.booleans(),
    st.sampled_from([None, 2]),
    st.none() | st.fixed_dictionaries({"condition_id": st.sampled_from(["a", "b"])}),
)
def test_the_quick_way_agrees_with_the_scanner(
    ids: list[str], ascii_only: bool, indent: int | None, extra: Any
) -> None:
    conditions = [{"kind": "weather", "note": '"condition_id": "a"', "condition_id": one} for one in ids]
    document = {**WRITTEN, "extra": extra, "validity": conditions}
    data = json.dumps(document, ensure_ascii=ascii_only, indent=indent).encode()
    pointers = [("validity", index, "condition_id") for index in range(len(ids))]
    located = locate(data, pointers)
    exact = [key.line for pointer in pointers if (key := located[pointer].key)]
    assert condition_lines(data, capsule_of(read_capsule("a.json", data))) == tuple(exact)
