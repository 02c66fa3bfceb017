"""Writing to a ledger: one process at a time, a row whole or not at all, what was acknowledged on the disk.

The lock is held on the ledger's folder, which stays the same when the file is replaced, so that nothing is
left behind beside it. A file is opened beneath its root, through no link (design §9).
"""

from __future__ import annotations

import errno
import fcntl
import io
import json
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from ophiuchus.ledgers.jsonl import MOST_LINE_BYTES, why_no_ledger
from ophiuchus.text.new_file import CannotBeWritten, Folder, open_folder_of
from ophiuchus.text.problem import ExpectedFailure

LOCK_SECONDS = 60.0
"""How long to wait for another process that writes in the same folder."""

_HELD_BY_ANOTHER = {errno.EAGAIN, errno.EACCES}
_POLL_SECONDS = 0.01
_FIRST_BYTES = 256


class LedgerBusy(ExpectedFailure):
    """Another process holds the ledger for too long."""


class RowUnwritable(ExpectedFailure):
    """A row cannot be one line of a ledger."""


class LedgerUnreadable(ExpectedFailure):
    """A ledger or file of settings is no plain file, or behind a link, or the system refused to read it."""


def line_of(row: Mapping[str, Any], *, compact: bool) -> bytes:
    """The row as one line with its end; `compact` has no blanks between its parts. Raises RowUnwritable."""
    try:
        text = json.dumps(
            row, ensure_ascii=False, allow_nan=False, separators=(",", ":") if compact else (", ", ": ")
        )
        line = text.encode()
    except (ValueError, TypeError) as error:
        raise RowUnwritable("a row holds what JSON in UTF-8 cannot say") from error
    if len(line) > MOST_LINE_BYTES:
        raise RowUnwritable(
            f"a row of {len(line):,} bytes is too long: at most {MOST_LINE_BYTES:,} are read back",
            "Shorten its text.",
        )
    return line + b"\n"


def open_ledger(root: Path, place: PurePosixPath) -> BinaryIO | None:
    """The ledger `place` beneath `root`, None where there is none in it.

    Raises LedgerUnreadable, also for a root that is not there: a mistyped one must not pass for an empty one.
    """
    try:
        folder = _root(root)
        try:
            for name in place.parent.parts:
                inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                os.close(folder)
                folder = inner
            return _opened(place.name, folder)
        finally:
            os.close(folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (
            "it is no plain file, or a link is on the way to it"
            if error.errno in (errno.ELOOP, errno.ENOTDIR)
            else os.strerror(error.errno or errno.EIO)
        )
        raise LedgerUnreadable(f"{place} cannot be read: {reason}") from error


@contextmanager
def hold(root: Path, place: PurePosixPath, seconds: float = LOCK_SECONDS) -> Iterator[HeldLedger]:
    """The ledger `place` beneath `root`, for this process alone until the block ends.

    Raises LedgerBusy after `seconds`, and CannotBeWritten.
    """
    with open_folder_of(root, place) as folder:
        _lock(folder.descriptor, place, seconds)  # given back when the folder is closed
        yield HeldLedger(root, place, folder)


class HeldLedger:
    """One ledger that nobody else writes meanwhile. Made by `hold`."""

    def __init__(self, root: Path, place: PurePosixPath, folder: Folder) -> None:
        self._root = root
        self._place = place
        self._folder = folder

    def read(self) -> BinaryIO:
        """The ledger from its start; empty where there is none. Raises LedgerUnreadable."""
        return open_ledger(self._root, self._place) or io.BytesIO()

    def append(self, row: Mapping[str, Any], *, compact: bool) -> None:
        """Add one row, as `append_all`."""
        self.append_all([row], compact=compact)

    def append_all(self, rows: Iterable[Mapping[str, Any]], *, compact: bool) -> None:
        """Add rows to the ledger, made where it is missing: all of them, or none where one cannot be written.

        They are on the disk when this returns. Raises RowUnwritable and CannotBeWritten.
        """
        self._append(self._place, b"".join(line_of(row, compact=compact) for row in rows))

    def replace(self, lines: Iterable[bytes]) -> None:
        """Put these lines, their ends included, in place of all that the ledger holds, at once."""
        self._folder.replace(self._place.name, lines)
        os.fsync(self._folder.descriptor)

    def note_change(self, change: Mapping[str, Any]) -> None:
        """Write who, why and when of a change beside the ledger: its rows have no fields for that."""
        self._append(changes_of(self._place), line_of(change, compact=True))

    def move_to(self, place: PurePosixPath) -> None:
        """Give the ledger the name `place` beneath the same root; after this it is not there.

        One act: it is never in both places, nor in none. Raises FileExistsError, and CannotBeWritten.
        """
        with open_folder_of(self._root, place) as folder:
            if _is_there(place.name, folder.descriptor):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place))
            os.rename(
                self._place.name,
                place.name,
                src_dir_fd=self._folder.descriptor,
                dst_dir_fd=folder.descriptor,
            )
            os.fsync(folder.descriptor)
        os.fsync(self._folder.descriptor)

    def _append(self, place: PurePosixPath, lines: bytes) -> None:
        folder = self._folder.descriptor
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = os.open(place.name, flags, 0o666, dir_fd=folder)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise CannotBeWritten(f"{place} is there and is no plain file", "Move it out of the way.")
            if no_ledger := why_no_ledger(os.pread(descriptor, _FIRST_BYTES, 0)):
                raise CannotBeWritten(f"{place} is no ledger: it {no_ledger.message}")
            if not found.st_size:
                self._folder.give(descriptor)
            # A last line that somebody left without its end must not swallow these.
            elif os.pread(descriptor, 1, found.st_size - 1) != b"\n":
                lines = b"\n" + lines
            if os.write(descriptor, lines) != len(lines):
                os.ftruncate(descriptor, found.st_size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
            if not found.st_size:
                os.fsync(folder)
        finally:
            os.close(descriptor)


def changes_of(place: PurePosixPath) -> PurePosixPath:
    """Where the changes of the ledger `place` are told: `findings.changes.jsonl` for `findings.jsonl`."""
    return place.with_name(f"{place.name.removesuffix('.jsonl')}.changes.jsonl")


def _root(root: Path) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise LedgerUnreadable(f"there is no folder {root}") from error


def _opened(name: str, folder: int) -> BinaryIO:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.ENOTDIR, name)
    return open(descriptor, "rb")  # noqa: PTH123 - it is a descriptor


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _lock(folder: int, place: PurePosixPath, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _HELD_BY_ANOTHER:
                raise
            if time.monotonic() > deadline:
                raise LedgerBusy(
                    f"another process holds {place} for over {seconds:g} seconds",
                    "Let it end, then try again.",
                ) from error
            time.sleep(_POLL_SECONDS)
        else:
            return
