"""What became of one write: published, failed, or ambiguous. Never a fourth, and never guessed.

`published` needs a success status and a checked id; `failed` needs a sign that the provider did not act;
everything else is `ambiguous`, because it may have happened (first seed, "Retry, ambiguity, and
idempotency"; facts/providers.md §0).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, auto

from ophiuchus.publish.reference import Reference
from ophiuchus.publish.tape import Tape

_REFUSED_REDIRECTS = frozenset({301, 307, 308})
"""Redirects that a server answers before it acts: they ask for the same POST elsewhere."""
_UNDECIDED = frozenset({408, 425, 499})
"""Client errors that can follow an act: timeouts, a request that was replayed, a client that left."""


class OutcomeStatus(StrEnum):
    """The three truthful values."""

    PUBLISHED = "published"
    AMBIGUOUS = "ambiguous"
    FAILED = "failed"


class Mend(StrEnum):
    """What a person has to look at before the next run."""

    CAUSE = auto()
    CREDENTIAL = auto()
    TARGET = auto()
    ADDRESS = auto()
    CONNECTION = auto()
    PACE = auto()


_DENIALS = {
    401: ("it does not know the credential", Mend.CREDENTIAL),
    403: ("the credential may not do this", Mend.CREDENTIAL),
    404: ("it has no such target, or none that the credential may see", Mend.TARGET),
}
_THROTTLED = 429


@dataclass(frozen=True, slots=True)
class Refusal:
    """The provider says no, in `code`: a word of its own in a closed form, or ours for what it says.

    `is_definite`: it did not act, although the status is one of success. `mend` is there where the word says
    more of it than the status does.
    """

    code: str
    is_definite: bool = False
    mend: Mend | None = None


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The provider names what it made, and that is at another place, or a part of another artifact."""


Answer = Reference | Refusal | Elsewhere | None
"""What an adapter read out of an answer; None where it has neither a proper id nor a word for a refusal."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One write's end. `reference` is there exactly when it is published; `retry_after` is in seconds.

    `mend` is what helps where it failed.
    """

    status: OutcomeStatus
    reason: str
    reference: Reference | None = None
    retry_after: int | None = None
    mend: Mend = Mend.CAUSE


def judge_outcome(tape: Tape, answer: Answer) -> Outcome:
    """The outcome that the tape proves. Beneath another status than success `answer` only explains it."""
    if tape.status is None:
        return _without_answer(tape)
    if 200 <= tape.status < 300:
        return _after_success(tape.status, answer)
    refusal = answer if isinstance(answer, Refusal) else None
    reason = f"the provider answered with status {tape.status}"
    if refusal is not None:
        reason += f" ({refusal.code})"
    elif tape.redirected_to is not None:
        reason += f" (redirected to {tape.redirected_to})"
    if tape.status in _REFUSED_REDIRECTS:
        return Outcome(OutcomeStatus.FAILED, f"{reason}: a redirect is not followed", mend=Mend.ADDRESS)
    if 400 <= tape.status < 500 and tape.status not in _UNDECIDED:
        return _refused(tape.status, reason, tape.retry_after, refusal.mend if refusal else None)
    return Outcome(OutcomeStatus.AMBIGUOUS, f"{reason}, which does not tell whether it acted")


def _without_answer(tape: Tape) -> Outcome:
    if not tape.handed_over:
        return Outcome(OutcomeStatus.FAILED, "nothing was sent")
    if tape.before_sending:
        reason = f"no connection was made ({tape.failure}); nothing was sent"
        return Outcome(OutcomeStatus.FAILED, reason, mend=Mend.CONNECTION)
    how = f"the connection broke ({tape.failure})" if tape.failure else "no answer came in time"
    return Outcome(OutcomeStatus.AMBIGUOUS, f"{how} after sending had begun")


def _refused(status: int, reason: str, retry_after: int | None, mend: Mend | None) -> Outcome:
    # GitHub throttles with 403 too, and then says so or when to come back (case C053).
    if status == _THROTTLED or retry_after is not None or mend is Mend.PACE:
        reason = f"{reason}: rate limited"
        return Outcome(OutcomeStatus.FAILED, reason, retry_after=retry_after, mend=Mend.PACE)
    if mend is None and status in _DENIALS:
        words, mend = _DENIALS[status]
        reason = f"{reason}: {words}"
    return Outcome(OutcomeStatus.FAILED, reason, mend=mend or Mend.CAUSE)


def _after_success(status: int, answer: Answer) -> Outcome:
    match answer:
        case Reference():
            return Outcome(OutcomeStatus.PUBLISHED, "", answer)
        case Refusal(code, is_definite, mend):
            if is_definite:
                return Outcome(OutcomeStatus.FAILED, f"the provider refused: {code}", mend=mend or Mend.CAUSE)
            return Outcome(OutcomeStatus.AMBIGUOUS, f"the provider reports its own failure: {code}")
        case Elsewhere():
            reason = f"the provider answered with status {status}, but about another place than was asked for"
            return Outcome(OutcomeStatus.AMBIGUOUS, reason)
        case None:
            reason = f"the provider answered with status {status}, but with no id of what it made"
            return Outcome(OutcomeStatus.AMBIGUOUS, reason)
