"""A repository's name on the server: `owner/name`, the one accepted form."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}/(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}", re.ASCII)


def repository_name(text: object) -> str | None:
    """`text` when it names a repository, else None. Managed users' names may hold an underscore."""
    return text if isinstance(text, str) and _NAME.fullmatch(text) else None
