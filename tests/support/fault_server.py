"""A provider on loopback that reads a write wholly, acts on it, and then does one thing wrong.

It speaks HTTP over a raw socket, because most of what is needed is not HTTP. The rows are those of
facts/providers.md §2 and what belongs beside them. `FaultServer.made` tells what the provider really did,
whatever it answered, so that an outcome can be held against the truth and not only against a table.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from types import TracebackType
from typing import Any, Self

from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.outcome import OutcomeStatus

PUBLISHED, AMBIGUOUS, FAILED = OutcomeStatus.PUBLISHED, OutcomeStatus.AMBIGUOUS, OutcomeStatus.FAILED
UNRESOLVABLE = "provider.invalid"
MOVED = "/moved"


class Place(Enum):
    """How far a connection gets."""

    ANSWERS = auto()
    CLOSED_BEFORE_READING = auto()
    REFUSED = auto()
    NAME_UNKNOWN = auto()
    CONNECT_HANGS = auto()
    TLS_HANGS = auto()
    TLS_WRONG = auto()


@dataclass(frozen=True)
class Fault:
    """One row. `answer` makes the bytes that are sent, from the address and the good answer.

    `acts`: the provider did what it was asked for. `pause` seconds pass before the answer, `drip` seconds
    between its bytes; then the connection is closed, `reset` or left to hang. `seconds`: the adapter's
    patience, `total` the attempt's.
    """

    name: str
    wanted: OutcomeStatus
    answer: Callable[[str, bytes], bytes] = lambda address, good: good
    acts: bool = True
    place: Place = Place.ANSWERS
    pause: float = 0.0
    drip: float = 0.0
    reset: bool = False
    hangs: bool = False
    seconds: float = 5.0
    total: float = 10.0
    only: ProviderName | None = None


@dataclass(frozen=True)
class Request:
    """One request that was read to its end."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def http(status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> bytes:
    """One answer, with its length."""
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", f"Content-Type: {kind}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def says(raw: bytes) -> Callable[[str, bytes], bytes]:
    """Always `raw`."""
    return lambda address, good: raw


def moved(status: int) -> Callable[[str, bytes], bytes]:
    """A redirect to another path of the same server, where a second write would be taken."""
    return lambda address, good: http(status, Location=address + MOVED)


def slack_refusal(code: str) -> Callable[[str, bytes], bytes]:
    return says(http(200, json.dumps({"ok": False, "error": code}).encode()))


def _cut(good: bytes, keep: int) -> bytes:
    """The head of an answer and only some of its body."""
    head, blank, body = good.partition(b"\r\n\r\n")
    return head + blank + body[:keep]


def _rows() -> tuple[Fault, ...]:
    page = b"<html>Sign in</html>"
    limited = b'{"message": "You have exceeded a secondary rate limit"}'
    error = b'{"message": "no", "errorMessages": ["no"], "ok": false, "error": {"code": "no"}}'
    challenge = 'Bearer authorization_uri="x", error="insufficient_claims", claims="eyJhIjoxfQ=="'
    slack = ProviderName.SLACK
    short = 0.3
    return (
        Fault("a proper answer", PUBLISHED),
        Fault("closed, no answer", AMBIGUOUS, says(b"")),
        Fault("reset", AMBIGUOUS, says(b""), reset=True),
        Fault("answer after the timeout", AMBIGUOUS, pause=1.0, seconds=short),
        Fault("status line cut", AMBIGUOUS, says(b"HTTP/1.1 2")),
        Fault("garbage for a status line", AMBIGUOUS, says(b"nonsense\r\n\r\n")),
        Fault("2xx, body cut", AMBIGUOUS, lambda address, good: _cut(good, 5)),
        Fault("2xx, body hangs", AMBIGUOUS, lambda address, good: _cut(good, 5), hangs=True, seconds=short),
        Fault("2xx, malformed JSON", AMBIGUOUS, says(http(201, b'{"id": "1", "number": 1, "key": "OPH-1",'))),
        Fault("2xx, a JSON list", AMBIGUOUS, says(http(200, b'[{"id": "1", "number": 1, "ok": true}]'))),
        Fault(
            "2xx, wrong types", AMBIGUOUS, says(http(201, b'{"id": true, "number": [], "key": 7, "ts": 1}'))
        ),
        Fault("200, HTML page", AMBIGUOUS, says(http(200, page, "text/html"))),
        Fault("201, empty", AMBIGUOUS, says(http(201))),
        Fault("200, {}", AMBIGUOUS, says(http(200, b"{}"))),
        Fault("204", AMBIGUOUS, says(b"HTTP/1.1 204 Said\r\n\r\n")),
        Fault("202", AMBIGUOUS, says(http(202, b"{}"))),
        Fault("200, an endless answer", AMBIGUOUS, says(http(200, b" " * (3 << 20)))),
        Fault("200 ok without ts", AMBIGUOUS, says(http(200, b'{"ok": true, "channel": "C1"}')), only=slack),
        Fault("301", FAILED, moved(301), acts=False),
        Fault("302", AMBIGUOUS, moved(302)),
        Fault("303", AMBIGUOUS, moved(303)),
        Fault("307", FAILED, moved(307), acts=False),
        Fault("308", FAILED, moved(308), acts=False),
        Fault("429 + Retry-After", FAILED, says(http(429, error, Retry_After="1")), acts=False),
        Fault("429", FAILED, says(http(429, error)), acts=False),
        Fault("403 secondary limit", FAILED, says(http(403, limited)), acts=False),
        Fault("403 + Retry-After", FAILED, says(http(403, limited, Retry_After="1")), acts=False),
        *(
            Fault(str(status), FAILED, says(http(status, error)), acts=False)
            for status in (400, 401, 403, 404, 409, 410, 413, 422)
        ),
        Fault("401 + claims", FAILED, says(http(401, error, WWW_Authenticate=challenge)), acts=False),
        *(Fault(str(status), AMBIGUOUS, says(http(status, error))) for status in (408, 425, 499)),
        *(Fault(str(status), AMBIGUOUS, says(http(status, page, "text/html"))) for status in (500, 502)),
        Fault("503", AMBIGUOUS, says(http(503, error))),
        Fault("503 + Retry-After", AMBIGUOUS, says(http(503, error, Retry_After="1"))),
        Fault("504", AMBIGUOUS, says(http(504, error))),
        Fault("ok: false, a plain code", FAILED, slack_refusal("not_in_channel"), acts=False, only=slack),
        Fault("ok: false, fatal_error", AMBIGUOUS, slack_refusal("fatal_error"), only=slack),
        Fault("ok: false, internal_error", AMBIGUOUS, slack_refusal("internal_error"), only=slack),
        Fault("ok: false, no code", AMBIGUOUS, slack_refusal("Something, somewhere."), only=slack),
        Fault("an answer that drips", AMBIGUOUS, drip=0.1, total=0.7),
        Fault("closed before reading", AMBIGUOUS, acts=False, place=Place.CLOSED_BEFORE_READING),
        Fault("connection refused", FAILED, acts=False, place=Place.REFUSED),
        Fault("name unknown", FAILED, acts=False, place=Place.NAME_UNKNOWN),
        Fault("connect timeout", FAILED, acts=False, place=Place.CONNECT_HANGS, seconds=short),
        Fault("TLS handshake timeout", FAILED, acts=False, place=Place.TLS_HANGS, seconds=short),
        Fault("TLS handshake fails", FAILED, acts=False, place=Place.TLS_WRONG),
    )


