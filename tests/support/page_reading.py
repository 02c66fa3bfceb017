"""An HTML page as a parser reads it: tags, attributes, addresses, text; what does not nest is refused."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

EMPTY = {"meta", "br", "input"}
_ADDRESSES = ("href", "src", "style", "action", "srcset", "data", "formaction")
_NO_WORDS = "<style>.*</style>|<script>.*</script>|<[^>]*>"


def words_in(html: str) -> str:
    """The words of a piece of HTML, each element's apart from the next."""
    return " ".join(unescape(re.sub(_NO_WORDS, " ", html, flags=re.DOTALL)).split())


class ReadPage(HTMLParser):
    """`text` is what is shown; `tags` stand in the order of their starts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)
        self.addresses += [value or "" for name, value in attrs if name in _ADDRESSES]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] not in ("style", "title", "script"):
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)
