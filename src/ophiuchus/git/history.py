"""What history says beside the trees: which commits descend from which, where two parted. Never a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ophiuchus.git.object_id import is_full_id
from ophiuchus.git.process import GitFailed
from ophiuchus.git.scratch import Scratch

SECONDS = 2.0
"""Most seconds that the walk may take; what it did not tell by then is not known."""


def ancestry(scratch: Scratch, head: str | None, commits: Sequence[str]) -> dict[str, bool]:
    """Which of `commits` are `head` or its ancestors; what nothing tells about is left out.

    One process for all: a walk from `head` that ends when all are found. "No" needs a walk to the very end of
    a history that is whole; in a shallow clone only "yes" is told. Asking git for what the commits have and
    `head` has not would be shorter, but wrong where clocks were wrong or a commit is missing.
    """
    if head is None or not commits:
        return {}
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


def parted_at(scratch: Scratch, one: str, other: str) -> str | None:
    """The youngest commit (full id) that two commits both have in their history, perhaps one of them itself.

    None where nothing tells: in a shallow clone, with missing commits, in histories that never met.
    """
    try:
        answer = replace(scratch.git, seconds=SECONDS).run("merge-base", one, other)
    except GitFailed:
        return None
    found = answer.decode("ascii", "replace").strip()
    return found if is_full_id(found, scratch.object_format) else None
