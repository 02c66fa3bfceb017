"""Runs `ophiuchus action` on this machine with the variables and files that the runner gives a step."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from action_step import Event
from runner_model import Command, commands_in, log_of, read_file_commands

SOURCE = Path(__file__).parents[2] / "src"


@dataclass(frozen=True)
class Outcome:
    """What one step left behind."""

    status: int
    stdout: str
    stderr: str
    outputs: Mapping[str, str]
    summary: str

    @property
    def commands(self) -> list[Command]:
        """What the runner obeys, on either stream."""
        return commands_in(self.stdout) + commands_in(self.stderr)

    @property
    def log(self) -> str:
        """What is left to read."""
        return "\n".join(log_of(self.stdout) + log_of(self.stderr))

    def annotations(self, level: str) -> list[Command]:
        return [found for found in self.commands if found.name == level]


@dataclass
class LocalStep:
    """One step. `folder` is the runner's own; `workspace` holds the checkout and is used as it is."""

    folder: Path
    workspace: Path
    event: Event
    repository: str = "person/repo"
    inputs: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    interpreter: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.temp = self.folder / "temp"
        self.temp.mkdir(exist_ok=True)
        self.files = {}
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE"):
            self.files[name] = self.folder / f"{name.lower()}_{secrets.token_hex(4)}"
            self.files[name].touch()
        self.event_file = self.folder / "event.json"
        self.event_file.write_text(json.dumps(self.event.payload))

    def environment(self) -> dict[str, str]:
        """All variables of the step."""
        return {
            **self.event.env(self.repository),
            **{name: str(path) for name, path in self.files.items()},
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCE),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_PATH": str(self.event_file),
            "GITHUB_WORKSPACE": str(self.workspace),
            "HOME": str(self.folder),
            "RUNNER_TEMP": str(self.temp),
            "TMPDIR": str(self.temp),
            **{f"INPUT_{name.replace(' ', '_').upper()}": value for name, value in self.inputs.items()},
            **self.env,
        }

    def command(self) -> list[str]:
        return [sys.executable, "-B", *self.interpreter, "-m", "ophiuchus.cli", "action"]

    def run(self) -> Outcome:
        """Run the step to its end."""
        done = subprocess.run(
            self.command(),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE"):
            assert self.files[name].read_bytes() == b"", name
        return Outcome(
            status=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
            outputs=read_file_commands(_content(self.files["GITHUB_OUTPUT"])),
            summary=_content(self.files["GITHUB_STEP_SUMMARY"]),
        )


def _content(path: Path) -> str:
    return path.read_text() if path.is_file() else ""
