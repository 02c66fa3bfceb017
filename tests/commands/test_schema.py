"""`ophiuchus schema` prints what is published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_run import CommandRun

PUBLISHED = Path(__file__).parents[2] / "docs" / "schema"


@pytest.mark.parametrize(
    ("words", "one_of"),
    [
        (("schema",), "capsule|report|destinations"),
        (("receipts",), "init|list|show|resolve|export"),
        (
            ("memory", "mistake", "--text", "t"),
            "fix_failed|revert_applied|plan_fidelity_violation|test_regression|scope_creep",
        ),
    ],
)
def test_a_word_of_a_closed_set_that_is_missing_or_wrong_is_named_by_the_set(
    words: tuple[str, ...], one_of: str, tmp_path: Path
) -> None:
    missing = CommandRun(tmp_path, *words)
    assert missing.status == 2
    assert f"the following arguments are required: {one_of}\n" in missing.err
    wrong = CommandRun(tmp_path, *words, "nosuch")
    assert wrong.status == 2
    assert f"argument {one_of}: invalid choice: 'nosuch'" in wrong.err


@pytest.mark.parametrize("of", ["capsule", "report", "destinations"])
def test_the_published_schema_is_printed(of: str, tmp_path: Path) -> None:
    run = CommandRun(tmp_path, "schema", of)
    assert run.status == 0
    assert run.json == json.loads((PUBLISHED / f"{of}-v1.schema.json").read_text("utf-8"))
