"""What only a person's own checkout is asked, for `capture`: the branch, and what is not committed yet.

`git status` honours what the person configured: it runs clean filters and reads their ignore files, or a
large file kept elsewhere would read as changed. So it is never started for a checkout that somebody else made
(design §9); hooks and the file system monitor stay off, and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ophiuchus.git.checkout import Checkout
from ophiuchus.git.process import Git, GitFailed, hardened_environment, settings_as_environment
from ophiuchus.text.problem import ExpectedFailure

_OF_THE_PERSON = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
_OURS_ALONE = ("HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM")


class StatusUnknown(ExpectedFailure):
    """Git could not say what is uncommitted."""

    def __init__(self) -> None:
        super().__init__(
            "git could not tell which files have uncommitted changes",
            "Try `git status` in the checkout: its index, its configuration or a filter may be damaged.",
        )


@dataclass(frozen=True, slots=True)
class UncommittedPath:
    """One path that differs from HEAD: `staged` in the index, `unstaged` in the work tree against the index.

    An untracked file is `unstaged`. `path` is relative to the top, bytes as git has them; an untracked
    repository within the checkout ends in `/`.
    """

    path: bytes
    staged: bool
    unstaged: bool


def uncommitted_paths(checkout: Checkout, env: Mapping[str, str]) -> tuple[UncommittedPath, ...]:
    """Every tracked path with uncommitted changes and every untracked, not ignored file, in git's order.

    Renames are two paths. Of a submodule only its pointer counts, since its files are not committed here.
    Raises StatusUnknown.
    """
    try:
        answer = _git(checkout, env).run(
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=dirty",
        )
    except GitFailed as failure:
        raise StatusUnknown from failure
    return tuple(_read_record(record) for record in answer.split(b"\0") if record)


def current_branch(checkout: Checkout, env: Mapping[str, str]) -> str | None:
    """HEAD's branch as a full ref, `refs/heads/main`, also before the first commit; None when detached."""
    try:
        answer = _git(checkout, env).run("symbolic-ref", "--quiet", "HEAD")
    except GitFailed:
        return None
    return answer.decode("utf-8", "backslashreplace").strip() or None


def _read_record(record: bytes) -> UncommittedPath:
    # "XY path": X is the index against HEAD, Y the work tree against the index, a blank means the same.
    in_index, in_work_tree, path = record[0:1], record[1:2], record[3:]
    return UncommittedPath(path, staged=in_index not in b" ?", unstaged=in_work_tree != b" ")


def _git(checkout: Checkout, env: Mapping[str, str]) -> Git:
    hardened = {name: value for name, value in hardened_environment(env).items() if name not in _OURS_ALONE}
    settings = {"core.fsmonitor": "false", "core.hooksPath": os.devnull, "core.untrackedCache": "false"}
    person = {name: env[name] for name in _OF_THE_PERSON if name in env}
    place = {"GIT_DIR": str(checkout.top / ".git"), "GIT_WORK_TREE": str(checkout.top)}
    return Git(checkout.top, {**hardened, **person, **settings_as_environment(settings), **place})
