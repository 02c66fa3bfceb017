"""Every link in our pages leads somewhere: to a file of the project, and to a heading where it names one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

PROJECT = Path(__file__).parents[2]
PAGES = sorted(
    [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md"), *(PROJECT / "examples").rglob("*.md")]
)


def tokens(page: Path) -> Iterator[Token]:
    for block in MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8")):
        yield block
        yield from block.children or ()


def targets(page: Path) -> list[str]:
    found = [token.attrGet("href") or token.attrGet("src") for token in tokens(page)]
    return [str(target) for target in found if target]


def headings(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    found = list(tokens(page))
    texts = [after.content for token, after in pairwise(found) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in texts}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in targets(page):
        parts = urlsplit(target)
        if parts.scheme:
            assert parts.scheme == "https", f"{page}: {target}"
            continue
        file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        assert file.is_relative_to(PROJECT), f"{page}: {target} leads outside"
        assert file.is_file(), f"{page}: {target} leads nowhere"
        if parts.fragment:
            assert parts.fragment in headings(file), f"{page}: {target} names no heading"


def test_every_page_of_the_documentation_is_reached_from_its_start() -> None:
    start = PROJECT / "docs" / "index.md"
    reached, waiting = set[Path](), [start]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        waiting += [
            (page.parent / urlsplit(target).path).resolve()
            for target in targets(page)
            if not urlsplit(target).scheme and urlsplit(target).path.endswith(".md")
        ]
    assert set((PROJECT / "docs").rglob("*.md")) <= reached


def test_no_page_names_a_place_of_somebodys_machine() -> None:
    for page in PAGES:
        assert not re.search(r"/(?:home|work|Users|tmp)/", page.read_text("utf-8")), page
