"""Jira, Cloud and Data Center: a ticket for a new record, a comment for a continued one (facts §1).

Cloud is asked with API v3 and ADF, as an account with its API token; Data Center with v2 and wiki markup, as
the owner of a personal access token. Importing this module imports jira.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from jira import JIRA

from ophiuchus.publish.answer import made, words
from ophiuchus.publish.capability import Deployment, ProviderName
from ophiuchus.publish.credential import read_credential
from ophiuchus.publish.outcome import Answer, Elsewhere, Mend, Refusal
from ophiuchus.publish.provider import CredentialMissing, Write
from ophiuchus.publish.providers.connection import Route, read_route
from ophiuchus.publish.providers.requests_tape import OneWriteAdapter
from ophiuchus.publish.reference import is_under
from ophiuchus.publish.tape import Tape

EMAIL = "OPHIUCHUS_JIRA_EMAIL"
API_TOKEN = "OPHIUCHUS_JIRA_API_TOKEN"  # noqa: S105  # a variable's name
PERSONAL_TOKEN = "OPHIUCHUS_JIRA_TOKEN"  # noqa: S105  # a variable's name

_OTHER_KIND = {
    Deployment.CLOUD: (PERSONAL_TOKEN, Deployment.DATA_CENTER),
    Deployment.DATA_CENTER: (API_TOKEN, Deployment.CLOUD),
}
_FIELD = re.compile(r"customfield_[0-9]{1,10}|[A-Za-z_]{2,40}", re.ASCII)
_API_VERSIONS = {Deployment.CLOUD: "3", Deployment.DATA_CENTER: "2"}


@dataclass(frozen=True, slots=True)
class Jira:
    """One Jira, as one person's token sees it. `credentials` is what the SDK wants to know of who asks."""

    origin: str
    deployment: Deployment
    route: Route
    credentials: Mapping[str, Any] = field(repr=False)

    def write(self, write: Write, tape: Tape) -> Answer:
        """Open a ticket in the target project, or comment on one of its tickets."""
        adapter = OneWriteAdapter(tape, self.route)
        # jira raises at some answers and not at others that say as little: the adapter knows better.
        with closing(self._client(adapter)) as client, suppress(Exception):
            if write.append_to is None:
                fields = {**write.content["fields"], "project": {"key": write.target}}
                client.create_issue(fields=fields, prefetch=False)  # else a second request follows
            else:
                client.add_comment(write.append_to.artifact, **write.content)
        name = "key" if write.append_to is None else "id"
        written = made(ProviderName.JIRA, write, adapter.answer().get(name))
        if written is None:
            return _refusal(adapter)
        is_elsewhere = write.append_to is None and not is_under(ProviderName.JIRA, write.target, written)
        return Elsewhere() if is_elsewhere else written

    def _client(self, adapter: OneWriteAdapter) -> JIRA:
        client = JIRA(
            server=self.origin,
            options={"rest_api_version": _API_VERSIONS[self.deployment]},
            get_server_info=False,
            max_retries=0,
            logging=False,
            **self.credentials,
        )
        adapter.mount_on(client._session)  # noqa: SLF001 - the SDK has no door of its own for a transport
        return client


def open_jira(env: Mapping[str, str], origin: str, deployment: Deployment) -> Jira:
    """Jira at `origin`. Raises CredentialMissing, UnusableProxy, UnusableCertificates."""
    return Jira(origin, deployment, read_route(origin, env), _credentials(env, deployment))


def _credentials(env: Mapping[str, str], deployment: Deployment) -> Mapping[str, Any]:
    try:
        if deployment is Deployment.DATA_CENTER:
            return {"token_auth": read_credential(env, PERSONAL_TOKEN)}
        return {"basic_auth": (read_credential(env, EMAIL), read_credential(env, API_TOKEN))}
    except CredentialMissing as missing:
        other, elsewhere = _OTHER_KIND[deployment]
        if not env.get(other, "").strip():
            raise
        hint = f'{other}, which is set, is for deployment = "{elsewhere}" in the destination.'
        raise CredentialMissing(missing.message, f"{missing.remedy} {hint}") from None


def _refusal(adapter: OneWriteAdapter) -> Refusal | None:
    """What Jira says of a refusal. To a credential that it does not take it answers as to a stranger."""
    if adapter.header("X-Authentication-Denied-Reason").startswith("CAPTCHA"):
        return Refusal("it wants this account to solve a captcha: log in once by hand", mend=Mend.CREDENTIAL)
    if "FAILED" in adapter.header("X-Seraph-LoginReason"):
        return Refusal("it did not take the credential", mend=Mend.CREDENTIAL)
    errors = adapter.answer().get("errors")
    fields = words(_FIELD, errors if isinstance(errors, dict) else ())
    return Refusal(f"about {fields}") if fields else None
