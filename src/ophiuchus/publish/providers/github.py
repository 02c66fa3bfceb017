"""GitHub: an issue for a new record, a comment for a continued one (facts/providers.md §1).

Importing this module imports PyGithub.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from github import Github
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass

from ophiuchus.github.client import behind
from ophiuchus.publish.answer import is_as_asked, made, words
from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.credential import read_credential
from ophiuchus.publish.outcome import Answer, Elsewhere, Mend, Refusal
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.connection import Route, read_route
from ophiuchus.publish.providers.requests_tape import OneWriteAdapter
from ophiuchus.publish.tape import Tape

TOKEN = "OPHIUCHUS_GITHUB_TOKEN"  # noqa: S105  # a variable's name

_KNOWN = (
    ("secondary rate limit", "a secondary rate limit", Mend.PACE),
    ("abuse detection", "a secondary rate limit", Mend.PACE),
    ("submitted too quickly", "submitted too quickly", Mend.PACE),
    ("rate limit exceeded", "its rate limit is used up", Mend.PACE),
    ("saml", "the token is not authorized for the organization's single sign-on", Mend.CREDENTIAL),
    ("ip allow list", "the organization does not allow the address of this machine", Mend.CREDENTIAL),
    ("archived", "the repository is archived", Mend.TARGET),
    ("issue is locked", "the issue is locked", Mend.TARGET),
    ("issues are disabled", "issues are switched off there", Mend.TARGET),
    ("issues has been disabled", "issues are switched off there", Mend.TARGET),
    ("issue was deleted", "the issue was deleted", Mend.TARGET),
)
"""What GitHub's message may hold, what of it is told, and what helps: statuses alone say it of the token."""
_PLACE = re.compile(r"/repos/[^/]+/[^/]+/(?:issues|pulls)/[0-9]+\Z", re.ASCII)
"""How an issue's address in the API ends, behind whatever gateway."""
_WORD = re.compile(r"[A-Za-z_]{2,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class GitHub:
    """One GitHub, as one token sees it. `origin` is the API's base, in /api/v3 on GitHub Enterprise."""

    origin: str
    route: Route
    token: str = field(repr=False)

    def write(self, write: Write, tape: Tape) -> Answer:
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
        answer = adapter.answer()
        written = made(ProviderName.GITHUB, write, answer.get(name))
        if written is None:
            return _refusal(answer)
        return written if _is_there(write, answer) else Elsewhere()

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
    """GitHub at `origin`. Raises CredentialMissing, UnusableProxy, UnusableCertificates."""
    return GitHub(origin, read_route(origin, env), read_credential(env, TOKEN))


def _is_there(write: Write, answer: Mapping[str, Any]) -> bool:
    """Whether it is an issue of the repository, or a comment on the issue, as far as the answer says."""
    said = answer.get("url" if write.append_to is None else "issue_url")
    found = _PLACE.search(said) if isinstance(said, str) else None
    number = answer.get("number") if write.append_to is None else write.append_to.artifact
    return found is None or is_as_asked(found[0], f"/repos/{write.target}/issues/{number}")


def _refusal(answer: Mapping[str, Any]) -> Refusal | None:
    """What GitHub says of a refusal, in its message or of each value that it does not take."""
    listed = answer.get("errors")
    errors = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    messages = " ".join(str(one.get("message")) for one in (answer, *errors)).lower()
    for holds, told, mend in _KNOWN:
        if holds in messages:
            return Refusal(told, mend=mend)
    wrong = words(_WORD, (one.get(name) for one in errors for name in ("resource", "field", "code")))
    return Refusal(wrong) if wrong else None
