"""Runs the composite twin's own lines as the runner does: expressions first, then bash."""

from __future__ import annotations

import re
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from local_step import SOURCE, LocalStep

COMPOSITE = Path(__file__).parents[2] / "composite"
BASH = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"]
"""How the runner starts `shell: bash`."""

_EXPRESSION = re.compile(r"\$\{\{ ([\w.]+) \}\}")


def declared() -> dict[str, Any]:
    """The twin's file."""
    read: dict[str, Any] = yaml.safe_load((COMPOSITE / "action.yml").read_text("utf-8"))
    return read


def lines_of(step_id: str) -> tuple[str, Mapping[str, str]]:
    """What one step runs, and its variables before their expressions are evaluated."""
    (step,) = [step for step in declared()["runs"]["steps"] if step["id"] == step_id]
    assert step["shell"] == "bash"
    return step["run"], step.get("env", {})


@dataclass
class TwinStep(LocalStep):
    """A step that runs the twin, in an environment that borrows the packages that the tests run with."""

    def environment(self) -> dict[str, str]:
        """The runner gives a composite action's steps no input but what its file hands on."""
        env = {name: value for name, value in super().environment().items() if not name.startswith("INPUT_")}
        context = {
            "steps.install.outputs.python": str(self._interpreter()),
            "github.token": "",
            "runner.temp": str(self.temp),
        }
        for name, about in declared()["inputs"].items():
            given = str(self.inputs.get(name, about["default"]))
            context[f"inputs.{name}"] = evaluated(given, context)
        handed_on = {name: evaluated(text, context) for name, text in lines_of("run")[1].items()}
        return {**env, "GITHUB_ACTION_PATH": str(COMPOSITE), **handed_on}

    def _interpreter(self) -> Path:
        """What the step `install` would have made, without what takes time."""
        folder = self.folder / "environment"
        if not folder.exists():
            venv.create(folder, symlinks=True)
            (site,) = folder.glob("lib/python*/site-packages")
            (site / "borrowed.pth").write_text(f"{SOURCE}\n{sysconfig.get_path('purelib')}\n")
        return folder / "bin" / "python"

    def command(self) -> list[str]:
        script = self.folder / "run.sh"
        script.write_text(lines_of("run")[0])
        return [*BASH, str(script)]


def evaluated(text: str, context: Mapping[str, str]) -> str:
    """`text` with each `${{ name }}` replaced; KeyError where there is no such name."""
    return _EXPRESSION.sub(lambda found: context[found[1]], text)