FAULTS = _rows()


@dataclass
class FaultServer:
    """One server for one attempt; use as a context manager. `good` is the answer of a provider that works."""

    fault: Fault
    good: bytes
    requests: list[Request] = field(default_factory=list)
    made: int = 0

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        backlog = 0 if self.fault.place is Place.CONNECT_HANGS else 16
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self._port = self._listener.getsockname()[1]
        match self.fault.place:
            case Place.REFUSED:
                self._listener.close()
            case Place.CONNECT_HANGS:
                self._fill_the_queue()
            case _:
                self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        with suppress(OSError):  # closed already, or nobody is waiting
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            connection.close()
        for thread in self._threads:
            thread.join()

    @property
    def origin(self) -> str:
        """The address to be asked."""
        is_tls = self.fault.place in (Place.TLS_HANGS, Place.TLS_WRONG, Place.NAME_UNKNOWN)
        host = UNRESOLVABLE if self.fault.place is Place.NAME_UNKNOWN else "127.0.0.1"
        return f"{'https' if is_tls else 'http'}://{host}:{self._port}"

    def _start(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _fill_the_queue(self) -> None:
        """Leave no room for another connection: Linux drops its first packet then."""
        for _ in range(3):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", self._port))
            self._open.append(one)
        time.sleep(0.05)

    def _accept(self) -> None:
        with suppress(OSError):  # the listener is closed at the end
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(5)
                self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the client may leave at any time
            match self.fault.place:
                case Place.CLOSED_BEFORE_READING:
                    return
                case Place.TLS_HANGS:
                    self._over.wait()
                case Place.TLS_WRONG:
                    connection.recv(1)
                    connection.sendall(http(400, b"this is not TLS"))
                case _:
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        request = _read(connection)
        if request is None:
            return
        self.requests.append(request)
        if len(self.requests) > 1:  # nobody may come back; who does is served well, so that it shows
            self.made += 1
            connection.sendall(self.good)
            return
        self.made += self.fault.acts
        self._over.wait(self.fault.pause)
        answer = self.fault.answer(self.origin, self.good)
        if self.fault.reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if not self.fault.drip:
            connection.sendall(answer)
        for byte in answer if self.fault.drip else b"":
            if self._over.wait(self.fault.drip):
                return
            connection.sendall(bytes([byte]))
        if self.fault.hangs:
            self._over.wait()


def _read(connection: socket.socket) -> Request | None:
    """The one request of a connection; None where it was not sent to its end."""
    with connection.makefile("rb") as stream:
        method, _, rest = stream.readline().decode("latin-1").partition(" ")
        headers: dict[str, str] = {}
        while (line := stream.readline().decode("latin-1").strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", "0"))
        body = stream.read(length)
    if not method or len(body) < length:
        return None
    return Request(method, rest.partition(" ")[0], headers, body)
