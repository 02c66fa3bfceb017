"""What history says beside the trees: whether the judged commit descends from a base. Never a verdict."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ophiuchus.git.process import GitFailed
from ophiuchus.git.scratch import Scratch

SECONDS = 5.0
"""Most seconds that the walk may take; what it did not tell by then is not known."""

Ancestry = Callable[[], dict[str, bool]]
"""Waits for the answer: for each commit whether it is an ancestor; what nothing tells about is left out."""


@contextmanager
def asking_ancestry(scratch: Scratch, head: str | None, commits: Sequence[str]) -> Iterator[Ancestry]:
    """Ask in the background, while other work is done, which of `commits` are `head` or its ancestors.

    One process for all: it lists what the commits have and `head` has not. In a shallow clone that is no
    proof, since the way may lead through history that is not there, so only "yes" is told.
    """
    answer: dict[str, bool] = {}

    def ask() -> None:
        answer.update(_ancestors(scratch, head, commits))

    thread = threading.Thread(target=ask, daemon=True)

    def wait() -> dict[str, bool]:
        thread.join()
        return answer

    if head is not None and commits:
        thread.start()
        try:
            yield wait
        finally:
            thread.join()
    else:
        yield lambda: answer


def _ancestors(scratch: Scratch, head: str | None, commits: Sequence[str]) -> dict[str, bool]:
    shallow = (scratch.folder / "shallow").exists()
    stdin = "".join(f"{line}\n" for line in [*commits, f"^{head}"]).encode("ascii")
    asked = {commit.encode("ascii") for commit in commits}
    outside: set[bytes] = set()
    rest = b""
    try:
        with replace(scratch.git, seconds=SECONDS).stream("rev-list", "--stdin", stdin=stdin) as chunks:
            for chunk in chunks:
                *lines, rest = (rest + chunk).split(b"\n")
                outside |= asked.intersection(lines)
    except GitFailed:
        return {}
    return {
        commit: commit.encode("ascii") not in outside
        for commit in commits
        if not shallow or commit.encode("ascii") not in outside
    }
