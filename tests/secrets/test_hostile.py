"""The scan over texts that were made to break it: it never raises, never hangs, never says much."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.secrets.corpus import must_find

from ophiuchus.secrets.linear import Pattern, Screen, as_bytes
from ophiuchus.secrets.matching import counts, may_hold_secret
from ophiuchus.secrets.rules import RULES
from ophiuchus.secrets.scan import MOST_FINDINGS, scan_text, scan_value

MEGABYTE = 1_000_000
SECONDS = 15.0
"""Far more than a megabyte takes in linear time on a busy machine, far less than in quadratic time."""

# What the rules turn on, so that examples come near to matching.
PIECES = (
    *("ghp_", "github_pat_", "glpat-", "sk-", "sk-ant-api03-", "AKIA", "AIza", "xoxb-", "eyJ"),
    *("-----BEGIN ", "PRIVATE KEY-----", "LS0tLS1CRUdJTi", "password", "_password", "api_key", "secret"),
    *("=", ": ", ":", '="', '\\"', '"', "'", "`", "://", "https://", "user:", "@", "host", "Bearer "),
    *("Authorization", "a1B2c3D4e5F6", "0" * 16, "x" * 12, "{", "}", "$", "${", "<", ">", "\\n", "\n", " "),
    *("\u200b", "\x00", "é", "…", "\ud800", "%3D", "%FF"),
)  # fmt: skip


def matching_texts(pattern: str) -> st.SearchStrategy[str]:
    """Whatever the pattern of a rule takes, in ASCII, the ends of its repetitions among them."""
    return st.from_regex(pattern.replace(r"\z", r"\Z"), fullmatch=True, alphabet=st.characters(codec="ascii"))


hostile = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=30).map("".join)
any_text = st.text(st.characters(codec=None), max_size=200)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | hostile | any_text,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(hostile | any_text, inner, max_size=5),
    max_leaves=20,
)


@given(st.one_of(hostile, any_text))
def test_any_text_can_be_scanned(text: str) -> None:
    names = scan_text(text)
    assert len(set(names)) == len(names)
    assert set(names) <= {rule.name for rule in RULES}
    assert not names or may_hold_secret(as_bytes(text))


@given(json_values)
def test_any_value_can_be_scanned_and_the_first_look_passes_over_nothing(value: object) -> None:
    found = scan_value(value)  # type: ignore[arg-type]
    assert len(found) <= MOST_FINDINGS
    line = json.dumps(value, ensure_ascii=False)
    assert not found or "\\" in line or may_hold_secret(as_bytes(line))


@given(st.one_of(hostile, any_text), st.integers(0, 10**6))
def test_whatever_stands_around_a_secret_does_not_hide_it(around: str, seed: int) -> None:
    sample = _SAMPLES[seed % len(_SAMPLES)]
    alone = counts(sample)
    beside = counts(f"{around}\n\n\n{sample}\n\n\n{around}")
    for rule, count in alone.items():
        assert beside.get(rule, 0) >= count or not _has_form(rule)


def _has_form(name: str) -> bool:
    return any(rule.name == name and not rule.general for rule in RULES)


_SAMPLES = [sample.text for sample in must_find(4) if scan_text(sample.text)]


@pytest.mark.parametrize("general", [False, True])
@settings(max_examples=300)
@given(st.data())
def test_a_rule_never_matches_where_its_trigger_does_not(general: bool, data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from([rule for rule in RULES if rule.general is general]))
    text = as_bytes(data.draw(matching_texts(rule.pattern)))
    matches = next(Pattern(rule.pattern).all_in(text), None) is not None
    assert not matches or Screen([rule.trigger]).those_in(text), rule.name


@pytest.mark.parametrize("piece", ["a", "=", "sk-", "0", "\u200b", "password="])
def test_a_megabyte_is_scanned_in_time(piece: str) -> None:
    assert _seconds(piece, MEGABYTE) < SECONDS


@pytest.mark.parametrize(
    "piece",
    ["A", "-", "_", " ", "\n", '"', "\\", "\x00", "é", "ghp_", "AKIA", "eyJ", "eyJa.", "token: ",
     "api_key=a1B2c3D4e5F6 ", "password=Xk9mQ2vL7! ", "://a:", "://a:b@", "x://u:", "Bearer ",
     'password="', "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "LS0tLS1CRUdJTi", "sig=", ".aaaaaa.",
     "Authorization: ",
     "--password ", "login a password ", 'auth": "', "basic dXNlcjpwYXNzd29yZA== ", "A" * 64 + "\n"],
)  # fmt: skip
def test_no_repetition_takes_more_than_linear_time(piece: str) -> None:
    assert _seconds(piece, MEGABYTE // 5) < SECONDS / 3


def _seconds(piece: str, length: int) -> float:
    text = (piece * (length // len(piece) + 1))[:length]
    start = time.monotonic()
    scan_text(text)
    return time.monotonic() - start


def test_an_automaton_that_runs_out_of_room_finds_the_same() -> None:
    secret = "gh" + "p_" + "C3d4" * 9
    noise = "".join(chr(33 + (number * 7919) % 94) for number in range(MEGABYTE))
    assert "github token" in scan_text(f"{noise} {secret} {noise}")
