"""The five services as one server on loopback: each takes a write and says what a good one says.

It remembers every request. A test can let one service answer otherwise, or do something in the middle of a
write.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_GOOD: tuple[tuple[str, int, Mapping[str, Any]], ...] = (
    (r"/github/repos/.*/issues/[0-9]+/comments", 201, {"id": 99}),
    (r"/github/repos/.*/issues", 201, {"number": 7, "id": 1}),
    (r"/jira/rest/api/3/issue/.*/comment", 201, {"id": "10001"}),
    (r"/jira/rest/api/3/issue", 201, {"id": "10000", "key": "OPH-7"}),
    (r"/clickup/task/.*/comment", 200, {"id": 458}),
    (r"/clickup/list/.*/task", 200, {"id": "86abc"}),
    (r"/slack/chat\.postMessage", 200, {"ok": True, "channel": "C0123ABCD", "ts": "1700000000.000100"}),
    (r"/teams/teams/.*/replies", 201, {"id": "1616990171266"}),
    (r"/teams/teams/.*/messages", 201, {"id": "1616990032035"}),
)


@dataclass(frozen=True)
class Arrived:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Services:
    """What arrived, and what is answered instead of the usual.

    `instead` has status and body by service. `during` is called with each request before it is answered.
    """

    url: str = ""
    arrived: list[Arrived] = field(default_factory=list)
    instead: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    during: Callable[[Arrived], object] = lambda _: None

    def env(self) -> dict[str, str]:
        """The variables that say where each service is."""
        return {
            "OPHIUCHUS_GITHUB_API_URL": f"{self.url}/github",
            "OPHIUCHUS_JIRA_BASE_URL": f"{self.url}/jira",
            "OPHIUCHUS_CLICKUP_API_URL": f"{self.url}/clickup",
            "OPHIUCHUS_SLACK_API_URL": f"{self.url}/slack",
            "OPHIUCHUS_TEAMS_API_URL": f"{self.url}/teams",
        }

    def forget(self) -> None:
        """As if nothing had happened yet."""
        self.arrived.clear()
        self.instead.clear()
        self.during = lambda _: None


def _good(path: str) -> tuple[int, bytes]:
    """What the service says to a write at `path`."""
    for form, status, said in _GOOD:
        if re.fullmatch(form, path):
            return status, json.dumps(said).encode()
    return 404, b"{}"


@contextmanager
def services() -> Iterator[Services]:
    """The server, on a free port of loopback."""
    state = Services()

    class Handler(BaseHTTPRequestHandler):
        disable_nagle_algorithm = True

        def log_message(self, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            path = self.path.partition("?")[0]
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            arrived = Arrived(path, {name.lower(): value for name, value in self.headers.items()}, body)
            state.arrived.append(arrived)
            state.during(arrived)
            status, answer = state.instead.get(path.split("/")[1]) or _good(path)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
