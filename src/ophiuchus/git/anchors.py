"""Path anchors: digests of what a glob matched, so that a hand-off can be checked without its base commit.

An anchor is SHA-256 over the object format's name, NUL, and `mode SP object-id SP path NUL` of every matched
tree entry in the order of the paths' bytes (design §3).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from ophiuchus.git.glob_trie import TooMuchWork
from ophiuchus.git.globs import compile_glob
from ophiuchus.git.listing import Listing
from ophiuchus.git.matches import Matches
from ophiuchus.git.objects import TreeUnreadable
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import MalformedPath

_FORM = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)


def is_anchor(text: object) -> bool:
    """Whether `text` is a digest in the form of an anchor; any other is as good as none."""
    return isinstance(text, str) and _FORM.fullmatch(text) is not None


def digest_of_nothing(object_format: str) -> str:
    """The anchor of a glob that matches no entry."""
    return digest(object_format, b"")


def digest(object_format: str, entries: bytes) -> str:
    """The anchor of these entries, each spelled `mode SP object-id SP path NUL`."""
    return "sha256:" + hashlib.sha256(object_format.encode("ascii") + b"\0" + entries).hexdigest()


def digest_globs(scratch: Scratch, tree: str, globs: Iterable[str]) -> dict[str, str]:
    """For `capture`: each glob's anchor on `tree`. Raises RefusedGlob, TreeUnreadable, TooMuchWork."""
    compiled = [compile_glob(text) for text in dict.fromkeys(globs)]
    try:
        matches = Matches(Listing(scratch, tree), compiled)
    except MalformedPath as error:
        raise TreeUnreadable(tree) from error
    anchors = {}
    for glob, selection in zip(compiled, matches.selections, strict=True):
        if selection is None:
            raise TooMuchWork
        anchors[glob.text] = digest(scratch.object_format, matches.entries(selection))
    return anchors
