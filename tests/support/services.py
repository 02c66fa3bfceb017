"""The five adapters, each with what a test needs to write through it to a server of the test's own.

One entry of `SERVICES` a service: the variables of its credential, the path its API base ends in, a target,
and for each operation the content, the provider's good answer, and the reference that is then right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from fault_server import http

from ophiuchus.publish.capability import Deployment, Operation, ProviderName
from ophiuchus.publish.provider import Provider, Write
from ophiuchus.publish.providers.opening import open_provider
from ophiuchus.publish.reference import Reference

CREATE, APPEND = Operation.CREATE, Operation.APPEND
SECRET = "se" + "cret-value"


@dataclass(frozen=True)
class Exchange:
    """One operation: the content, the answer to it, and what is made by it."""

    content: Mapping[str, Any]
    status: int
    answer: Mapping[str, Any]
    made: Reference

    @property
    def good(self) -> bytes:
        return http(self.status, json.dumps(self.answer).encode())


@dataclass(frozen=True)
class Service:
    """One service. `name` tells kinds of one provider apart."""

    name: str
    provider: ProviderName
    variables: tuple[str, ...]
    base: str
    target: str
    exchanges: Mapping[Operation, Exchange]
    deployment: Deployment = Deployment.CLOUD

    def open(self, origin: str, env: Mapping[str, str], seconds: float) -> Provider:
        """The adapter for this service at `origin`, which waits at most `seconds` for a byte."""
        credentials = dict.fromkeys(self.variables, SECRET)
        opened = open_provider(self.provider, {**env, **credentials}, origin + self.base, self.deployment)
        provider = cast("Any", opened)
        patient = replace(provider.route, connect_seconds=min(seconds, 5.0), read_seconds=seconds)
        return cast("Provider", replace(provider, route=patient))

    def write(self, operation: Operation) -> Write:
        """The write of `operation`; what is appended to is what a create makes."""
        append_to = self.exchanges[CREATE].made if operation is APPEND else None
        return Write(operation, self.target, self.exchanges[operation].content, append_to)


def _adf(text: str) -> dict[str, Any]:
    paragraph = {"type": "paragraph", "content": [{"type": "text", "text": text}]}
    return {"type": "doc", "version": 1, "content": [paragraph]}


GITHUB = Service(
    "github",
    ProviderName.GITHUB,
    ("OPHIUCHUS_GITHUB_TOKEN",),
    "/api/v3",
    "owner/name",
    {
        CREATE: Exchange(
            {"title": "t", "body": "b", "labels": ["hand-off"]}, 201, {"number": 7, "id": 1}, Reference("7")
        ),
        APPEND: Exchange({"body": "c"}, 201, {"id": 99}, Reference("7", "99")),
    },
)
JIRA_CLOUD = Service(
    "jira",
    ProviderName.JIRA,
    ("OPHIUCHUS_JIRA_EMAIL", "OPHIUCHUS_JIRA_API_TOKEN"),
    "/ex/jira/cloud-id",
    "OPH",
    {
        CREATE: Exchange(
            {"fields": {"summary": "s", "issuetype": {"name": "Task"}, "description": _adf("d")}},
            201,
            {"id": "10000", "key": "OPH-7", "self": "x"},
            Reference("OPH-7"),
        ),
        APPEND: Exchange({"body": _adf("c")}, 201, {"id": "10001"}, Reference("OPH-7", "10001")),
    },
)
JIRA_DATA_CENTER = replace(
    JIRA_CLOUD,
    name="jira data center",
    deployment=Deployment.DATA_CENTER,
    variables=("OPHIUCHUS_JIRA_TOKEN",),
    base="/jira",
    exchanges={
        CREATE: replace(
            JIRA_CLOUD.exchanges[CREATE],
            content={"fields": {"summary": "s", "issuetype": {"name": "Task"}, "description": "h2. d"}},
        ),
        APPEND: replace(JIRA_CLOUD.exchanges[APPEND], content={"body": "h2. c"}),
    },
)

CLICKUP = Service(
    "clickup",
    ProviderName.CLICKUP,
    ("OPHIUCHUS_CLICKUP_API_TOKEN",),
    "/api/v2",
    "901",
    {
        CREATE: Exchange({"name": "n", "markdown_content": "d"}, 200, {"id": "86abc"}, Reference("86abc")),
        APPEND: Exchange(
            {"comment_text": "c", "notify_all": False}, 200, {"id": 458, "date": 1}, Reference("86abc", "458")
        ),
    },
)
SLACK = Service(
    "slack",
    ProviderName.SLACK,
    ("OPHIUCHUS_SLACK_BOT_TOKEN",),
    "/api",
    "C0123",
    {
        CREATE: Exchange(
            {"text": "t"},
            200,
            {"ok": True, "channel": "C0123", "ts": "1700000000.000100"},
            Reference("1700000000.000100"),
        ),
        APPEND: Exchange(
            {"text": "r"},
            200,
            {"ok": True, "channel": "C0123", "ts": "1700000009.000200"},
            Reference("1700000000.000100", "1700000009.000200"),
        ),
    },
)
TEAMS = Service(
    "teams",
    ProviderName.TEAMS,
    ("OPHIUCHUS_TEAMS_ACCESS_TOKEN",),
    "/v1.0",
    "0f0f0f0f-0000-4000-8000-000000000000/19:channel@thread.tacv2",
    {
        CREATE: Exchange(
            {"subject": "s", "body": {"contentType": "html", "content": "<p>b</p>"}},
            201,
            {"id": "1616990032035"},
            Reference("1616990032035"),
        ),
        APPEND: Exchange(
            {"body": {"contentType": "html", "content": "<p>r</p>"}},
            201,
            {"id": "1616990171266", "replyToId": "1616990032035"},
            Reference("1616990032035", "1616990171266"),
        ),
    },
)

SERVICES = (GITHUB, JIRA_CLOUD, JIRA_DATA_CENTER, CLICKUP, SLACK, TEAMS)
