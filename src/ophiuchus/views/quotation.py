"""Somebody's words in a fence of Markdown that says whose they are and that nothing inside can close."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ophiuchus.assess.fidelity import Extent
from ophiuchus.capsule.model import UnknownCondition
from ophiuchus.text.clean import clean
from ophiuchus.text.cut import place_to_cut
from ophiuchus.text.fence import fenced

FENCE_CHARACTERS = 6_500
"""Most characters of one quotation, unless told otherwise."""

# More than the mark, the note on a cut and the newlines take.
_AROUND = 200


@dataclass(frozen=True, slots=True)
class Quotation:
    """The Markdown of one quotation, and how much of what was written it carries."""

    text: str
    extent: Extent


def quote(mark: str, written: str | BaseModel, most: int = FENCE_CHARACTERS) -> Quotation:
    """What somebody wrote, in at most `most` characters: a text as it is, a part of a capsule as JSON.

    `mark` is ours: it follows the kind of content in the fence's first line. The quotation is whole only if
    undoing its form gives every character back: one from which cleaning took or turned anything is not, nor
    is one that was cut.
    """
    known = written if isinstance(written, str) else _known(written)
    shown = _cleaned(known)
    is_text = isinstance(shown, str)
    text = shown if is_text else json.dumps(shown, ensure_ascii=False, indent=1)
    fence, cut = _fitting(f"{'text' if is_text else 'json'} {mark}", text, most)
    if cut or shown != known or (isinstance(written, UnknownCondition) and written.model_extra):
        return Quotation(fence, Extent.PART if text else Extent.NONE)
    return Quotation(fence, Extent.WHOLE)


def quote_all(mark: str, parts: Iterable[BaseModel], most: int) -> str:
    """Several parts of a capsule as one JSON list."""
    listed = json.dumps([_cleaned(_known(part)) for part in parts], ensure_ascii=False, indent=1)
    return _fitting(f"json {mark}", listed, most)[0]


def _known(part: BaseModel) -> dict[str, Any]:
    """What is written in the keys that this version knows; path anchors are for machines."""
    known = set(type(part).model_fields) - {"anchors"}
    return part.model_dump(mode="json", include=known, exclude_none=True)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _cleaned(one) for key, one in value.items()}
    return [_cleaned(one) for one in value] if isinstance(value, list) else value


def _fitting(mark: str, text: str, most: int) -> tuple[str, bool]:
    """`text` in its fence, and whether it had to be cut."""
    whole = fenced(text, mark) + "\n"
    if len(whole) <= most:
        return whole, False
    shown = text[: place_to_cut(text, most - _AROUND)]
    if len(fenced(shown, mark)) >= most - _AROUND // 2:
        # Backticks need two fences of their own length around them.
        shown = shown[: place_to_cut(shown, len(shown) // 3)]
    note = f"The first {len(shown):,} of {len(text):,} characters:\n\n"
    return f"{note}{fenced(shown, mark)}\n", True
