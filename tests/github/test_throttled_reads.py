"""A read that GitHub throttles is asked again when the answer says, within the deadline; a write never is."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from loopback_github import Fault, MemoryGitHub, Reply, json_reply

from ophiuchus.github.access import read_access
from ophiuchus.github.client import MOST_WAITS, Client
from ophiuchus.github.failure import CallFailed, Cause

PULL = "/repos/person/repo/pulls/7"
SLOW = {"message": "You have exceeded a secondary rate limit"}
LIMITED = {"errors": [{"type": "RATE_LIMITED"}]}
QUERY = "query { viewer { login } }"


@pytest.fixture
def github() -> Iterator[MemoryGitHub]:
    with MemoryGitHub() as double:
        yield double


def client(github: MemoryGitHub, total: float = 20) -> Client:
    return Client(read_access(github.env, "robot-token"), call_seconds=2, total_seconds=total)


def date(seconds: int) -> str:
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(seconds))


@pytest.mark.parametrize(
    "reply",
    [
        json_reply(429, SLOW, Retry_After="0"),
        json_reply(403, SLOW, Retry_After="0"),
        json_reply(429, SLOW, Retry_After=date(1_800_000_000), Date=date(1_800_000_000)),
        json_reply(
            403,
            {"message": "API rate limit exceeded"},
            X_RateLimit_Remaining="0",
            X_RateLimit_Reset="1800000000",
            Date=date(1_800_000_000),
        ),
    ],
    ids=["429", "403", "a date", "the primary limit"],
)
def test_a_read_is_asked_again(github: MemoryGitHub, reply: Reply) -> None:
    github.faults = [Fault("GET", "", raw=reply.as_bytes())]
    with client(github) as asking:
        assert asking.read(PULL)["number"] == 7
    assert len(github.seen) == 2


def test_a_query_is_asked_again_though_its_refusal_has_status_200(github: MemoryGitHub) -> None:
    done = json_reply(200, {"data": {"viewer": {"login": "robot"}}})
    refusal = json_reply(200, LIMITED, X_RateLimit_Reset="1800000001", Date=date(1_800_000_000))
    github.faults = [
        Fault("POST", "GRAPHQL", raw=refusal.as_bytes()),
        Fault("POST", "GRAPHQL", raw=done.as_bytes()),
    ]
    started = time.monotonic()
    with client(github) as asking:
        assert asking.query(QUERY, {}) == {"viewer": {"login": "robot"}}
    assert time.monotonic() - started >= 1


def test_it_is_not_asked_for_ever(github: MemoryGitHub) -> None:
    github.faults = [Fault("GET", "", raw=json_reply(429, SLOW, Retry_After="0").as_bytes(), times=99)]
    with client(github) as asking, pytest.raises(CallFailed) as failed:
        asking.read(PULL)
    assert failed.value.cause is Cause.THROTTLED
    assert len(github.seen) == MOST_WAITS + 1


@pytest.mark.parametrize("after", ["3", "60", "99999999999"])
def test_a_wait_that_would_outlast_the_deadline_is_not_begun(github: MemoryGitHub, after: str) -> None:
    github.faults = [Fault("GET", "", raw=json_reply(429, SLOW, Retry_After=after).as_bytes())]
    started = time.monotonic()
    with client(github, total=2.5) as asking, pytest.raises(CallFailed) as failed:
        asking.read(PULL)
    assert failed.value.cause is Cause.THROTTLED
    assert time.monotonic() - started < 2
    assert len(github.seen) == 1


@pytest.mark.parametrize(
    "reply",
    [
        json_reply(429, SLOW),
        json_reply(429, SLOW, Retry_After="soon"),
        json_reply(403, {"message": "Must have admin rights"}),
        json_reply(500, SLOW, Retry_After="0"),
    ],
    ids=["no time", "no proper time", "not allowed", "broken"],
)
def test_without_a_time_to_wait_for_nothing_is_asked_again(github: MemoryGitHub, reply: Reply) -> None:
    github.faults = [Fault("GET", "", raw=reply.as_bytes())]
    with client(github) as asking, pytest.raises(CallFailed):
        asking.read(PULL)
    assert len(github.seen) == 1


def test_a_write_is_sent_once_whatever_the_answer_asks_for(github: MemoryGitHub) -> None:
    github.faults = [Fault("POST", "comments", raw=json_reply(429, SLOW, Retry_After="0").as_bytes())]
    with client(github) as asking, pytest.raises(CallFailed) as failed:
        asking.write("POST", "/repos/person/repo/issues/7/comments", {"body": "b"})
    assert failed.value.cause is Cause.THROTTLED
    assert len(github.seen) == 1
