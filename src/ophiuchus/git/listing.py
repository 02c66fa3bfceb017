"""The judged tree as one listing: which globs match anything there, and the digests of what they match."""

from __future__ import annotations

from functools import cached_property

from ophiuchus.git.globs import Glob
from ophiuchus.git.object_id import ID_LENGTH
from ophiuchus.git.objects import TreeUnreadable, tree_records
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import MalformedPath, Selection, SortedPaths, followed_submodule

_SUBMODULE = b"160000 "


class Listing:
    """All entries of one tree. Raises TreeUnreadable."""

    def __init__(self, scratch: Scratch, tree: str) -> None:
        self.object_format = scratch.object_format
        self._records = list(tree_records(scratch, tree))
        # `mode SP blob SP id TAB path`, and `commit` for `blob` where it is a submodule.
        path_at = len(b"100644 blob \t") + ID_LENGTH[scratch.object_format]
        paths = [record[path_at:] for record in self._records]
        self.submodules: dict[bytes, int] = {}
        for place, record in enumerate(self._records):
            if record.startswith(_SUBMODULE):
                paths[place] = record[path_at + len(b"commit") - len(b"blob") :]
                self.submodules[paths[place]] = place
        try:
            self.paths = SortedPaths(paths)
        except MalformedPath as error:
            raise TreeUnreadable(tree) from error

    def submodule_of(self, glob: Glob) -> bytes | None:
        """The submodule whose pointer `glob` follows."""
        return followed_submodule(glob, self.submodules)

    def following(self, glob: Glob, selection: Selection) -> Selection:
        """`selection`, with the pointer that `glob` follows."""
        submodule = self.submodule_of(glob)
        return selection if submodule is None else selection.including(self.submodules[submodule])

    @cached_property
    def entries(self) -> list[bytes]:
        """Each entry as an anchor digests it, `mode SP id SP path NUL`, in the order of `paths`."""
        return [
            b"%b %b %b\0" % (*head.split(b" ")[::2], path)
            for head, _, path in (record.partition(b"\t") for record in self._records)
        ]
