"""The conformance matrix, found out by running the code: which track reaches whom, and the gaps by name.

Each form of a draft is written and read back; each consumer's real composer renders one capsule that has a
word in every track. Nothing here is a claim that somebody typed, but the gaps, and tests keep those.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import yaml

from ophiuchus.assess.continuity import Lineage
from ophiuchus.assess.fidelity import DECLARED, Consumer, FidelityVerdict, judge_fidelity
from ophiuchus.assess.negative_knowledge import judge_negative_knowledge
from ophiuchus.assess.validity import assess
from ophiuchus.capsule.composition import Ground, compose
from ophiuchus.capsule.draft import DraftForm, read_draft
from ophiuchus.capsule.model import Capsule, parse_capsule
from ophiuchus.capsule.places import FIELDS
from ophiuchus.commands.fidelity import Gauge
from ophiuchus.report.judge import LIMITS, TOOL
from ophiuchus.report.model import CapsuleReport, ConditionReport, Evaluated, Gate, Report, ValidityReport
from ophiuchus.report.totals import count
from ophiuchus.text.instant import parse_instant
from ophiuchus.views import receive, verdict
from ophiuchus.views.carriage import carried
from ophiuchus.views.discuss import compose_discuss
from ophiuchus.views.handoff import finish_for
from ophiuchus.views.record import compose_record
from ophiuchus.views.render.plain import render_plain


class Track(StrEnum):
    """The rows."""

    FIDELITY = "fidelity"
    VALIDITY = "validity"
    NEGATIVE_KNOWLEDGE = "negative knowledge"
    CONTINUITY = "continuity"


class Support(StrEnum):
    """The levels: a small closed set."""

    WHOLE = "whole"
    PART = "in part"
    NONE = "none"


MEANINGS = {
    Support.WHOLE: "all that the track has is written, or shown",
    Support.PART: "some of it; the rest is named as a gap, or shown by another command",
    Support.NONE: "nothing of it",
}

FIELD_OF = {
    Track.FIDELITY: "critical",
    Track.VALIDITY: "validity",
    Track.NEGATIVE_KNOWLEDGE: "negative_knowledge",
    Track.CONTINUITY: "parent_capsule_id",
}
"""The field by which a sender has a say in each track."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that one might expect and that is not there."""

    name: str
    words: str


GAPS = (
    Gap(
        "discussion-is-short",
        "`discuss` tells of conditions and of what was ruled out only where something has changed, and by id "
        "and reason; its evidence is three items at most. What it continues it does not tell.",
    ),
    Gap(
        "contact-cards",
        "`contact_cards` are personal data: only `record` and `discuss` show them, and only where the "
        "destination asks for them. Else a unit at them is `unsupported`.",
    ),
    Gap(
        "foreign-keys",
        "Keys that this version does not know are kept out of every view. A condition of an unknown kind "
        "says what it says in such keys, so a unit at it is `degraded` at best.",
    ),
    Gap(
        "summary-is-no-hand-off",
        "The job summary and the comment tell verdicts, not the hand-off: they show no text but title and "
        "ids, and say how much that is of the critical units.",
    ),
    Gap(
        "no-standing-in-part",
        "Negative knowledge has no standing between applicable and not, by design.",
    ),
    Gap(
        "structure-in-headings",
        "In Markdown, headings give plain text and one `git_paths` condition; `critical`, other conditions "
        "and `negative_knowledge` are written in the front matter.",
    ),
    Gap("understanding", "Nothing measures what a reader understood."),
)

GAP_OF_CONSUMER = {
    Consumer.SUMMARY: "summary-is-no-hand-off",
    Consumer.DISCUSS: "discussion-is-short",
}
"""Which gap it is where a consumer gets less than the whole."""


@dataclass(frozen=True, slots=True)
class Column:
    """One producer or consumer; `gap` names why it is less than whole, where it is."""

    title: str
    support: Mapping[Track, Support]
    gap: str | None = None

    def cell(self, track: Track) -> str:
        """The level, and the gap where there is one."""
        level = self.support[track]
        return level if level is Support.WHOLE else f"{level} ({self.gap})"


