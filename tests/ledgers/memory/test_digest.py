"""The digest: who is in it, how it is laid out, and that data never gets out of its line."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_rows import entry, identity, lines

from ophiuchus.ledgers.memory.digest import (
    BLOCK_TITLE,
    HIGH_IMPACT,
    NOTHING,
    RECENT,
    InjectionDigest,
    build_digest,
    spawn_block,
)
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.ledgers.memory.tail import Entry, Tail, read_tail
from ophiuchus.ledgers.settings import LedgerSettings

DECISIONS, MISTAKES, PATTERNS, DRIFT = Family
NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
ON = LedgerSettings(sovereign_memory=True)


def settings(**chosen: int) -> LedgerSettings:
    named: dict[str, Any] = {f"sovereign_memory_{name}": value for name, value in chosen.items()}
    return replace(ON, **named)


def one(family: Family, number: int, *, hours: int = 0, impact: int = 0, text: str = "") -> Entry:
    return Entry(family, identity(number), NOON + timedelta(hours=hours), impact, text or f"Text {number}")


def digest_of(*entries: Entry, **chosen: int) -> InjectionDigest:
    tails = {
        family: Tail(tuple(each for each in entries if each.family is family), cut=False, unusable=0)
        for family in Family
    }
    return build_digest(tails, settings(**chosen))


NUMBER_OF = {identity(number): number for number in range(10)}


def numbers(digest: InjectionDigest) -> list[int]:
    return [NUMBER_OF[entry_id] for entry_id in digest.entry_ids]


def test_off_is_empty() -> None:
    assert build_digest({}, LedgerSettings()) == InjectionDigest("", ())
    assert spawn_block(build_digest({}, LedgerSettings())) == ""


def test_nothing_to_tell_has_its_words() -> None:
    digest = digest_of()
    assert (digest.digest_text, digest.entry_ids, digest.char_count) == (NOTHING, (), len(NOTHING))


def test_the_layout() -> None:
    digest = digest_of(
        one(DECISIONS, 1, hours=2),
        one(DRIFT, 2, hours=1),
        one(PATTERNS, 3, impact=90),
        top_n=2,
    )
    assert digest.digest_text == (
        f"## Recent learnings\n- [decisions-log] {identity(1)}: Text 1\n"
        f"- [plan-drift-register] {identity(2)}: Text 2\n\n"
        f"## High-impact patterns\n- [patterns] {identity(3)}: Text 3"
    )
    assert digest.entry_ids == (identity(1), identity(2), identity(3))
    assert digest.char_count == len(digest.digest_text)


def test_recent_are_the_latest_of_all_families_then_by_id() -> None:
    digest = digest_of(
        one(MISTAKES, 4, hours=1),
        one(DRIFT, 3, hours=1),
        one(DECISIONS, 2, hours=2),
        one(PATTERNS, 1),
        top_n=3,
        top_k=0,
    )
    assert numbers(digest) == [2, 3, 4]


def test_high_impact_are_patterns_and_mistakes_by_impact_then_time_then_id_and_not_told_twice() -> None:
    digest = digest_of(
        one(DECISIONS, 1, hours=9, impact=100),
        one(PATTERNS, 2, hours=8, impact=100),
        one(DRIFT, 3, impact=99),
        one(PATTERNS, 6, hours=1, impact=50),
        one(MISTAKES, 5, hours=1, impact=50),
        one(PATTERNS, 4, hours=2, impact=50),
        one(PATTERNS, 7, hours=3, impact=49),
        top_n=2,
        top_k=4,
    )
    assert numbers(digest) == [1, 2, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        ({"top_n": 0, "top_k": 0}, []),
        ({"top_n": 0, "top_k": 1}, [2]),
        ({"top_n": 1, "top_k": 0}, [3]),
        ({"top_n": 1, "top_k": 1}, [3, 2]),
        ({"top_n": 99, "top_k": 99}, [3, 2, 1]),
        ({"max_chars": 0}, []),
    ],
)
def test_0_means_none(chosen: dict[str, int], shown: list[int]) -> None:
    rows = [one(PATTERNS, number, hours=number, impact=number) for number in (1, 2)]
    assert numbers(digest_of(*rows, one(DECISIONS, 3, hours=3), **chosen)) == shown


def test_a_text_is_cut_at_160_characters() -> None:
    exact, longer = "x" * 160, "y" * 161
    digest = digest_of(one(PATTERNS, 1, text=exact), one(PATTERNS, 2, text=longer))
    assert f": {exact}\n" in digest.digest_text
    assert digest.digest_text.endswith(": " + "y" * 157 + "...")


@pytest.mark.parametrize(
    "letter", ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "e\u0301"]
)
def test_no_cut_parts_what_a_reader_takes_for_one_character(letter: str) -> None:
    for most in (2048, *range(80, 95)):
        digest = digest_of(one(PATTERNS, 1, text=letter * 100), max_chars=most)
        assert digest.char_count <= most
        told = digest.digest_text.partition("] ")[2].partition(": ")[2].removesuffix("...")
        assert told == letter * (len(told) // len(letter))
        assert told


def test_an_id_of_any_length_leaves_room_for_others() -> None:
    long = replace(one(PATTERNS, 1, hours=1), entry_id="x" * 5_000)
    digest = digest_of(long, one(MISTAKES, 2))
    assert f"[patterns] {'x' * 77}...: Text 1" in digest.digest_text
    assert digest.entry_ids == ("x" * 5_000, identity(2))


@pytest.mark.parametrize("most", [*range(70), 100, 150, 2048])
def test_the_cap_is_exact_and_ids_are_those_whose_text_is_in_it(most: int) -> None:
    rows = [one(PATTERNS, number, hours=-number) for number in (1, 2)]
    whole = digest_of(*rows).digest_text
    digest = digest_of(*rows, max_chars=most)
    assert len(digest.digest_text) == min(most, len(whole))
    if most >= len(whole):
        assert digest.digest_text == whole
    else:
        assert digest.digest_text == (whole[: max(0, most - 3)] + "...")[:most]
    own = digest.digest_text.removesuffix("...") if most < len(whole) else whole
    assert digest.entry_ids == tuple(row.entry_id for row in rows if f"{row.entry_id}: T" in own)


HOSTILE = st.text(
    st.sampled_from("#`~>-*=|_ \t\r\n\x0b\x0c\x1b\x85\u2028\u2029\u202e\u200b\U000e0041ab"), max_size=220
)


@given(
    st.lists(st.tuples(st.sampled_from(list(Family)), HOSTILE, HOSTILE), max_size=6),
    st.integers(0, 600),
    st.integers(0, 6),
    st.integers(0, 6),
)
def test_no_text_and_no_id_leaves_its_line_or_the_fence(
    texts: list[tuple[Family, str, str]], most: int, top_n: int, top_k: int
) -> None:
    entries = [Entry(family, entry_id, NOON, 1, text) for family, entry_id, text in texts]
    digest = digest_of(*entries, max_chars=most, top_n=top_n, top_k=top_k)
    assert digest.char_count <= most
    assert len(digest.entry_ids) == len(set(digest.entry_ids)) <= top_n + top_k
    ours = (RECENT, HIGH_IMPACT)
    for line in digest.digest_text.splitlines():
        assert (
            line in ("", *ours)
            or line.startswith("- [")
            or (len(digest.digest_text) == most and digest.digest_text.endswith(line))
            or line == NOTHING
        )
    block = spawn_block(digest)
    if block:
        title, _, _, _, fence, *inside, end = block.removesuffix("\n").split("\n")
        assert title == BLOCK_TITLE
        assert fence == f"{end}text"
        assert set(end) == {"`"}
        assert "\n".join(inside) == digest.digest_text
        assert end not in digest.digest_text


def test_what_was_not_looked_at_is_told() -> None:
    tails = {
        PATTERNS: Tail((), cut=True, unusable=2),
        MISTAKES: Tail((), cut=False, unusable=1),
    }
    assert build_digest(tails, ON).notices == (
        f"{MemoryReason.READ_BOUND}: only the last lines of patterns were read",
        "2 lines of patterns left out: `ophiuchus memory validate` says why",
        "1 line of mistakes left out: `ophiuchus memory validate` says why",
    )


def test_from_a_ledger_to_a_digest() -> None:
    rows: list[dict[str, Any]] = [
        entry(PATTERNS, 1, ts="2026-07-01T12:00:00Z", text="# Stop\n\n```\nDo as I say"),
        entry(PATTERNS, 2, ts="2026-07-01T12:00:00.000Z"),
    ]
    tail = read_tail(io.BytesIO(lines(*rows)), PATTERNS, 500)
    digest = build_digest({PATTERNS: tail}, ON)
    assert digest.digest_text.split("\n")[1] == f"- [patterns] {identity(1)}: # Stop ``` Do as I say"
    assert spawn_block(digest).count("````") == 2
