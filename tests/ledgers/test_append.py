"""What was acknowledged is in the ledger, whole, whoever wrote meanwhile and whoever was killed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any

import ledger_writer
import pytest
from ledger_writer import append_row

from ophiuchus.ledgers.append import (
    LedgerBusy,
    LedgerUnreadable,
    RowUnwritable,
    changes_of,
    hold,
    open_ledger,
)
from ophiuchus.ledgers.jsonl import MOST_LINE_BYTES, Row, RowProblem, read_rows
from ophiuchus.text.new_file import CannotBeWritten

PLACE = PurePosixPath("handoffs/findings.jsonl")


def content(root: Path) -> bytes:
    return (root / PLACE).read_bytes()


def test_the_first_row_makes_the_file_and_its_folders(tmp_path: Path) -> None:
    with hold(tmp_path, PLACE) as ledger:
        ledger.append({"text": "é\u2028", "n": 1}, compact=False)
    append_row(tmp_path, PLACE, {"text": "b"})
    assert content(tmp_path).decode() == '{"text": "é\u2028", "n": 1}\n{"text":"b"}\n'
    assert [path.name for path in (tmp_path / "handoffs").iterdir()] == ["findings.jsonl"]


def test_a_row_is_never_glued_to_a_line_that_was_cut(tmp_path: Path) -> None:
    append_row(tmp_path, PLACE, {"n": 1})
    (tmp_path / PLACE).write_bytes(b'{"n": 1, "te')
    append_row(tmp_path, PLACE, {"n": 2})
    assert content(tmp_path) == b'{"n": 1, "te\n{"n":2}\n'


@pytest.mark.parametrize(
    "row", [{"a": "\ud800"}, {"a": float("nan")}, {"a": object()}, {"a": "x" * MOST_LINE_BYTES}]
)
def test_a_row_that_could_not_be_read_back_is_not_written(tmp_path: Path, row: dict[str, Any]) -> None:
    with pytest.raises(RowUnwritable):
        append_row(tmp_path, PLACE, row)
    assert not (tmp_path / PLACE).exists()


@pytest.mark.parametrize(
    "data",
    [
        '{"a":1}\n'.encode("utf-16"),
        '{"a":1}\n'.encode("utf-16-be"),
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        b"\0" * 100,
    ],
)
def test_no_row_is_lost_in_a_file_that_no_ledger_is_read_from(tmp_path: Path, data: bytes) -> None:
    (tmp_path / PLACE).parent.mkdir(parents=True)
    (tmp_path / PLACE).write_bytes(data)
    with pytest.raises(CannotBeWritten, match=f"^{PLACE} is no ledger"):
        append_row(tmp_path, PLACE, {"n": 1})
    assert content(tmp_path) == data


def test_nothing_is_written_or_read_through_a_link(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "handoffs").mkdir(parents=True)
    outside.mkdir()
    (outside / "findings.jsonl").write_bytes(b"theirs")
    (root / PLACE).symlink_to(outside / "findings.jsonl")
    linked = PurePosixPath("linked/findings.jsonl")
    (root / "linked").symlink_to(outside)
    for place in (PLACE, linked):
        with pytest.raises(CannotBeWritten):
            append_row(root, place, {"n": 1})
        with pytest.raises(LedgerUnreadable):
            open_ledger(root, place)
    assert (outside / "findings.jsonl").read_bytes() == b"theirs"


def test_what_is_no_plain_file_is_neither_written_nor_waited_for(tmp_path: Path) -> None:
    (tmp_path / "handoffs").mkdir()
    os.mkfifo(tmp_path / PLACE)
    with pytest.raises(CannotBeWritten):
        append_row(tmp_path, PLACE, {"n": 1})
    # By its name alone: files of settings are opened in this way too.
    with pytest.raises(LedgerUnreadable, match=f"^{PLACE} cannot be read: it is no plain file"):
        open_ledger(tmp_path, PLACE)


def test_a_ledger_that_is_not_there_is_none_and_no_folder_is_made(tmp_path: Path) -> None:
    assert open_ledger(tmp_path, PLACE) is None
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_half_a_row_is_left_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_row(tmp_path, PLACE, {"n": 1})
    write = os.write
    monkeypatch.setattr("os.write", lambda to, data: write(to, data[: len(data) // 2]))
    with pytest.raises(CannotBeWritten):
        append_row(tmp_path, PLACE, {"n": 2})
    assert content(tmp_path) == b'{"n":1}\n'


def test_rows_that_belong_together_are_all_there_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hold(tmp_path, PLACE) as ledger:
        ledger.append_all([{"n": 1}, {"n": 2}], compact=True)
        with pytest.raises(RowUnwritable):
            ledger.append_all([{"n": 3}, {"n": float("nan")}], compact=True)
    write = os.write
    monkeypatch.setattr("os.write", lambda to, data: write(to, data[:10]))
    with pytest.raises(CannotBeWritten), hold(tmp_path, PLACE) as ledger:
        ledger.append_all([{"n": 4}, {"n": 5}], compact=True)
    assert content(tmp_path) == b'{"n":1}\n{"n":2}\n'


def test_a_root_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for root in (tmp_path / "mistyped", tmp_path / "file"):
        with pytest.raises(LedgerUnreadable, match="there is no folder"):
            open_ledger(root, PLACE)


def test_replacing_and_noting_happen_under_one_lock(tmp_path: Path) -> None:
    append_row(tmp_path, PLACE, {"n": 1})
    with hold(tmp_path, PLACE) as ledger:
        ledger.replace([b'{"n":2}\n'])
        ledger.note_change({"by": "ann"})
        with pytest.raises(LedgerBusy), hold(tmp_path, PLACE, seconds=0.05):
            pass
        with ledger.read() as file:
            assert file.read() == b'{"n":2}\n'
    with hold(tmp_path, PLACE, seconds=0.05):
        pass
    assert (tmp_path / changes_of(PLACE)).read_bytes() == b'{"by":"ann"}\n'
    assert changes_of(PLACE).name == "findings.changes.jsonl"


def test_a_replacement_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    append_row(tmp_path, PLACE, {"n": 1})

    def lines() -> Any:
        yield b'{"n":2}\n'
        raise RowUnwritable("no")

    with pytest.raises(RowUnwritable), hold(tmp_path, PLACE) as ledger:
        ledger.replace(lines())
    assert content(tmp_path) == b'{"n":1}\n'
    assert [path.name for path in (tmp_path / "handoffs").iterdir()] == ["findings.jsonl"]


def test_moving_takes_no_name_that_is_taken(tmp_path: Path) -> None:
    archive = PurePosixPath("archive/findings-1.jsonl")
    append_row(tmp_path, PLACE, {"n": 1})
    with hold(tmp_path, PLACE) as ledger:
        ledger.move_to(archive)
        with ledger.read() as file:
            assert file.read() == b""
        ledger.append({"n": 2}, compact=True)
        with pytest.raises(FileExistsError):
            ledger.move_to(archive)
    assert content(tmp_path) == b'{"n":2}\n'
    assert (tmp_path / archive).read_bytes() == b'{"n":1}\n'


def test_every_acknowledged_row_is_there_whoever_is_killed(tmp_path: Path) -> None:
    """OPHIUCHUS_WRITERS=20 runs it as large as the issue asks."""
    writers = int(os.environ.get("OPHIUCHUS_WRITERS", "5"))
    killed = range(0, writers, 3)
    processes = [
        subprocess.Popen(
            [sys.executable, ledger_writer.__file__, str(tmp_path), str(PLACE), str(writer), "100"],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for writer in range(writers)
    ]
    acknowledged: dict[str, list[int]] = {}
    random_ = random.Random(7)
    for writer in killed:
        stdout = processes[writer].stdout
        assert stdout
        first = [int(stdout.readline()) for _ in range(random_.randrange(1, 40))]
        processes[writer].kill()
        acknowledged[str(writer)] = first
    for writer, process in enumerate(processes):
        out, _ = process.communicate()
        acknowledged.setdefault(str(writer), []).extend(map(int, out.splitlines()))
    for writer in set(range(writers)) - set(killed):
        assert acknowledged[str(writer)] == list(range(100))
    with (tmp_path / PLACE).open("rb") as file:
        read = list(read_rows(file))
    torn = [one for one in read if isinstance(one, RowProblem)]
    assert len(torn) <= len(killed)
    there = [(one.value["writer"], one.value["number"]) for one in read if isinstance(one, Row)]
    assert len(there) == len(set(there))
    assert {(writer, number) for writer, numbers in acknowledged.items() for number in numbers} <= set(there)
    for line in (one.raw for one in read if isinstance(one, Row)):
        assert json.loads(line)["text"] == "x" * (json.loads(line)["number"] % 50 * 100)
