from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Operation
from ophiuchus.publish.outcome import Answer, OutcomeStatus
from ophiuchus.publish.provider import Write
from ophiuchus.publish.reference import Reference
from ophiuchus.publish.tape import SecondRequest, Tape

WRITE = Write(Operation.CREATE, "owner/name", {"title": "t"})
MADE = Reference("7")


class Scripted:
    """A provider that does what it is told."""

    def __init__(self, script: Callable[[Tape], Answer]) -> None:
        self._script = script
        self.given: list[Write] = []

    def write(self, write: Write, tape: Tape) -> Answer:
        self.given.append(write)
        return self._script(tape)


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Set at the end, so that no thread outlives its test."""
    event = threading.Event()
    yield event
    event.set()


def sends(tape: Tape) -> Answer:
    tape.admit("POST")
    tape.answered(201)
    return MADE


def test_a_provider_is_asked_once_for_the_write_as_it_is() -> None:
    provider = Scripted(sends)
    outcome = attempt(provider, WRITE)
    assert (outcome.status, outcome.reference) == (OutcomeStatus.PUBLISHED, MADE)
    assert provider.given == [WRITE]


def test_what_an_sdk_raises_before_sending_is_failed_and_not_raised() -> None:
    def raises(tape: Tape) -> Answer:
        raise ValueError("secret words")

    outcome = attempt(Scripted(raises), WRITE)
    assert outcome.status is OutcomeStatus.FAILED
    assert "secret" not in repr(outcome)


def test_what_an_sdk_raises_after_the_answer_changes_nothing_but_the_reference() -> None:
    def raises(tape: Tape) -> Answer:
        sends(tape)
        raise ValueError("secret words")

    outcome = attempt(Scripted(raises), WRITE)
    assert outcome.status is OutcomeStatus.AMBIGUOUS
    assert "secret" not in repr(outcome)


def test_after_the_last_second_a_write_that_began_is_ambiguous(over: threading.Event) -> None:
    def hangs(tape: Tape) -> Answer:
        tape.admit("POST")
        over.wait(10)
        return MADE

    began = time.monotonic()
    assert attempt(Scripted(hangs), WRITE, seconds=0.1).status is OutcomeStatus.AMBIGUOUS
    assert time.monotonic() - began < 5


def test_an_answer_that_is_not_read_in_time_is_ambiguous_whatever_its_status(over: threading.Event) -> None:
    def drips(tape: Tape) -> Answer:
        sends(tape)
        over.wait(10)
        return MADE

    assert attempt(Scripted(drips), WRITE, seconds=0.1).status is OutcomeStatus.AMBIGUOUS


def test_what_was_not_sent_in_time_is_failed_and_is_never_sent(over: threading.Event) -> None:
    late: list[str] = []
    tried = threading.Event()

    def dawdles(tape: Tape) -> Answer:
        over.wait(10)
        try:
            tape.admit("POST")
            late.append("sent")
        except SecondRequest:
            late.append("refused")
        tried.set()
        return None

    assert attempt(Scripted(dawdles), WRITE, seconds=0.1).status is OutcomeStatus.FAILED
    over.set()
    assert tried.wait(5)
    assert late == ["refused"]


def test_a_write_has_something_to_append_to_exactly_when_it_appends() -> None:
    with pytest.raises(ValueError, match="something to append to"):
        Write(Operation.APPEND, "owner/name", {})
    with pytest.raises(ValueError, match="something to append to"):
        Write(Operation.CREATE, "owner/name", {}, MADE)


def test_the_content_is_not_printed_with_the_write() -> None:
    assert "secret" not in repr(Write(Operation.CREATE, "owner/name", {"body": "secret words"}))
