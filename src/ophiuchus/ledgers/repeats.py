"""Ids that stand twice in a ledger, found in memory that does not grow with it.

The first reading notes ids in a table of bits of fixed size: it misses no repeat, and takes one of 100,000
different ids for a repeat about once in fifty ledgers. Where anything came up, a second reading settles it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from ophiuchus.ledgers.jsonl import Row, RowNotice, RowProblem

MOST_SUSPECTS = 10_000
"""Most repeated ids of one ledger that are settled; there is nothing to be learned from more."""

_BITS = 25
_PLACES = (1 << _BITS) - 1


@dataclass(frozen=True, slots=True)
class Repeat:
    """A row whose id an earlier row has, by their lines. `same`: the two say the same, however spelled."""

    identity: str
    first: int
    again: int
    same: bool


class SeenIds:
    """Ids that were met. `suspects` are those that may have been met twice."""

    def __init__(self) -> None:
        self._table = bytearray(1 << _BITS - 3)
        self.suspects: set[str] = set()

    def add(self, identity: str) -> None:
        """Note one id."""
        mark, table, seen = hash(identity), self._table, True
        for place in (mark & _PLACES, mark >> 20 & _PLACES, mark >> 39 & _PLACES):
            bit = 1 << (place & 7)
            if not table[place >> 3] & bit:
                table[place >> 3] |= bit
                seen = False
        if seen and len(self.suspects) < MOST_SUSPECTS:
            self.suspects.add(identity)


def settle(
    read: Iterable[Row | RowProblem | RowNotice], key: str, suspects: Collection[str]
) -> Iterator[Repeat]:
    """The repeats there really are among `suspects`, the field `key` being the id; one for each later row."""
    met: dict[str, tuple[int, bytes]] = {}
    for row in read:
        identity = row.value.get(key) if isinstance(row, Row) else None
        if isinstance(row, Row) and isinstance(identity, str) and identity in suspects:
            said = json.dumps(row.value, sort_keys=True)
            digest = blake2b(said.encode(), digest_size=16).digest()
            first = met.setdefault(identity, (row.line, digest))
            if first[0] != row.line:
                yield Repeat(identity, first[0], row.line, same=first[1] == digest)
