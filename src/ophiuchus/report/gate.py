"""The gate: whether something was found that `fail_on` names (design §4 "Needs action", §5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ophiuchus.assess.verdicts import Aggregate
from ophiuchus.report.ledgers import Ledgers
from ophiuchus.report.model import CapsuleReport, Gate, GateReason, GateRule, RemovedCapsule
from ophiuchus.text.problem import ExpectedFailure

ANY = frozenset(GateRule) - {GateRule.ANY, GateRule.NOT_DECLARED}
"""What `any` stands for. A capsule that declares nothing is neither good nor bad."""
_ABOUT_THE_CHANGE = frozenset({GateRule.INTRODUCED, GateRule.REDECLARED})


class UnknownGateRule(ExpectedFailure):
    """`fail_on` holds a word that is no rule."""


class NothingCompared(ExpectedFailure):
    """`fail_on` names what a change did, where no change is looked at: a gate that cannot close."""

    def __init__(self, rules: Iterable[GateRule]) -> None:
        super().__init__(
            f"fail_on names {', '.join(rules)}, but a sweep compares nothing with a base",
            "leave it out, or name stale, expired or any; a check of a pull request tells what a change did",
        )


def parse_fail_on(text: str) -> tuple[GateRule, ...]:
    """The rules in a list, each once, in their written order; blank means none.

    Commas part them, or line ends, as in a block of YAML. Raises UnknownGateRule, naming the allowed words
    and the nearest one.
    """
    words = dict.fromkeys(word.strip() for word in text.replace("\n", ",").split(","))
    return tuple(_rule(word) for word in words if word)


def about_a_change(fail_on: Iterable[GateRule]) -> list[GateRule]:
    """Those of the rules that need a base; `any` does not ask for one."""
    return [rule for rule in fail_on if rule in _ABOUT_THE_CHANGE]


def refuse_rules_about_a_change(fail_on: Iterable[GateRule]) -> None:
    """For what judges capsules as they stand; `any` is allowed. Raises NothingCompared."""
    if refused := about_a_change(fail_on):
        raise NothingCompared(refused)


def _rule(word: str) -> GateRule:
    allowed = list(GateRule)
    if word in allowed:
        return GateRule(word)
    from difflib import get_close_matches  # noqa: PLC0415  only after a mistake: it is slow to import

    near = get_close_matches(word.lower(), allowed, n=1)
    guess = f"; did you mean {near[0]}?" if near else ""
    raise UnknownGateRule(
        f"{word[:40]!r} is no rule of fail_on{guess}", f"use a comma list of: {', '.join(allowed)}"
    )


def judge_gate(
    capsules: Iterable[CapsuleReport],
    fail_on: tuple[GateRule, ...],
    removed: Iterable[RemovedCapsule] = (),
    *,
    base_unknown: bool = False,
    ledgers: Ledgers | None = None,
) -> Gate:
    """The gate over the capsules that are not continued; every match is a reason, under its own rule.

    To remove a capsule is one way to declare it anew (design §4, "Attribution"). `base_unknown`: what the
    change is compared with could not be had. Then a rule about the change, asked for by its own name, does
    not pass, for it was not checked; its reason names no capsule.
    """
    named = _named(fail_on)
    reasons = [
        GateReason(rule, capsule.path, capsule.capsule_id)
        for capsule in (capsules if named else ())
        if not capsule.continued
        for rule in _matches(capsule)
        if rule in named
    ]
    if GateRule.REDECLARED in named:
        reasons += [
            GateReason(GateRule.REDECLARED, gone.path, gone.capsule_id)
            for gone in removed
            if not gone.continued
        ]
    if base_unknown:
        reasons += [GateReason(rule, "", "") for rule in about_a_change(fail_on)]
    if ledgers is not None:
        reasons += blocking_reasons(ledgers, fail_on)
    return Gate(fail_on, passed=not reasons, reasons=tuple(reasons))


def blocking_reasons(ledgers: Ledgers, fail_on: Collection[GateRule]) -> Iterator[GateReason]:
    """A reason for each listed finding that is open and blocks, where `fail_on` names such."""
    if ledgers.critic is not None and GateRule.BLOCKING_FINDINGS in _named(fail_on):
        path = ledgers.critic.path
        for finding in ledgers.critic.open_blocking:
            yield GateReason(GateRule.BLOCKING_FINDINGS, path, "", line=finding.line)


def _named(fail_on: Collection[GateRule]) -> frozenset[GateRule]:
    return ANY.union(fail_on) - {GateRule.ANY} if GateRule.ANY in fail_on else frozenset(fail_on)


def _matches(capsule: CapsuleReport) -> Iterator[GateRule]:
    """Every rule that names something about this capsule, in the order of `GateRule`."""
    match capsule.validity.aggregate:
        case Aggregate.STALE:
            yield GateRule.STALE
        case Aggregate.PARTIALLY_STALE:
            yield GateRule.PARTIALLY_STALE
        case Aggregate.NOT_DECLARED:
            yield GateRule.NOT_DECLARED
    # Whatever the aggregate; a declared scope has no remedy.
    if any(condition.is_mendable for condition in capsule.validity.conditions):
        yield GateRule.UNVERIFIABLE
    if capsule.expired:
        yield GateRule.EXPIRED
    if capsule.to_revalidate:
        yield GateRule.REVALIDATION_REQUIRED
    if capsule.introduced:
        yield GateRule.INTRODUCED
    if capsule.redeclared:
        yield GateRule.REDECLARED
