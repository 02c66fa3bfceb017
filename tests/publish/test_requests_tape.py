from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import requests
import urllib3
from fault_server import FAULTS, Fault, FaultServer, http, moved, says
from self_signed import Certificate, self_signed

from ophiuchus.publish.answer import MOST_BYTES
from ophiuchus.publish.outcome import OutcomeStatus
from ophiuchus.publish.providers.connection import read_route
from ophiuchus.publish.providers.requests_tape import OneWriteAdapter
from ophiuchus.publish.tape import SecondRequest, Tape

GOOD = http(201, b'{"number": 7}')


def post(origin: str, env: dict[str, str] | None = None, **options: Any) -> tuple[OneWriteAdapter, Tape]:
    """One POST the way an SDK makes it; what it raised is on the tape."""
    tape = Tape()
    adapter = OneWriteAdapter(tape, read_route(origin, env or {}))
    with requests.Session() as session:
        adapter.mount_on(session)
        with suppress(requests.RequestException, urllib3.exceptions.HTTPError, SecondRequest):
            session.post(f"{origin}/issues", data=json.dumps({"title": "t"}), **options)
    return adapter, tape


def answering(raw: bytes) -> FaultServer:
    return FaultServer(Fault("", OutcomeStatus.PUBLISHED, says(raw)), GOOD)


def test_a_write_is_noted_with_its_answer() -> None:
    with answering(GOOD) as server:
        adapter, tape = post(server.origin)
    assert (tape.status, tape.failure, tape.handed_over) == (201, None, True)
    assert adapter.answer() == {"number": 7}
    assert [request.json() for request in server.requests] == [{"title": "t"}]


def test_a_second_write_of_the_same_session_is_refused() -> None:
    with answering(GOOD) as server:
        tape = Tape()
        adapter = OneWriteAdapter(tape, read_route(server.origin, {}))
        with requests.Session() as session:
            adapter.mount_on(session)
            session.post(server.origin)
            for method in ("POST", "GET"):
                with pytest.raises(SecondRequest):
                    session.request(method, server.origin)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_c106_a_redirect_is_seen_and_not_followed(status: int) -> None:
    with FaultServer(Fault("", OutcomeStatus.FAILED, moved(status)), GOOD) as server:
        adapter, tape = post(server.origin)
    assert tape.status == status
    assert len(server.requests) == 1
    assert adapter.answer() == {}


def test_an_answer_is_utf_8_and_may_be_compressed() -> None:
    text = json.dumps({"key": "ü"}, ensure_ascii=False).encode()
    raw = http(201, gzip.compress(text), "application/json; charset=iso-8859-1", Content_Encoding="gzip")
    with answering(raw) as server:
        adapter, _ = post(server.origin)
    assert adapter.answer() == {"key": "ü"}


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "compressed"])
def test_no_more_is_read_than_an_answer_may_have(compress: Any) -> None:
    raw = http(201, compress(b" " * (40 * MOST_BYTES)))
    if compress is gzip.compress:
        raw = raw.replace(b"Content-Type", b"Content-Encoding: gzip\r\nContent-Type", 1)
    with answering(raw) as server:
        adapter, tape = post(server.origin)
    assert tape.status == 201
    assert len(adapter._body) == MOST_BYTES + 1
    assert adapter.answer() == {}


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("closed, no answer", "RemoteDisconnected"),
        ("reset", "ConnectionResetError"),
        ("garbage for a status line", "BadStatusLine"),
        ("2xx, body cut", "IncompleteRead"),
    ],
)
def test_a_failure_after_sending_is_told_from_one_before(name: str, failure: str) -> None:
    fault = next(fault for fault in FAULTS if fault.name == name)
    with FaultServer(fault, GOOD) as server:
        _, tape = post(server.origin)
    assert tape.failure == failure
    assert not tape.before_sending


def test_nobody_listening_is_a_failure_before_sending() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    _, tape = post(f"http://127.0.0.1:{port}")
    assert (tape.failure, tape.before_sending) == ("ConnectionRefusedError", True)


def test_a_header_that_cannot_be_sent_is_not_handed_over() -> None:
    with answering(GOOD) as server:
        _, tape = post(server.origin, headers={"X": "a\nb"})
    assert not tape.handed_over
    assert server.requests == []


@pytest.mark.parametrize(("header", "kept"), [("120", 120), ("0.493", None), ("9" * 5000, 86_400)])
def test_c076_a_time_to_wait_is_noted_if_it_is_one(header: str, kept: int | None) -> None:
    with answering(http(429, b"{}", Retry_After=header)) as server:
        _, tape = post(server.origin)
    assert tape.status == 429
    assert tape.retry_after == kept


# TLS and proxies: the route decides, not the process's environment.


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return self_signed(tmp_path_factory.mktemp("tls"))


@contextmanager
def tls_server(certificate: Certificate, raw: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """A server that answers `raw` over TLS: its port, and the first lines it got."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    got: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            connection, _ = listener.accept()
            with connection, context.wrap_socket(connection, server_side=True) as secure:
                request = b""
                # To its end: closing with something unread would reset the connection.
                while not request.endswith(b"}"):
                    request += secure.recv(65_536)
                got.append(request.split(b"\r\n")[0])
                secure.sendall(raw)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1], got
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_an_authority_that_the_given_environment_names_is_trusted(
    certificate: Certificate, variable: str
) -> None:
    with tls_server(certificate, GOOD) as (port, got):
        adapter, tape = post(f"https://127.0.0.1:{port}", {variable: str(certificate.file)})
    assert tape.status == 201
    assert adapter.answer() == {"number": 7}
    assert got == [b"POST /issues HTTP/1.1"]


def test_a_certificate_that_nobody_vouches_for_gets_nothing(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate.file))  # the process's, not the given one
    with tls_server(certificate, GOOD) as (port, got):
        _, tape = post(f"https://127.0.0.1:{port}", verify=False)
    assert (tape.failure, tape.before_sending) == ("SSLCertVerificationError", True)
    assert got == []


@contextmanager
def proxy(answer: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """A proxy that answers whatever is asked of it with `answer`, and its requests."""
    asked: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            connection, _ = listener.accept()
            with closing(connection):
                asked.append(connection.recv(65_536))
                connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1], asked
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_a_proxy_that_refuses_the_tunnel_means_that_nothing_was_sent() -> None:
    with proxy(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n") as (port, asked):
        env = {"https_proxy": f"http://me:word@127.0.0.1:{port}"}
        _, tape = post("https://provider.test", env)
    assert tape.status is None
    assert tape.before_sending
    [request] = asked
    assert request.startswith(b"CONNECT provider.test:443 HTTP/1.")
    assert b"Proxy-Authorization: Basic bWU6d29yZA==\r\n" in request


def test_loopback_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with answering(GOOD) as server:
        _, tape = post(server.origin, {"all_proxy": "http://127.0.0.1:1"})
    assert tape.status == 201


def test_a_password_file_of_the_machine_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password word\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with answering(GOOD) as server:
        post(server.origin)
    assert "authorization" not in server.requests[0].headers
