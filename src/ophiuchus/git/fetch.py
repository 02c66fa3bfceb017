"""Commits that the clone lacks, fetched by id into the scratch repository (facts/git.md §3).

One request for all: depth 1, no blobs, protocol 2 (the only one that gives any commit by id). An id that the
server does not have fails the whole request with one short line before anything is sent: it is dropped and
the rest asked for again, a limited number of times.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

from ophiuchus.git.findings import BaseState
from ophiuchus.git.objects import Unusable, which_exist
from ophiuchus.git.process import Git, GitFailed, GitStopped, GitTooSlow
from ophiuchus.git.remote import FETCH, Cause, Remote, cause_of, networked
from ophiuchus.git.scratch import Scratch

MOST_DROPPED = 50
"""Most ids that may turn out not to be on the server before the rest is given up."""
MOST_BYTES = 512 << 20
"""Most bytes that may arrive. A thousand trees of a repository of 100,000 files have about nine million."""
SECONDS = 180.0
"""Most seconds for all requests of one call."""

_NOT_THERE = re.compile(rb"not our ref ([0-9a-f]{40,64})\b")


class Fetcher:
    """Fetching for one run: from where, and how many commits came (`fetched`).

    Called with full ids it gets commits and trees, as `changes.look` asks for them; `during` is entered for
    as long as that takes.
    """

    def __init__(
        self,
        scratch: Scratch,
        remote: Remote,
        env: Mapping[str, str],
        head: str | None,
        during: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._scratch = scratch
        self._remote = remote
        self._env = env
        self._head = head
        self._during = during
        self.fetched = 0

    def __call__(self, commits: Sequence[str], *, with_files: bool = False) -> dict[str, Unusable]:
        """As `fetch_commits`, counted."""
        with self._during():
            failures = fetch_commits(
                self._scratch, self._remote, self._env, commits, head=self._head, with_files=with_files
            )
        self.fetched += len(set(commits)) - len(failures)
        return failures


def fetch_commits(
    scratch: Scratch,
    remote: Remote,
    env: Mapping[str, str],
    commits: Sequence[str],
    *,
    head: str | None = None,
    with_files: bool = False,
) -> dict[str, Unusable]:
    """Get `commits` (full ids) with their trees into `scratch`; those that could not be had, and why.

    `head` is the judged commit: what the server knows to be here is not sent again. `with_files` gets the
    contents of their files too. NOT_ON_SERVER is for what the server says it does not have, FETCH_FAILED for
    everything else: the network, permissions, limits. Raises RefusedRemote.
    """
    git = networked(scratch.git, remote, env)
    failures: dict[str, Unusable] = {}
    wanted = list(dict.fromkeys(commits))
    _offer_head(scratch, head, wanted)
    deadline = time.monotonic() + SECONDS
    while wanted:
        try:
            in_time = replace(git, seconds=max(deadline - time.monotonic(), 0.1))
            _request(in_time, scratch, remote.url, wanted, with_files=with_files)
        except GitFailed as failure:
            gone = _not_there(failure, wanted)
            if gone is None:
                return failures | dict.fromkeys(
                    wanted, Unusable(BaseState.FETCH_FAILED, _cause(failure).words)
                )
            if len(failures) == MOST_DROPPED:
                detail = f"more than {MOST_DROPPED} of the commits that are missing are not on the server"
                return failures | dict.fromkeys(wanted, Unusable(BaseState.FETCH_FAILED, detail))
            failures[gone] = Unusable(BaseState.NOT_ON_SERVER, "")
            wanted.remove(gone)
        else:
            break
    return failures


def fetch_one(scratch: Scratch, remote: Remote, env: Mapping[str, str], commit: str) -> Cause | None:
    """Get one commit as `fetch_commits` does; why it could not be had, if so. Raises RefusedRemote."""
    git = replace(networked(scratch.git, remote, env), seconds=SECONDS)
    try:
        _request(git, scratch, remote.url, [commit], with_files=False)
    except GitFailed as failure:
        return Cause("it does not have it") if _not_there(failure, [commit]) else _cause(failure)
    return None


def _request(git: Git, scratch: Scratch, url: str, wanted: Sequence[str], *, with_files: bool) -> None:
    git.run(
        *FETCH,
        "--depth=1",
        *(() if with_files else ("--filter=blob:none",)),
        "--stdin",
        "--end-of-options",
        url,
        stdin="".join(f"{commit}\n" for commit in wanted).encode("ascii"),
        stop=lambda: _bytes_below(scratch.folder / "objects") > MOST_BYTES,
    )


def _offer_head(scratch: Scratch, head: str | None, wanted: Sequence[str]) -> None:
    """Let git tell the server that it has the judged commit, so that common trees are not sent again.

    Not where a wanted commit is here and only its tree is missing (`filter: tree:0`): from the judged commit
    the server would take it that all of them are here.
    """
    if head is not None and not which_exist(scratch, wanted):
        (scratch.folder / "refs" / "heads" / "judged").write_text(f"{head}\n")


def _not_there(failure: GitFailed, wanted: Sequence[str]) -> str | None:
    """The wanted id that the server said it does not have."""
    found = _NOT_THERE.search(failure.stderr)
    commit = found[1].decode("ascii") if found else None
    return commit if commit in wanted else None


def _cause(failure: GitFailed) -> Cause:
    """Why fetching failed, in our words."""
    if isinstance(failure, GitTooSlow):
        return Cause(f"fetching took longer than {SECONDS:g} seconds")
    if isinstance(failure, GitStopped):
        return Cause(f"more than {MOST_BYTES >> 20} MiB arrived")
    return cause_of(failure)


def _bytes_below(folder: Path) -> int:
    """The size of all files below `folder`; one that vanishes meanwhile counts nothing."""
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += Path(parent, name).stat().st_size
    return total
