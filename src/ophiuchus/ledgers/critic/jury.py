"""What the three lenses found, put together: where two say the same, neither is lost (DEC-0104 §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ophiuchus.ledgers.critic.finding import Confidence, Fault, Lens, Severity, faults, is_open_blocking
from ophiuchus.ledgers.critic.issue_key import EMPTY_KEY, compute_issue_key
from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.text.problem import ExpectedFailure

_WORST_FIRST = tuple(reversed(Severity))


class ReconcileFailed(ExpectedFailure):
    """A finding that is to be reconciled is no finding (CROSS_MODEL_RECONCILE_FAILED)."""

    def __init__(self, number: int, fault: Fault) -> None:
        super().__init__(
            f"{CriticReason.RECONCILE_FAILED}: finding {number} {fault.message}",
            "Nothing was reconciled: a jury that leaves one voice out is none.",
        )


@dataclass(frozen=True, slots=True)
class Agreement:
    """One issue, and every finding that names it, in their order and otherwise as they came.

    `lenses` are those that name it; two or more make it agreed. `blocking` where one finding is, `score` the
    least, `severity` the worst.
    """

    issue_key: str
    lenses: tuple[Lens, ...]
    findings: tuple[Mapping[str, Any], ...]

    @property
    def agreed(self) -> bool:
        """Whether more than one lens names it."""
        return len(self.lenses) > 1

    @property
    def blocking(self) -> bool:
        """Whether an open finding of it blocks."""
        return any(map(is_open_blocking, self.findings))

    @property
    def score(self) -> int:
        """The least of its scores."""
        scores: list[int] = [one["anti_slop_score"] for one in self.findings]
        return min(scores)

    @property
    def severity(self) -> Severity:
        """The worst of its severities."""
        return next(one for one in _WORST_FIRST if any(row["severity"] == one for row in self.findings))


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Every finding that went in, with its confidence set, and the issues they make up."""

    findings: tuple[Mapping[str, Any], ...]
    agreements: tuple[Agreement, ...]


def reconcile_findings(raw: Sequence[Mapping[str, Any]], profile: Profile) -> Reconciliation:
    """The findings, their `issue_key`, `confidence` and `single_finder` set by who agrees.

    In compat a row's own `issue_key` counts, by the letter it is computed anew. The key of texts that say
    nothing is never grouped (C119). Raises ReconcileFailed.
    """
    groups: dict[object, list[int]] = {}
    keys: list[str] = []
    for number, row in enumerate(raw):
        if found := faults(row, Profile.COMPAT):
            raise ReconcileFailed(number + 1, found[0])
        own = row.get("issue_key") if profile is Profile.COMPAT else None
        key = own if isinstance(own, str) and own else compute_issue_key(row["finding_text"])
        keys.append(key)
        groups.setdefault(number if key == EMPTY_KEY else key, []).append(number)
    settled: dict[int, dict[str, Any]] = {}
    agreements = []
    for numbers in groups.values():
        lenses = _in_order(Lens(raw[number]["lens"]) for number in numbers)
        agreed = len(lenses) > 1
        for number in numbers:
            settled[number] = {
                **raw[number],
                "issue_key": keys[number],
                "confidence": Confidence.HIGH.value if agreed else Confidence.MEDIUM.value,
                "single_finder": not agreed,
            }
        agreements.append(Agreement(keys[numbers[0]], lenses, tuple(settled[number] for number in numbers)))
    return Reconciliation(tuple(settled[number] for number in range(len(raw))), tuple(agreements))


def _in_order(lenses: Iterable[Lens]) -> tuple[Lens, ...]:
    named = set(lenses)
    return tuple(lens for lens in Lens if lens in named)
