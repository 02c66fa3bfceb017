"""A report and what was found in the ledgers beside the capsules, as one."""

from __future__ import annotations

from dataclasses import replace

from ophiuchus.report.gate import blocking_reasons
from ophiuchus.report.ledgers import JudgedLedgers, Ledgers
from ophiuchus.report.model import Report


def with_ledgers(report: Report, judged: JudgedLedgers) -> Report:
    """The report with the ledgers' problems and notices, and its gate with what is open and blocks."""
    problems = (*report.problems, *judged.problems)
    notices = (*report.notices, *judged.notices)
    reasons = (*report.gate.reasons, *blocking_reasons(judged.ledgers, report.gate.fail_on))
    return replace(
        report,
        ledgers=judged.ledgers,
        problems=problems,
        notices=notices,
        totals=replace(report.totals, problems=len(problems), notices=len(notices)),
        gate=replace(report.gate, passed=not reasons, reasons=reasons),
    )


def joined(one: JudgedLedgers, other: JudgedLedgers) -> JudgedLedgers:
    """What was found in the critics' ledger and in the memory, as one."""
    return JudgedLedgers(
        Ledgers(one.ledgers.critic or other.ledgers.critic, one.ledgers.memory or other.ledgers.memory),
        (*one.problems, *other.problems),
        (*one.notices, *other.notices),
    )
