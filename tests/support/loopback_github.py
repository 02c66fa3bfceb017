"""A GitHub on loopback that keeps pull request comments, breaks on demand and remembers every request.

`LoopbackGitHub` is the front: recording, faults, the GraphQL query about comments. What stands behind it is
`MemoryGitHub` here, or `EmulatedGitHub` (emulated_github.py), a double that we did not write. It answers in
GitHub's shapes, with pages of at most 100, several identities told apart by token, locks and limits; it
does not know permissions, which are a fault to be injected.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

ROBOT = "robot"
PERSON = "person"
COMMENT_CHARACTERS = 65_536


@dataclass(frozen=True)
class Seen:
    """One request as it arrived: `path` below the API's base, `port` the client's end of the connection."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    port: int = 0

    def is_write(self) -> bool:
        return self.method != "GET" and self.path != "GRAPHQL"


@dataclass(frozen=True)
class Comment:
    id: int
    login: str
    body: str


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def as_bytes(self, connection: str = "close") -> bytes:
        lines = [
            f"HTTP/1.1 {self.status} X",
            f"Connection: {connection}",
            f"Content-Length: {len(self.body)}",
        ]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


def json_reply(status: int, value: Any, **headers: str) -> Reply:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps(value).encode(), {"Content-Type": "application/json", **names})


@dataclass
class Fault:
    """What goes wrong with the next `times` requests whose method and path match.

    First `before` is called, then with `commit` the request is carried out, then the client waits `pause`
    seconds and gets `raw` (None: what it should get; empty: the connection closed). With `drip` it gets all
    but the first `at_once` bytes one by one, so many seconds between them. `reset` closes hard.
    """

    method: str
    path: str
    raw: bytes | None = None
    commit: bool = False
    before: Callable[[], object] | None = None
    pause: float = 0.0
    drip: float = 0.0
    at_once: int = 0
    reset: bool = False
    times: int = 1

    def takes(self, seen: Seen) -> bool:
        return self.times > 0 and self.method == seen.method and bool(re.search(self.path, seen.path))


class LoopbackGitHub:
    """The front. Use as a context manager; `env` is what a run that belongs here has in its environment."""

    repository = "person/repo"
    number = 7
    head = "a" * 40
    tokens: Mapping[str, str] = {"robot-token": ROBOT, "person-token": PERSON}

    def __init__(self, base: str = "", graphql: str = "/graphql") -> None:
        self.base = base
        self.graphql = graphql
        self.seen: list[Seen] = []
        self.faults: list[Fault] = []
        self._lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def env(self) -> dict[str, str]:
        return {
            "GITHUB_API_URL": self.url + self.base,
            "GITHUB_GRAPHQL_URL": self.url + self.graphql,
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": self.repository,
        }

    def writes(self) -> list[tuple[str, str]]:
        """The writes that arrived: method, and path below the repository."""
        with self._lock:
            return [
                (seen.method, seen.path.removeprefix(f"/repos/{self.repository}"))
                for seen in self.seen
                if seen.is_write()
            ]

    # What stands behind the front.

    def comments(self) -> list[Comment]:
        """The comments of the pull request, oldest first."""
        raise NotImplementedError

    def say(self, login: str, body: str) -> int:
        """Somebody comments; the comment's id."""
        raise NotImplementedError

    def rest(self, seen: Seen) -> Reply:
        """Carry out one REST request."""
        raise NotImplementedError

    # The front's own.

    def answer(self, seen: Seen) -> Reply:
        if seen.path == "GRAPHQL":
            return self._answer_query(seen)
        return self.rest(seen)

    def take_fault(self, seen: Seen) -> Fault | None:
        with self._lock:
            self.seen.append(seen)
            for fault in self.faults:
                if fault.takes(seen):
                    fault.times -= 1
                    return fault
        return None

    def login_of(self, seen: Seen) -> str | None:
        return self.tokens.get(seen.headers.get("authorization", "").removeprefix("token "))

    def _answer_query(self, seen: Seen) -> Reply:
        """The one question: the pull request's comments, a page of at most 100, with whose they are."""
        login = self.login_of(seen)
        if login is None:
            return json_reply(401, {"message": "Bad credentials"})
        query, given = seen.body["query"], seen.body["variables"]
        if f"{given['owner']}/{given['name']}" != self.repository or given["number"] != self.number:
            missing = {"type": "NOT_FOUND", "message": "Could not resolve to a PullRequest"}
            return json_reply(200, {"data": {"repository": None}, "errors": [missing]})
        size = re.search(r"comments\(first: (\d+), after: \$after\)", query)
        nodes = re.search(r"nodes \{([^{}]*)\}", query)
        assert size, query
        assert int(size[1]) <= 100, query
        assert nodes, query
        start = int((given["after"] or "cursor:0").removeprefix("cursor:"))
        comments = self.comments()
        end = min(start + int(size[1]), len(comments))
        page = [
            {
                "url": f"https://github.example/{self.repository}/pull/{self.number}#issuecomment-{comment.id}",
                "viewerDidAuthor": comment.login == login,
                "body": comment.body,
            }
            for comment in comments[start:end]
        ]
        answer = {
            "pageInfo": {"hasNextPage": end < len(comments), "endCursor": f"cursor:{end}" if page else None},
            "nodes": [{name: node[name] for name in nodes[1].split()} for node in page],
        }
        return json_reply(200, {"data": {"repository": {"pullRequest": {"comments": answer}}}})


