"""Where GitHub is, and who asks: the addresses, the repository and the token of one run.

The addresses come from the run's environment only, never from an answer, and there is no default host: a
token for one server must not reach another (platform complaint 56). Accepted is https, or http on literal
loopback; no user, query or fragment; GraphQL lives at the same origin as REST.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ophiuchus.text.repository import repository_name

_URL = re.compile(
    r"(?P<origin>"
    r"https://(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?"
    r"|http://(?:127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?"
    r")(?P<path>(?:/[A-Za-z0-9._~-]+)*)/*"
)
_TOKEN = re.compile(r"[!-~]{1,1000}")


class NoAccess(Exception):
    """The environment does not say where and as whom GitHub can be asked; the message is for people."""


@dataclass(frozen=True, slots=True)
class Access:
    """One run's way to GitHub. URLs have no slash at the end; `repository` is `owner/name`."""

    api_url: str
    graphql_url: str
    server_url: str
    repository: str
    token: str = field(repr=False)


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
    )


def _split_url(env: Mapping[str, str], name: str) -> tuple[str, str]:
    """Origin and path of the URL in variable `name`, the origin in lower case without its default port."""
    url = _URL.fullmatch(env.get(name, ""))
    if url is None:
        raise NoAccess(
            f"{name} is not an https URL (http on a loopback address) without user, query and fragment"
        )
    origin = url["origin"].lower()
    scheme = origin.partition(":")[0]
    return origin.removesuffix({"https": ":443", "http": ":80"}[scheme]), url["path"]
