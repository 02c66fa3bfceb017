"""What each provider can do, and what publishing there needs: the table that decides, and that docs show."""

from __future__ import annotations

from enum import StrEnum


class ProviderName(StrEnum):
    """The services that a hand-off can be published to."""

    GITHUB = "github"
    JIRA = "jira"
    CLICKUP = "clickup"
    SLACK = "slack"
    TEAMS = "teams"


class Kind(StrEnum):
    """Which of the two artifacts a provider gets (first seed, "RECORD vs. DISCUSS")."""

    RECORD = "record"
    DISCUSS = "discuss"


class Operation(StrEnum):
    """What one write does: make an artifact, or add to the one that the parent made."""

    CREATE = "create"
    APPEND = "append"


class Deployment(StrEnum):
    """Which Jira a destination is at: Cloud speaks API v3 and ADF, Data Center v2 and wiki markup."""

    CLOUD = "cloud"
    DATA_CENTER = "data_center"
