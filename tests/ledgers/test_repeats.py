"""No id that stands twice is missed, and none that stands once is told."""

from __future__ import annotations

import io
import json
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.ledgers.jsonl import rows_in
from ophiuchus.ledgers.repeats import MOST_SUSPECTS, Repeat, SeenIds, settle


def repeats(lines: list[str]) -> list[Repeat]:
    data = "".join(f"{line}\n" for line in lines).encode()
    seen = SeenIds()
    for row in rows_in(io.BytesIO(data)):
        seen.add(str(row.value["id"]))
    return list(settle(rows_in(io.BytesIO(data)), "id", seen.suspects))


def test_the_same_in_another_spelling_is_the_same() -> None:
    lines = ['{"id":"a","n":1}', '{"n": 1, "id": "\\u0061"}', '{"id":"a","n":1.0}', '{"id":"a","n":true}']
    assert [one.same for one in repeats(lines)] == [True, False, False]


def test_each_later_row_is_told_with_the_first() -> None:
    lines = ['{"id":"a"}', '{"id":"b"}', '{"id":"a","n":1}', '{"id": 7}', '{"id":"a"}']
    assert repeats(lines) == [Repeat(1, 3, same=False), Repeat(1, 5, same=True)]


@given(st.lists(st.sampled_from(["a", "b", "é", ""]) | st.text(max_size=2)))
def test_what_a_dictionary_finds_is_found(ids: list[str]) -> None:
    found = repeats([json.dumps({"id": one}) for one in ids])
    assert [(one.first, one.again) for one in found] == [
        (ids.index(one) + 1, number) for number, one in enumerate(ids, 1) if ids.index(one) + 1 != number
    ]


def test_a_hundred_thousand_ids_take_no_more_memory_than_ten_and_raise_hardly_a_suspect() -> None:
    seen = SeenIds()
    tracemalloc.start()
    try:
        for number in range(100_000):
            seen.add(f"finding-{number}")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000
    assert len(seen.suspects) < 5


def test_suspects_are_bounded() -> None:
    seen = SeenIds()
    for number in [*range(2 * MOST_SUSPECTS)] * 2:
        seen.add(str(number))
    assert len(seen.suspects) == MOST_SUSPECTS
