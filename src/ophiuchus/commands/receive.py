"""`ophiuchus receive CAPSULE [--with CONSUMER]`: the Markdown that a receiving agent reads.

Everything is judged here and now. The Markdown goes to the standard output, what is to be known before
reading it to the standard error.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from ophiuchus.assess.fidelity import AGENTS, Consumer, judge_fidelity
from ophiuchus.assess.verdicts import VALIDITY_LIMIT, Verdict
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.fidelity import fidelity_report, with_fidelity
from ophiuchus.commands.finding import add_capsule, find_capsule, judge_found
from ophiuchus.commands.judging import exit_status, open_place, place_in, remote_in
from ophiuchus.commands.output import write_output
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.text.problem import NoticeCode
from ophiuchus.text.terminal import harmless_json, harmless_line
from ophiuchus.text.wording import counted
from ophiuchus.views.receive import compose

HELP = "write a hand-off as Markdown for the agent that goes on with it"
EXAMPLE = """\
  ophiuchus receive checkout-rewrite
  ophiuchus receive - --with codex --output hand-off.md < capsule.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_capsule(parser)
    parser.add_argument(
        "--with",
        dest="consumer",
        choices=[consumer.value for consumer in AGENTS],
        default=Consumer.CODEX.value,
        help="the agent that reads it; all get the same text (default: codex)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="text: the Markdown; json: the Markdown and the report on it (default: text)",
    )
    parser.add_argument(
        "--output", metavar="FILE", help="write there, byte for byte, instead of to the standard output"
    )


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Judge, warn, and write. Only this capsule's problems count. Raises ExpectedFailure."""
    remote = remote_in(arguments, edge)
    with open_place(place_in(arguments, edge), arguments.capsules, edge) as opened:
        found = find_capsule(arguments.capsule, arguments.directory, edge, opened)
        report = judge_found(found, opened, remote, edge)
    for problem in report.problems:
        edge.terminal.warn(f"problem: {problem.place()}: {problem.message}")
    if found.capsule is None:
        return exit_status(report)
    capsule, consumer = found.capsule.capsule, Consumer(arguments.consumer)
    rendering = compose(capsule, report.capsules[0], report.evaluated)
    verdicts = judge_fidelity(capsule, consumer, rendering.carried)
    markdown = rendering.filled(verdicts)
    for warning in warnings(report):
        edge.terminal.warn(warning)
    if arguments.format == "json":
        tracks = [fidelity_report(consumer, verdicts)]
        report = with_fidelity(report, {found.capsule.path: tracks})
        _write_json(report, consumer, markdown, arguments.output, edge)
    else:
        _write(markdown, arguments.output, edge)
    return exit_status(report)


def warnings(report: Report) -> Iterator[str]:
    """What is to be known before reading the one capsule in `report`: what does not hold, then what else."""
    (capsule,) = report.capsules
    yield from _validity(capsule)
    if capsule.expired:
        yield "warning: expired: the sender meant this hand-off to be over by now"
    for item in capsule.to_revalidate:
        yield f"warning: revalidation required: `{item.item_id}` was {item.reason}"
    for notice in report.notices:
        if notice.code is not NoticeCode.REVALIDATION_REQUIRED:
            yield f"notice: {notice.message}"


def _validity(capsule: CapsuleReport) -> Iterator[str]:
    required = [one for one in capsule.validity.conditions if one.required]
    not_valid = [f"`{one.condition_id}`" for one in required if one.verdict is not Verdict.VALID]
    if not_valid:
        yield (
            f"warning: context validity: {capsule.validity.aggregate}; "
            f"{counted(len(not_valid), 'required condition')} not valid: {', '.join(not_valid)}. "
            f"{VALIDITY_LIMIT}"
        )


def _write(markdown: str, file: str | None, edge: Edge) -> None:
    if file is not None:
        write_output(file, markdown.encode())
    elif edge.env.get("GITHUB_ACTIONS") == "true":
        edge.terminal.say(markdown)
        if any(harmless_line(line) != line for line in markdown.split("\n")):
            edge.terminal.warn(
                "notice: lines that this runner would take for commands were changed; `--output FILE` keeps "
                "every byte"
            )
    else:
        edge.terminal.say_exactly(markdown)


def _write_json(report: Report, consumer: Consumer, markdown: str, file: str | None, edge: Edge) -> None:
    from ophiuchus.report.serial import report_bytes

    document = {
        "capsule_id": report.capsules[0].capsule_id,
        "consumer": consumer,
        "markdown": markdown,
        "report": json.loads(report_bytes(report)),
    }
    text = json.dumps(document, ensure_ascii=False, indent=2)
    if file is None:
        edge.terminal.say_json(text)
    else:
        write_output(file, f"{harmless_json(text)}\n".encode())
