"""What a row of each family holds, and what is wrong with one (DEC-0105 §3).

`strict` is the decision's letter. `compat` takes what the field writes: ids of any form, null where an
optional text is absent, moments that are none, fields that nobody knows. What both refuse: versions other
than the whole number 1, booleans for numbers, words outside the closed sets, a key that is not its text's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from pydantic_core import CoreSchema, ErrorDetails, SchemaValidator, ValidationError
from pydantic_core import core_schema as form

from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.decision_key import compute_decision_key
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.moment import COMMON_MOMENT, is_moment
from ophiuchus.ledgers.vocabulary import UUID4_FORM
from ophiuchus.text.object_form import ObjectForm
from ophiuchus.text.wording import json_excerpt

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


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a row. `field` is where it stands, None where nothing stands there."""

    field: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is wrong with a row, and, where nothing is, the fields in it that nobody knows."""

    faults: Sequence[Fault] = ()
    unknown: Sequence[str] = ()


GOOD = Judgement()
"""Of a row of which there is nothing to tell."""


class RowJudge:
    """Judges the rows of one family in one profile."""

    def __init__(self, family: Family, profile: Profile) -> None:
        self._family = family
        self._profile = profile
        self._validator = _validator(family, profile)
        self._form = _usual_form(family, profile)
        self._has_key = family is Family.DECISIONS

    def read_good(self, line: bytes) -> dict[str, Any] | None:
        """The row on a line of JSON, where one step tells that nothing is to be told of it; else None."""
        row = self._form.read(line)
        return None if row is None or (self._has_key and _key_fault(row)) else row

    def judge(self, row: Mapping[str, Any]) -> Judgement:
        """The judgement; of a row of another version or family nothing more is told."""
        try:
            known = self._validator.validate_python(row)
        except ValidationError as refused:
            faults = list(self._faults(row, refused))
            if faults:
                return Judgement(faults)
            known = {name: row[name] for name in FIELDS[self._family] if name in row}
        if self._has_key and (fault := _key_fault(row)):
            return Judgement([fault])
        if len(known) == len(row):
            return GOOD
        return Judgement(unknown=[name for name in row if name not in known])

    def _faults(self, row: Mapping[str, Any], refused: ValidationError) -> Iterator[Fault]:
        family = self._family
        details = {str(one["loc"][0]): one for one in reversed(refused.errors(include_url=False))}
        if "schema_version" in details:
            if "schema_version" not in row:
                yield Fault(None, "unsupported version: `schema_version` is missing; only 1 is read")
                return
            words = f"`schema_version` must be the whole number 1, not {json_excerpt(row['schema_version'])}"
            yield Fault("schema_version", f"unsupported version: {words}")
            return
        if OWN_FIELDS[family].isdisjoint(row) and (other := _family_by_fields(row)):
            words = f"is a row of {other.stem}, by its fields, and stands among those of {family.stem}"
            yield Fault(next(name for name in row if name in OWN_FIELDS[other]), words)
            return
        for name in row:
            if name in details and not (name == "ts" and _is_utc(row[name])):
                yield Fault(name, self._words(name, details[name]))
        for name in FIELDS[family]:
            if name in details and name not in row:
                yield Fault(None, f"`{name}` is missing")

    def _words(self, name: str, detail: ErrorDetails) -> str:
        value = detail["input"]
        item = f" in item {detail['loc'][1]}" if len(detail["loc"]) > 1 else ""
        match detail["type"]:
            case "extra_forbidden":
                return f"{json_excerpt(name)} is no field of {self._family.stem}"
            case "string_too_long":
                most = detail["ctx"]["max_length"]
                return f"`{name}` has {len(value):,} characters{item}; at most {most:,} are allowed"
            case "too_long":
                most = detail["ctx"]["max_length"]
                return f"`{name}` has {len(value):,} items; at most {most} are allowed"
            case _:
                wanted = _rules(self._family, self._profile)[name].wanted
                return f"`{name}` must be {wanted}, not {json_excerpt(value)}{item}"


def _is_utc(value: Any) -> bool:
    return is_moment(value) and value.endswith("Z") and value[10] == "T"


def _key_fault(row: Mapping[str, Any]) -> Fault | None:
    key = compute_decision_key(row["decision_text"])
    if row["decision_key"] == key:
        return None
    return Fault("decision_key", f"`decision_key` is not that of `decision_text`, which is {key}")


def _family_by_fields(row: Mapping[str, Any]) -> Family | None:
    return next((family for family, fields in OWN_FIELDS.items() if not fields.isdisjoint(row)), None)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A field's form, and the same in words."""

    form: CoreSchema
    wanted: str


def _one_of(closed: type[StrEnum]) -> _Rule:
    return _Rule(form.literal_schema([word.value for word in closed]), f"one of {', '.join(closed)}")


_SHOWS = r"\S"
_SLUG = rf"^[a-z0-9][a-z0-9_-]{{0,{MOST_PATTERN_ID - 1}}}$"

