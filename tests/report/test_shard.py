"""Shards are a partition of the shelf, whatever is on it and however many they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from command_run import capsule
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.capsule.shelf import build_shelf
from ophiuchus.git.objects import TreeEntry
from ophiuchus.report.shard import MOST_SHARDS, WHOLE, NotAShard, Shard, parse_shard, part_of
from ophiuchus.text.problem import Notice, NoticeCode

sizes = st.integers(1, MOST_SHARDS)


@pytest.mark.parametrize(("text", "number", "of"), [("1/1", 1, 1), ("3/8", 3, 8), ("256/256", 256, 256)])
def test_a_shard_is_read_and_written_alike(text: str, number: int, of: int) -> None:
    assert parse_shard(text) == Shard(number, of)
    assert str(parse_shard(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "1", "0/4", "5/4", "1/0", "-1/4", "1/257", "01/4", " 1/4", "1/4\n", "\u0661/\u0664", "1/4/2"],
)  # fmt: skip
def test_what_names_no_shard_is_refused_with_its_form(text: str) -> None:
    with pytest.raises(NotAShard, match="names no shard") as refused:
        parse_shard(text)
    assert "I/N" in refused.value.remedy


@given(st.text(), sizes)
def test_every_name_is_in_exactly_one_shard(name: str, of: int) -> None:
    assert [Shard(number, of).holds(name) for number in range(1, of + 1)].count(True) == 1


@given(st.text("abcDEF-._", min_size=1), sizes)
def test_ids_that_differ_in_case_alone_are_in_one_shard(name: str, of: int) -> None:
    assert all(
        Shard(number, of).holds(name.upper()) == Shard(number, of).holds(name.lower())
        for number in range(1, of + 1)
    )


def test_where_a_capsule_is_stays_the_same_over_versions() -> None:
    """Reports of two versions are merged. Reckoned apart, with sha256sum."""
    placed = [next(n for n in (1, 2, 3) if Shard(n, 3).holds(f"cap-{one}")) for one in range(1, 7)]
    assert placed == [3, 3, 1, 3, 3, 2]


def test_shards_are_about_equal() -> None:
    counts = Counter(
        number for id_ in range(4_000) for number in range(1, 9) if Shard(number, 8).holds(f"cap-{id_}")
    )
    assert min(counts.values()) > 400
    assert max(counts.values()) < 600


files = st.dictionaries(
    st.sampled_from([f".ophiuchus/{name}.json" for name in "abcdefgh"]),
    st.sampled_from([capsule(one, surprise=1) for one in ("x", "X", "y", "z")] + ["{", "[]", "\ufeff{}"]),
)


@given(files, st.integers(1, 5))
def test_over_all_shards_everything_is_told_once(files: dict[str, str], of: int) -> None:
    shelf = build_shelf(
        (TreeEntry(b"100644", "0" * 40, path.encode()), text.encode()) for path, text in sorted(files.items())
    )
    parts = [part_of(shelf, Shard(number, of)) for number in range(1, of + 1)]
    for whole, told in (
        (shelf.capsules, [one for part in parts for one in part.capsules]),
        (shelf.problems, [one for part in parts for one in part.problems]),
        (shelf.notices, [one for part in parts for one in part.notices]),
    ):
        assert sorted(map(repr, told)) == sorted(map(repr, whole))
    assert part_of(shelf, WHOLE).capsules == shelf.capsules


def test_two_with_one_id_are_told_side_by_side() -> None:
    shelf = build_shelf(
        (TreeEntry(b"100644", "0" * 40, path), capsule(one).encode())
        for path, one in ((b"a.json", "same"), (b"b.json", "SAME"))
    )
    parts = [part_of(shelf, Shard(number, 7)) for number in range(1, 8)]
    assert sorted(len(part.problems) for part in parts) == [0] * 6 + [2]


def test_what_concerns_the_run_is_told_in_the_first_shard() -> None:
    shelf = replace(build_shelf([]), notices=(Notice("", NoticeCode.NO_CAPSULES, "none"),))
    assert [len(part_of(shelf, Shard(number, 3)).notices) for number in (1, 2, 3)] == [1, 0, 0]
