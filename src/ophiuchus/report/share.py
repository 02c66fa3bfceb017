"""What of a report is this change's share, and what is older drift (design §4, "Attribution"). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ophiuchus.report.model import CapsuleReport, RemovedCapsule, Report


@dataclass(frozen=True, slots=True)
class Share:
    """The capsules that concern somebody, each in the first list that fits; continued ones are in none.

    `introduced`: this change made them worse. `redeclared` and `removed`: it declared them anew. `added`: it
    brought them, and they need action already. `older` need action, and not through this change.
    """

    introduced: tuple[CapsuleReport, ...]
    redeclared: tuple[CapsuleReport, ...]
    removed: tuple[RemovedCapsule, ...]
    added: tuple[CapsuleReport, ...]
    older: tuple[CapsuleReport, ...]

    @property
    def leading(self) -> tuple[CapsuleReport | RemovedCapsule, ...]:
        """All that this change did, in the order in which it is told."""
        return (*self.introduced, *self.redeclared, *self.removed, *self.added)


def share_of(report: Report) -> Share | None:
    """This change's share; None where it was not compared with any base."""
    if report.evaluated.base is None:
        return None
    live = [capsule for capsule in report.capsules if not capsule.continued]
    introduced = tuple(one for one in live if one.introduced)
    redeclared = tuple(one for one in live if one.redeclared and not one.introduced)
    others = [one for one in live if one.needs_action and not one.introduced and not one.redeclared]
    return Share(
        introduced=introduced,
        redeclared=redeclared,
        removed=tuple(gone for gone in report.removed if not gone.continued),
        added=tuple(one for one in others if one.new),
        older=tuple(one for one in others if not one.new),
    )


def is_concerning(report: Report) -> bool:
    """Whether the people of this change should be told of the report where it was not asked for.

    Drift that was there before is none of theirs: who is told of it on every pull request learns to skip it.
    """
    if report.totals.problems or not report.gate.passed:
        return True
    if report.ledgers.lost_count:
        return True
    share = share_of(report)
    return report.totals.needs_action > 0 if share is None else bool(share.leading)
