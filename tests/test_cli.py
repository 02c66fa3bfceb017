"""The command line: dispatch, usage errors, and how each kind of ending becomes an exit status."""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from itertools import takewhile
from pathlib import Path

import pytest

from ophiuchus import __version__, cli
from ophiuchus.commands import schema
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.text import refusal
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.terminal import Terminal

PROGRAM = [sys.executable, "-m", "ophiuchus.cli"]
ENV = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])}


class Run:
    """One command line run in this process."""

    def __init__(self, *words: str) -> None:
        out, err = io.StringIO(), io.StringIO()
        edge = Edge(
            {"SECRET": "hunter-two"}, datetime(2026, 7, 1, tzinfo=UTC), io.BytesIO(), Terminal(out, err)
        )
        self.status = cli.main(words, edge)
        self.out, self.err = out.getvalue(), err.getvalue()


@pytest.mark.parametrize("words", [["--help"], ["-h"]])
def test_help_lists_every_command_on_its_line(words: list[str]) -> None:
    run = Run(*words)
    assert run.status == ExitStatus.DONE
    for verb in cli.VERBS:
        assert any(line.split()[:1] == [verb] for line in run.out.splitlines())


def test_no_command_is_a_usage_error_that_shows_the_commands() -> None:
    run = Run()
    assert run.status == ExitStatus.BAD_INPUT
    assert "usage: ophiuchus" in run.out


def test_the_version_is_told() -> None:
    assert Run("--version").out == f"ophiuchus {__version__}\n"


def test_the_package_runs_by_its_name() -> None:
    words = [sys.executable, "-m", "ophiuchus", "--version"]
    done = subprocess.run(words, env=ENV, capture_output=True, check=True, text=True)
    assert done.stdout == f"ophiuchus {__version__}\n"


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_command_explains_itself_with_an_example(verb: str) -> None:
    run = Run(verb, "--help")
    assert run.status == ExitStatus.DONE
    assert f"usage: ophiuchus {verb}" in run.out
    assert f"ophiuchus {verb}" in run.out.partition("example:\n  ")[2]


def examples() -> Iterator[list[str]]:
    """The words of every example behind the program's name, up to where a shell would send its output."""
    for verb in cli.VERBS:
        for line in cli._import(verb).EXAMPLE.splitlines():
            words = shlex.split(line)
            yield [*takewhile(lambda word: word not in "<>", words[words.index("ophiuchus") + 1 :])]


