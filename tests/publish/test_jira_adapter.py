from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from fault_server import Fault, FaultServer, http, says

from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Deployment, Operation
from ophiuchus.publish.outcome import Outcome, OutcomeStatus
from ophiuchus.publish.provider import CredentialMissing, Write
from ophiuchus.publish.providers.jira import open_jira
from ophiuchus.publish.reference import Reference

CLOUD, DATA_CENTER = Deployment.CLOUD, Deployment.DATA_CENTER
EMAIL = "me@example.test"
TOKEN = "AT" + "ATT3" + "x" * 40
CLOUD_ENV = {"OPHIUCHUS_JIRA_EMAIL": EMAIL, "OPHIUCHUS_JIRA_API_TOKEN": TOKEN}
DATA_CENTER_ENV = {"OPHIUCHUS_JIRA_TOKEN": TOKEN}
DOC = {
    "type": "doc",
    "version": 1,
    "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Ü @me"}]}],
}
FIELDS = {"summary": "s", "issuetype": {"name": "Task"}, "labels": ["hand-off"], "description": DOC}
CREATE = Write(Operation.CREATE, "OPH", {"fields": FIELDS})
APPEND = Write(Operation.APPEND, "OPH", {"body": DOC}, Reference("OPH-7"))


def publish(
    write: Write, raw: bytes, deployment: Deployment = CLOUD, env: dict[str, str] | None = None
) -> tuple[Outcome, FaultServer]:
    if env is None:
        env = CLOUD_ENV if deployment is CLOUD else DATA_CENTER_ENV
    with FaultServer(Fault("", OutcomeStatus.PUBLISHED, says(raw)), b"") as server:
        outcome = attempt(open_jira(env, f"{server.origin}/ex/jira/id", deployment), write)
    return outcome, server


def created(**value: object) -> bytes:
    return http(201, json.dumps(value).encode())


@pytest.mark.parametrize(("deployment", "version"), [(CLOUD, "3"), (DATA_CENTER, "2")])
def test_a_ticket_is_opened_in_the_target_project_with_the_content(
    deployment: Deployment, version: str
) -> None:
    outcome, server = publish(CREATE, created(id="10000", key="OPH-7"), deployment)
    assert outcome == Outcome(OutcomeStatus.PUBLISHED, "", Reference("OPH-7"))
    [request] = server.requests
    assert (request.method, request.path) == ("POST", f"/ex/jira/id/rest/api/{version}/issue")
    assert request.json() == {"fields": {**FIELDS, "project": {"key": "OPH"}}}
    assert CREATE.content == {"fields": FIELDS}


@pytest.mark.parametrize(
    ("deployment", "version", "body"), [(CLOUD, "3", DOC), (DATA_CENTER, "2", "h2. More")]
)
def test_a_comment_goes_to_the_ticket_as_it_is(deployment: Deployment, version: str, body: object) -> None:
    write = Write(Operation.APPEND, "OPH", {"body": body}, Reference("OPH-7"))
    outcome, server = publish(write, created(id="10001"), deployment)
    assert outcome == Outcome(OutcomeStatus.PUBLISHED, "", Reference("OPH-7", "10001"))
    [request] = server.requests
    assert (request.method, request.path) == ("POST", f"/ex/jira/id/rest/api/{version}/issue/OPH-7/comment")
    assert request.json() == {"body": body}


def test_cloud_is_asked_as_an_account_and_data_center_with_a_bearer_token() -> None:
    _, cloud = publish(CREATE, created(key="OPH-7"), CLOUD)
    _, data_center = publish(CREATE, created(key="OPH-7"), DATA_CENTER)
    login = base64.b64encode(f"{EMAIL}:{TOKEN}".encode()).decode()
    assert cloud.requests[0].headers["authorization"] == f"Basic {login}"
    assert data_center.requests[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_a_project_in_the_content_does_not_lead_elsewhere() -> None:
    write = Write(Operation.CREATE, "OPH", {"fields": {**FIELDS, "project": {"key": "ELSE"}}})
    _, server = publish(write, created(key="OPH-7"))
    assert server.requests[0].json()["fields"]["project"] == {"key": "OPH"}


@pytest.mark.parametrize("key", ["ELSE-7", "OPHX-7", "X-OPH-7", "oph-7", "OPH-0", "OPH-7/8", "OPH", 7, None])
def test_a_key_of_another_project_or_none_is_not_taken(key: object) -> None:
    outcome, _ = publish(CREATE, created(id="10000", key=key))
    assert outcome.status is OutcomeStatus.AMBIGUOUS


@pytest.mark.parametrize("identifier", ["", "x", "1/2", True, None, [1]])
def test_a_comment_without_a_proper_id_is_not_taken(identifier: object) -> None:
    outcome, _ = publish(APPEND, created(id=identifier))
    assert outcome.status is OutcomeStatus.AMBIGUOUS


def test_c050_a_ticket_whose_answer_is_late_is_ambiguous_and_not_opened_again() -> None:
    fault = Fault("", OutcomeStatus.AMBIGUOUS, pause=2)
    with FaultServer(fault, created(key="OPH-1")) as server:
        outcome = attempt(open_jira(CLOUD_ENV, server.origin, CLOUD), CREATE, seconds=0.5)
    assert outcome.status is OutcomeStatus.AMBIGUOUS
    assert (len(server.requests), server.made) == (1, 1)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"fields": {"summary": "s"}},
        {"fields": {**FIELDS, "issuetype": "Task"}},  # the SDK would look its id up
        {"fields": {**FIELDS, "description": {1, 2}}},
    ],
)
def test_content_that_cannot_be_sent_in_one_request_is_not_sent(content: dict[str, Any]) -> None:
    outcome, server = publish(Write(Operation.CREATE, "OPH", content), created(key="OPH-7"))
    assert outcome == Outcome(OutcomeStatus.FAILED, "nothing was sent")
    assert server.requests == []


