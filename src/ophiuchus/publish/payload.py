"""What is sent: one capsule as a request's body for one destination, with the view's own fidelity in it.

The composer knows the artifact, the renderer the surface, and this which of them a provider gets; an adapter
adds nothing but where it goes. The same capsule and verdicts give the same bytes: there is no clock, run or
random number in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ophiuchus.assess.fidelity import UnitVerdict, judge_fidelity
from ophiuchus.capsule.model import Capsule
from ophiuchus.publish.capability import CAPABILITIES, Deployment, Kind, Operation
from ophiuchus.publish.destination import (
    ClickUpDestination,
    Destination,
    GitHubDestination,
    JiraDestination,
    SlackDestination,
    TeamsDestination,
)
from ophiuchus.report.model import CapsuleReport
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.discuss import compose_discuss
from ophiuchus.views.document import Document, Finish
from ophiuchus.views.handoff import FRAME, HandOff, finish_for
from ophiuchus.views.record import compose_record
from ophiuchus.views.render.adf import render_adf
from ophiuchus.views.render.clickup import render_clickup, render_clickup_comment
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.render.slack import render_slack
from ophiuchus.views.render.teams import render_teams
from ophiuchus.views.render.title import gfm_title, plain_title
from ophiuchus.views.render.wiki import render_wiki

_COMPOSERS: Mapping[Kind, Callable[..., HandOff]] = {
    Kind.RECORD: compose_record,
    Kind.DISCUSS: compose_discuss,
}


class FrameTooLong(ExpectedFailure):
    """What a view never leaves out (title, verdict, critical context, limits) does not fit into a surface."""

    def __init__(self, destination: Destination) -> None:
        super().__init__(
            f"the hand-off's critical context alone is longer than what {destination.provider} gets",
            "Mark fewer things as critical, or shorten why they are.",
        )


@dataclass(frozen=True, slots=True)
class Payload:
    """One body. `content` is exactly what is sent; `title` is empty where the operation sends none.

    `document` is what the surface was given: fitted to it, with the verdicts of `fidelity` filled in.
    """

    content: Mapping[str, Any] = field(repr=False)
    title: str = field(repr=False)
    document: Document = field(repr=False)
    fidelity: tuple[UnitVerdict, ...]

    @property
    def readable(self) -> str:
        """The same in lines for a person: what the preview shows beside the raw content."""
        text = render_plain(self.document)
        return f"{self.title}\n\n{text}" if self.title else text


def compose_payload(
    destination: Destination, operation: Operation, capsule: Capsule, report: CapsuleReport
) -> Payload:
    """The body for `destination`. Raises FrameTooLong."""
    compose = _COMPOSERS[CAPABILITIES[destination.provider].kind]
    hand_off = compose(capsule, report, contact_cards=destination.contact_cards)
    sent: list[Document] = []

    def finish(fitted: Document) -> Document:
        sent.append(finish_for(hand_off)(fitted))
        return sent[-1]

    title, content = _body(destination, operation, hand_off.title, hand_off.document, finish)
    document = sent[-1]
    left = {part.name for part in document.parts}
    if any(part.rank == FRAME and part.name not in left for part in hand_off.document.parts):
        raise FrameTooLong(destination)
    fidelity = judge_fidelity(capsule, hand_off.consumer, hand_off.carried(document))
    return Payload(content, title, document, fidelity)


def compose_message(
    destination: Destination, operation: Operation, title: str, document: Document
) -> Payload:
    """The body of what is no hand-off, and so has nothing critical and no fidelity."""
    sent: list[Document] = []

    def finish(fitted: Document) -> Document:
        sent.append(fitted)
        return fitted

    title, content = _body(destination, operation, title, document, finish)
    return Payload(content, title, sent[-1], ())


def _body(
    destination: Destination, operation: Operation, title: str, document: Document, finish: Finish
) -> tuple[str, dict[str, Any]]:
    """Title and content; what is added to an artifact has no title."""
    if operation is Operation.APPEND:
        return "", _appended(destination, document, finish)
    title = _title(destination, title)
    return title, _created(destination, title, document, finish)


def _title(destination: Destination, text: str) -> str:
    limit = CAPABILITIES[destination.provider].title_limit
    if limit is None:
        return ""
    return gfm_title(text) if isinstance(destination, GitHubDestination) else plain_title(text, limit)


def _created(destination: Destination, title: str, document: Document, finish: Finish) -> dict[str, Any]:
    """The body that makes an artifact."""
    match destination:
        case GitHubDestination(labels=labels):
            return {"title": title, "body": render_gfm(document, finish=finish), "labels": list(labels)}
        case JiraDestination(labels=labels):
            fields = {
                "project": {"key": destination.target},
                "issuetype": {"name": destination.issue_type},
                "summary": title,
                "description": _jira_text(destination, document, finish),
            }
            return {"fields": {**fields, "labels": list(labels)} if labels else fields}
        case ClickUpDestination(tags=tags):
            task = {"name": title, "markdown_content": render_clickup(document, finish=finish)}
            return {**task, "tags": list(tags)} if tags else task
        case SlackDestination():
            return _slack_message(document, finish)
        case TeamsDestination():
            return {"subject": title, **_teams_message(document, finish)}


def _appended(destination: Destination, document: Document, finish: Finish) -> dict[str, Any]:
    """The body that adds to one."""
    match destination:
        case GitHubDestination():
            return {"body": render_gfm(document, finish=finish)}
        case JiraDestination():
            return {"body": _jira_text(destination, document, finish)}
        case ClickUpDestination():
            return {"comment_text": render_clickup_comment(document, finish=finish), "notify_all": False}
        case SlackDestination():
            return {**_slack_message(document, finish), "reply_broadcast": False}
        case TeamsDestination():
            return _teams_message(document, finish)


def _jira_text(destination: JiraDestination, document: Document, finish: Finish) -> dict[str, Any] | str:
    if destination.deployment is Deployment.DATA_CENTER:
        return render_wiki(document, finish=finish)
    return render_adf(document, finish=finish)


def _slack_message(document: Document, finish: Finish) -> dict[str, Any]:
    """The message, with everything off that makes Slack look for names and addresses in it."""
    message = render_slack(document, finish=finish)
    return {
        "text": message.text,
        "blocks": message.blocks,
        "unfurl_links": False,
        "unfurl_media": False,
        "parse": "none",
        "link_names": False,
    }


def _teams_message(document: Document, finish: Finish) -> dict[str, Any]:
    return {"body": {"contentType": "html", "content": render_teams(document, finish=finish)}}