@pytest.mark.parametrize("words", list(examples()), ids=" ".join)
def test_every_example_can_be_copied(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli._import(words[0]), "run", lambda *_: ExitStatus.DONE)
    run = Run(*words)
    assert (run.status, run.err) == (ExitStatus.DONE, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek"], "there is no command 'chek'"),
        (["schema"], "the following arguments are required"),
        (["schema", "nothing"], "invalid choice: 'nothing'"),
        (["schema", "report", "--oops"], "unrecognized arguments: --oops"),
        (["check", "--form", "json"], "unrecognized arguments"),
        (["check", "::error::x"], "unrecognized arguments: ::error::x"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_a_remedy(words: list[str], said: str) -> None:
    run = Run(*words)
    assert run.status == ExitStatus.BAD_INPUT
    assert run.out == ""
    assert run.err.startswith("ophiuchus: ")
    assert said in run.err
    assert len(run.err.splitlines()) == 2


def test_an_expected_failure_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_badly(*_: object) -> ExitStatus:
        raise ExpectedFailure("the sky\nis ##[error] grey", "wait")

    monkeypatch.setattr(schema, "run", run_badly)
    run = Run("schema", "report")
    assert run.status == ExitStatus.BAD_INPUT
    assert run.err == "ophiuchus: the sky\nis ##\\[error] grey\nwait\n"


@pytest.mark.parametrize(
    ("error", "said", "remedy"),
    [
        (PermissionError(13, "Permission denied", "/somewhere"), "Permission denied: '/somewhere'", ""),
        (OSError(errno.EMFILE, "Too many open files"), "Too many open files", refusal.MORE_FILES),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "Cannot allocate memory", refusal.MORE_ROOM),
        (BlockingIOError(errno.EAGAIN, "try again"), "try again", refusal.MORE_ROOM),
        (BlockingIOError(errno.EAGAIN, "would block", 0), "would block", ""),
        (MemoryError("hunter-two"), "the system refused: there is no memory left", refusal.MORE_ROOM),
        (RuntimeError("can't start new thread"), "no more threads can be started", refusal.MORE_ROOM),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_refusal_of_the_system_is_no_bug(
    error: Exception, said: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_badly(*_: object) -> ExitStatus:
        raise error

    monkeypatch.setattr(schema, "run", run_badly)
    run = Run("schema", "report")
    assert run.status == ExitStatus.BAD_INPUT
    first, *more = run.err.splitlines()
    assert said in first
    assert more == ([remedy] if remedy else [])
    assert "hunter-two" not in run.err


def test_a_thread_that_cannot_be_started_is_told_apart_by_what_python_says() -> None:
    """Where Python words it otherwise, `refusal` has to."""
    code = (
        "import resource, threading\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))\n"
        "threading.stack_size(1 << 29)\n"
        "from ophiuchus.text.refusal import refusal_in\n"
        "try:\n"
        "    threading.Thread(target=print).start()\n"
        "except RuntimeError as error:\n"
        "    print(refusal_in(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=ENV)
    assert done.stdout == "the system refused: no more threads can be started\n", done.stderr


def words_to_choose_from(parser: argparse.ArgumentParser) -> Iterator[object]:
    for action in parser._actions:
        yield from action.choices or ()
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from words_to_choose_from(inner)


@pytest.mark.parametrize("word", cli.VERBS)
def test_what_may_be_chosen_is_told_as_it_is_written(word: str) -> None:
    """A member of an enumeration would be told as Python writes it: `<Agent.CODEX: 'codex'>`."""
    parser = argparse.ArgumentParser()
    import_module(f"ophiuchus.commands.{word}").add_arguments(parser)
    assert [one for one in words_to_choose_from(parser) if type(one) is not str] == []


def test_an_interrupt_has_its_own_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_badly(*_: object) -> ExitStatus:
        raise KeyboardInterrupt

    monkeypatch.setattr(schema, "run", run_badly)
    assert Run("schema", "report").status == cli.INTERRUPTED


@pytest.mark.parametrize(("stop", "status"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143)])
def test_a_stop_that_python_wraps_is_no_bug(
    stop: BaseException, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Python 3.11 does with what `__set_name__` raises while a class is made, and so during an import."""

    def run_badly(*_: object) -> ExitStatus:
        raise RuntimeError("Error calling __set_name__") from stop

    monkeypatch.setattr(schema, "run", run_badly)
    run = Run("schema", "report")
    assert (run.status, run.out, run.err) == (status, "", "")


@pytest.mark.parametrize("after", ["return 0", "raise KeyError"])
def test_a_stop_that_a_library_swallows_is_still_the_status(after: str) -> None:
    code = (
        "import signal\n"
        "from contextlib import suppress\n"
        "from ophiuchus import cli\n"
        "from ophiuchus.commands import schema\n"
        "def run(*_):\n"
        "    with suppress(SystemExit):\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        f"    {after}\n"
        "schema.run = run\n"
        "cli.console()\n"
    )
    command = [sys.executable, "-c", code, "schema", "report"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENV)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")


def test_a_bug_is_reported_without_anybodys_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real `run` meets a failure inside a library call; the report names our frames only."""

    def broken_dumps(*_: object, **__: object) -> str:
        raise ValueError("a capsule's own words, hunter-two")

    monkeypatch.setattr(json, "dumps", broken_dumps)
    run = Run("schema", "report")
    assert run.status == ExitStatus.BUG
    assert run.out == ""
    assert "capsule's own words" not in run.err
    assert "hunter-two" not in run.err
    assert f"ophiuchus {__version__}, Python {sys.version.split()[0]}" in run.err
    assert "builtins.ValueError" in run.err
    places = [line.partition(":")[0] for line in run.err.splitlines()[3:]]
    assert set(places) == {"  ophiuchus.cli", "  ophiuchus.commands.schema"}


def test_only_the_chosen_command_is_imported() -> None:
    code = (
        "import sys; from ophiuchus import cli\n"
        "try: cli.console()\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('ophiuchus.commands.')], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "schema", "report"], capture_output=True, text=True, check=True, env=ENV
    )
    assert done.stderr.strip() == "['ophiuchus.commands.edge', 'ophiuchus.commands.schema']"


def test_a_reader_that_has_gone_is_no_error() -> None:
    with subprocess.Popen(
        [*PROGRAM, "schema", "report"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == cli.READER_GONE


@pytest.mark.parametrize("words", [["schema", "report"], ["--version"]], ids=["large", "small"])
def test_a_full_disk_is_told(words: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=ENV
        )
    assert done.returncode == ExitStatus.BAD_INPUT
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "closed", "status"),
    [
        (["--version"], "<&-", 0),
        (["--version"], ">&-", 0),
        (["--version"], ">&- 2>&- <&-", 0),
        (["schema", "report"], ">&-", 0),
        (["nonsense"], "2>&-", 2),
        (["nonsense"], ">&- 2>&- <&-", 2),
        (["nonsense"], "2>/dev/full", 2),
    ],
)
def test_streams_that_take_nothing_do_not_change_the_status(
    words: list[str], closed: str, status: int
) -> None:
    if "/dev/full" in closed and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, *words],
        capture_output=True,
        text=True,
        check=False,
        env=ENV,
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    if closed == "<&-":
        assert done.stdout == f"ophiuchus {__version__}\n"


@pytest.mark.parametrize("name", cli.SIGNALLED)
def test_a_signal_to_end_ends_the_program_in_order(name: str) -> None:
    code = (
        "import time; from ophiuchus import cli\n"
        "from ophiuchus.commands import schema\n"
        "def wait(*_):\n"
        "    print('waiting', flush=True)\n"
        "    try: time.sleep(60)\n"
        "    finally: print('tidied', flush=True)\n"
        "schema.run = wait\n"
        "cli.console()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "schema", "report"], stdout=subprocess.PIPE, text=True, env=ENV
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.05)
        process.send_signal(signal.Signals[name])
        assert process.stdout.read() == "tidied\n"
    assert process.returncode == cli.SIGNALLED[name]
