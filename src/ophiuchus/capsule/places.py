"""Places in a capsule that a critical unit can point at, and what the sender wrote there. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from ophiuchus.capsule.model import Capsule, CriticalUnit, UnknownCondition

Place = tuple[str, int | None]
"""A field and, where the field is a list, the index of one item."""

FIELDS = tuple(Capsule.model_fields)
"""Every field that a unit's `kind` can name, in the order of the published description."""

# Digests, for machines: no reader misses them.
_NO_TEXT = "anchors"


def places_at(capsule: Capsule, field: str) -> tuple[Place, ...]:
    """The places of one field: each item of a list, or the field itself."""
    value = getattr(capsule, field)
    if isinstance(value, tuple):
        return tuple((field, index) for index in range(len(value)))
    return ((field, None),)


def places_of(capsule: Capsule, unit: CriticalUnit) -> tuple[Place, ...]:
    """What `unit` points at; its kind is one of FIELDS.

    An `index` picks one item of a list, and so does a `ref` of its own field; in a unit of another kind a
    `ref` says what the unit has to do with, and picks nothing.
    """
    if unit.index is not None:
        return ((unit.kind, unit.index),)
    places = places_at(capsule, unit.kind)
    if unit.ref is None:
        return places
    ids = _ids(capsule, unit.kind)
    return tuple((unit.kind, index) for index, one in enumerate(ids) if one == unit.ref) or places


def spelled(place: Place) -> str:
    """`goal`, `evidence[2]`."""
    field, index = place
    return field if index is None else f"{field}[{index}]"


def pointer_of(capsule: Capsule, unit: CriticalUnit) -> str:
    """What `unit`, whose kind is one of FIELDS, points at: one item, or a whole field."""
    places = places_of(capsule, unit)
    picks_one = len(places) == 1 and (unit.index is not None or unit.ref is not None)
    return spelled(places[0]) if picks_one else unit.kind


def texts_at(capsule: Capsule, place: Place) -> tuple[str, ...]:
    """The texts at one place, as they were written. Path anchors are no text."""
    field, index = place
    value = getattr(capsule, field)
    return tuple(_texts(value if index is None else value[index]))


def _ids(capsule: Capsule, field: str) -> list[str]:
    if field == "validity":
        return [condition.condition_id for condition in capsule.validity]
    return [item.item_id for item in capsule.negative_knowledge] if field == "negative_knowledge" else []


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        parts = {name: getattr(value, name) for name in type(value).model_fields if name != _NO_TEXT}
        # Whatever an unknown kind of condition says, it says in keys that are unknown too.
        own = value.model_extra if isinstance(value, UnknownCondition) else None
        yield from _texts({**parts, **(own or {})})
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _texts(one)
