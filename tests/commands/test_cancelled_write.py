"""A file that is being written when the run is cancelled: the old one stays, and nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
# The command's own handlers, and a report that never comes to its end.
PROGRAM = """
import sys
import time
from pathlib import Path, PurePosixPath
import ophiuchus.cli
from ophiuchus.text.new_file import replace_file

def endless():
    while True:
        yield b"half " * 10_000
        time.sleep(0.01)

def main(words, edge):
    try:
        replace_file(Path(words[0]), PurePosixPath("report.json"), endless())
    except KeyboardInterrupt:
        return ophiuchus.cli.INTERRUPTED

ophiuchus.cli.main = main
ophiuchus.cli.console()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_file_stays_as_it_was_and_nothing_lies_beside_it(tmp_path: Path, number: signal.Signals) -> None:
    report = tmp_path / "report.json"
    report.write_text("the one before")
    environment = {
        **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SOURCE),
    }
    command = [sys.executable, "-B", "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, env=environment) as process:
        until = time.monotonic() + 20
        while not list(tmp_path.glob(".*.unfinished")) and time.monotonic() < until:
            time.sleep(0.005)
        unfinished = list(tmp_path.glob(".*.unfinished"))
        start = time.monotonic()
        process.send_signal(number)
        try:
            process.wait(timeout=20)
        finally:
            process.kill()
    assert unfinished
    assert time.monotonic() - start < 5
    assert process.returncode == 128 + number
    assert list(tmp_path.iterdir()) == [report]
    assert report.read_text() == "the one before"
