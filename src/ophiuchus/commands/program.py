"""A program that the caller names: started without a shell, given text, heard out within limits, ended.

What it says on stderr is not shown. When this returns, it and whatever is left of its process group are
stopped. What it started in a session of its own (setsid) may live on, but is neither waited for nor heard.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

MOST_PRINTED = 1 << 20
"""Most bytes that a program may print."""
GRACE = 0.25
"""Seconds that stdout is read on when the program has ended and something that it started holds it open."""
_LOOK = 0.05


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
            bufsize=0,
        )
    except (OSError, ValueError):
        raise ProgramFailed("could not be started") from None
    with process:
        try:
            printed = _hear(process, said, time.monotonic() + seconds)
        except subprocess.TimeoutExpired:
            raise ProgramFailed(f"took longer than {seconds:g} seconds") from None
        finally:
            _end(process)
    if process.returncode != 0:
        raise ProgramFailed(f"ended with status {process.returncode}")
    return printed


def _hear(process: subprocess.Popen[bytes], said: bytes, until: float) -> bytes:
    """What it prints while it is told `said`. Not by `communicate`, which keeps whatever is printed.

    Raises ProgramFailed as soon as that is too much, and subprocess.TimeoutExpired.
    """
    printed, unsaid = bytearray(), memoryview(said)
    heard_until: float | None = None
    with selectors.DefaultSelector() as selector:
        for pipe, event in ((process.stdin, selectors.EVENT_WRITE), (process.stdout, selectors.EVENT_READ)):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, event, pipe)
        while selector.get_map():
            if (left := until - time.monotonic()) <= 0:
                raise subprocess.TimeoutExpired(process.args, 0)
            if heard_until is None and process.poll() is not None:
                heard_until = time.monotonic() + GRACE
            for key, _ in selector.select(min(left, _LOOK)):
                if key.events == selectors.EVENT_READ:
                    piece = os.read(key.fd, 1 << 16)
                    printed += piece
                    is_over = not piece
                else:
                    unsaid = unsaid[_write(key.fd, unsaid) :]
                    is_over = not unsaid
                if is_over:
                    selector.unregister(key.fd)
                    key.data.close()
            if len(printed) > MOST_PRINTED:
                raise ProgramFailed(f"printed more than {MOST_PRINTED:,} bytes")
            # Since it ended the pipe was read once at least, so that nothing of its own is left in there.
            if heard_until is not None and time.monotonic() >= heard_until:
                break
    process.wait(max(0.0, until - time.monotonic()))
    return bytes(printed)


def _write(descriptor: int, unsaid: memoryview) -> int:
    """How much of it was taken, or need not be said any more: a program need not listen."""
    try:
        return os.write(descriptor, unsaid[: 1 << 16])
    except BrokenPipeError:
        return len(unsaid)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop whatever is left of the program and of its process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with suppress(OSError):  # what was not taken any more
                pipe.close()
