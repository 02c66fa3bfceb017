"""What the ledgers leave on a pull request's lines: findings that block, rows that went."""

from __future__ import annotations

from collections.abc import Iterator

from ophiuchus.report.model import Report
from ophiuchus.workflow.commands import Annotation, Level


def blocking_findings(report: Report) -> Iterator[Annotation]:
    """A warning on the line of each listed finding that is open and blocks."""
    critic = report.ledgers.critic
    if critic is None:
        return
    for finding in critic.open_blocking:
        what = "not shown: it looks like it holds a secret" if finding.text is None else finding.text
        message = f"{finding.run_id}, {finding.phase_id}, {finding.lens}, {finding.severity}: {what}"
        title = f"open and blocking: {finding.finding_id or 'a finding'}"
        yield Annotation(Level.WARNING, title, message.replace("\n", " "), critic.path, finding.line)


def lost_rows(report: Report) -> Iterator[Annotation]:
    """A notice for each listed row that this change removed or altered."""
    for row in report.ledgers.lost:
        message = f"{row.path}:{row.line} at the base{f', {row.identity}' if row.identity else ''}"
        yield Annotation(
            Level.NOTICE, f"{row.change.value} in a ledger", message.replace("\n", " "), row.path
        )
