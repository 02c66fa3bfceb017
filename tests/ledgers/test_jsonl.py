"""Ledgers are read line by line, and a fault costs its own line only."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ophiuchus.ledgers import jsonl
from ophiuchus.ledgers.jsonl import MOST_LINE_BYTES, LedgerNotice, Row, RowNotice, RowProblem, read_rows
from ophiuchus.ledgers.patience import Patience
from ophiuchus.text.problem import NoticeCode, ProblemCode

BOM = b"\xef\xbb\xbf"


def read(data: bytes) -> list[Row | RowProblem | RowNotice]:
    return list(read_rows(io.BytesIO(data)))


def rows(data: bytes) -> list[tuple[int, Any]]:
    return [(one.line, one.value) for one in read(data) if isinstance(one, Row)]


def problems(data: bytes) -> list[tuple[int | None, str]]:
    return [(one.line, one.code) for one in read(data) if isinstance(one, RowProblem)]


def notices(data: bytes) -> list[tuple[int | None, str]]:
    return [(one.line, one.code) for one in read(data) if isinstance(one, RowNotice)]


def test_rows_keep_their_physical_lines_and_their_bytes() -> None:
    (first, second) = read(b'{"a":1}\n{"b": "\xc3\xa9"}\r\n')
    assert first == Row(1, b'{"a":1}', {"a": 1})
    assert second == Row(2, '{"b": "é"}'.encode(), {"b": "é"})


def test_c067_errors_name_the_physical_line_after_blank_lines_crlf_and_a_byte_order_mark() -> None:
    data = BOM + b'{"finding_text":"a"}\r\n\r\n{"finding_text":"b"}\r\n{"finding_text":\r\n'
    assert problems(data) == [(4, ProblemCode.NOT_JSON)]
    assert [line for line, _ in rows(data)] == [1, 3]
    assert notices(data) == [(1, NoticeCode.BYTE_ORDER_MARK), (2, LedgerNotice.BLANK_LINE)]


def test_a_byte_order_mark_is_accepted_on_the_first_line_only() -> None:
    assert problems(b'{"a":1}\n' + BOM + b'{"a":1}\n') == [(2, ProblemCode.NOT_JSON)]


def test_all_blank_lines_are_one_notice() -> None:
    (notice,) = [one for one in read(b'{"a":1}\n\n \t\n\r\n') if isinstance(one, RowNotice)]
    assert (notice.line, notice.message) == (2, "is blank, as are 2 more lines")
    (notice,) = [one for one in read(b'{"a":1}\n\n\n') if isinstance(one, RowNotice)]
    assert notice.message == "is blank, as is 1 more line"


def test_c047_lines_end_at_the_newline_byte_only() -> None:
    data = json.dumps({"text": "a\u2028b\x85c\u2029d"}, ensure_ascii=False).encode() + b"\n"
    assert rows(data) == [(1, {"text": "a\u2028b\x85c\u2029d"})]
    assert read(data) == [Row(1, data[:-1], {"text": "a\u2028b\x85c\u2029d"})]


def test_c041_a_cut_or_glued_record_costs_its_own_line_only() -> None:
    data = (
        b'{"schema_version":1,"text":"ok 1"}\n{"schema_version":1,"text":"to'
        b'{"schema_version":1,"text":"ok 2"}\n{"schema_version":1,"text":"ok 3"}\n'
        b'{"schema_version":1,"text":"caf\xc3'
    )
    assert [line for line, _ in rows(data)] == [1, 3]
    assert problems(data) == [(2, ProblemCode.NOT_JSON), (4, ProblemCode.NOT_UTF8)]
    assert all(
        one.message.startswith("cut or glued record: ") for one in read(data) if isinstance(one, RowProblem)
    )


def test_a_whole_last_record_without_its_line_end_is_a_record_and_a_notice() -> None:
    assert rows(b'{"a":1}') == [(1, {"a": 1})]
    assert notices(b'{"a":1}') == [(1, LedgerNotice.NO_LINE_END)]
    assert notices(b'{"a":1}\n') == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"a":1,"a":2}', ProblemCode.DUPLICATE_KEY),
        (b'{"a":{"b":1,"b":1}}', ProblemCode.DUPLICATE_KEY),
        (rb'{"a":"\ud800"}', ProblemCode.LONE_SURROGATE),
        (b'{"a":NaN}', ProblemCode.BAD_NUMBER),
        (b'{"a":1e999}', ProblemCode.BAD_NUMBER),
        (b'{"a":' + b"9" * 400 + b"}", ProblemCode.BAD_NUMBER),
        (b'{"a":' + b"[" * 70 + b"]" * 70 + b"}", ProblemCode.TOO_DEEP),
        (b'{"a":"' + b"x" * jsonl.MOST_LINE_BYTES + b'"}', ProblemCode.TOO_LARGE),
        (b'{"a":"' + b"x" * 3 * jsonl.MOST_LINE_BYTES + b'"}', ProblemCode.TOO_LARGE),
        (b'{"a":"\xff"}', ProblemCode.NOT_UTF8),
        (b"[1]", ProblemCode.BAD_FIELD),
        (b"null", ProblemCode.BAD_FIELD),
        (b"{'a':1}", ProblemCode.NOT_JSON),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_the_others_are_read(line: bytes, code: ProblemCode) -> None:
    data = b'{"n":1}\n' + line + b'\n{"n":3}\n'
    assert problems(data) == [(2, code)]
    assert rows(data) == [(1, {"n": 1}), (3, {"n": 3})]
    assert notices(data) == []
    assert problems(line) == [(1, code)]


def test_a_line_of_exactly_the_most_bytes_is_read() -> None:
    line = b'{"a":"' + b"x" * (jsonl.MOST_LINE_BYTES - 8) + b'"}'
    assert [number for number, _ in rows(line + b"\r\n" + line + b"\n" + line)] == [1, 2, 3]


@pytest.mark.parametrize("over", [1, 2, 3, jsonl.MOST_LINE_BYTES])
def test_a_line_that_is_a_little_too_long_swallows_none_below(over: int) -> None:
    data = b"x" * (jsonl.MOST_LINE_BYTES + over) + b'\n{"a":1}\n'
    assert (problems(data), rows(data)) == ([(1, ProblemCode.TOO_LARGE)], [(2, {"a": 1})])
    last = b'{"a":1}\n' + b"x" * (jsonl.MOST_LINE_BYTES + over) + b"\n"
    assert (problems(last), notices(last)) == ([(2, ProblemCode.TOO_LARGE)], [])


@pytest.mark.parametrize("count", [3, jsonl.MOST_LINE_BYTES])
def test_records_that_end_in_a_carriage_return_alone_are_told_so(count: int) -> None:
    (problem,) = [one for one in read(b'{"a":1} \r\r' * count) if isinstance(one, RowProblem)]
    assert problem.line == 1
    assert "line feeds" in problem.message


@pytest.mark.parametrize("opening", [b"{", b"["])
def test_a_document_over_several_lines_is_told_where_it_starts(opening: bytes) -> None:
    first = next(one for one in read(opening + b'\n{"a":1}\n') if isinstance(one, RowProblem))
    assert (first.line, first.column) == (1, None)
    assert "one object on one line" in first.message


@pytest.mark.parametrize(
    "line",
    [
        '{"text":"to{"text":"use %s"}',
        '{"text":"use %s',
        '{"text":"use %s","text":2}',
        '{"text":"use %s","n":NaN}',
        "# %s",
        '{"text":"use %s' + "x" * jsonl.MOST_LINE_BYTES + '"}',
        '{"a":1}\r{"text":"%s"}\r',
    ],
)
def test_a_secret_on_a_line_that_is_no_record_is_told_and_not_repeated(line: str) -> None:
    token = "gh" + "p_" + "C3d4" * 9
    data = f"{line.replace('%s', f'{token} ')}\n".encode()
    (problem,) = [one for one in read(data) if isinstance(one, RowProblem)]
    assert "a secret, github token" in problem.message
    assert token[:9] not in problem.message


def test_a_key_that_is_a_secret_and_there_twice_is_not_repeated_in_part() -> None:
    key = "xo" + "xd-" + "aB3xK9Qz7Lm2" * 5
    (problem,) = read(f'{{"{key}":1,"{key}":2}}\n'.encode())
    assert isinstance(problem, RowProblem)
    assert "a key is there twice" in problem.message
    assert key[:9] not in problem.message


def test_a_merge_conflict_is_told_once_and_both_sides_are_read() -> None:
    data = b'{"n":1}\n<<<<<<< HEAD\n{"n":2}\n||||||| b\n=======\n{"n":3}\n>>>>>>> other\n{"n":4}\n<<<<<<< x\n'
    assert problems(data) == [(2, ProblemCode.MERGE_CONFLICT), (9, ProblemCode.MERGE_CONFLICT)]
    assert [line for line, _ in rows(data)] == [1, 3, 6, 8]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ('{"a":1}\n'.encode("utf-16"), ProblemCode.NOT_UTF8),
        ('{"a":1}\n'.encode("utf-16-le"), ProblemCode.NOT_UTF8),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", ProblemCode.LFS_POINTER),
    ],
)
def test_a_file_that_is_no_ledger_is_one_problem(data: bytes, code: ProblemCode) -> None:
    assert [(one.line, one.code) for one in read(data) if isinstance(one, RowProblem)] == [(None, code)]
    assert len(read(data)) == 1


@pytest.mark.parametrize(("bound", "most", "last"), [("MOST_LINES", 3, 4), ("MOST_BYTES", 24, 4)])
def test_a_file_is_read_up_to_its_bounds(
    monkeypatch: pytest.MonkeyPatch, bound: str, most: int, last: int
) -> None:
    monkeypatch.setattr(jsonl, bound, most)
    assert problems(b'{"a":1}\n' * 10) == [(last, ProblemCode.TOO_LARGE)]
    assert len(rows(b'{"a":1}\n' * 10)) == 3


def test_what_was_counted_only_is_told_beyond_a_files_bounds_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jsonl, "MOST_LINES", 3)
    found = list(read_rows(io.BytesIO(b"x\n" * 10), patience=Patience(faults=1)))
    told = [(one.line, one.code, one.lines) for one in found if isinstance(one, RowProblem)]
    assert told == [
        (1, ProblemCode.NOT_JSON, 1),
        (4, ProblemCode.TOO_LARGE, 1),
        (None, ProblemCode.TOO_MANY, 2),
    ]


@pytest.mark.parametrize(
    ("patience", "looked_at"),
    [({}, 3), ({"faults": 2}, 2), ({"faulty_bytes": 1}, 1), ({"faults": 0}, 0)],
)
def test_lines_that_are_no_records_are_looked_at_up_to_a_bound_and_records_behind_are_read(
    patience: dict[str, int], looked_at: int
) -> None:
    data = b"x\n[]\n" + b" " * (MOST_LINE_BYTES + 1) + b'x\n{"a":1}\n'
    found = list(read_rows(io.BytesIO(data), patience=Patience(**patience)))
    assert [one.line for one in found if isinstance(one, Row)] == [4]
    told = [one for one in found if isinstance(one, RowProblem)]
    assert [one.line for one in told if one.line] == [1, 2, 3][:looked_at]
    assert sum(one.lines for one in told) == 3


def test_a_message_never_repeats_a_secret() -> None:
    token = "gh" + "p_" + "aB3dE6gH9j" * 4
    line = json.dumps({token: 1})[:-1] + "," + json.dumps({token: 2})[1:]
    (problem,) = [one for one in read(line.encode()) if isinstance(one, RowProblem)]
    assert problem.code == ProblemCode.DUPLICATE_KEY
    assert token[:12] not in problem.message


@given(st.binary() | st.lists(st.binary(max_size=40) | st.just(b'{"a":1}')).map(b"\n".join))
@example(b'{"a":1}\n\n{"a":1}x\n<<<<<<< a\n=======\n')
@example(b"\r")
def test_every_line_of_any_bytes_is_accounted_for(data: bytes) -> None:
    read_ = read(data)
    lines = [one.line for one in read_ if isinstance(one, Row | RowProblem)]
    assert lines == sorted(set(lines), key=lambda line: line or 0)
    for one in read_:
        if isinstance(one, Row):
            assert data.split(b"\n")[one.line - 1].removeprefix(BOM).rstrip(b"\r") == one.raw
            assert json.loads(one.raw) == one.value
