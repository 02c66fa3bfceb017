"""What the judged tree has otherwise than one other tree: which paths differ, and which globs feel it.

Attribution compares the judged tree with a pull request's base once. Where no path that a glob selects
differs, and no pointer that it follows, the glob selects the very same entries in both trees; whatever is
said of it at one of them holds at the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ophiuchus.git.base_facts import BaseFacts
from ophiuchus.git.findings import BaseState
from ophiuchus.git.globs import RefusedGlob, compile_glob
from ophiuchus.git.objects import Unusable
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import SortedPaths, select_in_budget
from ophiuchus.git.tree_chain import TreeChain, TreeState, compare_trees

_CAUSES = {
    TreeState.UNREADABLE: Unusable(BaseState.UNREADABLE, "one of the two trees cannot be read to its end"),
    TreeState.OVER_BUDGET: Unusable(BaseState.OVER_BUDGET, "too much differs between the two trees"),
}


class Touched:
    """What differs between the judged tree and `tree`, compared once."""

    def __init__(self, chain: TreeChain, tree: str) -> None:
        self._chain = chain
        self._tree = tree

    @property
    def paths(self) -> Sequence[bytes]:
        """All paths that differ, in byte order."""
        return self._chain.paths

    def among(self, globs: Iterable[str]) -> frozenset[str]:
        """Those of `globs` that may select other entries in one tree than in the other.

        A glob that is too costly to match is among them; one that is refused never is.
        """
        accepted = []
        for text in dict.fromkeys(globs):
            try:
                accepted.append(compile_glob(text))
            except RefusedGlob:
                continue
        paths = SortedPaths(self._chain.paths)
        selections = select_in_budget(accepted, paths)
        numbers = range(len(accepted))
        facts = BaseFacts(self._chain, paths, accepted, selections, {self._tree: numbers})
        if facts.states[self._tree] is not TreeState.COMPARED:
            return frozenset(glob.text for glob in accepted)
        return frozenset(
            accepted[number].text
            for number in numbers
            if selections[number] is None or facts.of(self._tree, number)[0].changed_count
        )


def compare_with(scratch: Scratch, judged: str, tree: str) -> Touched | Unusable:
    """The judged tree against another one (both by full id), or why the two could not be compared."""
    chain = compare_trees(scratch, judged, [tree])
    state = chain.states[tree]
    return Touched(chain, tree) if state is TreeState.COMPARED else _CAUSES[state]
