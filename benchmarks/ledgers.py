"""Measure what validating a ledger costs, as a ratio to reading its lines with `json.loads`, in one run.

python benchmarks/ledgers.py                100,000 rows
python benchmarks/ledgers.py --rows 10000   fewer
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from ophiuchus.ledgers.critic.validation import Tally, validate
from ophiuchus.ledgers.jsonl import Profile

TEXT = (
    "The retry of the upload (handler §{number}) catches every error, so a full disk reads as success — see "
    "the second branch. A test writes one file only; two writers at once are not covered, nor is none. "
)
PASSES = 3


def main() -> None:
    """Write a ledger, validate it in both profiles, and print the table as Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    rows: int = parser.parse_args().rows
    with TemporaryDirectory(prefix="ophiuchus-benchmark-") as folder:
        ledger, tenth = Path(folder, "all.jsonl"), Path(folder, "tenth.jsonl")
        write_findings(ledger, rows)
        write_findings(tenth, rows // 10)
        size = ledger.stat().st_size
        print(f"{rows:,} rows, {size / 1e6:.0f} MB\n\n| what | microseconds a row | ratio | memory |")
        print("|---|---:|---:|---:|")
        plain = seconds(lambda: read_plainly(ledger))
        print(f"| `json.loads` of each line | {plain / rows * 1e6:.1f} | 1 | |")
        for profile in Profile:
            taken = seconds(lambda profile=profile: validated(ledger, profile))  # type: ignore[misc]
            memory, less = peak(ledger, profile), peak(tenth, profile)
            print(
                f"| validate, {profile} | {taken / rows * 1e6:.1f} | {taken / plain:.2f} "
                f"| {memory / 1e6:.2f} MB (a tenth of the rows: {less / 1e6:.2f} MB) |"
            )
        measure_memory(Path(folder), rows)
    print(f"\nlargest resident set: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def measure_memory(folder: Path, rows: int) -> None:
    """The same of a ledger of the memory, in rows of the same table."""
    from ophiuchus.ledgers.memory.family import Family
    from ophiuchus.ledgers.memory.validation import LedgerFile
    from ophiuchus.ledgers.memory.validation import validate as validate_memory

    def judged(name: str, profile: Profile) -> None:
        file = LedgerFile(name, Family.PATTERNS, lambda: (folder / name).open("rb"))
        if any(True for _ in validate_memory([file], profile)):
            raise SystemExit("faults in a ledger without a fault")

    write_patterns(folder / "patterns.jsonl", rows)
    write_patterns(folder / "tenth-of-patterns.jsonl", rows // 10)
    plain = seconds(lambda: read_plainly(folder / "patterns.jsonl"))
    print(f"| `json.loads` of each line of the memory | {plain / rows * 1e6:.1f} | 1 | |")
    for profile in Profile:
        taken = seconds(lambda profile=profile: judged("patterns.jsonl", profile))  # type: ignore[misc]
        memory, less = (
            most_held(lambda name=name: judged(name, profile))  # type: ignore[misc]  # noqa: B023
            for name in ("patterns.jsonl", "tenth-of-patterns.jsonl")
        )
        print(
            f"| validate the memory, {profile} | {taken / rows * 1e6:.1f} | {taken / plain:.2f} "
            f"| {memory / 1e6:.2f} MB (a tenth of the rows: {less / 1e6:.2f} MB) |"
        )


def write_patterns(path: Path, rows: int) -> None:
    """A ledger of `rows` patterns without a fault."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            row = {
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
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


def write_findings(path: Path, rows: int) -> None:
    """A ledger of `rows` findings without a fault."""
    from ophiuchus.ledgers.critic.issue_key import compute_issue_key

    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            text = TEXT.format(number=number) * (1 + number % 2)
            row = {
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
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def read_plainly(path: Path) -> None:
    """What any reader of the ledger does at least."""
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def validated(path: Path, profile: Profile) -> None:
    """The whole judgement, secret scan included."""
    tally = Tally()
    found = sum(1 for _ in validate(lambda: path.open("rb"), profile, tally))
    if found:
        raise SystemExit(f"{found} faults in a ledger without a fault")


def seconds(act: Callable[[], None]) -> float:
    """The least processor time of a few passes: other processes make it longer, none makes it shorter."""
    times = []
    for _ in range(PASSES):
        before = time.process_time()
        act()
        times.append(time.process_time() - before)
    return min(times)


def peak(path: Path, profile: Profile) -> int:
    """Most bytes that Python held at once."""
    return most_held(lambda: list(validate(lambda: io.BufferedReader(io.FileIO(path)), profile, Tally())))


def most_held(act: Callable[[], object]) -> int:
    """Most bytes that Python held at once during `act`."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    main()
