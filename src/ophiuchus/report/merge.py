"""Reports of shards and repositories, joined into one: what each says is kept, the rest is reckoned anew.

Verdicts over conditions, what needs action, totals and the gate are never taken from a report. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ophiuchus.assess.validity import aggregate_of
from ophiuchus.assess.verdicts import COMMIT_CHARACTERS
from ophiuchus.report.elsewhere import is_elsewhere
from ophiuchus.report.gate import judge_gate
from ophiuchus.report.judge import LIMITS, TOOL
from ophiuchus.report.model import (
    CapsuleReport,
    Evaluated,
    Gate,
    GateReason,
    Report,
    ValidityReport,
)
from ophiuchus.report.shard import WHOLE, Shard, parse_shard
from ophiuchus.report.totals import count
from ophiuchus.text.problem import ExpectedFailure, NoticeCode, Problem, ProblemCode


class NothingToMerge(ExpectedFailure):
    """Not one of the files holds a report that could be used."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        first = "; ".join(f"{one.place()}: {one.message}" for one in problems[:3])
        more = f"; and {len(problems) - 3:,} more" if len(problems) > 3 else ""
        super().__init__(f"none of the files is a report: {first}{more}", "name what `--format json` wrote")


@dataclass(frozen=True, slots=True)
class NamedReport:
    """A report and the file that it was read from."""

    name: str
    report: Report


def merge(
    reports: Sequence[NamedReport], problems: Sequence[Problem] = (), home: str | None = None
) -> Report:
    """One report of all that fit together; what does not is a problem, as `problems` of reading them are.

    Whose something is, is said where there are several repositories, or where the one is not `home`. The
    ledgers of one repository are kept, those of several are in their own reports. Raises NothingToMerge.
    """
    repositories, refused = _sorted_out(reports)
    if not repositories:
        raise NothingToMerge([*problems, *refused])
    own_problems = [*problems, *refused]
    for one in repositories:
        own_problems += one.missing()
    several = len(repositories) > 1
    members = [
        (member.report, one.name if several or one.is_away_from(home) else None)
        for one in repositories
        for member in one.members
    ]
    fail_on = tuple(dict.fromkeys(rule for report, _ in members for rule in report.gate.fail_on))
    capsules: list[CapsuleReport] = []
    reasons: list[GateReason] = []
    for source, name in members:
        judged = [_reckoned(one, name) for one in source.capsules]
        capsules += judged
        base_unknown = any(one.code is NoticeCode.BASE_UNKNOWN for one in source.notices)
        gate = judge_gate(judged, fail_on, source.removed, base_unknown=base_unknown, ledgers=source.ledgers)
        reasons += (replace(reason, repository=name) for reason in gate.reasons)
    capsules.sort(key=lambda one: one.order)
    found = [replace(one, repository=name) for report, name in members for one in report.problems]
    notices = [replace(one, repository=name) for report, name in members for one in report.notices]
    report = Report(
        tool=TOOL,
        evaluated=_joined([report.evaluated for report, _ in members], several=several),
        sources=tuple(report.evaluated for report, _ in members),
        capsules=tuple(capsules),
        removed=tuple(replace(one, repository=name) for report, name in members for one in report.removed),
        problems=tuple(found + own_problems),
        notices=tuple(notices),
        totals=count(capsules, problems=len(found) + len(own_problems), notices=len(notices)),
        gate=Gate(fail_on, passed=not reasons, reasons=tuple(reasons)),
        limits=LIMITS,
    )
    return report if several else replace(report, ledgers=repositories[0].first_shard.ledgers)


