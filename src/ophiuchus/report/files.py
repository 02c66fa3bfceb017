"""What a report says of one file in several lists, found together; files of other repositories apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ophiuchus.report.model import CapsuleReport, GateReason, GateRule, RemovedCapsule, Report
from ophiuchus.text.problem import Notice, Problem

File = tuple[str | None, str]
"""A repository, where reports of several are joined, and a path in it."""
Told = TypeVar("Told", CapsuleReport, RemovedCapsule, GateReason, Notice, Problem)


def file_of(told: CapsuleReport | RemovedCapsule | GateReason | Notice | Problem) -> File:
    """The file that something is said of."""
    return told.repository, told.path


def by_file(told: Iterable[Told]) -> dict[File, list[Told]]:
    """What is said of each file, in its order."""
    found: dict[File, list[Told]] = {}
    for one in told:
        found.setdefault(file_of(one), []).append(one)
    return found


def rules_by_file(report: Report) -> Mapping[File, Sequence[GateRule]]:
    """The rules of the gate that name each file."""
    named = by_file(report.gate.reasons)
    return {file: [reason.rule for reason in reasons] for file, reasons in named.items()}


def acting(report: Report) -> list[CapsuleReport]:
    """The capsules that need action or fail the gate, the worst first."""
    gated = rules_by_file(report)
    return [
        one for one in report.capsules if (one.needs_action and not one.continued) or file_of(one) in gated
    ]
