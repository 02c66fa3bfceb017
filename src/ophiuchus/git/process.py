"""The one door to git: a subprocess with a hardened environment, a time limit, bytes in and bytes out.

Nothing of the caller's environment reaches git but what `_PASSED_ON` names. Failures are facts in our own
words; what git itself printed is kept for parsing (`GitFailed.stderr`) and never shown (design §9).
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from ophiuchus.text.problem import ExpectedFailure

SECONDS = 120.0
"""Most seconds that one git process may take."""
MOST_MEMORY = 2 << 30
"""Most bytes that one git process may take up, where that can be limited: git keeps a whole comparison."""
OLDEST_GIT = (2, 34)
"""The oldest git this is meant for: that of Ubuntu 22.04."""

_CHUNK = 1 << 20
_ASKED_EVERY = 0.2
_PASSED_ON = ("LD_LIBRARY_PATH", "DEVELOPER_DIR", "TMPDIR", "SYSTEMROOT")
_HARDENED = {
    "LC_ALL": "C",
    # Git and curl look for configuration and passwords below HOME.
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    # Unlike configuration, this cannot be overruled by a repository's protocol.*.allow (trap 23).
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_PAGER": "",
}


class GitMissing(ExpectedFailure):
    """There is no git on PATH."""

    def __init__(self) -> None:
        super().__init__("git was not found", "Install git and make sure that it is on PATH.")


class GitTooOld(ExpectedFailure):
    """The git on PATH is older than what this program relies on."""

    def __init__(self, found: str) -> None:
        oldest = ".".join(map(str, OLDEST_GIT))
        super().__init__(f"git {found} is too old", f"Install git {oldest} or newer.")


class GitFailed(ExpectedFailure):
    """Git ended with an error: its exit status, and what it wrote before that. To parse, never to show."""

    def __init__(self, command: str, status: int, stdout: bytes = b"", stderr: bytes = b"") -> None:
        super().__init__(f"git {command} failed with status {status}")
        self.status = status
        self.stdout = stdout
        self.stderr = stderr


class GitTooSlow(GitFailed):
    """Git was stopped because it took longer than it may."""

    def __init__(self, command: str, seconds: float) -> None:
        super().__init__(command, -9)
        self.message = f"git {command} was stopped after {seconds:g} seconds"


class GitStopped(GitFailed):
    """Git was stopped because the caller said so."""

    def __init__(self, command: str) -> None:
        super().__init__(command, -9)
        self.message = f"git {command} was stopped"


def hardened_environment(env: Mapping[str, str]) -> dict[str, str]:
    """What git is started with: a way to find it, our settings, and nothing else of `env`.

    Secrets, every `GIT_*`, pagers, askpass and tracing stay outside (traps 33, 46). PATH keeps its absolute
    entries only: an empty or relative one would take a program from a folder of the checkout.
    """
    path = [entry for entry in env.get("PATH", os.defpath).split(os.pathsep) if entry.startswith("/")]
    passed_on = {name: env[name] for name in _PASSED_ON if name in env}
    return {**passed_on, **_HARDENED, "PATH": os.pathsep.join(path) or os.defpath}


def settings_as_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Git settings as variables: they overrule every configuration file and are seen in no argument list."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


@dataclass(frozen=True, slots=True)
class Git:
    """Git as it is started in `folder` with exactly the environment `env` (it may hold a token).

    The first argument is the git command, the one word that messages name. Settings go through `env`.
    """

    folder: Path
    env: Mapping[str, str] = field(repr=False)
    seconds: float = SECONDS

    def run(self, *arguments: str, stdin: bytes = b"", stop: Callable[[], bool] | None = None) -> bytes:
        """What git writes to stdout. `stop` is asked now and then, and ends git when it says so.

        Raises GitFailed for any status but 0, GitTooSlow, GitStopped, GitMissing.
        """
        deadline = time.monotonic() + self.seconds
        waiting: bytes | None = stdin
        with self._started(arguments, stderr=subprocess.PIPE) as process:
            while True:
                left = deadline - time.monotonic()
                try:
                    stdout, stderr = process.communicate(
                        waiting, timeout=min(left, _ASKED_EVERY) if stop else left
                    )
                    break
                except subprocess.TimeoutExpired as error:
                    waiting = None
                    if time.monotonic() >= deadline:
                        raise GitTooSlow(arguments[0], self.seconds) from error
                    if stop is not None and stop():
                        raise GitStopped(arguments[0]) from error
        if process.returncode != 0:
            raise GitFailed(arguments[0], process.returncode, stdout, stderr)
        return stdout

    @contextmanager
    def stream(self, *arguments: str, stdin: bytes = b"") -> Iterator[Iterator[bytes]]:
        """Git's stdout in chunks, while `stdin` is fed to it from a thread.

        Leaving early stops git. After the last chunk a status other than 0 raises GitFailed and a process
        stopped for time GitTooSlow: a caller that sees the end of the chunks knows that git succeeded.
        """
        with self._started(arguments, stderr=subprocess.DEVNULL) as process:
            _widen(cast("IO[bytes]", process.stdout))
            late = threading.Event()

            def stop() -> None:
                late.set()
                _kill(process)

            clock = threading.Timer(self.seconds, stop)
            feeder = threading.Thread(target=_feed, args=(cast("IO[bytes]", process.stdin), stdin))

            def chunks() -> Iterator[bytes]:
                stdout = cast("IO[bytes]", process.stdout)
                while chunk := stdout.read(_CHUNK):
                    yield chunk
                status = process.wait()
                if late.is_set():
                    raise GitTooSlow(arguments[0], self.seconds)
                if status != 0:
                    raise GitFailed(arguments[0], status)

            try:
                for thread in (clock, feeder):
                    thread.daemon = True
                    thread.start()
                yield chunks()
            finally:
                clock.cancel()
                _kill(process)
                if feeder.is_alive():
                    feeder.join()

    @contextmanager
    def _started(self, arguments: tuple[str, ...], *, stderr: int) -> Iterator[subprocess.Popen[bytes]]:
        """Git, running; stopped at the end with all that it started."""
        try:
            process = subprocess.Popen(
                ["git", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=self.folder,
                env=dict(self.env),
                bufsize=0,
                # A session of its own: no terminal to ask for a password on, and one group to stop.
                start_new_session=True,
            )
        except FileNotFoundError as error:
            if not self.folder.is_dir():
                raise
            raise GitMissing from error
        _limit(process)
        with process:
            try:
                yield process
            finally:
                _kill(process)


def _limit(process: subprocess.Popen[bytes]) -> None:
    """Let git fail at `MOST_MEMORY`. What it only maps to read, as packs, does not count."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on every system

        resource.prlimit(process.pid, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def _widen(pipe: IO[bytes]) -> None:
    """Let git write a megabyte ahead where the system allows it: it works on while we read."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _CHUNK)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        if process.poll() is not None:
            return
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # Windows has no groups
            process.kill()


def _feed(pipe: IO[bytes], stdin: bytes) -> None:
    # Git may end before it has read everything; its status tells. Where this program was stopped while the
    # thread began, the pipe is closed already.
    with suppress(BrokenPipeError, ValueError), pipe:
        view = memoryview(stdin)
        while view:
            view = view[pipe.write(view) :]


def check_version(git: Git) -> None:
    """Raises GitTooOld when git is older than `OLDEST_GIT`. Asked only after something failed."""
    words = git.run("version").decode("ascii", "replace").split()
    found = words[2] if len(words) > 2 else "of unknown version"
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    if numbers < OLDEST_GIT:
        raise GitTooOld(found)
