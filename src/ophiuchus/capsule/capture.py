"""Capturing a hand-off: from a draft and a person's own checkout to the bytes of a new capsule.

A git_paths condition gets HEAD as its base and, per glob, an anchor of the base's tree. From the index, the
anchors are those of what the next commit will hold, and there is no base (design §3, "Path anchors").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from ophiuchus.capsule.composition import Ground, compose, file_bytes, is_among, with_anchors
from ophiuchus.capsule.draft import Draft, DraftRefused
from ophiuchus.capsule.forecast import GlobDigests, Outlook, forecast
from ophiuchus.capsule.model import Capsule, GitPaths, parse_capsule
from ophiuchus.capsule.reading import read_capsule
from ophiuchus.capsule.shelf import Shelf, read_shelf
from ophiuchus.git.anchors import digest_globs, digest_of_nothing
from ophiuchus.git.checkout import Checkout
from ophiuchus.git.glob_trie import TooMuchWork
from ophiuchus.git.globs import CAPSULE_FOLDER, accepted_globs
from ophiuchus.git.object_id import is_full_id
from ophiuchus.git.objects import CommitUnusable, commit
from ophiuchus.git.own_checkout import UncommittedPath, current_branch, uncommitted_paths
from ophiuchus.git.scratch import Scratch, index_tree
from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.problem import ExpectedFailure, Problem, ProblemCode
from ophiuchus.text.wording import json_excerpt

FOLDER = PurePosixPath(CAPSULE_FOLDER.decode())
"""Where new capsules are written, from the top."""


class NoCommitYet(ExpectedFailure):
    """There is no commit that a hand-off could be grounded on."""

    def __init__(self) -> None:
        super().__init__(
            "there is no commit yet that a hand-off could speak about",
            "Commit first, or stage your files with git add and capture with --index.",
        )


class NoSuchParent(ExpectedFailure):
    """--parent names no capsule of this repository."""

    def __init__(self, parent: str) -> None:
        super().__init__(
            f"--parent {json_excerpt(parent)} names no capsule of this repository",
            "Give the capsule_id of a committed hand-off; `ophiuchus check` lists them.",
        )


class PatternsTooCostly(ExpectedFailure):
    """The draft's globs take too long to match."""

    def __init__(self) -> None:
        super().__init__("the draft's patterns take too long to match", "Declare fewer or simpler patterns.")


@dataclass(frozen=True, slots=True)
class Site:
    """A person's checkout, as far as a capture looks at it.

    `tree` is what a hand-off speaks about, HEAD's or the index's, and `shelf` holds its capsules. `written`
    are the names, without ending, of the files that lie in the capsules' folder, committed or not.
    """

    checkout: Checkout
    scratch: Scratch
    tree: str
    from_index: bool
    branch: str | None
    shelf: Shelf
    written: frozenset[str]
    uncommitted: tuple[UncommittedPath, ...]

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all capsules of the tree, and the names of those that are only written yet."""
        return self.written | {shelved.capsule.capsule_id for shelved in self.shelf.capsules}


@dataclass(frozen=True, slots=True)
class Captured:
    """A capsule that is not written yet: its place from the top, its file, what its author should know."""

    place: PurePosixPath
    data: bytes = field(repr=False)
    capsule: Capsule
    warnings: tuple[str, ...]


def survey(checkout: Checkout, scratch: Scratch, env: Mapping[str, str], *, from_index: bool = False) -> Site:
    """What is there before a capture. Raises NoCommitYet, and what git's room raises where it cannot read."""
    if from_index:
        here = index_tree(scratch, checkout)
    elif checkout.head is not None:
        here = commit(scratch, checkout.head).tree
    else:
        raise NoCommitYet
    return Site(
        checkout=checkout,
        scratch=scratch,
        tree=here,
        from_index=from_index,
        branch=current_branch(checkout, env),
        shelf=read_shelf(scratch, here),
        written=frozenset(file.stem for file in (checkout.top / FOLDER).glob("*.json")),
        uncommitted=uncommitted_paths(checkout, env),
    )


