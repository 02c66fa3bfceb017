"""What the action costs a job: the time from the container's start to its exit, and the image's size."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from action_step import Event, Step
from git_repository import Repository
from hosted_project import anchor, capsule

pytestmark = [pytest.mark.container, pytest.mark.alone]

LIMIT = 2.5
TURNS = 15


def test_one_capsule_takes_at_most_two_and_a_half_times_an_idle_python(
    image: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In turns, on the host's network, without a comment. The first turn warms the page cache."""
    repository = Repository.create(tmp_path / "repository")
    first = repository.commit({"app.py": "1\n"})
    anchors = {"app.py": anchor(repository, first, "app.py")}
    sha = repository.commit({".ophiuchus/one.json": capsule("one", first, ["app.py"], anchors)})
    event = Event("push", "refs/heads/main", sha, {})
    idle, action = [], []
    for turn in range(TURNS + 1):
        idle.append(seconds_of_idle_python(image))
        runner = tmp_path / f"runner{turn}"
        runner.mkdir()
        step = Step(image, runner, repository.top, event, network="host", inputs={"comment": "never"})
        left = step.run()
        assert left.status == 0, left.stderr
        assert left.outputs["verdict"] == "valid"
        action.append(left.seconds)
    base, ours = statistics.median(idle[1:]), statistics.median(action[1:])
    inspected = subprocess.run(["docker", "image", "inspect", image], capture_output=True, check=True)
    size = json.loads(inspected.stdout)[0]["Size"] / 1e6
    with capsys.disabled():
        sys.stdout.write(
            f"\nimage size: {size:.0f} MB\n"
            f"container start to exit: {ours:.3f} s with one capsule, {base:.3f} s for an idle Python; "
            f"{ours / base:.2f} times, at most {LIMIT} allowed\n"
        )
    assert ours <= LIMIT * base


def seconds_of_idle_python(image: str) -> float:
    """The container's start to exit of `python -c pass`."""
    start = time.monotonic()
    subprocess.run(
        [
            "docker", "run", "--rm", "--network", "host", "--entrypoint", "/opt/venv/bin/python",
            image, "-c", "pass",
        ],
        check=True,
    )  # fmt: skip
    return time.monotonic() - start
