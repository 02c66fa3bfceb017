"""The ledgers' files in the judged tree and at the base: git objects, streamed, as capsules are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from ophiuchus.git.named_files import named_files, open_blob
from ophiuchus.git.objects import REGULAR
from ophiuchus.git.scratch import Scratch
from ophiuchus.text.clean import spell_path
from ophiuchus.text.problem import Problem, ProblemCode

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class CommittedLedger:
    """One ledger of a tree. `open` streams it from its start; reading raises GitFailed where that fails."""

    path: str
    blob: str
    scratch: Scratch

    @property
    def name(self) -> str:
        """The file's name without its folders."""
        return PurePosixPath(self.path).name

    def open(self) -> BinaryIO:
        """Its bytes."""
        return open_blob(self.scratch, self.blob)


@dataclass(frozen=True, slots=True)
class LedgerTrees:
    """The ledgers of one kind in the judged tree and, where one is known, at the base.

    `refused` are problems of what stands at a ledger's place and is no file.
    """

    now: Sequence[CommittedLedger]
    before: Sequence[CommittedLedger] | None
    refused: Sequence[Problem]

    @property
    def untouched(self) -> frozenset[str]:
        """The paths whose file is the same at the base."""
        known = {(one.path, one.blob) for one in self.before or ()}
        return frozenset(one.path for one in self.now if (one.path, one.blob) in known)

    def changed_before(self) -> Iterator[CommittedLedger]:
        """The base's files that were not left alone or only added to. Raises GitFailed as reading does."""
        now = {one.path: one for one in self.now}
        for one in self.before or ():
            later = now.get(one.path)
            if later is None or not (one.blob == later.blob or _begins_with(later, one)):
                yield one


def _begins_with(later: CommittedLedger, earlier: CommittedLedger) -> bool:
    """Whether the later file is the earlier one with whole lines behind it: what nearly every change does."""
    last = b"\n"
    with later.open() as now, earlier.open() as then:
        while piece := then.read(_PIECE):
            if now.read(len(piece)) != piece:
                return False
            last = piece
    return last.endswith(b"\n")


def read_trees(
    scratch: Scratch,
    tree: str,
    base: str | None,
    places: Sequence[PurePosixPath],
    archive: PurePosixPath | None = None,
) -> LedgerTrees:
    """The ledgers at `places` and in the folder `archive` in `tree`, and in the tree `base`.

    Raises TreeUnreadable.
    """
    found = list(_ledgers(scratch, tree, places, archive))
    now = [one for one in found if isinstance(one, CommittedLedger)]
    refused = dict.fromkeys(one for one in found if isinstance(one, Problem))
    if base is None:
        return LedgerTrees(now, None, tuple(refused))
    earlier = _ledgers(scratch, base, places, archive)
    return LedgerTrees(now, [one for one in earlier if isinstance(one, CommittedLedger)], tuple(refused))


def _ledgers(
    scratch: Scratch, tree: str, places: Sequence[PurePosixPath], archive: PurePosixPath | None
) -> Iterator[CommittedLedger | Problem]:
    asked = [*places, archive] if archive else places
    for entry in named_files(scratch, tree, [str(place) for place in asked]):
        path = PurePosixPath(spell_path(entry.path))
        if entry.mode in REGULAR and (path in places or path.parent == archive):
            yield CommittedLedger(str(path), entry.id, scratch)
        for place in (path, *path.parents):
            if place in places and not (place == path and entry.mode in REGULAR):
                message = "is not a regular file; commit the ledger itself there"
                yield Problem(str(place), None, None, ProblemCode.NOT_A_REGULAR_FILE, message)
