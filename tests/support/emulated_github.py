"""`emulate` (npm) behind our front: a stateful GitHub that we did not write.

It has no GraphQL, so the front answers that from its REST state. It tells identities apart by the seed's
tokens; it knows no locks on pull requests, no permissions and no lengths.
"""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loopback_github import PERSON, ROBOT, Comment, LoopbackGitHub, Reply, Seen

PACKAGES = Path(__file__).parents[1] / "github" / "node_modules"
NODE = PACKAGES / "node" / "bin" / "node"
PROGRAM = PACKAGES / "emulate" / "dist" / "index.js"
MISSING = "npm packages are not installed: npm ci --prefix tests/github"


def is_installed() -> bool:
    return NODE.is_file() and PROGRAM.is_file()


GITHUB_SEED = {
    "tokens": {token: {"login": login} for token, login in LoopbackGitHub.tokens.items()},
    "github": {"users": [{"login": ROBOT}, {"login": PERSON}]},
}


@contextmanager
def running_emulate(
    folder: Path, service: str = "github", seed: Mapping[str, Any] = GITHUB_SEED
) -> Iterator[str]:
    """One process with one service, for many tests; its URL."""
    file = folder / "seed.json"
    file.write_text(json.dumps(seed))
    port = _free_port()
    options = ["--service", service, "--port", str(port), "--seed", str(file)]
    command = [str(NODE), str(PROGRAM), "start", *options]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, process)
            yield url
        finally:
            process.terminate()


class EmulatedGitHub(LoopbackGitHub):
    """A fresh repository with one pull request on a running `emulate`."""

    def __init__(self, emulate: str, name: str) -> None:
        super().__init__()
        self._emulate = emulate
        self.repository = f"{PERSON}/{name}"
        self._ask("POST", "/user/repos", {"name": name, "auto_init": True})
        home = f"/repos/{self.repository}"
        tip = self._ask("GET", f"{home}/git/ref/heads/main")["object"]["sha"]
        self._ask("POST", f"{home}/git/refs", {"ref": "refs/heads/topic", "sha": tip})
        file = {"message": "m", "content": "YQ==", "branch": "topic"}
        self._ask("PUT", f"{home}/contents/a.txt", file)
        pull = self._ask("POST", f"{home}/pulls", {"title": "t", "head": "topic", "base": "main"})
        self.number = pull["number"]
        self.head = pull["head"]["sha"]

    def comments(self) -> list[Comment]:
        found: list[Comment] = []
        path = f"/repos/{self.repository}/issues/{self.number}/comments?per_page=100"
        for page in range(1, 100):
            part = self._ask("GET", f"{path}&page={page}")
            found += [Comment(item["id"], item["user"]["login"], item["body"]) for item in part]
            if len(part) < 100:
                break
        return sorted(found, key=lambda comment: comment.id)

    def say(self, login: str, body: str) -> int:
        path = f"/repos/{self.repository}/issues/{self.number}/comments"
        number: int = self._ask("POST", path, {"body": body}, login)["id"]
        return number

    def rest(self, seen: Seen) -> Reply:
        data = None if seen.body is None else json.dumps(seen.body).encode()
        headers = {"authorization": seen.headers["authorization"], "content-type": "application/json"}
        request = urllib.request.Request(self._emulate + seen.path, data, headers, method=seen.method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return Reply(answer.status, answer.read(), {"Content-Type": "application/json"})
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Reply(refusal.code, refusal.read(), {"Content-Type": "application/json"})

    def _ask(self, method: str, path: str, body: Any = None, login: str = PERSON) -> Any:
        token = next(token for token, owner in self.tokens.items() if owner == login)
        reply = self.rest(Seen(method, path, {"authorization": f"token {token}"}, body))
        assert 200 <= reply.status < 300, (method, path, reply)
        return json.loads(reply.body)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/meta", timeout=1):
                return
        except urllib.error.HTTPError as answer:
            answer.close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("emulate did not start")
