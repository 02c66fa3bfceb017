from __future__ import annotations

import errno
import os
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from ophiuchus.text.new_file import AlreadyThere, CannotBeWritten, create_file


def test_a_new_file_is_written_whole_with_its_folders_and_nothing_else(tmp_path: Path) -> None:
    create_file(tmp_path, PurePosixPath("a/b/c.json"), b"{}\n")
    assert (tmp_path / "a/b/c.json").read_bytes() == b"{}\n"
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["c.json"]


def test_the_umask_decides_who_may_read_it(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        create_file(tmp_path, PurePosixPath("c"), b"")
    finally:
        os.umask(before)
    assert (tmp_path / "c").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling link"])
def test_what_is_there_is_left_as_it_is(tmp_path: Path, kind: str) -> None:
    there = tmp_path / "c.json"
    if kind == "file":
        there.write_text("mine")
    elif kind == "folder":
        there.mkdir()
    else:
        there.symlink_to(tmp_path / "elsewhere")
        if kind == "link":
            (tmp_path / "elsewhere").write_text("mine")
    with pytest.raises(AlreadyThere, match=r"c\.json is already there"):
        create_file(tmp_path, PurePosixPath("c.json"), b"new")
    assert not (tmp_path / "elsewhere").exists() or (tmp_path / "elsewhere").read_text() == "mine"
    assert kind != "file" or there.read_text() == "mine"
    assert not list(tmp_path.glob("*.unfinished"))


@pytest.mark.parametrize("kind", ["link to a folder", "link to nothing", "file"])
def test_a_folder_that_is_none_is_refused(tmp_path: Path, kind: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    if kind == "file":
        (root / "a").write_text("")
    else:
        (root / "a").symlink_to(outside if kind == "link to a folder" else tmp_path / "nowhere")
    with pytest.raises(CannotBeWritten, match="in its way"):
        create_file(root, PurePosixPath("a/c.json"), b"new")
    assert not list(outside.iterdir())


@pytest.mark.parametrize("place", ["/etc/c", "../c", "a/../../c", ".git/c", ".GIT/hooks/c", "a/.git/c", "."])
def test_a_place_outside_or_inside_git_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(CannotBeWritten):
        create_file(tmp_path, PurePosixPath(place), b"")
    assert not list(tmp_path.iterdir())


def test_a_root_that_is_missing_is_told_in_the_systems_words(tmp_path: Path) -> None:
    with pytest.raises(CannotBeWritten, match="No such file"):
        create_file(tmp_path / "gone", PurePosixPath("c"), b"")


@pytest.mark.parametrize("taken", [False, True])
def test_without_hard_links_it_is_renamed_and_still_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: bool
) -> None:
    def no_links(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", no_links)
    if taken:
        (tmp_path / "c").write_text("mine")
        with pytest.raises(AlreadyThere):
            create_file(tmp_path, PurePosixPath("c"), b"new")
    else:
        create_file(tmp_path, PurePosixPath("c"), b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
    assert (tmp_path / "c").read_text() == ("mine" if taken else "new")


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CannotBeWritten, match="No space"):
        create_file(tmp_path, PurePosixPath("c"), b"new")
    assert not list(tmp_path.iterdir())
