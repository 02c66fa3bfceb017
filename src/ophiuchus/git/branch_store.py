"""Small files on one branch of the server, changed by compare and swap.

A change is one commit on the tip that was read, sent by a plain push: the server takes it only where the tip
is still the same, so of two writers one wins and the other knows it. Never forced, and never in the user's
clone: this lives in a repository of its own.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

from ophiuchus.git.objects import TreeUnreadable, Unread, list_tree, read_blobs
from ophiuchus.git.process import Git, GitFailed
from ophiuchus.git.remote import FETCH, Cause, Remote, cause_of, networked, tip_of
from ophiuchus.git.scratch import Scratch
from ophiuchus.text.problem import ExpectedFailure

MOST_FILE_BYTES = 16 * 1024
"""Most bytes of one file that are read."""

_HERE = "refs/heads/there"
_NEXT = "refs/heads/next"
_AUTHOR = b"ophiuchus <>"
_PAUSES = (0.2, 0.5, 1.0, 2.0)
"""Seconds, more or less, before a push is tried again where the tip is unmoved."""
_LET_READ = "Let the job's token read contents, or try again later."
_ADMIT = "Let the job's token write contents, and let a ruleset on the branch admit it."
_NO_ROOM = Cause("its commit cannot be made here, perhaps for lack of room", "Make room on this machine.")
_DAMAGED = Cause("its tree is damaged", "Look at the branch on the server.")
_REFUSALS = (
    (re.compile(rb"rule violations|protected branch"), "a ruleset or a branch protection refuses it"),
    (re.compile(rb"error: 40[13]|Authentication failed|could not read (?:Username|Password)"),
     "the token may not write the contents of this repository"),
    (re.compile(rb"hook declined"), "a hook on the server refuses it"),
    (re.compile(rb"' exists; cannot create '|directory file conflict"),
     "another branch is in its way, one that is named like a part of it"),
)  # fmt: skip
"""What the server says where trying again is of no use."""


class BranchUnreadable(ExpectedFailure):
    """The branch cannot be read from the server: not that it is missing, but that this is not known."""


class BranchUnwritable(ExpectedFailure):
    """The server does not take a change, although nobody was first."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The branch as it was when it was read; `files` by path, None for one that is too large to read."""

    tip: str
    files: Mapping[str, bytes | None]


class BranchStore:
    """One branch of the server. `scratch` borrows nothing; its object format is the server's."""

    def __init__(self, scratch: Scratch, remote: Remote, env: Mapping[str, str], branch: str) -> None:
        self._scratch = scratch
        self._git: Git = networked(scratch.git, remote, env)
        self._url = remote.url
        self._ref = f"refs/heads/{branch}"

    def read(self) -> Branch | None:
        """The branch as the server has it now; None where it has no such branch. Raises BranchUnreadable."""
        if self._tip() is None:
            return None
        try:
            self._git.run(
                *FETCH, "--depth=1", "--force", "--end-of-options", self._url, f"{self._ref}:{_HERE}"
            )
            tip = self._scratch.git.run("rev-parse", "--verify", _HERE).decode("ascii").strip()
            return Branch(tip, self._files(tip))
        except GitFailed as failure:
            raise self._unreadable(cause_of(failure)) from failure
        except TreeUnreadable as unreadable:
            raise self._unreadable(_DAMAGED) from unreadable

    def change(self, tip: str | None, path: str, content: bytes, message: str, at: int) -> bool:
        """Write one file upon `tip` (None: the branch is to be made), in a commit of the Unix time `at`.

        True where the server took it; False where the branch was not at `tip` any more. Raises
        BranchUnreadable where that cannot be known, and BranchUnwritable where it was refused all the same.
        """
        commit = self._commit(tip, path, content, message, at)
        for pause in (*_PAUSES, None):
            try:
                self._git.run("push", "--quiet", "--no-verify", self._url, f"{commit}:{self._ref}")
            except GitFailed as failure:
                now = self._tip()
                if now != tip:
                    return now == commit  # if so, the answer was lost, not the change
                refusal = _refusal(failure)
                if refusal is not None or pause is None:
                    cause = Cause(refusal) if refusal else cause_of(failure)
                    raise self._unwritable(cause) from failure
                # Perhaps the server is just taking somebody else's change.
                time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - only so that writers part
            else:
                break
        return True

    @property
    def _branch(self) -> str:
        return self._ref.removeprefix("refs/heads/")

    def _tip(self) -> str | None:
        try:
            return tip_of(self._git, self._url, self._ref, self._scratch.object_format)
        except GitFailed as failure:
            raise self._unreadable(cause_of(failure)) from failure

    def _files(self, tip: str) -> dict[str, bytes | None]:
        entries = list(list_tree(self._scratch, f"{tip}^{{tree}}"))
        contents = read_blobs(self._scratch, [entry.id for entry in entries], MOST_FILE_BYTES)
        return {
            entry.path.decode("utf-8", "backslashreplace"): None if isinstance(content, Unread) else content
            for entry, content in zip(entries, contents, strict=True)
        }

    def _commit(self, tip: str | None, path: str, content: bytes, message: str, at: int) -> str:
        """A commit on `tip` with this one file changed; its id."""
        # So that no two writers ever make the same commit: the second would find its change there already.
        words = f"{message}\n\nWritten-by: {os.urandom(16).hex()}\n".encode()
        stream = b"".join(
            [
                b"feature done\n",
                b"reset %s\n\n" % _NEXT.encode() if tip is None else b"",
                b"commit %s\nmark :1\n" % _NEXT.encode(),
                b"committer %s %d +0000\n" % (_AUTHOR, at),
                b"data %d\n%s\n" % (len(words), words),
                b"from %s\n" % tip.encode() if tip else b"",
                b"M 100644 inline %s\n" % path.encode(),
                b"data %d\n%s\n" % (len(content), content),
                b"get-mark :1\n",
                b"done\n",
            ]
        )
        try:
            answer = self._scratch.git.run("fast-import", "--quiet", "--force", stdin=stream)
        except GitFailed as failure:
            raise self._unwritable(_NO_ROOM) from failure
        return answer.decode("ascii").strip()

    def _unreadable(self, cause: Cause) -> BranchUnreadable:
        return BranchUnreadable(
            f"the branch {self._branch} cannot be read from the server: {cause.words}",
            f"Nothing was written. {cause.remedy or _LET_READ}",
        )

    def _unwritable(self, cause: Cause) -> BranchUnwritable:
        return BranchUnwritable(
            f"the server does not take a change of the branch {self._branch}: {cause.words}",
            cause.remedy or _ADMIT,
        )


def _refusal(failure: GitFailed) -> str | None:
    """Why the server will not take it, however often it is asked; None where it may yet."""
    return next((cause for said, cause in _REFUSALS if said.search(failure.stderr)), None)
