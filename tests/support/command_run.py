"""Runs one command line in this process, with an outside of the test's making."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from contextlib import chdir
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from git_repository import ENV

from ophiuchus import cli
from ophiuchus.commands.edge import Edge
from ophiuchus.text.terminal import Terminal

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


class CommandRun:
    """What a command line printed, and its exit status. It runs in `folder`, at NOW."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        stdin: bytes = b"",
        env: Mapping[str, str] = {},
        columns: int | None = None,
    ) -> None:
        out, err = io.StringIO(), io.StringIO()
        edge = Edge({**ENV, **env}, NOW, io.BytesIO(stdin), Terminal(out, err), out, columns)
        with chdir(folder):
            self.status = cli.main(words, edge)
        self.out, self.err = out.getvalue(), err.getvalue()

    @property
    def json(self) -> dict[str, Any]:
        """The report, or whatever else the command wrote as JSON."""
        document: dict[str, Any] = json.loads(self.out)
        return document


def capsule(capsule_id: str = "cap-1", *validity: dict[str, Any], **fields: Any) -> str:
    """A capsule's text, one key a line."""
    document = {
        "schema_version": 1,
        "capsule_id": capsule_id,
        "goal": "Ship it",
        "state": "half done",
        "next_action": "finish",
        "validity": [{"condition_id": f"vc-{number}", **one} for number, one in enumerate(validity, 1)],
        **fields,
    }
    return json.dumps(document, indent=1)


def paths(*globs: str, base: str | None, **more: Any) -> dict[str, Any]:
    """A git_paths condition."""
    return {"kind": "git_paths", "paths": list(globs), "base_commit": base, **more}


def deadline(not_after: str, **more: Any) -> dict[str, Any]:
    """A time_window condition."""
    return {"kind": "time_window", "not_after": not_after, **more}


SCOPE: dict[str, Any] = {"kind": "declared_scope", "scope": "the auth module"}
PASSED, AHEAD = "2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
