"""A file that we write for somebody: whole, beneath its root, through no link, never inside `.git`.

What root writes belongs to the owner of the folder that was given, not to root: a container's files must not
stand in the way of whoever cleans that folder later (case C128).
"""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ophiuchus.text.problem import ExpectedFailure

_DEVICE = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[1-9])(?:\..*)?", re.IGNORECASE)
_BUFFER = 1 << 20
_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


class AlreadyThere(ExpectedFailure):
    """Something has the new file's name; it was left as it is."""


class CannotBeWritten(ExpectedFailure):
    """The new file's folder is a link, no folder or `.git`, or the system refused to write."""


def is_device_name(name: str) -> bool:
    """Whether a file of this name, with any ending, is a device to Windows: no checkout has it (C127)."""
    return _DEVICE.fullmatch(name) is not None


def create_file(root: Path, place: PurePosixPath, data: bytes) -> None:
    """Write `data` to the new file `place` beneath `root`, making its folders; complete or not at all.

    `root` is trusted and may be reached through links, what is beneath it may not (design §9). Raises
    AlreadyThere and CannotBeWritten.
    """
    try:
        _write(root, place, data, _give_new_name)
    except FileExistsError as error:
        raise AlreadyThere(f"{place} is already there and was left as it is") from error


def replace_file(root: Path, place: PurePosixPath, data: bytes | Iterable[bytes]) -> None:
    """Like `create_file`, but what is at `place` gives way, unless it is a folder; a link itself is replaced.

    `data` may come in pieces. Raises CannotBeWritten.
    """
    _write(root, place, data, _take_name)


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder; what is made in it belongs to the owner of the root that it is beneath."""

    descriptor: int
    owner: os.stat_result

    def give(self, descriptor: int) -> None:
        """Let a new file or folder belong to that owner."""
        # Nobody else can give a file away, and nobody else needs to.
        if os.geteuid() == 0:
            os.fchown(descriptor, self.owner.st_uid, self.owner.st_gid)

    def replace(self, name: str, data: bytes | Iterable[bytes]) -> None:
        """Write the file `name`, whole or not at all, in place of what has that name. Raises OSError."""
        _write_in(self, name, data, _take_name)


@contextmanager
def open_folder_of(root: Path, place: PurePosixPath) -> Iterator[Folder]:
    """The folder of `place` beneath `root`, made where it is missing, its links not followed.

    Raises CannotBeWritten, also for what the system refuses while it is open, a name that is taken apart.
    """
    if place.is_absolute() or not place.parts or any(part in ("..", "") for part in place.parts):
        raise CannotBeWritten(f"{place} is no place beneath the repository")
    if any(part.casefold() == ".git" for part in place.parts):
        raise CannotBeWritten(f"{place} is inside git's own folder")
    if not hasattr(os, "O_DIRECTORY"):
        raise CannotBeWritten(
            f"{place} cannot be written: this system cannot keep links from leading it elsewhere"
        )
    try:
        owner = root.stat()
        folder = Folder(_open_folder(root, place.parent, owner), owner)
        try:
            yield folder
        finally:
            os.close(folder.descriptor)
    except FileExistsError:
        raise
    except OSError as error:
        reason = "a link or something else that is no folder is in its way" if _is_in_the_way(error) else ""
        raise CannotBeWritten(
            f"{place} cannot be written: {reason or os.strerror(error.errno or errno.EIO)}"
        ) from error


def _write(
    root: Path,
    place: PurePosixPath,
    data: bytes | Iterable[bytes],
    give_name: Callable[[int, str, str], None],
) -> None:
    with open_folder_of(root, place) as folder:
        _write_in(folder, place.name, data, give_name)


def _is_in_the_way(error: OSError) -> bool:
    return error.errno in (errno.ELOOP, errno.ENOTDIR)


def _open_folder(root: Path, beneath: PurePosixPath, owner: os.stat_result) -> int:
    """A descriptor of the folder `beneath` root, made where it is missing."""
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for name in beneath.parts:
        try:
            inner = _open_inner(folder, name, owner)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _open_inner(folder: int, name: str, owner: os.stat_result) -> int:
    made = True
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:  # a folder to use, or something that the next line refuses
        made = False
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    if made:
        Folder(inner, owner).give(inner)
    return inner


def _write_in(
    folder: Folder,
    name: str,
    data: bytes | Iterable[bytes],
    give_name: Callable[[int, str, str], None],
) -> None:
    unfinished = f".{secrets.token_hex(8)}.unfinished"
    descriptor = os.open(
        unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode=0o666, dir_fd=folder.descriptor
    )
    try:
        with open(descriptor, "wb", buffering=_BUFFER) as file:  # noqa: PTH123 - it is a descriptor
            folder.give(file.fileno())
            file.writelines((data,) if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        give_name(folder.descriptor, unfinished, name)
    finally:
        with suppress(FileNotFoundError):  # it was renamed
            os.unlink(unfinished, dir_fd=folder.descriptor)


def _give_new_name(folder: int, unfinished: str, name: str) -> None:
    """Name the finished file, unless the name is taken: a hard link cannot replace, as a rename would."""
    try:
        os.link(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if name in os.listdir(folder):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from error
        os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)


def _take_name(folder: int, unfinished: str, name: str) -> None:
    os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
