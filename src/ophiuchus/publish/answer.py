"""What an adapter reads out of an answer's body: a JSON object, and the id in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.provider import Write
from ophiuchus.publish.reference import NotAReference, Reference, parse_reference
from ophiuchus.text.strict_json import NotStrictJson, parse_json

MOST_WORDS = 5
"""Most words of an answer that are told."""
MOST_BYTES = 1 << 20
"""Most bytes of an answer that are read: those of a write have a few thousand."""


class AnswerTooLong(Exception):
    """More than `MOST_BYTES` came back. What it says is not known then."""


def json_object(body: bytes) -> dict[str, Any]:
    """The object in `body`; an empty one where there is none."""
    try:
        document = parse_json(body, MOST_BYTES).document
    except NotStrictJson:
        return {}
    return document if isinstance(document, dict) else {}


def made(provider: ProviderName, write: Write, found: object) -> Reference | None:
    """The reference of what `write` made, from the id that the answer gives it; None where that is no id."""
    identifier = str(found) if isinstance(found, int) and not isinstance(found, bool) else found
    if not isinstance(identifier, str) or "/" in identifier:
        return None
    whole = f"{write.append_to.artifact}/{identifier}" if write.append_to else identifier
    try:
        return parse_reference(provider, whole)
    except NotAReference:
        return None


def is_as_asked(said: object, asked: str) -> bool:
    """Whether `said`, the place of what was made, is the one `asked` for; what is no text names none."""
    return not isinstance(said, str) or said.casefold() == asked.casefold()


def words(form: re.Pattern[str], found: Iterable[object]) -> str:
    """What of `found` is a word of a closed form, as one line; empty where nothing is.

    An answer's other text is never told: it may be anything, the credential too.
    """
    told = (one for one in found if isinstance(one, str) and form.fullmatch(one))
    return ", ".join(list(dict.fromkeys(told))[:MOST_WORDS])
