"""The context capsule, version 1: the shape that reading checks and the published JSON Schema is made from.

Field rules are design §3. Validation is strict (no text for a number, no number for a boolean). Keys we do
not know are kept in `model_extra`, never shown in a view, and named in a notice by `reading`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
)

from ophiuchus.capsule.capsule_id import ID_PATTERN
from ophiuchus.text.clean import clean
from ophiuchus.text.instant import INSTANT_PATTERN, NotAnInstant, parse_instant
from ophiuchus.text.written import WRITTEN_PATTERN, is_written

SCHEMA_VERSION = 1
MAX_ITEMS = 10
"""Most critical units, conditions and negative-knowledge items of one capsule (first seed: "up to ten")."""
MAX_GLOBS = 50
ITEM_ID_PATTERN = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
"""The id of a condition, unit or item: one line, something but blanks, no control character (case C095)."""
GLOB_PATTERN = r"^[^\x00]*$"
"""A declared glob; its form is judged by `git`, but a NUL in a path is an error of the file (case C095)."""
REJECTED = "rejected"
"""The state of an approach that counts as ruled out."""
KNOWN_KINDS = ("git_paths", "time_window", "declared_scope")
"""The kinds of conditions that this version judges."""


def _is_instant(value: str) -> str:
    try:
        parse_instant(value)
    except NotAnInstant as error:
        raise ValueError(f"{error}, such as 2026-07-01T12:00:00Z") from error
    return value


WrittenText = Annotated[str, StringConstraints(pattern=WRITTEN_PATTERN)]
ItemId = Annotated[str, StringConstraints(pattern=ITEM_ID_PATTERN, max_length=128)]
CapsuleId = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
GlobText = Annotated[str, StringConstraints(pattern=GLOB_PATTERN)]
InstantText = Annotated[
    str,
    AfterValidator(_is_instant),
    Field(json_schema_extra={"format": "date-time", "pattern": INSTANT_PATTERN}),
]

Item = TypeVar("Item")
# Strictness alone would refuse a JSON array for a tuple; the items stay strict.
ListOf = Annotated[tuple[Item, ...], Field(strict=False)]
UpToTen = Annotated[tuple[Item, ...], Field(strict=False, max_length=MAX_ITEMS)]


class _Part(BaseModel):
    """Settings that every part of a capsule shares."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class Producer(_Part):
    """Which tool wrote the capsule."""

    tool: WrittenText
    version: str | None = None


class Grounding(_Part):
    """The state of the repository that the hand-off speaks about.

    `commit` is deliberately not checked here: a malformed id makes only the conditions that use it
    `unverifiable`.
    """

    commit: str | None = None
    ref: str | None = None
    repository: str | None = None


class CriticalUnit(_Part):
    """A pointer to one field, or one item of a list field, that must reach the recipient."""

    unit_id: ItemId
    kind: str
    index: Annotated[int, Field(ge=0)] | None = None
    ref: str | None = None
    why: str | None = None
    supersedes: str | None = None


class _Declared(_Part):
    """What every validity condition has."""

    condition_id: ItemId
    required: bool = True
    note: str | None = None


class GitPaths(_Declared):
    """These paths are unchanged since a base. An absent `base_commit` means the grounding's, null means none.

    `anchors` maps a glob to the digest of what it matched at the base (ours, not the public description's).
    Neither ids nor digests are checked here: malformed ones make this condition `unverifiable`.
    """

    kind: Literal["git_paths"]
    paths: Annotated[tuple[GlobText, ...], Field(strict=False, min_length=1, max_length=MAX_GLOBS)]
    base_commit: str | None = None
    anchors: dict[str, str] | None = None


class TimeWindow(_Declared):
    """True until a deadline; text that is no RFC 3339 moment makes it `unverifiable`."""

    kind: Literal["time_window"]
    not_after: str


class DeclaredScope(_Declared):
    """What the hand-off applies to, in the sender's words; never checked."""

    kind: Literal["declared_scope"]
    scope: WrittenText


class UnknownCondition(_Declared):
    """A condition of a kind this version does not know: kept whole, always `unverifiable`."""

    kind: Annotated[str, Field(json_schema_extra={"not": {"enum": list(KNOWN_KINDS)}})]


def _condition_tag(value: Any) -> str:
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return kind if kind in KNOWN_KINDS else "unknown"


Condition = Annotated[
    Annotated[GitPaths, Tag("git_paths")]
    | Annotated[TimeWindow, Tag("time_window")]
    | Annotated[DeclaredScope, Tag("declared_scope")]
    | Annotated[UnknownCondition, Tag("unknown")],
    Discriminator(_condition_tag),
]


class NegativeKnowledge(_Part):
    """One approach that was tried and ruled out. `retry_if` is the sender's prose: shown, never evaluated."""

    item_id: ItemId
    hypothesis: WrittenText
    why_invalid: WrittenText
    state: str = REJECTED
    applies_while: ListOf[str] = ()
    retry_if: str | None = None
    provenance_ref: str | None = None


class ContactCard(_Part):
    """A person to ask. Personal data: never in a receipt or a log."""

    name: WrittenText
    role: str | None = None
    contact: str | None = None


class Capsule(_Part):
    """One committed hand-off."""

    schema_version: Annotated[int, Field(ge=SCHEMA_VERSION, le=SCHEMA_VERSION)] = SCHEMA_VERSION
    capsule_id: CapsuleId
    created_at: InstantText | None = None
    producer: Producer | None = None
    grounding: Grounding | None = None
    title: str | None = None
    goal: WrittenText
    state: WrittenText
    next_action: WrittenText
    evidence: ListOf[str] = ()
    rejected: ListOf[str] = ()
    constraints: ListOf[str] = ()
    open_questions: ListOf[str] = ()
    critical: UpToTen[CriticalUnit] = ()
    validity: UpToTen[Condition] = ()
    negative_knowledge: UpToTen[NegativeKnowledge] = ()
    parent_capsule_id: CapsuleId | None = None
    contact_cards: ListOf[ContactCard] = ()
    expires_at: InstantText | None = None

    @property
    def heading(self) -> str:
        """The title, or the first line of the goal, or the id: the first that shows something."""
        for line in (self.title or "", *self.goal.splitlines()):
            if is_written(clean(line)):
                return line.strip()
        return self.capsule_id

    def base_of(self, condition: GitPaths) -> str | None:
        """The base commit a git_paths condition is compared with: its own, else the grounding's, else None.

        An explicit null means "no base" and is not replaced (`capture --index` writes it).
        """
        if "base_commit" in condition.model_fields_set:
            return condition.base_commit
        return self.grounding.commit if self.grounding else None


def parse_capsule(document: dict[str, Any]) -> Capsule:
    """The capsule in a parsed JSON object. Raises ValidationError, which `reading` turns into problems."""
    return Capsule.model_validate(document)
