from __future__ import annotations

import errno
import os
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from ophiuchus.text.new_file import AlreadyThere, CannotBeWritten, create_file, replace_file


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
    for write in (create_file, replace_file):
        with pytest.raises(CannotBeWritten):
            write(tmp_path, PurePosixPath(place), b"")
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


@pytest.mark.parametrize("write", [create_file, replace_file])
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_root_writes_belongs_to_the_folders_owner(tmp_path: Path, write: Any) -> None:
    """C128: or the next job could not clean its checkout."""
    (tmp_path / "mine").mkdir()
    os.chown(tmp_path, 1001, 1002)
    write(tmp_path, PurePosixPath("out/deep/a.json"), b"x")
    write(tmp_path, PurePosixPath("mine/a.json"), b"x")
    for place in ("out", "out/deep", "out/deep/a.json", "mine/a.json"):
        found = (tmp_path / place).stat()
        assert (found.st_uid, found.st_gid) == (1001, 1002), place
    assert (tmp_path / "mine").stat().st_uid == 0


def test_a_file_in_its_place_gives_way_whole(tmp_path: Path) -> None:
    replace_file(tmp_path, PurePosixPath("out/a.json"), b"one")
    replace_file(tmp_path, PurePosixPath("out/a.json"), [b"t", b"wo"])
    assert (tmp_path / "out/a.json").read_bytes() == b"two"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.json"]


def test_a_link_in_its_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("keep")
    root = tmp_path / "root"
    root.mkdir()
    (root / "a").symlink_to(outside)
    replace_file(root, PurePosixPath("a"), b"x")
    assert outside.read_text() == "keep"
    assert not (root / "a").is_symlink()


def test_a_folder_does_not_give_way(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(CannotBeWritten, match="Is a directory"):
        replace_file(tmp_path, PurePosixPath("a"), b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_link_to_a_folder_on_the_way_is_refused_for_replacing_too(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "out").symlink_to(outside)
    with pytest.raises(CannotBeWritten, match="in its way"):
        replace_file(root, PurePosixPath("out/a"), b"x")
    assert not list(outside.iterdir())


def test_the_root_itself_may_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    replace_file(tmp_path / "link", PurePosixPath("a"), b"x")
    assert (tmp_path / "real/a").read_bytes() == b"x"
