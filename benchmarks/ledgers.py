"""Measure what validating a ledger costs, as a ratio to reading its lines with `json.loads`, in one run.

python benchmarks/ledgers.py                100,000 rows
python benchmarks/ledgers.py --rows 10000   fewer
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from ophiuchus.ledgers.critic import validation as critic
from ophiuchus.ledgers.critic.issue_key import compute_issue_key
from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory import validation as memory
from ophiuchus.ledgers.memory.family import Family

TEXT = (
    "The retry of the upload (handler §{number}) catches every error, so a full disk reads as success — see "
    "the second branch. A test writes one file only; two writers at once are not covered, nor is none. "
)
PASSES = 3

Row = dict[str, object]


def main() -> None:
    """Write both ledgers, validate each in both profiles, and print the table as Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    rows: int = parser.parse_args().rows
    print("| what | microseconds a row | ratio | memory |\n|---|---:|---:|---:|")
    with TemporaryDirectory(prefix="ophiuchus-benchmark-") as folder:
        _measure("findings", _finding, _faults_of_findings, Path(folder), rows)
        _measure("patterns", _pattern, _faults_of_patterns, Path(folder), rows)
    print(f"\nlargest resident set: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _measure(
    what: str,
    row: Callable[[int], Row],
    faults: Callable[[Path, Profile], int],
    folder: Path,
    rows: int,
) -> None:
    """The lines of the table about one ledger; its memory also for a tenth of the rows."""
    whole, tenth = folder / f"{what}.jsonl", folder / f"tenth-of-{what}.jsonl"
    _write(whole, row, rows)
    _write(tenth, row, rows // 10)

    def validate(ledger: Path, profile: Profile) -> None:
        if found := faults(ledger, profile):
            raise SystemExit(f"{found} faults in a ledger without a fault")

    plain = _seconds(lambda: _read_plainly(whole))
    size = f"{rows:,} {what}, {whole.stat().st_size / 1e6:.0f} MB"
    print(f"| {size}: `json.loads` of each line | {plain / rows * 1e6:.1f} | 1 | |")
    for profile in Profile:
        taken = _seconds(partial(validate, whole, profile))
        most, less = (_most_held(partial(validate, ledger, profile)) for ledger in (whole, tenth))
        print(
            f"| validate, {profile} | {taken / rows * 1e6:.1f} | {taken / plain:.2f} "
            f"| {most / 1e6:.2f} MB (a tenth of the rows: {less / 1e6:.2f} MB) |"
        )


def _faults_of_findings(ledger: Path, profile: Profile) -> int:
    return sum(1 for _ in critic.validate(lambda: ledger.open("rb"), profile, critic.Tally()))


def _faults_of_patterns(ledger: Path, profile: Profile) -> int:
    file = memory.LedgerFile(ledger.name, Family.PATTERNS, lambda: ledger.open("rb"))
    return sum(1 for _ in memory.validate([file], profile))


def _write(ledger: Path, row: Callable[[int], Row], rows: int) -> None:
    with ledger.open("w", encoding="utf-8") as file:
        for number in range(rows):
            file.write(json.dumps(row(number), ensure_ascii=False) + "\n")


def _pattern(number: int) -> Row:
    """One pattern without a fault."""
    return {
        "schema_version": 1,
        "ts": f"2026-06-{number % 28 + 1:02}T10:00:00.000Z",
        "entry_id": str(UUID(int=number << 80, version=4)),
        "source_orchestrator_run_id": f"auto-{number // 30}",
        "phase_id": "execute",
        "impact_score": number % 101,
        "text": TEXT.format(number=number) * (1 + number % 2),
        "tags": ["upload", "retry"],
        "status": "active",
        "pattern_id": f"retry-{number}",
        "applies_to": ["dev", "qa"],
    }


def _finding(number: int) -> Row:
    """One finding without a fault."""
    text = TEXT.format(number=number) * (1 + number % 2)
    return {
        "ts": "2026-06-28T10:00:00.000Z",
        "orchestrator_run_id": f"auto-{number // 30}",
        "phase_id": "execute",
        "role": "dev",
        "producer_model_id": "inherit",
        "critic_model_id": "fast",
        "lens": ("challenger", "architect", "subtractor")[number % 3],
        "finding_id": str(UUID(int=number << 80, version=4)),
        "severity": "medium",
        "confidence": "medium",
        "anti_slop_score": number % 11,
        "finding_text": text,
        "status": "resolved",
        "blocking": False,
        "degraded_mode": False,
        "issue_key": compute_issue_key(text),
        "single_finder": True,
        "rework_generation": 0,
        "schema_version": 1,
    }


def _read_plainly(path: Path) -> None:
    """What any reader of a ledger does at least."""
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def _seconds(act: Callable[[], None]) -> float:
    """The least processor time of a few passes: other processes make it longer, none makes it shorter."""
    times = []
    for _ in range(PASSES):
        before = time.process_time()
        act()
        times.append(time.process_time() - before)
    return min(times)


def _most_held(act: Callable[[], None]) -> int:
    """Most bytes that Python held at once during `act`."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    main()
