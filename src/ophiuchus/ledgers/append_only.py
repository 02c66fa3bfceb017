"""What became of the rows of an append-only ledger between two commits: those gone, those that say else.

A status that moved is no alteration, and a row that stands in an archive now is not gone (C056).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from ophiuchus.ledgers.jsonl import Row

_MAY_MOVE = "status"
_ID = "id:"


class Loss(StrEnum):
    """What became of a row."""

    REMOVED = "removed"
    ALTERED = "altered"


@dataclass(frozen=True, slots=True)
class LostLine:
    """A row that is not as it was. `line` is where it stood before, `identity` its id, or empty."""

    loss: Loss
    identity: str
    line: int


def lost_rows(before: Iterable[Row], after: Iterable[Row], key: str) -> Iterator[LostLine]:
    """The rows of `before` that are in `after` no more, or say other things there, in their order.

    `key` is the field of the id; a row without one is known by all it says. `after` has the rows of archives
    too.
    """
    missing: dict[str, tuple[int, bytes]] = {}
    for row in before:
        missing[_identity(row, key)] = (row.line, _content(row))
    altered: set[str] = set()
    for row in after:
        if not missing:
            break
        identity = _identity(row, key)
        was = missing.get(identity)
        if was is None:
            continue
        if was[1] == _content(row):
            del missing[identity]
        else:
            altered.add(identity)
    for identity, (line, _) in missing.items():
        loss = Loss.ALTERED if identity in altered else Loss.REMOVED
        yield LostLine(loss, identity.removeprefix(_ID) if identity.startswith(_ID) else "", line)


def _identity(row: Row, key: str) -> str:
    given = row.value.get(key)
    return f"{_ID}{given}" if isinstance(given, str) else f"row:{_content(row).hex()}"


def _content(row: Row) -> bytes:
    """A digest of all that a row says, however it is spelled, but its status."""
    said = {name: value for name, value in row.value.items() if name != _MAY_MOVE}
    return blake2b(json.dumps(said, sort_keys=True).encode(), digest_size=16).digest()
