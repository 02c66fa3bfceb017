"""What globs match of the judged tree and of all paths that ever differ from it, found in one walk."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from ophiuchus.git.globs import Glob
from ophiuchus.git.listing import Listing
from ophiuchus.git.selection import Selection, SortedPaths, in_byte_order, select_in_budget


class Matches:
    """Each glob's selection of `paths`, which are those of the listing and the `differing` ones.

    Globs are known by their place in `globs`; a selection is None where matching cost too much. A glob at or
    below a submodule of the judged tree follows its pointer, which its selection then holds. Raises
    MalformedPath.
    """

    def __init__(self, listing: Listing, globs: Sequence[Glob], differing: Collection[bytes] = ()) -> None:
        gone = set(differing).difference(listing.paths)
        # Sorting would hide that the listing itself is in another order.
        known = sorted([*in_byte_order(listing.paths), *gone]) if gone else listing.paths
        self.paths = SortedPaths(known)
        self._listing = listing
        self._present = bytearray(b"\1") * len(self.paths.paths)
        for path in gone:
            self._present[self.paths.place_of[path]] = 0
        self.selections = select_in_budget(globs, self.paths)
        self.pointers: dict[int, bytes] = {}
        self._follow(globs)

    def matches_now(self, number: int) -> bool:
        """Whether the glob matches an entry of the judged tree."""
        selection = self.selections[number]
        if selection is None:
            return False
        for start, end in selection.ranges:
            if self._present.find(1, start, end) >= 0:
                return True
        return any(map(self._present.__getitem__, selection.places))

    def entries(self, selection: Selection) -> bytes:
        """What an anchor digests of the selected entries of the judged tree, in byte order of their paths."""
        if not selection.places:
            return b"".join(entry for start, end in selection.ranges for entry in self._entries[start:end])
        return b"".join(map(self._entries.__getitem__, selection.all_places()))

    @cached_property
    def _entries(self) -> list[bytes]:
        """By place; nothing for a path that the judged tree does not have."""
        entries = iter(self._listing.entries)
        return [next(entries) if present else b"" for present in self._present]

    def _follow(self, globs: Sequence[Glob]) -> None:
        if not self._listing.submodules:
            return
        for number, glob in enumerate(globs):
            selection, pointer = self.selections[number], followed_submodule(glob, self._listing.submodules)
            if selection is not None and pointer is not None:
                self.pointers[number] = pointer
                self.selections[number] = selection.including(self.paths.place_of[pointer])


def followed_submodule(glob: Glob, submodules: Collection[bytes]) -> bytes | None:
    """The submodule at or above the literal prefix of `glob`, whose pointer it follows (C037)."""
    if not submodules:
        return None
    prefix = glob.literal_prefix
    while prefix and prefix not in submodules:
        prefix = prefix.rpartition(b"/")[0]
    return prefix or None
