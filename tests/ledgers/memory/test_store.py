"""Appending, dedupe and rollover: no row is lost or doubled, whoever is killed when."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import memory_writer
import pytest
from memory_rows import OWN, entry, identity, line, lines

from ophiuchus.ledgers.jsonl import Profile, Row, RowProblem, read_rows
from ophiuchus.ledgers.memory.family import ARCHIVE, FOLDER, Family
from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.ledgers.memory.store import Memory, NotAppended, Rollover, archives, new_entry

NOW = datetime(2026, 7, 1, 12, 0, 0, 123456, tzinfo=UTC)
PATTERNS, DECISIONS = Family.PATTERNS, Family.DECISIONS


def memory(root: Path, most_lines: int = 500, profile: Profile = Profile.COMPAT) -> Memory:
    return Memory(root, profile, most_lines, "the test")


def fill(root: Path, rows: int, family: Family = PATTERNS) -> bytes:
    data = lines(*(entry(family, number) for number in range(1, rows + 1)))
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    (root / family.place).write_bytes(data)
    return data


def refusal(root: Path, row: dict[str, Any], family: Family = PATTERNS) -> NotAppended:
    with pytest.raises(NotAppended) as caught:
        memory(root).append(family, row, NOW)
    assert caught.value.message.startswith(f"{caught.value.reason}: ")
    return caught.value


def test_the_first_entry_makes_the_ledger_with_compact_rows(tmp_path: Path) -> None:
    row = new_entry(PATTERNS, {"text": "Lock it", "impact_score": 5, **OWN[PATTERNS]}, NOW, identity(1))
    appended = memory(tmp_path).append(PATTERNS, row, NOW)
    assert (appended.entry_id, appended.duplicate, appended.rollover) == (identity(1), False, None)
    assert (tmp_path / PATTERNS.place).read_text() == (
        '{"schema_version":1,"ts":"2026-07-01T12:00:00.123Z","entry_id":"' + identity(1) + '",'
        '"impact_score":5,"text":"Lock it","tags":[],"status":"active",'
        '"pattern_id":"one-reader","applies_to":["dev","qa"]}\n'
    )
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == ["patterns.jsonl"]


@pytest.mark.parametrize("family", Family)
def test_an_entry_of_each_family_is_right_by_the_letter(tmp_path: Path, family: Family) -> None:
    given = {name: value for name, value in OWN[family].items() if name != "decision_key"}
    row = new_entry(family, {"text": "t", "impact_score": 5, "phase_id": None, **given}, NOW, identity(1))
    memory(tmp_path).append(family, row, NOW)
    assert json.loads((tmp_path / family.place).read_text()) == row


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"impact_score": "high"}, MemoryReason.SCHEMA_INVALID),
        ({"mood": "good"}, MemoryReason.SCHEMA_INVALID),
        ({"text": "\ud800"}, MemoryReason.SCHEMA_INVALID),
        ({"text": "gh" + "p_" + "aB3dE6gH9j" * 4}, MemoryReason.SECRET_DETECTED),
        ({"tags": ["gh" + "p_" + "aB3dE6gH9j" * 4]}, MemoryReason.SECRET_DETECTED),
    ],
)
def test_a_bad_entry_is_refused_with_its_reason_and_nothing_is_written(
    tmp_path: Path, fields: dict[str, Any], reason: MemoryReason
) -> None:
    failure = refusal(tmp_path, entry(**fields))
    assert failure.reason is reason
    assert "aB3dE6gH9j" not in failure.message
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_way_fails_the_append(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "docs").symlink_to(elsewhere)
    assert refusal(tmp_path, entry()).reason is MemoryReason.APPEND_FAILED
    assert list(elsewhere.iterdir()) == []


def test_an_archive_that_cannot_be_made_blocks_the_append(tmp_path: Path) -> None:
    data = fill(tmp_path, 3)
    (tmp_path / ARCHIVE).write_text("in the way")
    with pytest.raises(NotAppended) as caught:
        memory(tmp_path, 3).append(PATTERNS, entry(PATTERNS, 9), NOW)
    assert caught.value.reason is MemoryReason.ARCHIVE_REQUIRED
    assert (tmp_path / PATTERNS.place).read_bytes() == data


# Dedupe.


def decision(text: str, number: int) -> dict[str, Any]:
    fields = {"text": text, "decision_text": text, "rationale": "r", "impact_score": 1}
    return new_entry(DECISIONS, fields, NOW, identity(number))


@pytest.mark.parametrize("status", ["active", "superseded"])
def test_a_decision_that_stands_is_not_written_again(tmp_path: Path, status: str) -> None:
    memory(tmp_path).append(DECISIONS, {**decision("Keep one reader", 1), "status": status}, NOW)
    before = (tmp_path / DECISIONS.place).read_bytes()
    assert memory(tmp_path).append(DECISIONS, decision(" keep ONE\nreader", 2), NOW).duplicate
    assert (tmp_path / DECISIONS.place).read_bytes() == before
    assert not memory(tmp_path).append(DECISIONS, decision("Keep one reader!", 3), NOW).duplicate


def test_a_decision_in_the_archive_stands_too(tmp_path: Path) -> None:
    kept = memory(tmp_path, 1)
    kept.append(DECISIONS, decision("first", 1), NOW)
    kept.append(DECISIONS, decision("second", 2), NOW)
    assert len(archives(tmp_path, DECISIONS)) == 1
    assert kept.append(DECISIONS, decision("First", 3), NOW).duplicate
    assert len(archives(tmp_path, DECISIONS)) == 1


def test_a_key_that_only_stands_in_a_text_or_a_torn_line_is_no_decision(tmp_path: Path) -> None:
    fill(tmp_path, 0)
    wanted = decision("first", 1)
    telling = line({**decision("other", 2), "text": f"not {wanted['decision_key']}"})
    (tmp_path / DECISIONS.place).write_bytes(line(wanted)[:-9] + b"\n" + telling)
    assert not memory(tmp_path).append(DECISIONS, wanted, NOW).duplicate


# Rollover.


@pytest.mark.parametrize(
    ("profile", "rows", "rolls"),
    [
        (Profile.COMPAT, 2, False),
        (Profile.COMPAT, 3, True),
        (Profile.STRICT, 3, False),
        (Profile.STRICT, 4, True),
    ],
)
def test_when_a_ledger_rolls_over(tmp_path: Path, profile: Profile, rows: int, rolls: bool) -> None:
    data = fill(tmp_path, rows)
    appended = memory(tmp_path, 3, profile).append(PATTERNS, entry(PATTERNS, 9), NOW)
    place = ARCHIVE / "patterns-20260701T120000Z.jsonl"
    assert appended.rollover == (Rollover(place, rows) if rolls else None)
    assert (tmp_path / PATTERNS.place).read_bytes() == (b"" if rolls else data) + line(entry(PATTERNS, 9))
    if rolls:
        assert (tmp_path / place).read_bytes() == data
        (change,) = (tmp_path / FOLDER / "patterns.changes.jsonl").read_text().splitlines()
        assert json.loads(change) == {
            "ts": "2026-07-01T12:00:00.123Z",
            "by": "the test",
            "change": "rollover",
            "lines": rows,
            "most_lines": 3,
            "archive": str(place),
        }


def test_an_archive_name_that_is_taken_in_the_same_second_gets_a_number(tmp_path: Path) -> None:
    kept = memory(tmp_path, 1)
    for number in range(4):
        kept.append(PATTERNS, entry(PATTERNS, number), NOW)
    assert [place.name for place in archives(tmp_path, PATTERNS)] == [
        "patterns-20260701T120000Z-2.jsonl",
        "patterns-20260701T120000Z-3.jsonl",
        "patterns-20260701T120000Z.jsonl",
    ]


def test_a_second_rollover_in_the_same_boundary_does_nothing(tmp_path: Path) -> None:
    data = fill(tmp_path, 3)
    assert memory(tmp_path, 3).roll_over(PATTERNS, NOW) == Rollover(
        ARCHIVE / "patterns-20260701T120000Z.jsonl", 3
    )
    assert memory(tmp_path, 3).roll_over(PATTERNS, NOW) is None
    (place,) = archives(tmp_path, PATTERNS)
    assert (tmp_path / place).read_bytes() == data
    assert (tmp_path / PATTERNS.place).read_bytes() == b""


def test_a_ledger_that_is_not_there_is_not_rolled_over(tmp_path: Path) -> None:
    assert memory(tmp_path, 1).roll_over(PATTERNS, NOW) is None
    assert list(tmp_path.iterdir()) == []


def test_a_torn_line_moves_with_the_others(tmp_path: Path) -> None:
    data = fill(tmp_path, 2) + b'{"torn'
    (tmp_path / PATTERNS.place).write_bytes(data)
    memory(tmp_path, 3).append(PATTERNS, entry(PATTERNS, 9), NOW)
    (place,) = archives(tmp_path, PATTERNS)
    assert (tmp_path / place).read_bytes() == data
    assert (tmp_path / PATTERNS.place).read_bytes() == line(entry(PATTERNS, 9))


@pytest.mark.parametrize("failing", ["note_change", "replace"])
def test_a_process_that_ends_after_the_rename_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    data = fill(tmp_path, 3)
    with monkeypatch.context() as patch:
        patch.setattr(f"ophiuchus.ledgers.append.HeldLedger.{failing}", die)
        with pytest.raises(Killed):
            memory(tmp_path, 3).append(PATTERNS, entry(PATTERNS, 9), NOW)
    memory(tmp_path, 3).append(PATTERNS, entry(PATTERNS, 10), NOW)
    (place,) = archives(tmp_path, PATTERNS)
    assert (tmp_path / place).read_bytes() == data
    assert (tmp_path / PATTERNS.place).read_bytes() == line(entry(PATTERNS, 10))


def test_twenty_processes_some_of_them_killed_lose_and_double_nothing_across_rollovers(
    tmp_path: Path,
) -> None:
    writers, each, most_lines = 20, 25, 40
    killed = range(0, writers, 4)
    processes = [
        subprocess.Popen(
            [sys.executable, memory_writer.__file__, str(tmp_path), str(writer), str(each), str(most_lines)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for writer in range(writers)
    ]
    acknowledged: list[bytes] = []
    chance = random.Random(11)
    for writer in killed:
        stdout = processes[writer].stdout
        assert stdout
        acknowledged += [stdout.readline().strip() for _ in range(chance.randrange(1, 15))]
        processes[writer].kill()
    for writer, process in enumerate(processes):
        out, _ = process.communicate()
        told = out.splitlines()
        acknowledged += told
        assert writer in killed or len(told) == each
    places = archives(tmp_path, PATTERNS)
    written: list[str] = []
    torn = 0
    for place in [*places, PATTERNS.place]:
        with (tmp_path / place).open("rb") as file:
            read = list(read_rows(file))
        written += [one.value["entry_id"] for one in read if isinstance(one, Row)]
        torn += sum(isinstance(one, RowProblem) for one in read)
        if place != PATTERNS.place:
            assert sum(isinstance(one, Row | RowProblem) for one in read) == most_lines
    assert len(written) == len(set(written))
    assert {one.decode() for one in acknowledged} <= set(written)
    assert torn <= len(killed)
    assert len(places) >= (writers - len(killed)) * each // most_lines - 1
