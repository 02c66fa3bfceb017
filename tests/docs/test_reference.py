"""The generated pages say what the code says."""

from __future__ import annotations

from types import ModuleType

import pytest

from ophiuchus import cli
from ophiuchus.cli import VERBS
from ophiuchus.commands.edge import ExitStatus

REMEDY = "run: .venv/bin/python tools/reference_pages.py"


def test_every_page_is_in_step_with_the_code(reference: ModuleType) -> None:
    for path, text in reference.pages().items():
        assert path.exists(), f"{path.name} is missing; {REMEDY}"
        assert path.read_text("utf-8") == text, f"{path.name} is out of step; {REMEDY}"


def test_no_reference_page_is_left_over(reference: ModuleType) -> None:
    assert set(reference.FOLDER.iterdir()) == {
        path for path in reference.pages() if path.parent == reference.FOLDER
    }


def test_writing_twice_changes_nothing(reference: ModuleType) -> None:
    before = {path: path.stat().st_mtime_ns for path in reference.pages()}
    reference.main()
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_every_piece_that_a_page_asks_for_is_known(reference: ModuleType) -> None:
    for name in reference.WITH_PIECES:
        assert "<!-- piece: " in (reference.PROJECT / name).read_text("utf-8")
    with pytest.raises(ValueError, match="moon"):
        reference._piece("moon")


def test_every_exit_status_has_a_meaning(reference: ModuleType) -> None:
    endings = {cli.INTERRUPTED, cli.READER_GONE, *cli.SIGNALLED.values()}
    assert set(reference.EXIT_STATUSES) == set(ExitStatus) | endings


def test_every_command_is_described_with_its_options(reference: ModuleType) -> None:
    page = next(text for path, text in reference.pages().items() if path.name == "command-line.md")
    for verb in VERBS:
        assert f"## ophiuchus {verb}\n" in page
    assert "`--from FILE`" in page
    assert "`--fail-on LIST`" in page
