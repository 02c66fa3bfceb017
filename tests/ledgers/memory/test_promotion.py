"""Decisions of a run go into the memory: valid ones, of the asked-for types, once."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from memory_rows import identity, lines

from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.names import UnsafeName
from ophiuchus.ledgers.memory.promotion import (
    Promotion,
    decision_ledger_of,
    is_valid_decision,
    promote,
)
from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.ledgers.memory.store import Memory
from ophiuchus.ledgers.vocabulary import DecisionType

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
ALL = tuple(DecisionType)


def decided(number: int = 1, /, **fields: Any) -> dict[str, Any]:
    row = {
        "ts": "2026-07-01T11:05:00.000Z",
        "orchestrator_run_id": "auto-20260701-01",
        "phase_id": "sprint-plan",
        "role": "tech-lead",
        "decision_id": identity(number),
        "decision_type": "LEDGER_DECISION",
        "from_artifact": "handoffs/po_to_tl.md",
        "to_artifact": "docs/engineering/research.md##R-1",
        "rationale": f"Decision {number} was taken",
        "plan_fidelity": "strict",
        "cross_model_reviewed": False,
        "risk_tier": "medium",
        **fields,
    }
    return {name: value for name, value in row.items() if value is not ...}


def promoted(root: Path, *rows: dict[str, Any], types: tuple[DecisionType, ...] = ALL) -> Promotion:
    ids: Iterator[str] = map(identity, range(1000, 2000))
    memory = Memory(root, Profile.COMPAT, 500, "the test")
    return promote(io.BytesIO(lines(*rows)), types, memory, NOW, lambda: next(ids))


def written(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / Family.DECISIONS.place).read_text().splitlines()]


def test_a_decision_is_written_with_where_it_comes_from(tmp_path: Path) -> None:
    assert promoted(tmp_path, decided()) == Promotion((identity(1000),), 0, 0, ())
    (row,) = written(tmp_path)
    assert row["provenance_ref"] == f"ledger:{identity(1)}"
    assert row["text"] == row["decision_text"] == row["rationale"] == "Decision 1 was taken"
    assert (row["impact_score"], row["tags"]) == (60, ["promoted", "ledger"])
    assert row["source_orchestrator_run_id"] == "auto-20260701-01"


def test_promoting_twice_writes_once(tmp_path: Path) -> None:
    rows = [decided(1), decided(2), decided(3, rationale="decision 1  was TAKEN")]
    first = promoted(tmp_path, *rows)
    assert (len(first.entry_ids), first.known) == (2, 1)
    assert promoted(tmp_path, *rows) == Promotion((), 3, 0, ())
    assert len(written(tmp_path)) == 2


def test_only_the_asked_for_types_are_promoted(tmp_path: Path) -> None:
    rows = [decided(number, decision_type=one.value) for number, one in enumerate(DecisionType)]
    done = promoted(tmp_path, *rows, types=(DecisionType.LEDGER_DERIVATION,))
    assert len(done.entry_ids) == 1
    assert promoted(tmp_path, *rows, types=()) == Promotion((), 0, 0, ())


@pytest.mark.parametrize(
    "fields",
    [
        {"rationale": ...},
        {"rationale": " "},
        {"mood": "good"},
        {"ts": "2026-07-01"},
        {"decision_id": "9e8d7c6b-5a4f-7e2d-8c0b-1a2b3c4d5e6f"},
        {"decision_type": "CROSS_MODEL_REVIEW"},
        {"decision_type": ["LEDGER_DECISION"]},
        {"plan_fidelity": "loose"},
        {"cross_model_reviewed": 0},
        {"risk_tier": None},
        {"role": 7},
    ],
)
def test_what_the_decision_ledger_itself_would_refuse_is_not_promoted(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    assert not is_valid_decision(decided(**fields))
    done = promoted(tmp_path, decided(1, **fields), decided(2))
    assert (len(done.entry_ids), done.invalid) == (1, 1)


def test_lines_that_are_no_rows_count_as_invalid_and_stop_nothing(tmp_path: Path) -> None:
    data = b'{"torn\n\n[1]\n' + lines(decided())
    done = promote(io.BytesIO(data), ALL, Memory(tmp_path, Profile.COMPAT, 9, ""), NOW, lambda: identity(7))
    assert (done.entry_ids, done.invalid) == ((identity(7),), 2)


def test_a_decision_with_a_secret_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    token = "gh" + "p_" + "aB3dE6gH9j" * 4
    done = promoted(tmp_path, decided(1, rationale=f"use {token}"), decided(2))
    assert len(done.entry_ids) == 1
    (refused,) = done.refused
    assert MemoryReason.SECRET_DETECTED in refused
    assert identity(1) in refused
    assert token not in refused


def test_a_long_rationale_is_shortened(tmp_path: Path) -> None:
    promoted(tmp_path, decided(rationale="x" * 3000))
    (row,) = written(tmp_path)
    assert row["text"] == "x" * 1997 + "..."


def test_a_long_rationale_is_not_cut_within_a_character(tmp_path: Path) -> None:
    promoted(tmp_path, decided(rationale="x" * 1996 + "e\u0301" * 100))
    (row,) = written(tmp_path)
    assert row["text"] == "x" * 1996 + "..."


def test_the_ledger_of_a_run_stands_in_its_folder() -> None:
    assert str(decision_ledger_of("auto-1")) == "handoffs/sovereign_decisions/auto-1.jsonl"


@pytest.mark.parametrize("run", ["", "..", "../x", "a/b", "-x", "x\n", "x\0", ".x", "x" * 129, "é"])
def test_no_other_file_is_named_by_a_run(run: str) -> None:
    with pytest.raises(UnsafeName):
        decision_ledger_of(run)
