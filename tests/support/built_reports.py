"""Whole reports built by hand, in few words, for the views that show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ophiuchus.assess.verdicts import Aggregate, GlobResult, GlobVerdict, Verdict
from ophiuchus.git.findings import Change, PathChange
from ophiuchus.report.judge import LIMITS
from ophiuchus.report.model import (
    CapsuleReport,
    ConditionReport,
    Evaluated,
    Gate,
    GateReason,
    GateRule,
    Merge,
    Report,
    Tool,
    ValidityReport,
)
from ophiuchus.report.totals import count
from ophiuchus.text.problem import Notice, Problem

HEAD = "4f2a9c1d7e6b5a4c3d2e1f0a9b8c7d6e5f4a3b2c"
MERGE = Merge(base="b" * 40, head="c" * 40)


def glob(
    spelled: str, changed: Mapping[str, Change] | None = None, *, count: int | None = None, **fields: Any
) -> GlobVerdict:
    """One glob: changed where paths or a count are given, else unchanged."""
    paths = tuple(PathChange(path, change) for path, change in (changed or {}).items())
    result = GlobResult.CHANGED if paths else GlobResult.UNCHANGED
    known: dict[str, Any] = {
        "result": result,
        "reason": None,
        "changed_count": len(paths) if count is None else count,
    }
    return GlobVerdict(glob=spelled, changed=paths, **{**known, **fields})


def condition(verdict: Verdict, *paths: GlobVerdict, **fields: Any) -> ConditionReport:
    known: dict[str, Any] = {
        "condition_id": "paths",
        "kind": "git_paths",
        "required": True,
        "line": 12,
        "method": None,
        "reason": "1 of 1 glob differs from base_commit 8d0c1e22a9f3",
        "remedy": None,
        "introduced": None,
    }
    return ConditionReport(verdict=verdict, paths=paths, **{**known, **fields})


def capsule(name: str, aggregate: Aggregate, *conditions: ConditionReport, **fields: Any) -> CapsuleReport:
    known: dict[str, Any] = {
        "path": f".ophiuchus/{name}.json",
        "title": f"Title of {name}",
        "continued": False,
        "expired": False,
        "needs_action": aggregate in (Aggregate.STALE, Aggregate.PARTIALLY_STALE),
    }
    return CapsuleReport(
        capsule_id=name, validity=ValidityReport(aggregate, conditions), **{**known, **fields}
    )


def report(
    *capsules: CapsuleReport,
    problems: Sequence[Problem] = (),
    notices: Sequence[Notice] = (),
    failed: Mapping[CapsuleReport, GateRule] | None = None,
    **evaluated: Any,
) -> Report:
    """A report of these capsules, in this order; `failed` says which rule of the gate names which capsule."""
    reasons = tuple(GateReason(rule, named.path, named.capsule_id) for named, rule in (failed or {}).items())
    known: dict[str, Any] = {
        "repository": "octo/shop",
        "head": HEAD,
        "tree": "a" * 40,
        "now": "2026-11-30T12:34:56Z",
    }
    return Report(
        tool=Tool("ophiuchus", "0.1.0"),
        evaluated=Evaluated(**{**known, **evaluated}),
        capsules=capsules,
        problems=tuple(problems),
        notices=tuple(notices),
        totals=count(capsules, problems=len(problems), notices=len(notices)),
        gate=Gate(tuple(dict.fromkeys(reason.rule for reason in reasons)), not reasons, reasons),
        limits=LIMITS,
    )