_TEXT = _Rule(form.str_schema(), "text")
_TEXT_OR_NULL = _Rule(form.nullable_schema(form.str_schema()), "text")
_WRITTEN = _Rule(form.str_schema(pattern=_SHOWS), "text that says something")
_SHORT = _Rule(form.str_schema(max_length=MOST_TEXT), "text")
_SHORT_WRITTEN = _Rule(form.str_schema(pattern=_SHOWS, max_length=MOST_TEXT), "text that says something")
# No literal: true and 1.0 would be equal to it.
_VERSION = _Rule(form.int_schema(ge=SCHEMA_VERSION, le=SCHEMA_VERSION), f"the whole number {SCHEMA_VERSION}")
_MOMENT = _Rule(form.str_schema(pattern=COMMON_MOMENT), "a moment in UTC such as 2026-07-01T12:00:00.000Z")
_UUID = _Rule(form.str_schema(pattern=f"^{UUID4_FORM}$"), "a random UUID, version 4")
_PATTERN_ID = _Rule(
    form.str_schema(pattern=_SLUG), f"up to {MOST_PATTERN_ID} lower-case letters, digits, `-` and `_`"
)
_IMPACT = _Rule(form.int_schema(ge=0, le=MOST_IMPACT), f"a whole number from 0 to {MOST_IMPACT}")
_TAGS = _Rule(form.list_schema(form.str_schema(max_length=MOST_TAG), max_length=MOST_TAGS), "a list of texts")
_LIST = _Rule(form.list_schema(), "a list")
_TEXTS = _Rule(form.list_schema(form.str_schema()), "a list of texts")
_STATUS, _MISTAKE, _DRIFT = _one_of(Status), _one_of(MistakeTag), _one_of(DriftType)

# Each field with its rule in `compat` and in `strict`.
_Fields = Mapping[str, tuple[_Rule, _Rule]]
_BASE: _Fields = {
    "schema_version": (_VERSION, _VERSION),
    "ts": (_TEXT, _MOMENT),
    "entry_id": (_WRITTEN, _UUID),
    "source_orchestrator_run_id": (_TEXT_OR_NULL, _TEXT),
    "source_story_id": (_TEXT_OR_NULL, _TEXT),
    "phase_id": (_TEXT_OR_NULL, _TEXT),
    "impact_score": (_IMPACT, _IMPACT),
    "text": (_SHORT_WRITTEN, _SHORT_WRITTEN),
    "tags": (_TAGS, _TAGS),
    "status": (_STATUS, _STATUS),
    "provenance_ref": (_TEXT_OR_NULL, _TEXT),
}
_OWN: Mapping[Family, _Fields] = {
    Family.DECISIONS: {
        "decision_key": (_TEXT, _TEXT),
        "decision_text": (_WRITTEN, _SHORT_WRITTEN),
        "rationale": (_SHORT, _SHORT),
    },
    Family.MISTAKES: {
        "mistake_tag": (_MISTAKE, _MISTAKE),
        "failure_reason_code": (_TEXT, _WRITTEN),
    },
    Family.PATTERNS: {
        "pattern_id": (_TEXT, _PATTERN_ID),
        "applies_to": (_LIST, _TEXTS),
    },
    Family.PLAN_DRIFT: {
        "drift_type": (_DRIFT, _DRIFT),
        "from_artifact": (_TEXT, _WRITTEN),
        "to_artifact": (_TEXT, _WRITTEN),
        "ledger_decision_id": (_TEXT_OR_NULL, _TEXT),
    },
}
_OPTIONAL = frozenset(
    {"source_orchestrator_run_id", "source_story_id", "phase_id", "provenance_ref", "ledger_decision_id"}
)

FIELDS = {family: (*_BASE, *own) for family, own in _OWN.items()}
"""Every field of each family's rows, in the decision's order."""
OWN_FIELDS = {family: frozenset(own) for family, own in _OWN.items()}
"""The fields that only rows of one family have."""


def _rules(family: Family, profile: Profile) -> Mapping[str, _Rule]:
    fields = {**_BASE, **_OWN[family]}
    return {name: pair[profile is Profile.STRICT] for name, pair in fields.items()}


@lru_cache
def _validator(family: Family, profile: Profile) -> SchemaValidator:
    extra: form.ExtraBehavior = "forbid" if profile is Profile.STRICT else "ignore"
    return SchemaValidator(_schema(_rules(family, profile), extra))


@lru_cache
def _usual_form(family: Family, profile: Profile) -> ObjectForm:
    """Rows that the validator takes, but for some that are rare: with an unknown field, with other lists."""
    usual = {name: _TEXTS if rule is _LIST else rule for name, rule in _rules(family, profile).items()}
    return ObjectForm(_schema(usual, "forbid"))


def _schema(rules: Mapping[str, _Rule], extra: form.ExtraBehavior) -> CoreSchema:
    fields = {
        name: form.typed_dict_field(rule.form, required=name not in _OPTIONAL) for name, rule in rules.items()
    }
    return form.typed_dict_schema(fields, extra_behavior=extra, config=form.CoreConfig(strict=True))
