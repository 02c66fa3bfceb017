"""Only `owner/name` is a repository's name: it goes into addresses."""

from __future__ import annotations

import pytest

from ophiuchus.text.repository import repository_name


@pytest.mark.parametrize("name", ["o/r", "octo-org/my.repo", "name_company/x", "o/.github", "o/a..b"])
def test_names_that_the_server_gives_are_taken(name: str) -> None:
    assert repository_name(name) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "o",
        "o/",
        "/r",
        "o/..",
        "o/.",
        "../r",
        "o/r/x",
        "o/r\n",
        "o/r?x",
        "o /r",
        "-/",
        "ö/r",
        None,
        3,
        ["o/r"],
    ],
)
def test_anything_else_is_none(text: object) -> None:
    assert repository_name(text) is None
