"""What the judged tree has otherwise than one other tree: which paths differ, and which globs feel it.

Attribution compares the judged tree with a pull request's base once. Where no path that a glob selects
differs, and no pointer that it follows, the glob selects the very same entries in both trees; whatever is
said of it at one of them holds at the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ophiuchus.git.findings import BaseState
from ophiuchus.git.globs import accepted_globs
from ophiuchus.git.matches import followed_submodule
from ophiuchus.git.objects import Unusable
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import SortedPaths, select_in_budget
from ophiuchus.git.tree_chain import TreeState, compare_trees

_MEANING = re.compile(r"[*?\[\\{]")
_CAUSES = {
    TreeState.UNREADABLE: Unusable(BaseState.UNREADABLE, "one of the two trees cannot be read to its end"),
    TreeState.OVER_BUDGET: Unusable(BaseState.OVER_BUDGET, "too much differs between the two trees"),
}


@dataclass(frozen=True, slots=True)
class Touched:
    """What differs between two trees: all `paths` in byte order, and those that are a submodule in one."""

    paths: tuple[bytes, ...]
    submodules: frozenset[bytes] = frozenset()

    def among(self, globs: Iterable[str]) -> frozenset[str]:
        """Those of `globs` that may select other entries in one tree than in the other.

        A glob that is too costly to match is among them; one that is refused never is.
        """
        accepted = accepted_globs(self._near(dict.fromkeys(globs)))
        selections = select_in_budget(accepted, SortedPaths(self.paths))
        return frozenset(
            glob.text
            for glob, selection in zip(accepted, selections, strict=True)
            if selection is None or selection or followed_submodule(glob, self.submodules)
        )

    def _near(self, globs: Iterable[str]) -> Iterable[str]:
        """Those of `globs` whose plain beginning is a path that differs or a folder with one, for haste.

        All that a glob selects lies there, in either reading of its segments. Most changes touch little.
        """
        if self.submodules:
            return globs
        places = {b"", *self.paths}
        for path in self.paths:
            while (path := path.rpartition(b"/")[0]) not in places:
                places.add(path)
        return (text for text in globs if _plain_beginning(text) in places)


def _plain_beginning(glob: str) -> bytes:
    """The leading segments that have no character with a meaning."""
    meaning = _MEANING.search(glob)
    plain = glob.rstrip("/") if meaning is None else glob[: meaning.start()].rpartition("/")[0]
    return plain.encode("utf-8", "replace")


def compare_with(scratch: Scratch, judged: str, tree: str) -> Touched | Unusable:
    """The judged tree against another one (both by full id), or why the two could not be compared."""
    chain = compare_trees(scratch, judged, [tree])
    state = chain.states[tree]
    if state is not TreeState.COMPARED:
        return _CAUSES[state]
    return Touched(tuple(chain.paths), frozenset(chain.submodules()))
