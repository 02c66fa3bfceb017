"""What a message's HTML is to a parser: its words, its tags, its links, and what a client would act on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

_WITHOUT_END = {"br"}
_ACTS = re.compile(r"@[a-z0-9]|https?:/|\bwww\.|mailto:|:[\w+-]+:", re.IGNORECASE)


@dataclass
class Reading:
    """`shown` is the text with a newline for each `br`, `forms` each tag with the text in it, in order of its
    start; `wrong` is whatever is not ours: attributes, comments, declarations, tags that do not pair."""

    shown: str = ""
    forms: list[list[str]] = field(default_factory=list)
    links: list[list[str]] = field(default_factory=list)
    live: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def read_html(html: str) -> Reading:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.found.wrong += [tag for tag, _ in reader.opened]
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found = Reading()
        self.opened: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and len(attrs) == 1 and attrs[0][0] == "href":
            self.found.links.append(["", attrs[0][1] or ""])
        elif attrs:
            self.found.wrong.append(f"{tag} with {attrs}")
        if tag in _WITHOUT_END:
            self.handle_data("\n")
        else:
            form = [tag, ""]
            self.found.forms.append(form)
            self.opened.append((tag, form))

    def handle_endtag(self, tag: str) -> None:
        if not self.opened or self.opened.pop()[0] != tag:
            self.found.wrong.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.found.shown += data
        for _, form in self.opened:
            form[1] += data
        tags = {tag for tag, _ in self.opened}
        if "a" in tags:
            self.found.links[-1][0] += data
        if not tags & {"code", "pre"}:
            self.found.live += _ACTS.findall(data)

    def handle_comment(self, data: str) -> None:
        self.found.wrong.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.found.wrong.append(f"declaration {decl}")

    def unknown_decl(self, data: str) -> None:
        self.found.wrong.append(f"declaration {data}")

    def handle_pi(self, data: str) -> None:
        self.found.wrong.append(f"instruction {data}")
