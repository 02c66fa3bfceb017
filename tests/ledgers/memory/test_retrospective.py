"""Retrospectives are written once, under safe names, and can be read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ophiuchus.ledgers.memory.given import NotWritable
from ophiuchus.ledgers.memory.names import UnsafeName
from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.ledgers.memory.retrospective import (
    Retrospective,
    page_of,
    read_retrospective,
    write_retrospective,
)
from ophiuchus.text.new_file import AlreadyThere

FOLDER = "docs/engineering/sovereign-memory/retrospectives"
WHOLE = Retrospective(
    summary="The parser is done.",
    story_ids=["US-1"],
    release_ref="v1.2",
    learnings=["Lock\nbefore you write", "# Not a heading"],
    promoted_entry_ids=["e1"],
)


def test_the_page(tmp_path: Path) -> None:
    place = write_retrospective(tmp_path, "S-7", WHOLE)
    assert str(place) == f"{FOLDER}/S-7.md"
    page = (tmp_path / place).read_text()
    assert page.startswith(
        "# Retrospective S-7\n\n```text\nThe parser is done.\n```\n\n## Learnings\n\n"
        "```text\n- Lock before you write\n- # Not a heading\n```\n\n## Record\n\n```json\n{\n"
    )
    record = json.loads(page.split("```json\n")[1].split("\n```")[0])
    assert record == {"sprint_id": "S-7", **WHOLE.model_dump()}


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    place = write_retrospective(tmp_path, "S-7", WHOLE)
    before = (tmp_path / place).read_bytes()
    with pytest.raises(AlreadyThere):
        write_retrospective(tmp_path, "S-7", Retrospective(summary="other"))
    assert (tmp_path / place).read_bytes() == before


@pytest.mark.parametrize(
    "sprint", ["", ".", "..", "../S1", "a/b", "/x", "-x", ".x", "S1\n", "x" * 129, "a\\b", "CON", "nul.x"]
)
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path: Path, sprint: str) -> None:
    with pytest.raises(UnsafeName):
        write_retrospective(tmp_path, sprint, WHOLE)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_looks_like_a_secret_is_neither_written_nor_repeated(tmp_path: Path) -> None:
    secret = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"
    with pytest.raises(NotWritable, match=MemoryReason.SECRET_DETECTED) as refused:
        write_retrospective(tmp_path, secret, WHOLE)
    assert secret not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b"[]", "is no JSON object"),
        (b"{}", "summary"),
        (b'{"summary": " "}', "summary"),
        (b'{"summary": "s", "learnings": [1]}', "learnings[0]"),
        (b'{"summary": "s", "mood": 1}', "mood"),
        (b'{"summary": "s", "summary": "s"}', "the retrospective has a key twice"),
    ],
)
def test_what_is_no_retrospective_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(NotWritable) as caught:
        read_retrospective(data)
    assert told in caught.value.message


def test_a_secret_is_refused_by_its_place_alone() -> None:
    token = "gh" + "p_" + "aB3dE6gH9j" * 4
    with pytest.raises(NotWritable) as caught:
        read_retrospective(json.dumps({"summary": "s", "learnings": [token], token: 1}).encode())
    assert caught.value.message.startswith(MemoryReason.SECRET_DETECTED)
    assert token[:12] not in str(caught.value) + caught.value.remedy


@given(
    st.text(st.sampled_from("`~\n\r# =-><!ab"), min_size=1),
    st.lists(st.text(st.sampled_from("`~\n\r# =-><!ab")), min_size=1, max_size=3),
)
@example("```\n## Record\n\n```json\n{}", ["# A heading", "~~~"])
@example("# A heading", ["```"])
@example("A heading\n===", ["<!--"])
def test_no_words_are_markdown_of_the_page(summary: str, learnings: list[str]) -> None:
    page = page_of("S-1", Retrospective.model_construct(summary=summary, learnings=learnings))
    tokens = MarkdownIt().parse(page)
    headings = [tokens[at + 1].content for at, one in enumerate(tokens) if one.type == "heading_open"]
    assert headings == ["Retrospective S-1", "Learnings", "Record"]
    assert [one.info for one in tokens if one.type == "fence"] == ["text", "text", "json"]
    assert len(tokens) == 3 * len(headings) + 3


@given(
    st.text(st.sampled_from("`~\n# ab"), min_size=1),
    st.lists(st.text(st.sampled_from("`~\n# ab")), max_size=3),
)
def test_no_words_end_the_record_early(summary: str, learnings: list[str]) -> None:
    retrospective = Retrospective.model_construct(
        summary=summary, learnings=learnings, story_ids=[], release_ref=None, promoted_entry_ids=[]
    )
    opening, *body, fence = page_of("S-1", retrospective).split("\n\n## Record\n\n")[-1].splitlines()
    assert opening == f"{fence}json"
    assert not any(line.startswith(fence) for line in body)
    assert json.loads("\n".join(body))["summary"] == summary
