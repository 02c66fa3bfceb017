"""What each arm hands to the executor. A capsule's text is what `ophiuchus receive` prints, nothing else."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from continuation_benchmark.case import Case
from ophiuchus import cli
from ophiuchus.commands.edge import Edge
from ophiuchus.text.terminal import Terminal

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
"""When every case is judged: a run must not depend on its day."""

_GIT = {
    "PATH": os.defpath,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2026-06-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-06-01T00:00:00Z",
}


class Arm(StrEnum):
    """What the recipient gets besides the task."""

    CAPSULE = "capsule"
    NONE = "none"
    SUMMARY = "summary"


def render(case: Case, arm: Arm) -> str:
    """The text that an executor is given in one arm of a case."""
    match arm:
        case Arm.NONE:
            return ""
        case Arm.SUMMARY:
            return case.summary
        case Arm.CAPSULE:
            return ophiuchus(case, "receive", capsule_id(case), "--with", "codex")


def capsule_id(case: Case) -> str:
    """The id of the case's capsule."""
    return str(case.capsule.get("capsule_id", case.case_id))


def ophiuchus(case: Case, *words: str) -> str:
    """What one command line prints in the case's repository, which is made for it."""
    with tempfile.TemporaryDirectory() as folder:
        _build(case, Path(folder))
        out, err = io.StringIO(), io.StringIO()
        edge = Edge({"PATH": os.defpath}, NOW, io.BytesIO(), Terminal(out, err), out)
        status = cli.main([words[0], "-C", folder, *words[1:]], edge)
        if status:
            raise RuntimeError(f"{case.case_id}: ophiuchus ended with {status}: {err.getvalue()}")
        return out.getvalue()


def _build(case: Case, top: Path) -> None:
    """Two commits: the base, and the change with the hand-off."""
    _git(top, "init", "--quiet", "--initial-branch=main")
    base = _commit(top, case.before)
    capsules = {"case": {"capsule_id": case.case_id, **case.capsule}}
    if case.parent is not None:
        capsules["parent"] = dict(case.parent)
    _commit(
        top,
        {
            **case.after,
            **{
                f".ophiuchus/{name}.json": json.dumps(
                    {"schema_version": 1, "grounding": {"commit": base}, **document}
                )
                for name, document in capsules.items()
            },
        },
    )


def _commit(top: Path, files: Mapping[str, str | None]) -> str:
    for name, text in files.items():
        file = top / name
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    _git(top, "add", "--all")
    _git(top, "commit", "--quiet", "--allow-empty", "--message=x")
    return _git(top, "rev-parse", "HEAD").strip()


def _git(top: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=top, env=_GIT, capture_output=True, check=True)
    return done.stdout.decode()


def question(case: Case, arm: Arm) -> dict[str, Any]:
    """What an executor is asked: the task, the rendering, and what it may choose from, in a fixed order.

    Nothing in it says which choice is right; choices are sorted by id.
    """
    return {
        "case_id": case.case_id,
        "task": case.task,
        "rendering": render(case, arm),
        "actions": dict(sorted(case.actions.items())),
        "statements": dict(sorted(case.statements.items())),
        "answer_with": {"plan": ["ids of actions, in order"], "relied_on": ["ids of statements"]},
    }
