"""The judged tree as one listing."""

from __future__ import annotations

from functools import cached_property

from ophiuchus.git.object_id import ID_LENGTH
from ophiuchus.git.objects import tree_records
from ophiuchus.git.scratch import Scratch

_SUBMODULE = b"160000 "


class Listing:
    """All entries of one tree: their paths as git lists them, and which of them are submodules.

    That is in byte order, but for a hand-made tree: who looks for paths (`Matches`) refuses that one. Raises
    TreeUnreadable.
    """

    def __init__(self, scratch: Scratch, tree: str) -> None:
        self.object_format = scratch.object_format
        self._records = list(tree_records(scratch, tree))
        # `mode SP blob SP id TAB path`, and `commit` for `blob` where it is a submodule.
        path_at = len(b"100644 blob \t") + ID_LENGTH[scratch.object_format]
        self.paths = [record[path_at:] for record in self._records]
        self.submodules: set[bytes] = set()
        for place, record in enumerate(self._records):
            if record.startswith(_SUBMODULE):
                self.paths[place] = record[path_at + len(b"commit") - len(b"blob") :]
                self.submodules.add(self.paths[place])

    @cached_property
    def entries(self) -> list[bytes]:
        """Each entry as an anchor digests it, `mode SP id SP path NUL`, in the order of `paths`."""
        return [
            b"%b %b %b\0" % (*head.split(b" ")[::2], path)
            for head, _, path in (record.partition(b"\t") for record in self._records)
        ]
