"""`ophiuchus init`: give a repository its folder, a workflow, and what teaches agents to capture.

Nothing that exists is changed, not even by appending: whoever wrote an AGENTS.md decides what stands in it,
so there the section is printed to paste (decision 0010). Running it again writes only what is missing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ophiuchus.commands.agent_files import INSTRUCTIONS, Agent, critic_files, own_file, section, starter
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.staging import git_add
from ophiuchus.git.checkout import open_checkout
from ophiuchus.text.new_file import AlreadyThere, CannotBeWritten, create_file

HELP = "write the hand-off folder, a workflow and what teaches your agent; never overwrites"
EXAMPLE = "  ophiuchus init\n  ophiuchus init --agent claude-code --agent cursor"

WORKFLOW = PurePosixPath(".github/workflows/ophiuchus.yml")
FILES = {PurePosixPath(".ophiuchus/README.md"): "folder.md", WORKFLOW: "workflow.yml"}
AGENT_FILES = (INSTRUCTIONS, PurePosixPath("CLAUDE.md"))
"""Where agents look for instructions; the first is written when there is none of them."""
SECTION_MARK = "<!-- ophiuchus:begin -->"
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What `init` did: files written, files left as they were, and files to paste the section into.

    `refused` says of each file that could not be written why.
    """

    written: tuple[PurePosixPath, ...]
    kept: tuple[PurePosixPath, ...]
    to_paste: tuple[PurePosixPath, ...]
    refused: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("-C", dest="directory", default=".", metavar="DIR", help="a folder of the checkout")
    parser.add_argument(
        "--agent",
        dest="agents",
        action="append",
        choices=[agent.value for agent in Agent],
        help="teach this agent: claude-code by a skill, cursor by a rule, codex by the section for AGENTS.md "
        "(the default); may be given again",
    )
    parser.add_argument(
        "--critic",
        action="store_true",
        help="also write the command with which an agent lets critics look at its work (Cursor, Claude Code)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Write what is missing and say so. Raises ExpectedFailure where there is no checkout to write into."""
    top = open_checkout(Path(arguments.directory), edge.env).top
    agents = [Agent(name) for name in arguments.agents or (Agent.CODEX,)]
    outcome = set_up(top, agents, critic=arguments.critic)
    if arguments.format == "json":
        named = {"written": outcome.written, "kept": outcome.kept, "to_paste": outcome.to_paste}
        said = {name: [str(path) for path in paths] for name, paths in named.items()}
        edge.terminal.say_json(json.dumps({**said, "section": section()}, ensure_ascii=False, indent=2))
    else:
        edge.terminal.say("\n".join(_told(outcome, top)))
    for reason in outcome.refused:
        edge.terminal.warn(f"ophiuchus: {reason}")
    return ExitStatus.BAD_INPUT if outcome.refused else ExitStatus.DONE


def set_up(top: Path, agents: Collection[Agent], *, critic: bool) -> Outcome:
    """Create the files that are missing in the checkout at `top`; one that cannot be stops no other.

    `critic`: the command for critics too.
    """
    wanted = {path: starter(name) for path, name in FILES.items()}
    wanted |= (owned for agent in agents if (owned := own_file(agent)) is not None)
    present: list[PurePosixPath] = []
    if Agent.CODEX in agents:
        present = [path for path in AGENT_FILES if _is_there(top / path)]
        if not present:
            wanted[INSTRUCTIONS] = section()
    if critic:
        wanted |= critic_files()
    written, kept, refused = [], [], []
    for path, text in wanted.items():
        try:
            create_file(top, path, text.encode())
        except AlreadyThere:
            kept.append(path)
        except CannotBeWritten as failure:
            refused.append(failure.message)
        else:
            written.append(path)
    taught = any(_holds_section(top / path) for path in present)
    return Outcome(tuple(written), (*kept, *present), () if taught else tuple(present), tuple(refused))


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def _holds_section(path: Path) -> bool:
    """Whether the file already has the section; what cannot be read does not."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return SECTION_MARK.encode() in file.read(_MOST_BYTES)
    except OSError:
        return False


def _told(outcome: Outcome, top: Path) -> list[str]:
    lines = [f"wrote  {path}" for path in outcome.written]
    lines += [f"kept   {path} (it was there)" for path in outcome.kept]
    if outcome.to_paste:
        names = " or ".join(str(path) for path in outcome.to_paste)
        lines += ["", f"Paste this section into {names}, so that agents leave hand-offs:", "", section()]
    if WORKFLOW in outcome.written:
        lines += ["", f"In {WORKFLOW} put the action's owner in the place of OWNER."]
    if outcome.written:
        lines += ["", f"next:  {git_add(top, outcome.written, Path.cwd())}"]
    return lines
