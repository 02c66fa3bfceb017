"""The digest that a person approves: what is posted, where and on which verdicts, or nothing is (design §7).

It covers everything that decides a write and nothing that two runs on the same commit could differ in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from ophiuchus.assess.fidelity import UnitVerdict
from ophiuchus.capsule.shelf import ShelvedCapsule
from ophiuchus.publish.destination import Destination
from ophiuchus.publish.provider import Write
from ophiuchus.report.model import CapsuleReport, ConditionReport

FORMAT_VERSION = 1
"""The version of what is covered and how; another one makes every digest another."""


def canonical_json(value: Any) -> str:
    """One spelling of a JSON value: keys sorted, no blanks, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def payload_digest(content: Mapping[str, Any]) -> str:
    """SHA-256 over what is sent, as 64 hex digits."""
    return _digest_of(content)


def destination_digest(
    shelved: ShelvedCapsule,
    report: CapsuleReport,
    *,
    fidelity: Iterable[UnitVerdict],
    destination: Destination,
    origin: str,
    write: Write,
) -> str:
    """The digest of one capsule's write; `fidelity` is of the view that is sent."""
    about = {
        "capsule": {"path": shelved.path, "blob": shelved.blob},
        "verdicts": {**_verdicts(report), "fidelity": [_unit(unit) for unit in fidelity]},
    }
    return write_digest(about, destination=destination, origin=origin, write=write)


def write_digest(about: Mapping[str, Any], *, destination: Destination, origin: str, write: Write) -> str:
    """The digest of one write, `about` what it is; `origin` is the API's address."""
    return _digest_of(
        {
            **about,
            "version": FORMAT_VERSION,
            "provider": destination.provider,
            "origin": origin,
            "target": write.target,
            "operation": write.operation,
            "append_to": None if write.append_to is None else str(write.append_to),
            "options": destination.model_dump(mode="json"),
            "content": dict(write.content),
        }
    )


def view_digest(digests: Iterable[str]) -> str:
    """The one digest to approve: over those of all destinations, in whatever order they were named."""
    return _digest_of({"version": FORMAT_VERSION, "destinations": sorted(digests)})


def _digest_of(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def _verdicts(report: CapsuleReport) -> dict[str, Any]:
    """Every verdict on the capsule itself. What is told against a base, a log or a clock is none."""
    return {
        "aggregate": report.validity.aggregate,
        "expired": report.expired,
        "conditions": [_condition(condition) for condition in report.validity.conditions],
        "negative_knowledge": [
            {"item_id": item.item_id, "state": item.state, "standing": item.standing}
            for item in report.negative_knowledge
        ],
        "continuity": {
            "status": report.continuity.status,
            "parent": report.continuity.parent_capsule_id,
            "hops": report.continuity.hops,
        },
    }


def _condition(condition: ConditionReport) -> dict[str, Any]:
    return {
        "condition_id": condition.condition_id,
        "kind": condition.kind,
        "required": condition.required,
        "verdict": condition.verdict,
        "method": condition.method,
        "globs": [{"glob": glob.glob, "result": glob.result} for glob in condition.paths],
    }


def _unit(unit: UnitVerdict) -> dict[str, Any]:
    return {"unit_id": unit.unit_id, "kind": unit.kind, "verdict": unit.verdict}
