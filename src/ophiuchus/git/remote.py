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

from ophiuchus.git.object_id import ID_LENGTH, is_full_id
from ophiuchus.git.process import Git, GitFailed, GitTooSlow, settings_as_environment
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.web_address import NotAWebAddress, parse_web_address

_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_STATUS = re.compile(rb"returned error: ([0-9]{3})")
_LET_READ = "Let the job's token read contents."
_LOOK = "Look whether GITHUB_SERVER_URL and GITHUB_REPOSITORY name this repository"
_AGAIN = "try again later."
# What git and curl say, from the most telling on, what it means, and what helps.
_CAUSES = (
    (rb"could not read (?:Username|Password)|Authentication failed|error: 40[13]",
     "the server refused: the token may not read the contents of this repository", _LET_READ),
    (rb"CONNECT (?:tunnel failed|aborted)|from proxy after CONNECT",
     "the server could not be reached: the run's proxy makes no way to it",
     "Look at the proxy that HTTPS_PROXY names, and at the login it wants."),
    (rb"error: 404|not found|does not exist",
     "the server knows no such repository, or the token may not see it",
     f"{_LOOK}. {_LET_READ}"),
    (rb"error: 3[0-9]{2}|redirect", "the server answered with a redirect, which is not followed",
     f"{_LOOK} as it is called now, and whether a proxy's login page stands before it."),
    (rb"unadvertised object", "the server does not give commits by id", ""),
    (rb"certificate|SSL|TLS|gnutls", "no secure connection to the server could be made",
     "Give the certificate authorities of the server, or of the proxy before it, as ca_bundle."),
    (rb"hung up|early EOF|transfer closed|expected (?:flush|response end)|Empty reply|not closed cleanly",
     "the server could not be reached, or its answer broke off",
     f"Look at the network and the run's proxy, or {_AGAIN}"),
    ((rb"not valid: is this a git|dumb http|protocol error|invalid (?:server|ls-refs) response"
     rb"|server doesn't support '|unknown protocol|Unable to find [0-9a-f]+ under"
     rb"|http-push|Could not read from remote repository"),
     "what answers there is no git server",
     f"{_LOOK}, and whether a login page, of a proxy or of the network, answers in its place."),
    (rb"resolve|connect to|Connection|timed out|Timeout|proxy|too slow",
     "the server could not be reached", f"Look at the network and the run's proxy, or {_AGAIN}"),
)  # fmt: skip
_ADDRESS = re.compile(rb"https?://[^\s']+")
_HEAD_OF = "ref: refs/heads/"
_KNOWS_GIT = re.compile(rb"remote error|unadvertised object|no matching remote head")

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
    }
    if remote.token:
        secret = base64.b64encode(f"x-access-token:{remote.token}".encode()).decode("ascii")
        settings[f"http.{remote.url}.extraHeader"] = f"Authorization: Basic {secret}"
    if remote.ca_bundle is not None:
        settings["http.sslCAInfo"] = str(remote.ca_bundle)
    proxies = {name: env[name] for name in _PROXIES if name in env}
    allowed = {"GIT_ALLOW_PROTOCOL": remote.url.partition(":")[0]}
    return replace(git, env={**git.env, **settings_as_environment(settings), **proxies, **allowed})


@dataclass(frozen=True, slots=True)
class Cause:
    """Why git could not do what it was to do with the server.

    `remedy` is what a person does then, empty where that hangs on what was to be done.
    """

    words: str
    remedy: str = ""


def tip_of(git: Git, url: str, ref: str, object_format: str) -> str | None:
    """The commit that `ref` names on the server now; None where it has no such ref. Raises GitFailed."""
    for line in _listed(git, "--refs", "--end-of-options", url, ref):
        commit, _, name = line.partition("\t")
        if name == ref and is_full_id(commit, object_format):
            return commit
    _check_knows_git(git, url, object_format)
    return None


def default_of(git: Git, url: str, object_format: str) -> str | None:
    """The branch that the server's HEAD stands for; None where it has no commit. Raises GitFailed."""
    for line in _listed(git, "--symref", "--end-of-options", url, "HEAD"):
        if line.startswith(_HEAD_OF) and line.endswith("\tHEAD"):
            return line.removeprefix(_HEAD_OF).removesuffix("\tHEAD")
    _check_knows_git(git, url, object_format)
    return None


def _listed(git: Git, *arguments: str) -> list[str]:
    return git.run("ls-remote", *arguments).decode("utf-8", "replace").split("\n")


def _check_knows_git(git: Git, url: str, object_format: str) -> None:
    """Raises GitFailed where what listed nothing is no git server.

    Git takes any page of at most one line for the list of an old server without branches. Such a one gives
    no commits without their history: so it is asked for one, by an id that nobody has.
    """
    nobodys = f"{1:0{ID_LENGTH[object_format]}x}"
    try:
        git.run(*FETCH, "--depth=1", "--end-of-options", url, nobodys)
    except GitFailed as failure:
        if _KNOWS_GIT.search(failure.stderr) is None:
            raise


def cause_of(failure: GitFailed) -> Cause:
    """Why git could not do what it was to do with the server, in our words."""
    if isinstance(failure, GitTooSlow):
        return Cause("the server took too long", f"Look at the network, or {_AGAIN}")
    said = _ADDRESS.sub(b"", failure.stderr)  # or a repository's name would be taken for what is wrong
    for pattern, words, remedy in _CAUSES:
        if re.search(pattern, said):
            return Cause(words, remedy)
    status = _STATUS.search(failure.stderr)
    if status is not None:
        return Cause(f"the server answered with status {status[1].decode('ascii')}")
    return Cause(f"git ended with status {failure.status}")
