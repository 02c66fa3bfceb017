"""The one secret scan, over a text or over all that a JSON value holds: names and places, never a value.

Not found: passwords of letters alone, and secrets that were encrypted, compressed, cut in pieces or encoded
otherwise than once in base64 or as `spelled` knows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pydantic import JsonValue

from ophiuchus.secrets.linear import as_bytes
from ophiuchus.secrets.matching import counts, may_hold_secret

MOST_FINDINGS = 100
"""Most findings of one value. There is nothing to be learned from more."""
_LONGEST_STEP = 40
_LONGEST_PLACE = 240
_LONGEST_LABEL = 64
_NO_QUOTES = dict.fromkeys(map(ord, "\"'`"))


@dataclass(frozen=True, slots=True)
class Finding:
    """A kind of secret stands `count` times at `where`: names of members and numbers of items, from the top.

    A member whose name is itself a finding is told by its number, so that no finding holds a value.
    """

    rule: str
    where: tuple[str | int, ...]
    count: int = 1

    @property
    def place(self) -> str:
        """`where` as people write it, `validity[0].note`; long names and ways are cut."""
        words = ""
        for step in self.where:
            if isinstance(step, int):
                words += f"[{step}]"
            else:
                name = step if len(step) <= _LONGEST_STEP else step[: _LONGEST_STEP - 1] + "…"
                words += f".{name}" if words else name
            if len(words) > _LONGEST_PLACE:
                return words[: _LONGEST_PLACE - 1] + "…"
        return words

    def __str__(self) -> str:
        words = f"{self.rule} at {self.place}" if self.where else self.rule
        return f"{words} ({self.count} times)" if self.count > 1 else words


def scan_text(text: str) -> tuple[str, ...]:
    """The names of the rules that match, each once, in the table's order."""
    return tuple(counts(text))


def scan_value(value: JsonValue) -> tuple[Finding, ...]:
    """What every string in `value` holds, names of members too, at any depth; in the document's order.

    A member's string is also judged by the member's name, and the string `value` by the `name` or `key`
    beside it. At most MOST_FINDINGS are returned.
    """
    if not may_hold_secret(_joined(value)):
        return ()
    found: list[Finding] = []
    for text in _texts(value):
        found.extend(_findings(text))
        if len(found) >= MOST_FINDINGS:
            break
    return tuple(found[:MOST_FINDINGS])


def may_hold_any(texts: Iterable[str]) -> bool:
    """Whether texts are worth a scan: False for most, and never False where one of them holds a secret.

    Where they are members, only if no name of theirs is worth a scan, an equals sign after it.
    """
    return may_hold_secret(_lined(texts))


class _Step(NamedTuple):
    """A way into a value, as a chain, so that depth costs nothing."""

    before: _Step | None
    name: str | int


class _Text(NamedTuple):
    """One string in a value. `label` is what names it, empty where nothing does."""

    way: _Step | None
    label: str
    text: str


def _joined(value: JsonValue) -> bytes:
    """All strings in `value`."""
    strings: list[str] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            strings.append(part)
        elif isinstance(part, dict):
            strings.extend(part)
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return _lined(strings)


def _lined(strings: Iterable[str]) -> bytes:
    """Strings, an equals sign after each, so that a name reads as one that has a value."""
    return as_bytes("=\n".join([*strings, ""]))


def _texts(value: JsonValue) -> Iterator[_Text]:
    """Every string in `value` in the document's order; the name of a member where it is itself a finding."""
    waiting: list[tuple[_Step | None, str, JsonValue]] = [(None, "", value)]
    while waiting:
        way, label, part = waiting.pop()
        if isinstance(part, str):
            yield _Text(way, label, part)
        elif isinstance(part, list):
            waiting.extend((_Step(way, index), label, part[index]) for index in reversed(range(len(part))))
        elif isinstance(part, dict):
            members: list[tuple[_Step | None, str, JsonValue]] = []
            for number, (key, member) in enumerate(part.items(), 1):
                if _is_finding(key):
                    step = _Step(way, f"(member {number})")
                    members.append((step, "", key))
                else:
                    step = _Step(way, key)
                members.append((step, _label(part, label) if key == "value" else key, member))
            waiting.extend(reversed(members))


def _label(part: dict[str, JsonValue], label: str) -> str:
    """What names the member `value` of `part`: the neighbour in a list of settings, else `label`."""
    return next((name for key in ("name", "key") if isinstance(name := part.get(key), str)), label)


@lru_cache(maxsize=4096)
def _is_finding(key: str) -> bool:
    return bool(counts(key))


def _findings(text: _Text) -> Iterator[Finding]:
    found = counts(text.text)
    if not found and text.label:
        # Judged as it would be written: the name, and the value between quotation marks, none inside.
        value = text.text.strip().translate(_NO_QUOTES)
        found = counts(f'{text.label[-_LONGEST_LABEL:]}="{value}"')
    where = _where(text.way) if found else ()
    for name, count in found.items():
        yield Finding(name, where, count)


def _where(way: _Step | None) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    while way is not None:
        steps.append(way.name)
        way = way.before
    return tuple(reversed(steps))
