from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_run import CommandRun
from git_repository import Repository

from ophiuchus.commands.agent_files import CRITIC_COMMANDS, critic_files

COMMANDS = [str(path) for path in CRITIC_COMMANDS]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    made.commit({"README.md": "mine"})
    return made


def test_the_command_for_critics_is_written_only_where_it_is_asked_for(repository: Repository) -> None:
    assert CommandRun(repository.top, "init").status == 0
    assert not any((repository.top / path).exists() for path in COMMANDS)
    run = CommandRun(repository.top, "init", "--critic", "--format", "json")
    assert run.status == 0
    assert run.json["written"] == COMMANDS
    assert {path: (repository.top / path).read_text() for path in CRITIC_COMMANDS} == critic_files()


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_that_is_there_is_kept(repository: Repository, path: str) -> None:
    repository.write(path, "mine")
    run = CommandRun(repository.top, "init", "--critic")
    assert run.status == 0
    assert (repository.top / path).read_text() == "mine"
    assert f"kept   {path}" in run.out


def test_what_the_command_tells_an_agent_to_type_exists(repository: Repository) -> None:
    (text,) = set(critic_files().values())
    actions = set(re.findall(r"ophiuchus critic ([a-z]+)", text))
    assert actions == {"select", "review", "gate", "open", "resolve", "validate"}
    for action in actions:
        run = CommandRun(repository.top, "critic", action, "--help")
        assert run.status == 0
        for option in re.findall(rf"ophiuchus critic {action}((?:[^`\n]|\\\n)*)", text):
            for word in re.findall(r"--[a-z]+", option.replace("'PROGRAM --print'", "")):
                assert word in run.out
