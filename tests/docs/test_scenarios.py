"""The scenarios do what their page says, and so do the commands of the page about tidying."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from git_repository import ENV

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "scenarios.md"
TIDY = PROJECT / "docs" / "tidy-continued-capsules.md"
_BLOCK = re.compile(r"^```(bash|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def sections(page: Path) -> dict[str, list[tuple[str, str]]]:
    """The commands below each heading, and what shall be read in what they print (a `text` block behind)."""
    found = {}
    for section in re.split(r"^## ", page.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        steps: list[tuple[str, str]] = []
        for language, text in _BLOCK.findall(section):
            if language == "bash":
                steps.append((text, ""))
            else:
                steps[-1] = (steps[-1][0], text)
        found[section.partition("\n")[0]] = steps
    return found


SECTIONS = sections(PAGE)
SETUP = SECTIONS.pop("The project")


class Shell:
    """One shell session after the other in one folder, as a reader would type: `cd` and `export` stay."""

    def __init__(self, folder: Path) -> None:
        programs = folder / "bin"
        programs.mkdir()
        program = programs / "ophiuchus"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ophiuchus.cli "$@"\n')
        program.chmod(0o755)
        path = f"{programs}{os.pathsep}{ENV['PATH']}"
        self._env = {**ENV, "PATH": path, "PYTHONPATH": str(PROJECT / "src"), "PYTHONUTF8": "1"}
        self._folder = folder / "work"
        self._folder.mkdir()
        self._before = ""

    def run(self, commands: str) -> str:
        """What `commands` print. A status that is not 0 fails the test."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self._before + commands],
            cwd=self._folder,
            env=self._env,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.returncode == 0, done.stdout
        # Only what the page leaves set is carried on; the rest must not happen twice.
        for line in commands.splitlines():
            if moved := re.search(r"\bcd (\S+)", line):
                self._folder /= moved[1]
            if line.startswith("export "):
                self._before += f"{line}\n"
        return done.stdout


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize("name", SECTIONS)
def test_each_scenario_shows_what_the_page_says(shell: Shell, name: str) -> None:
    for commands, expected in [*SETUP, *SECTIONS[name]]:
        said = shell.run(commands)
        for line in expected.splitlines():
            assert line in said, said


def test_there_is_a_scenario_for_each_track_and_for_publishing() -> None:
    names = [name.partition(":")[0] for name in SECTIONS]
    assert names == ["Validity", "Fidelity", "Negative knowledge", "Continuity", "Publishing"]
    for name, steps in SECTIONS.items():
        assert any(expected for _, expected in steps), name


def test_what_is_continued_is_found_and_tidied(shell: Shell) -> None:
    continued = SECTIONS["Continuity: what became of the hand-off before?"][0][0]
    for commands in (SETUP[0][0], continued):
        shell.run(commands)
    tidying = sections(TIDY)
    assert shell.run(tidying["See which they are"][0][0]) == ".ophiuchus/first.json\n"
    shell.run("rm first.yaml second.yaml")
    said = shell.run(
        tidying["Delete them"][0][0] + "git log --oneline --diff-filter=D --name-only -- .ophiuchus"
    )
    assert said.endswith(".ophiuchus/first.json\n")
    assert "gone" in shell.run("ophiuchus inspect second")
    # What the page says of the pull request that deletes it, and of one that deletes the newest.
    gate = "ophiuchus check --base HEAD~1 --fail-on redeclared"
    assert "none of 1 capsule needs action" in shell.run(gate)
    shell.run("git rm --quiet .ophiuchus/second.json && git commit --quiet --message Done")
    assert "this change declared 1 capsule anew" in shell.run(f"{gate} || test $? -eq 1")
