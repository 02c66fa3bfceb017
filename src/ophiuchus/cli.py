"""The command line: finds the verb, reads the outside once, turns what happened into an exit status.

Only the chosen verb's module is imported. Expected failures are one line and a remedy; anything else is a
bug in Ophiuchus, told without any text that could come from a capsule or the environment (design §5).
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TextIO, cast

from ophiuchus import __version__
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.refusal import refusal_in
from ophiuchus.text.terminal import Terminal

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

VERBS = (
    "check",
    "sweep",
    "merge",
    "inspect",
    "receive",
    "capture",
    "publish",
    "receipts",
    "critic",
    "memory",
    "init",
    "schema",
    "action",
)
INTERRUPTED, READER_GONE = 130, 141
"""What a shell reports for SIGINT and SIGPIPE."""
SIGNALLED = {"SIGHUP": 129, "SIGQUIT": 131, "SIGTERM": 143}
"""The other signals that end a run in good order, and what a shell reports for them."""
_stopped: list[int] = []
"""Those of them that came. A library may take for its own what they raise, as pydantic does in a check."""


class Verb(Protocol):
    """What each module in `commands/` that is a verb offers.

    `HELP` is its line in the list of verbs, `EXAMPLE` one or more command lines to copy.
    """

    HELP: str
    EXAMPLE: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's options."""

    def run(self, arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
        """Do it. Raises ExpectedFailure."""


class BadUsage(ExpectedFailure):
    """The command line cannot be understood."""


class _Parser(argparse.ArgumentParser):
    """A parser that prints through the terminal and fails as everything else does."""

    terminal: Terminal

    def error(self, message: str) -> NoReturn:
        raise BadUsage(message, f"`{self.prog} --help` shows how it is used")

    def add_subparsers(self, **options: Any) -> Any:
        """Let a verb have actions; their parsers print where this one does."""

        def parser_of_action(**more: Any) -> _Parser:
            parser = _Parser(**more)
            parser.terminal = self.terminal
            return parser

        return super().add_subparsers(**{"parser_class": parser_of_action, **options})

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:  # noqa: ARG002 - one way out
        self.terminal.say(self.format_help())


def main(words: Sequence[str], edge: Edge) -> int:
    """Run one command line (without the program's name) and return its exit status.

    Lets BrokenPipeError through, for there is nobody left to tell.
    """
    try:
        return _run(words, edge)
    except ExpectedFailure as failure:
        return _refuse(edge, failure.message, failure.remedy)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as bug:
        if (stopped := _stopped_by(bug)) is not None:
            return stopped
        if (refusal := refusal_in(bug)) is not None:
            return _refuse(edge, refusal.message, refusal.remedy)
        edge.terminal.warn(bug_report(bug))
        return ExitStatus.BUG


def _stopped_by(bug: Exception) -> int | None:
    """The exit status where this is a stop that Python 3.11 wraps, as while a class is made in an import."""
    if _stopped:
        return 128 + _stopped[0]
    match bug.__cause__:
        case KeyboardInterrupt():
            return INTERRUPTED
        case SystemExit(code=int(status)):
            return status
    return None


def bug_report(bug: Exception) -> str:
    """A report to paste: versions, the exception's type and where in our own code it passed.

    Never its message, which may quote a capsule or a secret.
    """
    places = []
    frames = bug.__traceback__
    while frames is not None:
        module = frames.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] == "ophiuchus" or module == "__main__":
            places.append(f"  {module}:{frames.tb_lineno}")
        frames = frames.tb_next
    return "\n".join(
        [
            "ophiuchus: this is a bug in Ophiuchus. Please report it with these lines:",
            f"  ophiuchus {__version__}, Python {platform.python_version()}, {sys.platform}",
            f"  {type(bug).__module__}.{type(bug).__qualname__}",
            *places,
        ]
    )


def console() -> NoReturn:
    """The program `ophiuchus`: the only place that reads environment, clock and arguments."""
    for name in SIGNALLED:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminate)
    _open_closed_streams()
    # What one run builds, it keeps to its end; looking for garbage in it takes a fifth of the time.
    gc.disable()
    edge = Edge(
        env=dict(os.environ),
        # Whole seconds: what is printed and what is judged by are one moment, which `--at` can give again.
        now=datetime.now(UTC).replace(microsecond=0),
        stdin=sys.stdin.buffer,
        terminal=Terminal(sys.stdout, sys.stderr),
        columns=(os.get_terminal_size(1).columns or None) if os.isatty(1) else None,
    )
    try:
        status = main(sys.argv[1:], edge)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop(sys.stdout)
        status = READER_GONE
    except OSError as error:
        _drop(sys.stdout)
        status = _refuse(edge, f"the output cannot be written: {error}", "")
    sys.exit(128 + _stopped[0] if _stopped else status)


def _run(words: Sequence[str], edge: Edge) -> int:
    word = words[0] if words else ""
    if word in ("", "-h", "--help"):
        edge.terminal.say(_overview())
        return ExitStatus.DONE if word else ExitStatus.BAD_INPUT
    if word == "--version":
        edge.terminal.say(f"ophiuchus {__version__}")
        return ExitStatus.DONE
    if word not in VERBS:
        raise BadUsage(f"there is no command {word!r}", f"the commands are: {', '.join(VERBS)}")
    verb = _import(word)
    parser = _Parser(
        prog=f"ophiuchus {word}",
        description=verb.HELP,
        epilog=f"example:\n{verb.EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.terminal = edge.terminal
    verb.add_arguments(parser)
    try:
        arguments = parser.parse_args(words[1:])
    except SystemExit:  # the parser's own way to end after --help
        return ExitStatus.DONE
    return verb.run(arguments, edge)


def _overview() -> str:
    verbs = "\n".join(f"  {word:<10}{_import(word).HELP}" for word in VERBS)
    return f"""usage: ophiuchus COMMAND [options]

Tells which of a repository's committed agent hand-offs are still true.

commands:
{verbs}

`ophiuchus COMMAND --help` explains one; `ophiuchus --version` names this version."""


def _import(word: str) -> Verb:
    return cast("Verb", import_module(f"ophiuchus.commands.{word}"))


def _refuse(edge: Edge, message: str, remedy: str) -> ExitStatus:
    try:
        edge.terminal.warn(f"ophiuchus: {message}")
        if remedy:
            edge.terminal.warn(remedy)
    except OSError:  # nobody can be told; the status still says it
        _drop(sys.stderr)
    return ExitStatus.BAD_INPUT


def _open_closed_streams() -> None:
    """Let a standard stream that was closed lead nowhere, or the next file opened would take its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))


def _drop(stream: TextIO) -> None:
    """Point a stream at nothing, for the interpreter flushes it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _terminate(number: int, _: object) -> NoReturn:
    """End through every `finally`, so that nothing is left behind. Process 1 gets no other ending."""
    _stopped.append(number)
    sys.exit(128 + number)


if __name__ == "__main__":
    console()
