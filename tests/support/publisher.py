"""Many publishers at once, each a process with a clone of its own, that die where they are told to.

Run as a program it is the mother of them: it imports everything once and forks, so that they begin together.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from git_repository import ENV

from ophiuchus.git.branch_store import BranchStore
from ophiuchus.git.remote import Remote
from ophiuchus.git.scratch import open_own
from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.delivery import Plan, Step, deliver
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.clickup import TOKEN, open_clickup
from ophiuchus.publish.reference import Reference
from ophiuchus.publish.stores.branch import BRANCH, ReceiptsBranch
from ophiuchus.publish.stores.file import FileStore
from ophiuchus.publish.stores.store import Store

REPOSITORY = "owner/name"
_BECOME_SUBREAPER = 36
_SECONDS = 240


@dataclass(frozen=True)
class Job:
    """What one process does: publish one capsule to `targets`, in this order.

    `place` is the address of a git server or the path of a file. It pauses up to `pause` seconds before each
    step. `dies_at` names a target and a step; `dies_after` is in seconds, wherever it is by then.
    """

    place: str
    service: str
    targets: Sequence[str]
    capsule_id: str = "session-keys"
    operation: str = Operation.CREATE
    seed: int = 0
    pause: float = 0.0
    dies_at: tuple[str, str] | None = None
    dies_after: float | None = None

    def plan(self, target: str) -> Plan:
        """One write. Appending and creating go to the same place."""
        append_to = artifact(target) if self.operation == Operation.APPEND else None
        write = Write(Operation(self.operation), target, {"name": self.capsule_id}, append_to)
        return Plan(f"to-{target}", self.capsule_id, ProviderName.CLICKUP, self.service, write, "0d" * 32)


@dataclass(frozen=True)
class Said:
    """What a process said about one target."""

    target: str
    status: str
    written_now: bool
    reference: str | None
    unrecorded: str | None


@dataclass(frozen=True)
class Ended:
    """How a process ended: `status` as a shell has it, negative for a signal; what it said until then."""

    status: int
    said: Sequence[Said]


class Service:
    """A ClickUp on loopback. `writes` are the targets and capsules of the writes that arrived, in order."""

    def __init__(self) -> None:
        self.writes: list[tuple[str, str]] = []
        self.open = 0
        self.url = ""

    def settle(self) -> None:
        """Wait until every request that is on its way has been counted."""
        time.sleep(0.05)
        while self.open:
            time.sleep(0.01)

    @contextmanager
    def running(self) -> Iterator[Service]:
        """Serve on a free port."""
        service, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def setup(self) -> None:
                with lock:
                    service.open += 1
                super().setup()

            def finish(self) -> None:
                super().finish()
                with lock:
                    service.open -= 1

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                _, kind, name, _ = self.path.split("/")
                with lock:
                    service.writes.append((name if kind == "list" else name.removeprefix("of"), body["name"]))
                    number = len(service.writes)
                answer = json.dumps({"id": f"t{number}" if kind == "list" else number}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

        server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def artifact(target: str) -> Reference:
    """The task that an append to `target` is added to."""
    return Reference(f"of{target}")


@contextmanager
def opened(place: str) -> Iterator[Store]:
    """The store at `place`, as a machine of its own sees it."""
    if place.startswith("http:"):
        with open_own(ENV, "sha1") as scratch:
            yield ReceiptsBranch(BranchStore(scratch, Remote(place, REPOSITORY), ENV, BRANCH))
    else:
        yield FileStore(Path(place))


def run(jobs: Sequence[Job], folder: Path) -> list[Ended]:
    """Let every job run in a process of its own, all at once; how each ended. `folder` is for their words.

    It returns when also what the dead left running has ended.
    """
    words = json.dumps({"folder": str(folder), "jobs": [asdict(job) for job in jobs]})
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
    mother = subprocess.run(
        [sys.executable, "-W", "error", __file__],
        input=words,
        env={**ENV, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=_SECONDS,
    )
    return [
        Ended(
            status, [Said(**json.loads(line)) for line in _words_of(folder, number).read_text().splitlines()]
        )
        for number, status in enumerate(json.loads(mother.stdout))
    ]


def _words_of(folder: Path, number: int) -> Path:
    return folder / f"said-{number}"


def _publish(job: Job, words: Path) -> None:
    chance = random.Random(job.seed)
    if job.dies_after is not None:
        killer = threading.Timer(job.dies_after, _die)
        killer.daemon = True
        killer.start()

    def told(plan: Plan, step: Step) -> None:
        time.sleep(chance.uniform(0, job.pause))
        if job.dies_at is not None and (plan.write.target, step.value) == tuple(job.dies_at):
            _die()

    provider = open_clickup({TOKEN: "pk_" + "1" * 20}, job.service)
    with opened(job.place) as store, words.open("a", encoding="utf-8") as file:
        for target in job.targets:
            done = deliver(job.plan(target), provider, store, lambda: datetime.now(UTC), told)
            reference = str(done.outcome.reference) if done.outcome.reference else None
            said = Said(target, done.outcome.status, done.written_now, reference, done.unrecorded)
            file.write(json.dumps(asdict(said)) + "\n")
            file.flush()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _main() -> None:
    """Fork a process a job, let all begin at once, wait for all that came of it."""
    asked: dict[str, Any] = json.load(sys.stdin)
    # So that a git whose publisher was killed is waited for as well.
    ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)
    reading, writing = os.pipe()
    numbers = {}
    for number, fields in enumerate(asked["jobs"]):
        words = _words_of(Path(asked["folder"]), number)
        words.touch()
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)
            status = 1
            try:
                _publish(Job(**fields), words)
                status = 0
            finally:
                sys.stderr.flush()
                os._exit(status)
        numbers[child] = number
    os.close(writing)
    statuses = [0] * len(numbers)
    while True:
        try:
            child, status = os.wait()
        except ChildProcessError:
            break
        if child in numbers:
            statuses[numbers[child]] = os.waitstatus_to_exitcode(status)
    json.dump(statuses, sys.stdout)


if __name__ == "__main__":
    _main()
