"""The command file with which an editor's agent lets critics look at its work: `init --critic`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import PurePosixPath

CRITIC_COMMANDS = (
    PurePosixPath(".cursor/commands/sovereign-critic.md"),
    PurePosixPath(".claude/commands/sovereign-critic.md"),
)
"""Where Cursor (DEC-0104 §10) and Claude Code look for commands."""


def critic_files() -> dict[PurePosixPath, str]:
    """Each file with its text."""
    text = (files("ophiuchus.commands") / "starter" / "critic.md").read_text("utf-8")
    return dict.fromkeys(CRITIC_COMMANDS, text)
