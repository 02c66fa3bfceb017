"""Fidelity joined: a composer says what it carried, `assess` judges that, the report and the view tell it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ophiuchus.assess.fidelity import AGENTS, Carriage, Consumer, FidelityVerdict, UnitVerdict, judge_fidelity
from ophiuchus.capsule.model import Capsule
from ophiuchus.report.model import CapsuleReport, FidelityReport, Report
from ophiuchus.views.carriage import carried, fidelity_line, with_line
from ophiuchus.views.document import Document


class Gauge:
    """Fills into each rendering of a run's document how much it carries of the capsules' critical units.

    `critical` are the capsules that have some, by path. `tracks` is the fidelity of each in the rendering
    that was measured last: only what was lost of it.
    """

    def __init__(self, critical: Mapping[str, Capsule]) -> None:
        self._critical = critical
        self.units = sum(len(capsule.critical) for capsule in critical.values())
        self.tracks: dict[str, Sequence[FidelityReport]] = {}

    def finish(self, document: Document) -> Document:
        """`document`, fitted to its surface, with its own line in the place that was kept for it."""
        shown = carried(document, self._critical.values())
        counts: Counter[FidelityVerdict] = Counter()
        for path, capsule in self._critical.items():
            verdicts = judge_fidelity(capsule, Consumer.SUMMARY, shown[capsule.capsule_id])
            counts.update(one.verdict for one in verdicts)
            lost = tuple(one for one in verdicts if one.verdict is not FidelityVerdict.PRESERVED)
            self.tracks[path] = [FidelityReport(Consumer.SUMMARY, len(verdicts) - len(lost), lost)]
        whole, in_part = counts[FidelityVerdict.PRESERVED], counts[FidelityVerdict.DEGRADED]
        return with_line(document, fidelity_line(self.units, whole, in_part))


def fidelity_for(consumer: Consumer | None, capsule: Capsule, report: Report) -> FidelityReport:
    """The fidelity of the one capsule in `report` for a consumer, or as its sender sees it (None)."""
    if consumer is None:
        verdicts = judge_fidelity(capsule, None, {})
    elif consumer in AGENTS:
        from ophiuchus.views.receive import compose

        rendering = compose(capsule, report.capsules[0], report.evaluated)
        verdicts = judge_fidelity(capsule, consumer, rendering.carried)
    elif consumer in (Consumer.RECORD, Consumer.DISCUSS):
        verdicts = judge_fidelity(
            capsule, consumer, _carried_to_people(consumer, capsule, report.capsules[0])
        )
    else:
        from ophiuchus.views.verdict import compose as compose_verdict

        shown = carried(compose_verdict(report), [capsule])
        verdicts = judge_fidelity(capsule, consumer, shown[capsule.capsule_id])
    return fidelity_report(consumer, verdicts)


def _carried_to_people(consumer: Consumer, capsule: Capsule, report: CapsuleReport) -> Carriage:
    """What a view to be published carries before any destination's limit: the rest its preview tells."""
    if consumer is Consumer.RECORD:
        from ophiuchus.views.record import compose_record as compose
    else:
        from ophiuchus.views.discuss import compose_discuss as compose
    hand_off = compose(capsule, report)
    return hand_off.carried(hand_off.document)


def fidelity_report(consumer: Consumer | None, verdicts: Sequence[UnitVerdict]) -> FidelityReport:
    """The verdicts on all units of one capsule, as the report tells them."""
    preserved = sum(one.verdict is FidelityVerdict.PRESERVED for one in verdicts)
    return FidelityReport(consumer, preserved, tuple(verdicts))


def with_fidelity(report: Report, tracks: Mapping[str, Sequence[FidelityReport]]) -> Report:
    """The report with these tracks of its capsules, by path."""
    capsules = [
        replace(one, fidelity=tuple(tracks[one.path])) if one.path in tracks else one
        for one in report.capsules
    ]
    return replace(report, capsules=tuple(capsules))
