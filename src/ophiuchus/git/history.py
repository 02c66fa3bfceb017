"""What history says beside the trees: whether the judged commit descends from a base. Never a verdict."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from ophiuchus.git.process import GitFailed
from ophiuchus.git.scratch import Scratch

SECONDS = 2.0
"""Most seconds that the walk may take; what it did not tell by then is not known."""

Ancestry = Callable[[], dict[str, bool]]
"""Waits for the answer: for each commit whether it is an ancestor; what nothing tells about is left out."""


@contextmanager
def asking_ancestry(scratch: Scratch, head: str | None, commits: Sequence[str]) -> Iterator[Ancestry]:
    """Ask in the background, while other work is done, which of `commits` are `head` or its ancestors.

    One process for all: a walk from `head` that ends when all are found. "No" needs a walk to the very end of
    a history that is whole; in a shallow clone only "yes" is told. Asking git for what the commits have and
    `head` has not would be shorter, but wrong where clocks were wrong or a commit is missing.
    """
    if head is None or not commits:
        yield dict
        return
    answer: dict[str, bool] = {}
    thread = threading.Thread(target=lambda: answer.update(_ancestors(scratch, head, commits)), daemon=True)

    def wait() -> dict[str, bool]:
        thread.join()
        return answer

    thread.start()
    try:
        yield wait
    finally:
        thread.join()


def _ancestors(scratch: Scratch, head: str, commits: Sequence[str]) -> dict[str, bool]:
    shallow = (scratch.folder / "shallow").exists()
    missing = {commit.encode("ascii"): commit for commit in commits}
    answer: dict[str, bool] = {}
    rest = b""
    with suppress(GitFailed), replace(scratch.git, seconds=SECONDS).stream("rev-list", head, "--") as chunks:
        for chunk in chunks:
            *lines, rest = (rest + chunk).split(b"\n")
            for found in missing.keys() & lines:
                answer[missing.pop(found)] = True
            if not missing:
                return answer
        if not shallow:
            answer |= dict.fromkeys(missing.values(), False)
    return answer
