"""ClickUp: a task for a hand-off, a comment for what continues it (API v2; facts/providers.md §1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx

from ophiuchus import __version__
from ophiuchus.publish.answer import is_as_asked, json_object, made, words
from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.credential import read_credential
from ophiuchus.publish.outcome import Answer, Elsewhere, Refusal
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.connection import Route, read_route
from ophiuchus.publish.providers.httpx_tape import OneWriteTransport, timeout_of
from ophiuchus.publish.tape import Tape

TOKEN = "OPHIUCHUS_CLICKUP_API_TOKEN"  # noqa: S105  # a variable's name

_CODE = re.compile(r"[A-Z]{2,16}_[0-9]{1,4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ClickUp:
    """One ClickUp, as one person's token sees it. `origin` ends in the API's version."""

    origin: str
    route: Route
    token: str = field(repr=False)

    def write(self, write: Write, tape: Tape) -> Answer:
        """Create a task in the list `target`, or comment on the task."""
        where = f"task/{write.append_to.artifact}/comment" if write.append_to else f"list/{write.target}/task"
        with httpx.Client(
            transport=OneWriteTransport(tape, self.route), timeout=timeout_of(self.route), trust_env=False
        ) as client:
            response = client.post(
                f"{self.origin}/{quote(where)}",
                # A personal token goes without a scheme before it.
                headers={"Authorization": self.token, "User-Agent": f"ophiuchus-action/{__version__}"},
                json=dict(write.content),
            )
        answer = json_object(response.content)
        if (task := made(ProviderName.CLICKUP, write, answer.get("id"))) is not None:
            said = answer.get("list")
            listed = said.get("id") if isinstance(said, dict) and write.append_to is None else None
            return task if is_as_asked(listed, write.target) else Elsewhere()
        code = words(_CODE, [answer.get("ECODE")])
        return Refusal(code) if code else None


def open_clickup(env: Mapping[str, str], origin: str) -> ClickUp:
    """ClickUp at `origin`. Raises CredentialMissing, UnusableProxy, UnusableCertificates."""
    return ClickUp(origin, read_route(origin, env), read_credential(env, TOKEN))
