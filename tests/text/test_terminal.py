r"""The sanitiser against an independent model of the runner's command parser.

The model follows facts on actions/runner (ActionCommand.cs, OutputManager.cs): which lines a stream is cut
into, which lines are offered to the parser, and what the two command forms are. .NET compares these texts by
culture, which skips characters that weigh nothing, so the model does too.
"""

from __future__ import annotations

import io
import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ophiuchus.text.terminal import Terminal, harmless_json, harmless_line

COMMANDS = {
    *("add-mask", "add-matcher", "remove-matcher", "debug", "notice", "warning", "error", "group"),
    *("endgroup", "echo", "save-state", "set-output", "stop-commands", "set-env", "add-path"),
}
DOTNET_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def runner_lines(stream: bytes) -> list[str]:
    return re.split("\r\n|\r|\n", stream.decode("utf-8-sig"))


WEIGHTLESS = "".join(c for c in map(chr, range(0x20000)) if unicodedata.category(c) in ("Cf", "Mn", "Cc"))
SKIPPED = f"[{re.escape(WEIGHTLESS)}]*"


def runner_commands(line: str) -> list[str]:
    """Names of the commands that the runner would obey in one line, comparing by code and by culture."""
    found = []
    trimmed = line.lstrip(DOTNET_SPACE)
    for colons, old in (
        (":()?:", "##()?\\["),
        (f"{SKIPPED}:{SKIPPED}:", f"{SKIPPED}#{SKIPPED}#{SKIPPED}\\["),
    ):
        if re.match(colons, trimmed) and (end := re.compile(colons).search(trimmed, 2)):
            found.append(trimmed[2 : end.start()].partition(" ")[0])
        if (start := re.search(old, line)) and "]" in line[start.start() :]:
            found.append(line[start.start() + 3 :].partition("]")[0].partition(" ")[0])
    return [name for name in found if name.lower() in COMMANDS or name == "t0"]


def printed(text: str, *, method: str = "say", encoding: str = "utf-8") -> bytes:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding=encoding, newline="\n")
    getattr(Terminal(stream, stream), method)(text)
    stream.flush()
    return buffer.getvalue()


WORDS = (
    *("::", ":", "##[", "#", "[", "]", "error", "stop-commands", "t0", " ", "\\", "\n", "\r", '"'),
    *("\x00", "\x1b[2K"),
)
PIECES = st.sampled_from(
    [*WORDS, *DOTNET_SPACE, *BIDI, *"\ufeff\u200b\u200d\xad\u034f\x7f\x9b\ud83d\U000e0041é漢"]
)
TEXTS = st.lists(PIECES | st.characters(exclude_categories=()), max_size=30).map("".join)


def test_the_model_knows_a_command_when_it_sees_one() -> None:
    for line in ("::error::x", " \u3000::Error file=a::x", "a ##[error]x", "::t0::", "\ufeff::debug::x"):
        assert runner_commands(runner_lines(line.encode())[0]), line
    for line in ("a::error::x", "::unknown::x", "##[x]", "::error:x"):
        assert not runner_commands(line), line


@given(TEXTS)
@example("ok\n::error file=README.md,line=1::injected")
@example("\ufeff::stop-commands::t0")
def test_no_printed_line_is_a_command_or_moves_a_terminal(text: str) -> None:
    for method in ("say", "warn"):
        stream = printed(text, method=method)
        shown = stream.decode()
        assert shown.count("\n") == text.removesuffix("\n").count("\n") + 1
        assert not re.search(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{BIDI}\U000e0000-\U000e007f]", shown)
        for line in runner_lines(stream):
            assert not runner_commands(line)


