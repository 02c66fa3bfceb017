"""Which capsules of a shelf gate nothing, because a newer one continues them (design §4, "Continued")."""

from __future__ import annotations

from ophiuchus.assess.continuity import continued_ids
from ophiuchus.capsule.shelf import Shelf
from ophiuchus.report.model import Scope


def continued_on(shelf: Shelf, scope: Scope = Scope.LIVE) -> frozenset[str]:
    """Ids of the capsules that a newer one continues, among those with an id of their own; none in scope all.

    A report takes no notice of them beyond telling that they are there.
    """
    if scope is Scope.ALL:
        return frozenset()
    return continued_ids(
        shelved.capsule for shelved in shelf.capsules if shelf.by_id(shelved.capsule.capsule_id) is not None
    )
