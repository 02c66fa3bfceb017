"""Jira, Cloud and Data Center: a ticket for a new record, a comment for a continued one (facts §1).

Cloud is asked with API v3 and ADF, as an account with its API token; Data Center with v2 and wiki markup, as
the owner of a personal access token. Importing this module imports jira.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from jira import JIRA

from ophiuchus.publish.answer import made
from ophiuchus.publish.capability import Deployment, ProviderName
from ophiuchus.publish.credential import read_credential
from ophiuchus.publish.provider import Provider, Write
from ophiuchus.publish.providers.connection import READ_SECONDS, Route, read_route
from ophiuchus.publish.providers.requests_tape import OneWriteAdapter
from ophiuchus.publish.reference import Reference
from ophiuchus.publish.tape import Tape

_API_VERSIONS = {Deployment.CLOUD: "3", Deployment.DATA_CENTER: "2"}


def open_jira(
    env: Mapping[str, str],
    origin: str,
    deployment: Deployment = Deployment.CLOUD,
    *,
    timeout: float = READ_SECONDS,
) -> Provider:
    """Jira at `origin`, with the credentials of `env`. Raises CredentialMissing, UnusableProxy."""
    return _Jira(
        origin, _API_VERSIONS[deployment], read_route(origin, env, timeout), _credentials(env, deployment)
    )


def _credentials(env: Mapping[str, str], deployment: Deployment) -> dict[str, Any]:
    """What the SDK's constructor wants to know of who asks."""
    if deployment is Deployment.DATA_CENTER:
        return {"token_auth": read_credential(env, "OPHIUCHUS_JIRA_TOKEN")}
    email = read_credential(env, "OPHIUCHUS_JIRA_EMAIL")
    return {"basic_auth": (email, read_credential(env, "OPHIUCHUS_JIRA_API_TOKEN"))}


@dataclass(frozen=True, slots=True)
class _Jira:
    origin: str
    api_version: str
    route: Route
    credentials: Mapping[str, Any] = field(repr=False)

    def write(self, write: Write, tape: Tape) -> Reference | None:
        """Open a ticket in the target project, or comment on one of its tickets."""
        adapter = OneWriteAdapter(tape, self.route)
        # jira raises at some answers and not at others that say as little: the adapter knows better.
        with closing(self._client(adapter)) as client, suppress(Exception):
            if write.append_to is None:
                fields = {**write.content["fields"], "project": {"key": write.target}}
                client.create_issue(fields=fields, prefetch=False)  # else a second request follows
            else:
                client.add_comment(write.append_to.artifact, **write.content)
        if write.append_to is not None:
            return made(ProviderName.JIRA, write, adapter.answer().get("id"))
        ticket = made(ProviderName.JIRA, write, adapter.answer().get("key"))
        is_ours = ticket is not None and ticket.artifact.rpartition("-")[0] == write.target
        return ticket if is_ours else None

    def _client(self, adapter: OneWriteAdapter) -> JIRA:
        client = JIRA(
            server=self.origin,
            options={"rest_api_version": self.api_version},
            get_server_info=False,
            max_retries=0,
            logging=False,
            **self.credentials,
        )
        adapter.mount_on(client._session)  # noqa: SLF001 - the SDK has no door of its own for a transport
        return client
