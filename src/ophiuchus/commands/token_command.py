"""A token that a program gives: Teams' live about an hour, so a stored one has often expired by a run.

The program is named by the job's environment, beside the other credentials and never in a file of the
checkout. It is started without a shell, at publish time only, and what it says on stderr is not shown.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress

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
    printed = _output(words, env)
    try:
        return read_credential({VARIABLE: printed.decode("ascii", "replace")}, VARIABLE)
    except ExpectedFailure:
        raise NoToken("printed nothing that can be a token") from None


def _output(words: list[str], env: Mapping[str, str]) -> bytes:
    """What the program writes to stdout, if it ends well and in time."""
    try:
        process = subprocess.Popen(
            words,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError):
        raise NoToken("could not be started") from None
    with process:
        try:
            printed, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise NoToken(f"took longer than {SECONDS:g} seconds") from None
        finally:
            _end(process)
    if process.returncode != 0:
        raise NoToken(f"ended with status {process.returncode}")
    return printed


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop whatever is left of the program, and what it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdout:
        process.stdout.close()
