"""Refreshing a hand-off: the words of a committed capsule as a draft, to be captured on what is here now.

The new capsule is a child of the old one. Kept is all that its author said, deadlines that have passed too;
made anew is what `capture` writes: id, time, producer, commit and branch, bases and anchors. A critical
unit's `supersedes` speaks about the parent, which is another one now, so it stays behind, and that is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ophiuchus.capsule.capture import FOLDER, Site
from ophiuchus.capsule.composition import is_among
from ophiuchus.capsule.draft import Draft, read_draft
from ophiuchus.capsule.model import REJECTED, Capsule, GitPaths
from ophiuchus.capsule.shelf import ShelvedCapsule
from ophiuchus.text.clean import spell_path
from ophiuchus.text.instant import parse_instant
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.wording import json_excerpt

_MADE_ANEW = ("schema_version", "capsule_id", "created_at", "producer", "grounding", "parent_capsule_id")
_OLDEST = datetime.min.replace(tzinfo=UTC)


class NothingToRefresh(ExpectedFailure):
    """The id is not that of exactly one readable, committed capsule."""


def draft_to_refresh(capsule_id: str, site: Site) -> Draft:
    """The draft of a child that says what the capsule with this id says. Raises NothingToRefresh.

    The capsule is looked for in the site's tree, without regard to case, as everywhere.
    """
    parent = _committed(capsule_id, site)
    draft = read_draft(parent.path, parent.data)
    document = {key: value for key, value in draft.document.items() if key not in _MADE_ANEW}
    if grounding := _without(draft.document.get("grounding"), "commit", "ref"):
        document["grounding"] = grounding
    document["parent_capsule_id"] = parent.capsule.capsule_id
    if conditions := document.get("validity"):
        document["validity"] = [
            _without(one, "base_commit", "anchors") if one["kind"] == "git_paths" else one
            for one in conditions
        ]
    if units := document.get("critical"):
        document["critical"] = [_without(unit, "supersedes") for unit in units]
    return replace(draft, document=document, warnings=tuple(_warnings(parent, site)))


def _without(part: dict[str, Any] | None, *keys: str) -> dict[str, Any]:
    return {key: value for key, value in (part or {}).items() if key not in keys}


def _committed(capsule_id: str, site: Site) -> ShelvedCapsule:
    found = site.shelf.all_with_id(capsule_id)
    if len(found) == 1:
        return found[0]
    name = json_excerpt(capsule_id)
    if found:
        paths = ", ".join(shelved.path for shelved in found)
        raise NothingToRefresh(
            f"{len(found)} capsules have the id {name}: {paths}",
            "Give all but one another capsule_id, or delete them, and commit that.",
        )
    for said in site.shelf.unread_as(capsule_id):
        raise NothingToRefresh(
            f"the capsule {name} cannot be read: {said.path}: {said.message}",
            "Correct its file and commit it, then refresh it.",
        )
    where, how = ("in the index", "git add") if site.from_index else ("committed", "git add and git commit")
    if is_among(site.written, capsule_id):
        file = FOLDER / f"{capsule_id}.json"
        raise NothingToRefresh(
            f"the capsule {name} is written, but not {where}",
            f"There is nothing to refresh yet: add it with {how}, or correct or delete {file}.",
        )
    raise NothingToRefresh(
        f"no capsule {name} is {where}", "Give the capsule_id of a hand-off; `ophiuchus check` lists them."
    )


def _warnings(parent: ShelvedCapsule, site: Site) -> Iterator[str]:
    name = json_excerpt(parent.capsule.capsule_id)
    if newest := _newest_child(parent, site):
        yield (
            f"{name} is continued already, last by {json_excerpt(newest.capsule.capsule_id)}: "
            "refresh that one instead if the work went on there"
        )
    if any(
        spell_path(one.path) == parent.path for one in site.uncommitted if one.unstaged or not site.from_index
    ):
        state = "not staged" if site.from_index else "not committed"
        yield f"{parent.path} has changes that are {state}: they are no part of the new capsule"
    if not any(isinstance(condition, GitPaths) for condition in parent.capsule.validity):
        yield f"{name} declares no git_paths condition, so the new capsule reads as it does"
    yield from _ruled_out_again(parent.capsule)
    for unit in parent.capsule.critical:
        if unit.supersedes is not None:
            yield (
                f"unit {json_excerpt(unit.unit_id)}: supersedes {json_excerpt(unit.supersedes)} is left out, "
                f"since it speaks about the capsule that {name} continues"
            )


def _ruled_out_again(capsule: Capsule) -> Iterator[str]:
    """What was ruled out while paths were as they were: with new bases, it counts as ruled out again."""
    anew = {one.condition_id for one in capsule.validity if isinstance(one, GitPaths)}
    for item in capsule.negative_knowledge:
        named = ", ".join(json_excerpt(one) for one in dict.fromkeys(item.applies_while) if one in anew)
        if item.state == REJECTED and named:
            yield (
                f"item {json_excerpt(item.item_id)} was ruled out while {named} held, which starts anew "
                "here: check that it still is"
            )


def _newest_child(parent: ShelvedCapsule, site: Site) -> ShelvedCapsule | None:
    key = parent.capsule.capsule_id.casefold()
    children = [
        shelved
        for shelved in site.shelf.capsules
        if (shelved.capsule.parent_capsule_id or "").casefold() == key and shelved is not parent
    ]
    return max(children, key=_written_at, default=None)


def _written_at(shelved: ShelvedCapsule) -> datetime:
    text = shelved.capsule.created_at
    return _OLDEST if text is None else parse_instant(text)
