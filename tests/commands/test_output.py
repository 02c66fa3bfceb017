"""Where `--output` writes, and where it does not."""

from __future__ import annotations

import os
from contextlib import chdir
from pathlib import Path

import pytest

from ophiuchus.commands.output import write_output
from ophiuchus.text.new_file import CannotBeWritten


@pytest.mark.parametrize("name", ["report", "new/folders/report", "./report"])
def test_a_relative_name_is_written_with_its_folders(tmp_path: Path, name: str) -> None:
    with chdir(tmp_path):
        write_output(name, b"data")
    assert (tmp_path / name).read_bytes() == b"data"


@pytest.mark.parametrize("name", ["absent/report.json", "file/report.json"])
def test_the_whole_name_is_told_where_its_folder_is_not_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    place = tmp_path / name
    with pytest.raises(CannotBeWritten, match="its folder is not there") as caught:
        write_output(str(place), b"x")
    assert str(place) in caught.value.message


def test_an_absolute_name_and_one_through_the_parent_are_taken_at_their_word(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    with chdir(tmp_path / "inner"):
        write_output("../report", b"1")
        write_output(str(tmp_path / "inner" / "report"), b"2")
    assert (tmp_path / "report").read_bytes() == b"1"
    assert (tmp_path / "inner" / "report").read_bytes() == b"2"


def test_what_was_there_is_replaced_whole(tmp_path: Path) -> None:
    (tmp_path / "report").write_bytes(b"much longer than before")
    with chdir(tmp_path):
        write_output("report", b"data")
    assert (tmp_path / "report").read_bytes() == b"data"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize(
    "name", ["link", "gone", "fifo", "folder", "linked/report", ".git/config", "no/../no/x"]
)
def test_links_folders_and_odd_files_are_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "target").write_bytes(b"untouched")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "linked").symlink_to("folder")
    os.mkfifo(tmp_path / "fifo")
    with chdir(tmp_path), pytest.raises(CannotBeWritten):
        write_output(name, b"data")
    assert (tmp_path / "target").read_bytes() == b"untouched"
    assert not list((tmp_path / "folder").iterdir())
    assert (tmp_path / "fifo").is_fifo()


def test_a_device_is_left_alone() -> None:
    with pytest.raises(CannotBeWritten):
        write_output(os.devnull, b"data")
    assert Path(os.devnull).is_char_device()
