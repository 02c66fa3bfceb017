from __future__ import annotations

import io
import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_model import Command, command_in, commands_in, lines_of

from ophiuchus.workflow.commands import (
    MESSAGE_UNITS,
    SHOWN_PER_LEVEL,
    TITLE_UNITS,
    Annotation,
    CommandWriter,
    Level,
    escape_data,
    escape_property,
)

HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from(list("%:,;=[]#\r\n\t\x00\x0b\x0c\x1b\x85\u2028\u2029\ufeff\u200b\ud800é🙂 ")),
        st.characters(),
    )
) | st.sampled_from(
    ["::error::x", "##[error]x", "x ##[group]", "%0A::error::x", "\r::stop-commands::t0", "a%2Cb%3A%25"]
)


def written(*annotations: Annotation) -> str:
    out = io.StringIO()
    writer = CommandWriter(out)
    for annotation in annotations:
        writer.annotate(annotation)
    return out.getvalue()


@pytest.mark.parametrize(
    ("text", "data", "value"),
    [
        ("plain", "plain", "plain"),
        ("50%", "50%25", "50%25"),
        ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
        ("%0A", "%250A", "%250A"),
        ("a:b,c", "a:b,c", "a%3Ab%2Cc"),
        ("%3A::x", "%253A::x", "%253A%3A%3Ax"),
    ],
)
def test_data_and_values_are_escaped_as_the_runner_undoes_it(text: str, data: str, value: str) -> None:
    assert escape_data(text) == data
    assert escape_property(text) == value


@given(st.text())
def test_what_was_escaped_comes_back(text: str) -> None:
    line = f"::error file={escape_property(text)},title=t::{escape_data(text)}"
    if len(lines_of(line)) == 1:
        assert command_in(line) == Command("error", {"file": text, "title": "t"}, text)
    else:
        pytest.fail("an escaped text broke its line")


def test_an_annotation_names_file_line_and_title() -> None:
    path = ".ophiuchus/a,b:c.json"
    line = written(Annotation(Level.WARNING, "stale: cap, a", "100% gone\nfix: it", path, 7))
    assert line.endswith("\n")
    assert commands_in(line) == [
        Command(
            "warning",
            {"file": path, "line": "7", "title": "stale: cap, a"},
            "100% gone\nfix: it",
        )
    ]


def test_an_annotation_without_a_file_has_no_line() -> None:
    assert commands_in(written(Annotation(Level.NOTICE, "", "m", "", 3))) == [Command("notice", {}, "m")]


@given(st.sampled_from(Level), HOSTILE, HOSTILE, HOSTILE, st.none() | st.integers(1, 10**6))
def test_untrusted_text_makes_no_command_of_its_own(
    level: Level, title: str, message: str, path: str, line: int | None
) -> None:
    """C062: one annotation is one command, whatever its words say; its text would be none either."""
    out = written(Annotation(level, title, message, path, line))
    (found,) = commands_in(out)
    assert len([one for one in lines_of(out) if one]) == 1
    assert found.name == level.value
    assert set(found.properties) <= {"file", "line", "title"}
    # The runner copies the message into the log, whose viewer obeys `##[` too.
    assert commands_in(found.data) == []
    assert "##[" not in out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_stream_that_cannot_take_a_character_gets_a_code(encoding: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    CommandWriter(out).annotate(Annotation(Level.ERROR, "t", "≠ ok"))
    assert raw.getvalue().decode(encoding) in ("::error title=t::≠ ok\n", "::error title=t::\\u2260 ok\n")


def test_long_titles_and_messages_are_cut_at_the_platform_s_limits() -> None:
    (found,) = commands_in(written(Annotation(Level.ERROR, "🙂" * 300, "%" * 9000)))
    assert len(found.data) == MESSAGE_UNITS
    assert found.data.endswith("%…")
    assert len(found.properties["title"].encode("utf-16-le")) // 2 <= TITLE_UNITS


def test_the_writer_counts_what_a_step_can_still_show() -> None:
    writer = CommandWriter(io.StringIO())
    assert {level: writer.left(level) for level in Level} == dict.fromkeys(Level, SHOWN_PER_LEVEL)
    for _ in range(12):
        writer.annotate(Annotation(Level.ERROR, "", "x"))
    assert writer.left(Level.ERROR) == 0
    assert writer.left(Level.NOTICE) == SHOWN_PER_LEVEL


def test_masks_are_commands_of_one_line_each() -> None:
    secret = "a%b:" + secrets.token_hex(10)
    out = io.StringIO()
    CommandWriter(out).mask([secret, "short"])
    found = commands_in(out.getvalue())
    assert found
    assert all(command.name == "add-mask" and command.data for command in found)
    assert secret in [command.data for command in found]
    assert all(len(command.data) >= 8 for command in found)