class MemoryGitHub(LoopbackGitHub):
    """One repository with one pull request, in memory."""

    def __init__(self, base: str = "", graphql: str = "/graphql") -> None:
        super().__init__(base, graphql)
        self.locked = False
        self._comments: dict[int, Comment] = {}
        self._last_id = 10

    def comments(self) -> list[Comment]:
        with self._lock:
            return [self._comments[number] for number in sorted(self._comments)]

    def say(self, login: str, body: str) -> int:
        with self._lock:
            self._last_id += 1
            self._comments[self._last_id] = Comment(self._last_id, login, body)
            return self._last_id

    def rest(self, seen: Seen) -> Reply:
        login = self.login_of(seen)
        if login is None:
            return json_reply(401, {"message": "Bad credentials"})
        path = seen.path.removeprefix(f"/repos/{self.repository}")
        with self._lock:
            if (seen.method, path) == ("GET", f"/pulls/{self.number}"):
                return json_reply(
                    200, {"number": self.number, "head": {"sha": self.head}, "locked": self.locked}
                )
            if (seen.method, path) == ("POST", f"/issues/{self.number}/comments"):
                return self._create(login, seen.body["body"])
            one = re.fullmatch(r"/issues/comments/(\d+)", path)
            if one and int(one[1]) in self._comments:
                return self._change(seen, int(one[1]))
        return json_reply(404, {"message": "Not Found"})

    def _create(self, login: str, body: str) -> Reply:
        if self.locked:
            return json_reply(403, {"message": "Unable to create comment because issue is locked."})
        if len(body) > COMMENT_CHARACTERS:
            return json_reply(422, {"message": "Body is too long (maximum is 65536 characters)"})
        return json_reply(201, {"id": self.say(login, body), "body": body})

    def _change(self, seen: Seen, number: int) -> Reply:
        # Like GitHub, it lets a token that may write edit and delete what others wrote.
        comment = self._comments.pop(number)
        if seen.method == "DELETE":
            return Reply(204)
        self._comments[number] = Comment(number, comment.login, seen.body["body"])
        return json_reply(200, {"id": number, "body": seen.body["body"]})


def _handler_of(github: LoopbackGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Nothing on standard error."""

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def do_PATCH(self) -> None:
            self._serve()

        def do_DELETE(self) -> None:
            self._serve()

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            seen = Seen(
                method=self.command,
                path="GRAPHQL" if self.path == github.graphql else self._below_base(),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=json.loads(content) if content else None,
                port=self.client_address[1],
            )
            fault = github.take_fault(seen)
            if fault is None:
                self._send(github.answer(seen).as_bytes("keep-alive"))
            else:
                self.close_connection = True
                self._fail(fault, seen)

        def _below_base(self) -> str:
            if not self.path.startswith(github.base + "/"):
                return f"OUTSIDE {self.path}"
            return self.path.removeprefix(github.base)

        def _fail(self, fault: Fault, seen: Seen) -> None:
            if fault.before:
                fault.before()
            reply = b""
            if fault.commit or fault.raw is None:
                reply = github.answer(seen).as_bytes()
            if fault.raw is not None:
                reply = fault.raw
            time.sleep(fault.pause)
            if fault.reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            at_once = fault.at_once if fault.drip else len(reply)
            self._send(reply[:at_once])
            for number in range(at_once, len(reply)):
                time.sleep(fault.drip)
                self._send(reply[number : number + 1])

        def _send(self, data: bytes) -> None:
            with suppress(OSError):  # the client may have gone
                self.wfile.write(data)

    return Handler
