"""Work that waits for git, done beside other work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")


@contextmanager
def in_background(work: Callable[[], Result]) -> Iterator[Callable[[], Result]]:
    """Start `work` in a thread; what is given back waits for its result, or raises what it raised.

    The thread has ended when the block is left.
    """
    results: list[Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run, daemon=True)

    def result() -> Result:
        thread.join()
        if failures:
            raise failures[0]
        return results[0]

    thread.start()
    try:
        yield result
    finally:
        thread.join()
