"""What a row of each family holds, and what is wrong with one (DEC-0105 §3).

`strict` is the decision's letter. `compat` takes what the field writes: ids of any form, null where an
optional text is absent, moments that are none, fields that nobody knows. What both refuse: versions other
than the whole number 1, booleans for numbers, words outside the closed sets, a key that is not its text's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ophiuchus.capsule.fields import quoted
from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.decision_key import compute_decision_key
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.vocabulary import is_uuid4
from ophiuchus.text.instant import is_instant

SCHEMA_VERSION = 1
MOST_TEXT = 2000
"""Most characters of a text."""
MOST_TAGS = 10
MOST_TAG = 40
"""Most characters of a tag."""
MOST_IMPACT = 100
MOST_PATTERN_ID = 64
"""Most characters of a pattern's id."""


class Status(StrEnum):
    """Whether an entry still counts."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


class MistakeTag(StrEnum):
    """What went wrong. A closed set."""

    FIX_FAILED = "fix_failed"
    REVERT_APPLIED = "revert_applied"
    PLAN_FIDELITY_VIOLATION = "plan_fidelity_violation"
    TEST_REGRESSION = "test_regression"
    SCOPE_CREEP = "scope_creep"


class DriftType(StrEnum):
    """How the plan and the work came apart. A closed set."""

    AC_DROP = "ac_drop"
    AC_REORDER = "ac_reorder"
    SCOPE_ADD = "scope_add"
    PLAN_CHANGE = "plan_change"
    ACCEPTANCE_DRIFT = "acceptance_drift"


Check = Callable[[Any], str | None]
"""What is wrong with a field's value, said after the field's name; None where nothing is."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a row. `field` is where it stands, None where nothing stands there."""

    field: str | None
    message: str


def faults_of(row: Mapping[str, Any], family: Family, profile: Profile) -> list[Fault]:
    """All that is wrong with a row of `family`; nothing more where its version or family is another's."""
    version = row.get("schema_version")
    if type(version) is not int or version != SCHEMA_VERSION:
        field, found = ("schema_version", quoted(version)) if "schema_version" in row else (None, "missing")
        words = f"unsupported version: `schema_version` is {found}, and only the whole number 1 is read"
        return [Fault(field, words)]
    if OWN_FIELDS[family].isdisjoint(row) and (other := _family_by_fields(row)):
        words = f"is a row of {other.stem}, by its fields, and stands among those of {family.stem}"
        return [Fault(next(name for name in row if name in OWN_FIELDS[other]), words)]
    checks = _CHECKS[family, profile]
    faults = []
    for name, value in row.items():
        check = checks.get(name)
        if check is not None:
            if fault := check(value):
                faults.append(Fault(name, f"`{name}` {fault}"))
        elif profile is Profile.STRICT:
            faults.append(Fault(name, f"{quoted(name)} is no field of {family.stem}"))
    if not _REQUIRED[family] <= row.keys():
        missing = [name for name in checks if name in _REQUIRED[family] and name not in row]
        faults += [Fault(None, f"`{name}` is missing") for name in missing]
    if not faults and family is Family.DECISIONS:
        key = compute_decision_key(row["decision_text"])
        if row["decision_key"] != key:
            words = f"`decision_key` is not that of `decision_text`, which is {key}"
            faults.append(Fault("decision_key", words))
    return faults


def unknown_fields(row: Mapping[str, Any], family: Family) -> Collection[str]:
    """The names in a row that `family` does not know."""
    return () if row.keys() <= _KNOWN[family] else [name for name in row if name not in _KNOWN[family]]


def is_moment(value: Any) -> bool:
    """Whether a row's `ts` can be put in order."""
    return type(value) is str and (_PLAIN_MOMENT.fullmatch(value) is not None or is_instant(value))


def _family_by_fields(row: Mapping[str, Any]) -> Family | None:
    return next((family for family, fields in OWN_FIELDS.items() if not fields.isdisjoint(row)), None)


# Almost every row's `ts` is this, which is quicker to see than a day of the calendar is to look up.
_PLAIN_MOMENT = re.compile(
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?Z"
)
_SLUG = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{MOST_PATTERN_ID - 1}}}")


def _text(value: Any) -> str | None:
    return None if type(value) is str else f"must be text, not {quoted(value)}"


def _optional(value: Any) -> str | None:
    return None if value is None else _text(value)


def _written(value: Any) -> str | None:
    if type(value) is not str:
        return _text(value)
    return None if value.strip() else "is blank"


