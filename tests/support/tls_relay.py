"""Loopback relays: TLS in front of a plain server, and a proxy that opens tunnels and remembers for whom."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from select import select
from threading import Thread
from urllib.parse import urlsplit

from self_signed import Certificate

SECONDS = 20


@dataclass
class Relay:
    """A relay on a free port. `asked` are the first lines of what a proxy was asked, in order."""

    port: int
    asked: list[str] = field(default_factory=list)

    @property
    def secure_url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def proxy_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def secured(plain_url: str, certificate: Certificate) -> Iterator[Relay]:
    """What `plain_url` serves, behind TLS with `certificate`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    behind = urlsplit(plain_url)

    def serve(client: socket.socket, _: Relay) -> None:
        with context.wrap_socket(client, server_side=True) as secure:
            _relay(secure, (behind.hostname or "", behind.port or 80))

    with _listening(serve) as relay:
        yield relay


@contextmanager
def proxying() -> Iterator[Relay]:
    """A proxy that opens every tunnel to loopback, and refuses whatever else it is asked."""

    def serve(client: socket.socket, relay: Relay) -> None:
        head = b""
        while b"\r\n\r\n" not in head and (more := client.recv(1)):
            head += more
        line = head.partition(b"\r\n")[0].decode()
        relay.asked.append(line)
        method, target, _ = line.split(" ")
        host, _, port = target.rpartition(":")
        if method != "CONNECT" or host != "127.0.0.1":
            client.sendall(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
            return
        client.sendall(b"HTTP/1.1 200 Yes\r\n\r\n")
        _relay(client, (host, int(port)))

    with _listening(serve) as relay:
        yield relay


@contextmanager
def _listening(serve: Callable[[socket.socket, Relay], None]) -> Iterator[Relay]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        relay = Relay(listener.getsockname()[1])

        def answer(client: socket.socket) -> None:
            # A handshake that the other side breaks off is what some tests are about.
            with client, suppress(OSError):
                serve(client, relay)

        def accept() -> None:
            with suppress(OSError):  # closed: the test is over
                while True:
                    client, _ = listener.accept()
                    client.settimeout(SECONDS)
                    Thread(target=answer, args=(client,), daemon=True).start()

        thread = Thread(target=accept, daemon=True)
        thread.start()
        yield relay
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def _relay(client: socket.socket, behind: tuple[str, int]) -> None:
    """Carry bytes both ways until one end is done, in one thread: a TLS socket is no place for two."""
    with socket.create_connection(behind, timeout=SECONDS) as server:
        other = {client: server, server: client}
        while ready := _waiting(client) or select(list(other), [], [], SECONDS)[0]:
            for end in ready:
                data = end.recv(65536)
                if not data:
                    return
                other[end].sendall(data)


def _waiting(client: socket.socket) -> list[socket.socket]:
    """The client's end, where bytes of it were decrypted and not yet taken: `select` does not see them."""
    return [client] if isinstance(client, ssl.SSLSocket) and client.pending() else []
