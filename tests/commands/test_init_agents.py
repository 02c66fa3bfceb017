"""What `init --agent` installs, and that an agent can do what it is told there: each command is run."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from git_repository import ENV, Repository

from ophiuchus.assess.negative_knowledge import Standing
from ophiuchus.assess.verdicts import Verdict
from ophiuchus.cli import main
from ophiuchus.commands.agent_files import Agent, section
from ophiuchus.commands.edge import Edge
from ophiuchus.text.terminal import Terminal

SOURCE = Path(__file__).parents[2] / "src"
SKILL, RULE, SECTION = (
    ".claude/skills/capture-handoff/SKILL.md",
    ".cursor/rules/capture-handoff.mdc",
    "AGENTS.md",
)
PLACES = {"claude-code": SKILL, "cursor": RULE, "codex": SECTION}
ALWAYS = [".ophiuchus/README.md", ".github/workflows/ophiuchus.yml"]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository.create(tmp_path / "repository")
    found.commit({"src/session/keys.py": "1\n", "tests/session/test_keys.py": "1\n"})
    return found


def init(repository: Repository, *agents: str) -> tuple[int, dict[str, list[str]]]:
    out, err = io.StringIO(), io.StringIO()
    edge = Edge(ENV, datetime(2026, 7, 1, tzinfo=UTC), io.BytesIO(), Terminal(out, err))
    words = [word for agent in agents for word in ("--agent", agent)]
    status = main(["init", "-C", str(repository.top), *words, "--format", "json"], edge)
    return status, json.loads(out.getvalue()) if out.getvalue() else {}


@pytest.mark.parametrize("agent", list(Agent))
def test_each_agent_gets_the_one_file_that_it_reads(repository: Repository, agent: Agent) -> None:
    _, said = init(repository, agent)
    assert said["written"] == [*ALWAYS, PLACES[agent]]


def test_several_agents_can_be_named_and_one_twice(repository: Repository) -> None:
    _, said = init(repository, "cursor", "claude-code", "codex", "cursor")
    assert sorted(said["written"]) == sorted([*ALWAYS, *PLACES.values()])


@pytest.mark.parametrize("agent", list(Agent))
def test_what_is_there_already_is_left(repository: Repository, agent: Agent) -> None:
    repository.write(PLACES[agent], "mine\n")
    _, said = init(repository, agent)
    assert (repository.top / PLACES[agent]).read_text() == "mine\n"
    assert PLACES[agent] in said["kept"]
    assert said["to_paste"] == (["AGENTS.md"] if agent is Agent.CODEX else [])


def test_an_agents_md_is_nobodys_business_where_only_claude_code_is_taught(repository: Repository) -> None:
    repository.write("AGENTS.md", "mine\n")
    _, said = init(repository, "claude-code")
    assert said["to_paste"] == []
    assert "AGENTS.md" not in said["kept"]


def test_another_agent_is_refused_and_nothing_is_written(repository: Repository) -> None:
    status, _ = init(repository, "somebody")
    assert status == 2
    assert not (repository.top / ".ophiuchus").exists()


def front_and_text(path: Path) -> tuple[Mapping[str, object], str]:
    _, front, text = re.split(r"^---\n", path.read_text("utf-8"), maxsplit=2, flags=re.MULTILINE)
    return yaml.safe_load(front), text


def test_the_skill_has_the_front_matter_that_claude_code_demands(repository: Repository) -> None:
    init(repository, "claude-code")
    front, text = front_and_text(repository.top / SKILL)
    assert set(front) == {"name", "description"}
    assert front["name"] == Path(SKILL).parent.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", str(front["name"]))
    assert 0 < len(str(front["description"])) <= 1024
    assert "<" not in str(front["description"])
    assert len(text.splitlines()) < 500


def test_the_rule_has_the_front_matter_that_cursor_reads(repository: Repository) -> None:
    init(repository, "cursor")
    front, text = front_and_text(repository.top / RULE)
    assert set(front) == {"description", "alwaysApply"}
    assert front["alwaysApply"] is True
    assert "--with cursor" in text
    assert "claude" not in text


@pytest.mark.parametrize("agent", ["claude-code", "cursor"])
def test_the_words_that_are_explained_are_those_that_are_printed(repository: Repository, agent: str) -> None:
    init(repository, agent)
    _, text = front_and_text(repository.top / PLACES[agent])
    for word in [Verdict.VALID, Verdict.PARTIALLY_STALE, Verdict.STALE, Verdict.UNVERIFIABLE]:
        assert f"`{word}`" in text
    for standing in [Standing.STILL_APPLICABLE, Standing.REVALIDATION_REQUIRED]:
        assert f"`{standing}`" in text


# An agent that does what it reads.


@pytest.fixture
def shell(repository: Repository, tmp_path: Path) -> Callable[[str], str]:
    """Runs commands in the repository, with `ophiuchus` on PATH; gives what they print."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "ophiuchus"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ophiuchus.cli "$@"\n')
    program.chmod(0o755)
    path = f"{programs}{os.pathsep}{ENV['PATH']}"
    env = {**ENV, "PATH": path, "PYTHONPATH": str(SOURCE), "PYTHONUTF8": "1"}

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


def newest(repository: Repository, known: set[str]) -> str:
    (made,) = {path.stem for path in (repository.top / ".ophiuchus").glob("*.json")} - known
    return made


def test_the_rule_says_what_the_skill_says_for_another_agent(repository: Repository) -> None:
    init(repository, "claude-code")
    init(repository, "cursor")
    _, skill = front_and_text(repository.top / SKILL)
    _, rule = front_and_text(repository.top / RULE)
    assert rule == skill.replace("--with claude-code", "--with cursor") != skill


def test_every_command_that_is_named_works_as_written(
    repository: Repository, shell: Callable[[str], str]
) -> None:
    init(repository, "claude-code")
    _, text = front_and_text(repository.top / SKILL)
    check, receive, inspect, capture, refresh = re.findall(
        r"^```bash\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    )
    assert "no capsules yet" in shell(check)

    shell("echo 2 > src/session/keys.py")
    assert "wrote  .ophiuchus/" in shell(capture.replace(" --parent ID", ""))
    first = newest(repository, set())
    assert "none of 1 capsule needs action" in shell(check)

    received = shell(receive.replace("ID", first))
    assert "Refuse the old key one hour after the new one was made" in received
    assert "Guard all sessions with one lock" in received

    shell("echo 3 > src/session/keys.py")
    shell(re.sub(r"\bID\b", first, capture))
    second = newest(repository, {first})
    assert first in shell(inspect.replace("ID", second))

    shell("echo 4 > src/session/keys.py && git commit --quiet --all --message more")
    assert "1 of 2 capsules needs action" in shell(check)
    assert "src/session/**" in shell(inspect.replace("ID", second))
    shell(refresh.replace(" ID", f" {second}"))
    third = newest(repository, {first, second})
    assert "stale" not in shell(f"ophiuchus receive {third} --with codex").partition("What")[0]


def test_the_commands_of_the_section_are_named_in_the_skill_too(repository: Repository) -> None:
    init(repository, "claude-code")
    _, text = front_and_text(repository.top / SKILL)
    verbs = set(re.findall(r"ophiuchus ([a-z]+)", section()))
    assert verbs <= set(re.findall(r"ophiuchus ([a-z]+)", text))
