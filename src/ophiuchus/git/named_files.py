"""A few files of a tree that are known by name: their entries, and their bytes, at once or as a stream."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO, cast

from ophiuchus.git.objects import REGULAR, TreeEntry, Unread, list_tree, read_blobs
from ophiuchus.git.scratch import Scratch

_BUFFER = 1 << 16


def named_files(scratch: Scratch, tree: str, places: Sequence[str]) -> list[TreeEntry]:
    """The entries of `tree` at or below each of `places`, in the order of the paths' bytes.

    Raises TreeUnreadable and TreeTooLarge.
    """
    return list(list_tree(scratch, tree, *map(os.fsencode, places)))


def read_files(
    scratch: Scratch, tree: str, places: Sequence[str], most_bytes: int
) -> dict[str, bytes | Unread]:
    """The regular files of `tree` at `places`, by place; none that has more than `most_bytes` is read.

    Raises TreeUnreadable and TreeTooLarge.
    """
    ids = {
        place: entry.id
        for entry in named_files(scratch, tree, places)
        if entry.mode in REGULAR and (place := os.fsdecode(entry.path)) in places
    }
    return dict(zip(ids, read_blobs(scratch, list(ids.values()), most_bytes), strict=True))


def open_blob(scratch: Scratch, blob: str) -> BinaryIO:
    """The bytes of the blob with this full id, from its start; git runs until this is closed.

    Reading raises GitFailed where the object is missing or damaged, or is no blob.
    """
    return cast("BinaryIO", io.BufferedReader(_Blob(scratch, blob), _BUFFER))


class _Blob(io.RawIOBase):
    def __init__(self, scratch: Scratch, blob: str) -> None:
        self._git = ExitStack()
        self._chunks = self._git.enter_context(scratch.git.stream("cat-file", "blob", blob))
        self._held = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._held:
            self._held = memoryview(next(self._chunks, b""))
        size = min(len(buffer), len(self._held))
        buffer[:size] = self._held[:size]
        self._held = self._held[size:]
        return size

    def close(self) -> None:
        if not self.closed:
            self._git.close()
        super().close()
