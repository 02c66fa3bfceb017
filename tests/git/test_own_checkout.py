from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repository import ENV, Repository

from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.own_checkout import StatusUnknown, UncommittedPath, current_branch, uncommitted_paths


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository.create(tmp_path / "repository")
    found.commit({"a": "1", "b": "1", "c": "1", "folder/d": "1", ".gitignore": "ignored\n"})
    return found


def uncommitted(repository: Repository, **env: str) -> dict[bytes, str]:
    checkout = open_checkout(repository.top, ENV)
    return {
        one.path: "staged" * one.staged + "+" * (one.staged and one.unstaged) + "unstaged" * one.unstaged
        for one in uncommitted_paths(checkout, {**ENV, **env})
    }


def test_a_clean_checkout_has_nothing_uncommitted(repository: Repository) -> None:
    assert uncommitted(repository) == {}


def test_every_kind_of_uncommitted_change_is_told(repository: Repository) -> None:
    repository.write("a", "2")
    repository.git("add", "a")
    repository.write("b", "2")
    repository.write("c", "2")
    repository.git("add", "c")
    repository.write("c", "3")
    (repository.top / "folder/d").unlink()
    repository.write("new/deep/e", "1")
    repository.write("ignored", "1")
    assert uncommitted(repository) == {
        b"a": "staged",
        b"b": "unstaged",
        b"c": "staged+unstaged",
        b"folder/d": "unstaged",
        b"new/deep/e": "unstaged",
    }


def test_a_staged_rename_is_two_paths(repository: Repository) -> None:
    repository.git("mv", "a", "z")
    assert uncommitted(repository) == {b"a": "staged", b"z": "staged"}


def test_an_unfinished_merge_is_both(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "other")
    repository.commit({"a": "2"})
    repository.git("switch", "--quiet", "main")
    repository.commit({"a": "3"})
    with pytest.raises(AssertionError):  # git ends with a conflict
        repository.git("merge", "--quiet", "other")
    assert uncommitted(repository) == {b"a": "staged+unstaged"}


def test_odd_names_are_bytes_as_git_has_them(repository: Repository) -> None:
    os.close(os.open(os.fsencode(repository.top) + b"/\xff\n \xc3\xa9", os.O_CREAT))
    assert uncommitted(repository) == {b"\xff\n \xc3\xa9": "unstaged"}


def test_the_persons_own_ignore_file_is_obeyed(repository: Repository, tmp_path: Path) -> None:
    repository.write(".DS_Store", "")
    assert uncommitted(repository) == {b".DS_Store": "unstaged"}
    (tmp_path / "ignore").write_text(".DS_Store\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {tmp_path / 'ignore'}\n")
    assert uncommitted(repository, GIT_CONFIG_GLOBAL=str(tmp_path / "config")) == {}


def test_neither_a_hook_nor_the_file_system_monitor_runs_and_the_index_stays(
    repository: Repository, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path / 'sprung'}\n")
    trap.chmod(0o755)
    hooks = repository.top / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "post-index-change").symlink_to(trap)
    repository.git("config", "core.fsmonitor", str(trap))
    os.utime(repository.top / "a", (1, 1))
    index = (repository.top / ".git/index").read_bytes()
    assert uncommitted(repository) == {}
    assert (repository.top / ".git/index").read_bytes() == index
    assert not (tmp_path / "sprung").exists()


def test_only_a_submodules_pointer_counts(repository: Repository, tmp_path: Path) -> None:
    module = Repository.create(tmp_path / "module")
    module.commit({"f": "1"})
    repository.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.top.as_uri(), "m"
    )
    repository.commit()
    (repository.top / "m/f").write_text("2")
    assert uncommitted(repository) == {}
    Repository(repository.top / "m").commit()
    assert uncommitted(repository) == {b"m": "unstaged"}


def test_before_the_first_commit_everything_is_uncommitted(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "repository")
    repository.write("a", "1")
    repository.git("add", "a")
    repository.write("b", "1")
    assert uncommitted(repository) == {b"a": "staged", b"b": "unstaged"}


def test_a_damaged_index_is_told_in_our_words(repository: Repository) -> None:
    (repository.top / ".git/index").write_bytes(b"nonsense")
    checkout = open_checkout(repository.top, ENV)
    with pytest.raises(StatusUnknown, match="uncommitted"):
        uncommitted_paths(checkout, ENV)


def test_the_branch_is_known_before_the_first_commit_and_unknown_when_detached(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "repository")
    assert current_branch(open_checkout(repository.top, ENV), ENV) == "refs/heads/main"
    repository.commit({"a": "1"})
    assert current_branch(open_checkout(repository.top, ENV), ENV) == "refs/heads/main"
    repository.git("switch", "--quiet", "--detach")
    assert current_branch(open_checkout(repository.top, ENV), ENV) is None


def test_a_linked_work_tree_answers_for_itself(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "side")
    linked = Repository(tmp_path / "linked")
    linked.write("a", "2")
    checkout = open_checkout(linked.top, ENV)
    assert uncommitted_paths(checkout, ENV) == (UncommittedPath(b"a", staged=False, unstaged=True),)
    assert current_branch(checkout, ENV) == "refs/heads/side"
