"""Ledgers of the memory are judged row by row, and no fault hides another row's."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_rows import entry, files, line, lines

from ophiuchus.ledgers.jsonl import LedgerNotice, Profile, RowNotice, RowProblem
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.reasons import MemoryNotice, MemoryReason
from ophiuchus.ledgers.memory.validation import Found, LedgerFile, validate
from ophiuchus.ledgers.patience import MOST_FAULTS
from ophiuchus.text.problem import NoticeCode, ProblemCode

COMPAT, STRICT = Profile.COMPAT, Profile.STRICT
INVALID = MemoryReason.SCHEMA_INVALID


def judged(data: bytes, family: Family = Family.PATTERNS, profile: Profile = COMPAT) -> list[Found]:
    return list(validate(files((family, data)), profile))


def problems(found: list[Found]) -> list[tuple[int | None, str]]:
    return [(one.what.line, one.what.code) for one in found if isinstance(one.what, RowProblem)]


def notices(found: list[Found]) -> list[tuple[int | None, str]]:
    return [(one.what.line, one.what.code) for one in found if isinstance(one.what, RowNotice)]


@pytest.mark.parametrize("profile", Profile)
def test_good_ledgers_have_nothing_to_tell(profile: Profile) -> None:
    ledgers = [(family, lines(entry(family, number))) for number, family in enumerate(Family)]
    assert list(validate(files(*ledgers), profile)) == []


def test_c041_a_cut_or_glued_record_costs_its_line_only() -> None:
    whole = line(entry())
    data = (
        whole
        + whole[:60]
        + line(entry(Family.PATTERNS, 2))
        + line(entry(Family.PATTERNS, 3, impact_score=True))
    )
    found = judged(data + b'{"schema_version":1,"text":"caf\xc3')
    assert problems(found) == [(2, ProblemCode.NOT_JSON), (3, INVALID), (4, ProblemCode.NOT_UTF8)]
    told = [one.what.message for one in found if isinstance(one.what, RowProblem)]
    assert told[0].startswith("cut or glued record: ")
    assert told[2].startswith("cut or glued record: ")


@pytest.mark.parametrize("profile", Profile)
def test_c047_a_record_with_line_separators_in_it_is_one_line_valid_and_scanned_whole(
    profile: Profile,
) -> None:
    assert judged(lines(entry(text="a\u2028b\x85c\u2029d")), profile=profile) == []
    token = "gh" + "p_" + "C3d4" * 9
    assert problems(judged(lines(entry(text=f"a\u2028{token}")))) == [(1, MemoryReason.SECRET_DETECTED)]


def test_c056_exact_repeats_are_a_notice_and_other_content_under_one_id_is_a_problem() -> None:
    first, second = line(entry(Family.PATTERNS, 1)), line(entry(Family.PATTERNS, 2))
    other = line(entry(Family.PATTERNS, 2, text="Other words"))
    found = judged(first + second + first + other)
    assert notices(found) == [(3, MemoryNotice.REPEATED_LINE)]
    assert problems(found) == [(4, ProblemCode.DUPLICATE_ID)]


def test_c056_a_repeat_in_another_spelling_says_the_same() -> None:
    row = entry(Family.PATTERNS, 1)
    compact = json.dumps(dict(reversed(row.items())), separators=(",", ":")).encode() + b"\r\n"
    found = judged(line(row) + compact)
    assert notices(found) == [(2, MemoryNotice.REPEATED_LINE)]
    assert problems(found) == []
    moved = judged(line(row) + line({**row, "status": "superseded"}))
    assert problems(moved) == [(2, ProblemCode.DUPLICATE_ID)]


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    "moment",
    ["2026-06-30T23:59:60Z", "2026-07-01T24:00:00Z", "2026-02-30T00:00:00Z", "2026-07-01T12:00:00",
     "2026-07-01 12:00:00Z", "2026-07-01", "2026-07-01T12:00:00.000Z\n", "\u0662026-07-01T12:00:00Z", ""],
)  # fmt: skip
def test_c113_a_ts_that_is_no_moment_is_told_on_its_line(moment: str, profile: Profile) -> None:
    found = judged(lines(entry(Family.PATTERNS, 1), entry(Family.PATTERNS, 2, ts=moment)), profile=profile)
    assert problems(found) == [(2, MemoryReason.SCHEMA_INVALID)]


def test_a_moment_with_another_offset_is_one() -> None:
    rows = [entry(Family.PATTERNS, number, ts=f"2026-07-01T12:00:00{end}") for number, end in
            enumerate(("+02:00", ".123456789-11:30", "Z", "-00:00"))]  # fmt: skip
    assert judged(lines(*rows)) == []


def test_c056_ids_count_across_families_and_archives() -> None:
    mistakes = lines(entry(Family.MISTAKES, 1))
    patterns = lines(entry(Family.PATTERNS, 5), entry(Family.PATTERNS, 1))
    (found,) = validate(files((Family.MISTAKES, mistakes), (Family.PATTERNS, patterns)), COMPAT)
    assert found.path == "patterns.jsonl"
    assert isinstance(found.what, RowProblem)
    assert found.what.line == 2
    assert "mistakes.jsonl:1" in found.what.message
    (repeat,) = validate(files((Family.MISTAKES, mistakes), (Family.MISTAKES, mistakes)), COMPAT)
    assert isinstance(repeat.what, RowNotice)


def test_c056_the_order_of_rows_means_nothing() -> None:
    rows = [entry(Family.PATTERNS, number) for number in (9, 3, 7, 1)]
    assert judged(lines(*rows), profile=STRICT) == []


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        ("text", "github token at text"),
        ("tags", "github token at tags[0]"),
        ("provenance_ref", "github token at provenance_ref"),
        ("meta", "github token at meta.client_secret"),
    ],
)
@pytest.mark.parametrize("profile", Profile)
def test_a_secret_anywhere_is_told_by_its_place_alone(place: str, rule: str, profile: Profile) -> None:
    token = "gh" + "p_" + "aB3dE6gH9j" * 4
    value: Any = {"tags": [token], "meta": {"client_secret": token}}.get(place, token)
    found = judged(lines(entry(**{place: value}, impact_score="many")), profile=profile)
    assert problems(found) == [(1, MemoryReason.SECRET_DETECTED)]
    assert rule in found[0].what.message
    assert token[:12] not in found[0].what.message


def test_a_secret_that_is_spelled_with_escapes_is_found() -> None:
    token = "gh" + "p_" + "aB3dE6gH9j" * 4
    data = line(entry(text="TOKEN")).replace(
        b"TOKEN", "".join(rf"\u{ord(one):04x}" for one in token).encode()
    )
    assert problems(judged(data)) == [(1, MemoryReason.SECRET_DETECTED)]


def test_a_problem_names_the_column() -> None:
    data = b'{"schema_version": 1, "status": "gone"}\n'
    first = judged(data)[0].what
    assert isinstance(first, RowProblem)
    assert (first.column, first.message.split(",")[0]) == (33, "`status` must be one of active")


def test_habits_of_a_whole_file_are_one_notice() -> None:
    rows = [entry(Family.PATTERNS, number, mood="good") for number in range(3)]
    found = judged(lines(*rows))
    assert notices(found) == [(1, MemoryNotice.UNKNOWN_FIELD)]
    assert all("in 3 rows" in one.what.message for one in found)


def test_what_reading_tells_is_passed_on() -> None:
    data = b"\xef\xbb\xbf" + line(entry()) + b"\r\n\n" + line(entry(Family.PATTERNS, 2))[:-1]
    found = judged(data)
    assert notices(found) == [
        (1, NoticeCode.BYTE_ORDER_MARK),
        (2, LedgerNotice.BLANK_LINE),
        (4, LedgerNotice.NO_LINE_END),
    ]
    assert problems(judged(line(entry()).decode().encode("utf-16"))) == [(None, ProblemCode.NOT_UTF8)]


@given(
    st.lists(st.binary(max_size=60) | st.just(line(entry())[:-1])).map(b"\n".join),
    st.sampled_from(list(Profile)),
)
def test_any_bytes_are_judged_and_no_line_is_passed_over(data: bytes, profile: Profile) -> None:
    told = {number for number, _ in problems(judged(data, profile=profile))}
    if None in told:  # no ledger at all
        return
    for number, one in enumerate(data.split(b"\n"), 1):
        row = one.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip(b" \t\r")
        # Of a conflict only the first marker is told.
        if not row.startswith((b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")):
            assert (number in told) == (row not in (b"", line(entry())[:-1]))


@pytest.mark.parametrize("profile", Profile)
def test_faults_of_all_files_are_looked_at_up_to_one_bound(profile: Profile) -> None:
    torn, good = b"x\n" * (MOST_FAULTS - 10), line(entry(Family.MISTAKES, 1))
    found = list(validate(files((Family.DECISIONS, torn), (Family.MISTAKES, b"{}\n" * 30 + good)), profile))
    told = problems(found)
    assert len(told) == MOST_FAULTS + 1
    assert told[-1] == (None, ProblemCode.TOO_MANY)
    assert found[-1].what.message.startswith("20 more lines that may be wrong were not looked at")


def test_repeats_are_looked_at_up_to_a_bound() -> None:
    found = judged(line(entry(Family.PATTERNS)) * (MOST_FAULTS + 3))
    assert problems(found) == [(MOST_FAULTS + 2, ProblemCode.TOO_MANY)]
    assert len(notices(found)) == MOST_FAULTS


def test_memory_does_not_grow_with_the_ledger() -> None:
    class Endless(io.RawIOBase):
        """`left` rows that are made when they are read."""

        def __init__(self, left: int) -> None:
            self.left = left

        def readline(self, size: int | None = -1) -> bytes:
            self.left -= 1
            return line(entry(Family.PATTERNS, self.left)) if self.left >= 0 else b""

    def peak(rows: int) -> int:
        tracemalloc.start()
        try:
            file = LedgerFile("p", Family.PATTERNS, lambda: Endless(rows))  # type: ignore[arg-type, return-value]
            assert list(validate([file], STRICT)) == []
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    assert peak(4000) < peak(40) + 100_000
