"""What a run is doing, told while it takes long, to whoever watches the standard error on a terminal."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ophiuchus.text.terminal import Terminal

AFTER, EVERY = 2.0, 1.0
"""Seconds until the line is first written, and until it is written anew."""


class Progress:
    """One line, `reading the capsules, 12 s`: the phase, and how long the whole has taken."""

    def __init__(self, terminal: Terminal, phase: str) -> None:
        self._terminal = terminal
        self._phase = phase
        self._began = time.monotonic()
        self._shown = False
        self._one_writer = threading.Lock()

    def enter(self, phase: str) -> None:
        """Begin another phase. With an empty one the line is gone: something else needs the terminal."""
        with self._one_writer:
            self._phase = phase
            if self._shown:
                self._write()

    @contextmanager
    def during(self, phase: str) -> Iterator[None]:
        """Be in another phase for as long as the block takes."""
        before = self._phase
        self.enter(phase)
        try:
            yield
        finally:
            self.enter(before)

    def tell(self, over: threading.Event) -> None:
        """Keep the line up to date until it is `over`."""
        wait = AFTER
        while not over.wait(wait):
            with self._one_writer:
                self._write()
            wait = EVERY

    def _write(self) -> None:
        if self._phase:
            self._terminal.rewrite(f"{self._phase}, {int(time.monotonic() - self._began)} s")
        elif self._shown:
            self._terminal.rewrite("")
        self._shown = bool(self._phase)


@contextmanager
def progress(terminal: Terminal, phase: str) -> Iterator[Progress]:
    """Tell what goes on in the block once it takes longer than AFTER; no trace of it stays, however it ends.

    Nothing is written where nobody watches.
    """
    told = Progress(terminal, phase)
    over = threading.Event()
    teller = threading.Thread(target=told.tell, args=(over,), daemon=True)
    teller.start()
    try:
        yield told
    finally:
        over.set()
        teller.join()
        told.enter("")
