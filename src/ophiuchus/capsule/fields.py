"""What is wrong with the fields of a capsule's document, in our own words, and which keys nobody knows.

Works on a parsed document, wherever it came from: a committed file, a draft. Places are the caller's matter;
a fault names its field by pointer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ophiuchus.capsule.capsule_id import ID_PATTERN
from ophiuchus.capsule.model import (
    GLOB_PATTERN,
    ITEM_ID_PATTERN,
    Capsule,
    ContactCard,
    CriticalUnit,
    DeclaredScope,
    GitPaths,
    Grounding,
    NegativeKnowledge,
    Producer,
    TimeWindow,
    parse_capsule,
)
from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.wording import EXCERPT, json_excerpt, sort_of
from ophiuchus.text.written import WRITTEN_PATTERN

MOST_FAULTS = 20
"""Most faults of one document that are told one by one."""

_LISTS = {"evidence", "rejected", "constraints", "open_questions"}
_LISTS |= {"critical", "validity", "negative_knowledge", "contact_cards"}
_IDS = {"critical": "unit_id", "validity": "condition_id", "negative_knowledge": "item_id"}


def _keys_of(model: type[BaseModel]) -> frozenset[str]:
    return frozenset(model.model_fields)


_KNOWN = _keys_of(Capsule)
_KNOWN_IN_PART = {"producer": _keys_of(Producer), "grounding": _keys_of(Grounding)}
_KNOWN_IN_ITEMS = {
    "critical": _keys_of(CriticalUnit),
    "negative_knowledge": _keys_of(NegativeKnowledge),
    "contact_cards": _keys_of(ContactCard),
}
_KNOWN_IN_CONDITION = {
    "git_paths": _keys_of(GitPaths),
    "time_window": _keys_of(TimeWindow),
    "declared_scope": _keys_of(DeclaredScope),
}


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One thing that is wrong. `pointer` leads to the value, or to the object that lacks a key."""

    pointer: Pointer
    message: str


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A key that this version does not know; `nearest` is the known key it looks like, if it does."""

    pointer: Pointer
    nearest: str | None


class FieldsRefused(Exception):
    """A document is no capsule; `faults` says what is wrong with it, `more` how many faults it leaves out."""

    def __init__(self, faults: tuple[FieldFault, ...], more: int) -> None:
        super().__init__(f"{len(faults) + more} faults")
        self.faults = faults
        self.more = more


def capsule_in(document: dict[str, Any]) -> Capsule:
    """The capsule in a document. Raises FieldsRefused with all its faults, those between fields too."""
    between = list(_faults_between(document))
    try:
        capsule = parse_capsule(document)
    except ValidationError as error:
        details = [one for one in error.errors(include_url=False) if not _follows_from_items(one)]
        faults = chain((_fault(detail, document) for detail in details), between)
        more = max(0, len(details) + len(between) - MOST_FAULTS)
        raise FieldsRefused(tuple(islice(faults, MOST_FAULTS)), more) from None
    if between:
        raise FieldsRefused(tuple(between[:MOST_FAULTS]), max(0, len(between) - MOST_FAULTS))
    return capsule


def keeps_more_keys(capsule: Capsule) -> bool:
    """Whether the capsule holds keys that its model does not name; only then `unknown_keys` finds any."""
    parts: list[BaseModel] = [part for part in (capsule, capsule.producer, capsule.grounding) if part]
    parts += (*capsule.critical, *capsule.validity, *capsule.negative_knowledge, *capsule.contact_cards)
    return any(part.model_extra for part in parts)


def unknown_keys(document: dict[str, Any]) -> Iterator[UnknownKey]:
    """The keys at any level that are kept, but mean nothing to this version.

    A condition of unknown kind is left out: all its keys are its own.
    """
    for way, part, known in _known_objects(document):
        if not known.issuperset(part):
            for key in part:
                if key not in known:
                    yield UnknownKey((*way, key), _nearest(key, known))


def field_name(pointer: Pointer) -> str:
    """A field as people write it: `validity[0].not_after`."""
    words = ""
    for step in pointer:
        if isinstance(step, int):
            words += f"[{step}]"
        elif step.isidentifier() and len(step) <= EXCERPT:
            words += f".{step}" if words else step
        else:
            words += f"[{json_excerpt(step)}]"
    return words


def _known_objects(document: dict[str, Any]) -> Iterator[tuple[Pointer, dict[str, Any], frozenset[str]]]:
    yield (), document, _KNOWN
    for field, known in _KNOWN_IN_PART.items():
        if isinstance(part := document.get(field), dict):
            yield (field,), part, known
    for field, known in _KNOWN_IN_ITEMS.items():
        for index, item in _objects(document, field):
            yield (field, index), item, known
    for index, condition in _objects(document, "validity"):
        kind = condition.get("kind")
        if isinstance(kind, str) and kind in _KNOWN_IN_CONDITION:
            yield ("validity", index), condition, _KNOWN_IN_CONDITION[kind]


def _objects(document: dict[str, Any], field: str) -> Sequence[tuple[int, dict[str, Any]]]:
    """The objects among the items of a list field, each with its index; nothing where it is no list."""
    items = document.get(field)
    if not items or not isinstance(items, list):
        return ()
    return [pair for pair in enumerate(items) if isinstance(pair[1], dict)]


@lru_cache(maxsize=1024)
def _nearest(key: str, known: frozenset[str]) -> str | None:
    # A team that adds a key of its own adds it to every capsule, so answers are kept.
    from difflib import get_close_matches  # noqa: PLC0415 - few runs need it

    return next(iter(get_close_matches(key[:EXCERPT].lower(), sorted(known), 1)), None)


def _faults_between(document: dict[str, Any]) -> Iterator[FieldFault]:
    """Faults that no field has alone: an id given twice, a critical pointer that points nowhere."""
    ids: dict[str, dict[str, int]] = {}
    for field, key in _IDS.items():
        first_at = ids.setdefault(field, {})
        for index, item in _objects(document, field):
            one = item.get(key)
            if isinstance(one, str) and first_at.setdefault(one, index) != index:
                message = f"is {json_excerpt(one)}, as in {field}[{first_at[one]}]; give each its own"
                yield _about((field, index, key), message)
    for index, unit in _objects(document, "critical"):
        kind = unit.get("kind")
        if isinstance(kind, str) and kind in _KNOWN:
            yield from _pointer_faults(("critical", index), kind, unit, document, ids)


def _pointer_faults(
    way: Pointer, kind: str, unit: dict[str, Any], document: dict[str, Any], ids: dict[str, dict[str, int]]
) -> Iterator[FieldFault]:
    index, ref = unit.get("index"), unit.get("ref")
    if type(index) is int and index >= 0:
        items = document.get(kind)
        size = len(items) if isinstance(items, list) else 0
        if kind not in _LISTS:
            yield _about((*way, "index"), f"points into `{kind}`, which is no list; leave it out")
        elif index >= size:
            have = f"item {size - 1} is the last (they count from 0)" if size else "it has no items"
            words = f"points nowhere: item {json_excerpt(index)} of `{kind}`, but {have}"
            yield _about((*way, "index"), words)
    if isinstance(ref, str):
        fields = (kind,) if kind in ("validity", "negative_knowledge") else ("validity", "negative_knowledge")
        if not any(ref in ids[field] for field in fields):
            named = " or ".join(f"`{field}`" for field in fields)
            yield _about(
                (*way, "ref"), f"points nowhere: {named} has no {json_excerpt(ref)}; name an id that is there"
            )


def _about(pointer: Pointer, words: str, at: Pointer | None = None) -> FieldFault:
    return FieldFault(pointer if at is None else at, f"`{field_name(pointer)}` {words}" if pointer else words)


def _follows_from_items(detail: ErrorDetails) -> bool:
    """Whether a list only counts as too short because none of its items is valid."""
    return detail["type"] == "too_short" and bool(detail["input"])


def _fault(detail: ErrorDetails, document: dict[str, Any]) -> FieldFault:
    pointer = detail["loc"]
    if pointer[0] == "validity" and len(pointer) > 2:
        pointer = (*pointer[:2], *pointer[3:])  # behind the index stands the kind, which is no step
    if detail["type"] != "missing":
        return _about(pointer, _words(detail, pointer))
    *way, key = pointer
    part: Any = document
    for step in way:
        part = part[step]
    others = {other for other in part if isinstance(other, str)} - _known_at(tuple(way), part)
    nearest = _nearest(str(key), frozenset(others))
    hint = f"is {json_excerpt(nearest)} meant to be it?" if nearest else "add it"
    return _about(pointer, f"is missing; {hint}", at=tuple(way))


def _known_at(way: Pointer, part: dict[str, Any]) -> frozenset[str]:
    if not way:
        return _KNOWN
    field = str(way[0])
    kind = part.get("kind")
    if field == "validity" and isinstance(kind, str):
        return _KNOWN_IN_CONDITION.get(kind, frozenset())
    return _KNOWN_IN_PART.get(field) or _KNOWN_IN_ITEMS.get(field, frozenset())


_PATTERNS = {
    ID_PATTERN: "an id of up to 128 letters, digits, `.`, `_` and `-`, the first a letter or digit",
    ITEM_ID_PATTERN: "one line of text without control characters",
    WRITTEN_PATTERN: "a text that is not blank",
    GLOB_PATTERN: "a path without NUL characters",
}
_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "model_type": "an object",
    "dict_type": "an object",
    "tuple_type": "a list",
}


def _words(detail: ErrorDetails, pointer: Pointer) -> str:
    """What is wrong, and what should be there, after the field's name."""
    context, value = detail.get("ctx", {}), detail["input"]
    if pointer == ("schema_version",):
        return f"must be the whole number 1, not {json_excerpt(value)}"
    match detail["type"]:
        case "string_pattern_mismatch":
            return f"must be {_PATTERNS[context['pattern']]}, not {json_excerpt(value)}"
        case "string_too_long":
            return f"has {len(value)} characters; at most {context['max_length']} are allowed"
        case "too_long":
            return f"has {len(value)} items; at most {context['max_length']} are allowed"
        case "too_short":
            return "has no items; name at least one"
        case "greater_than_equal":
            return f"must be {context['ge']} or more, not {json_excerpt(value)}"
        case "value_error":
            return f"{context['error']}: {json_excerpt(value)}"
        case other:
            return f"must be {_TYPES[other]}, not {sort_of(value)}"
