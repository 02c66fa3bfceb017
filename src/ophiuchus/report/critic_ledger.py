"""The critics' ledger of the judged tree: what is wrong with it, what blocks, how each phase stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from ophiuchus.git.process import GitFailed
from ophiuchus.git.scratch import Scratch
from ophiuchus.ledgers.append_only import LostLine, lost_rows
from ophiuchus.ledgers.critic.rework import PhaseCount
from ophiuchus.ledgers.critic.validation import FINDINGS, Tally, validate
from ophiuchus.ledgers.jsonl import Profile, Row
from ophiuchus.ledgers.settings import LedgerSettings
from ophiuchus.report.ledger_faults import Faults, Found, Watch
from ophiuchus.report.ledger_rows import Losses, may_be_shown, rows_of, shown_id, shown_text, unreadable
from ophiuchus.report.ledger_tree import CommittedLedger, LedgerTrees, read_trees
from ophiuchus.report.ledgers import (
    MOST_LISTED,
    BlockingFinding,
    CriticLedger,
    JudgedLedgers,
    Ledgers,
    PhaseDecision,
    PhaseReview,
)
from ophiuchus.text.problem import Notice, NoticeCode, Problem

MOST_PHASES = 10_000
"""Most phases of runs that are reckoned; rows of others count in the ledger's totals only."""


class _Count(Tally):
    """Counts the phases too."""

    def __init__(self) -> None:
        Tally.__init__(self)
        self.phases: dict[tuple[str, str], PhaseCount] = {}

    def note(self, row: Row) -> None:
        Tally.note(self, row)
        key = row.value["orchestrator_run_id"], row.value["phase_id"]
        phase = self.phases.get(key)
        if phase is None and len(self.phases) < MOST_PHASES:
            phase = self.phases[key] = PhaseCount()
        if phase is not None:
            phase.note(row.value)


def judge_critic(scratch: Scratch, tree: str, base: str | None, settings: LedgerSettings) -> JudgedLedgers:
    """The ledger of `tree`, compared with that of the tree `base` where one is known."""
    trees = read_trees(scratch, tree, base, [FINDINGS])
    count = _Count()
    before = trees.before
    faults = Faults(
        trees.untouched, None if before is None else lambda watch: _judged(before, Tally(), watch)
    )
    problems: list[Problem] = list(trees.refused)
    try:
        faults.sort(lambda watch: _judged(trees.now, count, watch))
    except GitFailed:
        problems += [unreadable(one.path) for one in trees.now]
    losses = Losses()
    losses.note_all(_lost(trees))
    ledger = CriticLedger(
        path=str(FINDINGS),
        rows=count.rows,
        open_blocking_count=count.open_blocking_count,
        open_blocking=tuple(_blocking(row) for row in count.open_blocking[:MOST_LISTED]),
        phase_count=len(count.phases),
        phases=tuple(_phases(count, settings)),
        lost_count=losses.count,
        lost=tuple(losses.rows),
    )
    return JudgedLedgers(
        Ledgers(critic=ledger),
        (*problems, *faults.problems),
        (*faults.notices, *losses.notices, *_saturation(count)),
    )


def _judged(files: Sequence[CommittedLedger], tally: Tally, watch: Watch) -> Iterator[Found]:
    for file in files:
        for found in validate(watch.over(file.open), Profile.COMPAT, tally):
            yield file.path, found


def _lost(trees: LedgerTrees) -> Iterator[tuple[str, LostLine]]:
    for before in trees.changed_before():
        now = chain.from_iterable(rows_of(file.open) for file in trees.now)
        for row in lost_rows(rows_of(before.open), now, "finding_id"):
            yield before.path, row


def _blocking(row: Row) -> BlockingFinding:
    value, shows = row.value, may_be_shown(row)
    return BlockingFinding(
        line=row.line,
        finding_id=shown_id(value.get("finding_id")) if shows else "",
        run_id=shown_id(value.get("orchestrator_run_id")) if shows else "",
        phase_id=shown_id(value.get("phase_id")) if shows else "",
        lens=shown_id(value.get("lens")) if shows else "",
        severity=shown_id(value.get("severity")) if shows else "",
        text=shown_text(value.get("finding_text")) if shows else None,
    )


def _phases(count: _Count, settings: LedgerSettings) -> Iterator[PhaseReview]:
    """The phases that do not pass first, and then the latest."""
    reviews = []
    for (run_id, phase_id), phase in reversed(count.phases.items()):
        rework = phase.decide(
            threshold=settings.cross_model_antislop_threshold,
            rework_max=settings.cross_model_rework_max,
            profile=Profile.COMPAT,
        )
        reviews.append(
            PhaseReview(
                run_id=shown_id(run_id),
                phase_id=shown_id(phase_id),
                decision=PhaseDecision(rework.decision.value),
                aggregate=rework.aggregate,
                open_blocking=rework.open_blocking,
                generation=rework.generation,
                most=rework.most,
            )
        )
    reviews.sort(key=lambda review: review.decision is PhaseDecision.PASS)
    yield from reviews[:MOST_LISTED]


def _saturation(count: Tally) -> Iterator[Notice]:
    """Signs that the critics say yes to everything."""
    signs = (
        (count.scored_ten, "every score is 10: a critic that is always content tells nothing"),
        (count.closed, "every finding is closed: nothing that was found stands open"),
        (count.by_one_model, "producer and critic are one model in every finding: no other model has looked"),
    )
    for number, words in signs:
        if count.rows and number == count.rows:
            yield Notice(str(FINDINGS), NoticeCode.SATURATED, f"{words} ({count.rows:,} rows)")
