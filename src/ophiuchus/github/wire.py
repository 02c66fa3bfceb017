"""One call's way out to GitHub: one request, what came back of it, and whether it may have left.

It stands beneath PyGithub, which would go on by itself: to a redirect, after a failure, after a 202.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import requests
from github.Requester import RequestsResponse
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from ophiuchus.github.failure import CallFailed, Cause

_BEFORE_SENDING = (
    NewConnectionError,
    ConnectTimeoutError,
    ssl.SSLCertVerificationError,
    ConnectionRefusedError,
    requests.exceptions.InvalidURL,
    requests.exceptions.InvalidHeader,
    UnicodeError,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back of one request. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str

    def header(self, name: str) -> str | None:
        """The value of a header by its name in any case."""
        return self.headers.get(name.lower())

    def json_object(self) -> dict[str, Any]:
        """The body as a JSON object. Raises CallFailed where it is none."""
        value = self._json()
        if not isinstance(value, dict):
            raise CallFailed(Cause.BAD_ANSWER, status=self.status)
        return value

    def json_list(self) -> list[Any]:
        """The body as a JSON list. Raises CallFailed where it is none."""
        value = self._json()
        if not isinstance(value, list):
            raise CallFailed(Cause.BAD_ANSWER, status=self.status)
        return value

    def _json(self) -> Any:
        """The body's value; None where it is no JSON."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None


class Stopped(Exception):
    """The guard kept PyGithub from sending again."""


class Wire:
    """One call's way out. `error` is the class of what the network raised, empty where it raised nothing."""

    def __init__(self) -> None:
        self.answer: Answer | None = None
        self.error = ""
        self._may_have_left = False
        self._used = False
        self._lock = threading.Lock()

    def send_once(self, send: Callable[[], RequestsResponse]) -> RequestsResponse:
        """Send the call's only request and keep its answer. Raises Stopped where PyGithub would go on."""
        with self._lock:
            if self._used:
                raise Stopped
            self._used = self._may_have_left = True
        try:
            response = send()
        except Exception as error:
            links = list(_chain(error))
            early = [link for link in links if isinstance(link, _BEFORE_SENDING)]
            self._may_have_left = not early
            self.error = type((early or links)[-1]).__name__
            raise
        response.response.encoding = "utf-8"
        headers = {name.lower(): value for name, value in response.getheaders()}
        self.answer = Answer(response.status, headers, response.read())
        if response.status == 202:  # PyGithub would wait, and ask again
            raise Stopped
        return response

    def close(self) -> bool:
        """Let nothing out any more. Whether the request may have left before."""
        with self._lock:
            self._used = True
            return self._may_have_left


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception with all that it wraps, the way urllib3 and requests wrap: cause, `reason`, arguments."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        link = waiting.pop()
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        inside = (link.__cause__, link.__context__, getattr(link, "reason", None), *link.args)
        waiting.extend(other for other in inside if isinstance(other, BaseException))
