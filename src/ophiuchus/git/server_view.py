"""A commit as the server has it: objects that this program fetched itself, borrowing nothing.

What is published is judged on these, so an object store that an earlier step of the job overwrote has no part
in it (design §9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ophiuchus.git.fetch import fetch_one
from ophiuchus.git.history import ancestry
from ophiuchus.git.objects import which_exist
from ophiuchus.git.process import GitFailed
from ophiuchus.git.remote import FETCH, Cause, Remote, cause_of, default_of, networked, tip_of
from ophiuchus.git.scratch import Scratch, open_own
from ophiuchus.text.problem import ExpectedFailure


class ServerUnreadable(ExpectedFailure):
    """The server does not give what is needed to judge what it has."""

    def __init__(self, what: str, cause: Cause) -> None:
        remedy = cause.remedy or "Let the job's token read contents, or try again later."
        super().__init__(
            f"{what} cannot be had from the server: {cause.words}", f"Nothing was published. {remedy}"
        )


def branch_tip(scratch: Scratch, remote: Remote, env: Mapping[str, str], branch: str) -> str | None:
    """The commit at the tip of `branch` now; None where there is no such branch. Raises ServerUnreadable."""
    try:
        return tip_of(
            networked(scratch.git, remote, env), remote.url, f"refs/heads/{branch}", scratch.object_format
        )
    except GitFailed as failure:
        raise ServerUnreadable(f"the branch {branch}", cause_of(failure)) from failure


def default_branch(scratch: Scratch, remote: Remote, env: Mapping[str, str]) -> str | None:
    """The branch that the server's HEAD stands for; None where it does not say. Raises ServerUnreadable."""
    try:
        return default_of(networked(scratch.git, remote, env), remote.url, scratch.object_format)
    except GitFailed as failure:
        raise ServerUnreadable("the default branch's name", cause_of(failure)) from failure


def fetch_commit(scratch: Scratch, remote: Remote, env: Mapping[str, str], commit: str) -> None:
    """Get one commit with its trees, without files. Raises ServerUnreadable."""
    cause = fetch_one(scratch, remote, env, commit)
    if cause is not None:
        raise ServerUnreadable(f"the commit {commit}", cause)


def fetch_blobs(scratch: Scratch, remote: Remote, env: Mapping[str, str], blobs: Sequence[str]) -> None:
    """Get these files' contents, by id. Raises ServerUnreadable."""
    wanted = sorted(set(blobs) - which_exist(scratch, blobs))
    if not wanted:
        return
    try:
        networked(scratch.git, remote, env).run(
            *FETCH,
            "--filter=blob:none",
            "--stdin",
            "--end-of-options",
            remote.url,
            stdin="".join(f"{blob}\n" for blob in wanted).encode("ascii"),
        )
    except GitFailed as failure:
        raise ServerUnreadable("the capsules' contents", cause_of(failure)) from failure


def are_ancestors(
    remote: Remote, env: Mapping[str, str], object_format: str, head: str, commits: Sequence[str]
) -> bool:
    """Whether all of `commits` are `head` or its ancestors, by the server's own history.

    Its commits alone are fetched, without trees, into a repository of their own. False also where that is
    not known.
    """
    with open_own(env, object_format) as scratch:
        try:
            networked(scratch.git, remote, env).run(
                *FETCH, "--filter=tree:0", "--end-of-options", remote.url, f"{head}:refs/heads/judged"
            )
        except GitFailed:
            return False
        known = ancestry(scratch, head, commits)
        return all(known.get(commit, False) for commit in commits)
