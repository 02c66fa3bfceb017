"""`ophiuchus sweep`: judge every committed capsule as it stands, on a schedule, and in parts where asked."""

from __future__ import annotations

import argparse
from pathlib import Path

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.fidelity import Gauge, with_fidelity
from ophiuchus.commands.judging import (
    HEAD,
    add_fetching,
    add_place,
    exit_status,
    judge_checkout,
    place_in,
    remote_in,
)
from ophiuchus.commands.output import show
from ophiuchus.commands.receipt_store import add_receipts
from ophiuchus.commands.report_options import add_form, add_policy
from ophiuchus.publish.approval import ALLOWED_TARGETS, parse_approval
from ophiuchus.report.gate import parse_fail_on, refuse_rules_about_a_change
from ophiuchus.report.model import Report, Scope
from ophiuchus.report.shard import WHOLE, parse_shard
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.repository import repository_name
from ophiuchus.views.sweep import compose_sweep

HELP = "say of all committed hand-offs which still hold, whatever changed last"
EXAMPLE = """\
  ophiuchus sweep
  ophiuchus sweep --shard 2/4 --format json --output shard-2.json
  ophiuchus merge shard-*.json
  ophiuchus sweep --digest-to channel"""


class NotANumber(ExpectedFailure):
    """`--most` is no number of capsules."""


class NotForADigest(ExpectedFailure):
    """An option that says nothing about a digest was given with `--digest-to`, or the other way round."""


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
    parser.add_argument(
        "--digest-to",
        dest="aliases",
        action="append",
        default=[],
        metavar="ALIAS",
        help="tell a channel of .ophiuchus/destinations.toml what needs action; may be given more than once. "
        "What would be sent is shown, instead of the report",
    )
    parser.add_argument(
        "--approve",
        metavar="DIGEST",
        help="send the digest of --digest-to that was shown with this view digest; none: nobody approved it, "
        f"so the channel must be in {ALLOWED_TARGETS} (default: only show it)",
    )
    parser.add_argument(
        "--reports",
        metavar="FOLDER",
        help="with --digest-to: tell also what the reports in this folder (*.json, at any depth) say of "
        "other repositories; nobody judges that here, so it is sent only as a person approved it",
    )
    add_receipts(parser)


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Judge and report. Raises ExpectedFailure where nothing can be judged."""
    if arguments.aliases:
        return _tell_digest(arguments, edge)
    for option, given in (("--approve", arguments.approve), ("--reports", arguments.reports)):
        if given is not None:
            raise NotForADigest(f"{option} is for what --digest-to sends", "name a channel with --digest-to")
    fail_on = parse_fail_on(arguments.fail_on)
    refuse_rules_about_a_change(fail_on)
    judgement = judge_checkout(
        place_in(arguments, edge),
        edge,
        remote=remote_in(arguments, edge),
        capsules=arguments.capsules,
        scope=Scope(arguments.scope),
        fail_on=fail_on,
        shard=parse_shard(arguments.shard),
        most=parse_most(arguments.most),
    )
    gauge = Gauge(judgement.critical)
    document = gauge.finish(compose_sweep(judgement.report, critical=gauge.units))
    report = with_fidelity(judgement.report, gauge.tracks)
    show(report, document, arguments.format, arguments.output, edge)
    return exit_status(report)


def _tell_digest(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Show the digest, or send it. Raises ExpectedFailure where nothing was sent."""
    from ophiuchus.commands.publish import event_of, progress_on, show_account
    from ophiuchus.commands.sweep_digest import DigestRequest, preview_digest, send_digest
    from ophiuchus.commands.sweep_key import sweep_key

    not_for_it = {
        "--at": arguments.at is not None,
        "--tree": arguments.tree != HEAD,
        "--shard": parse_shard(arguments.shard) != WHOLE,
        "--most": arguments.most is not None,
        "--fail-on": bool(arguments.fail_on),
        f"--format {arguments.format}": arguments.format not in ("text", "json"),
    }
    for option, is_given in not_for_it.items():
        if is_given:
            raise NotForADigest(
                f"{option} is not for --digest-to",
                "a digest tells of the whole commit as it stands now, as text or json: leave it out",
            )
    request = DigestRequest(
        directory=Path(arguments.directory),
        aliases=tuple(arguments.aliases),
        key=sweep_key(".", arguments.capsules),
        approval=None if arguments.approve is None else parse_approval(arguments.approve),
        receipts=arguments.receipts,
        capsules=arguments.capsules,
        scope=Scope(arguments.scope),
        event=event_of(edge),
        joined=None if arguments.reports is None else _reports(arguments.reports, edge),
        token=edge.env.get("GITHUB_TOKEN", ""),
    )
    if arguments.approve is None:
        account = preview_digest(request, edge)
    else:
        account = send_digest(request, edge, progress_on(edge))
    return show_account(account, arguments.format, arguments.output, edge)


def _reports(folder: str, edge: Edge) -> Report:
    """The reports in a folder as one; what cannot be joined is warned of.

    Raises NoReports and NothingToMerge.
    """
    from ophiuchus.commands.merge import joined, reports_in

    files = ((str(path), path) for path in reports_in(Path(folder), folder))
    report = joined(files, home=repository_name(edge.env.get("GITHUB_REPOSITORY")))
    for problem in report.problems:
        edge.terminal.warn(f"problem: {problem.place()}: {problem.message}")
    return report


def parse_most(text: str | None) -> int | None:
    """The number that `--most` gives; None: all. Raises NotANumber."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= 9 and int(text)):
        raise NotANumber(f"--most {text[:40]!r} is no number of capsules", "write one, such as 5000")
    return int(text)