def capture(draft: Draft, site: Site, now: datetime, *, version: str, parent: str | None = None) -> Captured:
    """The capsule that `draft` becomes on this site; `version` is this program's own.

    Raises DraftRefused, NoSuchParent, PatternsTooCostly, and what git's room raises where it cannot read.
    """
    if parent is not None and not is_among(site.ids, parent):
        raise NoSuchParent(parent)
    ground = Ground(site.checkout.head, site.branch, site.ids, site.from_index, "ophiuchus", version)
    document = compose(draft, ground, now, parent)
    try:
        digests = _digests(draft, parse_capsule(document), site.scratch, site.tree)
        data = file_bytes(with_anchors(document, _anchors(document, digests)))
        place = FOLDER / f"{document['capsule_id']}.json"
        capsule, said = _read_back(draft, place, data)
        outlook = Outlook(place, digests, site.uncommitted, site.from_index)
        warnings = (*said, *_unread_parent(capsule, site.shelf), *forecast(capsule, outlook, now))
        return Captured(place, data, capsule, warnings)
    except TooMuchWork as error:
        raise PatternsTooCostly from error


def _anchors(
    document: Mapping[str, Any], digests: Mapping[tuple[int, str], GlobDigests]
) -> dict[int, dict[str, str]]:
    """The anchors of each git_paths condition, perhaps none, by its index."""
    anchors: dict[int, dict[str, str]] = {index: {} for index in _git_paths(parse_capsule(dict(document)))}
    for (index, glob), found in digests.items():
        anchors[index][glob] = found.then
    return anchors


def _read_back(draft: Draft, place: PurePosixPath, data: bytes) -> tuple[Capsule, list[str]]:
    """The new file as every check will read it, with what it will say. Raises DraftRefused."""
    reading = read_capsule(str(place), data)
    if reading.capsule is None:  # only its size can be wrong by now
        raise DraftRefused(tuple(draft.problem((), one.code, one.message) for one in reading.problems))
    return reading.capsule, [notice.message for notice in reading.notices]


def _unread_parent(capsule: Capsule, shelf: Shelf) -> Iterator[str]:
    """That the parent's file is there and cannot be read: then nobody can compare the two."""
    parent = capsule.parent_capsule_id
    if parent is not None and not shelf.all_with_id(parent):
        for said in shelf.unread_as(parent):
            yield f"the parent {json_excerpt(parent)} cannot be read: {said.path}: {said.message}"


def _digests(
    draft: Draft, capsule: Capsule, scratch: Scratch, here: str
) -> dict[tuple[int, str], GlobDigests]:
    """The digests of every accepted glob of each git_paths condition. Raises DraftRefused, TooMuchWork."""
    conditions = _git_paths(capsule)
    trees = _base_trees(draft, capsule, conditions, scratch, here)
    wanted: dict[str, set[str]] = defaultdict(set)
    for index, condition in conditions.items():
        accepted = _accepted(condition)
        wanted[trees[index]].update(accepted)
        wanted[here].update(accepted)
    found = {tree: digest_globs(scratch, tree, sorted(globs)) for tree, globs in wanted.items()}
    nothing = digest_of_nothing(scratch.object_format)
    return {
        (index, glob): GlobDigests(found[trees[index]][glob], found[here][glob], nothing)
        for index, condition in conditions.items()
        for glob in _accepted(condition)
    }


def _git_paths(capsule: Capsule) -> dict[int, GitPaths]:
    return {
        index: condition
        for index, condition in enumerate(capsule.validity)
        if isinstance(condition, GitPaths)
    }


def _accepted(condition: GitPaths) -> list[str]:
    return [glob.text for glob in accepted_globs(condition.paths)]


def _base_trees(
    draft: Draft, capsule: Capsule, conditions: Mapping[int, GitPaths], scratch: Scratch, here: str
) -> dict[int, str]:
    """The tree that each condition's anchors are taken of; `here` where it has no base."""
    trees, problems = {}, []
    for index, condition in conditions.items():
        base = capsule.base_of(condition)
        try:
            trees[index] = here if base is None else _tree_of(scratch, base)
        except _NoBase as error:
            problems.append(_base_problem(draft, index, str(error)))
    if problems:
        raise DraftRefused(tuple(problems))
    return trees


class _NoBase(Exception):
    """A base in the draft is no commit that is here."""


def _tree_of(scratch: Scratch, base: str) -> str:
    if not is_full_id(base, scratch.object_format):
        raise _NoBase("is not a full commit id in lower case; leave it out, and HEAD is taken")
    try:
        return commit(scratch, base).tree
    except CommitUnusable as unusable:
        raise _NoBase("is no commit of this clone; leave it out, and HEAD is taken") from unusable


def _base_problem(draft: Draft, index: int, words: str) -> Problem:
    own: Pointer = ("validity", index, "base_commit")
    pointer = own if draft.place_of(own) else ("grounding", "commit")
    name = f"validity[{index}].base_commit" if pointer == own else "grounding.commit"
    return draft.problem(pointer, ProblemCode.BAD_FIELD, f"`{name}` {words}")
