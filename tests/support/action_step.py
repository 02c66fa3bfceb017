"""Runs an image as the Actions runner runs a container action's step, and reads back what it left.

The command is the one in actions/runner 2.336 (ContainerActionHandler.cs, DockerCommandManager.cs): its
mounts, working directory, variables passed by name, files that belong to uid 1001, and root unless the image
says otherwise. Ids and names of runner and run are made up.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runner_model import read_file_commands

AS_ROOT = os.geteuid() == 0
RUNNER_UID = 1001 if AS_ROOT else os.geteuid()
"""Whose the runner's files are; only root can give them away."""
STEP_SECONDS = 120.0
COMMAND_FILES = {
    "GITHUB_PATH": "add_path_",
    "GITHUB_ENV": "set_env_",
    "GITHUB_OUTPUT": "set_output_",
    "GITHUB_STATE": "save_state_",
    "GITHUB_STEP_SUMMARY": "step_summary_",
}


@dataclass(frozen=True)
class Event:
    """What started the workflow. `ref` is GITHUB_REF, `sha` GITHUB_SHA."""

    name: str
    ref: str
    sha: str
    payload: Mapping[str, Any]
    head_ref: str = ""
    base_ref: str = ""

    def env(self, repository: str) -> dict[str, str]:
        """The GITHUB_ and RUNNER_ variables of a hosted runner."""
        return {
            "GITHUB_ACTION": "__run",
            "GITHUB_ACTION_REF": "",
            "GITHUB_ACTION_REPOSITORY": "",
            "GITHUB_ACTOR": "octocat",
            "GITHUB_ACTOR_ID": "1",
            "GITHUB_API_URL": "https://api.github.com",
            "GITHUB_BASE_REF": self.base_ref,
            "GITHUB_EVENT_NAME": self.name,
            "GITHUB_EVENT_PATH": "/github/workflow/event.json",
            "GITHUB_GRAPHQL_URL": "https://api.github.com/graphql",
            "GITHUB_HEAD_REF": self.head_ref,
            "GITHUB_JOB": "check",
            "GITHUB_REF": self.ref,
            "GITHUB_REF_NAME": re.sub(r"^refs/(heads|tags|pull)/", "", self.ref),
            "GITHUB_REF_PROTECTED": "false",
            "GITHUB_REF_TYPE": "branch",
            "GITHUB_REPOSITORY": repository,
            "GITHUB_REPOSITORY_ID": "1",
            "GITHUB_REPOSITORY_OWNER": repository.partition("/")[0],
            "GITHUB_REPOSITORY_OWNER_ID": "1",
            "GITHUB_RETENTION_DAYS": "90",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": "1000001",
            "GITHUB_RUN_NUMBER": "1",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_SHA": self.sha,
            "GITHUB_TRIGGERING_ACTOR": "octocat",
            "GITHUB_WORKFLOW": "Hand-offs",
            "GITHUB_WORKFLOW_REF": f"{repository}/.github/workflows/hand-offs.yml@{self.ref}",
            "GITHUB_WORKFLOW_SHA": self.sha,
            "GITHUB_WORKSPACE": "/github/workspace",
            "HOME": "/github/home",
            "RUNNER_ARCH": "X64",
            "RUNNER_ENVIRONMENT": "github-hosted",
            "RUNNER_NAME": "GitHub Actions 1",
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": "/github/runner_temp",
            "RUNNER_TOOL_CACHE": "/opt/hostedtoolcache",
            "RUNNER_WORKSPACE": f"/home/runner/work/{repository.partition('/')[2]}",
            "ACTIONS_RUNTIME_URL": "https://pipelines.invalid/",
            "ACTIONS_RUNTIME_TOKEN": "x",
        }


@dataclass(frozen=True)
class Left:
    """What a step left behind. `changed` are the workspace's paths that are not as they were."""

    status: int
    seconds: float
    stdout: str
    stderr: str
    outputs: Mapping[str, str]
    env: Mapping[str, str]
    summary: str
    changed: Sequence[str]


