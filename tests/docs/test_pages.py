"""What our pages show is what the code does: workflows, tables, drafts, commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from git_repository import ENV, Repository

from ophiuchus.assess.continuity import CONTINUITY_LIMIT, ContinuityStatus
from ophiuchus.assess.fidelity import FIDELITY_LIMIT, FidelityVerdict
from ophiuchus.assess.negative_knowledge import NEGATIVE_KNOWLEDGE_LIMIT, Standing
from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.capsule.draft import read_draft
from ophiuchus.capsule.markdown_sections import HEADINGS
from ophiuchus.views.quotation import FENCE_CHARACTERS
from ophiuchus.views.receive import MOST_CHARACTERS

PROJECT = Path(__file__).parents[2]
README = PROJECT / "README.md"
DOCS = PROJECT / "docs"
STARTER = PROJECT / "src" / "ophiuchus" / "commands" / "starter"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [README, DOCS / "check-a-pull-request.md"], ids=lambda page: page.name)
def test_the_workflow_to_paste_is_the_one_that_init_writes(page: Path) -> None:
    assert (STARTER / "workflow.yml").read_text("utf-8") in blocks(page, "yaml")


def test_the_readme_names_every_input_and_output_of_action_yml() -> None:
    action = yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))
    for name in [*action["inputs"], *action["outputs"]]:
        assert f"| `{name}` |" in README.read_text("utf-8")


def test_linux_only_is_said_in_the_readmes_first_screen() -> None:
    first_screen = "\n".join(README.read_text("utf-8").splitlines()[:25])
    assert re.search(r"Linux runners only", first_screen)


def test_every_input_that_a_page_sets_exists() -> None:
    known = set(yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))["inputs"])
    for page in [README, *DOCS.rglob("*.md")]:
        for block in blocks(page, "yaml"):
            for step in steps(yaml.safe_load(block)):
                if "ophiuchus-action" in step.get("uses", ""):
                    assert set(step.get("with", {})) <= known, page


def steps(shown: object) -> list[dict[str, dict[str, str]]]:
    """The steps of a workflow, or of a piece of one that is a list of steps."""
    if isinstance(shown, dict):
        return [step for job in shown.get("jobs", {}).values() for step in job["steps"]]
    return [step for step in shown if isinstance(step, dict)] if isinstance(shown, list) else []


@pytest.mark.parametrize(("form", "language"), [("md", "markdown"), ("yaml", "yaml")])
def test_the_drafts_on_the_page_are_the_examples(form: str, language: str) -> None:
    example = (PROJECT / "examples" / "drafts" / f"session-keys.{form}").read_text("utf-8")
    assert example in blocks(DOCS / "leave-a-hand-off.md", language)
    draft = read_draft("-", example.encode())
    assert draft.warnings == ()
    assert draft == replace(read_draft(f"d.{form}", example.encode()), name="-", place_of=draft.place_of)


def test_the_drafts_on_the_page_say_the_same() -> None:
    notes, other = (
        read_draft(
            f"d.{form}", (PROJECT / "examples" / "drafts" / f"session-keys.{form}").read_bytes()
        ).document
        for form in ("md", "yaml")
    )
    assert json.loads(json.dumps(other).replace('"session-code"', '"paths"')) == notes


def test_the_page_names_every_heading_that_is_read() -> None:
    page = (DOCS / "leave-a-hand-off.md").read_text("utf-8")
    for headings in HEADINGS.values():
        assert f"| {'; '.join(headings)} |" in page


@pytest.mark.parametrize("page", [README, DOCS / "limits.md"], ids=lambda page: page.name)
def test_the_limit_sentence_is_shown_where_verdicts_are_explained(page: Path) -> None:
    unquoted = re.sub(r"^> ", "", page.read_text("utf-8"), flags=re.MULTILINE)
    assert VALIDITY_LIMIT in " ".join(unquoted.split())


def test_the_page_about_receiving_shows_the_limit_of_each_of_its_tracks() -> None:
    page = (DOCS / "receive-a-hand-off.md").read_text("utf-8")
    words = " ".join(re.sub(r"^> ", "", page, flags=re.MULTILINE).split())
    for limit in (FIDELITY_LIMIT, NEGATIVE_KNOWLEDGE_LIMIT, CONTINUITY_LIMIT):
        assert limit in words
    for closed in (Standing, ContinuityStatus, FidelityVerdict):
        for word in closed:
            assert f"`{word}`" in page
    assert f"{MOST_CHARACTERS:,} characters" in page
    assert f"{FENCE_CHARACTERS:,} characters" in page


# The section that teaches agents: its commands work as they are written.


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[str], str]:
    """Runs commands as a person would in a repository, with `ophiuchus` on PATH; gives what they print."""
    repository = Repository.create(tmp_path / "repository")
    repository.commit({"src/session/keys.py": "1\n", "tests/session/test_keys.py": "1\n"})
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "ophiuchus"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ophiuchus.cli "$@"\n')
    program.chmod(0o755)
    path = f"{programs}{os.pathsep}{ENV['PATH']}"
    env = {**ENV, "PATH": path, "PYTHONPATH": str(PROJECT / "src"), "PYTHONUTF8": "1"}

    def run(commands: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=repository.top,
            env=env,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run


def test_the_commands_that_teach_an_agent_work_as_written(shell: Callable[[str], str]) -> None:
    before, leave = blocks(STARTER / "agents.md", "bash")
    assert "no capsules yet" in shell(before)
    shell("echo 2 > src/session/keys.py && git add src")
    said = shell(leave)
    assert "wrote  .ophiuchus/" in said
    assert "stale" not in said
    assert "none of 1 capsule needs action" in shell(before)
    shell("echo 3 > src/session/keys.py && git commit --quiet --all --message more")
    assert "1 of 1 capsule needs action" in shell(before)


def test_the_commands_of_the_page_about_hand_offs_work_as_written(shell: Callable[[str], str]) -> None:
    page = DOCS / "leave-a-hand-off.md"
    committed, staged, continued, refreshed = blocks(page, "bash")
    (draft,) = blocks(page, "markdown")
    shell(f"cat > draft.md <<'END'\n{draft}END\n")
    shell(committed)
    shell("echo 2 > src/session/keys.py")
    shell(staged)
    earlier = shell("ls .ophiuchus | head -n 1").strip().removesuffix(".json")
    shell(re.sub(r"--parent \S+", f"--parent {earlier}", continued))
    shell(re.sub(r"--refresh \S+", f"--refresh {earlier}", refreshed))
    assert len(shell("ls .ophiuchus").splitlines()) == 4
