"""Shards: a shelf cut into parts that jobs judge side by side, each capsule in exactly one of them (issue 7).

Which one depends on the capsule's id and on how many shards there are, on nothing else: adding a capsule
moves no other one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256

from ophiuchus.capsule.shelf import Shelf, ShelvedCapsule
from ophiuchus.text.problem import ExpectedFailure, Notice, Problem

MOST_SHARDS = 256
"""Most shards: as many as the jobs that one matrix of a workflow may have."""

_FORM = re.compile(r"([1-9][0-9]{0,2})/([1-9][0-9]{0,2})", re.ASCII)


class NotAShard(ExpectedFailure):
    """What should name a shard names none."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:40]!r} names no shard",
            f"write I/N, such as 2/4 for the second of four: N is at most {MOST_SHARDS}, I at most N",
        )


@dataclass(frozen=True, slots=True)
class Shard:
    """The part `number` of `of`, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, name: str) -> bool:
        """Whether what has this name, compared without case, is in this part: true for one part only."""
        digest = sha256(name.casefold().encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1


WHOLE = Shard(1, 1)
"""All there is."""


def parse_shard(text: str) -> Shard:
    """The shard in `I/N`. Raises NotAShard."""
    if found := _FORM.fullmatch(text):
        shard = Shard(int(found[1]), int(found[2]))
        if shard.number <= shard.of <= MOST_SHARDS:
            return shard
    raise NotAShard(text)


@dataclass(frozen=True, slots=True)
class ShelfPart:
    """What one shard tells of a shelf."""

    capsules: tuple[ShelvedCapsule, ...]
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]


def part_of(shelf: Shelf, shard: Shard) -> ShelfPart:
    """What of `shelf` is told in `shard`: over all shards everything, and everything once.

    What is said of a file goes with the id of its capsule, or with its path where none could be read; what is
    said of the whole run goes with the first shard.
    """
    if shard == WHOLE:
        return ShelfPart(shelf.capsules, shelf.problems, shelf.notices)
    ids = {shelved.path: shelved.capsule.capsule_id for shelved in shelf.capsules}

    def is_told(said: Problem | Notice) -> bool:
        return shard.holds(ids.get(said.path, said.path)) if said.path else shard.number == 1

    return ShelfPart(
        tuple(shelved for shelved in shelf.capsules if shard.holds(shelved.capsule.capsule_id)),
        tuple(filter(is_told, shelf.problems)),
        tuple(filter(is_told, shelf.notices)),
    )
