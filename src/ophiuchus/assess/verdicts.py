"""The words of the validity track, and what a judged capsule looks like inside this program.

A verdict is a fact about one capsule's mechanics on one checkout at one time (first seed, "Context
Validity").
"""

from __future__ import annotations

from typing import NamedTuple

from ophiuchus.git.findings import PathChange
from ophiuchus.text.record import record
from ophiuchus.text.word import Word

VALIDITY_LIMIT = (
    "Validity compares what the sender declared with one checkout at one time. It says nothing about trust, "
    "authority or correctness, nor about any system outside this repository."
)
"""The validity track's limit sentence, shown wherever its verdicts are shown."""
COMMIT_CHARACTERS = 12
"""How much of a commit's id a sentence shows."""


class Verdict(Word):
    """What one condition came to."""

    VALID = "valid"
    UNVERIFIABLE = "unverifiable"
    PARTIALLY_STALE = "partially_stale"
    STALE = "stale"


CHANGED = (Verdict.STALE, Verdict.PARTIALLY_STALE)
"""Verdicts that say that something is not as it was."""


class Aggregate(Word):
    """What a capsule's required conditions came to, from best to worst (`RANK` gives the order)."""

    VALID = "valid"
    NOT_DECLARED = "not_declared"
    UNVERIFIABLE = "unverifiable"
    PARTIALLY_STALE = "partially_stale"
    STALE = "stale"


STALE_AGGREGATES = (Aggregate.STALE, Aggregate.PARTIALLY_STALE)
"""What a capsule comes to of which something is known not to hold."""
RANK: dict[str, int] = {word.value: rank for rank, word in enumerate(Aggregate)}
"""Badness of a verdict or aggregate, 0 is best (design §4, attribution)."""


class Method(Word):
    """By which means a git_paths condition was judged; the base tree where both were used."""

    BASE_TREE = "base_tree"
    ANCHOR = "anchor"


class GlobResult(Word):
    """What one declared glob came to."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    NOT_EVALUATED = "not_evaluated"


@record
class GlobVerdict:
    """One declared glob's result.

    `changed` is capped, `changed_count` is not (None: something changed, but which paths is not known).
    """

    glob: str
    result: GlobResult
    reason: str | None = None
    changed_count: int | None = 0
    changed: tuple[PathChange, ...] = ()


class ConditionVerdict(NamedTuple):
    """One condition's verdict with its cause in words and, where a person can do something, the remedy."""

    condition_id: str
    kind: str
    required: bool
    verdict: Verdict
    reason: str
    remedy: str | None = None
    method: Method | None = None
    paths: tuple[GlobVerdict, ...] = ()


class Assessment(NamedTuple):
    """What holds of one capsule on the judged tree at `now`."""

    aggregate: Aggregate
    conditions: tuple[ConditionVerdict, ...]
    expired: bool

    @property
    def needs_action(self) -> bool:
        """Whether a person should do something about this capsule (design §4, "Needs action")."""
        return (
            self.expired
            or self.aggregate in STALE_AGGREGATES
            or any(c.required and c.verdict is Verdict.UNVERIFIABLE and c.remedy for c in self.conditions)
        )
