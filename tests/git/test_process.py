from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from git_repository import ENV

from ophiuchus.git import process
from ophiuchus.git.process import Git, GitFailed, GitTooSlow, hardened_environment


def script(folder: Path, body: str, seconds: float = 20) -> Git:
    """A `git` that is the shell script `body`."""
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return Git(folder, hardened_environment({"PATH": f"{folder}:{os.environ['PATH']}"}), seconds)


def test_nothing_of_the_environment_is_passed_on_but_what_is_needed() -> None:
    leaky = (
        "SECRET GITHUB_TOKEN PAGER SSH_ASKPASS GIT_DIR GIT_WORK_TREE GIT_CONFIG_COUNT GIT_TRACE "
        "GIT_SSH_COMMAND LD_PRELOAD HOME XDG_CONFIG_HOME https_proxy"
    )
    hardened = hardened_environment({"PATH": "/usr/bin", **dict.fromkeys(leaky.split(), "x")})
    assert "x" not in hardened.values()
    assert {name for name in hardened if not name.startswith("GIT_")} == {"PATH", "HOME", "LC_ALL"}
    assert hardened["GIT_ALLOW_PROTOCOL"] == "none"
    assert hardened["GIT_NO_REPLACE_OBJECTS"] == "1"
    assert hardened["GIT_NO_LAZY_FETCH"] == "1"
    assert hardened["GIT_TERMINAL_PROMPT"] == "0"


def test_an_environment_is_never_printed() -> None:
    assert "secret" not in repr(Git(Path("/"), {"TOKEN": "secret"}))


def test_bytes_go_in_and_come_out(tmp_path: Path) -> None:
    git = Git(tmp_path, hardened_environment(ENV))
    assert git.run("stripspace", stdin=b"bad \xff  \n") == b"bad \xff\n"
    with git.stream("stripspace", stdin=b"bad \xff  \n" * 300_000) as chunks:
        assert b"".join(chunks) == b"bad \xff\n" * 300_000


def test_a_failure_keeps_what_git_said_and_does_not_show_it(tmp_path: Path) -> None:
    git = script(tmp_path, "echo out; echo 'fatal: secret' >&2; exit 3")
    with pytest.raises(GitFailed) as caught:
        git.run("status", "operand")
    assert (caught.value.status, caught.value.stdout, caught.value.stderr) == (
        3,
        b"out\n",
        b"fatal: secret\n",
    )
    assert caught.value.message == "git status failed with status 3"
    with pytest.raises(GitFailed), git.stream("status") as chunks:
        list(chunks)


@pytest.mark.parametrize("body", ["sleep 60", "sleep 60 & wait", "trap '' TERM; sleep 60"])
def test_git_is_stopped_in_time_with_all_its_children(tmp_path: Path, body: str) -> None:
    git = script(tmp_path, f"echo early; {body}", seconds=0.3)
    began = time.monotonic()
    with pytest.raises(GitTooSlow) as caught:
        git.run("fetch")
    assert "after 0.3 seconds" in caught.value.message
    with git.stream("fetch") as chunks:
        assert next(chunks) == b"early\n"
        with pytest.raises(GitTooSlow):
            next(chunks)
    assert time.monotonic() - began < 10


def test_leaving_a_stream_early_stops_git(tmp_path: Path) -> None:
    git = script(tmp_path, "while :; do echo y; done")
    began = time.monotonic()
    with git.stream("x", stdin=b"unread" * 1_000_000) as chunks:
        assert next(chunks).startswith(b"y\n")
    assert time.monotonic() - began < 10


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")
def test_a_stop_while_a_stream_begins_leaves_nothing_that_complains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[threading.Thread] = []
    start = threading.Thread.start

    def stopped(thread: threading.Thread) -> None:
        begun.append(thread)
        if isinstance(thread, threading.Timer):
            start(thread)
        else:
            sys.exit(143)

    monkeypatch.setattr(threading.Thread, "start", stopped)
    with pytest.raises(SystemExit), Git(tmp_path, ENV).stream("hash-object", "--stdin", stdin=b"x"):
        pass
    clock, feeder = begun
    clock.join(5)
    assert not clock.is_alive()
    feeder.run()  # it comes to its turn when all is closed


def test_git_fails_at_its_memory_and_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_MEMORY", 64 << 20)
    # The limit comes when git runs already: it is awaited.
    greedy = "import sys; sys.stdin.read(); print(len(bytearray(256 << 20)))"
    git = script(tmp_path, f'exec "{sys.executable}" -c "{greedy}"')
    with pytest.raises(GitFailed) as caught:
        git.run("diff-tree", stdin=b"x")
    assert caught.value.status == 1
    assert caught.value.stdout == b""
    monkeypatch.setattr(process, "MOST_MEMORY", 1 << 30)
    assert git.run("diff-tree", stdin=b"x") == b"268435456\n"


def test_git_that_reads_nothing_is_no_failure(tmp_path: Path) -> None:
    git = script(tmp_path, "echo done")
    assert git.run("x", stdin=b"unread" * 1_000_000) == b"done\n"
    with git.stream("x", stdin=b"unread" * 1_000_000) as chunks:
        assert b"".join(chunks) == b"done\n"


def test_a_folder_that_is_gone_is_not_a_missing_git(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Git(tmp_path / "gone", hardened_environment(ENV)).run("version")
