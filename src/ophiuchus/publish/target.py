"""Where a hand-off is put, in each provider's own ids: one spelling a place, so that it has one claim."""

from __future__ import annotations

import re
from collections.abc import Callable

from ophiuchus.publish.capability import ProviderName
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.repository import repository_name

TARGET_FORMS = {
    ProviderName.GITHUB: "a repository, OWNER/NAME",
    ProviderName.JIRA: "the key of a project, such as OPH",
    ProviderName.CLICKUP: "the number of a list, the digits in its address",
    ProviderName.SLACK: "the id of a channel, such as C0123ABCD; a name changes, an id does not",
    ProviderName.TEAMS: "TEAM/CHANNEL: a team's id (8-4-4-4-12 hex digits), a channel's (19:…@thread.tacv2)",
}
"""What a target looks like, for people."""

_JIRA = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}", re.ASCII)
_CLICKUP = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_SLACK = re.compile(r"[CG][A-Z0-9]{1,31}", re.ASCII)
_TEAMS = re.compile(
    r"(?P<team>[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})"
    r"/(?P<channel>19:[A-Za-z0-9_-]{1,128}@thread\.(?:tacv2|skype))",
    re.ASCII,
)


class NotATarget(ExpectedFailure):
    """A text names no place at this provider. It is not repeated: it may be an address with a password."""

    def __init__(self, provider: ProviderName) -> None:
        super().__init__(f"is no target at {provider}", f"write {TARGET_FORMS[provider]}")


def parse_target(provider: ProviderName, text: str) -> str:
    """The target that `text` names, in its one spelling. Raises NotATarget."""
    target = _PARSERS[provider](text)
    if target is None:
        raise NotATarget(provider)
    return target


def _repository(text: str) -> str | None:
    name = repository_name(text)
    # The server serves `name.git` too, and it is the same repository: it must not have a second claim.
    return name.lower() if name and not name.lower().endswith(".git") else None


def _project(text: str) -> str | None:
    return text.upper() if _JIRA.fullmatch(text) else None


def _as_is(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    return lambda text: text if pattern.fullmatch(text) else None


def _channel(text: str) -> str | None:
    """A team's id means the same in either case; a channel's does not."""
    found = _TEAMS.fullmatch(text)
    return f"{found['team'].lower()}/{found['channel']}" if found else None


_PARSERS: dict[ProviderName, Callable[[str], str | None]] = {
    ProviderName.GITHUB: _repository,
    ProviderName.JIRA: _project,
    ProviderName.CLICKUP: _as_is(_CLICKUP),
    ProviderName.SLACK: _as_is(_SLACK),
    ProviderName.TEAMS: _channel,
}