@given(TEXTS)
def test_a_harmless_line_is_one_line_and_stays_as_it_is_when_sanitised_again(text: str) -> None:
    line = harmless_line(text)
    assert len(line.splitlines()) <= 1
    assert harmless_line(line) == line


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters=":#")))
def test_ordinary_text_is_printed_as_it_is(text: str) -> None:
    assert harmless_line(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error file=x::", r"\::error file=x::"),
        ("  ::stop-commands::t", r"  \::stop-commands::t"),
        ("\t\u3000::x", "\t\u3000\\::x"),
        ("\ufeff::x", "\ufeff\\::x"),
        ("x ##[error]injected ##[group]", r"x ##\[error]injected ##\[group]"),
        (":\u200b:error::x", "\\:\u200b:error::x"),
        ("std::string stays", "std::string stays"),
        ("\x1b[2K\x1b[32mvalid\x1b[0m", r"\x1b[2K\x1b[32mvalid\x1b[0m"),
        ("a\rb\bc\x0c\x0b\x85", r"a\rb\x08c\x0c\x0b\x85"),
        ("two\nlines", r"two\nlines"),
        ("\u2028\u2029\u202e", r"\u2028\u2029\u202e"),
        ("half \ud83d", r"half \ud83d"),
        ("\U000e0041", r"\U000e0041"),
        ("café 漢 🎉", "café 漢 🎉"),
        ("###[", r"###\["),
    ],
    ids=ascii,
)
def test_what_acts_is_broken_visibly(text: str, shown: str) -> None:
    """C062, C095."""
    assert harmless_line(text) == shown


def test_lines_are_handled_one_by_one_and_end_with_one_newline() -> None:
    """C062: the goal of the case's capsule."""
    assert printed("ok\n::error file=README.md,line=1::injected\n") == (
        b"ok\n\\::error file=README.md,line=1::injected\n"
    )
    assert printed("") == b"\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
@given(text=TEXTS)
def test_no_text_and_no_encoding_stops_the_output(encoding: str, text: str) -> None:
    assert printed(text, encoding=encoding).endswith(b"\n")
    assert (
        json.loads(printed(json.dumps(text), method="say_json", encoding=encoding).decode(encoding)) == text
    )


def test_a_stream_without_an_encoding_is_taken_as_utf_8() -> None:
    out = io.StringIO()
    Terminal(out, out).say("é\ud83d")
    assert out.getvalue() == "é\\ud83d\n"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_harmless_json_is_the_same_value_and_no_command(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    spelled = harmless_json(text)
    # Two raw halves that stand side by side become one character, as they do in any JSON escape.
    assert json.loads(spelled) == json.loads(json.dumps(value))
    assert not re.search(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{BIDI}]", spelled)
    for line in runner_lines(printed(text, method="say_json")):
        assert not runner_commands(line)


def test_harmless_json_breaks_the_old_command_form_and_stray_returns() -> None:
    assert harmless_json('{"a":\r\n"##[error]\u202e\x9b"}') == '{"a": \n"##\\u005berror]\\u202e\\u009b"}'


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("::x\n##[y]\nz", "utf-8", b"::x\n##[y]\nz"),
        ("é", "utf-8", "é".encode()),
        ("é\n", "ascii", b"\\xe9\n"),
        ("", "utf-8", b""),
    ],
)
def test_a_text_can_be_printed_exactly(text: str, encoding: str, expected: bytes) -> None:
    assert printed(text, method="say_exactly", encoding=encoding) == expected


class Watched(io.StringIO):
    """A stream that is a terminal, and perhaps gone."""

    def __init__(self, *, gone: bool = False) -> None:
        super().__init__()
        self._gone = gone

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        if self._gone:
            raise OSError(5, "Input/output error")


def test_a_rewritten_line_is_harmless_short_and_goes_back_to_its_start() -> None:
    out, err = io.StringIO(), Watched()
    terminal = Terminal(out, err)
    terminal.rewrite("a\x1b[2Jb" + "c" * 60)
    terminal.rewrite("")
    first, second = err.getvalue().split("\r\r")
    assert "\x1b" not in first
    assert len(first.removeprefix("\r")) == 40
    assert second == " " * 40 + "\r"
    assert out.getvalue() == ""


def test_a_line_is_rewritten_on_a_terminal_only() -> None:
    stream = io.StringIO()
    Terminal(stream, stream).rewrite("busy")
    assert stream.getvalue() == ""


def test_a_terminal_that_is_gone_stops_no_rewriting_run() -> None:
    Terminal(io.StringIO(), Watched(gone=True)).rewrite("busy")
