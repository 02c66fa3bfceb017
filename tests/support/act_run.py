"""Runs workflows by act, offline: the action and its workflows from here, the image taken for built.

Artifacts go by a folder: the two actions that carry them are not here, and no job could fetch them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from action_step import Event

ROOT = Path(__file__).parents[2]
ACTION = "OWNER/ophiuchus-action@v1"
BUILT = "act-owner-ophiuchus-action-v1-dockeraction:latest"
"""What act would call the image after it had built it."""

_UPLOAD = """\
name: Upload
inputs: {name: {}, path: {}, retention-days: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", FROM: "${{ inputs.path }}"}
      run: mkdir "$ARTIFACTS/$NAME" && cp -R "$FROM/." "$ARTIFACTS/$NAME/"
"""
_DOWNLOAD = """\
name: Download
inputs: {pattern: {}, path: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {PATTERN: "${{ inputs.pattern }}", TO: "${{ inputs.path }}"}
      run: mkdir -p "$TO" && cp -R "$ARTIFACTS/"$PATTERN "$TO/"
"""


@dataclass(frozen=True)
class Run:
    """What act is to run. `variables` and `secrets` are the repository's, `env` is the runner's."""

    event: Event
    checkout: Path
    workflow: Path
    token: str
    env: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """What act said, line by line, and how it ended."""

    status: int
    said: Sequence[Mapping[str, Any]]
    stderr: str

    @property
    def text(self) -> str:
        return "\n".join(line["msg"] for line in self.said) + self.stderr

    def outputs(self, job: str) -> dict[str, str]:
        """The outputs of all steps of the jobs whose id is `job`."""
        return {
            line["name"]: line["arg"]
            for line in self.said
            if line.get("command") == "set-output" and line.get("jobID") == job
        }


class Act:
    """act with what it may not fetch. `folder` is new and empty."""

    def __init__(self, image: str, folder: Path) -> None:
        program = shutil.which("act", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        assert program, "act is not installed: `make venv` installs it"
        subprocess.run(["docker", "tag", image, BUILT], check=True)
        self.folder = folder
        self.artifacts = folder / "artifacts"
        (folder / "home").mkdir(parents=True)
        self.command = [
            program, "--json", "--rm", "--pull=false", "--rebuild=false", "--no-cache-server",
            "--container-daemon-socket", "-", "--platform", f"ubuntu-latest={image}",
            "--container-options", f"--volume {self.artifacts}:{self.artifacts}",
            "--env", f"ARTIFACTS={self.artifacts}",
            *(f"--local-repository={name}={place}" for name, place in self._repositories()),
        ]  # fmt: skip

    def run(self, run: Run) -> Done:
        """Run the workflow as if it had been committed to the checkout. Artifacts are the last run's."""
        shutil.rmtree(self.artifacts, ignore_errors=True)
        self.artifacts.mkdir()
        place = run.checkout / ".github" / "workflows" / run.workflow.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(run.workflow, place)
        payload = self.folder / "event.json"
        payload.write_text(json.dumps(run.event.payload))
        secrets = {"GITHUB_TOKEN": run.token, **run.secrets}
        done = subprocess.run(
            [
                *self.command, run.event.name, "--workflows", str(place.relative_to(run.checkout)),
                "--eventpath", str(payload), "--actor", "octocat",
                *(f"--secret={name}" for name in secrets),
                *(f"--env={name}={value}" for name, value in run.env.items()),
                *(f"--var={name}={value}" for name, value in run.variables.items()),
            ],
            cwd=run.checkout,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder / "home"),
                "DOCKER_HOST": os.environ.get("DOCKER_HOST", ""),
                **secrets,
            },
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        said = [json.loads(line) for line in done.stdout.splitlines()]
        return Done(done.returncode, said, done.stderr)

    def _repositories(self) -> list[tuple[str, Path]]:
        """What workflows name, by name and version, and the folder that stands for it."""
        action = self.folder / "action"
        shutil.copytree(ROOT / ".github" / "workflows", action / ".github" / "workflows")
        for name in ("action.yml", "Dockerfile"):
            shutil.copy(ROOT / name, action)
        found = [(ACTION, action)]
        text = "".join(file.read_text("utf-8") for file in (ROOT / ".github/workflows").iterdir())
        for name, content in (("upload-artifact", _UPLOAD), ("download-artifact", _DOWNLOAD)):
            stand_in = self.folder / name
            stand_in.mkdir()
            (stand_in / "action.yml").write_text(content)
            found += [(used, stand_in) for used in set(re.findall(rf"actions/{name}@\w+", text))]
        return found
