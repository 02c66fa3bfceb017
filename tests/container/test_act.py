"""The workflow that `ophiuchus init` writes, run as it stands by act, with GitHub on the loopback address."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hosted_project import NUMBER, REPOSITORY, Project
from loopback_github import ROBOT, MemoryGitHub

pytestmark = pytest.mark.container

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "src/ophiuchus/commands/starter/workflow.yml"
ACTION = "OWNER/ophiuchus-action@v1"
BUILT = "act-owner-ophiuchus-action-v1-dockeraction:latest"
"""What act would call the image after it had built it."""


@pytest.fixture
def act(image: str, tmp_path: Path) -> list[str]:
    """act's command line, with the action found here and its image taken for built."""
    program = shutil.which("act", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert program, "act is not installed: `make venv` installs it"
    subprocess.run(["docker", "tag", image, BUILT], check=True)
    action = tmp_path / "action"
    action.mkdir()
    for name in ("action.yml", "Dockerfile"):
        shutil.copy(ROOT / name, action)
    return [
        program, "--json", "--rm", "--pull=false", "--rebuild=false", "--no-cache-server",
        "--container-daemon-socket", "-", "--platform", f"ubuntu-latest={image}",
        "--local-repository", f"{ACTION}={action}",
    ]  # fmt: skip


def test_the_starter_workflow_runs_and_its_comment_arrives(
    act: list[str], project: Project, tmp_path: Path
) -> None:
    event = project.events()["pull_request"]
    checkout = project.checkout(tmp_path / "checkout", event.ref)
    (checkout / ".github/workflows").mkdir(parents=True)
    shutil.copy(WORKFLOW, checkout / ".github/workflows/hand-offs.yml")
    (tmp_path / "event.json").write_text(json.dumps(event.payload))
    token = f"ghs_{secrets.token_hex(18)}"
    github = MemoryGitHub()
    github.repository, github.number, github.head = REPOSITORY, NUMBER, project.head
    github.tokens = {token: ROBOT}
    (tmp_path / "home").mkdir()
    with github:
        done = subprocess.run(
            [
                *act, event.name, "--workflows", ".github/workflows/hand-offs.yml",
                "--eventpath", str(tmp_path / "event.json"), "--actor", "octocat", "--secret", "GITHUB_TOKEN",
                *(f"--env={name}={value}" for name, value in github.env.items()),
            ],
            cwd=checkout,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path / "home"),
                "DOCKER_HOST": os.environ.get("DOCKER_HOST", ""),
                "GITHUB_TOKEN": token,
            },
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (comment,) = github.comments()
    assert "Action required" in comment.body
    assert "touched" in comment.body
    said: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    outputs = {line["name"]: line["arg"] for line in said if line.get("command") == "set-output"}
    assert outputs["verdict"] == "stale"
    assert token not in "".join(line["msg"] for line in said) + done.stderr
