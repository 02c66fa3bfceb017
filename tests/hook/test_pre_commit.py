"""The hook for pre-commit: its entry run by git itself, on what the next commit will hold."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_run import capsule, paths
from git_repository import ENV, Repository

PROJECT = Path(__file__).parents[2]


def hook() -> dict[str, Any]:
    (found,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return dict(found)


def test_the_hook_is_one_that_pre_commit_takes() -> None:
    found = hook()
    assert found["language"] == "python"
    assert found["pass_filenames"] is False
    assert found["always_run"] is True


class Committer:
    """A repository with the hook in place."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.repository = Repository.create(folder / "repository")
        base = self.repository.commit({"src/a.py": "1", "src/b.py": "1"})
        self.repository.commit({".ophiuchus/cap-1.json": capsule("cap-1", paths("src/a.py", base=base))})
        programs = folder / "bin"
        programs.mkdir()
        program = programs / "ophiuchus"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ophiuchus.cli "$@"\n')
        script = self.repository.top / ".git" / "hooks" / "pre-commit"
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\nexec {hook()['entry']} {shlex.join(arguments)}\n")
        for file in (program, script):
            file.chmod(0o755)
        self.env = {
            **ENV,
            "PATH": f"{programs}{os.pathsep}{ENV['PATH']}",
            "PYTHONPATH": str(PROJECT / "src"),
        }

    def commit(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", "commit", "--quiet", "--message", "x", *words],
            cwd=self.repository.top,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )


def test_it_tells_what_the_commit_makes_stale_and_lets_it_pass(tmp_path: Path) -> None:
    made = Committer(tmp_path)
    made.repository.write("src/a.py", "2")
    made.repository.git("add", "src/a.py")
    done = made.commit()
    assert done.returncode == 0, done.stderr
    assert "1 of 1 capsule needs action" in done.stdout + done.stderr


GATE = ("--base", "HEAD", "--fail-on", "introduced")


@pytest.mark.parametrize("words", [["--all"], ["--", "src/a.py"]], ids=["all", "some-paths"])
def test_what_is_committed_past_the_index_is_judged_too(tmp_path: Path, words: list[str]) -> None:
    """`git commit --all` and `git commit PATH` give their hook an index of their own."""
    made = Committer(tmp_path, *GATE)
    made.repository.write("src/a.py", "2")
    head = made.repository.head()
    done = made.commit(*words)
    assert done.returncode == 1, done.stdout + done.stderr
    assert made.repository.head() == head


def test_what_is_staged_and_left_out_of_the_commit_is_not_judged(tmp_path: Path) -> None:
    made = Committer(tmp_path, *GATE)
    made.repository.write("src/a.py", "2")
    made.repository.git("add", "src/a.py")
    made.repository.write("src/b.py", "2")
    done = made.commit("--only", "--", "src/b.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_gate_stops_what_it_names(tmp_path: Path) -> None:
    made = Committer(tmp_path, *GATE)
    made.repository.write("src/a.py", "2")
    made.repository.git("add", "src/a.py")
    assert made.commit().returncode == 1
