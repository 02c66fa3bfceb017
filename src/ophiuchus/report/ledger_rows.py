"""Rows of ledgers as the report shows them: cut to a length, and nothing of a row that holds a secret."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from ophiuchus.git.objects import GET_CONTENTS
from ophiuchus.git.process import GitFailed
from ophiuchus.ledgers.append_only import LostLine
from ophiuchus.ledgers.jsonl import Row, rows_in
from ophiuchus.report.ledgers import ID_CHARACTERS, MOST_LISTED, TEXT_CHARACTERS, LostRow, RowChange
from ophiuchus.secrets.scan import scan_text, scan_value
from ophiuchus.text.cut import place_to_cut
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode


def may_be_shown(row: Row) -> bool:
    """Whether nothing in the row looks like a secret."""
    return not scan_value(row.value)


def shown_id(value: Any) -> str:
    """An id or a word of a row; empty where it is no text."""
    return _cut(value, ID_CHARACTERS)


def shown_text(value: Any) -> str:
    """A text of a row; empty where it is none."""
    return _cut(value, TEXT_CHARACTERS)


def _cut(value: Any, most: int) -> str:
    return value[: place_to_cut(value, most)] if isinstance(value, str) else ""


def rows_of(opener: Callable[[], BinaryIO]) -> Iterator[Row]:
    """The rows of a ledger that is opened when the first one is asked for."""
    with opener() as file:
        yield from rows_in(file)


@dataclass(slots=True)
class Losses:
    """Rows that were removed or altered: how many, and the first of them. `notices` say what is not known."""

    count: int = 0
    rows: list[LostRow] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def note_all(self, found: Iterable[tuple[str, LostLine]]) -> None:
        """Count rows, each with the path of its ledger at the base."""
        try:
            for path, row in found:
                self._note(path, row)
        except GitFailed:
            message = "not all ledgers could be compared with the base: content is missing in this clone"
            self.notices.append(Notice("", NoticeCode.ABOUT_ROWS, message))

    def _note(self, path: str, row: LostLine) -> None:
        self.count += 1
        if len(self.rows) < MOST_LISTED:
            is_named = row.identity and not scan_text(row.identity)
            identity = shown_id(row.identity) if is_named else None
            self.rows.append(LostRow(path, row.line, identity, RowChange(row.loss.value)))


def unreadable(path: str) -> Problem:
    """A ledger whose content cannot be had."""
    message = f"cannot be read: its content is missing in this clone or damaged; {GET_CONTENTS}"
    return Problem(path, None, None, ProblemCode.UNREADABLE, message)
