"""`ophiuchus schema` prints what is published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_run import CommandRun

PUBLISHED = Path(__file__).parents[2] / "docs" / "schema"


@pytest.mark.parametrize("of", ["capsule", "report", "destinations"])
def test_the_published_schema_is_printed(of: str, tmp_path: Path) -> None:
    run = CommandRun(tmp_path, "schema", of)
    assert run.status == 0
    assert run.json == json.loads((PUBLISHED / f"{of}-v1.schema.json").read_text("utf-8"))
