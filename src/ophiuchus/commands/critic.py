"""`ophiuchus critic`: the ledger of critics' findings, from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ophiuchus.commands.actor import actor_of
from ophiuchus.commands.critic_review import add_review, run_review
from ophiuchus.commands.critic_validate import run_open, run_validate, shown
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.given_file import read_given
from ophiuchus.commands.ledger_options import (
    Act,
    actions_of,
    add_checking,
    add_file,
    add_form,
    add_profile,
)
from ophiuchus.commands.ledger_place import place_of, settings_in, warn_of
from ophiuchus.commands.ledger_telling import say_json
from ophiuchus.ledgers.critic.adding import add_finding
from ophiuchus.ledgers.critic.closing import close_finding
from ophiuchus.ledgers.critic.evidence import Reviewed, critic_evidence, model_id_missing
from ophiuchus.ledgers.critic.finding import Status, faults
from ophiuchus.ledgers.critic.issue_key import compute_issue_key
from ophiuchus.ledgers.critic.jury import reconcile_findings
from ophiuchus.ledgers.critic.models import select_critic_model
from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.critic.rework import Decision, Rework, decide_rework
from ophiuchus.ledgers.critic.validation import FINDINGS, Tally, validate
from ophiuchus.ledgers.jsonl import Profile, Row, RowProblem, read_rows, row_problem
from ophiuchus.secrets.scan import scan_text, scan_value
from ophiuchus.text.file_text import UnusableFile
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.strict_json import MAX_BYTES, parse_json
from ophiuchus.text.wording import counted

HELP = "validate the critics' ledger, gate on it, review, append, resolve"
EXAMPLE = """\
  ophiuchus critic validate --repo . --profile strict
  ophiuchus critic open
  ophiuchus critic gate --run auto-20260708-01 --phase execute
  ophiuchus critic review --executor 'my-agent -p' --run auto-1 --phase execute --role dev --artifact my.diff
  ophiuchus critic resolve 5a1c7e02-9b3d-4f60-8a27-1d2e3f405162 --status waived --why 'accepted risk'"""


class LedgerInvalid(ExpectedFailure):
    """The ledger holds lines that are no findings, so that no decision can rest on it."""


class SwitchUnclear(ExpectedFailure):
    """What may have switched the gate on cannot be used: a slip must not open it."""


class NoReview(ExpectedFailure):
    """Nobody has reviewed the phase: that is no pass."""


class InputUnreadable(ExpectedFailure):
    """A file that was given holds no JSON of the kind that is wanted."""


class NotAFinding(ExpectedFailure):
    """What was to be appended is no finding."""


class ReasonNotKept(ExpectedFailure):
    """What would be kept of a decision says nothing, or looks like it holds a secret."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    add = actions_of(parser, add_file)
    action = add("validate", "judge every line; exit 2 where one is wrong", run_validate)
    add_checking(action)
    action.add_argument("--open-blocking", action="store_true", help="the same as `critic open`")
    add_form(action)
    action = add("open", "list, as JSON, the findings that are open and block", run_open)
    action.add_argument("--qa", action="store_true", help="as the block that QA's findings carry")
    action = add("gate", "decide whether a phase passes or is to be done again; exit 1 where not", _gate)
    action.add_argument("--run", required=True, metavar="ID", help="the orchestrator's run")
    action.add_argument("--phase", required=True, metavar="ID", help="the phase")
    action.add_argument(
        "--isolation", metavar="FILE", help="JSON: the isolation entries of producer and critic"
    )
    add_profile(action)
    add_form(action)
    action = add("reconcile", "say, as JSON, where lenses agree; nothing is written", _reconcile)
    action.add_argument("--run", metavar="ID", help="only this run's findings")
    action.add_argument("--phase", metavar="ID", help="only this phase's findings")
    add_profile(action)
    action = add("select", "choose the model that criticises another's work", _select, add_form)
    action.add_argument(
        "--producer", default="", metavar="MODEL", help="who worked (default: the one in use)"
    )
    action.add_argument("--critic", metavar="MODEL", help="who is to look, whatever the tiers say")
    add_review(
        add("review", "let three critics look at a piece of work, and write what they find", run_review)
    )
    action = add("append", "add one finding, if it is one", _append)
    action.add_argument("--from", dest="source", required=True, metavar="FILE", help="JSON; - reads stdin")
    add_profile(action)
    action = add("resolve", "close a finding, with who, why and when beside the ledger", _resolve)
    action.add_argument("finding", metavar="FINDING", help="its finding_id")
    closed = (Status.RESOLVED.value, Status.WAIVED.value)
    action.add_argument("--status", choices=closed, default=closed[0], help=f"default: {closed[0]}")
    action.add_argument("--why", required=True, metavar="TEXT", help="the reason, kept beside the ledger")
    action.add_argument("--by", metavar="NAME", help="who (default: GITHUB_ACTOR, or somebody)")


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Do it. Raises ExpectedFailure."""
    act: Act = arguments.act
    return act(arguments, edge)


def _gate(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    settings = settings_in(arguments, edge)
    if not settings.is_review_clear:
        raise SwitchUnclear(
            "it cannot be told whether CROSS_MODEL_REVIEW is on, so the gate stays shut",
            "Set it to 0 or 1; the notice says what could not be used.",
        )
    if not settings.cross_model_review:
        return _disabled(edge)
    if arguments.isolation is not None and (missing := model_id_missing(_entries(arguments.isolation, edge))):
        edge.terminal.warn(f"{missing}: an isolation entry names no model_id")
        return ExitStatus.GATE
    rows = _phase_rows(arguments)
    if not rows:
        raise NoReview(
            f"no finding is of the run {arguments.run} and the phase {arguments.phase}",
            "Have it reviewed first: `ophiuchus critic review`.",
        )
    threshold = settings.cross_model_antislop_threshold
    rework = decide_rework(
        rows,
        arguments.run,
        arguments.phase,
        threshold=threshold,
        rework_max=settings.cross_model_rework_max,
        profile=Profile(arguments.profile),
    )
    if arguments.format == "json":
        say_json(_decision(rework, threshold, _reviewed(rows[-1])), edge)
    else:
        edge.terminal.say(rework.words + (f" ({rework.reason})" if rework.reason else ""))
    return ExitStatus.DONE if rework.decision is Decision.PASS else ExitStatus.GATE


def _decision(rework: Rework, threshold: int, reviewed: Reviewed) -> dict[str, Any]:
    """The gate's decision, with all that it rests on."""
    return {
        "decision": rework.decision,
        "reason": rework.reason,
        "anti_slop_aggregate": rework.aggregate,
        "threshold": threshold,
        "open_blocking_count": rework.open_blocking,
        "rework_generation": rework.generation,
        "rework_max": rework.most,
        **critic_evidence(reviewed, rework),
    }