COMPOSERS = {Consumer.RECORD: compose_record, Consumer.DISCUSS: compose_discuss}

_NOW = "2026-07-01T12:00:00Z"
_FULL: Mapping[str, Any] = {
    "title": "A title",
    "goal": "The goal of it",
    "state": "Where it stands",
    "next_action": "What comes next",
    "critical": [{"unit_id": "u", "kind": "state"}],
    "validity": [
        {
            "condition_id": "vc",
            "kind": "time_window",
            "not_after": "2020-01-01T00:00:00Z",
            "note": "Why it matters",
        }
    ],
    "negative_knowledge": [{"item_id": "nk", "hypothesis": "h", "why_invalid": "w", "applies_while": ["vc"]}],
    "parent_capsule_id": "parent",
}


def producer_support(form: DraftForm) -> dict[Track, Support]:
    """What of each track a draft of one form can say: what `capture` makes of all that was written."""
    match form:
        case DraftForm.JSON:
            text = json.dumps(_FULL)
        case DraftForm.YAML:
            text = yaml.safe_dump(dict(_FULL))
        case DraftForm.MARKDOWN:
            text = f"---\n{yaml.safe_dump(dict(_FULL))}---\n"
    document = _captured(f"draft.{form}", text)
    return {
        track: Support.WHOLE if document.get(field) == _FULL[field] else Support.NONE
        for track, field in FIELD_OF.items()
    }


def heading_support() -> dict[Track, Support]:
    """The same for Markdown with headings alone; the parent is named on the command line."""
    text = "# T\n\n## Goal\n\ng\n\n## State\n\ns\n\n## Next action\n\nn\n\n## Paths\n\n- src/**\n"
    document = _captured("draft.md", text, parent="parent")
    found = {track: Support.PART if field in document else Support.NONE for track, field in FIELD_OF.items()}
    whole = document.get("parent_capsule_id") == "parent"
    return {**found, Track.CONTINUITY: Support.WHOLE if whole else Support.NONE}


def _captured(name: str, text: str, parent: str | None = None) -> dict[str, Any]:
    ground = Ground(None, None, frozenset({"parent"}), from_index=False, tool="t", version="1")
    return compose(read_draft(name, text.encode()), ground, parse_instant(_NOW), parent)


def consumer_support(consumer: Consumer) -> dict[Track, Support]:
    """What of each track one consumer's rendering shows."""
    units = [{"unit_id": field, "kind": field} for field in FIELD_OF.values() if field != "critical"]
    capsule = parse_capsule({"capsule_id": "cap", **_FULL, "critical": units})
    report = _report(capsule)
    (judged,) = report.capsules
    if consumer is Consumer.SUMMARY:
        gauge = Gauge({judged.path: capsule})
        document = gauge.finish(verdict.compose(report, critical=gauge.units))
        carriage, text = carried(document, [capsule])[capsule.capsule_id], render_plain(document)
        own, compared = (Support.PART if "Fidelity: of 3" in text else Support.NONE), "Continues parent"
    elif consumer in COMPOSERS:
        hand_off = COMPOSERS[consumer](capsule, judged)
        carriage = hand_off.carried(hand_off.document)
        text = render_plain(finish_for(hand_off)(hand_off.document))
        told = all(f"- {unit['kind']}: " in text for unit in units)
        own, compared = (Support.WHOLE if told else Support.NONE), "Continues parent"
    else:
        rendering = receive.compose(capsule, judged, report.evaluated)
        carriage = rendering.carried
        text = rendering.filled(judge_fidelity(capsule, consumer, carriage))
        told = all(f"`critical[{number}]`" in text for number in range(len(units)))
        own, compared = (Support.WHOLE if told else Support.NONE), "Against its parent"
    verdicts = {one.unit_id: one.verdict for one in judge_fidelity(capsule, consumer, carriage)}
    return {
        Track.FIDELITY: own,
        Track.VALIDITY: _LEVELS[verdicts["validity"]],
        Track.NEGATIVE_KNOWLEDGE: _LEVELS[verdicts["negative_knowledge"]],
        Track.CONTINUITY: Support.WHOLE if compared in text else Support.NONE,
    }


