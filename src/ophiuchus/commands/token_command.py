"""A token that a program gives: Teams' live about an hour, so a stored one has often expired by a run.

The program is named by the job's environment, beside the other credentials and never in a file of the
checkout. It is started without a shell, at publish time only, and what it says on stderr is not shown.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from ophiuchus.commands.program import ProgramFailed, run_program
from ophiuchus.publish.credential import read_credential
from ophiuchus.text.problem import ExpectedFailure

VARIABLE = "OPHIUCHUS_TEAMS_TOKEN_COMMAND"
SECONDS = 30.0
"""Most seconds that the program may take."""

_REMEDY = f"Run the program of {VARIABLE} by hand: it must print the token, and nothing else, to stdout."


class NoToken(ExpectedFailure):
    """The program gave no token. Neither what it printed nor its arguments are shown."""

    def __init__(self, how: str) -> None:
        super().__init__(f"the program of {VARIABLE} {how}", _REMEDY)


def read_token(command: str, env: Mapping[str, str]) -> str:
    """The token that `command`, split as a shell would, prints. It gets `env`. Raises NoToken."""
    try:
        words = shlex.split(command)
    except ValueError:
        raise NoToken("cannot be split into words: a quote is not closed") from None
    if not words:
        raise NoToken("is not named")
    try:
        printed = run_program(words, env, b"", SECONDS)
    except ProgramFailed as failed:
        raise NoToken(failed.how) from None
    try:
        return read_credential({VARIABLE: printed.decode("ascii", "replace")}, VARIABLE)
    except ExpectedFailure:
        raise NoToken("printed nothing that can be a token") from None
