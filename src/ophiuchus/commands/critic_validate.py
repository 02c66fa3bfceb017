"""`critic validate` and `critic open`: judge the critics' ledger, and list what is open and blocks."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.ledger_place import as_json, place_to_read, warn_of
from ophiuchus.commands.ledger_telling import MOST_TOLD, say_json, tell_judged, tell_self_test
from ophiuchus.ledgers.critic.evidence import qa_block
from ophiuchus.ledgers.critic.finding import is_open_blocking
from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.critic.self_test import failures
from ophiuchus.ledgers.critic.validation import FINDINGS, Tally, validate
from ophiuchus.ledgers.jsonl import Profile, Row, RowNotice, RowProblem, read_rows
from ophiuchus.secrets.scan import MOST_FINDINGS, scan_value
from ophiuchus.text.problem import ProblemCode
from ophiuchus.text.wording import counted

VALID = "[SOVEREIGN_CRITIC_VALIDATION_OK]"
INVALID = "[SOVEREIGN_CRITIC_VALIDATION_FAILED]"
SELF_TEST = "[SOVEREIGN_CRITIC_SELF_TEST_OK]"

_HIDDEN = "(not shown: it looks like it holds a secret)"


def run_validate(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Judge the ledger. One that is not there is no fault."""
    if arguments.self_test:
        return tell_self_test(edge, failures(), SELF_TEST)
    if arguments.open_blocking:
        return run_open(arguments, edge)
    path, tally = place_to_read(arguments, FINDINGS, edge), Tally()
    problems: list[RowProblem] = []
    notices: list[RowNotice] = []
    count = 0
    for found in validate(path.open, Profile(arguments.profile), tally):
        if isinstance(found, RowNotice):
            notices.append(found)
        else:
            count += 1
            if count <= MOST_TOLD or found.code == ProblemCode.TOO_MANY:
                problems.append(found)
    if arguments.format == "json":
        document = {
            "path": str(path.place),
            "profile": arguments.profile,
            "valid": not count,
            "reason": CriticReason.FINDINGS_INVALID if count else None,
            "rows": tally.rows,
            "open_blocking_count": tally.open_blocking_count,
            "problem_count": count,
            "problems": as_json(problems),
            "notices": as_json(notices),
        }
        say_json(document, edge)
    else:
        tell_judged(
            edge,
            notices=[warn_of(path.place, notice) for notice in notices],
            problems=[warn_of(path.place, problem) for problem in problems],
            count=count,
            valid=VALID,
            invalid=INVALID,
        )
    return ExitStatus.BAD_INPUT if count else ExitStatus.DONE


def run_open(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """List what is open and blocks, as JSON. How many lines cannot be read is told beside it."""
    rows, unreadable = [], 0
    with place_to_read(arguments, FINDINGS, edge).open() as file:
        for row in read_rows(file):
            unreadable += row.lines if isinstance(row, RowProblem) else 0
            if isinstance(row, Row) and is_open_blocking(row.value):
                rows.append(shown(row.value))
    if unreadable:
        lines = counted(unreadable, "line")
        edge.terminal.warn(f"{lines} left out, which may block too: `ophiuchus critic validate` says why")
    document: object = qa_block(rows) if getattr(arguments, "qa", False) else rows
    say_json(document, edge)
    return ExitStatus.DONE


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as it may be printed: no field that looks like it holds a secret."""
    found = scan_value(dict(row))
    # The scan stops at a number of secrets: what it did not get to is not known to hold none.
    everything = len(found) >= MOST_FINDINGS
    places = {finding.where[0] for finding in found if finding.where}
    printed: dict[str, Any] = {}
    for number, (name, value) in enumerate(row.items(), 1):
        member = f"(member {number})"
        if everything or member in places:
            printed[member] = _HIDDEN
        else:
            printed[name] = _HIDDEN if name in places else value
    return printed
