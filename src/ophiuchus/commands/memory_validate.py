"""`memory validate` and `memory stats`: judge the memory's ledgers, and count what they hold."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path, PurePosixPath

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.ledger_place import LedgerPlace, as_json, place_of, tell_if_missing, warn_of
from ophiuchus.commands.ledger_telling import MOST_TOLD, say_json, tell_judged, tell_self_test
from ophiuchus.ledgers.jsonl import Profile, RowNotice, RowProblem
from ophiuchus.ledgers.memory.family import Family, family_of
from ophiuchus.ledgers.memory.reasons import MemoryNotice
from ophiuchus.ledgers.memory.self_test import failures
from ophiuchus.ledgers.memory.statistics import Standing, standing_of
from ophiuchus.ledgers.memory.store import archives, strangers
from ophiuchus.ledgers.memory.validation import Found, LedgerFile, validate
from ophiuchus.text.problem import ExpectedFailure, ProblemCode

VALID = "[SOVEREIGN_MEMORY_VALIDATION_OK]"
INVALID = "[SOVEREIGN_MEMORY_VALIDATION_FAILED]"
SELF_TEST = "[SOVEREIGN_MEMORY_SELF_TEST_OK]"
ALL = "all"


class FamilyUnknown(ExpectedFailure):
    """A file's name does not tell its family, and nobody did."""


def run_validate(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Judge the ledgers and their archives. One that is not there is no fault."""
    if arguments.self_test:
        return tell_self_test(edge, failures(), SELF_TEST)
    told = [*_strangers(arguments)]
    count = 0
    for found in validate(_files(arguments, edge), Profile(arguments.profile)):
        is_problem = isinstance(found.what, RowProblem)
        count += is_problem
        if count <= MOST_TOLD or not is_problem or found.what.code == ProblemCode.TOO_MANY:
            told.append(found)
    problems = [one for one in told if isinstance(one.what, RowProblem)]
    notices = [one for one in told if not isinstance(one.what, RowProblem)]
    if arguments.format == "json":
        document = {
            "profile": arguments.profile,
            "valid": not count,
            "problem_count": count,
            "problems": _as_json(problems),
            "notices": _as_json(notices),
        }
        say_json(document, edge)
    else:
        tell_judged(
            edge,
            notices=map(_told, notices),
            problems=[*map(_told, problems)],
            count=count,
            valid=VALID,
            invalid=INVALID,
        )
    return ExitStatus.BAD_INPUT if count else ExitStatus.DONE


def run_stats(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Say how each family stands."""
    standings = [
        standing_of(Path(arguments.repo), family, Profile(arguments.profile))
        for family in families(arguments)
    ]
    if arguments.format == "json":
        say_json([asdict(one) for one in standings], edge)
    else:
        edge.terminal.say("\n".join(_table(standings)))
    return ExitStatus.DONE


def families(arguments: argparse.Namespace) -> Sequence[Family]:
    """The families that were named."""
    return tuple(Family) if arguments.family == ALL else (Family(arguments.family),)


def _files(arguments: argparse.Namespace, edge: Edge) -> list[LedgerFile]:
    if arguments.file is None:
        root = Path(arguments.repo)
        return [
            _file(LedgerPlace(root, place), family)
            for family in families(arguments)
            for place in (family.place, *archives(root, family))
        ]
    place = place_of(arguments, PurePosixPath())
    family = family_of(place.place.name) if arguments.family == ALL else Family(arguments.family)
    if family is None:
        raise FamilyUnknown(
            f"the name of {arguments.file} does not tell its family", "Name it with --family."
        )
    tell_if_missing(place, arguments, edge)
    return [_file(place, family)]


def _strangers(arguments: argparse.Namespace) -> Iterator[Found]:
    """A notice for each file that may be meant as a ledger and is not read, where all are judged."""
    if arguments.file is None and arguments.family == ALL:
        for place in strangers(Path(arguments.repo)):
            names = ", ".join(family.place.name for family in Family)
            words = f"is not read, for it has no ledger's name: {names}"
            yield Found(str(place), RowNotice(None, MemoryNotice.NO_LEDGER, words))


def _file(place: LedgerPlace, family: Family) -> LedgerFile:
    return LedgerFile(str(place.place), family, partial(LedgerPlace.open, place))


def _told(found: Found) -> str:
    return warn_of(PurePosixPath(found.path), found.what)


def _as_json(found: Sequence[Found]) -> list[dict[str, object]]:
    whats = as_json([one.what for one in found])
    return [{"path": one.path, **what} for one, what in zip(found, whats, strict=True)]


def _table(standings: Sequence[Standing]) -> Iterator[str]:
    heads = ("family", "active", "superseded", "archived", "unusable", "archives", "rows in them")
    lines = [heads, *(tuple(map(str, asdict(one).values())) for one in standings)]
    for first, *others in lines:
        cells = (f"{cell:>{len(head)}}" for head, cell in zip(heads[1:], others, strict=True))
        yield f"{first:<10}  {'  '.join(cells)}"
