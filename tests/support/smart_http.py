"""A loopback smart-HTTP git server: `git http-backend` behind a server that counts and can misbehave."""

from __future__ import annotations

import base64
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from git_repository import ENV


@dataclass
class Exchange:
    """One request and the size of its answer, in bytes."""

    method: str
    path: str
    authorization: str | None
    protocol: str | None
    sent: int
    received: int = 0


@dataclass
class GitServer:
    """What the server is told to do, and what it saw. Repositories are folders below `root`.

    `lost_answers`: so many pushes are taken, and the connection is closed instead of an answer. `page` is
    what each request gets that is made by one of `page_for`, with status 200: a type and a body.
    """

    root: Path
    url: str = ""
    token: str | None = None
    status: int | None = None
    redirect_to: str | None = None
    stall_seconds: float = 0
    cut_after: int | None = None
    protocol: str | None = None
    takes_pushes: bool = False
    lost_answers: int = 0
    page: tuple[str | None, bytes] | None = None
    page_for: tuple[str, ...] = ("GET", "POST")
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def posts(self) -> list[Exchange]:
        """The requests to upload-pack and receive-pack."""
        return [one for one in self.exchanges if one.method == "POST"]

    @property
    def bytes_out(self) -> int:
        """All bytes of answers' bodies."""
        return sum(one.received for one in self.exchanges)


@contextmanager
def serving(root: Path) -> Iterator[GitServer]:
    """A server for the repositories below `root`, on a free port of loopback."""
    state = GitServer(root)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # the head and the body of an answer are two packets

        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            if self.headers.get("Transfer-Encoding") == "chunked":
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._answer(body)

        def _answer(self, body: bytes) -> None:
            exchange = Exchange(
                self.command,
                self.path,
                self.headers.get("Authorization"),
                self.headers.get("Git-Protocol"),
                len(body),
            )
            state.exchanges.append(exchange)
            if state.stall_seconds:
                time.sleep(state.stall_seconds)
            expected = (
                state.token and "Basic " + base64.b64encode(f"x-access-token:{state.token}".encode()).decode()
            )
            if state.redirect_to is not None:
                self._send(302, [("Location", state.redirect_to + self.path)], b"")
            elif state.page is not None and self.command in state.page_for:
                kind, content = state.page
                self._send(200, [("Content-Type", kind)] if kind else [], content)
            elif state.status is not None:
                self._send(state.status, [], b"secret words of the server")
            elif expected and exchange.authorization != expected:
                self._send(401, [("WWW-Authenticate", 'Basic realm="x"')], b"")
            else:
                head, _, content = self._backend(body).partition(b"\r\n\r\n")
                lines = [line.split(": ", 1) for line in head.decode().split("\r\n")]
                status = next((int(value.split()[0]) for key, value in lines if key == "Status"), 200)
                exchange.received = len(content)
                if self.command == "POST" and self.path.endswith("git-receive-pack") and state.lost_answers:
                    state.lost_answers -= 1
                    self.close_connection = True
                    return
                self._send(status, [(key, value) for key, value in lines if key != "Status"], content)

        def _backend(self, body: bytes) -> bytes:
            path, _, query = self.path.partition("?")
            environment = {
                **ENV, "GIT_PROJECT_ROOT": str(state.root), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
                "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_ADDR": "127.0.0.1",
                "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "GIT_CONFIG_COUNT": "3",
                "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
                "GIT_CONFIG_KEY_1": "uploadpack.allowFilter", "GIT_CONFIG_VALUE_1": "true",
                "GIT_CONFIG_KEY_2": "http.receivepack", "GIT_CONFIG_VALUE_2": str(state.takes_pushes).lower(),
            }  # fmt: skip
            protocol = state.protocol if state.protocol is not None else self.headers.get("Git-Protocol")
            if protocol:
                environment["GIT_PROTOCOL"] = protocol
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
            )
            return done.stdout

        def _send(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
            self.send_response(status)
            for key, value in headers:
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if state.cut_after is not None and self.command == "POST":
                self.wfile.write(content[: state.cut_after])
                self.close_connection = True
                return
            self.wfile.write(content)

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def serve_bare(source: Path, root: Path, name: str = "owner/name") -> Path:
    """A bare mirror of `source` below `root`, to be served."""
    target = root / name
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--mirror", str(source), str(target)], check=True, env=ENV)
    return target
