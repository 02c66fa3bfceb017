"""Writing a file that was asked for into the workspace, which may be hostile and belongs to somebody else.

Every folder on the way is opened beneath the one before it without following links, never `.git`; the file
appears whole (temporary file, then rename) and belongs to the workspace's owner, or the next job could not
clean its checkout (case C128).
"""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
from pathlib import PurePosixPath

from ophiuchus.text.problem import ExpectedFailure

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotBeneath(ExpectedFailure):
    """A path does not stay beneath its folder, or leads into a `.git`."""


def parts_beneath(path: str) -> tuple[str, ...]:
    """The segments of a relative path that stays beneath its root; `.` alone gives none.

    Raises NotBeneath for an absolute path, `..`, `.git` in any case, and control characters.
    """
    if not path.isprintable():
        raise NotBeneath("has a character that cannot be printed")
    if path.startswith("/"):
        raise NotBeneath("is absolute; it must be relative to the workspace")
    parts = PurePosixPath(path).parts
    if ".." in parts:
        raise NotBeneath("has a '..'; it must stay below the workspace")
    if any(part.casefold() == ".git" for part in parts):
        raise NotBeneath("leads into .git")
    return parts


def write_beneath(root: str, path: str, content: bytes) -> None:
    """Write `content` to `path` beneath `root`, making folders that are missing, in the name of root's owner.

    Raises NotBeneath, and OSError for what the file system refuses (a link on the way is refused too).
    """
    parts = parts_beneath(path)
    if not parts:
        raise NotBeneath("names no file")
    with ExitStack() as opened:
        # The root is the runner's word; it may be reached by a link.
        folder = _open_folder(opened, os.path.realpath(root), None)
        owner = os.fstat(folder)
        for part in parts[:-1]:
            folder = _enter(opened, part, folder, owner)
        temporary = f".{secrets.token_hex(8)}.tmp"
        handle = os.open(temporary, _NEW_FILE, 0o644, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                _give(handle, owner)
                file.write(content)
            os.replace(temporary, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(temporary, dir_fd=folder)
            raise


def _open_folder(opened: ExitStack, name: str, beneath: int | None) -> int:
    handle = os.open(name, _FOLDER, dir_fd=beneath)
    opened.callback(os.close, handle)
    return handle


def _enter(opened: ExitStack, name: str, beneath: int, owner: os.stat_result) -> int:
    try:
        return _open_folder(opened, name, beneath)
    except FileNotFoundError:
        os.mkdir(name, 0o755, dir_fd=beneath)
        handle = _open_folder(opened, name, beneath)
        _give(handle, owner)
        return handle


def _give(handle: int, owner: os.stat_result) -> None:
    # Only root can give a file away; anybody else works as the owner already.
    if os.geteuid() == 0:
        os.fchown(handle, owner.st_uid, owner.st_gid)
