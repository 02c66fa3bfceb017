"""One row of the critics' ledger: DEC-0104's schema version 1, as the field writes it and by its letter.

A compiled validator says yes to a good row; only a row that fails is looked at field by field, so that each
fault has its own words, its code and its column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # of Python 3.12, which pydantic needs

from ophiuchus.ledgers.critic.issue_key import compute_issue_key
from ophiuchus.ledgers.critic.models import same_model
from ophiuchus.ledgers.jsonl import Profile, ReadGood
from ophiuchus.ledgers.moment import COMMON_MILLISECONDS, is_moment
from ophiuchus.ledgers.vocabulary import PHASES, ROLES, UUID4_FORM, is_uuid4
from ophiuchus.text.object_form import ObjectForm
from ophiuchus.text.wording import QUOTED_CHARACTERS, quoted

SCHEMA_VERSION = 1


class Lens(StrEnum):
    """What a critic looks for (DEC-0104 §3)."""

    CHALLENGER = "challenger"
    ARCHITECT = "architect"
    SUBTRACTOR = "subtractor"


class Severity(StrEnum):
    """How bad a finding is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Confidence(StrEnum):
    """How many lenses agree; `LOW` only before reconciliation."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Status(StrEnum):
    """Where a finding stands."""

    OPEN = "open"
    RESOLVED = "resolved"
    WAIVED = "waived"


class FaultCode(StrEnum):
    """What kind of irregularity a row has. A closed set."""

    MISSING_FIELD = "missing_field"
    UNKNOWN_FIELD = "unknown_field"
    BAD_FIELD = "bad_field"
    BAD_TIME = "bad_time"
    BAD_ID = "bad_id"
    EMPTY_ID = "empty_id"
    UNKNOWN_WORD = "unknown_word"
    WRONG_KEY = "wrong_key"
    WRONG_CONFIDENCE = "wrong_confidence"
    UNDECLARED_DEGRADED_MODE = "undeclared_degraded_mode"
    DUPLICATE_ID = "duplicate_id"
    SECRET = "secret"  # noqa: S105 - a kind of fault


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with one row. `field` is the one that must change, None where it is absent."""

    field: str | None
    code: FaultCode
    message: str


def _whole(form: str) -> str:
    """The pattern that takes nothing but the form, not even a newline after it."""
    return rf"\A(?:{form})\z"


_TIME_FORM = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
_MANY = 1_000_000
_Said = Annotated[str, Field(pattern=r"\S")]
_Score = Annotated[int, Field(ge=0, le=10)]
_Count = Annotated[int, Field(ge=0, le=_MANY)]
_Version = Annotated[int, Field(ge=1, le=1)]
_Lens = Literal["challenger", "architect", "subtractor"]
_Severity = Literal["low", "medium", "high", "critical"]
_Confidence = Literal["high", "medium", "low"]
_Status = Literal["open", "resolved", "waived"]
_CONFIG = ConfigDict(extra="forbid", strict=True)


class _Required(TypedDict):
    """What a row must have, as the field writes it."""

    ts: str
    orchestrator_run_id: str
    phase_id: str
    role: str
    producer_model_id: str
    critic_model_id: str
    lens: _Lens
    finding_id: str
    severity: _Severity
    confidence: _Confidence
    anti_slop_score: _Score
    finding_text: _Said
    status: _Status
    blocking: bool
    degraded_mode: bool


