"""Reports built by hand, for the rules that read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ophiuchus.assess.verdicts import Aggregate
from ophiuchus.report.model import CapsuleReport, ConditionReport, ValidityReport


@pytest.fixture
def capsule_report() -> Callable[..., CapsuleReport]:
    """Makes a capsule's report: its aggregate, its conditions, and any other field by name."""

    def make(aggregate: Aggregate, *conditions: ConditionReport, **fields: Any) -> CapsuleReport:
        defaults: dict[str, Any] = {
            "path": ".ophiuchus/cap-1.json",
            "capsule_id": "cap-1",
            "title": "t",
            "continued": False,
            "expired": False,
            "needs_action": False,
        }
        return CapsuleReport(validity=ValidityReport(aggregate, conditions), **{**defaults, **fields})

    return make
