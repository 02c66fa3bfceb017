"""Who continues whom on a page: the place of each capsule, and the way from it to its parent and children."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ophiuchus.capsule.capsule_id import is_capsule_id
from ophiuchus.report.model import CapsuleReport

CHILDREN_NAMED = 10
"""Most children that one capsule names."""


class Lineage:
    """The capsules of one page, which are known by repository and id, the latter compared without case."""

    def __init__(self, capsules: Iterable[CapsuleReport]) -> None:
        self._places: list[str] = []
        self._place_of: dict[tuple[str | None, str], str] = {}
        self._children: dict[tuple[str | None, str], list[CapsuleReport]] = defaultdict(list)
        taken = set[str]()
        for number, capsule in enumerate(capsules):
            place = f"c-{capsule.capsule_id}"
            # An id makes an address that lasts; only the first of several repositories can have it.
            if place in taken or not is_capsule_id(capsule.capsule_id):
                place = f"n-{number}"
            taken.add(place)
            self._places.append(place)
            self._place_of.setdefault(_key(capsule, capsule.capsule_id), place)
            if (parent := capsule.continuity.parent_capsule_id) is not None:
                self._children[_key(capsule, parent)].append(capsule)

    def place(self, number: int) -> str:
        """The fragment of the capsule with this number: letters, digits, `.`, `_` and `-` only."""
        return self._places[number]

    def parent_place(self, capsule: CapsuleReport) -> str | None:
        """The fragment of its parent, if that is on the page."""
        parent = capsule.continuity.parent_capsule_id
        return None if parent is None else self._place_of.get(_key(capsule, parent))

    def children(self, capsule: CapsuleReport) -> Sequence[CapsuleReport]:
        """The capsules that name this one as their parent."""
        return self._children.get(_key(capsule, capsule.capsule_id), ())

    def place_of(self, capsule: CapsuleReport) -> str | None:
        """The fragment under which links lead to it."""
        return self._place_of.get(_key(capsule, capsule.capsule_id))


def _key(capsule: CapsuleReport, capsule_id: str) -> tuple[str | None, str]:
    return capsule.repository, capsule_id.casefold()
