"""The one capsule that a person means: by id or path in the judged tree, else on disk, or from the input."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from ophiuchus.capsule.reading import read_capsule
from ophiuchus.capsule.shelf import (
    DEFAULT_PATTERN,
    RefusedPattern,
    Shelf,
    ShelvedCapsule,
    build_shelf,
    read_shelf,
    shelve,
)
from ophiuchus.commands.edge import Edge
from ophiuchus.commands.given_file import STDIN, read_given
from ophiuchus.commands.judging import Opened, add_fetching, add_place, fetcher_for
from ophiuchus.git.globs import CAPSULE_FOLDER
from ophiuchus.git.remote import Remote
from ophiuchus.report.judge import judge
from ophiuchus.report.model import Report
from ophiuchus.report.scope import continued_in, lineage_of
from ophiuchus.text.clean import clean, spell_path
from ophiuchus.text.problem import ExpectedFailure, Notice, NoticeCode, Problem
from ophiuchus.text.strict_json import MAX_BYTES


class NoSuchCapsule(ExpectedFailure):
    """Nothing committed and no file has this id or path."""


class AmbiguousCapsule(ExpectedFailure):
    """An id or path means more than one capsule."""


class NotJudged(ExpectedFailure):
    """The file is no capsule of a version that this program reads."""


@dataclass(frozen=True, slots=True)
class Found:
    """The capsule that was meant, None where it cannot be read, and what reading it left."""

    capsule: ShelvedCapsule | None
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]


def add_capsule(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say which capsule is meant, and where and when it is judged."""
    add_place(parser)
    parser.add_argument(
        "--capsules", default=DEFAULT_PATTERN, metavar="GLOB", help="where ids are looked for, as for check"
    )
    add_fetching(parser)
    parser.add_argument("capsule", metavar="CAPSULE", help="an id, a path, or - for the standard input")


def find_capsule(name: str, directory: str, edge: Edge, opened: Opened) -> Found:
    """The capsule that a person calls `name` in `directory`. Without one there is at least one problem.

    Raises NoSuchCapsule, AmbiguousCapsule, and NotJudged.
    """
    if name == STDIN:
        with opened.progress.during(""):  # a person may be typing now
            found = _uncommitted(STDIN, read_given(STDIN, edge, MAX_BYTES))
    else:
        found = _find(name, Path(os.path.realpath(directory)), edge, opened)
    if found.capsule is None and not found.problems:
        raise NotJudged(f"{name} " + "; ".join(notice.message for notice in found.notices))
    return found


def judge_found(found: Found, opened: Opened, remote: Remote | None, edge: Edge) -> Report:
    """The report on the one capsule; its parents are looked for on the opened tree.

    Base commits that are missing are fetched from `remote`, where there is one.
    """
    lineage = lineage_of(opened.shelf)
    return judge(
        opened.scratch,
        opened.target,
        [found.capsule] if found.capsule else [],
        problems=found.problems,
        notices=found.notices,
        continued=continued_in(lineage),
        lineage=lineage,
        fetcher=fetcher_for(opened, remote, edge.env),
    )


def _find(name: str, folder: Path, edge: Edge, opened: Opened) -> Found:
    """The capsule with this id or path: in the judged tree, else on disk; paths are seen from `folder`.

    A file that is named after an id, and cannot be asked for its own, is taken for that one.
    """
    # What a view put between an id's letters, so that they link nothing, comes along when it is copied.
    capsule_id = clean(name)
    shelves = {shelved.path: opened.shelf for shelved in opened.shelf.all_with_id(capsule_id)}
    shelves |= _in_tree(name, folder, opened)
    shelves = shelves or {said.path: opened.shelf for said in opened.shelf.unread_as(capsule_id)}
    if len(shelves) > 1:
        raise AmbiguousCapsule(f"{name!r} means more than one capsule", f"it may be {', '.join(shelves)}")
    if shelves:
        ((path, shelf),) = shelves.items()
        return _on(shelf, path)
    file = folder / name
    if file.is_file():
        return _uncommitted(name, read_given(str(file), edge, MAX_BYTES))
    written = opened.checkout.top / CAPSULE_FOLDER.decode() / f"{capsule_id}.json"
    if written.is_file():  # `capture` wrote it just now
        raise NoSuchCapsule(
            f"{name!r} is written, but is no part of what is judged",
            f"commit it, or give its file: {os.path.relpath(written, folder)}",
        )
    raise NoSuchCapsule(
        f"there is no capsule {name!r}{_guess(capsule_id, opened.shelf)}",
        "give an id, a path in the repository or on disk, or - for the input; `ophiuchus check` lists ids",
    )


def _guess(part: str, shelf: Shelf) -> str:
    """The question after the one id that `part` is in, as where only its last digits were given."""
    ids = {shelved.capsule.capsule_id for shelved in shelf.capsules}
    holding = [one for one in ids if part.casefold() in one.casefold()]
    return f"; did you mean {holding[0]}?" if len(holding) == 1 else ""


def _in_tree(name: str, folder: Path, opened: Opened) -> dict[str, Shelf]:
    """Where `name` is in the judged tree, and a shelf that has it; from `folder`, else from the top."""
    for one in dict.fromkeys((os.path.relpath(folder / name, opened.checkout.top), name)):
        path = spell_path(os.fsencode(one))
        for shelf in (opened.shelf, _narrow_shelf(one, opened)):
            if _has(shelf, path):
                return {path: shelf}
    return {}


def _narrow_shelf(path: str, opened: Opened) -> Shelf:
    """A shelf with what is at `path`, wherever capsules are kept otherwise."""
    try:
        return read_shelf(opened.scratch, opened.target.tree, path)
    except RefusedPattern:
        return build_shelf(())


def _has(shelf: Shelf, path: str) -> bool:
    found = _on(shelf, path)
    return bool(found.capsule or found.problems or found.notices)


def _on(shelf: Shelf, path: str) -> Found:
    return Found(
        shelf.by_path(path),
        tuple(problem for problem in shelf.problems if problem.path == path),
        tuple(notice for notice in shelf.notices if notice.path == path),
    )


def _uncommitted(name: str, data: bytes) -> Found:
    """What a file on disk, or the standard input, holds."""
    reading = read_capsule(name, data)
    if reading.capsule is None:
        return Found(None, reading.problems, reading.notices)
    where = "it was given" if name == STDIN else "it is on disk"
    notice = Notice(name, NoticeCode.NOT_COMMITTED, f"is not committed: judged as {where}")
    return Found(shelve(name, "", data, reading.capsule), reading.problems, (*reading.notices, notice))
