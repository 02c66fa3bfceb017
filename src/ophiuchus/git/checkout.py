"""What must be known of the user's checkout before anything is read from its objects.

The checkout may be hostile: its configuration names programs, its tree may hold a planted bare repository.
It is touched by `git rev-parse` only, which runs none of them (traps 32 to 35): no work tree command, no
index, and not even the objects, which `scratch` borrows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ophiuchus.git.object_id import ID_LENGTH, is_full_id
from ophiuchus.git.process import Git, GitFailed, check_version, hardened_environment, settings_as_environment
from ophiuchus.text.problem import ExpectedFailure

# rev-parse repeats an option that it does not know: a separator that survives odd folder names.
_NEXT = "--ophiuchus-next"


class WorkingFolderGone(ExpectedFailure):
    """The folder in which the program was started was deleted or moved since."""

    def __init__(self) -> None:
        super().__init__("the working folder is not there any more", "Change to a folder that is there.")


class NotARepository(ExpectedFailure):
    """The folder is not in a git checkout."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"{directory} is not in a git checkout",
            "In a workflow, run actions/checkout before this step and, where it has a `path`, give the same "
            "one here; without git in the job's image it makes no clone. Elsewhere, run this in a clone.",
        )


class BareRepository(ExpectedFailure):
    """The folder is inside a repository without a work tree, perhaps one that a pull request planted."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"{directory} is inside a bare repository", "Point at a checkout, the folder that holds .git."
        )


class UnreadableRepository(ExpectedFailure):
    """There is a `.git`, but git cannot read it."""

    def __init__(self, top: Path) -> None:
        super().__init__(
            f"git cannot read the repository at {top}",
            "Try `git status` there: its configuration or a file below .git may be damaged, this git may not "
            "know the repository's format, or .git names a folder that is not here, as in a linked worktree "
            "whose main repository lies elsewhere.",
        )


class BorrowedObjects(ExpectedFailure):
    """In CI: the checkout takes objects from another repository."""

    def __init__(self, top: Path) -> None:
        super().__init__(
            f"the checkout at {top} borrows objects from another repository (.git/objects/info/alternates)",
            "Check out without --reference and --shared: what another folder lends cannot be judged in CI.",
        )


class UnknownRevision(ExpectedFailure):
    """A name that a person gave is not a commit here. `revision` is that name, as given."""

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"{revision!r} does not name a commit of this clone",
            "Give a branch, tag or full commit id that `git rev-parse` knows; "
            "in a shallow clone fetch it first (actions/checkout: fetch-depth: 0).",
        )


@dataclass(frozen=True, slots=True)
class Checkout:
    """One checkout, as `git rev-parse` describes it. All paths are absolute.

    `index` is what the next commit is made from. `shallow` is None in a full clone, `head` the full id of
    HEAD's commit or None before the first commit; whether that commit can be read is not known yet.
    """

    top: Path
    git_dir: Path
    objects: Path
    shallow: Path | None
    index: Path
    object_format: str
    head: str | None


def open_checkout(directory: Path, env: Mapping[str, str], *, in_ci: bool = False) -> Checkout:
    """The checkout that `directory` is in.

    A person may stand in a folder below the top and may borrow objects (`git clone --shared`). In CI
    `directory` must be the top itself, or a repository around the workspace could be judged by accident, and
    borrowed objects are refused: git does not check a lent object against its id, so whoever can write to
    that other store, perhaps another job, would choose what is judged.

    Raises WorkingFolderGone, NotARepository, BareRepository, UnreadableRepository, BorrowedObjects,
    GitMissing, GitTooOld.
    """
    try:
        start = Path(os.path.realpath(directory))
    except FileNotFoundError as error:
        # What is not there is no error of realpath's own, but of asking where we are.
        raise WorkingFolderGone from error
    top = _find_top(start, search_above=not in_ci)
    git = _git_at(top, env)
    questions = ["--absolute-git-dir", _NEXT]
    for name in ("objects", "shallow", "index"):
        questions += ["--git-path", name, _NEXT]
    try:
        answer = git.run("rev-parse", "--path-format=absolute", *questions, "--show-object-format", "HEAD")
        head_known = True
    except GitFailed as failure:
        check_version(git)
        answer, head_known = failure.stdout, False
    parts = os.fsdecode(answer).split(f"\n{_NEXT}\n")
    if len(parts) != 5:
        raise UnreadableRepository(top)
    git_dir, objects, shallow, index = (Path(part) for part in parts[:4])
    object_format, head = [*parts[4].split("\n"), ""][:2]
    if object_format not in ID_LENGTH or (head_known and not is_full_id(head, object_format)):
        raise UnreadableRepository(top)
    if in_ci and (objects / "info" / "alternates").exists():
        raise BorrowedObjects(top)
    return Checkout(
        top=top,
        git_dir=git_dir,
        objects=objects,
        shallow=shallow if shallow.exists() else None,
        index=index if in_ci else _index_in(env, top, index),
        object_format=object_format,
        head=head if head_known else None,
    )


def resolve_commit(checkout: Checkout, revision: str, env: Mapping[str, str]) -> str:
    """The full id of the commit that a person's `revision` (a branch, tag, id …) names in their clone.

    Never for text from a capsule: a base is an id and nothing else. Raises UnknownRevision.
    """
    git = _git_at(checkout.top, env)
    try:
        answer = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except (GitFailed, ValueError) as error:  # a NUL, or half a character, is no argument to start git with
        raise UnknownRevision(revision) from error
    commit = answer.decode("ascii", "replace").strip()
    if not is_full_id(commit, checkout.object_format):
        raise UnknownRevision(revision)
    return commit


def _find_top(start: Path, *, search_above: bool) -> Path:
    """The nearest folder with a `.git`. Found without git, which would also accept a planted bare one."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
        if all((folder / part).exists() for part in ("HEAD", "objects", "refs")):
            raise BareRepository(folder)
        if not search_above:
            break
    raise NotARepository(start)


def _index_in(env: Mapping[str, str], top: Path, own: Path) -> Path:
    """The index that git made for the commit whose hook this runs in (`git commit --all`, `git commit PATH`).

    Else the checkout's own. Git keeps such an index beside it: a variable that leaked from elsewhere, and
    names another repository's, is not heard.
    """
    given = Path(top, env.get("GIT_INDEX_FILE", ""))
    return given if given.is_file() and given.parent.resolve() == own.parent.resolve() else own


def _git_at(top: Path, env: Mapping[str, str]) -> Git:
    """Git for `rev-parse` on the checkout at `top`.

    Naming the repository switches discovery off, and with it both a bare repository on the way and the
    question who owns the folder; the other settings hold should a later git ask again.
    """
    settings = {
        "safe.directory": str(top),
        "safe.bareRepository": "explicit",
        "core.fsmonitor": "false",
        "core.hooksPath": os.devnull,
    }
    place = {
        "GIT_CEILING_DIRECTORIES": str(top.parent),
        "GIT_DIR": str(top / ".git"),
        "GIT_WORK_TREE": str(top),
    }
    return Git(top, {**hardened_environment(env), **settings_as_environment(settings), **place})
