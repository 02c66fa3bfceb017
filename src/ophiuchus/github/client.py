"""The one client of GitHub's API: PyGithub, behind a guard at its transport.

PyGithub by itself sends a write up to eleven times, follows a 301 by posting again, and takes an HTML page
for success (facts/providers.md §0, §2). So its retries are off, and the guard lets one request a call onto
the wire, stops at every redirect, and keeps what really came back; what a call came to is read from there,
never from the SDK's exception. A deadline over the whole client bounds answers that drip.

Importing this module imports PyGithub: import it only where GitHub is about to be asked.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from github import Auth, Github
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
    RequestsResponse,
)

from ophiuchus import __version__
from ophiuchus.github.access import Access
from ophiuchus.github.failure import CallFailed, Cause, quotable_permissions
from ophiuchus.github.wire import Answer, Wire
from ophiuchus.text.throttle import seconds_until_retry

API_VERSION = "2022-11-28"
MOST_WAITS = 3
"""How often one read that is throttled is asked again; the client's deadline bounds the waits too."""

_BY_STATUS = {
    401: Cause.BAD_TOKEN,
    403: Cause.FORBIDDEN,
    404: Cause.NOT_FOUND,
    410: Cause.GONE,
    429: Cause.THROTTLED,
}
_BY_GRAPHQL_TYPE = {
    "NOT_FOUND": Cause.NOT_FOUND,
    "FORBIDDEN": Cause.FORBIDDEN,
    "INSUFFICIENT_SCOPES": Cause.FORBIDDEN,
    "RATE_LIMITED": Cause.THROTTLED,
}
_LOCKED = re.compile(r"\blocked\b")
_REFUSED_REDIRECTS = (301, 307, 308)
_UNDECIDED_REFUSALS = (408, 425, 499)

Value = TypeVar("Value")

_injecting = threading.Lock()
"""PyGithub takes connection classes for all its clients at once; two clients must not mix theirs up."""


