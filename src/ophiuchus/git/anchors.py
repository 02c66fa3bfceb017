"""Path anchors: digests of what a glob matched, so that a hand-off can be checked without its base commit.

An anchor is SHA-256 over the object format's name, NUL, and `mode SP object-id SP path NUL` of every matched
tree entry in the order of the paths' bytes (design §3).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from ophiuchus.git.globs import compile_glob
from ophiuchus.git.listing import Listing
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import Selection, select

_FORM = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)


def is_anchor(text: object) -> bool:
    """Whether `text` is a digest in the form of an anchor; any other is as good as none."""
    return isinstance(text, str) and _FORM.fullmatch(text) is not None


def digest_of_nothing(object_format: str) -> str:
    """The anchor of a glob that matches no entry."""
    return f"sha256:{_begun(object_format).hexdigest()}"


def _begun(object_format: str) -> hashlib._Hash:
    return hashlib.sha256(object_format.encode("ascii") + b"\0")


def digest(listing: Listing, selection: Selection) -> str:
    """The anchor of what `selection` holds of `listing`."""
    state = _begun(listing.object_format)
    entries = listing.entries
    if selection.places:
        state.update(b"".join(map(entries.__getitem__, selection.all_places())))
    else:
        for start, end in selection.ranges:
            state.update(b"".join(entries[start:end]))
    return f"sha256:{state.hexdigest()}"


def digest_globs(scratch: Scratch, tree: str, globs: Iterable[str]) -> dict[str, str]:
    """For `capture`: each glob's anchor on `tree`. Raises RefusedGlob, TreeUnreadable, TooMuchWork."""
    compiled = [compile_glob(text) for text in dict.fromkeys(globs)]
    listing = Listing(scratch, tree)
    selections = select(compiled, listing.paths)
    return {
        glob.text: digest(listing, listing.following(glob, selection))
        for glob, selection in zip(compiled, selections, strict=True)
    }
