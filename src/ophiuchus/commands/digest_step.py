"""The digest of `mode: sweep`: told on the surfaces of a step, and sent where somebody asked for that."""

from __future__ import annotations

from pathlib import Path

from ophiuchus.commands.edge import ExitStatus
from ophiuchus.commands.publish import progress_on
from ophiuchus.commands.publish_step import tell_account
from ophiuchus.commands.surfaces import Surfaces
from ophiuchus.commands.sweep_digest import DigestRequest, preview_digest, send_digest
from ophiuchus.commands.sweep_key import sweep_key
from ophiuchus.publish.account import Account, deliveries_line
from ophiuchus.publish.approval import ALLOWED_TARGETS, parse_approval
from ophiuchus.report.model import Report
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.document import Document, Heading, Paragraph, Part, Text
from ophiuchus.workflow.commands import Annotation, Level
from ophiuchus.workflow.inputs import Settings

_NOTHING_SENT = "no digest was sent"


def tell_digest(settings: Settings, surfaces: Surfaces, joined: Report | None) -> ExitStatus:
    """Show or send it, and tell on every surface what came of it. Raises only a bug, and that last.

    `joined` are the reports that the step joins, if it does.
    """
    try:
        account = _account(settings, surfaces, joined)
    except ExpectedFailure as failure:
        _tell_failure(surfaces, failure)
        return ExitStatus.BAD_INPUT
    view_digest = account.proposal.view_digest if account.proposal.writes else ""
    return tell_account(
        surfaces, account, {"view_digest": view_digest, "deliveries": deliveries_line(account)}
    )


def _account(settings: Settings, surfaces: Surfaces, joined: Report | None) -> Account:
    """Without an approval it is sent only where the environment lists targets for what nobody approves."""
    edge = surfaces.edge
    request = DigestRequest(
        directory=Path(settings.workspace, settings.path),
        aliases=settings.digest_to,
        key=settings.comment_key or sweep_key(settings.path, settings.capsules),
        approval=parse_approval(settings.approve),
        receipts=settings.receipts,
        capsules=settings.capsules,
        scope=settings.scope,
        event=surfaces.event,
        joined=joined,
        token=settings.github_token,
    )
    if request.approval is None and not edge.env.get(ALLOWED_TARGETS, "").strip():
        return preview_digest(request, edge)
    return send_digest(request, edge, progress_on(edge))


def _tell_failure(surfaces: Surfaces, failure: ExpectedFailure) -> None:
    words = "\n".join(filter(None, (failure.message, failure.remedy)))
    heading = Heading(2, (Text(f"Action required: {_NOTHING_SENT}"),))
    surfaces.append_summary(Document((Part("the digest", 0, (heading, Paragraph((Text(words),)))),)))
    surfaces.writer.annotate(Annotation(Level.ERROR, _NOTHING_SENT, words))
