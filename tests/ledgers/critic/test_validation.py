"""A whole ledger: every fault on its line, in both profiles, in memory that does not grow."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
from typing import Any

import pytest
from critic_rows import finding, lines
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.ledgers.critic.finding import FaultCode
from ophiuchus.ledgers.critic.validation import Tally, validate
from ophiuchus.ledgers.jsonl import Profile, RowNotice, RowProblem
from ophiuchus.ledgers.patience import MOST_FAULTS, MOST_FAULTY_BYTES
from ophiuchus.text.problem import ProblemCode

COMPAT, STRICT = Profile.COMPAT, Profile.STRICT


def judge(data: bytes, profile: Profile = STRICT) -> tuple[list[RowProblem], list[RowNotice], Tally]:
    tally = Tally()
    found = list(validate(lambda: io.BytesIO(data), profile, tally))
    problems = [one for one in found if isinstance(one, RowProblem)]
    return problems, [one for one in found if isinstance(one, RowNotice)], tally


def test_a_fault_is_told_with_line_and_column() -> None:
    data = lines(finding(1), finding(2, severity="awful"))
    problems, _, tally = judge(data)
    (problem,) = problems
    row = data.decode().split("\n")[1]
    assert (problem.line, problem.code) == (2, FaultCode.BAD_FIELD)
    assert problem.column is not None
    assert row[problem.column - 1 :].startswith('"severity"')
    assert tally.rows == 1


def test_c067_the_broken_record_is_told_on_line_4() -> None:
    bom = b"\xef\xbb\xbf"
    good = lines(finding(1)).replace(b"\n", b"\r\n")
    problems, notices, tally = judge(bom + good + b"\r\n" + lines(finding(2)) + b'{"finding_text":\n')
    assert [(one.line, one.code) for one in problems] == [(4, ProblemCode.NOT_JSON)]
    assert [one.line for one in notices] == [1, 2]
    assert tally.rows == 2


def test_ids_that_stand_twice_are_a_fault_by_the_letter_and_else_a_notice() -> None:
    data = lines(finding(1), finding(2), finding(1), finding(1, severity="high"))
    by_the_letter, as_found = judge(data)[0], judge(data, COMPAT)
    assert as_found[0] == []
    for told in (by_the_letter, as_found[1]):
        assert [(one.line, one.code) for one in told] == [(3, "duplicate_id"), (4, "duplicate_id")]
        assert [one.message for one in told] == [
            "has the `finding_id` of line 1, and says the same: take one out",
            "has the `finding_id` of line 1, and says something else: give it an id of its own",
        ]


@pytest.mark.parametrize("profile", Profile)
def test_c056_what_a_merge_doubled_blocks_once(profile: Profile) -> None:
    rows = [finding(1, blocking=True), finding(2, blocking=True), finding(1, blocking=True)]
    spelled = json.dumps(dict(reversed(rows[0].items()))).encode() + b"\n"
    _, _, tally = judge(lines(*rows) + spelled + lines(finding(1, blocking=True, severity="high")), profile)
    assert [row.line for row in tally.open_blocking] == [1, 2, 5]
    assert tally.open_blocking_count == 3


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("escaped", [False, True])
def test_a_secret_is_a_fault_in_both_profiles_and_is_never_repeated(profile: Profile, escaped: bool) -> None:
    token = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"
    row = lines(finding(1, finding_text=f"It logs {token}"))
    if escaped:
        row = row.replace(b"gh" + b"p_", b"\\u0067h" + b"p_")
    problems, _, tally = judge(row, profile)
    assert FaultCode.SECRET in [one.code for one in problems]
    assert all(token[4:12] not in one.message for one in problems)
    assert tally.rows == 0


@pytest.mark.parametrize("field", ["lens", "status", "severity", "token_field"])
def test_a_secret_in_a_bad_value_or_a_name_is_not_repeated(field: str) -> None:
    token = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"
    row = finding(1, **{field: token}) if field != "token_field" else finding(1, **{token: 1})
    problems, _, _ = judge(lines(row))
    assert problems
    assert all(token[4:12] not in one.message for one in problems)


def test_what_is_open_and_blocks_is_counted_with_faults_too() -> None:
    rows = [finding(1, blocking=True), finding(2, blocking=True, status="waived"), finding(3)]
    _, _, tally = judge(lines(*rows, finding(4, blocking=True, ts="now")))
    assert [row.line for row in tally.open_blocking] == [1, 4]
    assert tally.open_blocking_count == 2


def test_what_a_saturated_ledger_shows_is_counted() -> None:
    row = {"anti_slop_score": 10, "status": "resolved", "critic_model_id": "inherit", "degraded_mode": True}
    _, _, tally = judge(lines(finding(1, **row), finding(2)))
    assert (tally.rows, tally.scored_ten, tally.closed, tally.by_one_model) == (2, 1, 1, 1)


def as_the_field_writes(number: int, random_: random.Random) -> tuple[bytes, FaultCode | None]:
    """A row with one of the irregularities of real files, and what the letter says of it."""
    kinds: list[tuple[dict[str, Any], FaultCode | None]] = [
        ({}, None),
        ({"finding_id": f"bug{number}clo-challenger-001"}, FaultCode.BAD_ID),
        ({"finding_id": f"9e8d7c6b-5a4f-7e2d-8c0b-{number:012}"}, FaultCode.BAD_ID),
        ({"finding_id": f"9e8d7c6b-5a4f-4e2d-1c0b-{number:012}"}, FaultCode.BAD_ID),
        ({"issue_key": f"ik_us{number:04}_clean_host"}, FaultCode.WRONG_KEY),
        ({"issue_key": ..., "single_finder": ..., "rework_generation": ..., "schema_version": ...}, None),
        ({"confidence": "high", "single_finder": True}, FaultCode.WRONG_CONFIDENCE),
        ({"critic_model_id": "composer", "producer_model_id": "composer", "degraded_mode": True}, None),
        (
            {"critic_model_id": "composer", "producer_model_id": "composer"},
            FaultCode.UNDECLARED_DEGRADED_MODE,
        ),
        ({"role": "qe"}, FaultCode.UNKNOWN_WORD),
        ({"phase_id": random_.choice(["closure", "spec", "sprint-plan"])}, FaultCode.UNKNOWN_WORD),
        ({"ts": f"2026-07-08T{random_.randrange(24):02}:35:00Z"}, FaultCode.BAD_TIME),
        ({"anti_slop_score": 10, "status": "resolved"}, None),
    ]
    fields, code = kinds[number % len(kinds)]
    text = f"Do NOT spawn /architecture | `STOP.` § → case {number}: " + "prose " * random_.randrange(60)
    row = list(finding(number + 10, finding_text=text, **fields).items())
    random_.shuffle(row)
    separators = random_.choice([(",", ":"), (", ", ": ")])
    return json.dumps(dict(row), ensure_ascii=False, separators=separators).encode() + b"\n", code


def test_two_megabytes_as_the_field_writes_them_pass_compat_and_strict_names_each_irregularity() -> None:
    random_ = random.Random(11)
    rows: list[bytes] = []
    expected, size = [], 0
    while size < 2_000_000:
        line, code = as_the_field_writes(len(rows), random_)
        rows.append(line)
        size += len(line)
        if code:
            expected.append((len(rows), code))
    data = b"".join(rows)
    problems, notices, tally = judge(data, COMPAT)
    assert (problems, notices, tally.rows) == ([], [], len(rows))
    assert [(one.line, one.code) for one in judge(data, STRICT)[0]] == expected


TOO_MUCH = {
    "no records": b"x\n" * (MOST_FAULTS + 500),
    "rows without a field": b"{}\n" * MOST_FAULTS,
    "long lines": (b'{"a": "' + b"x" * 60_000 + b'"}\n') * (MOST_FAULTY_BYTES // 50_000),
}


@pytest.mark.parametrize("data", TOO_MUCH.values(), ids=TOO_MUCH)
def test_faults_are_looked_at_up_to_a_bound_and_what_blocks_behind_them_is_counted_all_the_same(
    data: bytes,
) -> None:
    problems, _, tally = judge(data + lines(finding(1, blocking=True), finding(2)), COMPAT)
    last = problems[-1]
    assert (last.line, last.code) == (None, ProblemCode.TOO_MANY)
    assert last.message.startswith(
        f"{last.lines:,} more lines that may be wrong were not looked at: at most 20,0"
    )
    assert len({one.line for one in problems[:-1]}) + last.lines == data.count(b"\n")
    assert len(problems) <= MOST_FAULTS + 20
    assert (tally.rows, tally.open_blocking_count) == (2, 1)


def test_ids_that_stand_again_too_often_are_not_all_told() -> None:
    data = lines(finding(1)) * (MOST_FAULTS + 3)
    problems, notices, _ = judge(data, COMPAT)
    assert [(one.line, one.code) for one in problems] == [(MOST_FAULTS + 2, ProblemCode.TOO_MANY)]
    assert len(notices) == MOST_FAULTS


@pytest.mark.parametrize("profile", Profile)
def test_memory_does_not_grow_with_the_ledger(profile: Profile, tmp_path: Any) -> None:
    peaks = []
    for rows in (200, 4_000):
        path = tmp_path / f"{rows}.jsonl"
        path.write_bytes(lines(*(finding(number) for number in range(rows))))
        tracemalloc.start()
        try:
            for _ in validate(lambda path=path: path.open("rb"), profile, Tally()):  # type: ignore[misc]
                pass
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < peaks[0] + 100_000


@given(st.binary() | st.lists(st.binary(max_size=20) | st.just(lines(finding(1))[:-1])).map(b"\n".join))
def test_no_bytes_break_the_judge(data: bytes) -> None:
    for profile in Profile:
        problems, _, tally = judge(data, profile)
        wrong = {one.line for one in problems if one.code != FaultCode.DUPLICATE_ID}
        assert tally.rows + len(wrong) <= data.count(b"\n") + 1
