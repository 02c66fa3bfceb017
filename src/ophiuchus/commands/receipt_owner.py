"""Whose an unreadable receipt is: its key is made again from committed hand-offs and destinations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ophiuchus.capsule.shelf import DEFAULT_PATTERN
from ophiuchus.commands.edge import Edge
from ophiuchus.commands.judging import Opened, Place, open_place
from ophiuchus.commands.proposing import destinations_in
from ophiuchus.publish.destination import Destination
from ophiuchus.publish.origins import OriginMissing, read_origin
from ophiuchus.publish.receipts import Malformed
from ophiuchus.publish.resolution import Subject
from ophiuchus.text.problem import ExpectedFailure


class OwnerUnknown(ExpectedFailure):
    """No committed hand-off and destination have this receipt's key."""


def subject_named(capsule_id: str, alias: str, directory: Path, edge: Edge) -> Subject:
    """The hand-off `capsule_id`, which may be gone, at a destination of the commit that is checked out.

    Raises UnknownDestination, NoDestination, Unpublishable, OriginMissing and what `open_place` raises.
    """
    with _opened(directory, edge) as opened:
        return _subject(capsule_id, alias, destinations_in(opened).named(alias), edge)


def owner_of(row: Malformed, directory: Path, edge: Edge) -> Subject:
    """Of all that is committed the hand-off and destination that `row` is about.

    Raises OwnerUnknown, and what `subject_named` raises.
    """
    with _opened(directory, edge) as opened:
        destinations = destinations_in(opened).by_alias
        for shelved in opened.shelf.capsules:
            for alias, destination in destinations.items():
                with suppress(OriginMissing):
                    subject = _subject(shelved.capsule.capsule_id, alias, destination, edge)
                    if subject.claim_key == row.claim_key:
                        return subject
    raise OwnerUnknown(
        f"the receipt cannot be read ({row.where}), and no committed hand-off and destination have its key",
        "Name it as CAPSULE@ALIAS, with the alias in the committed file of destinations.",
    )


@contextmanager
def _opened(directory: Path, edge: Edge) -> Iterator[Opened]:
    with open_place(Place(directory=directory, now=edge.now), DEFAULT_PATTERN, edge) as opened:
        yield opened


def _subject(capsule_id: str, alias: str, destination: Destination, edge: Edge) -> Subject:
    origin = read_origin(destination.provider, edge.env).api
    return Subject(capsule_id, alias, destination.provider, origin, destination.target)
