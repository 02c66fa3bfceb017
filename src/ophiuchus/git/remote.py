"""Where this run's repository is served, and git as it may speak to that server.

The address is the run's own, never the checkout's `origin`; the token is in the environment of that one
process. No redirects, no credential helpers, nothing but the one protocol (facts/git.md §3).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ophiuchus.git.object_id import is_full_id
from ophiuchus.git.process import Git, GitFailed, GitTooSlow, settings_as_environment
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.web_address import NotAWebAddress, parse_web_address

_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
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

FETCH = (
    *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules"),
    *("--no-write-fetch-head", "--no-auto-maintenance"),
)
"""A fetch of nothing but what is asked for."""


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
        try:
            return str(parse_web_address(f"{self.server_url.rstrip('/')}/{self.repository}"))
        except NotAWebAddress as refused:
            raise RefusedRemote from refused


def networked(git: Git, remote: Remote, env: Mapping[str, str]) -> Git:
    """`git` as it may speak to `remote`, with the proxies of `env` and the token. Raises RefusedRemote."""
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
    return replace(git, env={**git.env, **settings_as_environment(settings), **proxies, **allowed})


def tip_of(git: Git, url: str, ref: str, object_format: str) -> str | None:
    """The commit that `ref` names on the server now; None where it has no such ref. Raises GitFailed."""
    answer = git.run("ls-remote", "--refs", "--end-of-options", url, ref)
    for line in answer.decode("utf-8", "replace").splitlines():
        commit, _, name = line.partition("\t")
        if name == ref and is_full_id(commit, object_format):
            return commit
    return None


def cause_of(failure: GitFailed) -> str:
    """Why git could not do what it was to do with the server, in our words."""
    if isinstance(failure, GitTooSlow):
        return "the server took too long"
    for pattern, cause in _CAUSES:
        if re.search(pattern, failure.stderr):
            return cause
    status = _STATUS.search(failure.stderr)
    if status is not None:
        return f"the server answered with status {status[1].decode('ascii')}"
    return f"git ended with status {failure.status}"
