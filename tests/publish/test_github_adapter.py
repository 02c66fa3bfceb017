from __future__ import annotations

import json
from typing import Any

import pytest
from fault_server import Fault, FaultServer, http, says
from github.Requester import HTTPSRequestsConnectionClass, Requester

from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Operation
from ophiuchus.publish.outcome import Outcome, OutcomeStatus
from ophiuchus.publish.provider import CredentialMissing, Write
from ophiuchus.publish.providers.github import open_github
from ophiuchus.publish.reference import Reference

TOKEN = "gh" + "p_" + "x" * 36
ENV = {"OPHIUCHUS_GITHUB_TOKEN": TOKEN}
CREATE = Write(Operation.CREATE, "owner/name", {"title": "A title", "body": "Ü\n", "labels": ["hand-off"]})
APPEND = Write(Operation.APPEND, "owner/name", {"body": "More"}, Reference("7"))


def publish(write: Write, raw: bytes, env: dict[str, str] = ENV) -> tuple[Outcome, FaultServer]:
    with FaultServer(Fault("", OutcomeStatus.PUBLISHED, says(raw)), b"") as server:
        outcome = attempt(open_github(env, f"{server.origin}/api/v3"), write)
    return outcome, server


def created(value: Any, **headers: str) -> bytes:
    return http(201, json.dumps(value).encode(), **headers)


@pytest.mark.parametrize(
    ("write", "answer", "path", "made"),
    [
        (CREATE, {"number": 7, "id": 1, "url": "https://elsewhere.test/8"}, "issues", Reference("7")),
        (APPEND, {"id": 99, "number": 8}, "issues/7/comments", Reference("7", "99")),
    ],
    ids=["create", "append"],
)
def test_what_is_sent_is_the_content_and_nothing_else(
    write: Write, answer: dict[str, Any], path: str, made: Reference
) -> None:
    outcome, server = publish(write, created(answer))
    assert outcome == Outcome(OutcomeStatus.PUBLISHED, "", made)
    [request] = server.requests
    assert (request.method, request.path) == ("POST", f"/api/v3/repos/owner/name/{path}")
    assert request.json() == write.content
    assert request.headers["authorization"] == f"token {TOKEN}"
    assert request.headers["x-github-api-version"] == "2022-11-28"
    assert request.headers["user-agent"].startswith("ophiuchus-action/")


@pytest.mark.parametrize("write", [CREATE, APPEND], ids=["create", "append"])
def test_an_odd_header_of_a_good_answer_changes_nothing(write: Write) -> None:
    odd = {"X_RateLimit_Remaining": "x", "X_RateLimit_Limit": "x", "X_RateLimit_Reset": "x"}
    outcome, _ = publish(write, created({"number": 7, "id": 99}, **odd))
    assert outcome.status is OutcomeStatus.PUBLISHED


@pytest.mark.parametrize("number", [None, True, 0, -7, 7.5, "", "x", "7/8", "../7", [7], 10**20])
def test_a_number_that_is_none_is_not_taken_for_one(number: object) -> None:
    outcome, _ = publish(CREATE, created({"number": number}))
    assert outcome.status is OutcomeStatus.AMBIGUOUS


def test_c029_a_bad_gateway_after_the_issue_was_made_is_ambiguous() -> None:
    outcome, server = publish(CREATE, http(502, b"<html>", "text/html"))
    assert outcome.status is OutcomeStatus.AMBIGUOUS
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "headers", "wait"),
    [
        (403, {"Retry_After": "2"}, 2),
        (429, {"Retry_After": "7200"}, 7200),
        (
            403,
            {
                "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
                "X_RateLimit_Remaining": "0",
                "X_RateLimit_Reset": "1792567700",
            },
            20,
        ),
        (403, {}, None),
    ],
)
def test_c053_a_throttled_write_is_failed_with_the_time_and_not_repeated(
    status: int, headers: dict[str, str], wait: int | None
) -> None:
    outcome, server = publish(CREATE, http(status, b'{"message": "secondary rate limit"}', **headers))
    assert (outcome.status, outcome.retry_after) == (OutcomeStatus.FAILED, wait)
    assert len(server.requests) == 1


@pytest.mark.parametrize("content", [{"body": "b"}, {"title": 7, "body": "b"}, {"title": "t", "unknown": 1}])
def test_content_that_the_sdk_cannot_send_is_not_sent(content: dict[str, Any]) -> None:
    outcome, server = publish(Write(Operation.CREATE, "owner/name", content), created({"number": 7}))
    assert outcome == Outcome(OutcomeStatus.FAILED, "nothing was sent")
    assert server.requests == []


def test_a_token_is_stripped_and_checked_when_the_adapter_is_opened() -> None:
    outcome, server = publish(CREATE, created({"number": 7}), {"OPHIUCHUS_GITHUB_TOKEN": f" {TOKEN}\n"})
    assert server.requests[0].headers["authorization"] == f"token {TOKEN}"
    assert outcome.status is OutcomeStatus.PUBLISHED
    for value in ("", " \n", f"{TOKEN}\nX: y", f"{TOKEN}\u00fc"):
        with pytest.raises(CredentialMissing, match="OPHIUCHUS_GITHUB_TOKEN") as missing:
            open_github({"OPHIUCHUS_GITHUB_TOKEN": value}, "https://api.github.test")
        assert TOKEN not in f"{missing.value} {missing.value.remedy}"


def test_the_token_is_in_nothing_that_can_be_printed(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(0)
    echo = json.dumps({"message": TOKEN, "number": TOKEN}).encode()
    shown = [repr(open_github(ENV, "https://api.github.test"))]
    for status in (201, 301, 401, 403, 429, 500):
        outcome, _ = publish(CREATE, http(status, echo))
        shown.append(repr(outcome))
    shown += capfd.readouterr()
    shown += [record.getMessage() for record in caplog.records if not record.name.startswith("github.")]
    assert not [text for text in shown if TOKEN in text]


def test_the_guard_is_not_left_in_pygithub() -> None:
    publish(CREATE, created({"number": 7}))
    assert vars(Requester)["_Requester__httpsConnectionClass"] is HTTPSRequestsConnectionClass
