from __future__ import annotations

import os
from pathlib import Path

import pytest

from ophiuchus.workflow.workspace import NotBeneath, parts_beneath, write_beneath

AS_ROOT = os.geteuid() == 0


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("a.json", ("a.json",)),
        ("out/deep/a.json", ("out", "deep", "a.json")),
        ("./out//a.json", ("out", "a.json")),
        (".", ()),
        (".github/x", (".github", "x")),
        ("a b/ü.json", ("a b", "ü.json")),
    ],
)
def test_a_path_below_is_its_segments(path: str, parts: tuple[str, ...]) -> None:
    assert parts_beneath(path) == parts


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "//x",
        "..",
        "a/../b",
        "a/..",
        ".git",
        ".git/hooks/pre-commit",
        "sub/.GIT/config",
        "a\nb",
        "a\0b",
        "a\x1b[0m",
        "\u202ea",
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(NotBeneath):
        parts_beneath(path)
    with pytest.raises(NotBeneath):
        write_beneath(str(tmp_path), path, b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_written_whole_in_folders_that_were_missing(tmp_path: Path) -> None:
    write_beneath(str(tmp_path), "out/deep/a.json", b"one")
    write_beneath(str(tmp_path), "out/deep/a.json", b"two")
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()] == [
        "out/deep/a.json"
    ]
    assert (tmp_path / "out/deep/a.json").read_bytes() == b"two"
    assert (tmp_path / "out/deep/a.json").stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(not AS_ROOT, reason="only root can give files away")
def test_what_is_written_belongs_to_the_workspace_s_owner(tmp_path: Path) -> None:
    """C128: or the next job could not clean its checkout."""
    os.chown(tmp_path, 1001, 1002)
    write_beneath(str(tmp_path), "out/a.json", b"x")
    for path in (tmp_path / "out", tmp_path / "out/a.json"):
        assert (path.stat().st_uid, path.stat().st_gid) == (1001, 1002)


def test_a_link_on_the_way_is_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "out").symlink_to(outside)
    with pytest.raises(OSError, match=r"."):
        write_beneath(str(root), "out/a.json", b"x")
    assert list(outside.iterdir()) == []


def test_a_link_in_the_file_s_place_is_replaced_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("keep")
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.json").symlink_to(outside)
    write_beneath(str(root), "a.json", b"x")
    assert outside.read_text() == "keep"
    assert not (root / "a.json").is_symlink()


def test_the_root_itself_may_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_beneath(str(tmp_path / "link"), "a", b"x")
    assert (tmp_path / "real/a").read_bytes() == b"x"


def test_nothing_is_left_behind_when_the_place_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match=r"."):
        write_beneath(str(tmp_path), "a", b"x")
    with pytest.raises(NotBeneath, match="names no file"):
        write_beneath(str(tmp_path), ".", b"x")
    with pytest.raises(OSError, match=r"."):
        write_beneath(str(tmp_path / "absent"), "a", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
