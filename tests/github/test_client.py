from __future__ import annotations

import gzip
import json
import logging
import socket
import time
import traceback
from collections.abc import Iterator

import pytest
from github import Consts
from github.Requester import HTTPSRequestsConnectionClass, Requester
from loopback_github import ROBOT, Fault, MemoryGitHub, Reply, json_reply

from ophiuchus.github.access import Access, read_access
from ophiuchus.github.client import Client
from ophiuchus.github.comment import (
    CommentMode,
    CommentOutcome,
    CommentRequest,
    CommentState,
    Patience,
    keep_comment,
)
from ophiuchus.github.failure import CallFailed, Cause
from ophiuchus.github.kept_text import marker_line

TOKEN = "robot-token"
CREATED = json_reply(201, {"id": 99}).as_bytes()
LOCATION = {"Location": "/moved"}
UNKNOWN, NOT_POSTED = CommentState.UNKNOWN, CommentState.NOT_POSTED


@pytest.fixture
def github() -> Iterator[MemoryGitHub]:
    with MemoryGitHub() as double:
        yield double


def keep(github: MemoryGitHub, total: float = 6) -> CommentOutcome:
    request = CommentRequest(
        mode=CommentMode.ALWAYS,
        action_needed=True,
        key="key",
        body="body",
        footer="",
        event="pull_request",
        pull_number=github.number,
        head=github.head,
        locked=False,
        token=TOKEN,
    )
    return keep_comment(request, github.env, Patience(call=1, total=total))


def redirect(status: int) -> bytes:
    return Reply(status, b"", LOCATION).as_bytes()


def refusal(status: int, message: str = "No", **headers: str) -> bytes:
    return json_reply(status, {"message": message}, **headers).as_bytes()


# facts/providers.md §2: what may happen to a write that the server has read, and what is known afterwards.
FAULTS: dict[str, tuple[dict[str, object], CommentState, str]] = {
    "closed without an answer": ({"commit": True, "raw": b""}, UNKNOWN, "did not answer"),
    "closed before it was done": ({"raw": b""}, UNKNOWN, "did not answer"),
    "reset": ({"commit": True, "raw": b"", "reset": True}, UNKNOWN, "did not answer"),
    "answer after the timeout": ({"commit": True, "pause": 1.4}, UNKNOWN, "did not answer"),
    "no status line": ({"commit": True, "raw": b"nonsense\r\n\r\n"}, UNKNOWN, "did not answer"),
    "status line cut": ({"commit": True, "raw": b"HTTP/1.1 2"}, UNKNOWN, "did not answer"),
    "body cut": ({"commit": True, "raw": CREATED[:-3]}, UNKNOWN, "did not answer"),
    "malformed JSON": ({"raw": Reply(201, b'{"id": 99').as_bytes()}, UNKNOWN, "makes no sense"),
    "body not what its encoding says": (
        {"raw": Reply(201, b"\x1f\x8bnonsense", {"Content-Encoding": "gzip"}).as_bytes()},
        UNKNOWN,
        "did not answer",
    ),
    "an HTML page": (
        {"raw": Reply(200, b"<html>", {"Content-Type": "text/html"}).as_bytes()},
        UNKNOWN,
        "no sense",
    ),
    "empty 201": ({"commit": True, "raw": Reply(201).as_bytes()}, UNKNOWN, "makes no sense"),
    "201 without an id": ({"raw": json_reply(201, {}).as_bytes()}, UNKNOWN, "makes no sense"),
    "201 with a text for an id": ({"raw": json_reply(201, {"id": "99"}).as_bytes()}, UNKNOWN, "no sense"),
    "201 with a truth for an id": ({"raw": json_reply(201, {"id": True}).as_bytes()}, UNKNOWN, "no sense"),
    "201 with a list": ({"raw": json_reply(201, [{"id": 99}]).as_bytes()}, UNKNOWN, "makes no sense"),
    "201 nested without end": ({"raw": Reply(201, b"[" * 100_000).as_bytes()}, UNKNOWN, "makes no sense"),
    "202": ({"commit": True, "raw": Reply(202).as_bytes()}, UNKNOWN, "makes no sense"),
    "204": ({"commit": True, "raw": Reply(204).as_bytes()}, UNKNOWN, "makes no sense"),
    "301": ({"raw": redirect(301)}, NOT_POSTED, "redirect"),
    "302": ({"raw": redirect(302)}, UNKNOWN, "redirect"),
    "303": ({"raw": redirect(303)}, UNKNOWN, "redirect"),
    "307": ({"raw": redirect(307)}, NOT_POSTED, "redirect"),
    "308": ({"raw": redirect(308)}, NOT_POSTED, "redirect"),
    "429 with a time": ({"raw": refusal(429, Retry_After="60")}, NOT_POSTED, "throttling"),
    "429": ({"raw": refusal(429)}, NOT_POSTED, "throttling"),
    "secondary limit with a time": (
        {"raw": refusal(403, "You have exceeded a secondary rate limit", Retry_After="60")},
        NOT_POSTED,
        "throttling",
    ),
    "secondary limit": (
        {"raw": refusal(403, "You have exceeded a secondary rate limit")},
        NOT_POSTED,
        "throttling",
    ),
    "403 with a time": ({"raw": refusal(403, Retry_After="60")}, NOT_POSTED, "throttling"),
    "400": ({"raw": refusal(400)}, NOT_POSTED, "refused the comment (status 400)"),
    "401": ({"raw": refusal(401, "Bad credentials")}, NOT_POSTED, "token is not valid"),
    "403": ({"raw": refusal(403)}, NOT_POSTED, "permissions: pull-requests: write"),
    "404": ({"raw": refusal(404)}, NOT_POSTED, "permissions: pull-requests: write"),
    "408": ({"raw": refusal(408)}, UNKNOWN, "refused the comment (status 408)"),
    "409": ({"raw": refusal(409)}, NOT_POSTED, "refused the comment (status 409)"),
    "410": ({"raw": refusal(410)}, NOT_POSTED, "gone (status 410)"),
    "413": ({"raw": refusal(413)}, NOT_POSTED, "refused the comment (status 413)"),
    "422": ({"raw": refusal(422)}, NOT_POSTED, "refused the comment (status 422)"),
    "425": ({"raw": refusal(425)}, UNKNOWN, "refused the comment (status 425)"),
    "499": ({"raw": refusal(499)}, UNKNOWN, "refused the comment (status 499)"),
    "500": ({"commit": True, "raw": refusal(500)}, UNKNOWN, "failed (status 500)"),
    "502": ({"commit": True, "raw": Reply(502, b"<html>").as_bytes()}, UNKNOWN, "failed (status 502)"),
    "503 with a time": ({"raw": refusal(503, Retry_After="1")}, UNKNOWN, "failed (status 503)"),
    "503": ({"raw": refusal(503)}, UNKNOWN, "failed (status 503)"),
    "504": ({"raw": refusal(504)}, UNKNOWN, "failed (status 504)"),
    "600": ({"raw": refusal(600)}, UNKNOWN, "failed (status 600)"),
    "a blocked user": ({"raw": refusal(403, "User is blocked")}, NOT_POSTED, "may not write"),
    "odd limits in the header": (
        {"raw": refusal(403, X_RateLimit_Remaining="x", X_RateLimit_Limit="x")},
        NOT_POSTED,
        "may not write",
    ),
}


