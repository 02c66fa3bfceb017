"""Closing a finding changes its status and nothing else, and says beside the ledger who, why and when."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from critic_rows import finding, lines

from ophiuchus.ledgers.critic.closing import NoSuchFinding, close_finding
from ophiuchus.ledgers.critic.finding import Status
from ophiuchus.ledgers.critic.validation import FINDINGS

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
ID = str(finding(2)["finding_id"])


def close(root: Path, status: Status = Status.WAIVED, finding_id: str = ID) -> int:
    return close_finding(root, FINDINGS, finding_id, status, by="ann", why="accepted", now=NOW)


def ledger(root: Path, data: bytes) -> Path:
    path = root / FINDINGS
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return path


def changes(root: Path) -> list[dict[str, str]]:
    path = root / "handoffs" / "sovereign_critic_findings.changes.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), ("  ,", " :  ")])
def test_only_the_status_changes_and_every_other_byte_stays(
    tmp_path: Path, separators: tuple[str, str]
) -> None:
    before = json.dumps(
        finding(2, finding_text='the "status" is "open" é'), separators=separators, ensure_ascii=False
    ).encode()
    around = (b"\xef\xbb\xbf" + lines(finding(1)) + b"\r\n{torn\n", b"\r\n" + lines(finding(3))[:-1])
    path = ledger(tmp_path, around[0] + before + around[1])
    assert close(tmp_path) == 1
    head, colon, tail = before.rpartition(f'"status"{separators[1]}"open"'.encode())
    changed = head + f'"status"{separators[1]}"waived"'.encode() + tail
    assert colon
    assert path.read_bytes() == around[0] + changed + around[1]
    assert changes(tmp_path) == [
        {
            "ts": "2026-07-01T12:00:00.000Z",
            "finding_id": ID,
            "from": "open",
            "to": "waived",
            "by": "ann",
            "why": "accepted",
        }
    ]


def test_every_row_of_the_id_is_closed_and_a_second_time_nothing_is_written(tmp_path: Path) -> None:
    path = ledger(tmp_path, lines(finding(2), finding(2, status="resolved"), finding(2, status="waived")))
    assert close(tmp_path) == 2
    after = path.read_bytes()
    assert {json.loads(line)["status"] for line in after.splitlines()} == {"waived"}
    assert [one["from"] for one in changes(tmp_path)] == ["open", "resolved"]
    assert close(tmp_path) == 0
    assert path.read_bytes() == after
    assert len(changes(tmp_path)) == 2


def test_an_id_that_nobody_has_changes_nothing(tmp_path: Path) -> None:
    path = ledger(tmp_path, lines(finding(1)))
    with pytest.raises(NoSuchFinding):
        close(tmp_path)
    assert path.read_bytes() == lines(finding(1))
    assert changes(tmp_path) == []


def test_a_row_without_a_status_gets_one(tmp_path: Path) -> None:
    path = ledger(tmp_path, lines(finding(2, status=...)))
    assert close(tmp_path, Status.RESOLVED) == 1
    assert json.loads(path.read_bytes()) == finding(2, status="resolved")
