from __future__ import annotations

from pathlib import Path

import pytest
from command_run import CommandRun

SWITCHED_ON = {"CROSS_MODEL_REVIEW": "1", "SOVEREIGN_MEMORY": "1"}
ABOUT = ("--run", "auto-1", "--phase", "execute")


@pytest.mark.parametrize(
    "words",
    [
        ("critic", "append", "--from"),
        ("critic", "gate", *ABOUT, "--isolation"),
        ("critic", "review", "--executor", "true", "--role", "dev", *ABOUT, "--artifact"),
        ("memory", "append", "--family", "patterns", "--from"),
        ("memory", "retro", "sprint-1", "--from"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_file_that_cannot_be_read_is_told_with_what_to_do(tmp_path: Path, words: tuple[str, ...]) -> None:
    run = CommandRun(tmp_path, *words, "nowhere.json", env=SWITCHED_ON)
    assert run.status == 2
    assert "nowhere.json cannot be read: No such file or directory" in run.err
    assert "Name a file, or - for the standard input." in run.err
    assert list(tmp_path.iterdir()) == []
