"""The capsule's JSON Schema, made from the models, for editors and for who writes capsules.

It says what one field alone can be. Rules between fields (ids given once, pointers that point somewhere) and
the rules of strict JSON are checked by `reading` only. Imported only where the schema is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from ophiuchus.capsule.model import SCHEMA_VERSION, Capsule

SCHEMA_ID = f"urn:ophiuchus-action:capsule:v{SCHEMA_VERSION}"
"""Names the schema; nothing is fetched from it, so it needs no host."""

_ID = "Once in its list."
_DESCRIPTIONS = {
    "Capsule": {
        "schema_version": "The version of this format. Absent reads as 1; a larger one is not judged.",
        "capsule_id": "Names the capsule among all of the repository, compared without case.",
        "created_at": "When it was written: RFC 3339 with an offset.",
        "producer": "Which tool wrote it.",
        "grounding": "The state of the repository it speaks about.",
        "title": "One line; the first line of `goal` where absent.",
        "goal": "What the work is to reach.",
        "state": "Where the work stands.",
        "next_action": "What to do next.",
        "evidence": "What was observed, one observation an item.",
        "rejected": "What was tried and ruled out, in plain words.",
        "constraints": "What has to be kept.",
        "open_questions": "What nobody knows yet.",
        "critical": "Pointers to what must reach the recipient.",
        "validity": "Under which conditions the capsule holds.",
        "negative_knowledge": "What was tried and ruled out, and while what holds.",
        "parent_capsule_id": "The one capsule that this one continues.",
        "contact_cards": "Whom to ask.",
        "expires_at": "When the whole capsule ends, whatever its conditions say: RFC 3339 with an offset.",
    },
    "Producer": {"tool": "The tool's name.", "version": "The tool's version."},
    "Grounding": {
        "commit": "The full id of the commit, lower-case: 40 or 64 hexadecimal digits.",
        "ref": "The branch or tag at that time.",
        "repository": "The repository's name, such as owner/name.",
    },
    "CriticalUnit": {
        "unit_id": _ID,
        "kind": "The field that is meant; a name that is no field is `unsupported`.",
        "index": "Which item of a list field, counted from 0.",
        "ref": "The id of a condition or of an item of `negative_knowledge`.",
        "why": "Why it is critical.",
        "supersedes": "The unit of the parent capsule that this one settles.",
    },
    "GitPaths": {
        "paths": "Globs from the root of the repository; `*` stays within a segment, `**` crosses any.",
        "base_commit": "The full id of the commit to compare with. Absent: the grounding's; null: none.",
        "anchors": "For each glob a digest of what it matched at the base: `sha256:` and 64 hex digits.",
    },
    "TimeWindow": {"not_after": "The deadline: RFC 3339 with an offset. Other text makes it `unverifiable`."},
    "DeclaredScope": {"scope": "What the hand-off applies to; shown, never checked."},
    "UnknownCondition": {},
    "NegativeKnowledge": {
        "item_id": _ID,
        "hypothesis": "What was thought.",
        "why_invalid": "Why it does not hold.",
        "state": "`rejected`, `superseded` or `revalidated`; another word reads as unknown.",
        "applies_while": "The conditions, by id, under which the rejection holds.",
        "retry_if": "When another try may be worth it; shown, never evaluated.",
        "provenance_ref": "Where the rejection was recorded.",
    },
    "ContactCard": {
        "name": "The person's or team's name.",
        "role": "What they do.",
        "contact": "How to reach them.",
    },
}
_OF_EVERY_CONDITION = {
    "condition_id": _ID,
    "kind": "What is checked. A kind that nobody knows is `unverifiable`.",
    "required": "Whether it counts for the capsule.",
    "note": "A word to the reader.",
}
_CONDITIONS = ("GitPaths", "TimeWindow", "DeclaredScope", "UnknownCondition")


def capsule_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a capsule of this version. More keys are allowed: unknown ones are ignored."""
    schema = Capsule.model_json_schema()
    for name, part in _parts(schema):
        described = _DESCRIPTIONS[name] | (_OF_EVERY_CONDITION if name in _CONDITIONS else {})
        part["description"] = " ".join(part["description"].split())
        for key, rules in part["properties"].items():
            rules["description"] = described[key]
    head = {"$schema": GenerateJsonSchema.schema_dialect, "$id": SCHEMA_ID}
    return {**head, **schema, "title": f"Context capsule, version {SCHEMA_VERSION}"}


def _parts(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "Capsule", schema
    yield from schema["$defs"].items()
