"""The view of one inspected capsule: all four tracks, nothing folded but what it continues."""

from __future__ import annotations

from collections.abc import Iterator

from ophiuchus.assess.continuity import ContinuityStatus
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.views.document import Block, Code, Document, Heading, Paragraph, Part, Text
from ophiuchus.views.ledgers import provenance_parts
from ophiuchus.views.one_capsule import capsule_blocks, verdict_of
from ophiuchus.views.phrases import cut_name
from ophiuchus.views.tracks import fidelity_to
from ophiuchus.views.verdict import judged, problem_table, time_and_run


def compose_inspection(report: Report) -> Document:
    """The document of a report on one capsule, or on a file that is none."""
    parts = [*problem_table(report.problems)]
    for capsule in report.capsules:
        heading = Heading(1, (Code(capsule.capsule_id), Text(": "), *verdict_of(capsule)))
        parts.insert(0, Part("the headline", 0, (heading, Paragraph((Text(cut_name(capsule.title)),)))))
        parts.append(Part("the capsule", 0, tuple(_told(capsule, report))))
    if report.ledgers.memory is not None:
        parts += provenance_parts(report.ledgers.memory.provenance)
    limits = [report.limits[track] for track in _tracks(report)]
    return Document((*parts, judged(report.evaluated, limits)), volatile=(time_and_run(report, None),))


def _told(capsule: CapsuleReport, report: Report) -> Iterator[Block]:
    yield from capsule_blocks(capsule, report.notices, None)
    for track in capsule.fidelity:
        yield from fidelity_to(track)


def _tracks(report: Report) -> Iterator[str]:
    """The tracks of which something is said: each brings its limit."""
    yield "validity"
    if any(track.units for capsule in report.capsules for track in capsule.fidelity):
        yield "fidelity"
    if any(capsule.negative_knowledge for capsule in report.capsules):
        yield "negative_knowledge"
    if any(capsule.continuity.status is not ContinuityStatus.NONE for capsule in report.capsules):
        yield "continuity"
