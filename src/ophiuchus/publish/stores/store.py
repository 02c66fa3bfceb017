"""What publishing needs of a place for receipts: to read them all, and to change one by compare and swap."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from ophiuchus.publish.receipts import Receipt, Row
from ophiuchus.text.problem import ExpectedFailure

ON_BRANCH = "branch"
"""How a person says that receipts are on the branch: the place that is taken unless another is named."""


def option_for(receipts: str) -> str:
    """What a command that a person shall run needs behind it: nothing, or a blank and the option.

    `receipts` says where they are kept, as a person gave it.
    """
    return "" if receipts == ON_BRANCH else f" --receipts {shlex.quote(receipts)}"


class StoreUnreadable(ExpectedFailure):
    """The receipts cannot be read, so nothing may be published. Never the same as: there are none."""


class StoreMissing(ExpectedFailure):
    """There is no store yet. Taking that for an empty one would publish everything again (case C022)."""


class StoreUnwritable(ExpectedFailure):
    """A receipt cannot be stored."""


class Store(Protocol):
    """One place for receipts. At most one row a claim key counts: the latest."""

    def read(self) -> Mapping[str, Row]:
        """Every row that counts, by claim key. Raises StoreUnreadable and StoreMissing."""

    def swap(self, before: Row | None, after: Receipt, now: datetime) -> bool:
        """Store `after` where the row of its claim key still is `before`; False where somebody was first.

        When it returns True the row is safe. Raises StoreUnreadable, StoreMissing, StoreUnwritable.
        """

    def create(self, now: datetime) -> bool:
        """Make the store, empty; False where it is there already. Raises StoreUnreadable, StoreUnwritable."""