@dataclass(slots=True)
class _Repository:
    """The reports of one repository that fit together: one commit, one number of shards, each shard once."""

    first: NamedReport
    members: list[NamedReport] = field(default_factory=list)
    shards: dict[int, str] = field(default_factory=dict)

    @property
    def name(self) -> str | None:
        return self.first.report.evaluated.repository

    def is_away_from(self, home: str | None) -> bool:
        """Whether it is known to be another repository than `home`."""
        return home is not None and is_elsewhere(self.name, home)

    def refusal(self, offered: NamedReport) -> Problem | None:
        """Take the report in, or say why it does not fit."""
        shard, of = _shard(offered), _shard(self.first).of
        if _judged(offered) != _judged(self.first):
            message = (
                f"is of commit {_judged(offered)[:COMMIT_CHARACTERS]}, {self.first.name} of "
                f"{_judged(self.first)[:COMMIT_CHARACTERS]}: not joined; judge all parts of a repository at "
                "one commit, with GITHUB_REPOSITORY set where it is another repository"
            )
            return _problem(offered, ProblemCode.DOES_NOT_FIT, message)
        if shard.of != of:
            message = (
                f"is shard {shard}, {self.first.name} one of {of}: not joined; judge again in equal shards"
            )
            return _problem(offered, ProblemCode.DOES_NOT_FIT, message)
        if (other := self.shards.get(shard.number)) is not None:
            what = "the same repository and commit" if of == 1 else f"the same shard {shard}"
            message = f"is of {what} as {other}: not counted twice; name each report once"
            return _problem(offered, ProblemCode.DUPLICATE_REPORT, message)
        self.shards[shard.number] = offered.name
        self.members.append(offered)
        return None

    @property
    def first_shard(self) -> Report:
        """The report that tells of the ledgers: the first shard; another where it is missing."""
        return min(self.members, key=lambda one: _shard(one).number).report

    def missing(self) -> Iterator[Problem]:
        """What of this repository nobody reported."""
        of = _shard(self.first).of
        if gone := [str(Shard(number, of)) for number in range(1, of + 1) if number not in self.shards]:
            named = ", ".join(gone)
            message = f"shard {named} is missing; name its report too, or run that job"
            if len(gone) > 1:
                message = f"shards {named} are missing; name their reports too, or run those jobs"
            yield _problem(self.first, ProblemCode.MISSING_SHARD, message)


def _sorted_out(reports: Iterable[NamedReport]) -> tuple[list[_Repository], list[Problem]]:
    """The repositories in the order in which they are first named, and what fits into none."""
    repositories: dict[str, _Repository] = {}
    refused = []
    for offered in reports:
        if offered.report.sources:
            message = "is joined of other reports already; name those themselves"
            refused.append(_problem(offered, ProblemCode.DOES_NOT_FIT, message))
            continue
        key = (offered.report.evaluated.repository or "").casefold()
        if (problem := repositories.setdefault(key, _Repository(offered)).refusal(offered)) is not None:
            refused.append(problem)
    return list(repositories.values()), refused


def _shard(named: NamedReport) -> Shard:
    shard = named.report.evaluated.shard
    return WHOLE if shard is None else parse_shard(shard)


def _judged(named: NamedReport) -> str:
    evaluated = named.report.evaluated
    return evaluated.head or evaluated.tree


def _problem(named: NamedReport, code: ProblemCode, message: str) -> Problem:
    return Problem(named.name, None, None, code, message)


def _joined(sources: Sequence[Evaluated], *, several: bool) -> Evaluated:
    """What was judged in all: what is the same in each, the latest moment, and the sums."""
    first = sources[0]
    latest = max(source.now for source in sources)
    joined = replace(
        first,
        now=latest,
        shard=None,
        shallow=any(source.shallow for source in sources),
        fetched=sum(source.fetched for source in sources),
        truncated=sum(source.truncated for source in sources),
    )
    return replace(joined, repository=None, head=None, tree="", base=None, merge=None) if several else joined


def _reckoned(capsule: CapsuleReport, repository: str | None) -> CapsuleReport:
    """The capsule with the verdict that its conditions come to, whatever the report says of it."""
    conditions = capsule.validity.conditions
    aggregate = aggregate_of(conditions)
    needs_action = not capsule.continued and (
        capsule.expired or any(condition.needs_action for condition in conditions)
    )
    if (capsule.validity.aggregate, capsule.needs_action, capsule.repository) == (
        aggregate,
        needs_action,
        repository,
    ):
        return capsule
    return replace(
        capsule,
        validity=ValidityReport(aggregate, conditions),
        needs_action=needs_action,
        repository=repository,
    )
