"""`.ophiuchus/destinations.toml` of the judged tree: its destinations, or all that is wrong with it.

A file with one fault gives no destination at all: a hand-off must not go to three of four places because of a
slip of the pen. No message repeats what may be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ophiuchus.capsule.fields import field_name
from ophiuchus.publish.capability import Deployment, ProviderName
from ophiuchus.publish.destination import (
    ALIAS_PATTERN,
    DESTINATIONS,
    LABEL_PATTERN,
    ONE_WORD_PATTERN,
    Destination,
    DestinationsFile,
)
from ophiuchus.secrets.scan import scan_value
from ophiuchus.text.file_text import UnusableFile
from ophiuchus.text.problem import ExpectedFailure, Problem, ProblemCode
from ophiuchus.text.strict_toml import parse_toml
from ophiuchus.text.toml_lines import line_of
from ophiuchus.text.wording import json_excerpt

PATH = ".ophiuchus/destinations.toml"
"""Where the file is in the judged tree."""
MOST_DESTINATIONS = 50

_FROM_THE_ENVIRONMENT = (
    "addresses and credentials are no business of this file: they come from the environment"
)
_FOR_THE_ENVIRONMENT = re.compile(
    "url|uri|host|site|origin|endpoint|token|key|secret|password|email|user", re.IGNORECASE
)
_FORMS = {
    ALIAS_PATTERN: "an alias of up to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit",
    LABEL_PATTERN: "one line of text without blanks at its ends",
    ONE_WORD_PATTERN: "one word without blanks",
}
_SORTS = {
    "string_type": "text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_attributes_type": "a table",
    "model_type": "a table",
}


class UnknownDestination(ExpectedFailure):
    """An alias was asked for that the file does not have."""

    def __init__(self, alias: str, known: Collection[str]) -> None:
        near = get_close_matches(alias, known, n=1)
        guess = f"; is {near[0]} meant?" if near else ""
        super().__init__(
            f"{PATH} has no destination {json_excerpt(alias)}{guess}",
            f"Name one of: {', '.join(known)}."
            if known
            else f"Write a table [destinations.ALIAS] into {PATH}.",
        )


@dataclass(frozen=True, slots=True)
class Destinations:
    """The destinations by alias, in the file's order. No two are the same place."""

    by_alias: Mapping[str, Destination]

    def named(self, alias: str) -> Destination:
        """The destination with this alias. Raises UnknownDestination."""
        try:
            return self.by_alias[alias]
        except KeyError:
            raise UnknownDestination(alias, self.by_alias) from None


def read_destinations(data: bytes, path: str = PATH) -> Destinations | tuple[Problem, ...]:
    """The destinations in the bytes of a committed file, or its problems. Raises nothing.

    `path` is only named in problems.
    """
    try:
        toml = parse_toml(data)
    except UnusableFile as refused:
        return (refused.problem(path),)
    document, text = toml.document, toml.text
    if secrets := tuple(_secrets(document)):
        # Nothing else is told then: another message could repeat what was found.
        return _problems(path, text, secrets)
    try:
        file = DestinationsFile.model_validate(document)
    except ValidationError as error:
        faults = [_fault(detail) for detail in error.errors(include_url=False)]
        return _problems(path, text, faults)
    if faults := [*_too_many(file), *_same_places(file)]:
        return _problems(path, text, faults)
    return Destinations(file.destinations)


@dataclass(frozen=True, slots=True)
class _Fault:
    """One thing that is wrong; `way` leads to the value, or to the table that lacks one."""

    way: tuple[str, ...]
    message: str
    code: ProblemCode = ProblemCode.BAD_FIELD


def _problems(path: str, text: str, faults: Iterable[_Fault]) -> tuple[Problem, ...]:
    found = [Problem(path, _line(text, fault.way), None, fault.code, fault.message) for fault in faults]
    return tuple(sorted(found, key=lambda problem: problem.line or 0))


def _line(text: str, way: tuple[str, ...]) -> int | None:
    """Where `way` leads, or the nearest thing around it that the file has."""
    while way:
        if (line := line_of(text, way)) is not None:
            return line
        way = way[:-1]
    return None


def _secrets(document: dict[str, Any]) -> Iterator[_Fault]:
    for finding in scan_value(document):
        way = _names(finding.where)
        message = f"holds what looks like a secret ({finding.rule}); revoke it; {_FROM_THE_ENVIRONMENT}"
        yield _Fault(way, message)


def _too_many(file: DestinationsFile) -> Iterator[_Fault]:
    if len(file.destinations) > MOST_DESTINATIONS:
        message = f"has {len(file.destinations):,} destinations; at most {MOST_DESTINATIONS} are allowed"
        yield _Fault((), message, ProblemCode.TOO_MANY)


def _same_places(file: DestinationsFile) -> Iterator[_Fault]:
    """One place under two aliases: the two would wait for each other's receipt."""
    first: dict[tuple[ProviderName, str], str] = {}
    for alias, destination in file.destinations.items():
        other = first.setdefault((destination.provider, destination.target), alias)
        if other != alias:
            message = f"is the same place as `destinations.{other}`; keep one of them"
            yield _about(("destinations", alias, "target"), message)


def _about(way: tuple[str | int, ...], words: str, at: tuple[str | int, ...] | None = None) -> _Fault:
    return _Fault(_names(way if at is None else at), f"`{field_name(way)}` {words}")


def _names(way: Iterable[str | int]) -> tuple[str, ...]:
    """The way up to the first item of a list: what is inside one has no line of its own."""
    names = []
    for step in way:
        if isinstance(step, int):
            break
        names.append(step)
    return tuple(names)


def _fault(detail: ErrorDetails) -> _Fault:
    """One fault in our words. Behind the alias pydantic names the provider, which is no step."""
    way = detail["loc"]
    provider = None
    if len(way) > 2 and way[2] != "[key]":
        provider = str(way[2])
        way = (*way[:2], *way[3:])
    context, value = detail.get("ctx", {}), detail["input"]
    match detail["type"]:
        case "missing":
            return _about(way, "is missing; add it", at=way[:-1])
        case "extra_forbidden":
            return _about(way, _unknown_key(str(way[-1]), provider))
        case "union_tag_not_found":
            return _about((*way, "provider"), f"is missing; write one of: {', '.join(ProviderName)}", at=way)
        case "union_tag_invalid":
            words = f"is {json_excerpt(value['provider'])}; write one of: {', '.join(ProviderName)}"
            return _about((*way, "provider"), words)
        case "string_pattern_mismatch":
            return _about(way[:2] if way[-1] == "[key]" else way, f"must be {_FORMS[context['pattern']]}")
        case "string_too_long":
            return _about(way, f"has {len(value)} characters; at most {context['max_length']} are allowed")
        case "too_long":
            return _about(way, f"has {len(value)} items; at most {context['max_length']} are allowed")
        case "value_error":
            return _about(way, str(context["error"]))
        case "enum":
            return _about(way, f"is {json_excerpt(value)}; write one of: {', '.join(Deployment)}")
        case other:
            return _about(way, f"must be {_SORTS[other]}")


def _unknown_key(key: str, provider: str | None) -> str:
    """What to do about a key that is not known, at the top or of a destination of `provider`."""
    model = next((one for one in DESTINATIONS if one.name.value == provider), DestinationsFile)
    if near := get_close_matches(key.lower(), model.model_fields, n=1):
        return f"is not known; is `{near[0]}` meant?"
    if _FOR_THE_ENVIRONMENT.search(key):
        return f"is not known; {_FROM_THE_ENVIRONMENT}"
    return f"is not known; known are: {', '.join(model.model_fields)}"
