"""Receipts on a branch of the repository's server: one file a claim key, changed by compare and swap.

It outlives every runner, and runs on different machines meet there (case C022).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from ophiuchus.git.branch_store import Branch, BranchStore, BranchUnreadable, BranchUnwritable
from ophiuchus.publish.receipts import Receipt, Row, parse_row
from ophiuchus.publish.stores.store import StoreMissing, StoreUnreadable, StoreUnwritable

BRANCH = "ophiuchus/receipts"
"""The branch's name. It shares no history with the code."""

_PLACE = re.compile(r"receipts/([0-9a-f]{64})(?P<proper>\.json\Z)?", re.ASCII)
_README = "README.md"
_TITLE = b"# Receipts\n"
_ABOUT = (
    _TITLE
    + b"""\

Written by `ophiuchus publish`: one file for each hand-off and destination that was written to, or is about to
be. Deleting one lets the same hand-off be published there again. See the documentation on receipts.
"""
)
_MOST_RACES = 100
"""How often a change is tried again because somebody else changed another row meanwhile."""


class ReceiptsBranch:
    """The branch, behind `branch`."""

    def __init__(self, branch: BranchStore) -> None:
        self._branch = branch

    def read(self) -> Mapping[str, Row]:
        """The row of every file; one that cannot be read is malformed, since its name says whose it is."""
        return self._read()[1]

    def swap(self, before: Row | None, after: Receipt, now: datetime) -> bool:
        """Push the row. A change of another row by somebody else is waited for, one of this row is a loss."""
        path = f"receipts/{after.claim_key}.json"
        message = f"{after.status.value.capitalize()}: {after.capsule_id} for {after.destination_alias}"
        for _ in range(_MOST_RACES):
            branch, rows = self._read()
            if rows.get(after.claim_key) != before:
                return False
            if self._change(branch.tip, path, after.line(), message, now):
                return True
        raise StoreUnwritable(
            f"the branch {BRANCH} was changed by others {_MOST_RACES} times in a row", "Try again later."
        )

    def create(self, now: datetime) -> bool:
        """Make the branch, with a page that says what it is. Raises StoreMissing for one not made so."""
        if self._there() is not None:
            self._read()  # or it would be told that it is there, and be of no use
            return False
        return self._change(None, _README, _ABOUT, "Keep receipts here", now)

    def _there(self) -> Branch | None:
        try:
            return self._branch.read()
        except BranchUnreadable as error:
            raise StoreUnreadable(error.message, error.remedy) from error

    def _read(self) -> tuple[Branch, dict[str, Row]]:
        branch = self._there()
        if branch is None:
            raise StoreMissing(
                f"the repository has no branch {BRANCH} for receipts",
                "If nothing was ever published from here, make it with `ophiuchus receipts init`.",
            )
        rows: dict[str, Row] = {}
        for path, content in branch.files.items():
            if (place := _PLACE.match(path)) is not None:
                key, where = place[1], f"{BRANCH}:{path}"
                if place["proper"]:
                    rows[key] = parse_row(content or b"", where, key)
                else:  # something else in a receipt's place, or beside it: no proof that nothing was written
                    rows.setdefault(key, parse_row(b"", where, key))
        if not rows and not (branch.files.get(_README) or b"").startswith(_TITLE):
            # Perhaps made by hand in the place of one that was lost: no proof that nothing was written.
            raise StoreMissing(
                f"the branch {BRANCH} was not made for receipts: it has none, and no {_README} about them",
                "If nothing was ever published from here, delete it and make it with "
                "`ophiuchus receipts init`.",
            )
        return branch, rows

    def _change(self, tip: str | None, path: str, content: bytes, message: str, now: datetime) -> bool:
        try:
            return self._branch.change(tip, path, content, message, int(now.timestamp()))
        except BranchUnreadable as error:
            raise StoreUnreadable(error.message, error.remedy) from error
        except BranchUnwritable as error:
            raise StoreUnwritable(error.message, error.remedy) from error
