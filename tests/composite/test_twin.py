"""The twin without Docker has what the action has, and installs itself from pinned requirements."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from composite_action import ACTION, TWIN, twin
from runner_model import commands_in, read_file_commands
from twin_step import BASH, COMPOSITE, declared, lines_of

PROJECT = Path(__file__).parents[2]


def action() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(ACTION.read_text("utf-8"))
    return read


def test_the_twin_is_the_one_that_the_tool_writes() -> None:
    assert TWIN.read_text("utf-8") == twin(ACTION.read_text("utf-8")), "run tools/composite_action.py"


def test_inputs_are_the_same_and_each_one_reaches_the_program() -> None:
    assert declared()["inputs"] == action()["inputs"]
    _, env = lines_of("run")
    for name in action()["inputs"]:
        assert env[f"INPUT_{name.upper()}"] == f"${{{{ inputs.{name} }}}}"
    assert env.keys() - {f"INPUT_{name.upper()}" for name in action()["inputs"]} == {
        "OPHIUCHUS_PYTHON",
        "TMPDIR",
    }


def test_outputs_are_the_same_and_each_one_is_handed_on() -> None:
    described = {name: {"description": about["description"]} for name, about in declared()["outputs"].items()}
    assert described == action()["outputs"]
    for name, about in declared()["outputs"].items():
        assert about["value"] == f"${{{{ steps.run.outputs.{name} }}}}"


def test_no_expression_stands_in_a_line_that_a_shell_runs() -> None:
    for step in declared()["runs"]["steps"]:
        assert "${{" not in step["run"]


def test_the_interpreter_has_the_switches_of_the_image() -> None:
    (switches,) = re.findall(r"^#!\S+ (-\S+)$", (PROJECT / "entrypoint").read_text("utf-8"), re.MULTILINE)
    assert f'"$OPHIUCHUS_PYTHON" {switches} -m ophiuchus.cli action' in lines_of("run")[0]


def installing(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the twin's first step as the runner does, in a checkout that tries to be imported."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    for name in ("hashlib", "venv", "sysconfig", "pip"):
        (workspace / f"{name}.py").write_text("raise SystemExit('imported from the checkout')\n")
    (folder / "output").touch()
    passed_on = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [*BASH, "-c", lines_of("install")[0]],
        cwd=workspace,
        env={
            **passed_on,
            "PYTHONPATH": str(workspace),
            "GITHUB_ACTION_PATH": str(COMPOSITE),
            "GITHUB_OUTPUT": str(folder / "output"),
            "RUNNER_TEMP": str(folder / "temp"),
            **env,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def programs(folder: Path, **scripts: str) -> str:
    """A PATH with these programs in front."""
    folder.mkdir()
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def refused(left: subprocess.CompletedProcess[str]) -> bool:
    """Whether the step failed with one error, which says what to add."""
    (error,) = commands_in(left.stdout)
    return left.returncode == 2 and error.name == "error" and "actions/setup-python" in error.data


def test_a_machine_without_python_is_told_with_what_to_add(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bash").symlink_to(shutil.which("bash") or "")
    assert refused(installing(tmp_path, PATH=str(tmp_path / "bin")))


def test_an_old_python_is_told_with_what_to_add(tmp_path: Path) -> None:
    """It starts, and says no when it is asked for its version."""
    assert refused(installing(tmp_path, PATH=programs(tmp_path / "bin", python3="exit 1", python="exit 1")))


@pytest.mark.parametrize(
    "failure",
    [
        "SystemExit(1)",  # as Debian's does, without its package python3-venv
        "subprocess.CalledProcessError(1, ['python', '-m', 'ensurepip'])",
    ],
)
def test_a_python_that_makes_no_environment_is_told_with_what_to_add(tmp_path: Path, failure: str) -> None:
    (tmp_path / "temp").mkdir()
    script = _WITHOUT_ENSUREPIP.replace("FAILURE", failure)
    line = f'case "$*" in *install.py*) exec {sys.executable} -I -c "{script}";; esac'
    left = installing(tmp_path, PATH=programs(tmp_path / "bin", python3=line))
    assert refused(left), left.stderr


_WITHOUT_ENSUREPIP = f"""
import runpy, subprocess, venv
def fails(*_: object) -> None:
    raise FAILURE
venv.EnvBuilder._setup_pip = fails
runpy.run_path('{COMPOSITE / "install.py"}', run_name='__main__')
"""


@pytest.mark.skipif(not os.environ.get("CI"), reason="installs from the package index: CI is not set")
def test_it_installs_itself_once_a_job_and_nothing_of_the_checkout_runs(tmp_path: Path) -> None:
    (tmp_path / "temp").mkdir()
    first = installing(tmp_path)
    assert first.returncode == 0, first.stdout + first.stderr
    python = read_file_commands((tmp_path / "output").read_text())["python"]
    asked = [python, "-I", "-m", "ophiuchus.cli", "--version"]
    version = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert version.startswith("ophiuchus ")
    marker = Path(python).parents[1] / "ready"
    made = marker.stat().st_mtime_ns
    assert installing(tmp_path).returncode == 0
    assert marker.stat().st_mtime_ns == made
