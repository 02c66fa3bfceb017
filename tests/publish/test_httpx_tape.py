from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import pytest
from fault_server import FAULTS, Fault, FaultServer, http, says

from ophiuchus.publish.answer import MOST_BYTES, AnswerTooLong
from ophiuchus.publish.outcome import OutcomeStatus
from ophiuchus.publish.providers.connection import Route, read_route
from ophiuchus.publish.providers.httpx_tape import OneWriteAsyncTransport, OneWriteTransport, timeout_of
from ophiuchus.publish.tape import SecondRequest, Tape

GOOD = http(200, b"{}")
Ask = Callable[..., list[httpx.Response]]


def in_turn(tape: Tape, route: Route, *requests: tuple[str, str]) -> list[httpx.Response]:
    with httpx.Client(transport=OneWriteTransport(tape, route), timeout=timeout_of(route)) as client:
        return [client.request(method, url, json={}) for method, url in requests]


def asynchronously(tape: Tape, route: Route, *requests: tuple[str, str]) -> list[httpx.Response]:
    async def ask() -> list[httpx.Response]:
        transport = OneWriteAsyncTransport(tape, route)
        async with httpx.AsyncClient(transport=transport, timeout=timeout_of(route)) as client:
            return [await client.request(method, url, json={}) for method, url in requests]

    return asyncio.run(ask())


@pytest.fixture(params=[in_turn, asynchronously], ids=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    found: Ask = request.param
    return found


@pytest.fixture
def route() -> Route:
    return read_route("http://127.0.0.1:1", {})


def test_one_post_goes_out_and_its_answer_comes_back_bare(ask: Ask, route: Route) -> None:
    tape = Tape()
    with FaultServer(FAULTS[0], http(201, b'{"id": 1}', Location="/x")) as server:
        (answer,) = ask(tape, route, ("POST", server.origin))
    assert (tape.handed_over, tape.status, tape.failure) == (True, 201, None)
    assert answer.json() == {"id": 1}
    assert set(answer.headers) <= {"content-length"}


@pytest.mark.parametrize("method", ["GET", "PUT", "HEAD"])
def test_anything_but_a_post_is_refused(ask: Ask, route: Route, method: str) -> None:
    tape = Tape()
    with FaultServer(FAULTS[0], GOOD) as server, pytest.raises(SecondRequest):
        ask(tape, route, (method, server.origin))
    assert server.requests == []
    assert not tape.handed_over


def test_a_second_post_is_refused(ask: Ask, route: Route) -> None:
    with FaultServer(FAULTS[0], GOOD) as server, pytest.raises(SecondRequest):
        ask(Tape(), route, ("POST", server.origin), ("POST", server.origin))
    assert len(server.requests) == 1


def test_nothing_goes_out_when_time_is_up(ask: Ask, route: Route) -> None:
    tape = Tape()
    tape.close()
    with FaultServer(FAULTS[0], GOOD) as server, pytest.raises(SecondRequest):
        ask(tape, route, ("POST", server.origin))
    assert server.requests == []


def test_an_endless_answer_is_not_read_to_its_end(ask: Ask, route: Route) -> None:
    tape = Tape()
    endless = Fault("", OutcomeStatus.AMBIGUOUS, says(http(200, b" " * (MOST_BYTES + 1))))
    with FaultServer(endless, GOOD) as server, pytest.raises(AnswerTooLong):
        ask(tape, route, ("POST", server.origin))
    assert tape.status == 200


@pytest.mark.parametrize(
    ("url", "before_sending"),
    [("ftp://127.0.0.1/", True), ("http://127.0.0.1:1/", True), ("{closing}", False)],
)
def test_a_failure_is_before_sending_only_where_nothing_can_have_left(
    ask: Ask, route: Route, url: str, before_sending: bool
) -> None:
    tape = Tape()
    closing = Fault("", OutcomeStatus.AMBIGUOUS, says(b""))
    with FaultServer(closing, GOOD) as server, pytest.raises(httpx.HTTPError):
        ask(tape, route, ("POST", url.format(closing=server.origin)))
    assert tape.handed_over
    assert tape.failure
    assert tape.before_sending is before_sending
