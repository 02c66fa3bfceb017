"""One capsule that may be published, with what was found about it, in few words."""

from __future__ import annotations

import json
from typing import Any

import built_reports

from ophiuchus.assess.verdicts import Aggregate, Method, Verdict
from ophiuchus.capsule.model import Capsule, parse_capsule
from ophiuchus.capsule.shelf import ShelvedCapsule, shelve
from ophiuchus.report.model import CapsuleReport, ConditionReport

BASE = "8d0c1e22a9f3" + "0" * 28
PATHS = built_reports.condition(
    Verdict.VALID,
    built_reports.glob("src/auth/**"),
    condition_id="code",
    method=Method.BASE_TREE,
    reason="same content as at base_commit 8d0c1e22a9f3",
)
WINDOW = built_reports.condition(
    Verdict.VALID, condition_id="until", kind="time_window", reason="the deadline has not passed"
)
SCOPE = built_reports.condition(Verdict.UNVERIFIABLE, condition_id="scope", kind="declared_scope")

DOCUMENT: dict[str, Any] = {
    "schema_version": 1,
    "capsule_id": "session-keys",
    "title": "Rotate session keys <!here> @octocat",
    "grounding": {"commit": BASE},
    "goal": "Session keys rotate weekly.\nNo user is signed out.",
    "state": "The key store is done; closes #12.",
    "next_action": "Write the rotation job.",
    "evidence": ["Keys are read in one place."],
    "open_questions": ["Who owns the schedule?"],
    "critical": [{"unit_id": "u-1", "kind": "next_action"}],
    "validity": [
        {
            "condition_id": "code",
            "kind": "git_paths",
            "paths": ["src/auth/**"],
            "anchors": {"src/auth/**": f"sha256:{'3f' * 32}"},
        },
        {"condition_id": "until", "kind": "time_window", "not_after": "2026-12-01T00:00:00Z"},
    ],
    "contact_cards": [{"name": "Ada Lovelace", "contact": "ada@example.invalid"}],
}


def capsule(**fields: Any) -> Capsule:
    """The capsule, with other fields."""
    return parse_capsule({**DOCUMENT, **fields})


def report(*conditions: ConditionReport, **fields: Any) -> CapsuleReport:
    """What was found: by default that both conditions hold."""
    aggregate = fields.pop("aggregate", Aggregate.VALID)
    return built_reports.capsule("session-keys", aggregate, *(conditions or (PATHS, WINDOW)), **fields)


def shelved(**fields: Any) -> ShelvedCapsule:
    """The capsule as it is committed."""
    data = json.dumps({**DOCUMENT, **fields}).encode()
    return shelve(".ophiuchus/session-keys.json", "ab" * 20, data, capsule(**fields))
