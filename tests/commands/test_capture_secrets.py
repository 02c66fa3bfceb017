"""`capture` warns of what looks like a secret, by rule and field, and never shows it."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from git_repository import ENV, Repository

from ophiuchus.cli import main
from ophiuchus.commands.edge import Edge
from ophiuchus.text.terminal import Terminal

NOW = datetime(2026, 7, 1, 12, 30, 45, tzinfo=UTC)
TOKEN = "gh" + "p_" + "C3d4" * 9
PASSWORD = "Xk9mQ2" + "vL7pRt"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "project")
    made.commit({"src/a.py": "1"})
    return made


def capture(repository: Repository, *words: str, **fields: object) -> tuple[int, str, str]:
    """Status, standard output and standard error of a capture of a draft with these fields."""
    draft = {"goal": "Keys are rotated.", "state": "Half done.", "next_action": "The rest.", **fields}
    out, err = io.StringIO(), io.StringIO()
    edge = Edge(env=ENV, now=NOW, stdin=io.BytesIO(json.dumps(draft).encode()), terminal=Terminal(out, err))
    status = main(["capture", "--from", "-", "-C", str(repository.top), *words], edge)
    return status, out.getvalue(), err.getvalue()


def written(repository: Repository) -> str:
    (file,) = (repository.top / ".ophiuchus").glob("*.json")
    return file.read_text()


def test_a_secret_is_told_by_rule_and_field_and_the_file_is_written(repository: Repository) -> None:
    hypothesis = f"log in with db_password={PASSWORD}"
    item = {"item_id": "n1", "hypothesis": hypothesis, "why_invalid": "Refused."}
    status, out, err = capture(
        repository, evidence=["fine", f"it works with {TOKEN}"], negative_knowledge=[item]
    )
    assert status == 0
    fields = "github token at evidence[1]; password at negative_knowledge[0].hypothesis"
    assert f"warning: looks like a secret: {fields}; take it out before you commit\n" in err
    assert TOKEN in written(repository)
    for told in (out, err):
        assert TOKEN not in told
        assert PASSWORD not in told


def test_the_answer_as_json_holds_the_warning_and_no_value(repository: Repository) -> None:
    status, out, err = capture(repository, "--format", "json", state=f"Uses {TOKEN[:9]}\u200b{TOKEN[9:]}.")
    assert status == 0
    assert "github token at state" in json.loads(out)["warnings"][-1]
    assert TOKEN[10:] not in out + err


def test_a_field_that_nobody_knows_is_scanned_too(repository: Repository) -> None:
    _, _, err = capture(repository, extra={"client_secret": "q9" * 12})
    assert "named secret at extra.client_secret" in err


def test_a_draft_without_a_secret_gets_no_such_warning(repository: Repository) -> None:
    _, _, err = capture(
        repository, evidence=["token: rotated nightly", "task-runner-2026 reads risk-based plans"]
    )
    assert "looks like" not in err
