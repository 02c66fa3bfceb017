"""Slack: a message for a hand-off, a reply in its thread for what continues it (chat.postMessage).

slack_sdk's own opener follows redirects and takes the token along, and cannot tell a connection that was
never made from an answer that never came (facts/providers.md §0, §1). So its one transport method is
replaced.
"""

from __future__ import annotations

import http.client
import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from ophiuchus import __version__
from ophiuchus.publish.answer import MOST_BYTES, AnswerTooLong, is_as_asked, json_object, made
from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.credential import read_credential
from ophiuchus.publish.outcome import Answer, Elsewhere, Mend, Refusal
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.answer_head import note_head
from ophiuchus.publish.providers.connection import Route, read_route
from ophiuchus.publish.tape import Tape

TOKEN = "OPHIUCHUS_SLACK_BOT_TOKEN"  # noqa: S105  # a variable's name

_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
_UNDECIDED = frozenset({"fatal_error", "internal_error", "service_unavailable", "request_timeout"})
"""Slack's own failures: "some aspect of the operation" may have succeeded before."""
_MENDS = {
    **dict.fromkeys(
        (
            *("not_authed", "invalid_auth", "token_expired", "token_revoked", "account_inactive"),
            *("missing_scope", "no_permission", "not_allowed_token_type", "access_denied", "not_in_channel"),
            *("restricted_action", "team_access_not_granted", "org_login_required", "ekm_access_denied"),
        ),
        Mend.CREDENTIAL,
    ),
    **dict.fromkeys(("channel_not_found", "is_archived"), Mend.TARGET),
    **dict.fromkeys(("ratelimited", "rate_limited"), Mend.PACE),
}
_SILENT = logging.Logger("slack", logging.CRITICAL + 1)
"""The SDK logs answers and errors, which may quote anything."""


@dataclass(frozen=True, slots=True)
class Slack:
    """One Slack, as one bot's token sees it. `origin` ends in /api."""

    origin: str
    route: Route
    token: str = field(repr=False)

    def write(self, write: Write, tape: Tape) -> Answer:
        """Post to the channel `target`, or into the thread of a message there."""
        client = _OneWriteClient(self, tape)
        body = {**write.content, "channel": write.target}
        if write.append_to:
            body["thread_ts"] = write.append_to.artifact
        with suppress(SlackApiError):  # says less than the answer itself
            client.chat_postMessage(**body)
        return _read_answer(write, json_object(client.body))


def open_slack(env: Mapping[str, str], origin: str) -> Slack:
    """Slack at `origin`. Raises CredentialMissing, UnusableProxy, UnusableCertificates."""
    return Slack(origin, read_route(origin, env), read_credential(env, TOKEN))


class _OneWriteClient(WebClient):
    """The SDK's client over a tape. `body` is what came back."""

    def __init__(self, slack: Slack, tape: Tape) -> None:
        super().__init__(
            slack.token,
            f"{slack.origin}/",
            retry_handlers=[],
            logger=_SILENT,
            user_agent_prefix=f"ophiuchus-action/{__version__}",
        )
        self._route = slack.route
        self._tape = tape
        self.body = b""

    def _perform_urllib_http_request_internal(self, url: str, req: Request) -> dict[str, Any]:
        """Send `req`, read the whole answer. Raises SecondRequest, AnswerTooLong, what http.client raises."""
        self._tape.admit(req.get_method())
        connection = _connection(url, self._route)
        try:
            self._connect(connection)
            response = self._ask(connection, req)
            self.body = _read(response)
        finally:
            connection.close()
        return {
            "status": response.status,
            "headers": response.headers,
            "body": self.body.decode("utf-8", "replace"),
        }

    def _connect(self, connection: http.client.HTTPConnection) -> None:
        """Resolve, connect, tunnel, agree on TLS: until this is done, nothing of the write has left."""
        try:
            connection.connect()
        except Exception as error:
            self._tape.failed(error, before_sending=True)
            raise
        connection.sock.settimeout(self._route.read_seconds)

    def _ask(self, connection: http.client.HTTPConnection, req: Request) -> http.client.HTTPResponse:
        headers = {**dict(req.header_items()), "Connection": "close"}
        try:
            connection.request("POST", req.selector, req.data, headers)
            response = connection.getresponse()
        except Exception as error:
            self._tape.failed(error, before_sending=False)
            raise
        note_head(self._tape, response.status, response.getheader)
        return response


def _connection(url: str, route: Route) -> http.client.HTTPConnection:
    """A connection for `url` that is not made yet."""
    address = urlsplit(url)
    host = address.hostname or ""
    if address.scheme == "http":
        return http.client.HTTPConnection(host, address.port, timeout=route.connect_seconds)
    if route.proxy is None:
        return http.client.HTTPSConnection(
            host, address.port, timeout=route.connect_seconds, context=route.certificates
        )
    connection = http.client.HTTPSConnection(
        route.proxy.host, route.proxy.port, timeout=route.connect_seconds, context=route.certificates
    )
    connection.set_tunnel(host, address.port or 443, dict(route.proxy.headers))
    return connection


def _read(response: http.client.HTTPResponse) -> bytes:
    body = response.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise AnswerTooLong
    if response.length:  # what is left of the length it announced
        raise http.client.IncompleteRead(body, response.length)
    return body


def _read_answer(write: Write, answer: Mapping[str, Any]) -> Answer:
    """What Slack says: it refuses with status 200, too (C019)."""
    if answer.get("ok") is True:
        message = made(ProviderName.SLACK, write, answer.get("ts"))
        return message if message is None or _is_there(write, answer) else Elsewhere()
    if answer.get("ok") is False:
        code = answer.get("error")
        if isinstance(code, str) and _CODE.fullmatch(code):
            return Refusal(code, is_definite=code not in _UNDECIDED, mend=_MENDS.get(code))
        return Refusal("unknown")
    return None


def _is_there(write: Write, answer: Mapping[str, Any]) -> bool:
    """Whether the message is in the channel, and in the thread, as far as the answer says."""
    message = answer.get("message")
    thread = message.get("thread_ts") if isinstance(message, dict) and write.append_to else None
    asked = write.append_to.artifact if write.append_to else ""
    return is_as_asked(answer.get("channel"), write.target) and is_as_asked(thread, asked)