class Client:
    """GitHub's API with one token, at one origin. Use as a context manager.

    `call_seconds` bounds the wait for the next byte of an answer, `total_seconds` everything that this client
    does. A read that GitHub throttles is asked again when the answer says so, a write never. All methods
    raise CallFailed and nothing else.
    """

    def __init__(self, access: Access, *, call_seconds: int, total_seconds: float) -> None:
        self._graphql_url = access.graphql_url
        self._deadline = time.monotonic() + total_seconds
        self._wire = Wire()
        self._requester = _guarded_requester(access, call_seconds, lambda: self._wire)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._requester.close()

    def read(self, path: str) -> dict[str, Any]:
        """GET `path`, which answers 200 with a JSON object."""
        return self._read(path).json_object()

    def read_list(self, path: str) -> list[Any]:
        """GET `path`, which answers 200 with a JSON list."""
        return self._read(path).json_list()

    def query(self, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The `data` of a GraphQL query that had no errors."""
        return self._patiently(lambda: self._query(query, variables))

    def _query(self, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._call("POST", self._graphql_url, {"query": query, "variables": variables})
        if answer.status != 200:
            raise _failure_of(answer)
        result = answer.json_object()
        if result.get("errors"):
            # GraphQL says with status 200 that it is too much; the headers are those of a refusal.
            wait = seconds_until_retry(429, answer.header)
            raise CallFailed(_graphql_cause(result["errors"]), status=answer.status, wait=wait)
        data = result.get("data")
        if not isinstance(data, dict):
            raise CallFailed(Cause.BAD_ANSWER, status=answer.status)
        return data

    def write(self, verb: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Send a write once, on a connection of its own, and return its 2xx answer.

        A CallFailed that is `unknown` means that the write may have happened. Whether the answer's body is
        what it must be is the caller's to judge.
        """
        self._requester.close()
        answer = self._call(verb, path, body, writing=True)
        if not 200 <= answer.status < 300:
            refused = answer.status in _REFUSED_REDIRECTS or 400 <= answer.status < 500
            raise _failure_of(answer, unknown=not refused or answer.status in _UNDECIDED_REFUSALS)
        return answer

    def _read(self, path: str) -> Answer:
        return self._patiently(lambda: self._read_once(path))

    def _read_once(self, path: str) -> Answer:
        answer = self._call("GET", path)
        if answer.status != 200:
            raise _failure_of(answer)
        return answer

    def _patiently(self, read: Callable[[], Value]) -> Value:
        """What `read` gives, asked again after a wait that GitHub names and that ends before the deadline."""
        for _ in range(MOST_WAITS):
            try:
                return read()
            except CallFailed as failure:
                left = self._deadline - time.monotonic()
                if failure.cause is not Cause.THROTTLED or failure.wait is None or failure.wait >= left:
                    raise
                time.sleep(failure.wait)
        return read()

    def _call(
        self, verb: str, url: str, body: Mapping[str, Any] | None = None, *, writing: bool = False
    ) -> Answer:
        """Put one request on the wire and wait for its answer, no longer than the deadline."""
        wire = self._wire = Wire()
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise CallFailed(Cause.TOO_SLOW)

        def ask() -> None:
            # Whatever PyGithub makes of it, the wire knows what happened.
            with suppress(Exception):
                self._requester.requestJson(verb, url, input=body)

        # A thread, since no timeout of the SDK's ends an answer that drips (facts/providers.md §0.5).
        worker = threading.Thread(target=ask, daemon=True)
        worker.start()
        worker.join(left)
        sent = wire.close()
        if wire.answer is not None:
            return wire.answer
        if worker.is_alive():
            raise CallFailed(Cause.TOO_SLOW, unknown=writing and sent)
        cause = Cause.NO_ANSWER if sent else Cause.UNREACHABLE
        raise CallFailed(cause, unknown=writing and sent, detail=wire.error)


def behind(
    plain: type[HTTPRequestsConnectionClass],
    secure: type[HTTPSRequestsConnectionClass],
    *,
    api_url: str,
    token: str,
    call_seconds: int,
    authorities: str | None = None,
) -> Github:
    """PyGithub with connections of ours for http and https, and without its retries and pauses.

    `authorities` is the file of certificate authorities to trust, None for the usual ones.
    """
    with _injecting:
        Requester.injectConnectionClasses(plain, secure)
        try:
            return Github(
                auth=Auth.Token(token),
                base_url=api_url,
                timeout=call_seconds,
                verify=authorities or True,
                user_agent=f"ophiuchus-action/{__version__}",
                api_version=API_VERSION,
                retry=None,
                lazy=True,
                seconds_between_requests=None,
                seconds_between_writes=None,
            )
        finally:
            Requester.resetConnectionClasses()


def _guarded_requester(access: Access, call_seconds: int, wire: Callable[[], Wire]) -> Requester:
    """PyGithub's requester with every connection behind the guard."""

    class Plain(HTTPRequestsConnectionClass):
        def getresponse(self) -> RequestsResponse:
            self.session.trust_env = False  # http is loopback only: never through a proxy
            return wire().send_once(super().getresponse)

    class Secure(HTTPSRequestsConnectionClass):
        def getresponse(self) -> RequestsResponse:
            return wire().send_once(super().getresponse)

    return behind(
        Plain,
        Secure,
        api_url=access.api_url,
        token=access.token,
        call_seconds=call_seconds,
        authorities=access.authorities,
    ).requester


def _failure_of(answer: Answer, *, unknown: bool = False) -> CallFailed:
    """The failure that an answer's status means."""
    if answer.status in _BY_STATUS:
        cause = _BY_STATUS[answer.status]
    elif answer.status < 300:
        cause = Cause.BAD_ANSWER
    elif answer.status < 400:
        cause = Cause.MOVED
    else:
        cause = Cause.REFUSED if answer.status < 500 else Cause.SERVER_ERROR
    if cause is Cause.FORBIDDEN:
        cause = _forbidden_cause(answer)
    permissions = quotable_permissions(answer.headers.get("x-accepted-github-permissions", ""))
    wait = seconds_until_retry(answer.status, answer.header)
    return CallFailed(cause, status=answer.status, unknown=unknown, permissions=permissions, wait=wait)


def _forbidden_cause(answer: Answer) -> Cause:
    """A 403 also says "locked" and "too fast": the answer's words are looked at, never shown."""
    words = answer.text.lower()
    if "rate limit" in words or "retry-after" in answer.headers:
        return Cause.THROTTLED
    return Cause.LOCKED if _LOCKED.search(words) else Cause.FORBIDDEN


def _graphql_cause(errors: Any) -> Cause:
    """The cause that GraphQL's first error names."""
    first = errors[0] if isinstance(errors, list) else None
    kind = first.get("type") if isinstance(first, dict) else None
    return _BY_GRAPHQL_TYPE.get(str(kind), Cause.BAD_ANSWER)
