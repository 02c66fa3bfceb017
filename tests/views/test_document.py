"""The document keeps its own shape, whoever composes it."""

from __future__ import annotations

import pytest

from ophiuchus.views.document import Document, Link, NotATarget, Paragraph, Part, Table, Text, Tone


@pytest.mark.parametrize(
    "target",
    [
        "https://github.com/octo/shop/actions/runs/7",
        "https://ghes.example:8443/x/y-z_~.%20",
        "https://site.example/browse/OPH-7?focusedCommentId=10",
        "https://github.com/o/r/issues/7#issuecomment-99",
        "http://127.0.0.1:8080/a",
        "http://localhost/a",
        "http://[::1]:9/a",
    ],
)
def test_a_link_leads_to_an_address_we_would_build(target: str) -> None:
    assert Link("there", target).target == target


@pytest.mark.parametrize(
    "target",
    [
        "",
        "javascript:alert(1)",
        "http://example.org/",
        "http://127.0.0.1.example.org/",
        "http://localhost.example.org/",
        "https://user@example.org/",
        "https://-x/",
        "https://example.org/a b",
        "https://example.org/a)b",
        'https://example.org/"',
        "https://example.org/<b>",
        "https://example.org/\n",
        "https://example.org/é",
        "https://example.org/a\\b",
        "https://example.org/a|b",
        "https://example.org/@octocat",
        "//example.org/",
        "data:text/html,x",
    ],
)
def test_a_link_leads_nowhere_else(target: str) -> None:
    with pytest.raises(NotATarget):
        Link("there", target)


def test_a_row_has_as_many_cells_as_the_head() -> None:
    with pytest.raises(ValueError, match="cells"):
        Table(("a", "b"), (((Text("1"),), (Text("2"),)), ((Text("1"),),)))


def test_every_tone_has_its_own_sign() -> None:
    assert len({tone.sign for tone in Tone}) == len(Tone)


def test_what_lasts_leaves_time_and_run_out() -> None:
    parts = (Part("said", 0, (Paragraph((Text("a"),)),)),)
    document = Document(parts, (Paragraph((Text("now"),)),))
    assert document.lasting() == Document(parts)
    assert document.blocks == (Paragraph((Text("a"),)), Paragraph((Text("now"),)))
