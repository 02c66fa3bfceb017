"""What a declared base commit is: a commit of this clone, or why it cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable

from ophiuchus.git.findings import BaseState
from ophiuchus.git.object_id import ID_LENGTH, is_full_id
from ophiuchus.git.objects import Commit, Unusable, commits
from ophiuchus.git.scratch import Scratch

NOT_DECLARED = Unusable(BaseState.NOT_DECLARED, "")


def look_up(scratch: Scratch, declared: Iterable[str | None]) -> dict[str | None, Commit | Unusable]:
    """Each declared text as what it is here. Only full ids reach git: names and short ids move (C065)."""
    bases: dict[str | None, Commit | Unusable] = {None: NOT_DECLARED}
    asked = []
    for text in dict.fromkeys(declared):
        if text is None:
            continue
        if is_full_id(text, scratch.object_format):
            asked.append(text)
        else:
            bases[text] = Unusable(BaseState.MALFORMED, _what_is_wrong(text, scratch.object_format))
    bases.update(commits(scratch, asked))
    return bases


def _what_is_wrong(text: str, object_format: str) -> str:
    """More than "not a commit id", where there is more to say (trap 30)."""
    other = next(name for name in ID_LENGTH if name != object_format)
    if is_full_id(text, other):
        return f"it has the length of a {other} id, and the ids of this repository are {object_format}"
    if is_full_id(text.lower(), object_format):
        return "it has upper-case letters"
    return ""
