"""What each provider can do, and what publishing there needs: the table that decides, and that docs show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ophiuchus.views.budget import CLICKUP, COMMENT, JIRA, SLACK, SLACK_BLOCK, TEAMS, WIKI


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


class IdempotencyMode(StrEnum):
    """Who sees to it that a write happens once (first seed): the provider, our receipts, or nobody knows."""

    NATIVE = "native"
    CLIENT_MANAGED = "client_managed"
    UNKNOWN = "unknown"


class MentionSupport(StrEnum):
    """Whether a published text can call a person. A closed set of one, by design."""

    INERT_ONLY = "inert_only"


@dataclass(frozen=True, slots=True)
class Capability:
    """One provider. `credential_requirement` says what the credential must be allowed to do.

    `variables` are those the credential is read from, in alternatives: one group is enough. `made` and
    `added` name what the two operations leave behind. `title_limit` is in UTF-16 units, None without titles;
    `limits` are what we keep to, below what the provider takes.
    """

    kind: Kind
    credential_requirement: str
    variables: tuple[tuple[str, ...], ...]
    idempotency_mode: IdempotencyMode
    made: str
    added: str
    update_semantics: str
    title_limit: int | None
    limits: str
    operations: tuple[Operation, ...] = (Operation.CREATE, Operation.APPEND)
    mention_support: MentionSupport = MentionSupport.INERT_ONLY


CAPABILITIES: Mapping[ProviderName, Capability] = {
    ProviderName.GITHUB: Capability(
        Kind.RECORD,
        "a token that may write issues of the repository (`issues: write`)",
        (("OPHIUCHUS_GITHUB_TOKEN",),),
        IdempotencyMode.CLIENT_MANAGED,
        "an issue",
        "a comment",
        "create, or comment on the issue that the parent hand-off made",
        256,
        f"body {COMMENT.limit:,} characters",
    ),
    ProviderName.JIRA: Capability(
        Kind.RECORD,
        "a user who may browse the project, create issues and add comments (scope `write:jira-work`)",
        (("OPHIUCHUS_JIRA_EMAIL", "OPHIUCHUS_JIRA_API_TOKEN"), ("OPHIUCHUS_JIRA_TOKEN",)),
        IdempotencyMode.CLIENT_MANAGED,
        "an issue",
        "a comment",
        "create, or comment on the issue that the parent hand-off made",
        255,
        f"text {JIRA.limit:,} characters of JSON in Cloud, {WIKI.limit:,} of wiki markup in Data Center",
    ),
    ProviderName.CLICKUP: Capability(
        Kind.RECORD,
        "a personal token of a user who may create tasks in the list; it has no scopes",
        (("OPHIUCHUS_CLICKUP_API_TOKEN",),),
        IdempotencyMode.CLIENT_MANAGED,
        "a task",
        "a comment",
        "create, or comment on the task that the parent hand-off made",
        255,
        f"text {CLICKUP.limit:,} characters",
    ),
    ProviderName.SLACK: Capability(
        Kind.DISCUSS,
        "a bot's token with `chat:write`, the bot a member of the channel",
        (("OPHIUCHUS_SLACK_BOT_TOKEN",),),
        IdempotencyMode.CLIENT_MANAGED,
        "a message",
        "a reply in its thread",
        "create, or reply in the thread that the parent hand-off began",
        None,
        f"{SLACK.limit:,} characters, {SLACK_BLOCK.limit:,} a block, 50 blocks",
    ),
    ProviderName.TEAMS: Capability(
        Kind.DISCUSS,
        "a delegated token of a user with `ChannelMessage.Send`; it lives about an hour",
        (("OPHIUCHUS_TEAMS_ACCESS_TOKEN",), ("OPHIUCHUS_TEAMS_TOKEN_COMMAND",)),
        IdempotencyMode.UNKNOWN,
        "a channel message",
        "a reply",
        "create, or reply to the message that the parent hand-off made",
        255,
        f"{TEAMS.limit:,} characters of HTML",
    ),
}
"""What each provider can do; the page docs/reference/providers.md is made from this."""
