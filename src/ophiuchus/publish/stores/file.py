"""Receipts in a file outside the checkout: one line a row, the last one of a claim key counts.

Only for a place that outlives the run and is the same for every run: a disk of one's own, no cache.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from ophiuchus.publish.receipts import NotAReceipt, Receipt, Row, parse_row, upon
from ophiuchus.publish.stores.store import StoreMissing, StoreUnreadable, StoreUnwritable

MOST_BYTES = 64 << 20
"""Most bytes of a file of receipts that are read."""
LOCK_SECONDS = 60.0
"""How long to wait for another process that holds the file."""


class FileStore:
    """The file at `path`, with `path`.lock beside it. Links are followed first: one file has one lock."""

    def __init__(self, path: Path, lock_seconds: float = LOCK_SECONDS) -> None:
        self._path = Path(os.path.realpath(path))
        self._lock_seconds = lock_seconds

    def read(self) -> Mapping[str, Row]:
        """Every row that counts. A line that says nothing of whose it is stops all (case C100)."""
        content = self._content()
        if content and not content.endswith(b"\n"):
            # Perhaps another process is just writing it: under the lock nobody is.
            try:
                with self._locked():
                    content = self._content()
            except StoreUnwritable as failure:
                raise StoreUnreadable(
                    f"{failure.message}; its last line is not whole, so nobody knows what it says",
                    failure.remedy,
                ) from failure
        return self._rows(content)

    def _content(self) -> bytes:
        try:
            # Without waiting: a pipe has no end.
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(descriptor, "rb") as file:  # noqa: PTH123 - it is a descriptor
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise self._unreadable("it is no plain file")
                content = file.read(MOST_BYTES + 1)
        except FileNotFoundError as error:
            raise StoreMissing(
                f"there is no file of receipts at {self._path}",
                "If nothing was ever published from here, make it with "
                "`ophiuchus receipts init --receipts file:PATH`.",
            ) from error
        except OSError as error:
            raise self._unreadable(os.strerror(error.errno or 0)) from error
        if len(content) > MOST_BYTES:
            raise self._unreadable(f"it has more than {MOST_BYTES:,} bytes")
        return content

    def _rows(self, content: bytes) -> Mapping[str, Row]:
        rows: dict[str, Row] = {}
        for number, line in enumerate(content.split(b"\n"), 1):
            if line.strip():
                where = f"{self._path}:{number}"
                try:
                    row = parse_row(line, where)
                except NotAReceipt as error:
                    raise self._unreadable(f"line {number} is no receipt") from error
                rows[row.claim_key] = upon(rows.get(row.claim_key), row, where)
        return rows

    def swap(self, before: Row | None, after: Receipt, now: datetime) -> bool:  # noqa: ARG002 - a branch's
        """Append the row, under the lock, flushed to the disk."""
        with self._locked():
            if self._rows(self._content()).get(after.claim_key) != before:
                return False
            self._append(after.line())
            return True

    def create(self, now: datetime) -> bool:  # noqa: ARG002 - a branch's
        """Make the empty file and the folder it is in. Raises StoreUnreadable where it cannot serve."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            except FileExistsError:
                self.read()  # or it would be told that it is there, and be of no use
                return False
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise self._unwritable(error) from error
        return True

    def _append(self, line: bytes) -> None:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
            try:
                size = os.fstat(descriptor).st_size
                # A last line that somebody left without its end must not swallow this one.
                if size and os.pread(descriptor, 1, size - 1) != b"\n":
                    line = b"\n" + line
                if os.write(descriptor, line) != len(line):
                    os.ftruncate(descriptor, size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise self._unwritable(error) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = FileLock(f"{self._path}.lock", timeout=self._lock_seconds, mode=0o600)
        try:
            lock.acquire()
        except Timeout as error:
            raise StoreUnwritable(
                f"another process holds the receipts at {self._path} for over {self._lock_seconds:g} seconds",
                "Let it end, then try again.",
            ) from error
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            yield
        finally:
            lock.release()

    def _unreadable(self, why: str) -> StoreUnreadable:
        return StoreUnreadable(
            f"the receipts at {self._path} cannot be read: {why}",
            "Look at the file, and correct it by hand if need be.",
        )

    def _unwritable(self, error: OSError) -> StoreUnwritable:
        return StoreUnwritable(
            f"the receipts at {self._path} cannot be written: {os.strerror(error.errno or 0)}",
            "Give a file in a folder that exists and may be written to.",
        )
