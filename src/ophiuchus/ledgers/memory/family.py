"""The four families of entries, and where each is kept (DEC-0105 §2)."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePosixPath

FOLDER = PurePosixPath("docs/engineering/sovereign-memory")
ARCHIVE = PurePosixPath("docs/engineering/sovereign-memory-archive")
RETROSPECTIVES = FOLDER / "retrospectives"


class Family(StrEnum):
    """One kind of entry, named as a person names it."""

    DECISIONS = "decisions"
    MISTAKES = "mistakes"
    PATTERNS = "patterns"
    PLAN_DRIFT = "plan-drift"

    @property
    def stem(self) -> str:
        """The ledger's file name without its ending; the digest names the family by it."""
        return _STEMS[self]

    @property
    def place(self) -> PurePosixPath:
        """The ledger that entries are appended to."""
        return FOLDER / f"{self.stem}.jsonl"


_STEMS = {
    Family.DECISIONS: "decisions-log",
    Family.MISTAKES: "mistakes",
    Family.PATTERNS: "patterns",
    Family.PLAN_DRIFT: "plan-drift-register",
}
_OF_STEM = {stem: family for family, stem in _STEMS.items()}
# The archive's names: when it was made, and a number where another was made in the same second.
_NAME = re.compile(r"(?P<stem>[a-z-]+?)(?P<archived>-[0-9]{8}T[0-9]{6}Z(?:-[0-9]+)?)?\.jsonl")


def family_of(name: str) -> Family | None:
    """The family that a ledger's file name tells, be it the active ledger or an archive."""
    named = _NAME.fullmatch(name)
    return _OF_STEM.get(named["stem"]) if named else None


def is_stranger(name: str) -> bool:
    """Whether a file name ends like a ledger's and is that of no ledger, archive or list of changes."""
    lower = name.lower()
    return lower.endswith(".jsonl") and not lower.endswith(".changes.jsonl") and family_of(name) is None


def is_archive_of(name: str, family: Family) -> bool:
    """Whether a file name is that of an archive of `family`."""
    named = _NAME.fullmatch(name)
    return named is not None and named["archived"] is not None and named["stem"] == family.stem
