"""A quotation: one fence, whatever is in it, of a bounded size."""

from __future__ import annotations

import json

import pytest
from hostile_capsules import pieces
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ophiuchus.assess.fidelity import Extent
from ophiuchus.capsule.model import GitPaths, NegativeKnowledge
from ophiuchus.text.clean import clean
from ophiuchus.views.quotation import FENCE_CHARACTERS, quote, quote_all

_READER = MarkdownIt("commonmark", {"html": True})


def only_fence(markdown: str) -> Token:
    (token,) = _READER.parse(markdown)
    assert token.type == "fence"
    return token


@given(st.lists(pieces, max_size=8).map("".join))
@example("```")
@example("\n```\n# x")
@example("~~~")
@example("")
def test_nothing_closes_a_quotation_from_inside(text: str) -> None:
    fence = only_fence(f"{quote('sender goal', text).text}")
    assert fence.info == "text sender goal"
    assert fence.content == f"{clean(text)}\n"


@given(st.lists(pieces, max_size=8).map("".join))
def test_a_part_comes_back_as_it_was_written(text: str) -> None:
    part = NegativeKnowledge.model_construct(item_id="k", hypothesis=text, why_invalid="w")
    fence = only_fence(quote("sender negative_knowledge[0]", part).text)
    assert json.loads(fence.content)["hypothesis"] == clean(text)


@pytest.mark.parametrize(
    ("text", "extent"),
    [
        ("plain\n", Extent.WHOLE),
        ("", Extent.WHOLE),
        ("a\x1bb", Extent.PART),
        ("a\r\nb", Extent.PART),
        ("a\u200bb", Extent.PART),
        ("\u200b", Extent.NONE),
        ("x" * FENCE_CHARACTERS, Extent.PART),
    ],
)
def test_only_what_comes_back_exactly_is_whole(text: str, extent: Extent) -> None:
    assert quote("sender goal", text).extent is extent


@pytest.mark.parametrize("letter", ["x", "`", "~", "`\n", "```\n", " `", "\x00", "漢"])
@pytest.mark.parametrize("number", [100, 6_400, 6_500, 100_000])
def test_a_quotation_is_never_larger_than_it_may_be(letter: str, number: int) -> None:
    quoted = quote("sender constraints[123456]", letter * number)
    assert len(quoted.text) <= FENCE_CHARACTERS
    if "The first" in quoted.text:
        note, fence = quoted.text.split("\n\n", 1)
        assert quoted.extent is Extent.PART
        shown = only_fence(fence).content.removesuffix("\n")
        assert note == f"The first {len(shown):,} of {len(clean(letter * number)):,} characters:"
        assert clean(letter * number).startswith(shown)
        assert len(shown) > FENCE_CHARACTERS // 4


def test_keys_that_nobody_knows_and_anchors_are_left_out() -> None:
    condition = GitPaths.model_validate(
        {"condition_id": "v", "kind": "git_paths", "paths": ["a"], "anchors": {"a": "sha256:00"}, "x": 1}
    )
    quoted = quote("sender validity[0]", condition)
    assert quoted.extent is Extent.WHOLE
    assert json.loads(only_fence(quoted.text).content) == {
        "condition_id": "v", "required": True, "kind": "git_paths", "paths": ["a"],
    }  # fmt: skip


def test_several_parts_are_one_list() -> None:
    parts = [NegativeKnowledge(item_id=name, hypothesis="h", why_invalid="w") for name in "ab"]
    listed = json.loads(only_fence(quote_all("sender critical", parts, 2_000)).content)
    assert [one["item_id"] for one in listed] == ["a", "b"]
    assert len(quote_all("sender critical", parts * 50, 2_000)) <= 2_000
