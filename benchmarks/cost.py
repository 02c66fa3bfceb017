"""What things cost: the whole command, the two plain ways of asking git, and the least that git must read."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from capsules import Declared

_HERE = Path(__file__).parent
_DIFF_TREE = ("diff-tree", "--stdin", "-r", "-t", "--raw", "--no-abbrev", "--no-renames", "-z")


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, of processor in our process and in git's, and megabytes of ours at the peak."""

    wall: float
    own_cpu: float
    git_cpu: float
    own_peak_mb: float

    @property
    def cpu(self) -> float:
        """Seconds of processor in all."""
        return self.own_cpu + self.git_cpu


def of_check(
    repository: Path, tree: str, *arguments: str, runs: int = 3, env: Mapping[str, str] = {}
) -> Cost:
    """The median whole `ophiuchus check --format json`: start, read, judge, report."""
    return _median([_one_check(repository, tree, arguments, env) for _ in range(runs)])


def of_diff_per_glob(repository: Path, tree: str, declared: list[Declared], sample: int) -> Cost:
    """One `git diff --quiet BASE TREE -- GLOB` per glob, measured on a sample and scaled."""
    questions = [(one.base, glob) for one in declared for glob in one.globs]
    asked = random.Random(1).sample(questions, min(sample, len(questions)))
    calls = [("diff", "--quiet", base, tree, "--", f":(top,glob){glob}") for base, glob in asked]
    return _of_git(repository, calls, scale=len(questions) / len(asked))


def of_diff_per_capsule(repository: Path, tree: str, declared: list[Declared], sample: int) -> Cost:
    """One `git diff --name-only BASE TREE` per capsule, measured on a sample and scaled."""
    asked = random.Random(1).sample(declared, min(sample, len(declared)))
    calls = [("diff", "--name-only", one.base, tree) for one in asked]
    return _of_git(repository, calls, scale=len(declared) / len(asked))


def of_reading_trees(repository: Path, tree: str, declared: list[Declared]) -> Cost:
    """The floor: streaming every distinct tree in which the bases differ through `git cat-file --batch`."""
    trees = _differing_trees(repository, tree, declared)
    ids = b"".join(b"%s\n" % one for one in sorted(trees))
    return _of_git(repository, [("cat-file", "--batch", "--buffer")], stdin=ids)


def changed_paths(repository: Path, declared: list[Declared]) -> int:
    """How many paths differ between the oldest of the bases and the tip of main."""
    oldest = _youngest_first(repository, declared)[-1]
    return len(_git(repository, "diff", "--name-only", "--no-renames", oldest, "main").splitlines())


def _of_git(
    repository: Path, calls: Sequence[tuple[str, ...]], *, scale: float = 1, stdin: bytes = b""
) -> Cost:
    """What these calls of git cost, multiplied by `scale`; what they print is thrown away."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    for call in calls:
        _git(repository, *call, stdin=stdin, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall * scale, 0.0, cpu * scale, 0.0)


def _one_check(repository: Path, tree: str, arguments: tuple[str, ...], env: Mapping[str, str]) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        usage = Path(folder, "usage.json")
        command = [sys.executable, str(_HERE / "watched.py"), str(usage), "check", "-C", str(repository)]
        command += ["--tree", tree, "--format", "json", "--output", str(Path(folder, "report.json"))]
        started = time.perf_counter()
        done = subprocess.run(
            [*command, *arguments], stdout=subprocess.DEVNULL, check=False, env={**os.environ, **env}
        )
        wall = time.perf_counter() - started
        if done.returncode != 0:
            raise RuntimeError(f"ophiuchus check ended with {done.returncode}")
        return Cost(wall, **json.loads(usage.read_text()))


def _differing_trees(repository: Path, tree: str, declared: list[Declared]) -> set[bytes]:
    bases = _youngest_first(repository, declared)
    tips = [f"{commit}^{{tree}}" for commit in (tree, *bases)]
    roots = _git(repository, "rev-parse", *tips).split()
    pairs = b"".join(b"%s %s\n" % pair for pair in pairwise(roots))
    answer = subprocess.run(
        ["git", "-C", str(repository), *_DIFF_TREE], input=pairs, capture_output=True, check=True
    )
    found = set(roots)
    for record in answer.stdout.split(b"\0"):
        if record.startswith(b":") or b"\n:" in record:
            old_mode, new_mode, old, new = record.rpartition(b":")[2].split(b" ")[:4]
            found |= {old} if old_mode == b"040000" else set()
            found |= {new} if new_mode == b"040000" else set()
    return found


def _youngest_first(repository: Path, declared: list[Declared]) -> list[str]:
    """The bases in the order of main's history."""
    order = _git(repository, "rev-list", "--first-parent", "main").decode().split()
    place = {commit: number for number, commit in enumerate(order)}
    return sorted({one.base for one in declared}, key=place.__getitem__)


def _median(costs: list[Cost]) -> Cost:
    return sorted(costs, key=lambda cost: cost.wall)[len(costs) // 2]


def _git(repository: Path, *arguments: str, stdin: bytes = b"", stdout: int = subprocess.PIPE) -> bytes:
    return subprocess.run(
        ["git", "-C", str(repository), *arguments], input=stdin, stdout=stdout, check=False, env=_plain()
    ).stdout


def _plain() -> dict[str, str]:
    return {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
