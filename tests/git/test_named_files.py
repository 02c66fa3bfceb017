from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from git_repository import Repository

from ophiuchus.git.named_files import named_files, open_blob, read_files
from ophiuchus.git.objects import TreeUnreadable, Unread
from ophiuchus.git.process import GitFailed
from ophiuchus.git.scratch import Scratch

BIG = b"".join(hashlib.sha256(bytes([number % 256])).digest() + b"\n" for number in range(100_000))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    files: dict[str, str | bytes | None] = {
        "a/x": "1",
        "a/b/y": "2",
        "a.txt": "3",
        "big": BIG,
        "none": b"",
        "*": "4",
    }
    made.commit(files)
    return made


def test_files_and_all_below_folders_are_found_by_name_and_nothing_else(
    repository: Repository, scratch: Scratch
) -> None:
    tree = repository.git("rev-parse", "HEAD^{tree}")
    found = named_files(scratch, tree, ["a", "big", "missing/one"])
    assert [entry.path for entry in found] == [b"a/b/y", b"a/x", b"big"]
    assert [entry.path for entry in named_files(scratch, tree, ["*"])] == [b"*"]


def test_regular_files_are_read_by_their_place_and_no_larger_ones(
    repository: Repository, scratch: Scratch
) -> None:
    (repository.top / "link").symlink_to("a.txt")
    repository.git("add", "link")
    tree = repository.git("write-tree")
    found = read_files(scratch, tree, ["none", "a.txt", "big", "link", "a", "missing"], 10)
    assert found == {"none": b"", "a.txt": b"3", "big": Unread(len(BIG))}


def test_a_blob_streams_to_its_end_whatever_its_size(repository: Repository, scratch: Scratch) -> None:
    for path, content in (("big", BIG), ("none", b"")):
        with open_blob(scratch, repository.git("rev-parse", f"HEAD:{path}")) as file:
            assert b"".join(file) == content


def test_closing_early_ends_git(repository: Repository, scratch: Scratch) -> None:
    with open_blob(scratch, repository.git("rev-parse", "HEAD:big")) as file:
        assert file.readline()
    assert file.closed


def test_what_is_missing_is_told_when_it_is_read(scratch: Scratch) -> None:
    with pytest.raises(TreeUnreadable):
        named_files(scratch, "0" * 40, ["a"])
    with open_blob(scratch, "0" * 40) as file, pytest.raises(GitFailed):
        file.readline()
