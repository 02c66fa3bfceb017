"""The settings of both ledgers, and which of four places each comes from.

An action's input or a command's option beats the environment, that the table `[ledgers]` of
`.ophiuchus/config.toml`, that the `KEY=VALUE` lines of `.cursor/scratchpad.md`. A value that cannot be used
never stops a run: the default or the nearest bound stands in, and a notice says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ophiuchus.text.file_text import UnusableFile
from ophiuchus.text.strict_toml import parse_toml

CONFIG = PurePosixPath(".ophiuchus/config.toml")
SCRATCHPAD = PurePosixPath(".cursor/scratchpad.md")

TIERS = ("strong", "balanced", "cheap")
"""The catalog's tiers, best first (DEC-0104 §5)."""


class _Number(NamedTuple):
    default: int
    least: int
    most: int | None = None


# DEC-0104 §1 and DEC-0105 §1, by field; a field's key is its name in capitals.
_SWITCHES = ("cross_model_review", "sovereign_memory", "ai_decision_ledger")
_NUMBERS = {
    "cross_model_antislop_threshold": _Number(6, 0, 10),
    "cross_model_rework_max": _Number(2, 0),
    "sovereign_memory_top_n": _Number(5, 0),
    "sovereign_memory_top_k": _Number(3, 0),
    "sovereign_memory_max_chars": _Number(2048, 0),
    "sovereign_memory_jsonl_max_lines": _Number(500, 1),
    "sovereign_memory_read_tail": _Number(500, 1),
}
_MODEL_RESOLVE = "model_resolve"
_KNOWN = (*_SWITCHES, *_NUMBERS, _MODEL_RESOLVE)

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_LINE = re.compile(r"^[ \t]*([A-Z][A-Z_]*)[ \t]*=[ \t]*([^ \t\r\n]*)", re.MULTILINE)
_TRUTH = {"1": True, "true": True, "0": False, "false": False}


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """What the documents let a repository choose. `notices` says what could not be used of it.

    `catalog` holds the known model ids of each tier; it is looked into where `use_catalog` says so.
    """

    cross_model_review: bool = False
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
    catalog: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
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
    notices: list[str] = []
    table = _table(config_toml, notices)
    lines = dict(_LINE.findall((scratchpad or b"").decode("utf-8", "replace")))
    values: dict[str, Any] = {}
    for name in _KNOWN:
        places = (
            ("the inputs", inputs.get(name, "")),
            ("the environment", env.get(name.upper(), "")),
            (str(CONFIG), str(table.get(name, ""))),
            (str(SCRATCHPAD), lines.get(name.upper(), "")),
        )
        where, text = next(((where, text.strip()) for where, text in places if text.strip()), ("", ""))
        if not text:
            continue
        if name in _NUMBERS:
            values[name] = _number(name, text, where, notices)
        elif name in _SWITCHES:
            values[name] = _switch(name, text, where, notices)
        else:
            values["use_catalog"] = text == "local_catalog"
    return LedgerSettings(**values, catalog=_catalog(table, notices), notices=tuple(notices))


def _table(config_toml: bytes | None, notices: list[str]) -> Mapping[str, Any]:
    if config_toml is None:
        return {}
    try:
        table = parse_toml(config_toml).document.get("ledgers", {})
    except UnusableFile as unusable:
        notices.append(f"{CONFIG} {unusable.message}; nothing of it is used")
        return {}
    if not isinstance(table, dict):
        notices.append(f"`ledgers` in {CONFIG} is no table; nothing of it is used")
        return {}
    notices += [
        f"`ledgers` in {CONFIG} has a key that is no setting; the settings are: {', '.join(_KNOWN)}, models"
        for key in table
        if key not in _KNOWN and key != "models"
    ][:1]
    return table


def _number(name: str, text: str, where: str, notices: list[str]) -> int:
    default, least, most = _NUMBERS[name]
    used = default
    if _WHOLE_NUMBER.fullmatch(text):
        number = int(text)
        used = max(least, number if most is None else min(most, number))
        if used == number:
            return number
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    notices.append(f"{name.upper()} in {where} is no whole number {bounds}: {used} is used")
    return used


def _switch(name: str, text: str, where: str, notices: list[str]) -> bool:
    used = _TRUTH.get(text.lower())
    if used is None:
        notices.append(f"{name.upper()} in {where} is neither 0 nor 1: 0 is used")
    return bool(used)


def _catalog(table: Mapping[str, Any], notices: list[str]) -> Mapping[str, tuple[str, ...]]:
    """The table `[ledgers.models]`: for each tier a list of model ids."""
    models = table.get("models", {})
    if not isinstance(models, dict) or not all(
        tier in TIERS and isinstance(ids, list) and all(isinstance(one, str) and one.strip() for one in ids)
        for tier, ids in models.items()
    ):
        notices.append(f"`ledgers.models` in {CONFIG} is no list of model ids for each of {', '.join(TIERS)}")
        return {}
    return {tier: tuple(models[tier]) for tier in TIERS if tier in models}
