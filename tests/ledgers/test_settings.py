"""Each setting comes from the first of four places that names it, and no bad one stops a run."""

from __future__ import annotations

import pytest

from ophiuchus.ledgers.settings import LedgerSettings, read_settings

CONFIG = b"[ledgers]\ncross_model_antislop_threshold = 3\ncross_model_review = true\n"
SCRATCHPAD = b"# Scratchpad\nCROSS_MODEL_ANTISLOP_THRESHOLD=2  # low\r\nSOVEREIGN_MEMORY=1\n"


def test_without_any_place_both_switches_are_off_and_the_documents_defaults_hold() -> None:
    assert read_settings({}, {}, None, None) == LedgerSettings(
        cross_model_review=False,
        cross_model_antislop_threshold=6,
        cross_model_rework_max=2,
        sovereign_memory=False,
        sovereign_memory_top_n=5,
        sovereign_memory_top_k=3,
        sovereign_memory_max_chars=2048,
        sovereign_memory_jsonl_max_lines=500,
        sovereign_memory_read_tail=500,
    )


def test_input_beats_environment_beats_config_beats_scratchpad() -> None:
    key, env = "cross_model_antislop_threshold", {"CROSS_MODEL_ANTISLOP_THRESHOLD": "4"}
    read = [
        read_settings({key: "5"}, env, CONFIG, SCRATCHPAD),
        read_settings({key: ""}, env, CONFIG, SCRATCHPAD),
        read_settings({}, {}, CONFIG, SCRATCHPAD),
        read_settings({}, {}, None, SCRATCHPAD),
    ]
    assert [one.cross_model_antislop_threshold for one in read] == [5, 4, 3, 2]
    assert [one.cross_model_review for one in read] == [True, True, True, False]
    assert all(one.sovereign_memory and one.notices == () for one in read)


@pytest.mark.parametrize(
    ("key", "text", "used"),
    [
        ("cross_model_antislop_threshold", "11", 10),
        ("cross_model_antislop_threshold", "-1", 0),
        ("cross_model_antislop_threshold", "six", 6),
        ("cross_model_antislop_threshold", "٦", 6),
        ("cross_model_antislop_threshold", "6.5", 6),
        ("cross_model_rework_max", "-3", 0),
        ("cross_model_rework_max", "x", 2),
        ("sovereign_memory_jsonl_max_lines", "0", 1),
        ("sovereign_memory_max_chars", "9" * 30, 2048),
        ("sovereign_memory", "yes", False),
    ],
)
def test_a_value_that_cannot_be_used_gives_way_and_is_told(key: str, text: str, used: int) -> None:
    settings = read_settings({}, {key.upper(): text}, None, None)
    assert getattr(settings, key) == used
    (notice,) = settings.notices
    assert key.upper() in notice
    assert "the environment" in notice


@pytest.mark.parametrize("text", ["1", "true", "TRUE"])
def test_a_switch_is_spelled_as_everywhere(text: str) -> None:
    assert read_settings({"sovereign_memory": text}, {}, None, None).sovereign_memory


@pytest.mark.parametrize(
    "config",
    [b"[ledgers", b"\xff", b"ledgers = 1", b"[ledgers]\nsurprise = 1\n", b"[ledgers.models]\nbest = []\n"],
)
def test_a_config_that_cannot_be_used_is_told_and_the_rest_counts(config: bytes) -> None:
    settings = read_settings({}, {}, config, SCRATCHPAD)
    assert len(settings.notices) == 1
    assert settings.cross_model_antislop_threshold == 2


def test_a_key_that_is_no_setting_is_named_unless_it_is_a_secret() -> None:
    (notice,) = read_settings({}, {}, b"[ledgers]\ncross_model_rewiew = 1\n", None).notices
    assert 'has "cross_model_rewiew", which is no setting; the settings are: cross_model_review,' in notice
    token = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"
    (notice,) = read_settings({}, {}, f"[ledgers]\n{token} = 1\n".encode(), None).notices
    assert "has a key that looks like a secret and is no setting" in notice
    assert token[4:12] not in notice


def test_the_catalog_lists_the_models_of_each_tier() -> None:
    config = b'[ledgers]\nmodel_resolve = "local_catalog"\n[ledgers.models]\ncheap = ["a", "b"]\n'
    settings = read_settings({}, {}, config, None)
    assert (settings.use_catalog, settings.catalog) == (True, {"cheap": ("a", "b")})


def test_other_tables_of_the_config_are_left_alone() -> None:
    assert read_settings({}, {}, b"[other]\nx = 1\n", None) == LedgerSettings()
