"""Fidelity joined: a composer carries, `assess` judges what it says it carried, the report tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ophiuchus.assess.fidelity import Consumer, FidelityVerdict, UnitVerdict, judge_fidelity
from ophiuchus.capsule.model import Capsule
from ophiuchus.report.model import FidelityReport, Report
from ophiuchus.views.receive import compose


def fidelity_for(consumer: Consumer | None, capsule: Capsule, report: Report) -> FidelityReport:
    """The fidelity of the one capsule in `report` for an agent, or as its sender sees it (None)."""
    if consumer is None:
        return fidelity_report(None, judge_fidelity(capsule, None, {}))
    rendering = compose(capsule, report.capsules[0], report.evaluated)
    return fidelity_report(consumer, judge_fidelity(capsule, consumer, rendering.carried))


def fidelity_report(consumer: Consumer | None, verdicts: Sequence[UnitVerdict]) -> FidelityReport:
    """The verdicts on all units of one capsule, as the report tells them."""
    preserved = sum(one.verdict is FidelityVerdict.PRESERVED for one in verdicts)
    return FidelityReport(consumer, preserved, tuple(verdicts))


def with_fidelity(report: Report, tracks: Sequence[FidelityReport]) -> Report:
    """The report on one capsule, with its fidelity."""
    (capsule,) = report.capsules
    return replace(report, capsules=(replace(capsule, fidelity=tuple(tracks)),))
