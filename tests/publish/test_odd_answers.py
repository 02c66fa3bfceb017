"""Providers that did what was asked for, and say so oddly: never failed, published only with its own id.

Each transport reads answers in its own way, so what is whole for one may be broken for another; what may not
differ is written in the three tables.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from fault_server import Fault, FaultServer, http, says
from services import CLICKUP, GITHUB, JIRA_CLOUD, SLACK, TEAMS, Service

from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Operation
from ophiuchus.publish.outcome import Outcome, OutcomeStatus

CREATE, APPEND = Operation.CREATE, Operation.APPEND
PUBLISHED, AMBIGUOUS, FAILED = OutcomeStatus.PUBLISHED, OutcomeStatus.AMBIGUOUS, OutcomeStatus.FAILED
TRANSPORTS = (GITHUB, CLICKUP, SLACK, TEAMS)

Answer = Callable[[str, bytes], bytes]


def outcome_of(service: Service, operation: Operation, answer: Answer, env: dict[str, str]) -> Outcome:
    fault = Fault("", PUBLISHED, answer)
    with FaultServer(fault, service.exchanges[operation].good) as server:
        outcome = attempt(service.open(server.origin, env, 5), service.write(operation))
    assert [request.method for request in server.requests] == ["POST"]
    return outcome


def body(good: bytes) -> bytes:
    return good.partition(b"\r\n\r\n")[2]


def headed(*lines: bytes) -> Answer:
    """The good body beneath another head."""
    return lambda _, good: b"\r\n".join([*lines, b"", b""]) + body(good)


def with_status(status: int) -> Answer:
    return lambda _, good: http(status, body(good))


def with_header(line: bytes) -> Answer:
    return lambda _, good: good.replace(b"\r\n", b"\r\n" + line + b"\r\n", 1)


def holding(change: Callable[[bytes], bytes]) -> Answer:
    """A good head with a changed body."""
    return lambda _, good: http(201, change(body(good)))


def chunked(first: Callable[[bytes], bytes], *more: bytes) -> Answer:
    head = b"HTTP/1.1 201 C\r\nTransfer-Encoding: chunked\r\n" + b"".join(more) + b"\r\n"
    return lambda _, good: head + first(body(good))


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


WHOLE: dict[str, Answer] = {
    "an interim 100": lambda _, good: b"HTTP/1.1 100 Continue\r\n\r\n" + good,
    "HTTP/1.0, no length": headed(b"HTTP/1.0 201 Created"),
    "no length, closed": headed(b"HTTP/1.1 201 Created", b"Connection: close"),
    "no words behind the status": headed(b"HTTP/1.1 201", b"Connection: close"),
    "the length twice": lambda _, good: good.replace(
        b"Content-Length", b"Content-Length: %d\r\nContent-Length" % len(body(good)), 1
    ),
    "chunked": chunked(lambda content: _chunk(content) + b"0\r\n\r\n"),
    "chunked, byte by byte": chunked(
        lambda content: b"".join(_chunk(bytes([byte])) for byte in content) + b"0\r\n\r\n"
    ),
    "chunked, with a length beside": chunked(
        lambda content: _chunk(content) + b"0\r\n\r\n", b"Content-Length: 3\r\n"
    ),
    "a header that is not ASCII": with_header("X-A: é".encode("latin-1")),
    "a header that goes on in the next line": with_header(b"X-A: b\r\n c"),
    "an unknown compression that is none": with_header(b"Content-Encoding: br"),
    "JSON as a page": lambda _, good: http(201, body(good), "text/html"),
    "a byte order mark": holding(lambda content: b"\xef\xbb\xbf" + content),
    "blanks around": holding(lambda content: b" \r\n\t" + content + b"\r\n "),
    "a link that leads elsewhere": holding(
        lambda content: content[:-1] + b', "html_url": "https://x.example", "webUrl": "javascript:x"}'
    ),
    **{str(status): with_status(status) for status in (200, 203, 206, 207, 226, 299)},
}
EITHER: dict[str, Answer] = {
    "an interim 102": lambda _, good: b"HTTP/1.1 102 Processing\r\n\r\n" + good,
    "an interim 103": lambda _, good: b"HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" + good,
    "a negative length": headed(b"HTTP/1.1 201 C", b"Content-Length: -1", b"Connection: close"),
    "a length that is a word": headed(b"HTTP/1.1 201 C", b"Content-Length: many", b"Connection: close"),
    "a header of 70,000 bytes": with_header(b"X-Long: " + b"y" * 70_000),
    "200 headers": with_header(b"\r\n".join(b"X-%d: y" % number for number in range(200))),
    "a header without a colon": with_header(b"nonsense"),
    "a NUL in a header": with_header(b"X-A: b\0c"),
    "a compression that it is not": with_header(b"Content-Encoding: gzip"),
    "a compression nobody asked for": lambda _, good: http(
        201, gzip.compress(body(good)), Content_Encoding="gzip"
    ),
    "205": lambda _, good: http(205, body(good)),
}
BROKEN: dict[str, Answer] = {
    "switching protocols": says(b"HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    "HTTP/2": says(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "another protocol's greeting": says(b"SSH-2.0-OpenSSH_9.7\r\n"),
    "two lengths": lambda _, good: good.replace(b"Content-Length", b"Content-Length: 3\r\nContent-Length", 1),
    "a length of nothing": headed(b"HTTP/1.1 201 C", b"Content-Length: 0"),
    "a length that is too short": headed(b"HTTP/1.1 201 C", b"Content-Length: 4"),
    "a length that is too long": headed(b"HTTP/1.1 201 C", b"Content-Length: 9999"),
    "no length, cut by a byte": lambda _, good: b"HTTP/1.1 201 C\r\n\r\n" + body(good)[:-1],
    "chunked, no last chunk": chunked(_chunk),
    "chunked, a size that is none": chunked(lambda content: b"zz\r\n" + content + b"\r\n0\r\n\r\n"),
    "UTF-16": holding(lambda content: content.decode().encode("utf-16")),
    "a page behind the JSON": holding(lambda content: content + b"<html>"),
    "two documents": holding(lambda content: content + b"\n" + content),
    "a call around it": holding(lambda content: b"call(" + content + b")"),
    "a guard before it": holding(lambda content: b")]}'\n" + content),
    "within another object": holding(lambda content: b'{"data": ' + content + b"}"),
    "within a list": holding(lambda content: b"[" + content + b"]"),
    "as a text": holding(lambda content: json.dumps(content.decode()).encode()),
    "each key twice": holding(lambda content: content[:-1] + b", " + content[1:]),
    "numbers of 5,000 digits": says(
        http(201, b'{"ok": true, "number": %s, "id": %s, "key": %s, "ts": %s}' % ((b"9" * 5000,) * 4))
    ),
    **{
        f"ids that are {said}": says(
            http(201, b'{"ok": true, "number": %s, "id": %s, "key": %s, "ts": %s}' % ((said.encode(),) * 4))
        )
        for said in (
            "7.0",
            "-7",
            "0",
            "1e3",
            '"007"',
            '"7\\n"',
            '"7/8"',
            '"../7"',
            "null",
            "[7]",
            '{"id": 7}',
        )
    },
    **{
        str(status): says(http(status, b"<html>", "text/html"))
        for status in (300, 304, 305, 306, 501, 505, 507, 508, 511, 520, 524, 530, 600, 999)
    },
    **{
        f"a status of {status}": headed(b"HTTP/1.1 %s X" % status.encode())
        for status in ("000", "99", "2010", "-201", "2O1", "")
    },
}


@pytest.mark.parametrize("service", TRANSPORTS, ids=lambda service: service.name)
def test_an_answer_that_is_whole_is_read_however_it_is_packed(
    service: Service, env: dict[str, str], subtests: pytest.Subtests
) -> None:
    for name, answer in WHOLE.items():
        with subtests.test(name):
            outcome = outcome_of(service, CREATE, answer, env)
            assert (outcome.status, outcome.reference) == (PUBLISHED, service.exchanges[CREATE].made)


@pytest.mark.parametrize("service", TRANSPORTS, ids=lambda service: service.name)
def test_an_answer_at_the_edge_is_read_or_not_known(
    service: Service, env: dict[str, str], subtests: pytest.Subtests
) -> None:
    for name, answer in EITHER.items():
        with subtests.test(name):
            outcome = outcome_of(service, CREATE, answer, env)
            assert outcome.status is not FAILED
            assert outcome.reference in (None, service.exchanges[CREATE].made)


@pytest.mark.parametrize("service", TRANSPORTS, ids=lambda service: service.name)
def test_an_answer_that_is_broken_is_not_known(
    service: Service, env: dict[str, str], subtests: pytest.Subtests
) -> None:
    for name, answer in BROKEN.items():
        if service is CLICKUP and name == 'ids that are "007"':
            continue  # its ids are letters and digits: this is one
        with subtests.test(name):
            assert outcome_of(service, CREATE, answer, env).status is AMBIGUOUS


OTHERS: tuple[tuple[Service, Operation, dict[str, Any]], ...] = (
    (GITHUB, CREATE, {"url": "https://x.example/repos/owner/other/issues/7"}),
    (GITHUB, CREATE, {"url": "https://x.example/repos/other/name/issues/7"}),
    (GITHUB, CREATE, {"url": "https://x.example/repos/owner/name/issues/8"}),
    (GITHUB, CREATE, {"url": "https://x.example/repos/owner/name/pulls/7"}),
    (GITHUB, APPEND, {"issue_url": "https://x.example/repos/owner/name/issues/8"}),
    (GITHUB, APPEND, {"issue_url": "https://x.example/repos/owner/other/issues/7"}),
    (JIRA_CLOUD, CREATE, {"key": "OTHER-7"}),
    (JIRA_CLOUD, CREATE, {"key": "OPH_2-7"}),
    (CLICKUP, CREATE, {"list": {"id": "902"}}),
    (SLACK, CREATE, {"channel": "C9999"}),
    (SLACK, APPEND, {"channel": "D0123"}),
    (SLACK, APPEND, {"message": {"thread_ts": "1700000001.000100"}}),
    (TEAMS, CREATE, {"channelIdentity": {"channelId": "19:other@thread.tacv2"}}),
    (TEAMS, CREATE, {"channelIdentity": {"teamId": "0f0f0f0f-0000-4000-8000-000000000001"}}),
    (TEAMS, CREATE, {"replyToId": "1616990032036"}),
    (TEAMS, APPEND, {"replyToId": "1616990032036"}),
)


@pytest.mark.parametrize(("service", "operation", "says_too"), OTHERS, ids=repr)
def test_what_was_made_at_another_place_is_not_published(
    service: Service, operation: Operation, says_too: dict[str, Any], env: dict[str, str]
) -> None:
    exchange = service.exchanges[operation]
    answer = http(exchange.status, json.dumps({**exchange.answer, **says_too}).encode())
    outcome = outcome_of(service, operation, says(answer), env)
    assert (outcome.status, outcome.reference) == (AMBIGUOUS, None)
    assert "about another place than was asked for" in outcome.reason


SAME: tuple[tuple[Service, Operation, dict[str, Any]], ...] = (
    (GITHUB, CREATE, {"url": "https://x.example/api/v3/repos/Owner/Name/issues/7"}),
    (GITHUB, APPEND, {"issue_url": "https://x.example/api/v3/repos/Owner/Name/issues/7"}),
    (GITHUB, CREATE, {"url": 7}),
    (GITHUB, CREATE, {"url": "https://x.example/8"}),
    (GITHUB, APPEND, {"issue_url": ["https://x.example/repos/owner/name/issues/8"]}),
    (CLICKUP, CREATE, {"list": {"id": "901", "name": "n"}}),
    (CLICKUP, CREATE, {"list": {"id": 902}}),
    (SLACK, CREATE, {"channel": {"id": "C9999"}}),
    (SLACK, APPEND, {"message": {"thread_ts": "1700000000.000100"}}),
    (SLACK, CREATE, {"message": {"thread_ts": None, "text": "t"}}),
    (TEAMS, CREATE, {"replyToId": None, "channelIdentity": None}),
    (
        TEAMS,
        APPEND,
        {
            "channelIdentity": {
                "teamId": "0F0F0F0F-0000-4000-8000-000000000000",
                "channelId": "19:channel@thread.tacv2",
            }
        },
    ),
)


@pytest.mark.parametrize(("service", "operation", "says_too"), SAME, ids=repr)
def test_what_names_no_other_place_is_published(
    service: Service, operation: Operation, says_too: dict[str, Any], env: dict[str, str]
) -> None:
    exchange = service.exchanges[operation]
    answer = http(exchange.status, json.dumps({**exchange.answer, **says_too}).encode())
    assert outcome_of(service, operation, says(answer), env).reference == exchange.made


@pytest.mark.parametrize(
    "said",
    [
        *("+5", "1e3", "5;x", "5, 6", "5\r\nRetry-After: 6", "0x10", "-0", "NaN", "infinity", '"5"', "5 s"),
        *("Wed, 99 Foo 2026 99:99:99 GMT", "Wed, 21 Oct 99999 07:28:00 GMT", "Tue Oct 20 2026", "tomorrow"),
        "Wed, 21 Oct 2026 07:28:00 +99999999999",
    ],
)
@pytest.mark.parametrize("service", TRANSPORTS, ids=lambda service: service.name)
def test_c076_a_time_to_wait_that_is_none_is_still_a_throttle(
    service: Service, said: str, env: dict[str, str]
) -> None:
    date = "Wed, 21 Oct 2026 07:28:00 GMT"
    answer = says(http(429, b"<html>", "text/html", Date=date, Retry_After=said))
    outcome = outcome_of(service, CREATE, answer, env)
    assert (outcome.status, outcome.retry_after) == (FAILED, None)
    assert outcome.reason.endswith("rate limited")
