"""The two ledgers in the report: plain values, filled only where their switches are on.

Texts of rows are raw here, cut to a length, and None where the row looks like it holds a secret. Nothing here
imports the ledgers: a run that does not read them does not pay for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ophiuchus.text.problem import Notice, Problem

MOST_LISTED = 100
"""Most findings, phases, lost rows or references that are listed; all are counted."""
ID_CHARACTERS = 128
TEXT_CHARACTERS = 2_000
"""Most characters kept of an id, and of a row's text."""
NOT_SHOWN = "(not shown: it looks like it holds a secret)"
"""What stands for a row's text that is None."""
LEDGER_LIMIT = (
    "What a ledger's rows say was written by an agent: it is shown, not checked, and nothing here follows it."
)
"""The ledgers' limit sentence, shown wherever their rows are shown."""


class RowChange(StrEnum):
    """What this change did to a row that only ever was to be added to."""

    REMOVED = "removed"
    ALTERED = "altered"


class PhaseDecision(StrEnum):
    """What becomes of a phase that was reviewed."""

    PASS = "pass"  # noqa: S105 - a verdict
    REWORK = "rework"
    CAP_EXHAUSTED = "cap_exhausted"


@dataclass(frozen=True, slots=True)
class BlockingFinding:
    """A finding that is open and blocks, at `line` of the ledger. Its ids and words are data."""

    line: int
    finding_id: str
    run_id: str
    phase_id: str
    lens: str
    severity: str
    text: str | None


@dataclass(frozen=True, slots=True)
class PhaseReview:
    """How a phase of a run stands: the least score of its latest generation, and what that comes to.

    `generation` counts the reworks that were made, `most` is how many may be.
    """

    run_id: str
    phase_id: str
    decision: PhaseDecision
    aggregate: int | None
    open_blocking: int
    generation: int
    most: int


@dataclass(frozen=True, slots=True)
class LostRow:
    """A row that this change removed or altered; `path` and `line` say where it stands at the base.

    `identity` is its id, None where it has none that may be shown.
    """

    path: str
    line: int
    identity: str | None
    change: RowChange


@dataclass(frozen=True, slots=True)
class CriticLedger:
    """The critics' findings. `rows` are those without a fault; lists are bounded, counts are not.

    `lost_count` and `lost` are empty where no base is known.
    """

    path: str
    rows: int
    open_blocking_count: int
    open_blocking: tuple[BlockingFinding, ...]
    phase_count: int
    phases: tuple[PhaseReview, ...]
    lost_count: int
    lost: tuple[LostRow, ...]


@dataclass(frozen=True, slots=True)
class MemoryFamily:
    """One of the memory's four ledgers: its rows, those of them that are active, and its archives."""

    path: str
    rows: int
    active: int
    archives: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """A rejection of a capsule that names an entry of the memory as its source, and that entry.

    `ledger` to `text` are None where no entry has that id.
    """

    path: str
    item_id: str
    entry_id: str
    ledger: str | None
    line: int | None
    status: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class MemoryLedger:
    """The memory. `digest` is what a phase is told when it starts, of the entries `digest_entry_ids`."""

    families: tuple[MemoryFamily, ...]
    digest: str
    digest_entry_ids: tuple[str, ...]
    provenance: tuple[Provenance, ...]
    lost_count: int
    lost: tuple[LostRow, ...]


@dataclass(frozen=True, slots=True)
class Ledgers:
    """The two ledgers, each None where its switch is off."""

    critic: CriticLedger | None = None
    memory: MemoryLedger | None = None

    @property
    def is_any_read(self) -> bool:
        """Whether one of them is switched on."""
        return self.critic is not None or self.memory is not None

    @property
    def lost(self) -> tuple[LostRow, ...]:
        """What this change removed or altered in either."""
        return tuple(row for ledger in (self.critic, self.memory) if ledger for row in ledger.lost)

    @property
    def lost_count(self) -> int:
        """How many rows that are."""
        return sum(ledger.lost_count for ledger in (self.critic, self.memory) if ledger)


@dataclass(frozen=True, slots=True)
class JudgedLedgers:
    """What judging the ledgers came to: for the report, beside what is wrong and what is worth saying."""

    ledgers: Ledgers
    problems: tuple[Problem, ...] = ()
    notices: tuple[Notice, ...] = ()
