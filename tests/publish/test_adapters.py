"""What each adapter sends where nothing goes wrong, and how it gets out through a proxy."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest
from composed import composed_write
from fault_server import FAULTS, Fault, FaultServer, Request, http, says
from services import CLICKUP, GITHUB, JIRA_CLOUD, SECRET, SERVICES, SLACK, TEAMS, Service

from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Operation
from ophiuchus.publish.outcome import Mend, Outcome, OutcomeStatus
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.teams import UnknownContent
from ophiuchus.publish.tape import Tape

CREATE, APPEND = Operation.CREATE, Operation.APPEND
GOOD = FAULTS[0]
NO_ID = b'{"id": "no id", "number": "no id", "key": "no id", "ok": true, "ts": "no id"}'


def sent(service: Service, write: Write) -> Request:
    with FaultServer(GOOD, service.exchanges[write.operation].good) as server:
        outcome = attempt(service.open(server.origin, {}, 5), write)
    assert outcome.status is OutcomeStatus.PUBLISHED, outcome
    (request,) = server.requests
    return request


@pytest.mark.parametrize(
    ("service", "operation", "path", "address"),
    [
        (CLICKUP, CREATE, "/list/{target}/task", {}),
        (CLICKUP, APPEND, "/task/{artifact}/comment", {}),
        (SLACK, CREATE, "/chat.postMessage", {"channel": "{target}"}),
        (SLACK, APPEND, "/chat.postMessage", {"channel": "{target}", "thread_ts": "{artifact}"}),
        (TEAMS, CREATE, "/teams/{team}/channels/{channel}/messages", {}),
        (TEAMS, APPEND, "/teams/{team}/channels/{channel}/messages/{artifact}/replies", {}),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_what_was_approved_is_sent_with_nothing_but_its_address(
    service: Service, operation: Operation, path: str, address: Mapping[str, str]
) -> None:
    write = composed_write(service, operation)
    team, _, channel = service.target.partition("/")
    words = {
        "target": service.target,
        "artifact": write.append_to.artifact if write.append_to else "",
        "team": team,
        "channel": channel.replace(":", "%3A").replace("@", "%40"),
    }
    request = sent(service, write)
    assert request.path == service.base + path.format(**words)
    assert request.json() == {
        **write.content,
        **{name: value.format(**words) for name, value in address.items()},
    }


@pytest.mark.parametrize(("service", "scheme"), [(CLICKUP, ""), (SLACK, "Bearer "), (TEAMS, "Bearer ")])
def test_the_credential_goes_where_it_belongs(service: Service, scheme: str) -> None:
    request = sent(service, service.write(CREATE))
    assert request.headers["authorization"] == scheme + SECRET
    assert request.headers["accept-encoding"] == "identity"
    assert "ophiuchus-action/" in request.headers["user-agent"]
    holding = [name for name, value in request.headers.items() if SECRET in value]
    assert holding == ["authorization"]
    assert SECRET not in request.path + request.body.decode()


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_an_adapter_does_not_show_its_credential(service: Service) -> None:
    assert SECRET not in repr(service.open("http://127.0.0.1:1", {}, 1))


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
@pytest.mark.parametrize("operation", Operation)
def test_an_answer_whose_id_is_none_of_the_providers_is_ambiguous(
    service: Service, operation: Operation
) -> None:
    fault = Fault("", OutcomeStatus.AMBIGUOUS, says(http(201, NO_ID)))
    with FaultServer(fault, b"") as server:
        outcome = attempt(service.open(server.origin, {}, 5), service.write(operation))
    assert outcome.status is OutcomeStatus.AMBIGUOUS
    assert "no id of what it made" in outcome.reason


def outcome_of(service: Service, answer: bytes) -> Outcome:
    with FaultServer(Fault("", OutcomeStatus.FAILED, says(answer)), b"") as server:
        outcome = attempt(service.open(server.origin, {}, 5), service.write(CREATE))
    assert len(server.requests) == 1
    return outcome


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (b'{"ok":false,"error":"not_in_channel"}', OutcomeStatus.FAILED, "not_in_channel"),
        (b'{"ok":false,"error":"fatal_error"}', OutcomeStatus.AMBIGUOUS, "fatal_error"),
        (b'{"ok":false,"error":"<!channel> see https://x.example"}', OutcomeStatus.AMBIGUOUS, "unknown"),
        (b'{"ok":false,"error":["not_in_channel"]}', OutcomeStatus.AMBIGUOUS, "unknown"),
        (b'{"ok":false}', OutcomeStatus.AMBIGUOUS, "unknown"),
        (b'{"ok":true}', OutcomeStatus.AMBIGUOUS, "no id of what it made"),
        (b'{"ok":true,"ts":1700000000.0001}', OutcomeStatus.AMBIGUOUS, "no id of what it made"),
        (b'{"ok":"true","ts":"1700000000.000100"}', OutcomeStatus.AMBIGUOUS, "no id of what it made"),
        (b"<html>login</html>", OutcomeStatus.AMBIGUOUS, "no id of what it made"),
    ],
)
def test_c019_slack_refuses_with_status_200(body: bytes, status: OutcomeStatus, reason: str) -> None:
    outcome = outcome_of(SLACK, http(200, body))
    assert outcome.status is status
    assert outcome.reason.endswith(reason)


SAYS = {
    "secondary": b'{"message": "You have exceeded a secondary rate limit. Please wait."}',
    "fast": b'{"message": "No", "errors": [{"code": "custom", "message": "was submitted too quickly"}]}',
    "saml": b'{"message": "Resource protected by organization SAML enforcement. You must grant"}',
    "archived": b'{"message": "Repository was archived so is read-only."}',
    "locked": b'{"message": "Unable to create comment because issue is locked."}',
    "disabled": b'{"message": "Issues are disabled for this repo"}',
    "deleted": b'{"message": "This issue was deleted"}',
    "label": b'{"message": "No", "errors": [{"resource": "Label", "field": "name", "code": "invalid"}]}',
    "odd": b'{"errors": ["canary"], "message": ["canary"], "error": "canary", "ECODE": "canary"}',
    "required": b'{"errors": {"customfield_10010": "canary", "priority": "canary", "see canary": ""}}',
    "clickup": b'{"err": "canary", "ECODE": "ITEM_013"}',
    "expired": b'{"error": {"code": "InvalidAuthenticationToken", "message": "canary"}}',
    "sentence": b'{"error": {"code": "no word: canary"}}',
}
STRANGER = {"X_Seraph_LoginReason": "AUTHENTICATED_FAILED"}
CAPTCHA = {"X_Authentication_Denied_Reason": "CAPTCHA_CHALLENGE; login-url=https://canary.example/login"}


def slack_says(code: str) -> bytes:
    return http(200, f'{{"ok": false, "error": "{code}"}}'.encode())


@pytest.mark.parametrize(
    ("service", "answer", "words", "mend"),
    [
        (GITHUB, http(403, SAYS["secondary"]), "403 (a secondary rate limit): rate limited", Mend.PACE),
        (GITHUB, http(422, SAYS["fast"]), "422 (submitted too quickly): rate limited", Mend.PACE),
        (GITHUB, http(403, SAYS["saml"]), "single sign-on", Mend.CREDENTIAL),
        (GITHUB, http(403, SAYS["archived"]), "403 (the repository is archived)", Mend.TARGET),
        (GITHUB, http(403, SAYS["locked"]), "403 (the issue is locked)", Mend.TARGET),
        (GITHUB, http(410, SAYS["disabled"]), "410 (issues are switched off there)", Mend.TARGET),
        (GITHUB, http(410, SAYS["deleted"]), "410 (the issue was deleted)", Mend.TARGET),
        (GITHUB, http(422, SAYS["label"]), "422 (Label, name, invalid)", Mend.CAUSE),
        (JIRA_CLOUD, http(400, SAYS["required"]), "400 (about customfield_10010, priority)", Mend.CAUSE),
        (JIRA_CLOUD, http(404, b"", "", **STRANGER), "404 (it did not take the credential)", Mend.CREDENTIAL),
        (JIRA_CLOUD, http(403, b"<html>", "text/html", **CAPTCHA), "captcha", Mend.CREDENTIAL),
        (CLICKUP, http(401, SAYS["clickup"]), "401 (ITEM_013): it does not know", Mend.CREDENTIAL),
        (CLICKUP, http(404, SAYS["clickup"]), "404 (ITEM_013): it has no such", Mend.TARGET),
        (TEAMS, http(401, SAYS["expired"]), "401 (InvalidAuthenticationToken)", Mend.CREDENTIAL),
        (TEAMS, http(400, SAYS["sentence"]), "status 400", Mend.CAUSE),
        (SLACK, slack_says("missing_scope"), "refused: missing_scope", Mend.CREDENTIAL),
        (SLACK, slack_says("is_archived"), "refused: is_archived", Mend.TARGET),
        (SLACK, slack_says("ratelimited"), "refused: ratelimited", Mend.PACE),
        (SLACK, slack_says("msg_too_long"), "refused: msg_too_long", Mend.CAUSE),
        *((service, http(400, SAYS["odd"]), "with status 400", Mend.CAUSE) for service in SERVICES),
    ],
    ids=lambda value: getattr(value, "name", None) or repr(value)[:40],
)
def test_a_refusal_is_explained_by_the_provider_s_own_words_and_by_none_that_are_free(
    service: Service, answer: bytes, words: str, mend: Mend
) -> None:
    outcome = outcome_of(service, answer)
    assert (outcome.status, outcome.mend) == (OutcomeStatus.FAILED, mend)
    assert words in outcome.reason
    assert "canary" not in outcome.reason


@pytest.mark.parametrize(
    ("service", "body", "words"),
    [
        (CLICKUP, b'{"err": "Team not authorized", "ECODE": "OAUTH_027"}', "its own failure: OAUTH_027"),
        (TEAMS, b'{"error": {"code": "Forbidden"}}', "its own failure: Forbidden"),
        (GITHUB, b'{"message": "Repository was archived so is read-only."}', "its own failure: the repo"),
        (JIRA_CLOUD, b'{"errors": {"project": "x"}}', "its own failure: about project"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_an_error_beneath_a_success_status_is_no_proof_that_nothing_was_done(
    service: Service, body: bytes, words: str
) -> None:
    outcome = outcome_of(service, http(200, body))
    assert outcome.status is OutcomeStatus.AMBIGUOUS
    assert words in outcome.reason


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
@pytest.mark.parametrize("status", [403, 429])
def test_c053_a_throttle_is_failed_with_the_time_and_not_sent_again(service: Service, status: int) -> None:
    outcome = outcome_of(service, http(status, b"{}", Retry_After="7200"))
    assert outcome.status is OutcomeStatus.FAILED
    assert outcome.retry_after == 7200


def test_c053_clickup_tells_the_time_of_its_reset() -> None:
    reset = http(429, b"{}", Date="Wed, 21 Oct 2026 07:28:00 GMT", X_RateLimit_Reset="1792567722")
    assert outcome_of(CLICKUP, reset).retry_after == 42


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_c106_no_other_host_is_asked(service: Service, status: int) -> None:
    with FaultServer(GOOD, service.exchanges[CREATE].good) as other:
        outcome = outcome_of(service, http(status, Location=f"{other.origin}/elsewhere"))
    assert "(redirected to 127.0.0.1)" in outcome.reason
    assert other.requests == []
    assert outcome.status is not OutcomeStatus.PUBLISHED


@pytest.mark.parametrize("service", [CLICKUP, SLACK, TEAMS], ids=lambda service: service.name)
def test_no_header_of_an_answer_has_a_say(service: Service) -> None:
    """Not even a compression: what is said to be packed is read as it came."""
    good = service.exchanges[CREATE].good
    odd = (
        b"\r\nContent-Encoding: gzip\r\nLocation: /x\r\nSet-Cookie: a=b\r\nWWW-Authenticate: Bearer claims=x"
    )
    odd += b"\r\n"
    fault = Fault("", OutcomeStatus.PUBLISHED, says(good.replace(b"\r\n", odd, 1)))
    with FaultServer(fault, b"") as server:
        outcome = attempt(service.open(server.origin, {}, 5), service.write(CREATE))
    assert outcome.status is OutcomeStatus.PUBLISHED
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"body": "text"},
        {"body": {"contentType": "html", "content": "x", "id": "1"}},
        {"body": {"contentType": "text", "content": "x"}},
        {"body": {"contentType": "html", "content": "x"}, "mentions": []},
        {"body": {"contentType": "html", "content": "x"}, "importance": "urgent"},
    ],
)
def test_teams_sends_nothing_where_it_would_send_less_than_was_approved(content: Mapping[str, Any]) -> None:
    write = Write(CREATE, TEAMS.target, content)
    with FaultServer(GOOD, TEAMS.exchanges[CREATE].good) as server:
        provider = TEAMS.open(server.origin, {}, 5)
        with pytest.raises(UnknownContent):
            provider.write(write, Tape())
        assert attempt(provider, write) == Outcome(OutcomeStatus.FAILED, "nothing was sent")
    assert server.requests == []


def test_content_cannot_change_where_a_message_goes() -> None:
    content = {**SLACK.exchanges[CREATE].content, "channel": "C9999"}
    assert sent(SLACK, Write(CREATE, SLACK.target, content)).json()["channel"] == SLACK.target


@contextmanager
def proxy(serve: Callable[[socket.socket], object]) -> Iterator[str]:
    """A proxy on loopback that serves one connection; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            connection, _ = listener.accept()
            with connection:
                serve(connection)

        thread = Thread(target=accept, daemon=True)
        thread.start()
        yield f"http://user:pass@127.0.0.1:{listener.getsockname()[1]}"
        thread.join(5)


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 407 Said\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 502 Said\r\nContent-Length: 0\r\n\r\n",
     b"HTTP/1.1 200 Said\r\n\r\n"],
    ids=["refused", "broken", "no server behind"],
)  # fmt: skip
def test_through_a_proxy_nothing_is_sent_before_the_tunnel_is_secure(service: Service, answer: bytes) -> None:
    heard: list[bytes] = []

    def refuse(connection: socket.socket) -> None:
        heard.append(connection.recv(65536))
        connection.sendall(answer)
        if b" 200 " in answer:
            heard.append(connection.recv(65536))

    with proxy(refuse) as address:
        env = {"https_proxy": address, "NO_PROXY": "other.example"}
        outcome = attempt(service.open("https://provider.invalid", env, 5), service.write(CREATE))
    assert heard[0].startswith(b"CONNECT provider.invalid:443 HTTP/1.")
    assert b"\r\nproxy-authorization: basic dxnlcjpwyxnz\r\n" in heard[0].lower()
    assert SECRET.encode() not in b"".join(heard)
    assert outcome.status is OutcomeStatus.FAILED, outcome
    assert "nothing was sent" in outcome.reason
