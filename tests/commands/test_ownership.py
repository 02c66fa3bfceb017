from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repository import Repository

from ophiuchus.commands.ownership import code_owners
from ophiuchus.git.objects import TreeUnreadable
from ophiuchus.report.owners import MOST_BYTES


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "repository")


def owners_at(repository: Repository, path: str = "a") -> list[str] | None:
    tree = repository.git("rev-parse", "HEAD^{tree}").strip()
    rules = code_owners(repository.top, tree, dict(os.environ))
    return None if rules is None else [name for _, name in rules.rules.of(path)]


def test_the_first_place_that_has_the_file_counts(repository: Repository) -> None:
    repository.commit({"a": "x"})
    assert owners_at(repository) is None
    repository.commit({"docs/CODEOWNERS": "* @docs"})
    assert owners_at(repository) == ["@docs"]
    repository.commit({"CODEOWNERS": "* @top"})
    assert owners_at(repository) == ["@top"]
    repository.commit({".github/CODEOWNERS": "* @github"})
    assert owners_at(repository) == ["@github"]


def test_the_judged_tree_is_read_and_never_the_work_tree(repository: Repository) -> None:
    repository.commit({"CODEOWNERS": "* @committed"})
    (repository.top / "CODEOWNERS").write_text("* @edited")
    assert owners_at(repository) == ["@committed"]


def test_a_link_a_folder_and_a_file_that_is_too_large_are_passed_over(repository: Repository) -> None:
    (repository.top / ".github").mkdir()
    (repository.top / ".github/CODEOWNERS").symlink_to("../secret")
    repository.commit({"secret": "* @linked", "CODEOWNERS/x": "* @folder"})
    assert owners_at(repository) is None
    repository.commit({"docs/CODEOWNERS": "# " + "x" * MOST_BYTES + "\n* @large"})
    assert owners_at(repository) is None


def test_a_tree_that_is_not_there_is_told(repository: Repository) -> None:
    repository.commit({"a": "x"})
    with pytest.raises(TreeUnreadable):
        code_owners(repository.top, "a" * 40, dict(os.environ))
