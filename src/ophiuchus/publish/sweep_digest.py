"""The digest of a sweep as it would be written to each channel that was named. Nothing is sent here.

What is told once is a state: what needs action, and the words for it. A digest is claimed by a word in the
place of a capsule's id. The word says of which sweep it is, of which state, and which digest went before: so
a state is told once, and again only after another one was told there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ophiuchus.publish.capability import CAPABILITIES, Kind, Operation
from ophiuchus.publish.delivery import Plan
from ophiuchus.publish.destination import Destination
from ophiuchus.publish.digest import canonical_json, payload_digest, write_digest
from ophiuchus.publish.origins import Origin
from ophiuchus.publish.payload import compose_message
from ophiuchus.publish.proposal import Proposal, Proposed
from ophiuchus.publish.provider import Write
from ophiuchus.publish.receipts import Receipt, ReceiptStatus, Row, target_digest
from ophiuchus.report.elsewhere import is_elsewhere
from ophiuchus.report.files import acting
from ophiuchus.report.model import Report
from ophiuchus.report.owners import Owners
from ophiuchus.secrets.scan import scan_value
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.sweep_digest import compose_digest, repositories_told, title_of_digest

_SWEEP_DIGITS, _STATE_DIGITS, _BEFORE_DIGITS = 16, 32, 16
_WORD = re.compile(
    rf"sweep\.[0-9a-f]{{{_SWEEP_DIGITS}}}\.[0-9a-f]{{{_STATE_DIGITS}}}\.[0-9a-f]{{{_BEFORE_DIGITS}}}"
)


class NoChannel(ExpectedFailure):
    """A digest asks for a conversation, and the destination has none."""

    def __init__(self, alias: str, destination: Destination) -> None:
        channels = ", ".join(name for name, one in CAPABILITIES.items() if one.kind is Kind.DISCUSS)
        super().__init__(
            f"a sweep's digest is a message for a channel, and {alias} is at {destination.provider}",
            f"Name destinations of: {channels}. For GitHub a sweep keeps an issue.",
        )


@dataclass(frozen=True, slots=True)
class Sweep:
    """What was swept. `key` tells sweeps of one repository apart; `owners` are by each capsule's path.

    The report may tell of other repositories as well, of which nothing was judged here.
    """

    repository: str
    key: str
    report: Report
    owners: Mapping[str, Owners] | None

    @property
    def needs_action(self) -> bool:
        """Whether there is anything to tell."""
        return bool(acting(self.report) or self.report.problems)

    @property
    def is_reported(self) -> bool:
        """Whether something is told of another repository, as its report has it."""
        return any(is_elsewhere(name, self.repository) for name in repositories_told(self.report))

    @property
    def name(self) -> str:
        """What the words of all its digests begin with."""
        return f"sweep.{_digits(_SWEEP_DIGITS, [self.repository.casefold(), self.key])}."


def refuse_other_than_channels(destinations: Mapping[str, tuple[Destination, Origin]]) -> None:
    """Raises NoChannel for a destination that gets records."""
    for alias, (destination, _) in destinations.items():
        if CAPABILITIES[destination.provider].kind is not Kind.DISCUSS:
            raise NoChannel(alias, destination)


def is_digest_word(capsule_id: str) -> bool:
    """Whether this is what a digest's receipt has in the place of a capsule's id."""
    return _WORD.fullmatch(capsule_id.casefold()) is not None


def propose_digest(
    sweep: Sweep, destinations: Mapping[str, tuple[Destination, Origin]], rows: Mapping[str, Row]
) -> Proposal:
    """What would be written, with the receipts in `rows`; nothing where nothing needs action.

    Raises NoChannel.
    """
    refuse_other_than_channels(destinations)
    told = destinations if sweep.needs_action else {}
    writes = (_proposed(sweep, alias, *where, rows) for alias, where in told.items())
    return Proposal(sweep.repository, "", tuple(writes))


def leaks_of_sweep(sweep: Sweep) -> tuple[str, ...]:
    """Each kind of secret in the names that a digest may show, as they are spelled; never a value."""
    return tuple(
        map(
            str,
            scan_value(
                {
                    "capsules": [one.capsule_id for one in acting(sweep.report)],
                    "problems": [problem.path for problem in sweep.report.problems],
                    "repositories": list(repositories_told(sweep.report)),
                    "owners": [owner for whose in (sweep.owners or {}).values() for owner in whose],
                }
            ),
        )
    )


def _proposed(
    sweep: Sweep, alias: str, destination: Destination, origin: Origin, rows: Mapping[str, Row]
) -> Proposed:
    append_to = destination.artifact
    operation = Operation.CREATE if append_to is None else Operation.APPEND
    document = compose_digest(sweep.report, sweep.owners, sweep.repository)
    payload = compose_message(destination, operation, title_of_digest(sweep.repository), document)
    write = Write(operation, destination.target, payload.content, append_to)
    word = _word(sweep, payload.content, _last(sweep, destination, origin, rows))
    plan = Plan(alias, word, destination.provider, origin.api, write, payload_digest(payload.content))
    digest = write_digest({"sweep": word}, destination=destination, origin=origin.api, write=write)
    row = rows.get(plan.claim_key)
    return Proposed(destination, origin, plan, payload, digest, row, is_parent_unsettled=False)


def _word(sweep: Sweep, content: Mapping[str, Any], last: Receipt | None) -> str:
    """The word of the digest that says this state; that of the `last` one told where it said the same."""
    of_state = f"{sweep.name}{_digits(_STATE_DIGITS, [list(_state(sweep.report)), dict(content)])}."
    if last is not None and last.capsule_id.startswith(of_state):
        return last.capsule_id
    return of_state + _digits(_BEFORE_DIGITS, last.claim_key if last else None)


def _state(report: Report) -> Iterator[list[Any]]:
    """All that needs action, also what a message has no room for."""
    for one in acting(report):
        yield [one.repository, one.path, one.capsule_id, one.validity.aggregate, one.expired]
    for problem in report.problems:
        yield [problem.repository, problem.path, problem.code]


def _last(sweep: Sweep, destination: Destination, origin: Origin, rows: Mapping[str, Row]) -> Receipt | None:
    """The digest of this sweep that was published there last."""
    where = target_digest(destination.provider, origin.api, destination.target)
    told = (
        row
        for row in rows.values()
        if isinstance(row, Receipt)
        and row.status is ReceiptStatus.PUBLISHED
        and row.target_digest == where
        and is_digest_word(row.capsule_id)
        and row.capsule_id.startswith(sweep.name)
    )
    return max(told, key=lambda row: (row.at, row.claim_key), default=None)


def _digits(number: int, value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()[:number]