def _reconcile(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    found = reconcile_findings(_phase_rows(arguments), Profile(arguments.profile))
    document = {
        "findings": [shown(row) for row in found.findings],
        "agreements": [
            {
                "issue_key": one.issue_key,
                "agreed": one.agreed,
                "lenses": one.lenses,
                "blocking": one.blocking,
                "severity": one.severity,
                "anti_slop_score": one.score,
                "finding_ids": [row["finding_id"] for row in one.findings],
            }
            for one in found.agreements
        ],
    }
    say_json(document, edge)
    return ExitStatus.DONE


def _select(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    choice = select_critic_model(arguments.producer, settings_in(arguments, edge), arguments.critic)
    if arguments.format == "json":
        say_json(asdict(choice), edge)
    else:
        edge.terminal.say(choice.critic_model_id)
        if choice.reason:
            edge.terminal.warn(f"{choice.reason}: {choice.critic_model_id} criticises its own work")
    return ExitStatus.DONE


def _append(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    if not settings_in(arguments, edge).cross_model_review:
        return _disabled(edge)
    row = _json(arguments.source, edge)
    if not isinstance(row, dict):
        raise InputUnreadable(f"{arguments.source} holds no JSON object: a finding is one")
    if "issue_key" not in row and isinstance(text := row.get("finding_text"), str):
        row["issue_key"] = compute_issue_key(text)
    if found := _faults(row, Profile(arguments.profile)):
        for message in found:
            edge.terminal.warn(message)
        raise NotAFinding(
            f"{CriticReason.FINDINGS_INVALID}: {arguments.source} holds no finding, and nothing was written",
            "Each line above names one thing to mend in it.",
        )
    root, place = place_of(arguments, FINDINGS)
    add_finding(root, place, row)
    edge.terminal.say(row["finding_id"])
    return ExitStatus.DONE


def _resolve(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    root, place = place_of(arguments, FINDINGS)
    by = actor_of(edge.env, arguments.by)
    if not arguments.why.strip():
        raise ReasonNotKept("--why says nothing", "Give the reason: it is all that is kept of the decision.")
    if scan_text(arguments.finding):
        raise ReasonNotKept("FINDING looks like it holds a secret, and would be kept", "Give a finding's id.")
    if scan_text(arguments.why):
        raise ReasonNotKept("--why looks like it holds a secret, and would be kept", "Write another reason.")
    changed = close_finding(
        root,
        place,
        arguments.finding,
        Status(arguments.status),
        by=by,
        why=arguments.why,
        now=edge.now,
    )
    edge.terminal.say(
        f"{arguments.status}: {counted(changed, 'row')} of {arguments.finding}"
        if changed
        else f"{arguments.finding} is {arguments.status} already"
    )
    return ExitStatus.DONE


def _faults(row: dict[str, Any], profile: Profile) -> list[str]:
    """Why `row` is no finding that may be kept."""
    messages = [fault.message for fault in faults(row, profile)]
    messages += (f"looks like it holds a secret: {secret}" for secret in scan_value(row))
    return [row_problem(None, None, CriticReason.FINDINGS_INVALID, message).message for message in messages]


def _phase_rows(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of the run and phase that are asked for. Raises LedgerInvalid where any line is wrong."""
    path = place_of(arguments, FINDINGS)
    found = validate(path.open, Profile(arguments.profile), Tally())
    problem = next((one for one in found if isinstance(one, RowProblem)), None)
    if problem is not None:
        raise LedgerInvalid(
            f"{CriticReason.FINDINGS_INVALID}: {warn_of(path.place, problem)}",
            "`ophiuchus critic validate` tells every line that is wrong.",
        )
    with path.open() as file:
        return [
            row.value
            for row in read_rows(file)
            if isinstance(row, Row)
            and arguments.run in (None, row.value["orchestrator_run_id"])
            and arguments.phase in (None, row.value["phase_id"])
        ]


def _reviewed(row: Mapping[str, Any]) -> Reviewed:
    return Reviewed(row["producer_model_id"], row["critic_model_id"], row["degraded_mode"])


def _entries(name: str, edge: Edge) -> list[Mapping[str, Any]]:
    document = _json(name, edge)
    entries = document if isinstance(document, list) else [document]
    if not all(isinstance(entry, dict) for entry in entries):
        raise InputUnreadable(f"{name} holds no isolation entries: each is a JSON object")
    return entries


def _json(name: str, edge: Edge) -> Any:
    """The JSON in a file that was named, or in the standard input."""
    data = read_given(name, edge, MAX_BYTES)
    try:
        return parse_json(data).document
    except UnusableFile as fault:
        raise InputUnreadable(
            f"{name} {row_problem(None, None, fault.code, fault.message).message}"
        ) from None


def _disabled(edge: Edge) -> ExitStatus:
    edge.terminal.warn(
        f"{CriticReason.REVIEW_DISABLED}: CROSS_MODEL_REVIEW is 0; nothing was read or written"
    )
    return ExitStatus.DONE
