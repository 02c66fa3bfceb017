"""What becomes of a write when something goes wrong: each fault, service and operation.

Run alone (not spread over processes), it prints the table: a cell says the outcome, and how many writes the
provider had read to their end.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fault_server import AMBIGUOUS, FAILED, FAULTS, PUBLISHED, UNRESOLVABLE, Fault, FaultServer
from services import SERVICES, Service

from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Operation
from ophiuchus.publish.outcome import Outcome

AT_ONCE = 8
COLUMNS = [(service, operation) for service in SERVICES for operation in Operation]

Cell = tuple[Outcome, FaultServer]


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[dict[str, dict[str, str]]]:
    """The cells by row and column, to be filled in; printed at the end."""
    cells: dict[str, dict[str, str]] = {fault.name: {} for fault in FAULTS}
    yield cells
    columns = [f"{service.name} {operation}" for service, operation in COLUMNS]
    lines = [f"| fault | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| {name} | {' | '.join(row.get(column, '') for column in columns)} |" for name, row in cells.items()
    ]
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        sys.stdout.write("\n" + "\n".join(lines) + "\n")


@pytest.fixture(autouse=True)
def one_name_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which no resolver has to be asked for."""
    resolve = socket.getaddrinfo

    def lookup(host: Any, *arguments: Any, **options: Any) -> Any:
        if host in (UNRESOLVABLE, UNRESOLVABLE.encode()):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)


def suffer(service: Service, operation: Operation, fault: Fault, env: dict[str, str]) -> Cell:
    """One attempt at one write, at a server with one fault."""
    with FaultServer(fault, service.exchanges[operation].good) as server:
        provider = service.open(server.origin, env, fault.seconds)
        began = time.monotonic()
        outcome = attempt(provider, service.write(operation), fault.total)
        assert time.monotonic() - began < fault.total + 5
    return outcome, server


@pytest.mark.parametrize(("service", "operation"), COLUMNS, ids=lambda value: getattr(value, "name", value))
def test_a_write_is_sent_once_and_its_outcome_is_true(
    service: Service,
    operation: Operation,
    env: dict[str, str],
    table: dict[str, dict[str, str]],
    subtests: pytest.Subtests,
) -> None:
    service.open("http://127.0.0.1:1", env, 1)  # the SDK is imported here, not by several threads at once
    faults = [fault for fault in FAULTS if fault.only in (None, service.provider)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        cells = list(pool.map(lambda fault: suffer(service, operation, fault, env), faults))
    for fault, (outcome, server) in zip(faults, cells, strict=True):
        column = f"{service.name} {operation}"
        table[fault.name][column] = f"{outcome.status} ({len(server.requests)})"
        with subtests.test(fault.name):
            assert [request.method for request in server.requests] in ([], ["POST"])
            assert server.made <= 1
            assert not (outcome.status is FAILED and server.made), "false failed"
            assert not (outcome.status is PUBLISHED and not server.made), "false published"
            assert outcome.status is fault.wanted, outcome.reason
            made = service.exchanges[operation].made if fault.wanted is PUBLISHED else None
            assert outcome.reference == made
            if outcome.status is AMBIGUOUS:
                assert outcome.retry_after is None


def test_the_rows_hold_both_kinds_of_truth() -> None:
    assert {(fault.wanted, fault.acts) for fault in FAULTS} == {
        (PUBLISHED, True),
        (AMBIGUOUS, True),
        (AMBIGUOUS, False),
        (FAILED, False),
    }
