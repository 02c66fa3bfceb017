"""The settings of both ledgers. Each comes from one of four places (`text/setting_places.py`).

A value that cannot be used never stops a run: the default or the nearest bound stands in, and a notice says
so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from ophiuchus.secrets.scan import scan_text
from ophiuchus.text.setting_places import CONFIG, TABLE, SettingPlaces, read_places
from ophiuchus.text.wording import json_excerpt


class Tier(StrEnum):
    """How strong a model is, best first (DEC-0104 §5)."""

    STRONG = "strong"
    BALANCED = "balanced"
    CHEAP = "cheap"


class _Bounds(NamedTuple):
    least: int
    most: int | None = None


# DEC-0104 §1 and DEC-0105 §1, by field; a field's key is its name in capitals.
_SWITCHES = ("cross_model_review", "sovereign_memory", "ai_decision_ledger")
_NUMBERS = {
    "cross_model_antislop_threshold": _Bounds(0, 10),
    "cross_model_rework_max": _Bounds(0),
    "sovereign_memory_top_n": _Bounds(0),
    "sovereign_memory_top_k": _Bounds(0),
    "sovereign_memory_max_chars": _Bounds(0),
    "sovereign_memory_jsonl_max_lines": _Bounds(1),
    "sovereign_memory_read_tail": _Bounds(1),
}
_MODEL_RESOLVE = "model_resolve"
_KNOWN = (*_SWITCHES, *_NUMBERS, _MODEL_RESOLVE)

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """What the documents let a repository choose. `notices` says what could not be used of it.

    `catalog` holds the known model ids of each tier; it is looked into where `use_catalog` says so.
    `is_review_clear`: whether `cross_model_review` is what was meant, and not off for what cannot be used.
    """

    cross_model_review: bool = False
    is_review_clear: bool = True
    cross_model_antislop_threshold: int = 6
    cross_model_rework_max: int = 2
    sovereign_memory: bool = False
    sovereign_memory_top_n: int = 5
    sovereign_memory_top_k: int = 3
    sovereign_memory_max_chars: int = 2048
    sovereign_memory_jsonl_max_lines: int = 500
    sovereign_memory_read_tail: int = 500
    ai_decision_ledger: bool = False
    use_catalog: bool = False
    catalog: Mapping[Tier, tuple[str, ...]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def read_settings(
    inputs: Mapping[str, str],
    env: Mapping[str, str],
    config_toml: bytes | None,
    scratchpad: bytes | None,
) -> LedgerSettings:
    """The settings. `inputs` has fields' names, `env` and the scratchpad the keys; empty texts are unset.

    Files that are not there are None.
    """
    places = read_places(inputs, env, config_toml, scratchpad)
    notices = list(_about_table(places))
    values: dict[str, Any] = {"is_review_clear": places.is_clear("cross_model_review")}
    for name in _SWITCHES:
        switch = places.switch(name)
        values[name] = switch.on
        notices += [switch.notice] if switch.notice else []
    for name in _NUMBERS:
        where, text = places.find(name)
        if text:
            values[name] = _number(name, text, where, notices)
    values["use_catalog"] = places.find(_MODEL_RESOLVE)[1] == "local_catalog"
    return LedgerSettings(**values, catalog=_catalog(places.table, notices), notices=tuple(notices))


def _about_table(places: SettingPlaces) -> Iterator[str]:
    if places.notice:
        yield places.notice
    if unknown := [key for key in places.table if key not in _KNOWN and key != "models"]:
        is_secret = scan_text(unknown[0])
        key = "a key that looks like a secret and" if is_secret else f"{json_excerpt(unknown[0])}, which"
        known = ", ".join(_KNOWN)
        yield f"`{TABLE}` in {CONFIG} has {key} is no setting; the settings are: {known}, models"


def _number(name: str, text: str, where: str, notices: list[str]) -> int:
    least, most = _NUMBERS[name]
    used: int = getattr(LedgerSettings(), name)
    if _WHOLE_NUMBER.fullmatch(text):
        number = int(text)
        used = max(least, number if most is None else min(most, number))
        if used == number:
            return number
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    notices.append(f"{name.upper()} in {where} is no whole number {bounds}: {used} is used")
    return used


def _catalog(table: Mapping[str, Any], notices: list[str]) -> Mapping[Tier, tuple[str, ...]]:
    """The table `[ledgers.models]`: for each tier a list of model ids."""
    models = table.get("models", {})
    if isinstance(models, dict) and models.keys() <= set(Tier) and all(map(_are_ids, models.values())):
        return {tier: tuple(models[tier]) for tier in Tier if tier in models}
    notices.append(f"`ledgers.models` in {CONFIG} is no list of model ids for each of {', '.join(Tier)}")
    return {}


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)