def _short(value: Any) -> str | None:
    if type(value) is not str or len(value) <= MOST_TEXT:
        return _text(value)
    return f"has {len(value):,} characters; at most {MOST_TEXT:,} are allowed"


def _short_written(value: Any) -> str | None:
    return _written(value) or _short(value)


def _version(value: Any) -> str | None:  # noqa: ARG001 - what stands here was looked at first
    return None


def _moment(value: Any) -> str | None:
    if is_moment(value) and value.endswith("Z") and value[10] == "T":
        return None
    return f"must be a moment in UTC such as 2026-07-01T12:00:00.000Z, not {quoted(value)}"


def _uuid(value: Any) -> str | None:
    if type(value) is str and is_uuid4(value):
        return None
    return f"must be a random UUID, version 4, not {quoted(value)}"


def _slug(value: Any) -> str | None:
    if type(value) is str and _SLUG.fullmatch(value):
        return None
    return (
        f"must be up to {MOST_PATTERN_ID} lower-case letters, digits, `-` and `_`, the first a letter or "
        f"digit, not {quoted(value)}"
    )


def _impact(value: Any) -> str | None:
    if type(value) is int and 0 <= value <= MOST_IMPACT:
        return None
    return f"must be a whole number from 0 to {MOST_IMPACT}, not {quoted(value)}"


def _tags(value: Any) -> str | None:
    if type(value) is not list:
        return f"must be a list of texts, not {quoted(value)}"
    if len(value) > MOST_TAGS:
        return f"has {len(value)} items; at most {MOST_TAGS} are allowed"
    for index, tag in enumerate(value):
        if type(tag) is not str:
            return f"must be a list of texts; item {index} is {quoted(tag)}"
        if len(tag) > MOST_TAG:
            return f"has {len(tag)} characters in item {index}; at most {MOST_TAG} are allowed"
    return None


def _list(value: Any) -> str | None:
    return None if type(value) is list else f"must be a list, not {quoted(value)}"


def _texts(value: Any) -> str | None:
    if type(value) is list and all(type(item) is str for item in value):
        return None
    return f"must be a list of texts, not {quoted(value)}"


def _one_of(closed: type[StrEnum]) -> Check:
    words = frozenset(word.value for word in closed)

    def check(value: Any) -> str | None:
        if type(value) is str and value in words:
            return None
        return f"must be one of {', '.join(closed)}, not {quoted(value)}"

    return check


_STATUS, _MISTAKE, _DRIFT = _one_of(Status), _one_of(MistakeTag), _one_of(DriftType)

# Each field with its check in `compat` and in `strict`.
_Fields = Mapping[str, tuple[Check, Check]]
_BASE: _Fields = {
    "schema_version": (_version, _version),
    "ts": (_text, _moment),
    "entry_id": (_written, _uuid),
    "source_orchestrator_run_id": (_optional, _text),
    "source_story_id": (_optional, _text),
    "phase_id": (_optional, _text),
    "impact_score": (_impact, _impact),
    "text": (_short_written, _short_written),
    "tags": (_tags, _tags),
    "status": (_STATUS, _STATUS),
    "provenance_ref": (_optional, _text),
}
_OWN: Mapping[Family, _Fields] = {
    Family.DECISIONS: {
        "decision_key": (_text, _text),
        "decision_text": (_written, _short_written),
        "rationale": (_short, _short),
    },
    Family.MISTAKES: {
        "mistake_tag": (_MISTAKE, _MISTAKE),
        "failure_reason_code": (_text, _written),
    },
    Family.PATTERNS: {
        "pattern_id": (_text, _slug),
        "applies_to": (_list, _texts),
    },
    Family.PLAN_DRIFT: {
        "drift_type": (_DRIFT, _DRIFT),
        "from_artifact": (_text, _written),
        "to_artifact": (_text, _written),
        "ledger_decision_id": (_optional, _text),
    },
}
_OPTIONAL = frozenset(
    {"source_orchestrator_run_id", "source_story_id", "phase_id", "provenance_ref", "ledger_decision_id"}
)

FIELDS = {family: (*_BASE, *own) for family, own in _OWN.items()}
"""Every field of each family's rows, in the decision's order."""
OWN_FIELDS = {family: frozenset(own) for family, own in _OWN.items()}
"""The fields that only rows of one family have."""
_KNOWN = {family: frozenset(fields) for family, fields in FIELDS.items()}
_REQUIRED = {family: known - _OPTIONAL for family, known in _KNOWN.items()}
_CHECKS = {
    (family, profile): {name: pair[profile is Profile.STRICT] for name, pair in {**_BASE, **own}.items()}
    for family, own in _OWN.items()
    for profile in Profile
}
