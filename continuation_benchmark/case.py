"""A case: a repository, a hand-off in it, a task, and the committed ground truth about going on with it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

CASES = Path(__file__).with_name("cases")

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,63}$")]
Words = Annotated[str, StringConstraints(min_length=1)]


class Track(StrEnum):
    """What a case is about."""

    FIDELITY = "fidelity"
    VALIDITY = "validity"
    NEGATIVE_KNOWLEDGE = "negative_knowledge"
    CONTINUITY = "continuity"


class CaseRefused(ValueError):
    """The committed cases contradict themselves."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Truth(_Part):
    """What is right: ids of the case's actions and statements.

    `plan` are the right actions, in order. `rediscovery` finds out again what the hand-off tells, `repeats`
    tries again what it ruled out. `critical` statements bind the work; `stale` ones do not hold any more.
    """

    plan: Annotated[tuple[Id, ...], Field(strict=False, min_length=1)]
    rediscovery: Annotated[tuple[Id, ...], Field(strict=False)] = ()
    repeats: Annotated[tuple[Id, ...], Field(strict=False)] = ()
    critical: Annotated[tuple[Id, ...], Field(strict=False)] = ()
    stale: Annotated[tuple[Id, ...], Field(strict=False)] = ()


class Expectation(_Part):
    """What Ophiuchus itself says of the hand-off; a test keeps it, so that the truth stays true.

    `standings` by item id, `fidelity` for codex by unit id.
    """

    aggregate: str
    standings: Mapping[str, str] = {}
    fidelity: Mapping[str, str] = {}
    continuity: str = "none"


class Case(_Part):
    """One case. `before` is committed first, the capsule's base; `after` (null deletes) with the capsule.

    `capsule` and `parent` are capsules without `schema_version`; `capsule_id` is the case's unless given.
    `summary` is what a plain summary of the same session says.
    """

    case_id: Id
    track: Annotated[Track, Field(strict=False)]
    task: Words
    capsule: Mapping[str, Any]
    parent: Mapping[str, Any] | None = None
    before: Mapping[str, str] = {"README": "1\n"}
    after: Mapping[str, str | None] = {}
    summary: Words
    actions: Mapping[Id, Words]
    statements: Mapping[Id, Words] = {}
    expect: Expectation
    truth: Truth

    @model_validator(mode="after")
    def _names_what_there_is(self) -> Self:
        truth = self.truth
        acted = (*truth.plan, *truth.rediscovery, *truth.repeats)
        stated = (*truth.critical, *truth.stale)
        if len(set(acted)) < len(acted) or len(set(stated)) < len(stated):
            raise ValueError("the ground truth gives one action or statement two meanings")
        if missing := [*set(acted) - set(self.actions), *set(stated) - set(self.statements)]:
            raise ValueError(f"the ground truth names what the case does not have: {sorted(missing)}")
        return self


def load_cases(folder: Path = CASES) -> tuple[Case, ...]:
    """All committed cases, by id. Raises CaseRefused, naming the file."""
    cases: dict[str, Case] = {}
    for file in sorted(folder.glob("*.yaml")):
        for number, document in enumerate(yaml.safe_load(file.read_text("utf-8"))):
            try:
                case = Case.model_validate(document)
            except ValueError as error:
                raise CaseRefused(f"{file.name}, case {number + 1}: {error}") from error
            if cases.setdefault(case.case_id, case) is not case:
                raise CaseRefused(f"{file.name}: the case {case.case_id} is there twice")
    return tuple(cases[case_id] for case_id in sorted(cases))
