"""GitHub: an issue for a new record, a comment for a continued one (facts/providers.md §1).

Importing this module imports PyGithub.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from github import Github
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass

from ophiuchus.github.client import behind
from ophiuchus.publish.answer import made
from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.credential import read_credential
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.connection import Route, read_route
from ophiuchus.publish.providers.requests_tape import OneWriteAdapter
from ophiuchus.publish.reference import Reference
from ophiuchus.publish.tape import Tape

TOKEN = "OPHIUCHUS_GITHUB_TOKEN"  # noqa: S105  # a variable's name


@dataclass(frozen=True, slots=True)
class GitHub:
    """One GitHub, as one token sees it. `origin` is the API's base, in /api/v3 on GitHub Enterprise."""

    origin: str
    route: Route
    token: str = field(repr=False)

    def write(self, write: Write, tape: Tape) -> Reference | None:
        """Open an issue in `OWNER/NAME`, or comment on one; a comment's body is all that is sent."""
        adapter = OneWriteAdapter(tape, self.route)
        # PyGithub takes an empty page for an issue and fails at an odd header: the adapter knows better.
        with closing(self._client(adapter)) as client, suppress(Exception):
            repository = client.get_repo(write.target)
            if write.append_to is None:
                repository.create_issue(**write.content)
            else:
                repository.get_issue(int(write.append_to.artifact)).create_comment(**write.content)
        name = "number" if write.append_to is None else "id"
        return made(ProviderName.GITHUB, write, adapter.answer().get(name))

    def _client(self, adapter: OneWriteAdapter) -> Github:
        class Plain(HTTPRequestsConnectionClass):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                adapter.mount_on(self.session)

        class Secure(HTTPSRequestsConnectionClass):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                adapter.mount_on(self.session)

        seconds = ceil(self.route.read_seconds)
        return behind(Plain, Secure, api_url=self.origin, token=self.token, call_seconds=seconds)


def open_github(env: Mapping[str, str], origin: str) -> GitHub:
    """GitHub at `origin`. Raises CredentialMissing, UnusableProxy."""
    return GitHub(origin, read_route(origin, env), read_credential(env, TOKEN))
