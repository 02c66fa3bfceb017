"""Facts about globs at many base trees, read off the chain of comparisons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice

from ophiuchus.git.findings import CHANGED_SHOWN, BaseFact, ChangedPath
from ophiuchus.git.globs import Glob
from ophiuchus.git.selection import (
    NOTHING,
    MalformedPath,
    Selection,
    SortedPaths,
    followed_submodule,
    select_in_budget,
)
from ophiuchus.git.tree_chain import CHANGE_OF, SUBMODULE_SIDE, TreeChain, TreeState

MOST_WORK = 100_000_000
"""Most paths looked at over all pairs of glob and base; about three seconds."""

UNCHANGED = BaseFact(0)
_DIFFERING = re.compile(rb"[^\0]")
_BYTES_A_STEP = 64
"""How many bytes of a range are counted in the time of one look at a single place."""


class BaseFacts:
    """For each tree that is asked about and each glob that is asked there (both by number or id), the fact.

    `states` says of every tree whether it was compared; `too_costly` are globs that were not matched.
    """

    def __init__(self, chain: TreeChain, globs: Mapping[int, Glob], asked: Mapping[str, set[int]]) -> None:
        self.states = dict(chain.states)
        self.too_costly: set[int] = set()
        self._facts: dict[tuple[str, int], tuple[BaseFact, bytes | None]] = {}
        self._shown: dict[tuple[int, int], ChangedPath] = {}
        self._chain = chain
        try:
            self._answer(globs, asked)
        except MalformedPath:
            self.states = dict.fromkeys(self.states, TreeState.UNREADABLE)

    def of(self, tree: str, number: int) -> tuple[BaseFact, bytes | None]:
        """The fact for a compared tree, and the submodule whose pointer the glob follows there."""
        return self._facts.get((tree, number), (UNCHANGED, None))

    def _answer(self, globs: Mapping[int, Glob], asked: Mapping[str, set[int]]) -> None:
        """Fill in what is not UNCHANGED."""
        chosen = self._select(globs)
        pointers = self._pointers(globs)
        work = 0
        for tree, codes in self._chain.replay():
            for number in asked.get(tree, ()):
                selection, pointer = chosen.get(number, NOTHING), pointers.get(number)
                if not selection and pointer is None:
                    continue
                if work > MOST_WORK:
                    self.states[tree] = TreeState.OVER_BUDGET
                    break
                work += _cost(selection)
                self._note(tree, number, codes, selection, pointer)

    def _select(self, globs: Mapping[int, Glob]) -> dict[int, Selection]:
        paths = SortedPaths(self._chain.paths)
        chosen = {}
        for number, selection in zip(globs, select_in_budget(list(globs.values()), paths), strict=True):
            if selection is None:
                self.too_costly.add(number)
            elif selection:
                chosen[number] = selection
        return chosen

    def _pointers(self, globs: Mapping[int, Glob]) -> dict[int, int]:
        """By glob the place of the submodule that it follows, of those whose pointer differs somewhere."""
        submodules = {self._chain.paths[place]: place for place in self._chain.submodule_places()}
        found = ((number, followed_submodule(glob, submodules)) for number, glob in globs.items())
        return {number: submodules[path] for number, path in found if path is not None}

    def _note(
        self, tree: str, number: int, codes: bytearray, selection: Selection, pointer: int | None
    ) -> None:
        followed = None
        if pointer is not None and codes[pointer] & SUBMODULE_SIDE:
            followed = self._chain.paths[pointer]
            selection = selection.including(pointer)
        count = _count(codes, selection)
        if count:
            places = _first_differing(codes, selection)
            changed = tuple(self._changed_path(place, codes[place]) for place in places)
            self._facts[tree, number] = BaseFact(count, changed), followed

    def _changed_path(self, place: int, code: int) -> ChangedPath:
        """One object for all globs and bases at which this path changed in the same way."""
        found = self._shown.get((place, code))
        if found is None:
            change = CHANGE_OF[code & ~SUBMODULE_SIDE]
            found = self._shown[place, code] = ChangedPath(self._chain.paths[place], change)
        return found


def _cost(selection: Selection) -> int:
    return 1 + len(selection.places) + sum(end - start for start, end in selection.ranges) // _BYTES_A_STEP


def _count(codes: bytearray, selection: Selection) -> int:
    """How many places of `selection` have a code that is not 0."""
    ranges, places = selection
    count = sum(end - start - codes.count(0, start, end) for start, end in ranges)
    if len(places) == 1:
        return count + (codes[places[0]] != 0)
    return count + len(places) - bytes(map(codes.__getitem__, places)).count(0)


def _first_differing(codes: bytearray, selection: Selection) -> Sequence[int]:
    """The first places, in order, that have a code that is not 0: those that are shown."""
    first: list[int] = []
    for start, end in selection.ranges:
        found = _DIFFERING.finditer(codes, start, end)
        first += (match.start() for match in islice(found, CHANGED_SHOWN - len(first)))
        if len(first) == CHANGED_SHOWN:
            break
    if selection.places:
        single = (place for place in selection.places if codes[place])
        first = sorted([*first, *islice(single, CHANGED_SHOWN)])[:CHANGED_SHOWN]
    return first
