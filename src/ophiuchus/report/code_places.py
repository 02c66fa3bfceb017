"""The places of code that a text names as `folder/file.ending:LINE`: how critics cite what they found.

A finding has no field for them, so the text is all there is, and it is untrusted. Only the plainest form is
taken: a relative path that cannot leave the repository, with a folder, an ending and a line. A name without a
folder may be that of many files; what stands behind a scheme, a drive, a host or a root is no file here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_PLACES = 5
"""Most places that are taken from one text."""

# No part is `.` or `..`, and a path begins where nothing goes before it that it could be the rest of.
_FOLDER = r"\.?[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}/"
_FILE = r"\.?[A-Za-z0-9_](?:[A-Za-z0-9_.+-]{0,99}[A-Za-z0-9_+-])?\.[A-Za-z][A-Za-z0-9]{0,9}"
_PLACE = re.compile(
    rf"(?<![\w./\\:@%~+?#=&-])(?P<path>(?:{_FOLDER}){{1,15}}{_FILE}):(?P<line>[1-9][0-9]{{0,6}})(?![\w/\\@%])"
)


class CodePlace(NamedTuple):
    """A line of a file, by its path relative to the repository's root."""

    path: str
    line: int


def code_places(text: str) -> tuple[CodePlace, ...]:
    """The first places that a text names, each once, in its order."""
    found: dict[CodePlace, None] = {}
    for named in _PLACE.finditer(text):
        if not named["path"].casefold().startswith(".git/"):
            found[CodePlace(named["path"], int(named["line"]))] = None
        if len(found) == MOST_PLACES:
            break
    return tuple(found)
