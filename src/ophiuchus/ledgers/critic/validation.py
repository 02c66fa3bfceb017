"""A critics' ledger judged line by line, in one reading: faults, secrets, and what is open and blocks."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from ophiuchus.ledgers.critic.finding import (
    FREE,
    READ_GOOD,
    Fault,
    FaultCode,
    Status,
    faults,
    is_open_blocking,
)
from ophiuchus.ledgers.critic.models import same_model
from ophiuchus.ledgers.jsonl import Profile, Row, RowNotice, RowProblem, read_rows, row_problem, rows_in
from ophiuchus.ledgers.patience import Patience
from ophiuchus.ledgers.repeats import MORE_REPEATS, Repeat, SeenIds, settle
from ophiuchus.secrets.matching import may_hold_secret
from ophiuchus.secrets.scan import may_hold_any, scan_value
from ophiuchus.text.problem import ProblemCode
from ophiuchus.text.strict_json import locate

FINDINGS = PurePosixPath("handoffs/sovereign_critic_findings.jsonl")
"""Where the ledger is, beneath the repository's root (DEC-0104 §2)."""
MOST_KEPT = 1_000
"""Most open blocking rows that are kept of one ledger; all are counted."""


@dataclass(slots=True)
class Tally:
    """What a reading counted over the rows without a fault; whatever is open and blocks, with faults too.

    `open_blocking` keeps the first MOST_KEPT. What one of them says again, as a merge leaves it, counts once.
    """

    rows: int = 0
    scored_ten: int = 0
    closed: int = 0
    by_one_model: int = 0
    open_blocking_count: int = 0
    open_blocking: list[Row] = field(default_factory=list)
    _kept: set[str] = field(default_factory=set)

    def note(self, row: Row) -> None:
        """Count one row without a fault."""
        value = row.value
        self.rows += 1
        self.scored_ten += value["anti_slop_score"] == 10
        self.closed += value["status"] != Status.OPEN
        self.by_one_model += same_model(value["producer_model_id"], value["critic_model_id"])

    def note_blocking(self, row: Row) -> None:
        """Count a row that is open and blocks, unless it repeats one that is kept (C056)."""
        said = json.dumps(row.value, sort_keys=True)
        if said in self._kept:
            return
        self.open_blocking_count += 1
        if len(self.open_blocking) < MOST_KEPT:
            self.open_blocking.append(row)
            self._kept.add(said)


def validate(
    open_ledger: Callable[[], BinaryIO], profile: Profile, tally: Tally
) -> Iterator[RowProblem | RowNotice]:
    """What is wrong with a ledger and what is worth saying, in the order of its lines; repeated ids last.

    `open_ledger` gives the file from its start; it is asked twice where ids repeat, which is a fault by the
    letter and else a notice. A secret is a fault in both profiles. `tally` is complete when this ends.
    """
    seen, patience = SeenIds(), Patience()
    with open_ledger() as file:
        for row in read_rows(file, READ_GOOD[profile], patience):
            if not isinstance(row, Row):
                yield row
                continue
            may_hold_secret = _may_hold_secret(row, profile)
            if row.good and not may_hold_secret:
                tally.note(row)
            elif patience.is_left():
                found = [] if row.good else faults(row.value, profile)
                found += _secrets(row) if may_hold_secret else ()
                if found:
                    patience.spend(row.raw, len(found))
                    yield from _problems(row, found)
                else:
                    tally.note(row)
            if is_open_blocking(row.value):
                tally.note_blocking(row)
            identity = row.value.get("finding_id")
            if isinstance(identity, str):
                seen.add(identity)
    if seen.suspects:
        with open_ledger() as file:
            yield from _repeats(settle(rows_in(file), "finding_id", seen.suspects), profile, patience)


def _repeats(
    repeats: Iterable[Repeat], profile: Profile, patience: Patience
) -> Iterator[RowProblem | RowNotice]:
    for repeat in repeats:
        if not patience.is_left():
            yield row_problem(repeat.again, None, ProblemCode.TOO_MANY, MORE_REPEATS)
            return
        patience.spend(b"")
        said = "the same: take one out" if repeat.same else "something else: give it an id of its own"
        message = f"has the `finding_id` of line {repeat.first}, and says {said}"
        if profile is Profile.STRICT:
            yield row_problem(repeat.again, None, FaultCode.DUPLICATE_ID, message)
        else:
            yield RowNotice(repeat.again, FaultCode.DUPLICATE_ID, message)


def _may_hold_secret(row: Row, profile: Profile) -> bool:
    if row.good:
        return may_hold_any([row.value.get(name, "") for name in FREE[profile]])
    return b"\\" in row.raw or may_hold_secret(row.raw)


def _secrets(row: Row) -> Iterator[Fault]:
    for secret in scan_value(row.value) and scan_value(row.as_written()):
        top = secret.where[0] if secret.where else None
        message = f"looks like it holds a secret: {secret}; take it out, and revoke it"
        yield Fault(top if isinstance(top, str) else None, FaultCode.SECRET, message)


def _problems(row: Row, found: Collection[Fault]) -> Iterator[RowProblem]:
    places = locate(row.raw, [(fault.field,) for fault in found if fault.field is not None])
    for fault in found:
        place: Any = places.get((fault.field or "",))
        column = None if place is None else (place.key or place.value).column
        yield row_problem(row.line, column, fault.code, fault.message)
