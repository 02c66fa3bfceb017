"""The four places that a setting of the ledgers may come from, and which of them wins.

An action's input or a command's option beats the environment, that the table `[ledgers]` of
`.ophiuchus/config.toml`, that the `KEY=VALUE` lines of `.cursor/scratchpad.md`. This stands below the
ledgers, so that whether they are switched on is known without importing anything of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ophiuchus.text.file_text import UnusableFile

CONFIG = PurePosixPath(".ophiuchus/config.toml")
SCRATCHPAD = PurePosixPath(".cursor/scratchpad.md")
TABLE = "ledgers"
"""The table of the configuration that holds the settings."""

_LINE = re.compile(r"^[ \t]*([A-Z][A-Z_]*)[ \t]*=[ \t]*([^ \t\r\n]*)", re.MULTILINE)
_INPUTS, _ENVIRONMENT = "the inputs", "the environment"
_TRUTH = {"1": True, "true": True, "0": False, "false": False}


class Switch(NamedTuple):
    """Whether a switch is on; `notice` says what could not be used of it, or is empty."""

    on: bool
    notice: str = ""


@dataclass(frozen=True, slots=True)
class SettingPlaces:
    """What stands in each place. `inputs` and `table` have settings' names, `env` and `lines` the keys.

    `notice` says why nothing of the configuration is used, or is empty.
    """

    inputs: Mapping[str, str]
    env: Mapping[str, str]
    table: Mapping[str, Any]
    lines: Mapping[str, str]
    notice: str = ""

    def find(self, name: str) -> tuple[str, str]:
        """The first place that has the setting, in words, and its text there; two empty texts for none."""
        places = (
            (_INPUTS, self.inputs.get(name, "")),
            (_ENVIRONMENT, self.env.get(name.upper(), "")),
            (str(CONFIG), str(self.table.get(name, ""))),
            (str(SCRATCHPAD), self.lines.get(name.upper(), "")),
        )
        return next(((where, text.strip()) for where, text in places if text.strip()), ("", ""))

    def switch(self, name: str) -> Switch:
        """Whether a switch is on. What is neither 0 nor 1 is 0, with a notice."""
        where, text = self.find(name)
        used = _TRUTH.get(text.lower())
        if used is None and text:
            return Switch(False, f"{name.upper()} in {where} is neither 0 nor 1: 0 is used")
        return Switch(bool(used))

    def is_clear(self, name: str) -> bool:
        """Whether it is known if a switch is meant to be on: nothing that may say so cannot be used."""
        where, text = self.find(name)
        is_read = not self.notice or where in (_INPUTS, _ENVIRONMENT)
        return is_read and (not text or text.lower() in _TRUTH)


def read_places(
    inputs: Mapping[str, str],
    env: Mapping[str, str],
    config_toml: bytes | None,
    scratchpad: bytes | None,
) -> SettingPlaces:
    """The places as they stand; a file that is not there is None."""
    table, notice = _table(config_toml)
    lines = dict(_LINE.findall((scratchpad or b"").decode("utf-8", "replace")))
    return SettingPlaces(inputs, env, table, lines, notice)


def _table(config_toml: bytes | None) -> tuple[Mapping[str, Any], str]:
    if config_toml is None:
        return {}, ""
    from ophiuchus.text.strict_toml import parse_toml  # noqa: PLC0415 - few repositories have such a file

    try:
        table = parse_toml(config_toml).document.get(TABLE, {})
    except UnusableFile as unusable:
        return {}, f"{CONFIG} {unusable.message}; nothing of it is used"
    if not isinstance(table, dict):
        return {}, f"`{TABLE}` in {CONFIG} is no table; nothing of it is used"
    return table, ""
