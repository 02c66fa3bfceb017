"""`ophiuchus publish CAPSULE --to ALIAS`: put one verified hand-off where the team works, once."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ophiuchus.capsule.shelf import DEFAULT_PATTERN
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.output import write_output
from ophiuchus.commands.proposing import Request
from ophiuchus.commands.receipt_store import add_receipts
from ophiuchus.publish.account import Account, account_json, compose_account
from ophiuchus.publish.approval import UNATTENDED, parse_approval
from ophiuchus.publish.delivery import Step
from ophiuchus.publish.gate import PublishWhen
from ophiuchus.views.render.plain import render_plain

if TYPE_CHECKING:
    from ophiuchus.workflow.event import Event

HELP = "write a hand-off to an issue, a ticket, a task or a channel, once"
EXAMPLE = """\
  ophiuchus publish checkout-rewrite --to tracker --to channel --preview
  ophiuchus publish checkout-rewrite --to tracker --approve DIGEST"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("capsule", metavar="CAPSULE", help="a committed capsule: its id or path")
    parser.add_argument("-C", dest="directory", default=".", metavar="DIR", help="a folder of the checkout")
    parser.add_argument(
        "--to",
        dest="aliases",
        action="append",
        required=True,
        metavar="ALIAS",
        help="a destination of .ophiuchus/destinations.toml; may be given more than once",
    )
    parser.add_argument(
        "--preview", action="store_true", help="show what would be sent, and its digest; send nothing"
    )
    parser.add_argument(
        "--approve",
        default=UNATTENDED,
        metavar="DIGEST",
        help="the digest that a preview printed; none: nobody approved it, so more is asked (default: none)",
    )
    parser.add_argument(
        "--publish-when",
        choices=[when.value for when in PublishWhen],
        help="how true the hand-off must still be (default: verified for a record, any for a discussion)",
    )
    add_receipts(parser)
    parser.add_argument(
        "--capsules", default=DEFAULT_PATTERN, metavar="GLOB", help="where ids are looked for, as for check"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", help="write there instead of to the standard output")


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Preview or publish, and say what came of it. Raises ExpectedFailure where nothing was sent."""
    request = Request(
        directory=Path(arguments.directory),
        capsule=arguments.capsule,
        aliases=tuple(arguments.aliases),
        approval=parse_approval(arguments.approve),
        publish_when=PublishWhen(arguments.publish_when) if arguments.publish_when else None,
        receipts=arguments.receipts,
        capsules=arguments.capsules,
        event=event_of(edge),
        token=edge.env.get("GITHUB_TOKEN", ""),
    )
    account = account_of(request, edge, is_preview=arguments.preview)
    return show_account(account, arguments.format, arguments.output, edge)


def show_account(account: Account, form: str, file: str | None, edge: Edge) -> ExitStatus:
    """Print what came of a run as `form` (text or json), or write it to `file`. Raises its bug last."""
    if file is not None:
        text = account_json(account) if form == "json" else render_plain(compose_account(account))
        write_output(file, text.encode())
    elif form == "json":
        edge.terminal.say_json(account_json(account))
    else:
        edge.terminal.say(render_plain(compose_account(account), edge.columns))
    if account.bug is not None:
        raise account.bug
    return status_of(account)


def account_of(request: Request, edge: Edge, *, is_preview: bool) -> Account:
    """Preview or publish, with a line of progress for each destination."""
    from ophiuchus.commands import publishing

    if is_preview:
        return publishing.preview(request, edge)
    return publishing.publish(request, edge, progress_on(edge))


def progress_on(edge: Edge) -> Callable[[str, Step], None]:
    """What tells of each destination when it is written to."""

    def told(alias: str, step: Step) -> None:
        if step is Step.WRITING:
            edge.terminal.warn(f"writing to {alias}")

    return told


def status_of(account: Account) -> ExitStatus:
    """A bug beats a delivery that is not done, which beats a refusal; a preview cannot fail."""
    if account.bug is not None:
        return ExitStatus.BUG
    if any(not one.is_done for one in account.delivered):
        return ExitStatus.DELIVERY
    return ExitStatus.REFUSED if account.refused and not account.is_preview else ExitStatus.DONE


def event_of(edge: Edge) -> Event | None:
    """The event of the workflow that this runs in; None where a person runs it, who may do more.

    Unlike in `check`, what says so is the runner: a workflow that hides its event's name stays one.
    """
    if edge.env.get("GITHUB_ACTIONS") != "true":
        return None
    from ophiuchus.workflow.event import read_event

    return read_event(edge.env)