class _Finding(_Required):
    """The fields as the field writes them: what is optional may be anything."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]

    issue_key: NotRequired[Any]
    single_finder: NotRequired[Any]
    rework_generation: NotRequired[Any]
    schema_version: NotRequired[Any]


class _Usual(_Required):
    """The same where what is optional is what it should be, as in nearly every row."""

    __pydantic_config__ = _CONFIG  # type: ignore[misc]

    issue_key: NotRequired[str]
    single_finder: NotRequired[bool]
    rework_generation: NotRequired[_Count]
    schema_version: NotRequired[_Version]


class _Letter(TypedDict):
    """What of the decision's letter a compiled validator can hold: a row that passes needs no closer look.

    Of those that do not, some have no fault either: a moment of an early year, a very large count.
    """

    __pydantic_config__ = _CONFIG  # type: ignore[misc]

    ts: Annotated[str, Field(pattern=COMMON_MILLISECONDS)]
    orchestrator_run_id: _Said
    phase_id: Annotated[str, Field(pattern=_whole("|".join(PHASES)))]
    role: Annotated[str, Field(pattern=_whole("|".join(ROLES)))]
    producer_model_id: _Said
    critic_model_id: _Said
    lens: _Lens
    finding_id: Annotated[str, Field(pattern=_whole(UUID4_FORM))]
    severity: _Severity
    confidence: _Confidence
    anti_slop_score: _Score
    finding_text: _Said
    status: _Status
    blocking: bool
    degraded_mode: bool
    issue_key: NotRequired[str]
    single_finder: NotRequired[bool]
    rework_generation: NotRequired[_Count]
    schema_version: NotRequired[_Version]


FIELDS = tuple(_Finding.__annotations__)
"""Every field of version 1, in the decision's order."""
OPTIONAL = ("issue_key", "single_finder", "rework_generation", "schema_version")
REQUIRED = tuple(field for field in FIELDS if field not in OPTIONAL)
_FREE_BY_THE_LETTER = ("orchestrator_run_id", "producer_model_id", "critic_model_id", "finding_text")
FREE: Mapping[Profile, Sequence[str]] = {
    Profile.COMPAT: (*_FREE_BY_THE_LETTER, "phase_id", "role", "finding_id", "issue_key"),
    Profile.STRICT: _FREE_BY_THE_LETTER,
}
"""The fields whose text is free: in a good row no other can hold a secret."""

_VALIDATOR = TypeAdapter(_Finding).validator
_LETTER_VALIDATOR = TypeAdapter(_Letter).validator
_USUAL_FORM = ObjectForm(TypeAdapter(_Usual).core_schema)
_LETTER_FORM = ObjectForm(TypeAdapter(_Letter).core_schema)
_EXPECTED = {
    "lens": f"one of {', '.join(Lens)}",
    "severity": f"one of {', '.join(Severity)}",
    "confidence": f"one of {', '.join(Confidence)}",
    "status": f"one of {', '.join(Status)}",
    "anti_slop_score": "a whole number from 0 to 10",
    "finding_text": "text that says something",
    "blocking": "true or false",
    "degraded_mode": "true or false",
}


def faults(row: Mapping[str, Any], profile: Profile) -> list[Fault]:
    """What is wrong with one row, in its fields' order; of another version nothing more is told (C121)."""
    strict = profile is Profile.STRICT
    if not _is_version(row.get("schema_version", SCHEMA_VERSION)):
        shown = _shown(row["schema_version"])
        message = f"unsupported version: `schema_version` must be {SCHEMA_VERSION}, and is {shown}"
        return [Fault("schema_version", FaultCode.BAD_FIELD, message)]
    found = []
    try:
        (_LETTER_VALIDATOR if strict else _VALIDATOR).validate_python(row)
    except ValidationError:
        found = _of_fields(row)
        if strict:
            found += _by_the_letter(row, {fault.field for fault in found})
    if not strict and isinstance(row.get("ts"), str) and not is_moment(row["ts"]):
        found.append(_not("ts", row, "an RFC 3339 moment with an offset", FaultCode.BAD_TIME))
    return found if found or not strict else list(_contradictions(row))


def _read_usual(line: bytes) -> dict[str, Any] | None:
    row = _USUAL_FORM.read(line)
    return row if row is not None and is_moment(row["ts"]) else None


def _read_by_the_letter(line: bytes) -> dict[str, Any] | None:
    row = _LETTER_FORM.read(line)
    return None if row is None or any(_contradictions(row)) else row


def _of_fields(row: Mapping[str, Any]) -> list[Fault]:
    try:
        _VALIDATOR.validate_python(row)
    except ValidationError as error:
        return [_fault(one["type"], str(one["loc"][0]), row) for one in error.errors(include_url=False)]
    return []


def is_open_blocking(row: Mapping[str, Any]) -> bool:
    """Whether a row says, in so many words, that it blocks and is open. Nothing else may block."""
    return row.get("blocking") is True and row.get("status") == Status.OPEN


