"""The site has every page in its navigation, under a name, and nothing of it comes from anywhere else.

That its links and anchors lead somewhere is for `make site` to say: mkdocs checks them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

PROJECT = Path(__file__).parents[2]
DOCS = PROJECT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((PROJECT / "mkdocs.yml").read_text("utf-8"))
    return found


def entries(nav: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for entry in nav:
        for name, target in entry.items():
            if isinstance(target, str):
                yield name, target
            else:
                yield from entries(target)


def test_every_page_is_in_the_navigation_once(config: dict[str, Any]) -> None:
    targets = [target for _, target in entries(config["nav"])]
    assert sorted(targets) == [page.relative_to(DOCS).as_posix() for page in PAGES]


def test_no_two_pages_have_one_name(config: dict[str, Any]) -> None:
    names = [name for name, _ in entries(config["nav"]) if name != "GitHub"]
    assert len(names) == len(set(names))


def test_what_would_be_fetched_from_elsewhere_is_switched_off(config: dict[str, Any]) -> None:
    # The two themes that come with mkdocs bring their own fonts; of all they use, only this is not with them.
    assert config["theme"]["name"] in ("readthedocs", "mkdocs")
    assert config["theme"]["highlightjs"] is False
    assert not {"extra_css", "extra_javascript", "repo_url"} & set(config)


def test_what_leads_nowhere_is_a_warning_and_so_an_error(config: dict[str, Any]) -> None:
    for checks in config["validation"].values():
        assert set(checks.values()) == {"warn"}
    assert "mkdocs build --quiet --strict" in (PROJECT / "Makefile").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_list_stands_apart_and_is_not_nested_by_two_blanks(page: Path) -> None:
    """What GitHub takes for a list and Python-Markdown for words of the paragraph above."""
    lines = page.read_text("utf-8").splitlines()
    for token in MarkdownIt("commonmark").enable("table").parse("\n".join(lines)):
        if token.type in ("bullet_list_open", "ordered_list_open") and token.map:
            first = token.map[0]
            is_apart = (
                first == 0 or not lines[first - 1].strip() or lines[first - 1].startswith(("#", "<!--"))
            )
            assert is_apart, f"{page.name}:{first + 1}"
            indent = len(re.match(r" *", lines[first])[0])  # type: ignore[index]
            assert indent % 4 == 0, f"{page.name}:{first + 1}"
