"""What a provider calls the thing that was written: a bare, checked id, never an address.

An artifact is what a create makes (an issue, a ticket, a task, a message); a part is what an append adds to
it (a comment, a reply). Written `ARTIFACT` or `ARTIFACT/PART`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ophiuchus.publish.capability import ProviderName

_NUMBER = r"[1-9][0-9]{0,18}"
_MESSAGE = r"[1-9][0-9]{0,19}"
_MOMENT = r"[0-9]{1,16}\.[0-9]{1,9}"
_ARTIFACT_AND_PART = {
    ProviderName.GITHUB: (_NUMBER, _NUMBER),
    ProviderName.JIRA: (rf"[A-Z][A-Z0-9_]{{0,99}}-{_NUMBER}", _NUMBER),
    ProviderName.CLICKUP: (r"(?!0\b)[A-Za-z0-9]{1,40}", _NUMBER),
    ProviderName.SLACK: (_MOMENT, _MOMENT),
    ProviderName.TEAMS: (_MESSAGE, _MESSAGE),
}
ARTIFACT_FORMS = {
    ProviderName.GITHUB: "the issue's number, such as 128",
    ProviderName.JIRA: "the issue's key, such as OPH-12",
    ProviderName.CLICKUP: "the task's id, such as 86abc123, which is no custom one",
    ProviderName.SLACK: "the message's ts, such as 1782907200.000100: its link's digits, six after a point",
    ProviderName.TEAMS: "the message's id, the digits in its link",
}
"""What an artifact's id looks like, for people."""

_PATTERNS = {
    name: re.compile(rf"(?P<artifact>{artifact})(?:/(?P<part>{part}))?", re.ASCII)
    for name, (artifact, part) in _ARTIFACT_AND_PART.items()
}


class NotAReference(ValueError):
    """A text is not an id of this provider."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One written thing; `part` is None for an artifact itself."""

    artifact: str
    part: str | None = None

    @property
    def whole(self) -> Reference:
        """The artifact that this is, or is a part of: what the next hand-off is appended to."""
        return Reference(self.artifact)

    def __str__(self) -> str:
        return self.artifact if self.part is None else f"{self.artifact}/{self.part}"


def parse_reference(provider: ProviderName, text: object) -> Reference:
    """The reference that `text` spells. Raises NotAReference, without the text in it."""
    found = _PATTERNS[provider].fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise NotAReference(f"not an id of {provider}")
    return Reference(found["artifact"], found["part"])


def is_under(provider: ProviderName, target: str, reference: Reference) -> bool:
    """Whether `reference` names something of `target`, as far as ids tell: Jira's has the project in it."""
    return provider is not ProviderName.JIRA or reference.artifact.rpartition("-")[0] == target
