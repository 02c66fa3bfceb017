"""From a committed file's bytes to a capsule, or to the problems that keep it from being one (design §3).

A JSON file in the folder that is no capsule is worth a notice, not a problem: an object with neither
`schema_version` nor `capsule_id`, and likewise an array, a text or any other value. Places are looked up
only after something failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ophiuchus.capsule.fields import FieldsRefused, capsule_in, field_name, keeps_more_keys, unknown_keys
from ophiuchus.capsule.model import SCHEMA_VERSION, Capsule
from ophiuchus.text.clean import hidden_characters
from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.text.strict_json import NotStrictJson, locate, parse_json
from ophiuchus.text.wording import json_excerpt

MOST_UNKNOWN_KEYS = 20
"""Most unknown keys of one file that are told one by one."""

_KEY = b'"condition_id"'
_CONDITION_ID = re.compile(rb'"condition_id"[ \t\r\n]*:[ \t\r\n]*"([^"\\]*)"')
# ASCII letters that are written as escapes; "condition_id" could be spelled with them.
_ESCAPED_LETTERS = (rb"\u005", rb"\u006", rb"\u007")


class Reading(NamedTuple):
    """What one file came to. Without a capsule and without a problem it is not to be judged."""

    capsule: Capsule | None
    problems: tuple[Problem, ...] = ()
    notices: tuple[Notice, ...] = ()


def read_capsule(path: str, data: bytes) -> Reading:
    """The capsule in the bytes of one file, or all that is wrong with it. Raises nothing.

    `path` is only named in problems and notices.
    """
    try:
        parsed = parse_json(data)
    except NotStrictJson as refused:
        return Reading(None, (refused.problem(path),))
    document = parsed.document
    notices = []
    if parsed.byte_order_mark:
        notices.append(
            Notice(path, NoticeCode.BYTE_ORDER_MARK, "starts with a byte-order mark; save it without")
        )
    if not_ours := _not_ours(path, document):
        return Reading(None, (), (*notices, not_ours))
    if "schema_version" not in document:
        message = f"has no `schema_version`: read as version {SCHEMA_VERSION}; add it"
        notices.append(Notice(path, NoticeCode.NO_SCHEMA_VERSION, message))
    try:
        capsule = capsule_in(document)
    except FieldsRefused as refused:
        notices += _unknown_key_notices(path, document)
        return Reading(None, _problems(path, data, refused), tuple(notices))
    if keeps_more_keys(capsule):
        notices += _unknown_key_notices(path, document)
    if not data.isascii() or rb"\u" in data:
        notices += _hidden_character_notices(path, document)
    return Reading(capsule, (), tuple(notices))


def condition_lines(data: bytes, capsule: Capsule) -> tuple[int | None, ...]:
    """The line of each validity condition's `condition_id`, in order, counted from 1.

    `data` is what `capsule` was read from. The quick way counts where exactly these ids stand as values of
    that key; where the file holds others too, or spells any with escapes, the exact scanner looks.
    """
    ids = [condition.condition_id.encode() for condition in capsule.validity]
    if not ids:
        return ()
    spots = _spots(data)
    if [spot[1] for spot in spots] == ids and not _has_escaped_letters(data):
        line, before, lines = 1, 0, []
        for spot in spots:
            start = spot.start()
            line += data.count(b"\n", before, start)
            before = start
            lines.append(line)
        return tuple(lines)
    pointers: list[Pointer] = [("validity", index, "condition_id") for index in range(len(ids))]
    located = locate(data, pointers)
    keys = (located[pointer].key for pointer in pointers if pointer in located)
    return tuple(key.line if key else None for key in keys)


def _spots(data: bytes) -> list[re.Match[bytes]]:
    """What the pattern finds, quicker: looking for plain bytes takes a tenth of the time.

    Nothing where the key's name also stands before something else: an id with an escape, which another that
    is spelled plainly would stand in for, or as a text.
    """
    spots = []
    at = data.find(_KEY)
    while at >= 0:
        spot = _CONDITION_ID.match(data, at)
        if spot is None:
            return []
        spots.append(spot)
        at = data.find(_KEY, at + 1)
    return spots


def _has_escaped_letters(data: bytes) -> bool:
    # To look for one byte is the quickest, and it says nearly always that there is none.
    return b"\\" in data and any(letters in data for letters in _ESCAPED_LETTERS)


def _not_ours(path: str, document: Any) -> Notice | None:
    """Why a document is not judged though nothing is wrong with it; None for a capsule of this version."""
    if not isinstance(document, dict):
        return Notice(path, NoticeCode.NOT_A_CAPSULE, "is no JSON object, so no capsule: not judged")
    if "schema_version" not in document and "capsule_id" not in document:
        message = "has neither `schema_version` nor `capsule_id`, so it is no capsule: not judged"
        return Notice(path, NoticeCode.NOT_A_CAPSULE, message)
    version = document.get("schema_version")
    if type(version) is int and version > SCHEMA_VERSION:
        message = (
            f"is written in schema version {json_excerpt(version)}, this program reads {SCHEMA_VERSION}: "
            "not judged; use a newer version of Ophiuchus"
        )
        return Notice(path, NoticeCode.NEWER_SCHEMA, message)
    return None


def _unknown_key_notices(path: str, document: dict[str, Any]) -> Iterator[Notice]:
    unknown = unknown_keys(document)
    for key in islice(unknown, MOST_UNKNOWN_KEYS):
        hint = f"; the nearest known key is `{key.nearest}`" if key.nearest else ""
        message = f"unknown key `{field_name(key.pointer)}` is kept out of every view{hint}"
        yield Notice(path, NoticeCode.UNKNOWN_KEY, message)
    if more := sum(1 for _ in unknown):
        yield Notice(path, NoticeCode.UNKNOWN_KEY, f"{more} more unknown keys are kept out of every view")


def _hidden_character_notices(path: str, document: dict[str, Any]) -> Iterator[Notice]:
    if hidden := hidden_characters(json.dumps(document, ensure_ascii=False)):
        message = (
            f"holds invisible characters that change how text reads, left out of every view: {_list(hidden)}"
        )
        yield Notice(path, NoticeCode.HIDDEN_CHARACTERS, message)


def _list(codes: Sequence[str]) -> str:
    more = f" and {len(codes) - 12} others" if len(codes) > 12 else ""
    return ", ".join(codes[:12]) + more


def _problems(path: str, data: bytes, refused: FieldsRefused) -> tuple[Problem, ...]:
    located = locate(data, [fault.pointer for fault in refused.faults])
    problems = [
        Problem(path, *located[fault.pointer].value, ProblemCode.BAD_FIELD, fault.message)
        for fault in refused.faults
    ]
    problems.sort(key=lambda problem: (problem.line, problem.column))
    if refused.more:
        message = f"{refused.more} more faults in this file are not listed; mend these first"
        problems.append(Problem(path, None, None, ProblemCode.TOO_MANY, message))
    return tuple(problems)
