"""One destination of `.ophiuchus/destinations.toml`: the shape that is read and published.

It says where at a service, and how it looks there; never where the service is and never a credential: those
come from the environment (design §7).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator
from pydantic.json_schema import GenerateJsonSchema

from ophiuchus.publish.capability import Deployment, ProviderName
from ophiuchus.publish.reference import ARTIFACT_FORMS, NotAReference, Reference, is_under, parse_reference
from ophiuchus.publish.target import NotATarget, parse_target

SCHEMA_ID = "urn:ophiuchus-action:destinations:v1"
"""Names the schema; nothing is fetched from it, so it needs no host."""
ALIAS_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""What a destination is called: on the command line, in a receipt, in a summary."""
LABEL_PATTERN = r"^[^\s\x00-\x1f\x7f-\x9f](?:[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
"""One line of text without blanks at its ends."""
ONE_WORD_PATTERN = r"^[^\s\x00-\x1f\x7f-\x9f]+$"
"""Jira takes no label with a blank in it."""
MOST_LABELS = 20

_SERVICE = Field(description="The service.")

Label = Annotated[str, StringConstraints(pattern=LABEL_PATTERN, max_length=50)]
Word = Annotated[str, StringConstraints(pattern=ONE_WORD_PATTERN, max_length=255)]
Item = TypeVar("Item")
# Strictness alone would refuse a list for a tuple, and a text for a member of an enum; the items stay strict.
Labels = Annotated[tuple[Item, ...], Field(strict=False, max_length=MOST_LABELS)]


class _Destination(BaseModel):
    """What every destination has."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    name: ClassVar[ProviderName]

    provider: Annotated[ProviderName, _SERVICE]
    target: Annotated[str, Field(description="The place at the provider, in the provider's own ids.")]
    append_to: Annotated[
        str | None,
        Field(
            description="The id of an artifact that is already at the target. Hand-offs are added to it, "
            "instead of making one each."
        ),
    ] = None
    contact_cards: Annotated[
        bool, Field(description="True: the capsule's contact cards, which are personal data, are shown.")
    ] = False

    @property
    def artifact(self) -> Reference | None:
        """What `append_to` names."""
        return None if self.append_to is None else parse_reference(self.name, self.append_to)

    @field_validator("target")
    @classmethod
    def _canonical(cls, text: str) -> str:
        try:
            return parse_target(cls.name, text)
        except NotATarget as refused:
            raise ValueError(f"{refused.message}; {refused.remedy}") from None

    @field_validator("append_to")
    @classmethod
    def _artifact(cls, text: str | None, info: ValidationInfo) -> str | None:
        """An artifact's bare id; in Jira one of the target's project, since the id alone names it."""
        if text is None:
            return None
        try:
            reference = parse_reference(cls.name, text)
        except NotAReference:
            form = ARTIFACT_FORMS[cls.name]
            raise ValueError(f"is no id of an artifact at {cls.name}; write {form}") from None
        if reference.part is not None:
            raise ValueError("names a part of an artifact; write the artifact's id alone")
        project = info.data.get("target")
        if project and not is_under(cls.name, project, reference):
            raise ValueError(f"is no issue of the project {project}")
        return text


class GitHubDestination(_Destination):
    """Issues of a repository."""

    name = ProviderName.GITHUB
    provider: Annotated[Literal[ProviderName.GITHUB], _SERVICE]
    labels: Annotated[Labels[Label], Field(description="Labels of an issue that is made.")] = ()


class JiraDestination(_Destination):
    """Issues of a Jira project."""

    name = ProviderName.JIRA
    provider: Annotated[Literal[ProviderName.JIRA], _SERVICE]
    issue_type: Annotated[
        Label, Field(description="The kind of issue that is made; `Task` unless another is named.")
    ] = "Task"
    labels: Annotated[Labels[Word], Field(description="Labels of an issue that is made.")] = ()
    deployment: Annotated[
        Deployment,
        Field(strict=False, description="Atlassian's own service, unless it is your Data Center."),
    ] = Deployment.CLOUD


class ClickUpDestination(_Destination):
    """Tasks of a ClickUp list."""

    name = ProviderName.CLICKUP
    provider: Annotated[Literal[ProviderName.CLICKUP], _SERVICE]
    tags: Annotated[Labels[Label], Field(description="Tags of a task that is made.")] = ()


class SlackDestination(_Destination):
    """Messages in a Slack channel."""

    name = ProviderName.SLACK
    provider: Annotated[Literal[ProviderName.SLACK], _SERVICE]


class TeamsDestination(_Destination):
    """Messages in a channel of Microsoft Teams."""

    name = ProviderName.TEAMS
    provider: Annotated[Literal[ProviderName.TEAMS], _SERVICE]


Destination = GitHubDestination | JiraDestination | ClickUpDestination | SlackDestination | TeamsDestination
DESTINATIONS: tuple[type[_Destination], ...] = (
    GitHubDestination,
    JiraDestination,
    ClickUpDestination,
    SlackDestination,
    TeamsDestination,
)


class DestinationsFile(BaseModel):
    """Where hand-offs of this repository may be published, by alias."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    destinations: Annotated[
        dict[
            Annotated[str, StringConstraints(pattern=ALIAS_PATTERN)],
            Annotated[Destination, Field(discriminator="provider")],
        ],
        Field(
            description="One table a destination, named by its alias.",
            json_schema_extra={"additionalProperties": False},
        ),
    ] = {}


def destinations_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the file, for editors. Rules between keys are checked by reading only."""
    schema = DestinationsFile.model_json_schema()
    head = {"$schema": GenerateJsonSchema.schema_dialect, "$id": SCHEMA_ID}
    return {**head, **schema, "title": "Destinations, version 1"}
