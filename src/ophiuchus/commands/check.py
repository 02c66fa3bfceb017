"""`ophiuchus check`: judge every committed capsule against the tree of one commit."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.fidelity import Gauge, with_fidelity
from ophiuchus.commands.judging import (
    add_fetching,
    add_place,
    exit_status,
    judge_checkout,
    place_in,
    remote_in,
)
from ophiuchus.commands.output import show
from ophiuchus.commands.report_options import add_form, add_policy
from ophiuchus.report.gate import parse_fail_on
from ophiuchus.report.model import Scope
from ophiuchus.views.verdict import compose

if TYPE_CHECKING:
    from ophiuchus.workflow.event import Event

HELP = "say which committed hand-offs still hold on a commit"
EXAMPLE = """\
  ophiuchus check
  ophiuchus check --base main --fail-on introduced
  ophiuchus check --fail-on stale,partially_stale --format json --output report.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_place(parser)
    parser.add_argument(
        "--base",
        metavar="COMMIT",
        help="tell what the change since this commit did (default: in a pull request's workflow its base)",
    )
    add_policy(parser)
    add_fetching(parser)
    add_form(parser)


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Judge and report. Raises ExpectedFailure where nothing can be judged."""
    judgement = judge_checkout(
        place_in(arguments, edge),
        edge,
        base=arguments.base,
        event=_event(edge),
        remote=remote_in(arguments, edge),
        capsules=arguments.capsules,
        scope=Scope(arguments.scope),
        fail_on=parse_fail_on(arguments.fail_on),
    )
    gauge = Gauge(judgement.critical)
    document = gauge.finish(compose(judgement.report, critical=gauge.units))
    report = with_fidelity(judgement.report, gauge.tracks)
    show(report, document, arguments.format, arguments.output, edge)
    return exit_status(report)


def _event(edge: Edge) -> Event | None:
    """The event that the environment names, which tells what the change is; also where no runner set it.

    Without a name there is none, for an event of no kind would count as one that has nothing to compare with.
    """
    if not edge.env.get("GITHUB_EVENT_NAME"):
        return None
    from ophiuchus.workflow.event import read_event

    return read_event(edge.env)
