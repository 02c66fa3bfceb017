"""Synthetic monorepos through `git fast-import`: the same numbers give the same repository, byte for byte.

Files are spread over projects of one shape, a few folders deep; commits touch projects unevenly, some of them
most of the time, as people do: most changes are edits, some add or delete a file.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

_AREAS = ("apps", "services", "libs", "infra", "docs", "tools", "packages", "platform", "web", "data")
_FOLDERS = ("src", "src/core", "src/api", "src/core/models", "tests", "tests/unit", "docs", "config")
_ENDINGS = ("py", "ts", "go", "md", "json", "yaml")
_FILES_PER_PROJECT = 100
_COMMIT_SIZES = (1, 1, 2, 3, 5, 12)
_FIRST_COMMIT_AT = 1_500_000_000
_SECONDS_BETWEEN_COMMITS = 600


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a repository to make; `seed` decides the rest."""

    files: int
    commits: int
    seed: int = 7


def build(folder: Path, shape: Shape) -> None:
    """Make a repository of `shape` in `folder`, with branch main and nothing checked out."""
    subprocess.run(["git", "init", "-q", "--initial-branch=main", str(folder)], check=True)
    importing = ["git", "-C", str(folder), "fast-import", "--quiet", "--done"]
    with subprocess.Popen(importing, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        for piece in _stream(shape):
            importer.stdin.write(piece)
        importer.stdin.close()
    if importer.returncode:
        raise RuntimeError(f"git fast-import ended with {importer.returncode}")


def _stream(shape: Shape) -> Iterator[bytes]:
    """The fast-import stream of a linear history."""
    chance = random.Random(shape.seed)
    projects = _projects(shape, chance)
    order = list(projects)
    chance.shuffle(order)
    weights = list(accumulate(1 / (rank + 5) for rank in range(len(order))))

    yield _commit(1)
    for paths in projects.values():
        for path in paths:
            yield _file(path, 1, chance)
    for number in range(2, shape.commits + 1):
        yield _commit(number)
        paths = projects[chance.choices(order, cum_weights=weights)[0]]
        for _ in range(chance.choice(_COMMIT_SIZES)):
            yield _edit(paths, number, chance)
    yield b"done\n"


def _projects(shape: Shape, chance: random.Random) -> dict[str, list[str]]:
    count = max(1, shape.files // _FILES_PER_PROJECT)
    names = [f"{_AREAS[number % len(_AREAS)]}/project-{number:04d}" for number in range(count)]
    projects: dict[str, list[str]] = {name: [] for name in names}
    for number in range(shape.files):
        folder = _FOLDERS[number // count % len(_FOLDERS)]
        ending = chance.choice(_ENDINGS)
        projects[names[number % count]].append(f"{names[number % count]}/{folder}/file_{number:06d}.{ending}")
    return projects


def _edit(paths: list[str], number: int, chance: random.Random) -> bytes:
    """Change a file of a project, or now and then add or delete one."""
    kind = chance.random()
    if kind < 0.86 or len(paths) < 20:
        return _file(chance.choice(paths), number, chance)
    if kind < 0.94:
        folder = chance.choice(paths).rpartition("/")[0]
        paths.append(f"{folder}/new_{number:06d}_{len(paths)}.{chance.choice(_ENDINGS)}")
        return _file(paths[-1], number, chance)
    return b"D %s\n" % paths.pop(chance.randrange(len(paths))).encode()


def _commit(number: int) -> bytes:
    when = _FIRST_COMMIT_AT + number * _SECONDS_BETWEEN_COMMITS
    message = f"commit {number}"
    return (
        f"commit refs/heads/main\ncommitter Dev <dev@example.invalid> {when} +0000\n"
        f"data {len(message)}\n{message}\n"
    ).encode()


def _file(path: str, number: int, chance: random.Random) -> bytes:
    content = f"{path} at {number}: {chance.random()}\n".encode()
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(content), content)
