"""Places in TOML, whichever way it is written."""

from __future__ import annotations

import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.toml_lines import line_of

TABLES = """\
# where hand-offs go

[destinations.board]
provider = "jira"   # [destinations.x]
labels = [
  "a", # ]
  "b",
]
target = '''
[x]
'''

[ destinations . "team.chat" ]
"provider" = "slack"
"""
INLINE = """\
destinations.board = {provider = "jira", target = "OPH"}
destinations."team.chat".provider = "slack"
[other]
destinations = 1
"""


@pytest.mark.parametrize(
    ("text", "way", "line"),
    [
        (TABLES, ("destinations",), 3),
        (TABLES, ("destinations", "board"), 3),
        (TABLES, ("destinations", "board", "provider"), 4),
        (TABLES, ("destinations", "board", "labels"), 5),
        (TABLES, ("destinations", "board", "target"), 9),
        (TABLES, ("destinations", "team.chat"), 13),
        (TABLES, ("destinations", "team.chat", "provider"), 14),
        (TABLES, ("destinations", "board", "append_to"), None),
        (TABLES, ("x",), None),
        (INLINE, ("destinations", "board", "target"), 1),
        (INLINE, ("destinations", "team.chat", "provider"), 2),
        (INLINE, ("destinations", "team.chat"), 2),
        (INLINE, ("other", "destinations"), 4),
        ("a = 1\r\nb = 2\r\n", ("b",), 2),
        ("[[a]]\nb = 1\n[[a]]\nc = 2\n", ("a", "c"), 4),
        ("", ("a",), None),
    ],
)
def test_a_value_is_found_where_its_statement_begins(
    text: str, way: tuple[str, ...], line: int | None
) -> None:
    tomllib.loads(text)
    assert line_of(text, way) == line


KEYS = st.sampled_from(["a", "b", '"c d"', "e.f"])
VALUES = st.sampled_from(["1", '"x"', "[\n1,\n2]", '"""\n[a]\nb = 2\n"""', "{g = 1}", "'#'"])


@given(st.lists(st.tuples(KEYS, VALUES), unique_by=lambda pair: pair[0]), st.booleans())
def test_every_statement_is_found_on_its_own_line(pairs: list[tuple[str, str]], below: bool) -> None:
    text = "[t]\n" if below else ""
    ways = []
    for key, value in pairs:
        way = (("t",) if below else ()) + (("c d",) if key == '"c d"' else tuple(key.split(".")))
        ways.append((way, text.count("\n") + 1))
        text += f"{key} = {value} # end\n"
    tomllib.loads(text)
    for way, line in ways:
        assert line_of(text, way) == line


def test_a_long_search_is_given_up() -> None:
    text = 'a = """\n' + "x\n" * 60_000 + '"""\nb = 1\n'
    start = time.process_time()
    assert line_of(text, ("b",)) is None
    assert time.process_time() - start < 5