@dataclass
class Step:
    """One step on one runner. `folder` is the runner's, new for each step; `workspace` is copied into it."""

    image: str
    folder: Path
    workspace: Path
    event: Event
    repository: str = "person/repo"
    inputs: Mapping[str, str] = field(default_factory=dict)
    job_env: Mapping[str, str] = field(default_factory=dict)
    network: str = "none"
    arguments: Sequence[str] = ()
    entrypoint: str = ""

    def command(self) -> tuple[list[str], dict[str, str]]:
        """The runner's command line, and the variables that travel beside it; the folders are made."""
        name = self.repository.partition("/")[2]
        self.checkout = self.folder / name / name
        shutil.copytree(self.workspace, self.checkout, symlinks=True)
        temp = self.folder / "_temp"
        files, home, workflow = (
            temp / "_runner_file_commands",
            temp / "_github_home",
            temp / "_github_workflow",
        )
        for made in (files, home, workflow):
            made.mkdir(parents=True)
        (workflow / "event.json").write_text(json.dumps(self.event.payload))
        env = self.event.env(self.repository)
        self.files: dict[str, Path] = {}
        for variable, prefix in COMMAND_FILES.items():
            self.files[variable] = files / f"{prefix}{secrets.token_hex(8)}"
            self.files[variable].touch()
            env[variable] = f"/github/file_commands/{self.files[variable].name}"
        env |= {f"INPUT_{key.replace(' ', '_').upper()}": value for key, value in self.inputs.items()}
        env |= self.job_env
        # The runner is not root: what it made belongs to its own user.
        for path in (self.folder, *self.folder.rglob("*")) if AS_ROOT else ():
            os.chown(path, RUNNER_UID, RUNNER_UID, follow_symlinks=False)
        mounts = {
            temp: "/github/runner_temp",
            home: "/github/home",
            workflow: "/github/workflow",
            files: "/github/file_commands",
            self.checkout: "/github/workspace",
        }
        return [
            "docker", "run", "--name", f"step_{secrets.token_hex(6)}", "--label", "5a1b2c",
            "--workdir", "/github/workspace", "--rm",
            *(word for variable in env for word in ("-e", variable)),
            "-e", "GITHUB_ACTIONS=true", "-e", "CI=true", "--network", self.network,
            *(word for here, there in mounts.items() for word in ("-v", f"{here}:{there}")),
            *(("--entrypoint", self.entrypoint) if self.entrypoint else ()),
            self.image, *self.arguments,
        ], env  # fmt: skip

    @contextmanager
    def started(self, command: Sequence[str], env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
        """The step while it runs. The container is gone afterwards, however that ends."""
        process = subprocess.Popen(
            command,
            env={**_client_env(), **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                name = command[command.index("--name") + 1]
                subprocess.run(["docker", "rm", "--force", name], capture_output=True, check=False)
                process.wait()
            for pipe in (process.stdout, process.stderr):
                assert pipe is not None
                pipe.close()

    def run(self) -> Left:
        """Run the step to its end."""
        command, env = self.command()
        before = _picture(self.checkout)
        start = time.monotonic()
        with self.started(command, env) as process:
            stdout, stderr = process.communicate(timeout=STEP_SECONDS)
        seconds = time.monotonic() - start
        after = _picture(self.checkout)
        read = {variable: path.read_text() for variable, path in self.files.items()}
        return Left(
            status=process.returncode,
            seconds=seconds,
            stdout=stdout,
            stderr=stderr,
            outputs=read_file_commands(read["GITHUB_OUTPUT"]),
            env=read_file_commands(read["GITHUB_ENV"]),
            summary=read["GITHUB_STEP_SUMMARY"],
            changed=sorted(
                path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
            ),
        )


def _client_env() -> dict[str, str]:
    """What the docker client itself needs. HOME becomes the step's, as with the real runner."""
    return {name: os.environ[name] for name in ("PATH", "DOCKER_HOST") if name in os.environ}


def _picture(top: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Every file and folder below `top`: mode, owner, time of change, content."""
    seen = {}
    for path in top.rglob("*"):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        seen[path.relative_to(top).as_posix()] = (status.st_mode, status.st_uid, status.st_mtime_ns, content)
    return seen
