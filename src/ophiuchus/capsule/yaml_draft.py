"""A capsule's draft in YAML: a small part of YAML, read strictly and built from the parser's events.

Accepted are mappings, lists and scalars of one document. Only an unquoted `true` or `false` is a boolean,
`null`, `~` or nothing is null, a plain decimal of up to 9 digits is a number; all else is text, dates and
versions too. Refused, with the place: anchors and aliases (they can grow without bound), tags, a second
document, keys that are no scalars, a key given twice, nesting over 64, lone surrogates. A comment that could
be the end of a text, as in `goal: fix #12`, is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)
from yaml.reader import ReaderError

from ophiuchus.text.json_scan import MAX_DEPTH, Pointer
from ophiuchus.text.problem import ProblemCode

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,8})", re.ASCII)
_ASIDE = re.compile(r"[ \t]+#(?=[^\s#])")
_QUOTE_IT = {
    "mapping values are not allowed": "has a colon inside a text; write the text in quotes",
    r"character '\t' that cannot": "has a tab where YAML wants blanks",
    "cannot start any token": "has a text that begins with a sign of YAML; write the text in quotes",
    "scanning an alias": "has a text that begins with *; write the text in quotes",
    "scanning an anchor": "has a text that begins with &; write the text in quotes",
    "double-quoted scalar, expected escape": "has an escape that YAML does not know; use single quotes",
    "double-quoted scalar, found unknown escape": "has an escape that YAML does not know; use single quotes",
}
"""What to do where the parser only says what it met."""
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}


class NotDraftYaml(Exception):
    """A text is not in the accepted part of YAML. `index` is the offending character's, None if unknown."""

    def __init__(self, code: ProblemCode, message: str, index: int | None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.index = index


@dataclass(slots=True)
class YamlDraft:
    """The value in a draft, and for each of its fields and items the index of the character it starts at.

    `asides` are the indexes of comments that stand behind a text and may have been meant to belong to it.
    """

    value: Any = None
    starts: dict[Pointer, int] = field(default_factory=dict)
    asides: list[int] = field(default_factory=list)


def parse_yaml(text: str) -> YamlDraft:
    """The one document in `text`. Raises NotDraftYaml for anything else than the accepted part of YAML."""
    try:
        return _Builder(text).build(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        said = next((words for part, words in _QUOTE_IT.items() if part in said), said)
        raise _not_yaml(said or "is not YAML", mark.index if mark else None) from error
    except ReaderError as error:
        raise _not_yaml("holds a character that YAML does not allow", error.position) from error
    except (ValueError, OverflowError) as error:
        # The scanner turns escapes and version numbers into integers without looking at their range.
        raise _not_yaml("holds an escape or a number out of range", None) from error


def _start(event: Event) -> int:
    assert event.start_mark is not None  # noqa: S101 - every event of a parsed text has one
    return event.start_mark.index


def _not_yaml(message: str, index: int | None) -> NotDraftYaml:
    return NotDraftYaml(ProblemCode.NOT_YAML, message, index)


class _Builder:
    """Builds the value from events; the parser is not recursive, and this is only as deep as MAX_DEPTH."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._draft = YamlDraft()

    def build(self, events: Iterator[Event]) -> YamlDraft:
        next(events)  # the stream's start
        first = next(events)
        if isinstance(first, StreamEndEvent):
            return self._draft
        self._draft.value = self._node(next(events), events, ())
        next(events)  # the document's end
        after = next(events)
        if isinstance(after, DocumentStartEvent):
            raise _not_yaml("holds more than one document", _start(after))
        return self._draft

    def _node(self, event: Event, events: Iterator[Event], path: Pointer) -> Any:
        start = _start(event)
        self._draft.starts.setdefault(path, start)
        if len(path) > MAX_DEPTH:
            raise NotDraftYaml(ProblemCode.TOO_DEEP, f"is nested deeper than {MAX_DEPTH}", start)
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _not_yaml("uses an anchor or alias (& or *); write the text out, or quote it", start)
        if getattr(event, "tag", None) is not None:
            raise _not_yaml("uses a tag (!); quote the text if it begins with an exclamation mark", start)
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        return (self._mapping if isinstance(event, MappingStartEvent) else self._list)(events, path)

    def _list(self, events: Iterator[Event], path: Pointer) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(events), SequenceEndEvent):
            items.append(self._node(event, events, (*path, len(items))))
        return items

    def _mapping(self, events: Iterator[Event], path: Pointer) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        while not isinstance(event := next(events), MappingEndEvent):
            start = _start(event)
            if not isinstance(event, ScalarEvent) or event.anchor is not None or event.tag is not None:
                raise _not_yaml("has a key that is no plain text", start)
            key = self._checked(event.value, start)
            if key in fields:
                raise NotDraftYaml(ProblemCode.DUPLICATE_KEY, f'has the key "{key}" twice', start)
            self._draft.starts[(*path, key)] = start
            fields[key] = self._node(next(events), events, (*path, key))
        return fields

    def _scalar(self, event: ScalarEvent) -> str | int | bool | None:
        text = self._checked(event.value, _start(event))
        if event.style in ("|", ">"):
            return text.rstrip("\n")  # a block's last line break is layout, not the author's words
        if event.style:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if event.end_mark is not None and (aside := _ASIDE.match(self._text, event.end_mark.index)):
            self._draft.asides.append(aside.end() - 1)
        return int(text) if _NUMBER.fullmatch(text) else text

    @staticmethod
    def _checked(text: str, start: int) -> str:
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise NotDraftYaml(ProblemCode.LONE_SURROGATE, "holds half of a surrogate pair", start)
        return text
