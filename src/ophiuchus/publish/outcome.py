"""What became of one write: published, failed, or ambiguous. Never a fourth, and never guessed.

`published` needs a success status and a checked id; `failed` needs a sign that the provider did not act;
everything else is `ambiguous`, because it may have happened (first seed, "Retry, ambiguity, and
idempotency"; facts/providers.md §0).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ophiuchus.publish.reference import Reference
from ophiuchus.publish.tape import Tape

_REFUSED_REDIRECTS = frozenset({301, 307, 308})
"""Redirects that a server answers before it acts: they ask for the same POST elsewhere."""
_UNDECIDED = frozenset({408, 425, 499})
"""Client errors that can follow an act: timeouts, a request that was replayed, a client that left."""
_DENIALS = {
    401: "it does not know the credential",
    403: "the credential may not do this",
    404: "it has no such target, or none that the credential may see",
}
_THROTTLED = 429


class OutcomeStatus(StrEnum):
    """The three truthful values."""

    PUBLISHED = "published"
    AMBIGUOUS = "ambiguous"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The provider says no in an answer whose status says yes. `is_definite`: it did not act.

    `code` is the provider's own word; it is data.
    """

    code: str
    is_definite: bool


Answer = Reference | Refusal | None
"""What an adapter read out of an answer; None where there was none, or none with a proper id in it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One write's end. `reference` is there exactly when it is published; `retry_after` is in seconds.

    `is_denied`: the credential or the target is what to look at.
    """

    status: OutcomeStatus
    reason: str
    reference: Reference | None = None
    retry_after: int | None = None
    is_denied: bool = False


def judge_outcome(tape: Tape, answer: Answer) -> Outcome:
    """The outcome that the tape proves. `answer` counts only beneath a success status."""
    if tape.status is None:
        return _without_answer(tape)
    if 200 <= tape.status < 300:
        return _after_success(tape.status, answer)
    reason = f"the provider answered with status {tape.status}"
    if tape.status in _REFUSED_REDIRECTS:
        return Outcome(
            OutcomeStatus.FAILED, f"{reason}: the target has moved, and a redirect is not followed"
        )
    if 400 <= tape.status < 500 and tape.status not in _UNDECIDED:
        return _refused(tape.status, reason, tape.retry_after)
    return Outcome(OutcomeStatus.AMBIGUOUS, f"{reason}, which does not tell whether it acted")


def _without_answer(tape: Tape) -> Outcome:
    if not tape.handed_over:
        return Outcome(OutcomeStatus.FAILED, "nothing was sent")
    if tape.before_sending:
        return Outcome(OutcomeStatus.FAILED, f"no connection was made ({tape.failure}); nothing was sent")
    how = f"the connection broke ({tape.failure})" if tape.failure else "no answer came in time"
    return Outcome(OutcomeStatus.AMBIGUOUS, f"{how} after sending had begun")


def _refused(status: int, reason: str, retry_after: int | None) -> Outcome:
    # GitHub throttles with 403 too, and then says when to come back (case C053).
    if status == _THROTTLED or retry_after is not None:
        return Outcome(OutcomeStatus.FAILED, f"{reason}: rate limited", retry_after=retry_after)
    if status in _DENIALS:
        return Outcome(OutcomeStatus.FAILED, f"{reason}: {_DENIALS[status]}", is_denied=True)
    return Outcome(OutcomeStatus.FAILED, reason)


def _after_success(status: int, answer: Answer) -> Outcome:
    match answer:
        case Reference():
            return Outcome(OutcomeStatus.PUBLISHED, "", answer)
        case Refusal(code, is_definite):
            if is_definite:
                return Outcome(OutcomeStatus.FAILED, f"the provider refused: {code}")
            return Outcome(OutcomeStatus.AMBIGUOUS, f"the provider reports its own failure: {code}")
        case None:
            reason = f"the provider answered with status {status}, but with no id of what it made"
            return Outcome(OutcomeStatus.AMBIGUOUS, reason)
