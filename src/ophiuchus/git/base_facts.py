"""Facts about globs at many base trees, read off the chain of comparisons."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, compress, islice

from ophiuchus.git.findings import CHANGED_SHOWN, BaseFact, ChangedPath, GlobFact
from ophiuchus.git.globs import Glob
from ophiuchus.git.matches import Matches, followed_submodule
from ophiuchus.git.selection import Selection
from ophiuchus.git.tree_chain import CHANGE_OF, SUBMODULE_SIDE, TreeChain, TreeState

MOST_WORK = 100_000_000
"""Most paths looked at over all pairs of glob and base; about three seconds."""

UNCHANGED = BaseFact(0)
_NOWHERE = -1
_DIFFERING = re.compile(rb"[^\0]")
_BYTES_A_STEP = 64
"""How many bytes of a range are counted in the time of one look at a single place."""


class BaseFacts:
    """For each tree and each glob that is asked there (by number), what changed.

    `matches` is what the globs match of all paths, among which are the chain's. `unchanged` is what is known
    of each glob where nothing of it changed. `states` says of every tree whether it was compared.
    """

    def __init__(
        self,
        chain: TreeChain,
        globs: Sequence[Glob],
        matches: Matches,
        unchanged: Sequence[GlobFact],
        asked: Mapping[str, Collection[int]],
    ) -> None:
        self.states = dict(chain.states)
        self._paths = matches.paths
        self._selections = matches.selections
        self._unchanged = unchanged
        self._pointers = _pointers(globs, chain.submodules())
        self._facts: dict[str, dict[int, GlobFact]] = {}
        self._shown: dict[int, ChangedPath] = {}
        plain = [
            _NOWHERE if number in self._pointers else _plain_place(selection)
            for number, selection in enumerate(matches.selections)
        ]
        work = 0
        for tree, codes in chain.replay(matches.paths.place_of):
            facts = self._facts[tree] = {}
            for number in asked.get(tree, ()):
                place = plain[number]
                if place == _NOWHERE:
                    work += self._note(facts, number, codes)
                else:
                    # The usual case, made short.
                    work += 1
                    if code := codes[place]:
                        facts[number] = self._fact(number, 1, (self._changed(place, code),))
                if work > MOST_WORK:
                    self.states[tree] = TreeState.OVER_BUDGET
                    break

    def at(self, tree: str) -> Mapping[int, GlobFact]:
        """What changed between a compared tree and the judged one, of those globs of which something did."""
        return self._facts[tree]

    def _note(self, facts: dict[int, GlobFact], number: int, codes: bytearray) -> int:
        """Find what changed of one glob; the work that it took."""
        selection, pointer = self._selections[number], None
        if selection is None:
            return 1
        if self._pointers and (pointer := self._pointer(number, codes)):
            selection = selection.including(self._paths.place_of[pointer])
        ranges, places = selection
        touched = bytes(map(codes.__getitem__, places)) if places else b""
        count, within = len(places) - touched.count(0), 0
        for start, end in ranges:
            count += end - start - codes.count(0, start, end)
            within += end - start
        if count:
            first = _first(codes, selection, touched)
            changed = tuple([self._changed(place, codes[place]) for place in first])
            facts[number] = self._fact(number, count, changed, pointer)
        return len(places) + within // _BYTES_A_STEP + 1

    def _pointer(self, number: int, codes: bytearray) -> bytes | None:
        """The submodule that the glob follows and whose pointer differs here."""
        pointer = self._pointers.get(number)
        if pointer is None or not codes[self._paths.place_of[pointer]] & SUBMODULE_SIDE:
            return None
        return pointer

    def _fact(
        self, number: int, count: int, changed: tuple[ChangedPath, ...], pointer: bytes | None = None
    ) -> GlobFact:
        glob, refused, matches_now, _, anchor, pointer_now = self._unchanged[number]
        return GlobFact(glob, refused, matches_now, BaseFact(count, changed), anchor, pointer_now or pointer)

    def _changed(self, place: int, code: int) -> ChangedPath:
        """One object for all globs and bases at which this path changed in the same way."""
        key = place << 8 | code
        found = self._shown.get(key)
        if found is None:
            change = CHANGE_OF[code & ~SUBMODULE_SIDE]
            found = self._shown[key] = ChangedPath(self._paths.paths[place], change)
        return found


def _pointers(globs: Sequence[Glob], submodules: Collection[bytes]) -> dict[int, bytes]:
    """The submodule that each glob follows, by number, of those that do."""
    if not submodules:
        return {}
    followed = ((number, followed_submodule(glob, submodules)) for number, glob in enumerate(globs))
    return {number: pointer for number, pointer in followed if pointer is not None}


def _plain_place(selection: Selection | None) -> int:
    """The place of a selection that is just one path."""
    if selection is None or selection.ranges or len(selection.places) != 1:
        return _NOWHERE
    return selection.places[0]


def _first(codes: bytearray, selection: Selection, touched: bytes) -> Sequence[int]:
    """The first selected places that have a code other than 0; `touched` are those of the single places."""
    first = list(islice(compress(selection.places, touched), CHANGED_SHOWN))
    if selection.ranges:
        found = (_DIFFERING.finditer(codes, start, end) for start, end in selection.ranges)
        first += [match.start() for match in islice(chain.from_iterable(found), CHANGED_SHOWN)]
    if touched and selection.ranges:
        first = sorted(first)[:CHANGED_SHOWN]
    return first
