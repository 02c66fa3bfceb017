"""A bare repository of our own, in a private folder, that borrows the checkout's objects.

All real work happens here. The checkout's configuration, hooks, index, filters, attributes and replace refs
have no part in it, and what is fetched or written lands here, so the user's clone stays byte for byte as it
was (design §9; facts/git.md §2 and §3).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ophiuchus.git.checkout import Checkout
from ophiuchus.git.process import Git, GitFailed, hardened_environment
from ophiuchus.text.problem import ExpectedFailure

_SHARED_INDEX = "sharedindex.*"
_PATIENCE = 50
"""How often it is tried to remove a folder in which somebody still writes."""
_PAUSE = 0.02
"""Seconds between two of these."""


class NoRoom(ExpectedFailure):
    """The scratch repository cannot be written."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"no temporary repository can be written in {folder}",
            "Set TMPDIR to a folder that exists, may be written to and has room.",
        )


class UnfinishedIndex(ExpectedFailure):
    """The index holds no tree that a commit could have, as in the middle of a merge."""

    def __init__(self) -> None:
        super().__init__(
            "the index cannot be written as a tree: it has unmerged entries or is damaged",
            "Finish the merge and `git add` the files, then try again.",
        )


@dataclass(frozen=True, slots=True)
class Scratch:
    """The borrowed repository: where git runs, on which object format."""

    folder: Path
    object_format: str
    git: Git


@contextmanager
def open_scratch(checkout: Checkout, env: Mapping[str, str]) -> Iterator[Scratch]:
    """A scratch repository below TMPDIR of `env`, else /tmp, removed at the end. Raises NoRoom."""
    with _opened(env, checkout.object_format, checkout) as scratch:
        yield scratch


@contextmanager
def open_own(env: Mapping[str, str], object_format: str) -> Iterator[Scratch]:
    """A scratch repository that borrows nothing: what is in it, this program fetched. Raises NoRoom."""
    with _opened(env, object_format, None) as scratch:
        yield scratch


def index_tree(scratch: Scratch, checkout: Checkout) -> str:
    """The id of the tree that the next commit would have, written into the scratch repository.

    Made from a copy of the user's index, also a split or a sparse one; entries that are only intended to be
    added are not part of it, as for `git commit`. Nothing in the user's clone changes but, as with any git
    command that writes a tree, the times of borrowed objects that the tree shares. Raises UnfinishedIndex.
    """
    index = scratch.folder / "index"
    if checkout.index.exists():
        index.write_bytes(checkout.index.read_bytes())
        for shared in checkout.index.parent.glob(_SHARED_INDEX):
            (scratch.folder / shared.name).write_bytes(shared.read_bytes())
    try:
        answer = scratch.git.run("write-tree", "--missing-ok")
    except GitFailed as failure:
        raise UnfinishedIndex from failure
    return answer.decode("ascii").strip()


@contextmanager
def _opened(env: Mapping[str, str], object_format: str, lender: Checkout | None) -> Iterator[Scratch]:
    parent = os.path.realpath(env.get("TMPDIR") or "/tmp")  # noqa: S108 (private, random)
    folder = Path(parent) / f"ophiuchus-{os.urandom(12).hex()}"
    try:
        try:
            folder.mkdir(mode=0o700)
            _write_repository(folder, object_format)
            if lender is not None:
                _borrow(folder, lender)
        except OSError as error:
            raise NoRoom(folder.parent) from error
        git = Git(folder, {**hardened_environment(env), "GIT_DIR": str(folder)})
        yield Scratch(folder, object_format, git)
    finally:
        try:
            _remove(folder)
        except (KeyboardInterrupt, SystemExit):  # a run is stopped at its end, too, and leaves nothing
            _remove(folder)
            raise


def _write_repository(folder: Path, object_format: str) -> None:
    """What `git init --bare --template=` writes (a test compares), for every process costs start time."""
    for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (folder / part).mkdir(parents=True)
    (folder / "HEAD").write_bytes(b"ref: refs/heads/master\n")
    version, extensions = 0, ""
    if object_format != "sha1":
        version, extensions = 1, f"[extensions]\n\tobjectformat = {object_format}\n"
    (folder / "config").write_text(
        f"[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = true\n{extensions}"
    )


def _borrow(folder: Path, checkout: Checkout) -> None:
    (folder / "objects/info/alternates").write_bytes(_quoted(os.fsencode(checkout.objects)) + b"\n")
    if checkout.shallow is not None:
        # Without it git takes HEAD's parents for missing, and a fetch sends 22 MB too much (facts/git.md §3).
        (folder / "shallow").write_bytes(checkout.shallow.read_bytes())


def _quoted(path: bytes) -> bytes:
    """`path` as git's C-style quoting has it: an alternate may hold any byte, even a line break."""
    plain = set(b" !#$%&'()*+,-./:;<=>?@[]^_`{|}~") | set(range(0x80, 0x100))
    plain |= {byte for byte in range(0x80) if chr(byte).isalnum()}
    return b'"' + b"".join(bytes([byte]) if byte in plain else b"\\%03o" % byte for byte in path) + b'"'


def _remove(folder: Path) -> None:
    """Remove `folder` and all below it, without following links.

    A git that was just being started when the run was stopped writes on for a moment: it is waited for.
    """
    for _ in range(_PATIENCE):
        with suppress(OSError):
            _remove_once(folder)
        if not os.path.lexists(folder):
            return
        time.sleep(_PAUSE)
    _remove_once(folder)


def _remove_once(folder: Path) -> None:
    for parent, folders, files in os.walk(folder, topdown=False):
        for name in files:
            Path(parent, name).unlink(missing_ok=True)
        for name in folders:
            path = Path(parent, name)
            path.unlink() if path.is_symlink() else path.rmdir()
    folder.rmdir()
