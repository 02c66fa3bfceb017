"""Rows that a change took out or rewrote are found; statuses move and rows go to the archive freely."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.ledgers.append_only import Loss, LostLine, lost_rows
from ophiuchus.ledgers.jsonl import Row, rows_in


def ledger(*lines: str) -> Iterator[Row]:
    return rows_in(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))


def lost(before: Iterable[Row], *after: Iterable[Row]) -> list[LostLine]:
    return list(lost_rows(before, chain(*after), "id"))


A, B, C = '{"id":"a","n":1}', '{"id":"b","n":2}', '{"id":"c","n":3}'


def test_c056_a_removed_line_is_told_where_it_stood() -> None:
    assert lost(ledger(A, B, C), ledger(A, C)) == [LostLine(Loss.REMOVED, "b", 2)]


def test_c056_an_edited_line_is_told() -> None:
    assert lost(ledger(A, B), ledger(B, '{"id":"a","n":9}')) == [LostLine(Loss.ALTERED, "a", 1)]
    assert lost(ledger(A), ledger('{"id":"a"}')) == [LostLine(Loss.ALTERED, "a", 1)]


@pytest.mark.parametrize(
    "after",
    [
        [C, B, A],
        [A, A, B, C, '{"id":"d"}'],
        ['{"n": 1, "id": "a"}', B, C],
        ["", '{"torn', A, B, C],
        [A, '{"id":"a","n":9}', B, C],
    ],
)
def test_order_spelling_repeats_and_new_rows_lose_nothing(after: list[str]) -> None:
    assert lost(ledger(A, B, C), ledger(*after)) == []


def test_a_status_that_moved_is_no_alteration() -> None:
    before, after = '{"id":"a","status":"open","n":1}', '{"id":"a","status":"resolved","n":1}'
    assert lost(ledger(before), ledger(after)) == []
    assert lost(ledger(before), ledger(after.replace("1", "2"))) == [LostLine(Loss.ALTERED, "a", 1)]


def test_a_row_in_an_archive_is_not_lost() -> None:
    assert lost(ledger(A, B), ledger(), ledger(A), ledger(B)) == []
    assert lost(ledger(A, B), ledger(), ledger(A)) == [LostLine(Loss.REMOVED, "b", 2)]


def test_a_row_without_an_id_is_known_by_all_it_says() -> None:
    assert lost(ledger('{"n":1}', '{"id":7}'), ledger('{"n": 1}')) == [LostLine(Loss.REMOVED, "", 2)]


@given(st.lists(st.integers(0, 20), unique=True), st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)))
def test_exactly_the_rows_that_are_missing_are_told(
    rows: list[int], gone: set[int], changed: set[int]
) -> None:
    def after() -> Iterator[str]:
        for number in reversed(rows):
            if number not in gone:
                yield json.dumps({"id": str(number), "changed": number in changed})

    before = [json.dumps({"id": str(number), "changed": False}) for number in rows]
    told = {(one.identity, one.loss) for one in lost(ledger(*before), ledger(*after()))}
    assert told == {(str(one), Loss.REMOVED) for one in rows if one in gone} | {
        (str(one), Loss.ALTERED) for one in rows if one in changed - gone
    }
