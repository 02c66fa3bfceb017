"""How a command tells of a ledger: as JSON, or faults and notices in lines, then one token, and a status.

The tokens are the decisions' own (second seed), so that whoever looks for them in an output finds them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ophiuchus.commands.edge import Edge, ExitStatus

MOST_TOLD = 1_000
"""Most problems that are told of one judging; all are counted."""


def say_json(document: object, edge: Edge) -> None:
    """Print a document as JSON."""
    edge.terminal.say_json(json.dumps(document, ensure_ascii=False, indent=2))


def tell_judged(
    edge: Edge, *, notices: Iterable[str], problems: Sequence[str], count: int, valid: str, invalid: str
) -> None:
    """Tell in words: each notice; then `valid`, or `invalid`, the `count` of all and the problems to tell."""
    for notice in notices:
        edge.terminal.warn(f"notice: {notice}")
    if count:
        edge.terminal.warn(f"\n{invalid} {count} error(s)")
        edge.terminal.warn("\n".join(f"  {problem}" for problem in problems))
    else:
        edge.terminal.say(valid)


def tell_self_test(edge: Edge, failures: Iterable[str], token: str) -> ExitStatus:
    """Tell what a self-test found; `token` where it is nothing. A failure is a bug of this program."""
    found = list(failures)
    for failure in found:
        edge.terminal.warn(failure)
    if not found:
        edge.terminal.say(token)
    return ExitStatus.BUG if found else ExitStatus.DONE
