"""One attempt at one write, with an end: an SDK's own timeouts do not bound the whole (facts §0, 5)."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

from ophiuchus.publish.outcome import Answer, Outcome, judge_outcome
from ophiuchus.publish.provider import Provider, Write
from ophiuchus.publish.tape import Tape

SECONDS = 60.0
"""Most seconds from the first byte of a write to the last of its answer."""


def attempt(provider: Provider, write: Write, seconds: float = SECONDS) -> Outcome:
    """Let `provider` make `write`, once; what became of it after at most `seconds`. Raises nothing.

    The SDK runs in a thread of its own that is left behind when time is up. The tape is closed then, so
    that nothing is sent later which was not sent by now.
    """
    tape = Tape()
    answers: list[Answer] = []

    def run() -> None:
        # Whatever was raised, the tape knows what was sent; an SDK's exceptions may hold secrets.
        with suppress(Exception):
            answers.append(provider.write(write, tape))

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    tape.close()
    return judge_outcome(tape, None if thread.is_alive() or not answers else answers[0])
