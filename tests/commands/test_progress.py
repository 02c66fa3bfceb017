"""What a person sees on the terminal while a run takes long, and what stays there."""

from __future__ import annotations

import io
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest
from command_run import AHEAD, NOW, capsule, deadline, paths
from git_repository import ENV, Repository
from smart_http import serve_bare, serving

from ophiuchus import cli
from ophiuchus.commands.edge import Edge
from ophiuchus.text.terminal import Terminal

SOURCE = Path(__file__).parents[2] / "src"
HERE = {**os.environ, **ENV, "PYTHONPATH": str(SOURCE)}
PROGRAM = [sys.executable, "-m", "ophiuchus.cli"]
LONG = 2.6
"""Seconds, more than a run may take in silence."""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    made.commit({".ophiuchus/one.json": capsule("cap-1", deadline(AHEAD))})
    return made


@pytest.fixture
def slow_git(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """An environment whose git sleeps when it is first started, and may then fail."""

    def environment(seconds: float, then: str = "") -> dict[str, str]:
        folder = tmp_path / "slow"
        folder.mkdir()
        git = folder / "git"
        git.write_text(
            f'#!/bin/sh\nif mkdir "{folder}/once" 2>/dev/null; then sleep {seconds}; {then or ":"}; fi\n'
            f'exec {shutil.which("git")} "$@"\n'
        )
        git.chmod(0o755)
        path = f"{folder}:{os.environ['PATH']}"
        return {**HERE, "PATH": path}

    return environment


class Watched:
    """A run whose stderr is a pseudo-terminal; what has come to it so far is `seen`."""

    def __init__(self, folder: Path, env: dict[str, str], *words: str) -> None:
        self.seen = ""
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*PROGRAM, *words], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=slave
        )
        os.close(slave)

    def read(self) -> bool:
        """Wait for more; False at the end, when the run has closed the terminal."""
        try:
            data = os.read(self._master, 4096)
        except OSError:  # how Linux tells it
            data = b""
        self.seen += data.decode()
        return bool(data)

    def finish(self) -> tuple[int, bytes]:
        """The exit status, and what came to stdout."""
        while self.read():
            pass
        out, _ = self.process.communicate(timeout=30)
        os.close(self._master)
        return self.process.returncode, out


def screen(seen: str) -> str:
    """What is left to see: `\\r` goes to the start of a line, and what follows overwrites it."""
    lines = []
    for line in seen.split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return "\n".join(lines)


def plain(repository: Repository, *words: str) -> bytes:
    return subprocess.run(
        [*PROGRAM, *words], cwd=repository.top, env=HERE, capture_output=True, check=True
    ).stdout


@pytest.mark.parametrize(
    "words",
    [("check",), ("inspect", "cap-1"), ("receive", "cap-1", "--with", "codex")],
    ids=lambda words: words[0],
)
def test_a_long_run_tells_what_it_does_and_leaves_no_trace(
    repository: Repository, slow_git: Callable[..., dict[str, str]], words: tuple[str, ...]
) -> None:
    words = (*words, "--at", "2026-07-01T12:00:00Z")  # reports name their moment
    expected = plain(repository, *words)
    began = time.monotonic()
    run = Watched(repository.top, slow_git(LONG), *words)
    assert run.read()
    assert time.monotonic() - began >= 2
    assert screen(run.seen).startswith("reading the capsules, ")
    assert run.finish() == (0, expected)
    assert screen(run.seen) == ""


def test_a_long_run_counts_the_seconds(
    repository: Repository, slow_git: Callable[..., dict[str, str]]
) -> None:
    run = Watched(repository.top, slow_git(LONG + 1), "check")
    run.finish()
    assert run.seen.index("reading the capsules, 2 s") < run.seen.index("reading the capsules, 3 s")


def test_fetching_is_told_while_it_lasts(repository: Repository, tmp_path: Path) -> None:
    base = repository.commit({"a": "1"})
    repository.commit({"a": "2", ".ophiuchus/two.json": capsule("cap-2", paths("c", "a", base=base))})
    shallow = Repository.clone(repository, tmp_path / "shallow", "--depth=1")
    serve_bare(repository.top, tmp_path / "served")
    with serving(tmp_path / "served") as server:
        server.stall_seconds = LONG / 2  # git asks at least twice
        env = {**HERE, "GITHUB_SERVER_URL": server.url, "GITHUB_REPOSITORY": "owner/name"}
        run = Watched(shallow.top, env, "check", "--fetch-missing")
        status, out = run.finish()
    assert status == 0
    assert b"stale" in out
    assert "fetching missing commits, 2 s" in run.seen
    assert screen(run.seen) == ""


def test_a_failure_stands_alone(repository: Repository, slow_git: Callable[..., dict[str, str]]) -> None:
    run = Watched(repository.top, slow_git(LONG, "exit 3"), "check")
    status, out = run.finish()
    assert (status, out) == (2, b"")
    assert "reading" in run.seen
    assert screen(run.seen).startswith("ophiuchus: ")
    assert "reading" not in screen(run.seen)


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_trace_either(
    repository: Repository, slow_git: Callable[..., dict[str, str]], number: int, expected: int
) -> None:
    run = Watched(repository.top, slow_git(60), "check")
    assert run.read()
    run.process.send_signal(number)
    assert run.finish()[0] == expected
    assert "reading" in run.seen
    assert screen(run.seen) == ""


def test_nothing_is_written_where_nobody_watches(
    repository: Repository, slow_git: Callable[..., dict[str, str]]
) -> None:
    done = subprocess.run(
        [*PROGRAM, "check"], cwd=repository.top, env=slow_git(LONG), capture_output=True, check=True
    )
    assert done.stderr == b""


class Screen(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


class Typed(io.BytesIO):
    """A stdin that somebody types into; `meanwhile` is what was written to `seen_on` while they did."""

    def __init__(self, text: str, seen_on: Screen) -> None:
        super().__init__(text.encode())
        self.meanwhile: str | None = None
        self._seen_on = seen_on

    def read(self, size: int | None = -1) -> bytes:
        before = self._seen_on.getvalue()
        time.sleep(LONG)
        self.meanwhile = self._seen_on.getvalue().removeprefix(before)
        return super().read(size)


def run_on(err: Screen, repository: Repository, stdin: io.BytesIO, *words: str) -> None:
    edge = Edge(ENV, NOW, stdin, Terminal(io.StringIO(), err))
    with chdir(repository.top):
        assert cli.main(words, edge) == 0


def test_a_short_run_writes_nothing(repository: Repository) -> None:
    err = Screen()
    began = time.monotonic()
    run_on(err, repository, io.BytesIO(), "check")
    was_long = time.monotonic() - began >= 2  # on a machine that is busy
    assert was_long or err.getvalue() == ""


def test_nothing_is_written_over_what_a_person_types(repository: Repository) -> None:
    err = Screen()
    typed = Typed(capsule("cap-2", deadline(AHEAD)), err)
    run_on(err, repository, typed, "inspect", "-")
    assert typed.meanwhile == ""
    assert screen(err.getvalue()) == ""
