r"""The report: what one run found, as one value. Every surface shows it, `--format json` is it.

Plain dataclasses, so that building one costs little; pydantic gives them their JSON Schema and their
bytes (`report/serial.py`). Version 1 may gain keys; all keys are always present; closed sets are enums.
Texts from capsules are raw here and are cleaned where they are rendered. Paths are text, bytes that are not
UTF-8 spelled `\xHH`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ophiuchus.assess.continuity import ALONE, Continuity
from ophiuchus.assess.fidelity import Consumer, UnitVerdict
from ophiuchus.assess.negative_knowledge import ItemVerdict, Standing
from ophiuchus.assess.verdicts import CHANGED, RANK, Aggregate, GlobVerdict, Method, Verdict
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.ledgers import Ledgers
from ophiuchus.text.problem import Notice, Problem
from ophiuchus.text.record import record

REPORT_VERSION = 1


class GateRule(StrEnum):
    """What `fail_on` can name."""

    STALE = "stale"
    PARTIALLY_STALE = "partially_stale"
    UNVERIFIABLE = "unverifiable"
    NOT_DECLARED = "not_declared"
    EXPIRED = "expired"
    REVALIDATION_REQUIRED = "revalidation_required"
    INTRODUCED = "introduced"
    REDECLARED = "redeclared"
    BLOCKING_FINDINGS = "blocking_findings"
    ANY = "any"


class Scope(StrEnum):
    """Which capsules gate and are told of first: all but those that a newer one continues, or all."""

    LIVE = "live"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Tool:
    """Which program judged."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Merge:
    """The two commits that the judged merge commit joins: the target branch's and the pull request's head."""

    base: str
    head: str


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What was judged. `head` is the judged commit (None: an index without a commit), `tree` its tree's id.

    `now` is RFC 3339 in UTC; `base` the commit that attribution compared with; `fetched` counts the base
    commits that had to be fetched; `shard` is `I/N`; `truncated` counts the capsules that were not judged,
    because there were more than was asked for. Where reports of several repositories are joined,
    `repository`, `head` and `base` are None, `tree` is empty, and the report's `sources` say it of each.
    """

    repository: str | None
    head: str | None
    tree: str
    now: str
    base: str | None = None
    shallow: bool = False
    merge: Merge | None = None
    fetched: int = 0
    shard: str | None = None
    truncated: int = 0


class SinceWhat(StrEnum):
    """What a capsule's staleness is dated by."""

    CHANGE = "change"
    DEADLINE = "deadline"
    EXPIRY = "expiry"
    CREATED = "created"


@record
class Since:
    """Since when a capsule is stale or expired, in RFC 3339 and UTC, and what that moment is.

    `change`: the commit of a change that made it stale, so it is stale since then at the latest. `created`:
    nothing better is known than when the capsule was written, so it is stale since then at the earliest.
    """

    at: str
    what: SinceWhat


@record
class ConditionReport:
    """One validity condition. `line` is where it stands in the capsule's file.

    `introduced`: this change made it worse than at the base, or one more of its globs is changed; None where
    the base is not known or the condition is not required. `changed_by` are commits that changed it, the
    newest first, as far as history is there: at most three.
    """

    condition_id: str
    kind: str
    required: bool
    line: int | None
    verdict: Verdict
    method: Method | None
    reason: str
    remedy: str | None
    introduced: bool | None
    paths: tuple[GlobVerdict, ...]
    changed_by: tuple[LoggedCommit, ...] = ()

    @property
    def is_mendable(self) -> bool:
        """Whether a person can do something so that it can be judged (design §4, "Needs action")."""
        return self.required and self.verdict is Verdict.UNVERIFIABLE and bool(self.remedy)

    @property
    def needs_action(self) -> bool:
        """Whether it is why its capsule needs action."""
        return (self.required and self.verdict in CHANGED) or self.is_mendable


@record
class ValidityReport:
    """The validity track of one capsule."""

    aggregate: Aggregate
    conditions: tuple[ConditionReport, ...]


@dataclass(frozen=True, slots=True)
class FidelityReport:
    """The fidelity track of one capsule for one consumer; None: the sender's preview, for no consumer yet.

    `preserved` counts the critical units that are whole. `units` are all of them, or only the others where
    many capsules are judged.
    """

    consumer: Consumer | None
    preserved: int
    units: tuple[UnitVerdict, ...]


@record
class CapsuleReport:
    """One capsule and what holds of it.

    `continued`: a newer capsule continues this one, so it gates nothing (always false in scope all).
    `before` is its aggregate at the base, as it is declared now (None if new); `introduced` whether this
    change made one of its required conditions worse; `new` whether it came with this change; `redeclared`
    whether this change edited its conditions or `expires_at`, or made it continue a capsule that needed
    action. All are None where the base is not known. `stale_since` is None for one that is neither stale,
    wholly or in part, nor expired. `repository` is said where capsules of several are in one report.
    """

    path: str
    capsule_id: str
    title: str
    continued: bool
    expired: bool
    needs_action: bool
    validity: ValidityReport
    fidelity: tuple[FidelityReport, ...] = ()
    negative_knowledge: tuple[ItemVerdict, ...] = ()
    continuity: Continuity = ALONE
    before: Aggregate | None = None
    introduced: bool | None = None
    new: bool | None = None
    redeclared: bool | None = None
    stale_since: Since | None = None
    repository: str | None = None

    @property
    def order(self) -> tuple[int, str, str]:
        """What capsules of a report are put in order by: the worst first, then repository and path."""
        return -RANK[self.validity.aggregate], self.repository or "", self.path

    @property
    def to_revalidate(self) -> tuple[ItemVerdict, ...]:
        """What was ruled out under conditions that have changed since."""
        if not self.negative_knowledge:
            return ()
        return tuple(
            item for item in self.negative_knowledge if item.standing is Standing.REVALIDATION_REQUIRED
        )


@dataclass(frozen=True, slots=True)
class RemovedCapsule:
    """A capsule that was there at the base and is not judged any more: deleted, or no capsule now.

    `path` is where it was, `before` its aggregate there; `continued` as for a capsule, at the base.
    """

    path: str
    capsule_id: str
    before: Aggregate
    continued: bool
    repository: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over the capsules. `verdicts` has every aggregate as a key and leaves continued capsules out."""

    capsules: int
    continued: int
    verdicts: dict[Aggregate, int]
    expired: int
    revalidation_required: int
    needs_action: int
    problems: int
    notices: int


@dataclass(frozen=True, slots=True)
class GateReason:
    """One match of one `fail_on` rule; no capsule is named where the rule could not be checked at all.

    `line` is that of a finding which is open and blocks, in the ledger at `path`.
    """

    rule: GateRule
    path: str
    capsule_id: str
    repository: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether `fail_on` named something that was found."""

    fail_on: tuple[GateRule, ...]
    passed: bool
    reasons: tuple[GateReason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run. Capsules stand worst first, then by path; `removed` by path, empty where no base is known.

    `sources` are what was judged in each of the reports that this one joins; empty for a run's own report.
    """

    schema_version: int = REPORT_VERSION
    tool: Tool
    evaluated: Evaluated
    sources: tuple[Evaluated, ...] = ()
    capsules: tuple[CapsuleReport, ...]
    removed: tuple[RemovedCapsule, ...] = ()
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]
    ledgers: Ledgers = field(default_factory=Ledgers)
    totals: Totals
    gate: Gate
    limits: dict[str, str]
