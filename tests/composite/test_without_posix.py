"""The twin's program without what Windows lacks: as much of Windows as a test on Linux can have."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hosted_project import NUMBER, REPOSITORY, Project
from local_step import LocalStep, Outcome
from loopback_github import ROBOT, MemoryGitHub

WITHOUT = """\
import os, sys
for name in ("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchown", "fork", "geteuid",
             "getuid", "killpg", "mkfifo", "setsid"):
    delattr(os, name)
for name in ("fcntl", "grp", "pwd", "resource"):
    sys.modules[name] = None
sys.argv = ["ophiuchus", "action"]
from ophiuchus.cli import console
console()
"""


@dataclass
class WithoutPosix(LocalStep):
    def command(self) -> list[str]:
        return [sys.executable, "-B", "-c", WITHOUT]


def checked(folder: Path, **inputs: str) -> tuple[Outcome, MemoryGitHub]:
    project = Project.create(folder / "server" / "repo")
    event = project.events()["pull_request"]
    checkout = project.checkout(folder / "workspace", event.ref)
    token = f"ghs_{secrets.token_hex(18)}"
    github = MemoryGitHub()
    github.repository, github.number, github.head = REPOSITORY, NUMBER, project.head
    github.tokens = {token: ROBOT}
    with github:
        step = WithoutPosix(
            folder / "runner", checkout, event, REPOSITORY, {"github_token": token, **inputs}, github.env
        )
        return step.run(), github


def test_a_pull_request_is_judged_told_and_commented(tmp_path: Path) -> None:
    left, github = checked(tmp_path)
    assert left.status == 0, left.stderr
    assert left.outputs["verdict"] == "stale"
    assert "Action required" in left.summary
    assert len(github.comments()) == 1


@pytest.mark.parametrize("name", ["report_path", "html"])
def test_a_file_that_cannot_be_written_safely_is_told_and_hides_nothing(tmp_path: Path, name: str) -> None:
    left, github = checked(tmp_path, **{name: "out/report"})
    assert left.status == 0, left.stderr
    assert not (tmp_path / "workspace" / "out").exists()
    assert left.outputs["report_path"] == ""
    assert "this system cannot keep links from leading it elsewhere" in left.stdout
    assert len(github.comments()) == 1
