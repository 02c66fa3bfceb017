"""From a draft to a capsule's document: what `capture` fills in, the order, the file's bytes. Pure.

What a draft says is kept; only what it leaves out is filled. Path anchors are the exception: they follow from
the base and are always computed, so one in a draft is replaced.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ophiuchus.capsule.draft import Draft, DraftRefused
from ophiuchus.capsule.fields import FieldsRefused, capsule_in, field_name
from ophiuchus.capsule.model import SCHEMA_VERSION, Capsule
from ophiuchus.text.instant import format_instant, is_instant
from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.new_file import is_device_name
from ophiuchus.text.problem import Problem, ProblemCode

SLUG_CHARACTERS = 48
"""Most characters of the title in a new capsule's id."""

_ORDER = tuple(Capsule.model_fields)


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a hand-off is written: HEAD's commit and branch (None: not there), and the capsules that are.

    `ids` are the ids in use, as they are spelled. `from_index` says that the index is what counts, so that
    no commit can be named as base. `tool` and `version` name this program.
    """

    head: str | None
    branch: str | None
    ids: frozenset[str]
    from_index: bool
    tool: str
    version: str


def compose(draft: Draft, ground: Ground, now: datetime, parent: str | None = None) -> dict[str, Any]:
    """The capsule's document, without anchors. `parent` is the id that the command line gave.

    Raises DraftRefused with everything that is wrong, placed in the draft.
    """
    faults = list(_contradictions(draft, ground, parent))
    document = {key: value for key, value in draft.document.items() if value is not None}
    document.setdefault("schema_version", SCHEMA_VERSION)
    document.setdefault("created_at", format_instant(now))
    document.setdefault("producer", {"tool": ground.tool, "version": ground.version})
    if grounding := _grounding(document.get("grounding"), ground):
        document["grounding"] = grounding
    if parent is not None:
        document["parent_capsule_id"] = parent
    if "validity" in document:
        document["validity"] = _with_bases(document["validity"], document.get("grounding"), ground)
    if "capsule_id" not in document:
        document["capsule_id"] = new_id(document, ground.ids, now)
    document = {key: document[key] for key in sorted(document, key=_place_in_file)}
    try:
        capsule_in(document)
    except FieldsRefused as refused:
        faults += [draft.problem(one.pointer, ProblemCode.BAD_FIELD, one.message) for one in refused.faults]
        if refused.more:
            faults.append(
                draft.problem((), ProblemCode.TOO_MANY, f"{refused.more} more faults are not listed")
            )
    if faults:
        raise DraftRefused(tuple(sorted(faults, key=lambda fault: (fault.line or 0, fault.column or 0))))
    return document


def with_anchors(document: Mapping[str, Any], anchors: Mapping[int, Mapping[str, str]]) -> dict[str, Any]:
    """The document with these anchors in its git_paths conditions, which are named by index."""
    if not anchors:
        return dict(document)
    conditions = list(document["validity"])
    for index, found in anchors.items():
        kept = {key: value for key, value in conditions[index].items() if key != "anchors"}
        conditions[index] = {**kept, "anchors": dict(found)} if found else kept
    return {**document, "validity": conditions}


def file_bytes(document: Mapping[str, Any]) -> bytes:
    """The capsule's file: UTF-8 JSON, indented, ending in a line break."""
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def new_id(document: Mapping[str, Any], ids: frozenset[str], now: datetime) -> str:
    """An id to read and to sort by: the day, the title's words, and four digits of the content's digest.

    The same draft at the same time on the same commit gets the same id; two branches that write a hand-off
    of the same title on the same day do not. Case does not tell ids apart.
    """
    created_at = document.get("created_at")
    day = created_at if isinstance(created_at, str) and is_instant(created_at) else format_instant(now)
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    stem = f"{day[:10]}-{_slug(document)}"
    candidates = (f"{stem}-{digest[:length]}" for length in range(4, len(digest) + 1))
    return next(one for one in candidates if not is_among(ids, one))


def is_among(ids: frozenset[str], capsule_id: str) -> bool:
    """Whether an id is in use; case does not tell ids apart."""
    return capsule_id.casefold() in {one.casefold() for one in ids}


def _slug(document: Mapping[str, Any]) -> str:
    texts = (document.get(field) for field in ("title", "goal"))
    text = next((text for text in texts if isinstance(text, str) and text.strip()), "")
    plain = unicodedata.normalize("NFKD", text.strip().split("\n")[0]).encode("ascii", "ignore").decode()
    slug = "-".join(re.findall(r"[a-z0-9]+", plain.lower()))
    if len(slug) > SLUG_CHARACTERS:
        slug = slug[: SLUG_CHARACTERS + 1].rpartition("-")[0] or slug[:SLUG_CHARACTERS]
    return slug or "hand-off"


def _contradictions(draft: Draft, ground: Ground, parent: str | None) -> Iterator[Problem]:
    """What the draft says against the repository, or against the command line."""

    def fault(pointer: Pointer, words: str) -> Problem:
        return draft.problem(pointer, ProblemCode.BAD_FIELD, f"`{field_name(pointer)}` {words}")

    own = draft.document.get("capsule_id")
    if isinstance(own, str) and is_among(ground.ids, own):
        yield fault(("capsule_id",), "is in use; leave it out, and a new one is made")
    elif isinstance(own, str) and is_device_name(own):
        yield fault(("capsule_id",), "is a device's name, and Windows can hold no file of it; choose another")
    declared = draft.document.get("parent_capsule_id")
    if parent is not None and declared is not None and declared != parent:
        yield fault(("parent_capsule_id",), "is not what --parent names; give one of them")
    elif parent is None and isinstance(declared, str) and not is_among(ground.ids, declared):
        yield fault(("parent_capsule_id",), "names no capsule of this repository")
    for index, condition in _git_paths(draft.document.get("validity")):
        if ground.from_index and condition.get("base_commit") is not None:
            words = "names a commit, but with --index none can be the base; leave it out"
            yield fault(("validity", index, "base_commit"), words)


def _grounding(declared: object, ground: Ground) -> object:
    """The draft's grounding, completed with HEAD unless it names a commit of its own."""
    if declared is not None and (not isinstance(declared, dict) or "commit" in declared):
        return declared
    filled = {"commit": ground.head, "ref": ground.branch, **(declared or {})}
    return {key: value for key, value in filled.items() if value is not None}


def _with_bases(conditions: object, grounding: object, ground: Ground) -> object:
    """The conditions, each git_paths one with its base: the grounding's commit, or null for the index."""
    if not isinstance(conditions, list):
        return conditions
    commit = grounding.get("commit") if isinstance(grounding, dict) else None
    base = None if ground.from_index else commit
    with_git = {index for index, _ in _git_paths(conditions)}
    return [
        {**condition, "base_commit": condition.get("base_commit", base)} if index in with_git else condition
        for index, condition in enumerate(conditions)
    ]


def _git_paths(conditions: object) -> Iterator[tuple[int, dict[str, Any]]]:
    if isinstance(conditions, list):
        for index, condition in enumerate(conditions):
            if isinstance(condition, dict) and condition.get("kind") == "git_paths":
                yield index, condition


def _place_in_file(key: str) -> int:
    return _ORDER.index(key) if key in _ORDER else len(_ORDER)
