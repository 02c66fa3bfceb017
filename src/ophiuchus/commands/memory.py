"""`ophiuchus memory`: the ledgers of institutional memory, from the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.ledger_options import (
    Act,
    actions_of,
    add_checking,
    add_file,
    add_form,
    add_profile,
)
from ophiuchus.commands.ledger_place import settings_in
from ophiuchus.commands.ledger_telling import say_json
from ophiuchus.commands.memory_validate import ALL, run_stats, run_validate
from ophiuchus.commands.memory_write import (
    disabled,
    run_append,
    run_archive,
    run_mistake,
    run_promote,
    run_retro,
)
from ophiuchus.ledgers.append import open_ledger
from ophiuchus.ledgers.memory.digest import InjectionDigest, build_digest, spawn_block
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.mistakes import DEFAULT_IMPACT, FAILURE_CODES, TRIGGERS
from ophiuchus.ledgers.memory.row import MistakeTag
from ophiuchus.ledgers.memory.tail import read_tail
from ophiuchus.ledgers.settings import LedgerSettings
from ophiuchus.ledgers.vocabulary import DecisionType

HELP = "validate the memory's ledgers, append to them, and digest them for a prompt"
EXAMPLE = """\
  ophiuchus memory validate --repo . --profile strict
  ophiuchus memory append --family patterns --from pattern.json
  ophiuchus memory mistake fix_failed --text 'Three attempts at the flaky test' --phase execute
  ophiuchus memory digest --block
  ophiuchus memory promote auto-20260701-01 --types LEDGER_DECISION"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    add = actions_of(parser, add_form)
    action = add(
        "validate", "judge every line of all ledgers and archives; exit 2 where one is wrong", run_validate
    )
    add_file(action)
    _add_family(action)
    add_checking(action)
    action = add("append", "add one entry, if it is one", run_append)
    action.add_argument("--family", choices=list(map(str, Family)), required=True, help="what kind of entry")
    action.add_argument(
        "--from",
        dest="source",
        required=True,
        metavar="FILE",
        help="its fields as a JSON object; - reads stdin. What every entry has may be left out",
    )
    _add_writing(action)
    action = add("mistake", "write a mistake down, as a hook does", run_mistake)
    tags = list(map(str, MistakeTag))
    action.add_argument("tag", choices=tags, metavar="|".join(tags), help="; ".join(_hooks()))
    action.add_argument("--text", required=True, metavar="TEXT", help="what to learn of it")
    action.add_argument("--code", metavar="CODE", help="the failure's reason code (default: the tag's own)")
    action.add_argument("--impact", type=int, metavar="N", help=f"from 0 to 100 (default: {DEFAULT_IMPACT})")
    action.add_argument("--run", metavar="ID", help="the orchestrator's run")
    action.add_argument("--story", metavar="ID", help="the story")
    action.add_argument("--phase", metavar="ID", help="the phase")
    action.add_argument("--ref", metavar="TEXT", help="where it is told, such as R-0093")
    action.add_argument("--tags", metavar="LIST", default="", help="comma list of up to ten tags")
    _add_writing(action)
    action = add("digest", "print what a phase is told when it starts", _digest)
    action.add_argument("--block", action="store_true", help="as the fenced block that a prompt carries")
    action = add("promote", "write a run's decisions from its decision ledger to the memory", run_promote)
    action.add_argument("run_id", metavar="RUN", help="the orchestrator's run")
    action.add_argument(
        "--types",
        metavar="LIST",
        default=DecisionType.LEDGER_DECISION.value,
        help=f"comma list of decision types (default: {DecisionType.LEDGER_DECISION})",
    )
    _add_writing(action)
    action = add("retro", "write a sprint's retrospective; never overwrites", run_retro)
    action.add_argument("sprint", metavar="SPRINT", help="the sprint's id, which becomes the file's name")
    action.add_argument(
        "--from",
        dest="source",
        required=True,
        metavar="FILE",
        help="JSON: summary, and story_ids, release_ref, learnings, promoted_entry_ids; - reads stdin",
    )
    action = add("archive", "move ledgers that are long enough to the archive", run_archive)
    _add_family(action)
    _add_writing(action)
    action = add("stats", "count what the ledgers and archives hold", run_stats)
    _add_family(action)
    add_profile(action)


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Do it. Raises ExpectedFailure."""
    act: Act = arguments.act
    return act(arguments, edge)


def _add_family(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--family",
        choices=(*map(str, Family), ALL),
        default=ALL,
        help="only this kind of entry; for --file, which kind it holds (default: all)",
    )


def _add_writing(parser: argparse.ArgumentParser) -> None:
    about = "when a ledger is archived: compat at SOVEREIGN_MEMORY_JSONL_MAX_LINES, strict above it"
    add_profile(parser, about)


def _hooks() -> list[str]:
    return [f"{tag}: {TRIGGERS[tag]} ({FAILURE_CODES[tag]})" for tag in MistakeTag]


def _digest(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    settings = settings_in(arguments, edge)
    if not settings.sovereign_memory:
        disabled(edge)
    digest = _digest_of(Path(arguments.repo), settings)
    for notice in digest.notices:
        edge.terminal.warn(f"notice: {notice}")
    text = spawn_block(digest) if arguments.block else digest.digest_text
    if arguments.format == "json":
        document = {
            "digest_text": digest.digest_text,
            "entry_ids": digest.entry_ids,
            "char_count": digest.char_count,
            "notices": digest.notices,
        }
        say_json({**document, "block": text} if arguments.block else document, edge)
    elif text:
        edge.terminal.say(text)
    return ExitStatus.DONE


def _digest_of(root: Path, settings: LedgerSettings) -> InjectionDigest:
    tails = {}
    for family in Family if settings.sovereign_memory else ():
        ledger = open_ledger(root, family.place)
        if ledger is not None:
            with ledger:
                tails[family] = read_tail(ledger, family, settings.sovereign_memory_read_tail)
    return build_digest(tails, settings)
