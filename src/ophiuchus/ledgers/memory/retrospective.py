"""A sprint's retrospective: one Markdown page, written once (DEC-0105 §8).

The page shows the words behind fences, for they are data, and holds the record as JSON, for whoever reads it
by machine.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ophiuchus.capsule.fields import field_name
from ophiuchus.ledgers.memory.family import RETROSPECTIVES
from ophiuchus.ledgers.memory.given import NotWritable, given_object
from ophiuchus.ledgers.memory.names import safe_name
from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.secrets.scan import scan_text
from ophiuchus.text.clean import clean, clean_line
from ophiuchus.text.fence import fenced
from ophiuchus.text.new_file import create_file


class Retrospective(BaseModel):
    """What a sprint left: what it was about, what was learned, and which entries were promoted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    summary: str = Field(pattern=r"\S")
    story_ids: list[str] = []
    release_ref: str | None = None
    learnings: list[str] = []
    promoted_entry_ids: list[str] = []


def read_retrospective(data: bytes) -> Retrospective:
    """The retrospective in a JSON document. Raises NotWritable, which repeats nothing of a secret."""
    document = given_object(data, "the retrospective")
    try:
        return Retrospective.model_validate(document)
    except ValidationError as error:
        names = dict.fromkeys(field_name(one["loc"]) for one in error.errors())
        raise NotWritable(
            f"{MemoryReason.SCHEMA_INVALID}: not as it must be: {', '.join(names)}",
            f"The fields are: {', '.join(Retrospective.model_fields)}; only summary must be there.",
        ) from None


def write_retrospective(root: Path, sprint_id: str, retrospective: Retrospective) -> PurePosixPath:
    """Write the page beneath `root` and say where it is.

    Raises UnsafeName, NotWritable, AlreadyThere, CannotBeWritten.
    """
    if scan_text(sprint_id):
        raise NotWritable(
            f"{MemoryReason.SECRET_DETECTED}: the sprint's id looks like a secret", "Take it out."
        )
    place = RETROSPECTIVES / f"{safe_name(sprint_id, 'sprint')}.md"
    create_file(root, place, page_of(sprint_id, retrospective).encode())
    return place


def page_of(sprint_id: str, retrospective: Retrospective) -> str:
    """The page."""
    record = {"sprint_id": sprint_id, **retrospective.model_dump()}
    parts = [f"# Retrospective {sprint_id}", fenced(clean(retrospective.summary).strip(), "text")]
    if retrospective.learnings:
        learnings = "\n".join(f"- {clean_line(learning)}" for learning in retrospective.learnings)
        parts += ["## Learnings", fenced(learnings, "text")]
    written = json.dumps(record, ensure_ascii=False, indent=2)
    parts += ["## Record", fenced(written, "json")]
    return "\n\n".join(parts) + "\n"
