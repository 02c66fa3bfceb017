"""Commits that the clone lacks, fetched by id into the scratch repository (facts/git.md §3).

One request for all: depth 1, no blobs, protocol 2 (the only one that gives any commit by id), no redirects.
The address is the run's own, never the checkout's `origin`; the token is in the environment of that one
process. An id that the server does not have fails the whole request with one short line before anything is
sent: it is dropped and the rest asked for again, a limited number of times.
"""

from __future__ import annotations

import base64
import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ophiuchus.git.findings import BaseState
from ophiuchus.git.objects import Unusable, which_exist
from ophiuchus.git.process import Git, GitFailed, GitStopped, GitTooSlow, settings_as_environment
from ophiuchus.git.scratch import Scratch
from ophiuchus.text.problem import ExpectedFailure

MOST_DROPPED = 50
"""Most ids that may turn out not to be on the server before the rest is given up."""
MOST_BYTES = 512 << 20
"""Most bytes that may arrive. A thousand trees of a repository of 100,000 files have about nine million."""
SECONDS = 180.0
"""Most seconds for all requests of one call."""

_ADDRESS = re.compile(
    r"(?P<scheme>https)://(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
    r"(?:/[A-Za-z0-9._~-]+)*"
    r"|(?P<loopback>http)://(?:127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]+)*",
    re.ASCII,
)
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_NOT_THERE = re.compile(rb"not our ref ([0-9a-f]{40,64})\b")
_STATUS = re.compile(rb"returned error: ([0-9]{3})")
# What git and curl say, from the most telling on.
_CAUSES = (
    (rb"could not read (?:Username|Password)|Authentication failed|error: 40[13]",
     "the server refused: the token may not read the contents of this repository"),
    (rb"error: 404|not found|does not exist",
     "the server knows no such repository, or the token may not see it"),
    (rb"error: 3[0-9]{2}|redirect", "the server answered with a redirect, which is not followed"),
    (rb"unadvertised object", "the server does not give commits by id"),
    (rb"certificate|SSL|TLS", "no secure connection to the server could be made"),
    (rb"resolve|connect to|Connection|timed out|Timeout|transfer closed|hung up|early EOF|proxy|too slow",
     "the server could not be reached"),
)  # fmt: skip


class RefusedRemote(ExpectedFailure):
    """The address to fetch from is neither https nor http on literal loopback."""

    def __init__(self) -> None:
        super().__init__(
            "nothing is fetched from a server whose address is not https (or http on literal loopback)",
            "Set GITHUB_SERVER_URL to the server's https address, or switch fetching off.",
        )


@dataclass(frozen=True, slots=True)
class Remote:
    """Where this run's repository is served. `repository` is OWNER/NAME; `token` may read it, or is empty."""

    server_url: str
    repository: str
    token: str = field(default="", repr=False)
    ca_bundle: Path | None = None

    @property
    def url(self) -> str:
        """The address git is given. Raises RefusedRemote."""
        url = f"{self.server_url.rstrip('/')}/{self.repository}"
        if _ADDRESS.fullmatch(url) is None:
            raise RefusedRemote
        return url


class Fetcher:
    """Fetching for one run: from where, and how many commits came (`fetched`).

    Called with full ids it gets commits and trees, as `changes.look` asks for them.
    """

    def __init__(self, scratch: Scratch, remote: Remote, env: Mapping[str, str], head: str | None) -> None:
        self._scratch = scratch
        self._remote = remote
        self._env = env
        self._head = head
        self.fetched = 0

    def __call__(self, commits: Sequence[str], *, with_files: bool = False) -> dict[str, Unusable]:
        """As `fetch_commits`, counted."""
        failures = fetch_commits(
            self._scratch, self._remote, self._env, commits, head=self._head, with_files=with_files
        )
        self.fetched += len(set(commits)) - len(failures)
        return failures