def _fault(kind: str, field: str, row: Mapping[str, Any]) -> Fault:
    if kind == "missing":
        return Fault(None, FaultCode.MISSING_FIELD, f"lacks `{field}`")
    if kind == "extra_forbidden":
        near = get_close_matches(field, FIELDS, n=1)
        meant = f"; `{near[0]}` is the nearest that is" if near else ""
        name = f"`{field}`" if len(field) <= QUOTED_CHARACTERS else "a long name"
        return Fault(field, FaultCode.UNKNOWN_FIELD, f"{name} is no field of a finding{meant}")
    return _not(field, row, _EXPECTED.get(field, "text"))


def _not(field: str, row: Mapping[str, Any], expected: str, code: FaultCode = FaultCode.BAD_FIELD) -> Fault:
    return Fault(field, code, f"`{field}` must be {expected}, and is {_shown(row[field])}")


def _shown(value: object) -> str:
    """A value in a message: whole or not at all, so that a scan of the message sees what is in it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 1_000_000 else "a large number"
    if isinstance(value, str):
        return quoted(value) if len(value) <= QUOTED_CHARACTERS else "a long text"
    return {float: "a fraction", list: "a list"}.get(type(value), "an object")


def _by_the_letter(row: Mapping[str, Any], told: Collection[str | None]) -> Iterator[Fault]:
    """What DEC-0104 asks of a row beyond its fields' types, of fields that are not `told` already."""
    for field, (holds, expected, code) in _LETTER.items():
        if field in row and field not in told and not holds(row[field]):
            yield _not(field, row, expected, code)


def _contradictions(row: Mapping[str, Any]) -> Iterator[Fault]:
    """Fields that are well formed and say what another field denies (DEC-0104 §3, §4, §5)."""
    if "issue_key" in row and row["issue_key"] != (key := compute_issue_key(row["finding_text"])):
        yield Fault(
            "issue_key",
            FaultCode.WRONG_KEY,
            f"`issue_key` is not the key of the finding's text, {key}: agreement of lenses cannot be seen",
        )
    single = row.get("single_finder")
    if isinstance(single, bool) and (row["confidence"] == Confidence.HIGH) is single:
        yield Fault(
            "confidence",
            FaultCode.WRONG_CONFIDENCE,
            f"`confidence` is {row['confidence']} where `single_finder` is {json.dumps(single)}: it is high "
            "where two lenses agree, and only there",
        )
    if not row["degraded_mode"] and same_model(row["producer_model_id"], row["critic_model_id"]):
        yield Fault(
            "degraded_mode",
            FaultCode.UNDECLARED_DEGRADED_MODE,
            "`degraded_mode` is false though one model is producer and critic: no second model has looked",
        )


def _is_time(value: object) -> bool:
    return isinstance(value, str) and _TIME.fullmatch(value) is not None and is_moment(value)


def _is_said(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_version(value: object) -> bool:
    return type(value) is int and value == SCHEMA_VERSION


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


_Rule = tuple[Callable[[Any], bool], str, FaultCode]
_TIME = re.compile(_TIME_FORM)
_AN_ID: _Rule = (_is_said, "an id that is not empty", FaultCode.EMPTY_ID)
_LETTER: Mapping[str, _Rule] = {
    "ts": (_is_time, "a moment as 2026-06-28T10:00:00.000Z", FaultCode.BAD_TIME),
    "orchestrator_run_id": _AN_ID,
    "phase_id": (
        PHASES.__contains__,
        f"a canonical phase ({', '.join(sorted(PHASES))})",
        FaultCode.UNKNOWN_WORD,
    ),
    "role": (ROLES.__contains__, f"a canonical role ({', '.join(sorted(ROLES))})", FaultCode.UNKNOWN_WORD),
    "producer_model_id": _AN_ID,
    "critic_model_id": _AN_ID,
    "finding_id": (is_uuid4, "a random UUID (version 4)", FaultCode.BAD_ID),
    "issue_key": (lambda key: isinstance(key, str), "text", FaultCode.BAD_FIELD),
    "single_finder": (lambda flag: isinstance(flag, bool), "true or false", FaultCode.BAD_FIELD),
    "rework_generation": (_is_count, "a whole number of at least 0", FaultCode.BAD_FIELD),
}

READ_GOOD: Mapping[Profile, ReadGood] = {
    Profile.COMPAT: _read_usual,
    Profile.STRICT: _read_by_the_letter,
}
"""Gives the row on a line of JSON where one step tells that `faults` has none to name."""
