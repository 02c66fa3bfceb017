"""What the Actions runner does with what a step leaves behind: a model for tests, not made from our code.

It follows actions/runner's ActionCommand.cs, ActionCommandManager.cs and FileCommandManager.cs: which lines
are commands, in the present (`::name::`) and the old (`##[name]`) spelling, and the command files' grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

REGISTERED = {
    "add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice",
    "remove-matcher", "save-state", "set-env", "set-output", "stop-commands", "warning",
}  # fmt: skip


@dataclass(frozen=True)
class Command:
    """One line that the runner obeys."""

    name: str
    properties: dict[str, str] = field(default_factory=dict)
    data: str = ""


def lines_of(output: str) -> list[str]:
    """Lines as a .NET StreamReader ends them."""
    return re.split(r"\r\n|\r|\n", output)


def command_in(line: str) -> Command | None:
    """The command that the runner sees in one line of stdout or stderr."""
    return _present_spelling(line) or _old_spelling(line)


def commands_in(output: str) -> list[Command]:
    """All commands in a stream, in order."""
    return [found for line in lines_of(output) if (found := command_in(line)) is not None]


def log_of(output: str) -> list[str]:
    """What is left in the log: the lines that are not commands."""
    return [line for line in lines_of(output) if command_in(line) is None]


def read_file_commands(text: str) -> dict[str, str]:
    """The pairs in an outputs file; raises ValueError where the runner fails the step."""
    pairs: dict[str, str] = {}
    rest = text
    while rest:
        line, _, rest = rest.partition("\n")
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            name, value = line.split("=", 1)
        elif heredoc >= 0:
            name, delimiter = line.split("<<", 1)
            if not delimiter:
                raise ValueError(f"Invalid format {line!r}")
            end = re.search(rf"(?:\A|\n){re.escape(delimiter)}(?:\n|\Z)", rest)
            if end is None:
                raise ValueError(f"Matching delimiter not found {delimiter!r}")
            value, rest = rest[: end.start()], rest[end.end() :]
        else:
            raise ValueError(f"Invalid format {line!r}")
        if not name:
            raise ValueError(f"Invalid format {line!r}")
        pairs[name] = value
    return pairs


def _present_spelling(line: str) -> Command | None:
    trimmed = line.lstrip().lstrip("\ufeff\u200b")
    if not trimmed.startswith("::"):
        return None
    head, separator, data = trimmed[2:].partition("::")
    if not separator:
        return None
    name, _, listed = head.partition(" ")
    if name.lower() not in REGISTERED:
        return None
    return Command(name.lower(), _properties(listed, ",", _undo_property), _undo(data, ("%0D", "%0A")))


def _old_spelling(line: str) -> Command | None:
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name, _, listed = line[start + 3 : end].partition(" ")
    if name.lower() not in REGISTERED:
        return None
    return Command(name.lower(), _properties(listed, ";", lambda text: text), line[end + 1 :])


def _properties(listed: str, separator: str, undo: object) -> dict[str, str]:
    pairs = (item.split("=", 1) for item in listed.split(separator) if item.strip())
    assert callable(undo)
    return {pair[0].strip(): undo(pair[1]) for pair in pairs if len(pair) == 2}


def _undo_property(text: str) -> str:
    return _undo(text, ("%0D", "%0A", "%3A", "%2C"))


def _undo(text: str, codes: tuple[str, ...]) -> str:
    for code in codes:
        text = text.replace(code, chr(int(code[1:], 16)))
    return text.replace("%25", "%")
