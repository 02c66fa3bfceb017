"""What an adapter is asked to do, and the promise it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ophiuchus.publish.capability import Operation
from ophiuchus.publish.outcome import Answer
from ophiuchus.publish.reference import Reference
from ophiuchus.publish.tape import Tape
from ophiuchus.text.problem import ExpectedFailure


class CredentialMissing(ExpectedFailure):
    """The environment lacks a credential, or holds something that cannot be one. Never shows its value."""


@dataclass(frozen=True, slots=True)
class Write:
    """One write. `content` is the request's body as approved; where it goes is told apart from it.

    `target` is canonical. `append_to` is the artifact to add to: given exactly for an append.
    """

    operation: Operation
    target: str
    content: Mapping[str, Any] = field(repr=False)
    append_to: Reference | None = None

    def __post_init__(self) -> None:
        if (self.operation is Operation.APPEND) != (self.append_to is not None):
            raise ValueError("an append has something to append to, a create has nothing")


class Provider(Protocol):
    """One service, with its credential checked when the adapter was made."""

    def write(self, write: Write, tape: Tape) -> Answer:
        """Send `write` in one request that goes through `tape`.

        May raise whatever the SDK raises: who calls reads the tape, not the exception.
        """
