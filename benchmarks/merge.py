"""Measure `ophiuchus merge` over the reports of 1,000 repositories, against `json.loads` of their bytes.

python benchmarks/merge.py                  about 10 MB in all, the figures of docs/performance.md

Both are timed turn by turn in one run, in processor time. Memory is that of a process of its own.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

from ophiuchus.assess.verdicts import Aggregate, GlobResult, GlobVerdict, Method, PathChange, Verdict
from ophiuchus.commands.merge import joined
from ophiuchus.git.findings import Change
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.judge import LIMITS, TOOL
from ophiuchus.report.model import (
    CapsuleReport,
    ConditionReport,
    Evaluated,
    Gate,
    Report,
    ValidityReport,
)
from ophiuchus.report.serial import report_bytes
from ophiuchus.report.totals import count

REPOSITORIES = 1_000
CAPSULES = 9
"""Capsules of each, so that all reports have about 10 MB."""
ROUNDS = 5


def main() -> None:
    """Write the reports, measure, print the table as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        files = [_written(Path(folder), number) for number in range(REPOSITORIES)]
        size = sum(path.stat().st_size for _, path in files)
        loads, merges = [], []
        gc.disable()  # as the command does
        for _ in range(ROUNDS):
            loads.append(_seconds(lambda: [json.loads(path.read_bytes()) for _, path in files]))
            merges.append(_seconds(lambda: report_bytes(joined(files))))
        print("| what | measured | target |\n|---|---|---|")
        print(f"| reports | {len(files):,}, {size / 1e6:.1f} MB | |")
        print(f"| `json.loads` of the same bytes | {statistics.median(loads):.2f} s | |")
        ratio = statistics.median(merge / load for merge, load in zip(merges, loads, strict=True))
        print(f"| `merge`, read, reckoned anew and written | {ratio:.1f} times that | 5 |")
        print(f"| most memory of the whole command | {_most_memory(files):,.0f} MB | 300 |")


def _seconds(work: Callable[[], object]) -> float:
    begin = process_time()
    work()
    taken = process_time() - begin
    gc.collect()
    return taken


def _most_memory(files: list[tuple[str, Path]]) -> float:
    """Megabytes (10^6) that the command has in memory at most."""
    program = (
        "import resource, sys\n"
        "from ophiuchus import cli\n"
        "names = sys.stdin.read().split()\n"
        "sys.argv[1:] = ['merge', *names, '--format', 'json', '--output', sys.argv[1]]\n"
        "try:\n    cli.console()\n"
        "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(files[0][1].parent / "merged.json")],
        input="\n".join(str(path) for _, path in files),
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stderr.split()[-1]) * 1024 / 1e6


def _written(folder: Path, number: int) -> tuple[str, Path]:
    path = folder / f"{number}.json"
    path.write_bytes(report_bytes(_report(number)))
    return path.name, path


def _report(number: int) -> Report:
    capsules = tuple(_capsule(number, one) for one in range(CAPSULES))
    return Report(
        tool=TOOL,
        evaluated=Evaluated(f"octo/repository-{number}", f"{number:040x}", "a" * 40, "2026-07-01T12:00:00Z"),
        capsules=capsules,
        problems=(),
        notices=(),
        totals=count(capsules, problems=0, notices=0),
        gate=Gate((), passed=True, reasons=()),
        limits=LIMITS,
    )


def _capsule(repository: int, number: int) -> CapsuleReport:
    changed = (PathChange(f"src/module_{number}/keys.py", Change.CONTENT),)
    is_stale = (repository + number) % 3 == 0
    globs = (
        GlobVerdict(f"src/module_{number}/**", GlobResult.CHANGED, None, 1, changed)
        if is_stale
        else GlobVerdict(f"src/module_{number}/**", GlobResult.UNCHANGED),
        GlobVerdict("tests/**", GlobResult.UNCHANGED),
    )
    verdict = Verdict.PARTIALLY_STALE if is_stale else Verdict.VALID
    condition = ConditionReport(
        condition_id="paths",
        kind="git_paths",
        required=True,
        line=12,
        verdict=verdict,
        method=Method.BASE_TREE,
        reason="1 of 2 globs differs from base_commit 8d0c1e22a9f3",
        remedy="read it against what changed" if is_stale else None,
        introduced=None,
        paths=globs,
        changed_by=(LoggedCommit("b" * 40, "Rotate the session keys"),) if is_stale else (),
    )
    return CapsuleReport(
        path=f".ophiuchus/cap-{repository}-{number}.json",
        capsule_id=f"cap-{repository}-{number}",
        title="Move the session keys out of the configuration, and rotate them",
        continued=False,
        expired=False,
        needs_action=is_stale,
        validity=ValidityReport(Aggregate(verdict.value), (condition,)),
    )


if __name__ == "__main__":
    main()
