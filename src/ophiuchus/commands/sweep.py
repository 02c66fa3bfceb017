"""`ophiuchus sweep`: judge every committed capsule as it stands, on a schedule, and in parts where asked."""

from __future__ import annotations

import argparse

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
from ophiuchus.report.shard import parse_shard
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.sweep import compose_sweep

HELP = "say of all committed hand-offs which still hold, whatever changed last"
EXAMPLE = """\
  ophiuchus sweep
  ophiuchus sweep --shard 2/4 --format json --output shard-2.json
  ophiuchus merge shard-*.json"""


class NotANumber(ExpectedFailure):
    """`--most` is no number of capsules."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_place(parser)
    parser.add_argument(
        "--shard", default="1/1", metavar="I/N", help="judge the I-th of N parts only; `merge` joins them"
    )
    parser.add_argument(
        "--most", metavar="N", help="judge at most N capsules, and say how many were left out"
    )
    add_policy(parser)
    add_fetching(parser)
    add_form(parser)


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Judge and report. Raises ExpectedFailure where nothing can be judged."""
    judgement = judge_checkout(
        place_in(arguments, edge),
        edge,
        remote=remote_in(arguments, edge),
        capsules=arguments.capsules,
        scope=Scope(arguments.scope),
        fail_on=parse_fail_on(arguments.fail_on),
        shard=parse_shard(arguments.shard),
        most=parse_most(arguments.most),
    )
    gauge = Gauge(judgement.critical)
    document = gauge.finish(compose_sweep(judgement.report, critical=gauge.units))
    report = with_fidelity(judgement.report, gauge.tracks)
    show(report, document, arguments.format, arguments.output, edge)
    return exit_status(report)


def parse_most(text: str | None) -> int | None:
    """The number that `--most` gives; None: all. Raises NotANumber."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= 9 and int(text)):
        raise NotANumber(f"--most {text[:40]!r} is no number of capsules", "write one, such as 5000")
    return int(text)
