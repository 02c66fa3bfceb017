"""Asking git about the conditions of many capsules at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ophiuchus.capsule.model import Capsule, GitPaths
from ophiuchus.git.changes import Fetch, look
from ophiuchus.git.findings import NO_ANCHORS, PathsFacts, PathsQuestion
from ophiuchus.git.scratch import Scratch

Facts = Mapping[str, PathsFacts]
"""What git found about one capsule, by the id of the condition."""


def git_paths_of(capsule: Capsule) -> list[GitPaths]:
    """The conditions that git is asked about."""
    return [condition for condition in capsule.validity if isinstance(condition, GitPaths)]


def ask(
    scratch: Scratch,
    tree: str,
    asked: Iterable[tuple[Capsule, Sequence[GitPaths]]],
    *,
    head: str | None = None,
    fetch: Fetch | None = None,
) -> Iterator[Facts]:
    """What git found on `tree` about each capsule's given conditions, in the order of `asked`.

    `head` is the tree's commit, where ancestry is of interest; `fetch` gets bases that are missing. Raises
    whatever `git.changes.look` raises.
    """
    all_asked = list(asked)
    questions = [
        PathsQuestion(condition.paths, capsule.base_of(condition), condition.anchors or NO_ANCHORS)
        for capsule, conditions in all_asked
        for condition in conditions
    ]
    answers = iter(look(scratch, tree, questions, head=head, fetch=fetch) if questions else ())
    for _, conditions in all_asked:
        yield {condition.condition_id: next(answers) for condition in conditions}
