"""The Markdown we send, read by a parser that we did not write and that knows references and mentions."""

from __future__ import annotations

import pytest
from gfm_readings import Judge, meant
from hostile_documents import documents
from hypothesis import HealthCheck, given, settings

from ophiuchus.views.budget import Budget, utf16_units
from ophiuchus.views.document import Code, Document, Link, Paragraph, Part, Quote, Table, Text
from ophiuchus.views.render.gfm import render_gfm

pytestmark = pytest.mark.node

one_process = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)


def shown(text: str) -> Document:
    """The text at each place where a composer can put data."""
    line = (Text(text),)
    return Document(
        (Part("all", 0, (Paragraph(line), Quote(text), Table((text,), ((line,), ((Code(text),),))))),)
    )


def test_the_judge_sees_what_is_live(judge: Judge) -> None:
    found = judge.read(
        "@octocat #1 GH-2 a5c3785 octo/x#3 https://x.y www.x.y me@x.y ![p](q) ~~s~~ [^1]\n\n[^1]: z\n"
    )
    assert [label for label, _ in found.links] == [
        "@octocat", "#1", "GH-2", "a5c3785", "octo/x#3", "https://x.y", "www.x.y", "me@x.y",
    ]  # fmt: skip
    assert [kind for kind, _ in found.live] == ["image", "delete", "footnoteReference", "footnoteDefinition"]


@pytest.mark.parametrize(
    "text",
    [
        "Ask @example-user and @example-org/example-team",
        "[@example-user] reviewed; (@example-user), @example-user.",
        "@Example-User\n@example-org/Example-Team",
        "cc:@example-user",
    ],
)
def test_no_handle_is_live(judge: Judge, text: str) -> None:
    """C002."""
    assert judge.read(render_gfm(shown(text))) == meant(shown(text).blocks)


@pytest.mark.parametrize(
    "text",
    [
        (
            "see example-org/example#7, GH-9, https://github.com/example-org/example/pull/8#issuecomment-1 "
            "and [x][1]\n\n[1]: https://github.com/example-org/example/issues/9"
        ),
        "commit example-org/example@0123456789abcdef0123456789abcdef01234567",
        "example-user@0123456 0123456789abcdef0123456789abcdef01234567 closes #7, Fixes: GH-9",
        "ABCDEF0-3 ABCDEF012-34 ABCDEFAB-3 ABCDEF0GH-3 ABCDEF0_1-2",
        "https\\://github.com/o/r/issues/5 GH\\-34 <https://github.com/o/r/issues/5> www\\.example.org",
    ],
)
def test_no_reference_is_live(judge: Judge, text: str) -> None:
    """C035."""
    assert judge.read(render_gfm(shown(text))) == meant(shown(text).blocks)


@pytest.mark.parametrize("is_name", [False, True])
def test_a_link_of_ours_is_the_only_link(judge: Judge, is_name: bool) -> None:
    run = Link("run @7 [x](y)", "https://github.com/octo/shop/actions/runs/7", is_name)
    line = (Text("see "), run, Text(" #1"))
    found = judge.read(render_gfm(Document((), (Paragraph(line),))))
    assert found == meant([Paragraph(line)])
    assert found.links == [["run @7 [x](y)", "https://github.com/octo/shop/actions/runs/7"]]


@given(documents)
@one_process
def test_the_judge_finds_what_was_said_and_nothing_live(judge: Judge, document: Document) -> None:
    assert judge.read(render_gfm(document)) == meant(document.blocks)


@given(documents)
@one_process
def test_the_judge_finds_nothing_live_in_what_was_shortened(judge: Judge, document: Document) -> None:
    assert not judge.read(render_gfm(document, budget=Budget(120, utf16_units))).live
