"""Which capsule continues which: one declared parent, found by id among the capsules already read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ophiuchus.capsule.model import Capsule


def continued_ids(capsules: Iterable[Capsule]) -> frozenset[str]:
    """Ids of the capsules that a newer one continues, so that they gate nothing (design §4, "Continued").

    `capsules` holds only what is readable and unique; ids are compared without case. A child counts that
    declares at least one required condition, lest an empty page silence its parent, and whose line of
    parents has an end.
    """
    by_id = {capsule.capsule_id.casefold(): capsule for capsule in capsules}
    # An id is never empty, so "" stands for no parent.
    parents = {key: (capsule.parent_capsule_id or "").casefold() for key, capsule in by_id.items()}
    endless = _endless(parents)
    return frozenset(
        by_id[parents[key]].capsule_id
        for key, capsule in by_id.items()
        if parents[key] in by_id
        and key not in endless
        and any(condition.required for condition in capsule.validity)
    )


def _endless(parents: Mapping[str, str]) -> set[str]:
    """Ids whose line of parents comes back on itself (case C094)."""
    ends: dict[str, bool] = {}
    for key in parents:
        line: dict[str, None] = {}
        at = key
        while at in parents and at not in ends and at not in line:
            line[at] = None
            at = parents[at]
        end = at not in line and ends.get(at, True)
        ends.update(dict.fromkeys(line, end))
    return {key for key, end in ends.items() if not end}
