"""The CODEOWNERS of a judged tree, as git has it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.objects import list_tree, read_blobs
from ophiuchus.git.scratch import Scratch, open_scratch
from ophiuchus.report.owners import MOST_BYTES, PLACES, OwnerRules, read_owners

_FILES = (b"100644", b"100755")


def code_owners(directory: Path, tree: str, env: Mapping[str, str]) -> OwnerRules | None:
    """The rules in the tree with the full id `tree`; None where it has none, or a file that is too large.

    Raises ExpectedFailure where the checkout or the tree cannot be read.
    """
    checkout = open_checkout(directory, env, in_ci=True)
    with open_scratch(checkout, env) as scratch:
        return code_owners_in(scratch, tree)


def code_owners_in(scratch: Scratch, tree: str) -> OwnerRules | None:
    """The same for a tree that is open already."""
    for place in PLACES:
        content = _content(scratch, tree, place.encode())
        if content is not None:
            return read_owners(content)
    return None


def _content(scratch: Scratch, tree: str, path: bytes) -> bytes | None:
    """The file at `path`; None where there is no file that can be read."""
    found = [one for one in list_tree(scratch, tree, path) if one.path == path and one.mode in _FILES]
    for content in read_blobs(scratch, [one.id for one in found], MOST_BYTES):
        return content if isinstance(content, bytes) else None
    return None
