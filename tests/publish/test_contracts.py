"""The real SDKs' requests, held against the providers' own descriptions; and their answers, read by us."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from composed import composed_write
from contract import MISSING, Contract, adf_faults, folder
from fault_server import FAULTS, Fault, FaultServer, Request, http, says
from services import CLICKUP, GITHUB, JIRA_CLOUD, SLACK, TEAMS, Service

from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Operation
from ophiuchus.publish.outcome import OutcomeStatus
from ophiuchus.publish.provider import Write
from ophiuchus.publish.reference import Reference

CREATE, APPEND = Operation.CREATE, Operation.APPEND
FILES = {
    GITHUB.name: ("github.json", GITHUB.base),
    JIRA_CLOUD.name: ("jira.json", JIRA_CLOUD.base),
    CLICKUP.name: ("clickup.json", "/api"),
    SLACK.name: ("slack.json", SLACK.base),
    TEAMS.name: ("graph-teams.json", TEAMS.base),
}
EXAMPLE_ISSUE = replace(GITHUB.exchanges[CREATE], made=Reference("1347"))
DESCRIBED = (
    replace(
        GITHUB,
        target="octocat/hello-world",
        exchanges={CREATE: EXAMPLE_ISSUE, APPEND: GITHUB.exchanges[APPEND]},
    ),
    replace(JIRA_CLOUD, target="ED"),
    CLICKUP,
    replace(SLACK, target="C1H9RESGL"),
    replace(
        TEAMS,
        target="fbe2bf47-16c8-47cf-b4a5-4b9b187c508b/19:4a95f7d8db4c4e7fae857bcebe0623e6@thread.tacv2",
    ),
)
"""The services at the places that the example answers are about."""
WRITES = [(service, operation) for service in DESCRIBED for operation in Operation]


@pytest.fixture(scope="module")
def contracts() -> Path:
    found = folder()
    if found is None:
        pytest.skip(MISSING)
    return found


def contract_of(contracts: Path, service: Service) -> Contract:
    file, base = FILES[service.name]
    return Contract(contracts / file, base)


def request_of(service: Service, write: Write) -> Request:
    """What the real SDK sends."""
    with FaultServer(FAULTS[0], service.exchanges[write.operation].good) as server:
        attempt(service.open(server.origin, {}, 5), write)
    (request,) = server.requests
    return request


@pytest.mark.parametrize(("service", "operation"), WRITES, ids=lambda value: getattr(value, "name", None))
def test_what_is_sent_is_as_described(contracts: Path, service: Service, operation: Operation) -> None:
    request = request_of(service, composed_write(service, operation))
    assert contract_of(contracts, service).faults(request) == []


@pytest.mark.parametrize(("service", "operation"), WRITES, ids=lambda value: getattr(value, "name", None))
def test_the_answer_that_is_described_is_understood(
    contracts: Path, service: Service, operation: Operation
) -> None:
    write = composed_write(service, operation)
    status, body = contract_of(contracts, service).example(request_of(service, write))
    fault = Fault("", OutcomeStatus.PUBLISHED, says(http(status, json.dumps(body).encode())))
    with FaultServer(fault, b"") as server:
        outcome = attempt(service.open(server.origin, {}, 5), write)
    assert outcome.status is OutcomeStatus.PUBLISHED, outcome.reason


@pytest.mark.parametrize("operation", Operation)
def test_jira_is_given_a_document_of_atlassians_format(contracts: Path, operation: Operation) -> None:
    sent = request_of(JIRA_CLOUD, composed_write(JIRA_CLOUD, operation)).json()
    document = sent["fields"]["description"] if operation is CREATE else sent["body"]
    assert adf_faults(contracts / "adf-full.json", document) == []
    document["content"].append({"type": "paragraph", "content": [{"type": "text", "text": ""}]})
    assert adf_faults(contracts / "adf-full.json", document) != []


# A harness that finds nothing proves nothing: known-bad requests.


def without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda body: body.pop(name)


def with_(**values: Any) -> Callable[[dict[str, Any]], object]:
    return lambda body: body.update(values)


@pytest.mark.parametrize(
    ("service", "operation", "spoil"),
    [
        (GITHUB, CREATE, without("title")),
        (GITHUB, CREATE, with_(body=7)),
        (GITHUB, CREATE, with_(title=None)),
        (GITHUB, APPEND, without("body")),
        (JIRA_CLOUD, CREATE, with_(fields=[])),
        (CLICKUP, CREATE, without("name")),
        (CLICKUP, APPEND, without("notify_all")),
        (CLICKUP, APPEND, with_(comment_text=[])),
        (SLACK, CREATE, without("channel")),
        (SLACK, CREATE, with_(blocks=[{}] * 51)),
        (SLACK, CREATE, with_(unheard_of=1)),
        (TEAMS, CREATE, with_(body="text")),
        (TEAMS, APPEND, with_(body={"contentType": "markdown", "content": "x"})),
    ],
)
def test_a_body_that_is_known_to_be_bad_is_refused(
    contracts: Path, service: Service, operation: Operation, spoil: Callable[[dict[str, Any]], object]
) -> None:
    request = request_of(service, composed_write(service, operation))
    body = request.json()
    spoil(body)
    assert contract_of(contracts, service).faults(replace(request, body=json.dumps(body).encode())) != []


@pytest.mark.parametrize("service", DESCRIBED, ids=lambda service: service.name)
def test_a_request_that_is_known_to_be_bad_is_refused(contracts: Path, service: Service) -> None:
    contract = contract_of(contracts, service)
    good = request_of(service, composed_write(service, CREATE))

    def headers(**changed: str) -> Mapping[str, str]:
        return {**good.headers, **{name.replace("_", "-"): value for name, value in changed.items()}}

    for bad in (
        replace(good, method="DELETE"),
        replace(good, path="/nowhere"),
        replace(good, path=good.path + "/more"),
        replace(good, path=good.path.replace("/", "//")),
        replace(good, headers=headers(authorization="")),
        replace(good, headers=headers(content_type="text/plain")),
        replace(good, body=b"[]"),
    ):
        assert contract.faults(bad) != [], bad


def test_a_list_is_a_number_to_clickup(contracts: Path) -> None:
    request = request_of(CLICKUP, composed_write(CLICKUP, CREATE))
    named = replace(request, path=request.path.replace("901", "name"))
    assert contract_of(contracts, CLICKUP).faults(named) != []
