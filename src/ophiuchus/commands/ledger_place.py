"""Where a ledger is that a command was asked about, its settings, and how what is wrong with it is told."""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from ophiuchus.commands.edge import Edge
from ophiuchus.ledgers.append import LedgerUnreadable, open_ledger
from ophiuchus.ledgers.jsonl import RowNotice, RowProblem
from ophiuchus.ledgers.settings import LedgerSettings, read_settings
from ophiuchus.text.setting_places import CONFIG, SCRATCHPAD
from ophiuchus.text.strict_toml import MOST_BYTES


class LedgerPlace(NamedTuple):
    """A ledger by its place beneath a folder that is trusted; nothing beneath it is reached through links."""

    root: Path
    place: PurePosixPath

    def open(self) -> BinaryIO:
        """The ledger, empty where there is none. Raises LedgerUnreadable."""
        return open_ledger(self.root, self.place) or io.BytesIO()


def place_of(arguments: argparse.Namespace, usual: PurePosixPath) -> LedgerPlace:
    """The ledger that was named, or the usual one of the checkout. Raises LedgerUnreadable."""
    if arguments.file is None:
        return LedgerPlace(Path(arguments.repo), usual)
    file = Path(arguments.file)
    if file.name in ("", ".."):
        raise LedgerUnreadable("--file names no file", "Name the ledger, or leave the option out.")
    return LedgerPlace(file.parent, PurePosixPath(file.name))


def place_to_read(arguments: argparse.Namespace, usual: PurePosixPath, edge: Edge) -> LedgerPlace:
    """As `place_of`, to read only: `tell_if_missing` has told of it."""
    place = place_of(arguments, usual)
    tell_if_missing(place, arguments, edge)
    return place


def tell_if_missing(place: LedgerPlace, arguments: argparse.Namespace, edge: Edge) -> None:
    """Say so where a ledger that was named is not there: it may be mistyped. Raises LedgerUnreadable.

    It is no fault, as it never was to the original's callers, who judge before there is a first row.
    """
    if arguments.file is None:
        return
    file = open_ledger(*place)
    if file is None:
        edge.terminal.warn(f"notice: there is no file {arguments.file}, so there was nothing to read")
    else:
        file.close()


def settings_in(arguments: argparse.Namespace, edge: Edge) -> LedgerSettings:
    """The ledgers' settings of the checkout; what could not be used of them is told."""
    root = Path(arguments.repo)
    settings = read_settings({}, edge.env, _content(root, CONFIG), _content(root, SCRATCHPAD))
    for notice in settings.notices:
        edge.terminal.warn(f"notice: {notice}")
    return settings


def warn_of(path: PurePosixPath, found: RowProblem | RowNotice) -> str:
    """One line about one line: its place, what it is, and the code."""
    column = found.column if isinstance(found, RowProblem) else None
    place = ":".join(str(part) for part in (path, found.line, column) if part is not None)
    return f"{place}: {found.message} ({found.code})"


def as_json(found: Sequence[RowProblem | RowNotice]) -> list[dict[str, Any]]:
    """Problems or notices as values."""
    return [{name: getattr(one, name) for name in one.__slots__} for one in found]


def _content(root: Path, place: PurePosixPath) -> bytes | None:
    file = open_ledger(root, place)
    if file is None:
        return None
    with file:
        return file.read(MOST_BYTES + 1)