@pytest.mark.parametrize(
    ("deployment", "given", "missing"),
    [
        (CLOUD, {}, "OPHIUCHUS_JIRA_EMAIL"),
        (CLOUD, {"OPHIUCHUS_JIRA_EMAIL": EMAIL}, "OPHIUCHUS_JIRA_API_TOKEN"),
        (CLOUD, {"OPHIUCHUS_JIRA_API_TOKEN": TOKEN}, "OPHIUCHUS_JIRA_EMAIL"),
        (CLOUD, DATA_CENTER_ENV, "OPHIUCHUS_JIRA_EMAIL"),
        (CLOUD, {**CLOUD_ENV, "OPHIUCHUS_JIRA_API_TOKEN": f"{TOKEN} x"}, "OPHIUCHUS_JIRA_API_TOKEN"),
        (DATA_CENTER, CLOUD_ENV, "OPHIUCHUS_JIRA_TOKEN"),
        (DATA_CENTER, {"OPHIUCHUS_JIRA_TOKEN": f"{TOKEN}\nx"}, "OPHIUCHUS_JIRA_TOKEN"),
    ],
)
def test_a_missing_credential_is_named_when_the_adapter_is_opened(
    deployment: Deployment, given: dict[str, str], missing: str
) -> None:
    with pytest.raises(CredentialMissing, match=rf"{missing}\b") as refusal:
        open_jira(given, "https://jira.test", deployment)
    assert TOKEN not in f"{refusal.value} {refusal.value.remedy}"


@pytest.mark.parametrize(
    ("deployment", "given", "hint"),
    [
        (CLOUD, DATA_CENTER_ENV, 'OPHIUCHUS_JIRA_TOKEN, which is set, is for deployment = "data_center"'),
        (DATA_CENTER, CLOUD_ENV, 'OPHIUCHUS_JIRA_API_TOKEN, which is set, is for deployment = "cloud"'),
        (CLOUD, {}, None),
        (DATA_CENTER, {"OPHIUCHUS_JIRA_API_TOKEN": " "}, None),
    ],
)
def test_a_credential_of_the_other_kind_is_pointed_to(
    deployment: Deployment, given: dict[str, str], hint: str | None
) -> None:
    with pytest.raises(CredentialMissing) as refusal:
        open_jira(given, "https://jira.test", deployment)
    assert (hint in refusal.value.remedy) if hint else ("which is set" not in refusal.value.remedy)


def test_a_token_is_stripped() -> None:
    env = {"OPHIUCHUS_JIRA_EMAIL": f"{EMAIL}\n", "OPHIUCHUS_JIRA_API_TOKEN": f"{TOKEN}\n"}
    _, server = publish(CREATE, created(key="OPH-7"), CLOUD, env)
    _, clean = publish(CREATE, created(key="OPH-7"))
    assert server.requests[0].headers["authorization"] == clean.requests[0].headers["authorization"]


def test_nothing_is_printed_and_the_token_is_in_nothing_that_can_be(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYJIRA_LOG_TO_TEMPFILE", "1")
    caplog.set_level(0)
    echo = json.dumps({"errorMessages": [TOKEN], "key": TOKEN}).encode()
    shown = [repr(open_jira(CLOUD_ENV, "https://jira.test", CLOUD))]
    for status, body in ((201, echo), (201, b"{}"), (302, echo), (401, echo), (429, echo), (503, echo)):
        outcome, _ = publish(
            CREATE, http(status, body, Retry_After="1", X_Seraph_LoginReason="AUTHENTICATED")
        )
        shown.append(repr(outcome))
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    shown += [record.getMessage() for record in caplog.records]
    assert not [text for text in shown if TOKEN in text or EMAIL in text]
