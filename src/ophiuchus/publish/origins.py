"""Where the services are: from the environment only, never from a file of the repository or an answer.

A capsule's author must not choose the host that gets a credential (design §7, case C106).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ophiuchus.publish.capability import ProviderName
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.web_address import NotAWebAddress, parse_web_address

JIRA_BASE_URL = "OPHIUCHUS_JIRA_BASE_URL"
API_VARIABLES = {
    ProviderName.GITHUB: "OPHIUCHUS_GITHUB_API_URL",
    ProviderName.JIRA: JIRA_BASE_URL,
    ProviderName.CLICKUP: "OPHIUCHUS_CLICKUP_API_URL",
    ProviderName.SLACK: "OPHIUCHUS_SLACK_API_URL",
    ProviderName.TEAMS: "OPHIUCHUS_TEAMS_API_URL",
}
"""The variable that names each service's API; only Jira's must be set."""
SITE_VARIABLES = {
    ProviderName.JIRA: "OPHIUCHUS_JIRA_SITE_URL",
    ProviderName.SLACK: "OPHIUCHUS_SLACK_SITE_URL",
}
"""The variable that names the address for people, where the API's does not tell it."""

_PUBLIC_API = {
    ProviderName.GITHUB: "https://api.github.com",
    ProviderName.CLICKUP: "https://api.clickup.com/api/v2",
    ProviderName.SLACK: "https://slack.com/api",
    ProviderName.TEAMS: "https://graph.microsoft.com/v1.0",
}
_PUBLIC_SITE = {
    _PUBLIC_API[ProviderName.GITHUB]: "https://github.com",
    _PUBLIC_API[ProviderName.CLICKUP]: "https://app.clickup.com",
    _PUBLIC_API[ProviderName.TEAMS]: "https://teams.microsoft.com",
}
_SUBDOMAIN_API = re.compile(r"https://api\.([a-z0-9-]+\.ghe\.com)")
_ATLASSIAN_GATEWAY = "https://api.atlassian.com"


class OriginMissing(ExpectedFailure):
    """No variable says where a service is, and there is no public one."""

    def __init__(self) -> None:
        super().__init__(
            f"{JIRA_BASE_URL} is not set, so nobody knows where Jira is",
            f"Set {JIRA_BASE_URL} in the workflow, such as https://NAME.atlassian.net.",
        )


class RefusedOrigin(ExpectedFailure):
    """A variable does not hold an address that a credential may be sent to. Its value is not repeated."""

    def __init__(self, variable: str, reason: str) -> None:
        super().__init__(
            f"{variable} is {reason}", f"Set {variable} to the service's https address, and nothing after it."
        )


@dataclass(frozen=True, slots=True)
class Origin:
    """One service. `api` is the base address of its API, in its one spelling, without a slash at the end.

    `site` is the address that people open, None where it is not known: then there are no links.
    """

    api: str
    site: str | None


def read_origin(provider: ProviderName, env: Mapping[str, str]) -> Origin:
    """Where `env` says that the service is. Raises OriginMissing and RefusedOrigin."""
    api = _address(env, API_VARIABLES[provider])
    run_api = _address(env, "GITHUB_API_URL") if provider is ProviderName.GITHUB else None
    api = api or run_api or _PUBLIC_API.get(provider)
    if api is None:
        raise OriginMissing
    site = _address(env, SITE_VARIABLES[provider]) if provider in SITE_VARIABLES else None
    if api == run_api:
        site = _address(env, "GITHUB_SERVER_URL")
    return Origin(api, site or _site_of(provider, api))


def _address(env: Mapping[str, str], variable: str) -> str | None:
    """The address in `variable`; blank is not set, as the runner gives what a workflow left empty."""
    text = env.get(variable, "").strip()
    if not text:
        return None
    try:
        return str(parse_web_address(text))
    except NotAWebAddress as refused:
        raise RefusedOrigin(variable, str(refused)) from None


def _site_of(provider: ProviderName, api: str) -> str | None:
    """The address for people that goes with an API's, where that is certain."""
    if provider is ProviderName.JIRA:
        return None if f"{api}/".startswith(f"{_ATLASSIAN_GATEWAY}/") else api
    if provider is ProviderName.GITHUB and (subdomain := _SUBDOMAIN_API.fullmatch(api)):
        return f"https://{subdomain[1]}"
    if provider is ProviderName.GITHUB and api.endswith("/api/v3"):
        return api.removesuffix("/api/v3")
    return _PUBLIC_SITE.get(api)
