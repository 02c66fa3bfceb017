"""What agents read of us: how to capture, refresh and receive by themselves, and the command for critics.

Each stands in a file where that agent looks for it.
"""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import files
from pathlib import PurePosixPath

_NAME = "capture-handoff"
_DESCRIPTION = (
    "Receives, leaves and refreshes the hand-offs that this repository keeps in .ophiuchus. Use it before "
    "work starts, to learn what earlier work found out and whether that still holds; whenever an approach "
    "was ruled out; and before stopping while work is left to do."
)
_FRONT = "---\n{}\n---\n\n"


class Agent(StrEnum):
    """An agent that can be taught; the value is what people call it."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    CURSOR = "cursor"


INSTRUCTIONS = PurePosixPath("AGENTS.md")
"""Where Codex and others look; only one section of it is ours."""
_OWN_FILES = {
    Agent.CLAUDE_CODE: PurePosixPath(f".claude/skills/{_NAME}/SKILL.md"),
    Agent.CURSOR: PurePosixPath(f".cursor/rules/{_NAME}.mdc"),
}

CRITIC_COMMANDS = (
    PurePosixPath(".cursor/commands/sovereign-critic.md"),
    PurePosixPath(".claude/commands/sovereign-critic.md"),
)
"""Where Cursor (DEC-0104 §10) and Claude Code look for commands."""


def own_file(agent: Agent) -> tuple[PurePosixPath, str] | None:
    """The file that is this agent's alone, and its text; None for one that reads `INSTRUCTIONS`."""
    place = _OWN_FILES.get(agent)
    if place is None:
        return None
    return place, skill() if agent is Agent.CLAUDE_CODE else rule()


def skill() -> str:
    """The skill as Claude Code reads it: name and description decide when it is opened."""
    return _FRONT.format(f"name: {_NAME}\ndescription: {_DESCRIPTION}") + starter("skill.md")


def rule() -> str:
    """The rule as Cursor reads it. It always applies, for nobody asks for hand-offs while writing code."""
    text = starter("skill.md").replace(f"--with {Agent.CLAUDE_CODE}", f"--with {Agent.CURSOR}")
    return _FRONT.format(f"description: {_DESCRIPTION}\nalwaysApply: true") + text


def section() -> str:
    """The section for AGENTS.md or CLAUDE.md, between its marks."""
    return starter("agents.md")


def critic_files() -> dict[PurePosixPath, str]:
    """Each file of the command with which an agent lets critics look at its work, with its text."""
    return dict.fromkeys(CRITIC_COMMANDS, starter("critic.md"))


def starter(name: str) -> str:
    """The text of a file that `init` writes."""
    return (files("ophiuchus.commands") / "starter" / name).read_text("utf-8")
