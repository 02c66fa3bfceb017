"""The scan over texts that were not made from its rules: how much it finds, and how much is none."""

from __future__ import annotations

import json

import pytest
from tests.secrets.corpus import must_find, must_pass

from ophiuchus.secrets.linear import as_bytes
from ophiuchus.secrets.matching import counts, may_hold_secret
from ophiuchus.secrets.scan import scan_text, scan_value

SEEDS = (1, 2, 3)
FLOOR = 0.98


@pytest.mark.parametrize("seed", SEEDS)
def test_the_corpus_is_large_enough_and_the_same_each_time(seed: int) -> None:
    find, harmless = list(must_find(seed)), list(must_pass(seed))
    assert len({sample.text for sample in find}) >= 200
    assert len({sample.text for sample in harmless}) >= 400
    assert (find, harmless) == (list(must_find(seed)), list(must_pass(seed)))


@pytest.mark.parametrize("seed", SEEDS)
def test_recall_and_precision(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    find, harmless = list(must_find(seed)), list(must_pass(seed))
    missed = [sample.kind for sample in find if not scan_text(sample.text)]
    wrong = [(sample.kind, scan_text(sample.text)) for sample in harmless if scan_text(sample.text)]
    found = len(find) - len(missed)
    recall, precision = found / len(find), found / (found + len(wrong))
    with capsys.disabled():
        told = f"recall {recall:.4f} of {len(find)}, precision {precision:.4f} beside {len(harmless)}"
        print(f"\nsecret scan, seed {seed}: {told}")  # noqa: T201 - CI shows these numbers
    assert recall >= FLOOR, missed
    assert precision >= FLOOR, wrong


@pytest.mark.parametrize("seed", SEEDS)
def test_a_whole_file_of_harmless_texts_holds_none(seed: int) -> None:
    assert scan_value([sample.text for sample in must_pass(seed)]) == ()


def test_each_kind_of_token_is_found_by_the_rule_of_its_maker() -> None:
    for sample in must_find(1):
        maker = sample.kind.split()[0]
        if maker in ("github", "gitlab", "slack", "discord", "stripe", "telegram", "twilio", "npm", "pypi"):
            assert any(rule.startswith(maker) for rule in scan_text(sample.text)), sample.kind


def test_no_value_is_told() -> None:
    for sample in must_find(1):
        told = repr(scan_value({"text": [sample.text]})) + repr(scan_text(sample.text))
        told += " ".join(map(str, scan_value({sample.text: sample.text})))
        for start in range(0, max(len(sample.secret) - 12, 1), 4):
            assert sample.secret[start : start + 12] not in told, sample.kind


def test_what_is_found_in_a_text_is_found_in_any_place_of_a_value() -> None:
    for sample in must_find(2):
        if rules := scan_text(sample.text):
            found = scan_value({"notes": [{"meta": {"deep": sample.text}}], "id": "x"})
            assert {finding.rule for finding in found} == set(rules), sample.kind
            assert {finding.place for finding in found} == {"notes[0].meta.deep"}


def test_the_first_look_passes_over_nothing_that_a_scan_finds() -> None:
    for sample in must_find(3):
        if scan_text(sample.text):
            line = json.dumps({"text": sample.text}, ensure_ascii=False)
            assert may_hold_secret(as_bytes(sample.text)), sample.kind
            assert may_hold_secret(line.encode()) or "\\" in line, sample.kind


def test_the_first_look_passes_over_what_ledgers_and_hand_offs_are_made_of() -> None:
    kinds = {"commit", "short commits", "digest", "uuid", "issue key", "log", "trace", "usage", "path"}
    for sample in must_pass(1):
        assert sample.kind not in kinds or not may_hold_secret(sample.text.encode()), sample.text


def test_two_texts_side_by_side_are_counted_both() -> None:
    for sample in must_find(1):
        alone = counts(sample.text)
        both = counts(f"{sample.text}\n\n{sample.text}")
        assert {rule: 2 * count for rule, count in alone.items()} == both, sample.kind
