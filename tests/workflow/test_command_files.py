from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_model import read_file_commands

from ophiuchus.workflow.command_files import (
    OUTPUTS,
    NotAnOutput,
    append_outputs,
    append_text,
)

GOOD = {
    "verdict": "partially_stale",
    "passed": "false",
    "counts": '{"capsules":3,"stale":1}',
    "report_path": "out/report<<x=.json",
    "comment_url": "https://github.example/o/r/pull/7#issuecomment-99",
    "issue_url": "https://github.example/o/r/issues/7",
    "view_digest": "0f" * 32,
    "deliveries": '{"tracker":"published","team.chat":"ambiguous"}',
}


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "set_output"
    path.touch()
    return path


def test_outputs_are_read_back_as_written(outputs: Path) -> None:
    append_outputs(str(outputs), GOOD)
    assert read_file_commands(outputs.read_text()) == GOOD
    assert set(GOOD) == set(OUTPUTS)


def test_a_later_value_wins(outputs: Path) -> None:
    append_outputs(str(outputs), {"verdict": "none", "comment_url": ""})
    append_outputs(str(outputs), {"verdict": "stale"})
    assert read_file_commands(outputs.read_text()) == {"verdict": "stale", "comment_url": ""}


@pytest.mark.parametrize("before", ["x=1", "x=1\n", "", "\n"])
def test_an_unfinished_line_before_ours_stays_apart(outputs: Path, before: str) -> None:
    outputs.write_text(before)
    append_outputs(str(outputs), {"verdict": "valid"})
    assert read_file_commands(outputs.read_text())["verdict"] == "valid"
    assert read_file_commands(outputs.read_text()).get("x") == ("1" if "x" in before else None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("verdict", "valid\npublished=true"),
        ("verdict", "line\nEOF\nverdict=valid\npublished=true"),
        ("verdict", "valid\n"),
        ("verdict", "Valid"),
        ("verdict", ""),
        ("passed", "True"),
        ("counts", '{"a":1,}'),
        ("counts", '{"a":"b"}'),
        ("counts", '{"a":1}\n'),
        ("report_path", "a\nb"),
        ("report_path", "a\rb"),
        ("report_path", "a\u2028b"),
        ("comment_url", "javascript:alert(1)#issuecomment-1"),
        ("comment_url", "https://h/o/r/pull/1"),
        ("comment_url", "https://h/ x#issuecomment-1"),
        ("view_digest", "0F" * 32),
        ("deliveries", '{"a":"sent"}'),
        ("deliveries", '{"a":"failed",}'),
        ("path", "x"),
        ("verdict<<E", "x"),
    ],
)
def test_values_of_another_form_are_refused_whole(outputs: Path, name: str, value: str) -> None:
    """C097: text that would need a delimiter never reaches the file, nor do the values beside it."""
    with pytest.raises(NotAnOutput):
        append_outputs(str(outputs), {"passed": "true", name: value})
    assert outputs.read_bytes() == b""


@given(st.dictionaries(st.sampled_from(sorted(OUTPUTS)) | st.text(), st.text(), min_size=1))
def test_whatever_is_taken_is_one_line_an_output(values: dict[str, str]) -> None:
    taken = {
        name: value for name, value in values.items() if name in OUTPUTS and OUTPUTS[name].fullmatch(value)
    }
    text = "".join(f"{name}={value}\n" for name, value in taken.items())
    assert read_file_commands(text) == taken


def test_text_starts_on_its_own_line_and_ends_one(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    path.write_text("# earlier")
    append_text(str(path), "# ours")
    append_text(str(path), "more\n")
    assert path.read_text() == "# earlier\n# ours\nmore\n"


def test_a_file_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent" / "file", Path("/dev/full")):
        with pytest.raises(OSError, match=r"."):
            append_outputs(str(path), {"passed": "true"})
        with pytest.raises(OSError, match=r"."):
            append_text(str(path), "x")
