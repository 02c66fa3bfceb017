"""Teams: a channel message for a hand-off, a reply for what continues it (Microsoft Graph v1.0).

The SDK's own request builder makes the request, and gives the answer back as it came: reading it into the
SDK's models would import 1,250 modules (facts/providers.md §0, 3 and §6). The image holds only the modules
that this file needs (tools/prune_msgraph.py).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
from kiota_abstractions.authentication import (
    AccessTokenProvider,
    AllowedHostsValidator,
    BaseBearerTokenAuthenticationProvider,
)
from kiota_abstractions.base_request_configuration import RequestConfiguration
from kiota_abstractions.native_response_handler import NativeResponseHandler
from kiota_abstractions.request_information import RequestInformation
from kiota_http.middleware.options import ResponseHandlerOption
from msgraph.generated.models.body_type import BodyType
from msgraph.generated.models.chat_message import ChatMessage
from msgraph.generated.models.item_body import ItemBody
from msgraph.graph_request_adapter import GraphRequestAdapter
from msgraph.graph_service_client import GraphServiceClient

from ophiuchus import __version__
from ophiuchus.publish.answer import is_as_asked, json_object, made, words
from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.credential import read_credential
from ophiuchus.publish.outcome import Answer, Elsewhere, Refusal
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.connection import Route, read_route
from ophiuchus.publish.providers.httpx_tape import OneWriteAsyncTransport, timeout_of
from ophiuchus.publish.tape import Tape

TOKEN = "OPHIUCHUS_TEAMS_ACCESS_TOKEN"  # noqa: S105  # a variable's name

_CODE = re.compile(r"[A-Za-z]{2,40}", re.ASCII)


class UnknownContent(ValueError):
    """The content has a part that this adapter would not send: what is posted must be what was approved."""


@dataclass(frozen=True, slots=True)
class Teams:
    """Teams, as one person's delegated token sees it. `origin` ends in the API's version."""

    origin: str
    route: Route
    token: str = field(repr=False)

    def write(self, write: Write, tape: Tape) -> Answer:
        """Post to the channel `target`, TEAM/CHANNEL, or reply to a message there."""
        response = asyncio.run(self._post(write, tape))
        answer = json_object(response.content)
        if (message := made(ProviderName.TEAMS, write, answer.get("id"))) is not None:
            return message if _is_there(write, answer) else Elsewhere()
        error = answer.get("error")
        code = words(_CODE, [error.get("code")] if isinstance(error, dict) else [])
        return Refusal(code) if code else None

    async def _post(self, write: Write, tape: Tape) -> httpx.Response:
        team, _, channel = write.target.partition("/")
        async with httpx.AsyncClient(
            transport=OneWriteAsyncTransport(tape, self.route),
            timeout=timeout_of(self.route),
            trust_env=False,
            headers={"User-Agent": f"ophiuchus-action/{__version__}"},
        ) as client:
            adapter = _OneWriteAdapter(BaseBearerTokenAuthenticationProvider(_Given(self)), client)
            adapter.base_url = self.origin  # the SDK's default makes a double slash
            graph = GraphServiceClient(request_adapter=adapter)
            messages = graph.teams.by_team_id(team).channels.by_channel_id(channel).messages
            as_it_came: RequestConfiguration[Any] = RequestConfiguration(
                options=[ResponseHandlerOption(NativeResponseHandler())]
            )
            message = _message(write.content)
            if write.append_to:
                replies = messages.by_chat_message_id(write.append_to.artifact).replies
                answer = await replies.post(message, as_it_came)
            else:
                answer = await messages.post(message, as_it_came)
        return cast("httpx.Response", answer)


def open_teams(env: Mapping[str, str], origin: str) -> Teams:
    """Teams at `origin`. Raises CredentialMissing, UnusableProxy, UnusableCertificates."""
    return Teams(origin, read_route(origin, env), read_credential(env, TOKEN))


class _Given(AccessTokenProvider):
    """The token that was given, for its own host only."""

    def __init__(self, teams: Teams) -> None:
        self._token = teams.token
        self._hosts = AllowedHostsValidator([urlsplit(teams.origin).hostname or ""])

    async def get_authorization_token(
        self,
        uri: str,
        additional_authentication_context: dict[str, Any] | None = None,  # noqa: ARG002  # as the SDK calls it
    ) -> str:
        return self._token if self._hosts.is_url_host_valid(uri) else ""

    def get_allowed_hosts_validator(self) -> AllowedHostsValidator:
        return self._hosts


class _OneWriteAdapter(GraphRequestAdapter):
    """The SDK's adapter without the one retry that no option switches off."""

    async def retry_cae_response_if_required(
        self,
        resp: httpx.Response,
        request_info: RequestInformation,  # noqa: ARG002  # as the SDK calls it
        claims: str,  # noqa: ARG002
    ) -> httpx.Response:
        return resp


def _is_there(write: Write, answer: Mapping[str, Any]) -> bool:
    """Whether the message is in the channel, and beneath the other one, as far as the answer says."""
    said = answer.get("channelIdentity")
    place = said if isinstance(said, dict) else {}
    team, _, channel = write.target.partition("/")
    asked = write.append_to.artifact if write.append_to else ""
    return (
        is_as_asked(place.get("teamId"), team)
        and is_as_asked(place.get("channelId"), channel)
        and is_as_asked(answer.get("replyToId"), asked)
    )


def _message(content: Mapping[str, Any]) -> ChatMessage:
    """The SDK's form of {"body": {"contentType": "html", "content": …}, "subject"?: …}.

    Raises UnknownContent.
    """
    body = content.get("body")
    if content.keys() - {"body", "subject"} or not isinstance(body, dict):
        raise UnknownContent
    if body.keys() != {"contentType", "content"} or body["contentType"] != "html":
        raise UnknownContent
    return ChatMessage(
        subject=content.get("subject"), body=ItemBody(content_type=BodyType.Html, content=body["content"])
    )
