"""`python -m continuation_benchmark`: run the committed cases and print the report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from continuation_benchmark.case import Track, load_cases
from continuation_benchmark.executors import Command, Executor, Oracle
from continuation_benchmark.rendering import Arm
from continuation_benchmark.report import report_bytes
from continuation_benchmark.run import run


def main(words: Sequence[str] | None = None) -> None:
    """Run what the command line names; the disclaimers and warnings go to standard error too."""
    parser = argparse.ArgumentParser(prog="python -m continuation_benchmark", description=__doc__)
    parser.add_argument("--command", metavar="PROGRAM", help="ask this program instead of the oracle")
    parser.add_argument("--arm", action="append", choices=[arm.value for arm in Arm], help="default: all")
    parser.add_argument("--track", choices=[track.value for track in Track], help="default: all")
    parser.add_argument("--output", metavar="FILE", help="write the report there")
    arguments = parser.parse_args(words)
    executor: Executor = Command(arguments.command) if arguments.command else Oracle()
    cases = [case for case in load_cases() if arguments.track in (None, case.track.value)]
    report = run(cases, executor, [arm for arm in Arm if not arguments.arm or arm.value in arguments.arm])
    for sentence in (*report.disclaimers, *report.warnings):
        sys.stderr.write(f"{sentence}\n")
    if arguments.output:
        Path(arguments.output).write_bytes(report_bytes(report))
    else:
        sys.stdout.write(report_bytes(report).decode())


if __name__ == "__main__":
    main()
