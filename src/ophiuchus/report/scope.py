"""Which capsules of a shelf gate nothing, because a newer one continues them (design §4, "Continued")."""

from __future__ import annotations

from ophiuchus.assess.continuity import Lineage
from ophiuchus.capsule.shelf import Shelf
from ophiuchus.report.model import Scope


def lineage_of(shelf: Shelf) -> Lineage:
    """Who continues whom on this shelf."""
    return Lineage(shelved.capsule for shelved in shelf.capsules)


def continued_in(lineage: Lineage, scope: Scope = Scope.LIVE) -> frozenset[str]:
    """Ids of the capsules that a newer one continues; none in scope all.

    A report takes no notice of them beyond telling that they are there.
    """
    return frozenset() if scope is Scope.ALL else lineage.continued()
