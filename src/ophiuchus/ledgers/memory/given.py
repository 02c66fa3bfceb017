"""What a caller hands in to be written down: one JSON object, of which nothing secret is repeated."""

from __future__ import annotations

from typing import Any

from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.secrets.scan import scan_value
from ophiuchus.text.file_text import UnusableFile
from ophiuchus.text.problem import ExpectedFailure, ProblemCode
from ophiuchus.text.strict_json import parse_json


class NotWritable(ExpectedFailure):
    """What was handed in is not what can be written down, or may not be."""


def given_object(data: bytes, what: str) -> dict[str, Any]:
    """The JSON object in `data`; `what` names it in messages. Raises NotWritable."""
    try:
        document = parse_json(data).document
    except UnusableFile as unusable:
        # That message names the key, which could be a secret and is cut so that no scan would know it.
        twice = unusable.code is ProblemCode.DUPLICATE_KEY
        raise NotWritable(f"{what} {'has a key twice' if twice else unusable.message}") from None
    if type(document) is not dict:
        raise NotWritable(f"{what} is no JSON object")
    if secrets := scan_value(document):
        found = "; ".join(map(str, secrets))
        raise NotWritable(
            f"{MemoryReason.SECRET_DETECTED}: {what} looks like a secret: {found}", "Take it out."
        )
    return document
