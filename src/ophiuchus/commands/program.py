"""A program that the caller names: started without a shell, given text, heard out within limits, ended.

What it says on stderr is not shown. It and what it started are gone when this returns.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

MOST_PRINTED = 1 << 20
"""Most bytes that a program may print."""


class ProgramFailed(Exception):
    """The program gave nothing to read; `how` completes a sentence that names it."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


def run_program(words: Sequence[str], env: Mapping[str, str], said: bytes, seconds: float) -> bytes:
    """What `words` prints to stdout, `said` being its stdin, if it ends well and in time.

    Raises ProgramFailed.
    """
    try:
        process = subprocess.Popen(
            words,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError):
        raise ProgramFailed("could not be started") from None
    with process:
        try:
            printed, _ = process.communicate(said, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise ProgramFailed(f"took longer than {seconds:g} seconds") from None
        finally:
            _end(process)
    if process.returncode != 0:
        raise ProgramFailed(f"ended with status {process.returncode}")
    if len(printed) > MOST_PRINTED:
        raise ProgramFailed(f"printed more than {MOST_PRINTED:,} bytes")
    return printed


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop whatever is left of the program, and what it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with suppress(OSError):  # what was not taken any more
                pipe.close()
