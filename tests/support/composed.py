"""Writes as publishing makes them: one capsule, composed for each of the services."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from publishable import capsule, report
from services import CLICKUP, GITHUB, JIRA_CLOUD, JIRA_DATA_CENTER, SLACK, TEAMS, Service

from ophiuchus.publish.capability import Operation
from ophiuchus.publish.destination import (
    ClickUpDestination,
    Destination,
    GitHubDestination,
    JiraDestination,
    SlackDestination,
    TeamsDestination,
)
from ophiuchus.publish.payload import compose_payload
from ophiuchus.publish.provider import Write


def composed_write(service: Service, operation: Operation) -> Write:
    """The service's own write, with what is composed for it as its content."""
    payload = compose_payload(_destination(service), operation, capsule(), report())
    return replace(service.write(operation), content=payload.content)


def _destination(service: Service) -> Destination:
    place = {"provider": service.provider, "target": service.target}
    options: dict[str, dict[str, Any]] = {
        GITHUB.name: {"labels": ("hand-off",)},
        JIRA_CLOUD.name: {"labels": ("hand-off",)},
        JIRA_DATA_CENTER.name: {"deployment": service.deployment},
        CLICKUP.name: {"tags": ("hand-off",)},
    }
    kinds: dict[str, type[Destination]] = {
        GITHUB.name: GitHubDestination,
        JIRA_CLOUD.name: JiraDestination,
        JIRA_DATA_CENTER.name: JiraDestination,
        CLICKUP.name: ClickUpDestination,
        SLACK.name: SlackDestination,
        TEAMS.name: TeamsDestination,
    }
    return kinds[service.name].model_validate({**place, **options.get(service.name, {})})
