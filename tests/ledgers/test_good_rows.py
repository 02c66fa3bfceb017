"""The quick way for good rows and the careful way for all others come to the same, in both ledgers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from critic_rows import finding
from hypothesis import given
from hypothesis import strategies as st
from memory_rows import entry, files

from ophiuchus.ledgers.critic.finding import FIELDS, READ_GOOD, faults
from ophiuchus.ledgers.critic.validation import Tally
from ophiuchus.ledgers.critic.validation import validate as validate_findings
from ophiuchus.ledgers.jsonl import Profile, RowProblem
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.row import RowJudge
from ophiuchus.ledgers.memory.validation import validate as validate_memory
from ophiuchus.ledgers.vocabulary import PHASES, ROLES, UUID4_FORM
from ophiuchus.secrets.matching import may_hold_secret
from ophiuchus.secrets.scan import scan_value
from ophiuchus.text.strict_json import parse_json

STRICT = Profile.STRICT
TOKEN = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"

_TEXTS = st.text(max_size=8) | st.sampled_from(
    ["execute", "x\\", 'a "word"', "a\nline", TOKEN, f"password={TOKEN}"]
)
_MOMENTS = st.sampled_from(
    [
        "2024-02-29T10:00:00.000Z",
        "2023-02-29T10:00:00.000Z",
        "2026-06-28T10:00:00Z",
        "2026-06-28",
        "0004-02-29",
    ]
)
_ANY: st.SearchStrategy[Any] = (
    _TEXTS
    | _MOMENTS
    | st.sampled_from([None, True, False, 0, 1, 1.0, -0.0, 10, 11, 10**7, 10**30, [], ["a"], [1], {}, "high"])
)
_DOUBLED = st.sampled_from([0, 0, 0, 1])


def spelled(row: dict[str, Any], random: Random, doubled: int = 0) -> bytes:
    """A row as one of many writers writes it: in any order, with any blanks and escapes, names `doubled`."""
    members = [
        json.dumps(name)
        + random.choice([":", ": ", " : "])
        + json.dumps(value, ensure_ascii=random.random() < 0.5)
        for name, value in row.items()
    ]
    random.shuffle(members)
    members += members[:doubled]
    return ("{" + random.choice([",", ", "]).join(members) + "}").encode("utf-8", "surrogatepass")


def agrees(taken: dict[str, Any] | None, line: bytes, judge: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether what was taken at once is what the careful way reads, and takes for good."""
    if taken is None:
        return True
    document = parse_json(line).document
    # As text: true, 1 and 1.0 are equal.
    same = json.dumps(taken, sort_keys=True) == json.dumps(document, sort_keys=True)
    return same and judge(document)


@given(
    st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=3), _ANY, max_size=3), st.randoms(), _DOUBLED
)
@pytest.mark.parametrize("profile", Profile)
def test_a_finding_that_is_taken_at_once_has_no_fault(
    profile: Profile, fields: dict[str, Any], random: Random, doubled: int
) -> None:
    line = spelled({**finding(), **fields}, random, doubled)
    assert agrees(READ_GOOD[profile](line), line, lambda row: faults(row, profile) == [])


@given(
    st.dictionaries(
        st.sampled_from(["ts", "entry_id", "tags", "applies_to", "phase_id", "decision_text", "impact_score"])
        | st.text(max_size=3),
        _ANY,
        max_size=2,
    ),
    st.randoms(),
    _DOUBLED,
)
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("family", Family)
def test_an_entry_that_is_taken_at_once_has_nothing_to_tell(
    family: Family, profile: Profile, fields: dict[str, Any], random: Random, doubled: int
) -> None:
    line = spelled({**entry(family), **fields}, random, doubled)
    judge = RowJudge(family, profile)

    def is_good(row: dict[str, Any]) -> bool:
        judgement = judge.judge(row)
        return not judgement.faults and not judgement.unknown

    assert agrees(judge.read_good(line), line, is_good)


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("text", ["plain", 'a "word"', "a\nline — é", "\U0001f600"])
@pytest.mark.parametrize("ensure_ascii", [False, True])
def test_good_rows_are_taken_at_once(profile: Profile, text: str, ensure_ascii: bool) -> None:
    line = json.dumps(finding(finding_text=text), ensure_ascii=ensure_ascii).encode()
    assert READ_GOOD[profile](line) == finding(finding_text=text)
    for family in Family:
        line = json.dumps(entry(family, text=text), ensure_ascii=ensure_ascii).encode()
        assert RowJudge(family, profile).read_good(line) == entry(family, text=text)


