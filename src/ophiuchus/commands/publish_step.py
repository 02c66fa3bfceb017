"""The steps of `mode: preview` and `mode: publish`: one hand-off, told on the surfaces of a step."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from ophiuchus.commands.edge import ExitStatus
from ophiuchus.commands.proposing import Request
from ophiuchus.commands.publish import account_of, status_of
from ophiuchus.commands.surfaces import NOTHING_JUDGED, Surfaces
from ophiuchus.publish.account import Account, account_json, compose_account, deliveries_line
from ophiuchus.publish.approval import parse_approval
from ophiuchus.publish.delivery import Delivered
from ophiuchus.publish.gate import PublishWhen
from ophiuchus.text.new_file import replace_file
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.render.plain import render_plain
from ophiuchus.workflow.commands import Annotation, Level
from ophiuchus.workflow.debug_log import Phase
from ophiuchus.workflow.inputs import Mode, Settings


class UnknownPublishWhen(ExpectedFailure):
    """The input publish_when holds none of its values."""

    def __init__(self) -> None:
        super().__init__(
            "the input publish_when holds none of its values", f"It is one of: {', '.join(PublishWhen)}."
        )


def begin_publishing(settings: Settings, surfaces: Surfaces) -> Callable[[], ExitStatus]:
    """Preview or publish; telling of it is what is left to do. Raises ExpectedFailure."""
    if settings.publish_when not in ("", *PublishWhen):
        raise UnknownPublishWhen
    request = Request(
        directory=Path(settings.workspace, settings.path),
        capsule=settings.capsule,
        aliases=settings.destinations,
        approval=parse_approval(settings.approve),
        publish_when=PublishWhen(settings.publish_when) if settings.publish_when else None,
        receipts=settings.receipts,
        capsules=settings.capsules,
        event=surfaces.event,
        token=settings.github_token,
    )
    account = account_of(request, surfaces.edge, is_preview=settings.mode is Mode.PREVIEW)

    def tell() -> ExitStatus:
        report_path = _write_account(settings, surfaces, account)
        return tell_account(surfaces, account, {**_outputs(account), "report_path": report_path})

    return tell


def tell_account(surfaces: Surfaces, account: Account, outputs: Mapping[str, str]) -> ExitStatus:
    """Tell on every surface what came of it. Raises only what is a bug, and that last."""
    surfaces.log.note(Phase.PUBLISHED, refused=len(account.refused), delivered=len(account.delivered))
    document = compose_account(account)
    surfaces.append_summary(document)
    surfaces.write_outputs(outputs)
    for annotation in _annotations(account):
        surfaces.writer.annotate(annotation)
    surfaces.edge.terminal.say(render_plain(document))
    if account.bug is not None:
        raise account.bug
    surfaces.raise_bug()
    return status_of(account)


def _write_account(settings: Settings, surfaces: Surfaces, account: Account) -> str:
    """Write the account where it was asked for; its path if it was written, else nothing."""
    place = settings.report_path
    if not place:
        return ""

    def write() -> None:
        replace_file(Path(settings.workspace), PurePosixPath(place), account_json(account).encode())

    return place if surfaces.attempt(place, write) else ""


def _outputs(account: Account) -> dict[str, str]:
    return {
        **NOTHING_JUDGED,
        "verdict": account.proposal.verdict,
        "passed": json.dumps(status_of(account) is ExitStatus.DONE),
        "view_digest": account.proposal.view_digest,
        "deliveries": deliveries_line(account),
    }


def _annotations(account: Account) -> Iterator[Annotation]:
    """What a person has to see: refusals and deliveries that are not done. A preview only warns."""
    level = Level.NOTICE if account.is_preview else Level.ERROR
    for refusal in account.refused:
        about = f" for {refusal.alias}" if refusal.alias else ""
        rule = refusal.rule.value.replace("_", " ")
        yield Annotation(level, f"not publishable{about}: {rule}", refusal.reason)
    for warning in account.warnings:
        yield Annotation(Level.WARNING, "", warning)
    for one in account.delivered:
        if not one.is_done:
            yield Annotation(Level.ERROR, f"{one.plan.alias}: {one.outcome.status.value}", _why(one))


def _why(delivered: Delivered) -> str:
    unrecorded = f"the receipt could not be stored: {delivered.unrecorded}" if delivered.unrecorded else ""
    return "; ".join(filter(None, (delivered.reason, unrecorded)))
