"""Where GitHub is, and who asks: the addresses, the repository and the token of one run.

The addresses come from the run's environment only, never from an answer, and there is no default host: a
token for one server must not reach another (platform complaint 56). Accepted is https, or http on literal
loopback; no user, query or fragment; GraphQL lives at the same origin as REST.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ophiuchus.text.authorities import authorities_variable
from ophiuchus.text.repository import repository_name
from ophiuchus.text.web_address import NotAWebAddress, parse_web_address

_TOKEN = re.compile(r"[!-~]{1,1000}")


class NoAccess(Exception):
    """The environment does not say where and as whom GitHub can be asked; the message is for people."""


@dataclass(frozen=True, slots=True)
class Access:
    """One run's way to GitHub. URLs have no slash at the end; `repository` is `owner/name`.

    `authorities` is the PEM file of certificate authorities to trust, None for the usual ones.
    """

    api_url: str
    graphql_url: str
    server_url: str
    repository: str
    token: str = field(repr=False)
    authorities: str | None = None


def read_access(env: Mapping[str, str], token: str) -> Access:
    """The access that a run's environment describes. Raises NoAccess; no message holds a given value."""
    token = token.strip()
    if not token:
        raise NoAccess("no token was given (input github_token)")
    if not _TOKEN.fullmatch(token):
        raise NoAccess("the token has characters that no token has (input github_token)")
    repository = repository_name(env.get("GITHUB_REPOSITORY"))
    if repository is None:
        raise NoAccess("GITHUB_REPOSITORY is not OWNER/NAME")
    api_origin, api_path = _split_url(env, "GITHUB_API_URL")
    graphql_origin, graphql_path = _split_url(env, "GITHUB_GRAPHQL_URL")
    server_origin, server_path = _split_url(env, "GITHUB_SERVER_URL")
    if graphql_origin != api_origin:
        raise NoAccess("GITHUB_GRAPHQL_URL is at another origin than GITHUB_API_URL")
    return Access(
        api_url=api_origin + api_path,
        graphql_url=graphql_origin + graphql_path,
        server_url=server_origin + server_path,
        repository=repository,
        token=token,
        authorities=env[named] if (named := authorities_variable(env)) else None,
    )


def _split_url(env: Mapping[str, str], name: str) -> tuple[str, str]:
    """Origin and path of the URL in variable `name`."""
    if not env.get(name):
        raise NoAccess(f"{name} is not set")
    try:
        address = parse_web_address(env[name])
    except NotAWebAddress as refused:
        raise NoAccess(f"{name} is {refused}") from None
    return address.origin, address.path