@pytest.mark.parametrize("verb", ["POST", "PATCH"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_write_is_sent_once_and_what_is_not_known_is_called_so(
    github: MemoryGitHub, name: str, verb: str
) -> None:
    fault, state, words = FAULTS[name]
    if verb == "PATCH":
        github.say(ROBOT, f"{marker_line('comment', 'key')}\n\nold")
    github.faults.append(Fault(verb, "comments", **fault))  # type: ignore[arg-type]  # fields by name
    outcome = keep(github)
    assert [method for method, _ in github.writes()] == [verb]
    assert [seen.path for seen in github.seen if "moved" in seen.path] == []
    assert outcome.state is state
    assert outcome.notice is not None
    assert words in outcome.notice.message
    assert ("is not known" in outcome.notice.message) == (state is UNKNOWN)


READ_FAULTS = {
    name: fault for name, fault in FAULTS.items() if "id" not in name and name not in ("204", "202")
}


@pytest.mark.parametrize(("verb", "path"), [("POST", "GRAPHQL"), ("GET", "/pulls/7")])
@pytest.mark.parametrize("name", READ_FAULTS)
def test_nothing_is_written_after_a_read_that_failed(
    github: MemoryGitHub, name: str, verb: str, path: str
) -> None:
    fault, _, _ = READ_FAULTS[name]
    github.faults.append(Fault(verb, path, **fault))  # type: ignore[arg-type]  # fields by name
    outcome = keep(github)
    assert github.writes() == []
    assert outcome.state is NOT_POSTED
    assert len([seen for seen in github.seen if (seen.method, seen.path.endswith(path)) == (verb, True)]) == 1


def test_a_read_that_is_still_worked_on_is_not_waited_for_by_pygithub(
    github: MemoryGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Consts, "PROCESSING_202_WAIT_TIME", 30)
    github.faults.append(Fault("GET", "/pulls/7", raw=Reply(202).as_bytes()))
    began = time.monotonic()
    outcome = keep(github, total=20)
    assert time.monotonic() - began < 10
    assert outcome.notice is not None
    assert outcome.notice.message.endswith("makes no sense here (status 202)")
    assert len(github.seen) == 2


def test_a_comment_that_got_lost_on_the_way_back_is_found_by_the_next_run(github: MemoryGitHub) -> None:
    github.faults.append(Fault("POST", "comments", commit=True, raw=b""))
    assert keep(github).state is UNKNOWN
    assert keep(github).state is CommentState.UNCHANGED
    assert len(github.comments()) == 1


@pytest.mark.parametrize("at_once", [0, len(CREATED) - 10], ids=["from the status line", "in the body"])
def test_an_answer_that_drips_ends_with_the_deadline(github: MemoryGitHub, at_once: int) -> None:
    github.faults.append(Fault("POST", "comments", raw=CREATED, drip=0.5, at_once=at_once))
    began = time.monotonic()
    outcome = keep(github, total=1.0)
    assert time.monotonic() - began < 3
    assert outcome.state is UNKNOWN


def test_a_deadline_that_passed_before_the_write_lets_nothing_out(github: MemoryGitHub) -> None:
    github.faults.append(Fault("GET", "/pulls/7", raw=None, pause=0.8))
    outcome = keep(github, total=0.5)
    assert outcome.state is NOT_POSTED
    assert "took too long" in (outcome.notice.message if outcome.notice else "")
    time.sleep(0.6)
    assert github.writes() == []


def client_of(github: MemoryGitHub, total_seconds: float = 10) -> Client:
    return Client(read_access(github.env, TOKEN), call_seconds=1, total_seconds=total_seconds)


def test_a_client_past_its_deadline_sends_nothing(github: MemoryGitHub) -> None:
    with client_of(github, total_seconds=0) as client, pytest.raises(CallFailed) as failure:
        client.write("POST", "/repos/person/repo/issues/7/comments", {"body": "x"})
    assert failure.value.cause is Cause.TOO_SLOW
    assert not failure.value.unknown
    assert github.seen == []


def test_nobody_listening_is_unreachable_and_surely_not_written() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    access = Access(url, f"{url}/graphql", url, "o/r", TOKEN)
    with Client(access, call_seconds=1, total_seconds=5) as client, pytest.raises(CallFailed) as failure:
        client.write("POST", "/repos/o/r/issues/1/comments", {"body": "x"})
    assert failure.value.cause is Cause.UNREACHABLE
    assert failure.value.detail == "ConnectionRefusedError"
    assert not failure.value.unknown


def test_a_certificate_that_nobody_vouches_for_is_no_server_of_ours(github: MemoryGitHub) -> None:
    url = github.url.replace("http:", "https:")
    access = Access(url, f"{url}/graphql", url, "person/repo", TOKEN)
    with Client(access, call_seconds=1, total_seconds=5) as client, pytest.raises(CallFailed) as failure:
        client.read("/repos/person/repo/pulls/7")
    assert failure.value.detail.startswith("SSL")
    assert github.seen == []


def test_loopback_is_not_asked_through_a_proxy(github: MemoryGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert keep(github).state is CommentState.CREATED


def test_every_request_has_token_version_and_agent_and_goes_below_the_base() -> None:
    with MemoryGitHub(base="/api/v3", graphql="/api/graphql") as github:
        keep(github)
        assert len(github.seen) == 4
        for seen in github.seen:
            assert not seen.path.startswith("OUTSIDE")
            assert seen.headers["authorization"] == f"token {TOKEN}"
            assert seen.headers["x-github-api-version"] == "2022-11-28"
            assert seen.headers["user-agent"].startswith("ophiuchus-action/")


def test_a_write_has_a_connection_of_its_own_that_no_server_has_given_up_meanwhile(
    github: MemoryGitHub,
) -> None:
    keep(github)
    listing, pull, write, _ = (seen.port for seen in github.seen)
    assert listing == pull != write


def test_an_answer_is_utf_8_whatever_its_header_says(github: MemoryGitHub) -> None:
    text = json.dumps({"ü": "ü"}, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json; charset=iso-8859-1"}
    github.faults.append(Fault("GET", "", raw=Reply(200, text, headers).as_bytes()))
    with client_of(github) as client:
        assert client.read("/x") == {"ü": "ü"}


def test_a_compressed_answer_is_read(github: MemoryGitHub) -> None:
    body = gzip.compress(b'{"id": 99}')
    github.faults.append(
        Fault("POST", "comments", raw=Reply(201, body, {"Content-Encoding": "gzip"}).as_bytes())
    )
    assert keep(github).state is CommentState.CREATED


def test_the_token_is_in_nothing_that_can_be_printed(
    github: MemoryGitHub, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    shown = [repr(read_access(github.env, TOKEN))]
    for name, (fault, _, _) in FAULTS.items():
        if "timeout" not in name:
            github.faults.append(Fault("POST", "comments", **fault))  # type: ignore[arg-type]  # by name
            shown.append(repr(keep(github)))
            github._comments.clear()
    with client_of(github) as client:
        shown.append(repr(vars(client)["_graphql_url"]))
        github.faults.append(Fault("GET", "/pulls/7", raw=refusal(403, f"bad token {TOKEN}")))
        try:
            client.read("/pulls/7")
        except CallFailed as failure:
            shown += [repr(failure), *traceback.format_exception(failure)]
    shown += [caplog.text, *capfd.readouterr()]
    assert not [text for text in shown if TOKEN in text]


def test_the_guard_is_not_left_in_pygithub(github: MemoryGitHub) -> None:
    with client_of(github):
        assert vars(Requester)["_Requester__httpsConnectionClass"] is HTTPSRequestsConnectionClass
