"""The actions of `ophiuchus memory` that write: append, mistake, promote, retro, archive."""

from __future__ import annotations

import argparse
from pathlib import Path
from uuid import uuid4

from ophiuchus.commands.actor import actor_of
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.given_file import read_given
from ophiuchus.commands.ledger_place import settings_in
from ophiuchus.commands.ledger_telling import say_json
from ophiuchus.commands.memory_validate import families
from ophiuchus.ledgers.append import open_ledger
from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.given import given_object
from ophiuchus.ledgers.memory.mistakes import new_mistake
from ophiuchus.ledgers.memory.promotion import decision_ledger_of, promote
from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.ledgers.memory.retrospective import read_retrospective, write_retrospective
from ophiuchus.ledgers.memory.row import MistakeTag
from ophiuchus.ledgers.memory.store import Appended, Memory, Rollover, new_entry
from ophiuchus.ledgers.settings import LedgerSettings
from ophiuchus.ledgers.vocabulary import DecisionType
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.strict_json import MAX_BYTES
from ophiuchus.text.wording import counted


class TypeUnknown(ExpectedFailure):
    """--types names something that is no type of a decision."""


def run_append(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Add one entry and say its id."""
    settings = settings_in(arguments, edge)
    if not settings.sovereign_memory:
        return disabled(edge)
    family = Family(arguments.family)
    fields = given_object(read_given(arguments.source, edge, MAX_BYTES), "the entry")
    entry = new_entry(family, fields, edge.now, str(uuid4()))
    appended = _memory(arguments, settings, edge).append(
        family, entry, edge.now, id_is_given=fields.get("entry_id") is not None
    )
    return _written(appended, arguments, edge)


def run_mistake(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Write a mistake down and say its id."""
    settings = settings_in(arguments, edge)
    if not settings.sovereign_memory:
        return disabled(edge)
    fields = {
        "text": arguments.text,
        "failure_reason_code": arguments.code,
        "impact_score": arguments.impact,
        "source_orchestrator_run_id": arguments.run,
        "source_story_id": arguments.story,
        "phase_id": arguments.phase,
        "provenance_ref": arguments.ref,
        "tags": _listed(arguments.tags),
    }
    entry = new_mistake(MistakeTag(arguments.tag), fields, edge.now, str(uuid4()))
    memory = _memory(arguments, settings, edge)
    return _written(memory.append(Family.MISTAKES, entry, edge.now), arguments, edge)


def _written(appended: Appended, arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    if appended.duplicate:
        edge.terminal.warn(f"{MemoryReason.DECISION_DUPLICATE}: it stands already; nothing was written")
    if appended.rollover:
        edge.terminal.warn(f"notice: {_archived(appended.rollover)}")
    if arguments.format == "json":
        document = {
            "entry_id": None if appended.duplicate else appended.entry_id,
            "reason": MemoryReason.DECISION_DUPLICATE if appended.duplicate else None,
            "archive": str(appended.rollover.place) if appended.rollover else None,
        }
        say_json(document, edge)
    elif not appended.duplicate:
        edge.terminal.say(appended.entry_id)
    return ExitStatus.DONE


def run_promote(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Promote a run's decisions and say how many. Status 2 where one was refused."""
    settings = settings_in(arguments, edge)
    if not settings.sovereign_memory:
        return disabled(edge)
    types = _types(arguments.types)
    place = decision_ledger_of(arguments.run_id)
    if not types:
        return _skipped("no type of decision is named", arguments, edge)
    if not settings.ai_decision_ledger:
        return _skipped("AI_DECISION_LEDGER is 0", arguments, edge)
    ledger = open_ledger(Path(arguments.repo), place)
    if ledger is None:
        return _skipped(f"there is no {place}", arguments, edge)
    with ledger:
        memory = _memory(arguments, settings, edge)
        done = promote(ledger, types, memory, edge.now, lambda: str(uuid4()))
    if done.invalid:
        edge.terminal.warn(
            f"notice: {counted(done.invalid, 'line')} of {place} passed over: no valid decision"
        )
    for refusal in done.refused:
        edge.terminal.warn(refusal)
    if not (done.entry_ids or done.known or done.refused):
        return _skipped(f"no decision in {place} is of these types", arguments, edge)
    if arguments.format == "json":
        document = {
            "entry_ids": done.entry_ids,
            "reason": None,
            "known": done.known,
            "invalid": done.invalid,
            "refused": done.refused,
        }
        say_json(document, edge)
    else:
        edge.terminal.say(f"{counted(len(done.entry_ids), 'decision')} promoted, {done.known} known already")
    return ExitStatus.BAD_INPUT if done.refused else ExitStatus.DONE


def _skipped(why: str, arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    edge.terminal.warn(f"{MemoryReason.PROMOTION_SKIPPED}: {why}")
    if arguments.format == "json":
        say_json({"entry_ids": [], "reason": MemoryReason.PROMOTION_SKIPPED}, edge)
    return ExitStatus.DONE


def _types(listed: str) -> list[DecisionType]:
    try:
        return [DecisionType(name) for name in _listed(listed)]
    except ValueError:
        raise TypeUnknown(
            "--types names something that is no type of a decision",
            f"The types are: {', '.join(DecisionType)}.",
        ) from None


def run_retro(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Write a retrospective and say where it is."""
    if not settings_in(arguments, edge).sovereign_memory:
        return disabled(edge)
    retrospective = read_retrospective(read_given(arguments.source, edge, MAX_BYTES))
    place = write_retrospective(Path(arguments.repo), arguments.sprint, retrospective)
    if arguments.format == "json":
        say_json({"path": str(place)}, edge)
    else:
        edge.terminal.say(f"wrote  {place}")
    return ExitStatus.DONE


def run_archive(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Archive what is long enough and say what was moved."""
    settings = settings_in(arguments, edge)
    if not settings.sovereign_memory:
        return disabled(edge)
    memory = _memory(arguments, settings, edge)
    done = [(family, memory.roll_over(family, edge.now)) for family in families(arguments)]
    if arguments.format == "json":
        say_json({str(family): rollover and str(rollover.place) for family, rollover in done}, edge)
    else:
        for family, rollover in done:
            edge.terminal.say(_archived(rollover) if rollover else f"{family.stem} is not long enough")
    return ExitStatus.DONE


def _archived(rollover: Rollover) -> str:
    return f"{counted(rollover.lines, 'line')} moved to {rollover.place}"


def _memory(arguments: argparse.Namespace, settings: LedgerSettings, edge: Edge) -> Memory:
    return Memory(
        Path(arguments.repo),
        Profile(arguments.profile),
        settings.sovereign_memory_jsonl_max_lines,
        by=actor_of(edge.env),
    )


def _listed(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def disabled(edge: Edge) -> ExitStatus:
    """Say that the memory is switched off."""
    edge.terminal.warn(f"{MemoryReason.DISABLED}: SOVEREIGN_MEMORY is 0; nothing was read or written")
    return ExitStatus.DONE
