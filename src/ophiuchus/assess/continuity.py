"""Which capsule continues which: one declared parent, found by id among the capsules already read. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ophiuchus.capsule.model import Capsule


def continued_ids(capsules: Mapping[str, Capsule]) -> frozenset[str]:
    """Ids of the capsules that a newer one continues, so that they gate nothing (design §4, "Continued").

    `capsules`, by id, holds only what is readable and unique. A child counts that declares at least one
    required condition, lest an empty page silence its parent, and whose line of parents has an end.
    """
    # An id is never empty, so this stands for no parent.
    parents = {capsule_id: capsule.parent_capsule_id or "" for capsule_id, capsule in capsules.items()}
    endless = _endless(parents)
    return frozenset(
        parents[capsule_id]
        for capsule_id, capsule in capsules.items()
        if parents[capsule_id] in capsules
        and capsule_id not in endless
        and any(condition.required for condition in capsule.validity)
    )


def _endless(parents: Mapping[str, str]) -> set[str]:
    """Ids whose line of parents comes back on itself (case C094)."""
    ends: dict[str, bool] = {}
    for capsule_id in parents:
        line: dict[str, None] = {}
        at = capsule_id
        while at in parents and at not in ends and at not in line:
            line[at] = None
            at = parents[at]
        end = at not in line and ends.get(at, True)
        ends.update(dict.fromkeys(line, end))
    return {capsule_id for capsule_id, end in ends.items() if not end}
