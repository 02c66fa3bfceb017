"""Only the end of a ledger is read, and a bad row costs only itself."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_rows import entry, identity, line, lines

from ophiuchus.ledgers.jsonl import MOST_LINE_BYTES
from ophiuchus.ledgers.memory import tail as tail_module
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.tail import Tail, read_tail

PATTERNS = Family.PATTERNS


def read(data: bytes, most: int = 500) -> Tail:
    return read_tail(io.BytesIO(data), PATTERNS, most)


def ids(tail: Tail) -> list[str]:
    return [one.entry_id for one in tail.entries]


def ledger(rows: int) -> bytes:
    return lines(*(entry(PATTERNS, number) for number in range(1, rows + 1)))


@pytest.mark.parametrize("rows", [0, 1, 9, 10, 11, 500])
def test_the_last_lines_are_read_and_more_is_told(rows: int) -> None:
    tail = read(ledger(rows), 10)
    assert ids(tail) == [identity(number) for number in range(max(1, rows - 9), rows + 1)]
    assert (tail.cut, tail.unusable) == (rows > 10, 0)


class Watched(io.BytesIO):
    """Counts the bytes that are read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


def test_of_a_file_without_lines_no_more_is_read_than_lines_may_take() -> None:
    file = Watched(b"x" * (40 * MOST_LINE_BYTES))
    assert read_tail(file, PATTERNS, 5) == Tail((), cut=True, unusable=1)
    assert file.taken <= 8 * MOST_LINE_BYTES


def test_what_stands_before_the_tail_is_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_module, "_BLOCK", 4096)
    file = Watched(ledger(2000))
    assert ids(read_tail(file, PATTERNS, 5)) == [identity(number) for number in range(1996, 2001)]
    assert file.taken <= 2 * 4096


def test_one_bad_row_costs_only_itself() -> None:
    token = "gh" + "p_" + "aB3dE6gH9j" * 4
    data = (
        line(entry(PATTERNS, 1))
        + b'{"torn\n\xff\xfe\n'
        + line(entry(PATTERNS, 2, impact_score=True))
        + line(entry(PATTERNS, 3, text=token))
        + line(entry(Family.MISTAKES, 4))
        + line(entry(PATTERNS, 5))
        + line(entry(PATTERNS, 6))[:-9]
    )
    tail = read(data)
    assert ids(tail) == [identity(1), identity(5)]
    assert tail.unusable == 6


def test_only_active_entries_count_and_of_one_id_the_last_row() -> None:
    data = lines(
        entry(PATTERNS, 1),
        entry(PATTERNS, 2, status="superseded"),
        entry(PATTERNS, 3),
        entry(PATTERNS, 1, status="archived"),
        entry(PATTERNS, 3, text="later words"),
    )
    assert [(one.entry_id, one.text) for one in read(data).entries] == [(identity(3), "later words")]


def test_moments_are_instants_and_what_is_none_is_the_oldest() -> None:
    written = ["2026-07-01T12:00:00Z", "2026-07-01T14:00:00.000+02:00", "yesterday"]
    data = lines(*(entry(PATTERNS, number, ts=ts) for number, ts in enumerate(written)))
    first, second, third = (one.moment for one in read(data).entries)
    assert first == second == datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert third < datetime(2, 1, 1, tzinfo=UTC)


@given(
    st.lists(st.binary(max_size=30) | st.sampled_from([line(entry())[:-1], b""]), max_size=12),
    st.integers(0, 6),
    st.integers(1, 300),
)
def test_the_tail_is_what_the_whole_file_ends_with(pieces: list[bytes], most: int, block: int) -> None:
    data = b"\n".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_module, "_BLOCK", block)
        read_lines, cut = tail_module._last_lines(io.BytesIO(data), most)
    whole = data.removesuffix(b"\n").split(b"\n") if data else []
    assert read_lines == b"".join(one + b"\n" for one in whole[max(0, len(whole) - most) :])
    assert cut == (len(whole) > most)