_LEVELS = {
    FidelityVerdict.PRESERVED: Support.WHOLE,
    FidelityVerdict.DEGRADED: Support.PART,
    FidelityVerdict.UNSUPPORTED: Support.NONE,
}


def _report(capsule: Capsule) -> Report:
    """What a run would find about the capsule beside its parent, without a repository."""
    assessment = assess(capsule, {}, parse_instant(_NOW))
    conditions = tuple(
        ConditionReport(
            one.condition_id, one.kind, one.required, 1, one.verdict, None, one.reason, one.remedy, None, ()
        )
        for one in assessment.conditions
    )
    parent = parse_capsule({**_FULL, "capsule_id": "parent", "parent_capsule_id": None})
    judged = CapsuleReport(
        path=".ophiuchus/cap.json",
        capsule_id=capsule.capsule_id,
        title=capsule.heading,
        continued=False,
        expired=assessment.expired,
        needs_action=assessment.needs_action,
        validity=ValidityReport(assessment.aggregate, conditions),
        negative_knowledge=judge_negative_knowledge(capsule, assessment.conditions),
        continuity=Lineage([parent]).continuity(capsule),
    )
    return Report(
        tool=TOOL,
        evaluated=Evaluated(None, "0" * 40, "0" * 40, _NOW),
        capsules=(judged,),
        problems=(),
        notices=(),
        totals=count([judged], problems=0, notices=0),
        gate=Gate((), passed=True, reasons=()),
        limits=LIMITS,
    )


def producers() -> list[Column]:
    """The columns of those who write."""
    forms = {DraftForm.JSON: "JSON", DraftForm.YAML: "YAML", DraftForm.MARKDOWN: "Markdown"}
    return [
        *(Column(f"`capture`, {name}", producer_support(form)) for form, name in forms.items()),
        Column("`capture`, headings alone", heading_support(), "structure-in-headings"),
    ]


def page() -> str:
    """The page, without its first line."""
    consumers = [Column(f"`{one}`", consumer_support(one), GAP_OF_CONSUMER.get(one)) for one in Consumer]
    levels = "\n".join(f"- **{level}**: {meaning}." for level, meaning in MEANINGS.items())
    gaps = "\n".join(f"- **{gap.name}**: {gap.words}" for gap in GAPS)
    return f"""# Conformance

Which of the four tracks a producer can write and a consumer is shown. The tables are made by running the
code: each form of a draft is captured, and each consumer's view is composed.

{levels}

## Producers

{_matrix(producers())}
## Consumers

`codex`, `claude-code` and `cursor` get what `ophiuchus receive` writes; `summary` is the job summary and the
comment; `record` and `discuss` are what is published, before the limits of a destination.

{_matrix(consumers)}
## Fields

Which fields have a place in what a consumer gets. A critical unit at any other field is `unsupported` there.

{_fields()}
## Gaps

{gaps}
"""


def _matrix(columns: Sequence[Column]) -> str:
    head = f"| track | {' | '.join(one.title for one in columns)} |\n|---|{'---|' * len(columns)}\n"
    rows = (f"| {track} | {' | '.join(one.cell(track) for one in columns)} |\n" for track in Track)
    return head + "".join(rows)


def _fields() -> str:
    head = f"| field | {' | '.join(f'`{one}`' for one in Consumer)} |\n|---|{'---|' * len(Consumer)}\n"
    rows = (
        f"| `{field}` | {' | '.join('yes' if field in DECLARED[one] else '' for one in Consumer)} |\n"
        for field in FIELDS
    )
    return head + "".join(rows)
