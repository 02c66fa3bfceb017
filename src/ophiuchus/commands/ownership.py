"""The CODEOWNERS of a judged tree, as git has it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.named_files import read_files
from ophiuchus.git.scratch import Scratch, open_scratch
from ophiuchus.report.owners import MOST_BYTES, PLACES, OwnerRules, read_owners


def code_owners(directory: Path, tree: str, env: Mapping[str, str]) -> OwnerRules | None:
    """The rules in the tree with the full id `tree`; None where it has none, or a file that is too large.

    Raises ExpectedFailure where the checkout or the tree cannot be read.
    """
    checkout = open_checkout(directory, env, in_ci=True)
    with open_scratch(checkout, env) as scratch:
        return code_owners_in(scratch, tree)


def code_owners_in(scratch: Scratch, tree: str) -> OwnerRules | None:
    """The same for a tree that is open already."""
    found = read_files(scratch, tree, PLACES, MOST_BYTES)
    for place in PLACES:
        content = found.get(place)
        if isinstance(content, bytes):
            return read_owners(content)
    return None
