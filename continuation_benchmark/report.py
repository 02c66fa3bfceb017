"""The report of a run. It cannot be built without saying first what its numbers are not."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from continuation_benchmark.case import Track
from continuation_benchmark.metrics import Metric
from continuation_benchmark.rendering import Arm
from ophiuchus.assess.fidelity import FIDELITY_LIMIT

DISCLAIMER = (
    "A run of the executor 'oracle' replays the committed ground truth of each case: it measures whether the "
    "scoring pipeline is right and repeatable, and is no evidence about any model, agent or hand-off. "
    "Whatever the executor, the cases are synthetic, and no number here is market or product validation."
)
"""Must be the first disclaimer of every report."""

DECLARED_BY_THE_EXECUTOR = (
    "The rates of preserved critical context and of misused stale context are scored from what the executor "
    f"says it relied on. {FIDELITY_LIMIT}"
)

SAME_IN_EVERY_ARM = (
    "This executor does not see the arm: its results are the same in every arm by construction, so no "
    "comparison between arms can be read from this report."
)
"""The warning where arms could not make a difference."""

SCHEMA_VERSION = 1


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Score(_Part):
    """One metric over some cases. `value` is in the metric's own sense, `score` is 1 where it is best."""

    metric: Metric
    cases: Annotated[int, Field(ge=1)]
    value: float
    score: Annotated[float, Field(ge=0, le=1)]


class ArmResult(_Part):
    """One arm: the scores over all cases, over those of each track, and of each case.

    `unanswered` says why a case got no answer; it scores 0 everywhere.
    """

    arm: Arm
    scores: tuple[Score, ...]
    tracks: dict[Track, tuple[Score, ...]]
    cases: dict[str, dict[Metric, float]]
    unanswered: dict[str, str]


class Report(_Part):
    """One run. Raises a validation error unless DISCLAIMER is the first of `disclaimers`."""

    schema_version: int = SCHEMA_VERSION
    disclaimers: Annotated[tuple[str, ...], Field(min_length=1)]
    warnings: tuple[str, ...]
    executor: str
    cases: Annotated[int, Field(ge=1)]
    arms: Annotated[tuple[ArmResult, ...], Field(min_length=1)]

    @field_validator("disclaimers")
    @classmethod
    def _says_first_what_it_is_not(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or value[0] != DISCLAIMER:
            raise ValueError("the first disclaimer must be DISCLAIMER, word for word")
        return value


def report_bytes(report: Report) -> bytes:
    """The report in UTF-8 JSON. Equal results give equal bytes: no time and no machine is in it."""
    return (report.model_dump_json(indent=2) + "\n").encode()