def fetch_commits(
    scratch: Scratch,
    remote: Remote,
    env: Mapping[str, str],
    commits: Sequence[str],
    *,
    head: str | None = None,
    with_files: bool = False,
) -> dict[str, Unusable]:
    """Get `commits` (full ids) with their trees into `scratch`; those that could not be had, and why.

    `head` is the judged commit: what the server knows to be here is not sent again. `with_files` gets the
    contents of their files too.
    NOT_ON_SERVER for what the server says it does not have, FETCH_FAILED for everything else: the network,
    permissions, limits. Raises RefusedRemote.
    """
    git = _git_for(scratch, remote, env)
    failures: dict[str, Unusable] = {}
    wanted = list(dict.fromkeys(commits))
    _offer_head(scratch, head, wanted)
    deadline = time.monotonic() + SECONDS
    while wanted:
        try:
            in_time = replace(git, seconds=max(deadline - time.monotonic(), 0.1))
            _request(in_time, scratch, remote.url, wanted, with_files=with_files)
        except GitFailed as failure:
            gone = _not_there(failure, wanted)
            if gone is None:
                return failures | dict.fromkeys(wanted, Unusable(BaseState.FETCH_FAILED, _cause(failure)))
            if len(failures) == MOST_DROPPED:
                detail = f"more than {MOST_DROPPED} of the commits that are missing are not on the server"
                return failures | dict.fromkeys(wanted, Unusable(BaseState.FETCH_FAILED, detail))
            failures[gone] = Unusable(BaseState.NOT_ON_SERVER, "")
            wanted.remove(gone)
        else:
            break
    return failures


def _request(git: Git, scratch: Scratch, url: str, wanted: Sequence[str], *, with_files: bool) -> None:
    git.run(
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--depth=1",
        *(() if with_files else ("--filter=blob:none",)),
        "--stdin",
        "--end-of-options",
        url,
        stdin="".join(f"{commit}\n" for commit in wanted).encode("ascii"),
        stop=lambda: _bytes_below(scratch.folder / "objects") > MOST_BYTES,
    )


def _git_for(scratch: Scratch, remote: Remote, env: Mapping[str, str]) -> Git:
    """Git that may speak to the network, with the proxies of `env` and the token."""
    settings = {
        "protocol.version": "2",
        "http.followRedirects": "false",
        "http.lowSpeedLimit": "1",
        "http.lowSpeedTime": "30",
        "credential.helper": "",
        # Else git would run `for-each-ref` in the checkout, with its configuration, to learn what is there.
        "core.alternateRefsCommand": "true",
        # Objects stay in a pack: written singly, git would touch the files of those it finds borrowed.
        "fetch.unpackLimit": "1",
        "transfer.unpackLimit": "1",
    }
    if remote.token:
        secret = base64.b64encode(f"x-access-token:{remote.token}".encode()).decode("ascii")
        settings[f"http.{remote.url}.extraHeader"] = f"Authorization: Basic {secret}"
    if remote.ca_bundle is not None:
        settings["http.sslCAInfo"] = str(remote.ca_bundle)
    proxies = {name: env[name] for name in _PROXIES if name in env}
    allowed = {"GIT_ALLOW_PROTOCOL": remote.url.partition(":")[0]}
    return replace(
        scratch.git, env={**scratch.git.env, **settings_as_environment(settings), **proxies, **allowed}
    )


def _offer_head(scratch: Scratch, head: str | None, wanted: Sequence[str]) -> None:
    """Let git tell the server that it has the judged commit, so that common trees are not sent again.

    Not where a wanted commit is here and only its tree is missing (`filter: tree:0`): from the judged commit
    the server would take it that all of them are here.
    """
    if head is not None and not which_exist(scratch, wanted):
        (scratch.folder / "refs" / "heads" / "judged").write_text(f"{head}\n")


def _not_there(failure: GitFailed, wanted: Sequence[str]) -> str | None:
    """The wanted id that the server said it does not have."""
    found = _NOT_THERE.search(failure.stderr)
    commit = found[1].decode("ascii") if found else None
    return commit if commit in wanted else None


def _cause(failure: GitFailed) -> str:
    """Why fetching failed, in our words."""
    if isinstance(failure, GitTooSlow):
        return f"fetching took longer than {SECONDS:g} seconds"
    if isinstance(failure, GitStopped):
        return f"more than {MOST_BYTES >> 20} MiB arrived"
    for pattern, cause in _CAUSES:
        if re.search(pattern, failure.stderr):
            return cause
    status = _STATUS.search(failure.stderr)
    if status is not None:
        return f"the server answered with status {status[1].decode('ascii')}"
    return f"git ended with status {failure.status}"


def _bytes_below(folder: Path) -> int:
    """The size of all files below `folder`; one that vanishes meanwhile counts nothing."""
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += Path(parent, name).stat().st_size
    return total
