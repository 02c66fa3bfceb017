"""The base: what a change is compared with, and what is other there."""

from __future__ import annotations

from dataclasses import dataclass

from ophiuchus.capsule.shelf import Shelf, read_earlier_shelf
from ophiuchus.git.findings import BaseState
from ophiuchus.git.objects import Unusable, commits
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.touched import Touched, compare_with
from ophiuchus.report.model import Scope
from ophiuchus.report.scope import continued_in, lineage_of
from ophiuchus.text.clean import spell_path
from ophiuchus.text.problem import ProblemCode


@dataclass(frozen=True, slots=True)
class Base:
    """A commit whose tree was compared with the judged one, once.

    `shelf` has the base's capsules, `paths` spells the paths of all files that differ, `continued` are the
    ids that gated nothing there.
    """

    commit: str
    tree: str
    touched: Touched
    paths: frozenset[str]
    shelf: Shelf
    continued: frozenset[str]


def read_base(
    scratch: Scratch, commit_id: str, judged: str, later: Shelf, *, pattern: str, scope: Scope
) -> Base | Unusable:
    """The commit with the full id `commit_id` as the base of the tree `judged`, or why it cannot be that.

    `later` is the judged tree's shelf by `pattern`. Of the base only capsules' files that differ are read.
    Raises as `read_shelf`.
    """
    found = commits(scratch, [commit_id])[commit_id]
    if isinstance(found, Unusable):
        return found
    touched = compare_with(scratch, judged, found.tree)
    if isinstance(touched, Unusable):
        return touched
    shelf = read_earlier_shelf(scratch, found.tree, pattern, later, touched.paths)
    if any(problem.code is ProblemCode.UNREADABLE for problem in shelf.problems):
        # Else a capsule that was there would pass for one that is new.
        return Unusable(BaseState.UNREADABLE, "the content of a capsule there is missing in this clone")
    return Base(
        commit=commit_id,
        tree=found.tree,
        touched=touched,
        paths=frozenset(map(spell_path, touched.paths)),
        shelf=shelf,
        continued=continued_in(lineage_of(shelf), scope),
    )