@pytest.mark.parametrize("fields", [{"ts": "0999-02-28T10:00:00.000Z"}, {"rework_generation": 10**9}])
def test_a_good_finding_that_is_not_taken_at_once_is_good(fields: dict[str, Any]) -> None:
    row = finding(**fields)
    assert READ_GOOD[STRICT](json.dumps(row).encode()) is None
    assert faults(row, STRICT) == []


@pytest.mark.parametrize(
    "fields", [{"confidence": "high"}, {"issue_key": "ik_0123456789abcdef"}, {"critic_model_id": "inherit"}]
)
def test_a_finding_that_contradicts_itself_is_not_taken_at_once(fields: dict[str, Any]) -> None:
    assert READ_GOOD[STRICT](json.dumps(finding(**fields)).encode()) is None


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("applies_to", [[1], [None], [["dev"]], [1e400], [{"a": 1}]])
def test_lists_of_anything_but_texts_are_read_with_care(profile: Profile, applies_to: list[Any]) -> None:
    line = json.dumps(entry(applies_to=applies_to)).encode()
    doubled = line[:-1] + b', "impact_score": 50}'
    for one in (line, doubled):
        assert RowJudge(Family.PATTERNS, profile).read_good(one) is None


def test_an_early_year_hides_no_contradiction() -> None:
    row = finding(ts="0999-02-28T10:00:00.000Z", confidence="high")
    assert [fault.field for fault in faults(row, STRICT)] == ["confidence"]


@given(
    st.fixed_dictionaries(
        {
            "finding_id": st.from_regex(UUID4_FORM, fullmatch=True),
            "phase_id": st.sampled_from(sorted(PHASES)),
            "role": st.sampled_from(sorted(ROLES)),
            "finding_text": st.text(min_size=1, max_size=20).filter(str.strip)
            | st.sampled_from([TOKEN, f"password: {TOKEN}", f"it logs\n{TOKEN}"]),
        },
        optional=dict.fromkeys(
            ["orchestrator_run_id", "producer_model_id", "critic_model_id"], st.sampled_from(["m", TOKEN])
        ),
    ),
    st.randoms(),
)
def test_every_secret_of_a_finding_is_told_by_the_letter(fields: dict[str, Any], random: Random) -> None:
    line = spelled(finding(**fields), random)
    told = [
        one.code
        for one in validate_findings(lambda: io.BytesIO(line), STRICT, Tally())
        if isinstance(one, RowProblem)
    ]
    assert told.count("secret") == len(scan_value(parse_json(line).document))


def test_only_free_texts_of_a_right_finding_can_hold_a_secret() -> None:
    """What the scan of a good row leaves out: names, and texts that have one form."""
    assert not may_hold_secret("=\n".join([*FIELDS, *PHASES, *ROLES, ""]).encode())


@pytest.mark.parametrize("profile", Profile)
def test_secrets_are_told_in_the_order_of_the_line(profile: Profile) -> None:
    row = finding(finding_text=TOKEN, critic_model_id=f"{TOKEN}1", orchestrator_run_id=f"{TOKEN}2")
    row = {name: row[name] for name in sorted(row, reverse=True)}
    columns = [
        one.column
        for one in validate_findings(lambda: io.BytesIO(json.dumps(row).encode()), profile, Tally())
        if isinstance(one, RowProblem) and one.column
    ]
    assert len(columns) == 3
    assert columns == sorted(columns)
    remembered = entry(text=TOKEN, pattern_id="p", provenance_ref=TOKEN)
    remembered = {name: remembered[name] for name in sorted(remembered)}
    (found,) = validate_memory(files((Family.PATTERNS, json.dumps(remembered).encode() + b"\n")), profile)
    assert found.what.message.index("provenance_ref") < found.what.message.index(" text")
