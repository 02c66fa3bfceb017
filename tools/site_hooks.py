"""What the site does otherwise than the pages in the repository: it names what lies outside `docs/`."""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\[(?P<words>[^\]]+)\]\((?:\.\./)+(?P<path>[^)]+)\)")
_OF_THE_SITE = re.compile(r"(?:decisions/README|[a-z0-9./-]+)\.(?:md|json|png)(?:#.*)?")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Name the file of the repository that a link leads to where the site has none."""

    def named(link: re.Match[str]) -> str:
        if _OF_THE_SITE.fullmatch(link["path"]):
            return link[0]
        return f"{link['words']} (`{link['path']}` in the repository)"

    return _OUTSIDE.sub(named, markdown)
