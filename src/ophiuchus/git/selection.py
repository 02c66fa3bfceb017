"""Which of many sorted paths each of many globs matches.

A plain path or folder is one range of the sorted paths, found by a look-up; only globs with wildcards walk
the trie. What a glob with wildcards matches is one place after the other, or whole folders.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from operator import lt
from typing import NamedTuple

from ophiuchus.git.glob_trie import GlobTrie, TooMuchWork, is_indexed
from ophiuchus.git.globs import CAPSULE_FOLDER, Glob, Shape

Range = tuple[int, int]
"""Places from the first up to, not including, the second."""


class Selection(NamedTuple):
    """What one glob matches: disjoint `ranges` of places, and single `places` outside of them, all sorted."""

    ranges: tuple[Range, ...] = ()
    places: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.ranges or self.places)

    def all_places(self) -> list[int]:
        """Every place, sorted."""
        every = [place for start, end in self.ranges for place in range(start, end)]
        return sorted([*every, *self.places]) if self.places else every

    def including(self, place: int) -> Selection:
        """The same and `place`."""
        if place in self.places or any(start <= place < end for start, end in self.ranges):
            return self
        return Selection(self.ranges, tuple(sorted([*self.places, place])))


NOTHING = Selection()


def is_malformed(path: bytes) -> bool:
    """Whether no git writes such a path: a hand-made tree can hold a name with a slash, or an empty one."""
    return path.startswith(b"/") or b"//" in path


class MalformedPath(ValueError):
    """A tree holds a name that no git writes, or names in another order, or one twice."""


def in_byte_order(paths: Sequence[bytes]) -> Sequence[bytes]:
    """`paths`, known to be distinct and in byte order, as git lists a tree. Raises MalformedPath."""
    if not all(map(lt, paths, islice(paths, 1, None))):
        raise MalformedPath
    return paths


class SortedPaths:
    """Distinct paths in byte order: the place of each, and the range below each folder.

    Raises MalformedPath.
    """

    def __init__(self, paths: Sequence[bytes]) -> None:
        self.paths = in_byte_order(paths)
        self.place_of = {path: place for place, path in enumerate(paths)}
        self.below = self._ranges()

    def _ranges(self) -> dict[bytes, Range]:
        """The range of every folder's paths; they are neighbours, for they share `folder/`."""
        ranges: dict[bytes, Range] = {}
        opened: list[tuple[bytes, int]] = []
        current = b""
        for place, path in enumerate(self.paths):
            cut = path.rfind(b"/")
            folder = path[:cut] if cut >= 0 else b""
            if folder == current and cut:
                continue
            if is_malformed(path):
                raise MalformedPath
            while opened and not (folder + b"/").startswith(opened[-1][0] + b"/"):
                name, start = opened.pop()
                ranges[name] = (start, place)
            at = len(opened[-1][0]) + 1 if opened else 0
            while at <= len(folder) and folder:
                end = folder.find(b"/", at)
                end = end if end >= 0 else len(folder)
                opened.append((folder[:end], place))
                at = end + 1
            current = folder
        ranges.update((name, (start, len(self.paths))) for name, start in opened)
        if self.paths:
            ranges[b""] = (0, len(self.paths))
        return ranges


def select(globs: Sequence[Glob], paths: SortedPaths) -> list[Selection]:
    """For each glob what it matches, submodules' pointers not followed. Raises TooMuchWork."""
    selections = [_literally(glob, paths) for glob in globs]
    if any(glob.segments for glob in globs):
        places, folders = GlobTrie(globs).walk(paths.paths)
        for number in places.keys() | folders.keys():
            ranges = [paths.below[folder] for folder in folders.get(number, ())]
            selections[number] = _joined(selections[number], ranges, places.get(number, []))
    return selections


def select_in_budget(globs: Sequence[Glob], paths: SortedPaths) -> list[Selection | None]:
    """As `select`, but None for globs that cost too much.

    First those go whose wildcards must be tried on every name, so that they spoil no other; if it still is
    too much, all with wildcards.
    """
    everything = range(len(globs))
    with suppress(TooMuchWork):
        return list(select(globs, paths))
    with suppress(TooMuchWork):
        kept = [number for number in everything if _is_indexed(globs[number])]
        found = dict(zip(kept, select([globs[number] for number in kept], paths), strict=True))
        return [found.get(number) for number in everything]
    return [None if glob.segments else _literally(glob, paths) for glob in globs]


def _is_indexed(glob: Glob) -> bool:
    return all(is_indexed(segment) for segment in glob.segments)


def _literally(glob: Glob, paths: SortedPaths) -> Selection:
    """What `glob` matches without any wildcard."""
    below = paths.below.get(glob.path)
    ranges: tuple[Range, ...] = () if below is None else (below,)
    if not glob.path:
        ranges = _without((0, len(paths.paths)), paths.below.get(CAPSULE_FOLDER))
    if glob.shape is not Shape.BELOW and (place := paths.place_of.get(glob.path)) is not None:
        return Selection(ranges, (place,))
    return Selection(ranges) if ranges else NOTHING


def _without(whole: Range, hole: Range | None) -> tuple[Range, ...]:
    parts = (whole,) if hole is None else ((whole[0], hole[0]), (hole[1], whole[1]))
    return tuple((start, end) for start, end in parts if start < end)


def _joined(literally: Selection, ranges: list[Range], places: list[int]) -> Selection:
    """One selection of both readings; ranges may lie in one another, places in ranges."""
    if not ranges and not literally:
        return Selection((), tuple(places))
    disjoint: list[Range] = []
    # Of two that begin alike the longer comes first: folders lie in one another, they never overlap in part.
    for start, end in sorted([*literally.ranges, *ranges], key=lambda range_: (range_[0], -range_[1])):
        if not disjoint or start >= disjoint[-1][1]:
            disjoint.append((start, end))
    single = sorted({*literally.places, *places})
    return Selection(tuple(disjoint), tuple(_outside(single, disjoint)))


def _outside(places: Iterable[int], ranges: Sequence[Range]) -> Iterator[int]:
    """Those of the sorted `places` that lie in none of the sorted, disjoint `ranges`."""
    starts = [start for start, _ in ranges]
    for place in places:
        at = bisect_right(starts, place) - 1
        if at < 0 or place >= ranges[at][1]:
            yield place
