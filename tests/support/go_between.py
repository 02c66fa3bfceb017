"""A server that passes each request on to another one, and may keep the answer to itself.

Who asks sees a broken connection then, though what was asked for has happened.
"""

from __future__ import annotations

import http.client
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class GoBetween:
    """In front of `behind`, an http address. Use as a context manager. `passed` counts the requests."""

    def __init__(self, behind: str, *, drops: bool) -> None:
        self.passed = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.close_connection = True
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, answer = outer._ask(self.path, dict(self.headers), body)
                if drops:
                    return
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
                pass

        self._behind = urlsplit(behind).netloc
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"

    def _ask(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        self.passed += 1
        connection = http.client.HTTPConnection(self._behind, timeout=10)
        try:
            connection.request("POST", path, body, {**headers, "Host": self._behind})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
