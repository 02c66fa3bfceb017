"""Ids that stand twice in a ledger, found in memory that does not grow with it.

The first reading notes ids in a table of fixed size: it misses no repeat, and takes one of 100,000 different
ids for a repeat less than once in a thousand ledgers. Where anything came up, a second reading settles it.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

from ophiuchus.ledgers.jsonl import Row

MOST_SUSPECTS = 10_000
"""Most repeated ids of one ledger that are settled; there is nothing to be learned from more."""
MORE_REPEATS = "this id and perhaps others stand here again; too much is wrong before: put that right first"
"""What is said where no more repeats are looked at."""

_PLACES = 1 << 21
_MARKS = [1 << a | 1 << b | 1 << c for a, b, c in combinations(range(16), 3)][:512]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A row whose id an earlier row has, by their lines. `same`: the two say the same, however spelled."""

    first: int
    again: int
    same: bool


class SeenIds:
    """Ids that were met. `suspects` are those that may have been met twice.

    An id leaves a mark of three bits at each of two places, all of which its hash chooses.
    """

    def __init__(self) -> None:
        self._table = array("H", [0]) * _PLACES
        self.suspects: set[str] = set()

    def add(self, identity: str) -> None:
        """Note one id."""
        chosen, table = hash(identity), self._table
        one, other = chosen % _PLACES, (chosen >> 21) % _PLACES
        mark, other_mark = _MARKS[chosen >> 42 & 511], _MARKS[chosen >> 51 & 511]
        if table[one] & mark != mark or table[other] & other_mark != other_mark:
            table[one] |= mark
            table[other] |= other_mark
        elif len(self.suspects) < MOST_SUSPECTS:
            self.suspects.add(identity)


def settle(rows: Iterable[Row], key: str, suspects: Collection[str]) -> Iterator[Repeat]:
    """The repeats there really are among `suspects`, the field `key` being the id; one for each later row."""
    met: dict[str, tuple[int, bytes]] = {}
    for row in rows:
        identity = row.value.get(key)
        if isinstance(identity, str) and identity in suspects:
            said = json.dumps(row.value, sort_keys=True)
            digest = blake2b(said.encode(), digest_size=16).digest()
            first = met.setdefault(identity, (row.line, digest))
            if first[0] != row.line:
                yield Repeat(first[0], row.line, same=first[1] == digest)
