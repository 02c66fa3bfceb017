"""`ophiuchus inspect CAPSULE`: judge one capsule, named by id or path, or given on the standard input."""

from __future__ import annotations

import argparse

from ophiuchus.assess.fidelity import Consumer
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.fidelity import fidelity_for, with_fidelity
from ophiuchus.commands.finding import add_capsule, find_capsule, judge_found
from ophiuchus.commands.judging import exit_status, open_place, place_in, remote_in
from ophiuchus.commands.ledger_switches import CRITIC, judge_ledgers, only_provenance
from ophiuchus.commands.output import show
from ophiuchus.report.with_ledgers import with_ledgers
from ophiuchus.views.inspection import compose_inspection

HELP = "judge one hand-off and show all that is known of it"
EXAMPLE = """\
  ophiuchus inspect checkout-rewrite
  ophiuchus inspect .ophiuchus/checkout-rewrite.json --with claude-code --format json
  ophiuchus inspect draft.json --sender"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_capsule(parser)
    consumer = parser.add_mutually_exclusive_group()
    consumer.add_argument(
        "--with",
        dest="consumers",
        action="append",
        choices=[consumer.value for consumer in Consumer],
        help="judge what reaches this consumer; may be given more than once (default: codex)",
    )
    consumer.add_argument(
        "--sender",
        action="store_true",
        help="the sender's preview: what reaches whom is not known yet",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Judge and report. Only this capsule's problems count. Raises ExpectedFailure."""
    remote = remote_in(arguments, edge)
    with open_place(place_in(arguments, edge), arguments.capsules, edge) as opened:
        found = find_capsule(arguments.capsule, arguments.directory, edge, opened)
        report = judge_found(found, opened, remote, edge)
        if found.capsule is not None and any(
            item.provenance_ref for item in found.capsule.capsule.negative_knowledge
        ):
            judged = judge_ledgers(
                opened.scratch,
                opened.target.tree,
                base=None,
                policy=opened.target.tree,
                asked={CRITIC: "0"},
                env=edge.env,
                capsules=[(found.capsule.path, found.capsule.capsule)],
            )
            report = with_ledgers(report, only_provenance(judged))
    if found.capsule is not None:
        asked = [None] if arguments.sender else map(Consumer, arguments.consumers or [Consumer.CODEX])
        capsule = found.capsule.capsule
        tracks = [fidelity_for(consumer, capsule, report) for consumer in dict.fromkeys(asked)]
        report = with_fidelity(report, {found.capsule.path: tracks})
    show(report, compose_inspection(report), arguments.format, None, edge)
    return exit_status(report)
