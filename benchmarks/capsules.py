"""Capsules for a synthetic monorepo: globs of the kinds people declare, bases spread over its history."""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

GLOBS_EACH = 5


@dataclass(frozen=True, slots=True)
class Declared:
    """What one synthetic capsule declares."""

    capsule_id: str
    base: str
    globs: tuple[str, ...]


def declare(repository: Path, capsules: int, bases: int, *, reach: int, seed: int = 42) -> list[Declared]:
    """`capsules` declarations over `bases` commits drawn evenly from the last `reach`.

    Harder than life, where bases cluster near the tip. Kinds of globs: 45 % one file, 25 % everything below a
    folder, 15 % one ending in a folder, 10 % one ending anywhere below a project, 5 % a name or an ending
    across projects.
    """
    chance = random.Random(seed)
    history = _lines(repository, "rev-list", "--first-parent", f"--max-count={reach + 1}", "main")[1:]
    chosen = chance.sample(history, bases)
    files = _lines(repository, "ls-tree", "-r", "--name-only", "main")
    return [
        Declared(
            capsule_id=f"capsule-{number:06d}",
            base=chosen[number % bases],
            globs=tuple(_glob(chance.choice(files), chance) for _ in range(GLOBS_EACH)),
        )
        for number in range(capsules)
    ]


def commit_capsules(repository: Path, declared: list[Declared], branch: str) -> None:
    """Put the capsules onto main's tip, as `branch`, through fast-import."""
    pieces = [
        f"commit refs/heads/{branch}\ncommitter Dev <dev@example.invalid> 1900000000 +0000\n"
        "data 8\ncapsules\nfrom refs/heads/main^0\n".encode()
    ]
    for one in declared:
        content = json.dumps(_capsule(one), indent=2).encode()
        path = f".ophiuchus/{one.capsule_id[-2:]}/{one.capsule_id}.json"
        pieces.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(content), content))
    importing = ["git", "-C", str(repository), "fast-import", "--quiet", "--force"]
    subprocess.run(importing, input=b"".join(pieces), check=True)


def _capsule(one: Declared) -> dict[str, object]:
    words = "The parser reads the new header; the writer does not know it yet. "
    return {
        "schema_version": 1,
        "capsule_id": one.capsule_id,
        "created_at": "2026-01-02T03:04:05Z",
        "producer": {"tool": "benchmark"},
        "grounding": {"commit": one.base, "ref": "refs/heads/main"},
        "goal": "Teach the writer the new header",
        "state": words * 3,
        "next_action": "Write the header in the writer and compare with the fixture.",
        "evidence": [words, words],
        "rejected": ["Patch the fixture instead"],
        "constraints": ["No new dependency"],
        "open_questions": ["Does the old reader ignore it?"],
        "validity": [{"condition_id": "paths", "kind": "git_paths", "paths": list(one.globs)}],
    }


def _glob(path: str, chance: random.Random) -> str:
    folder, _, name = path.rpartition("/")
    parts = folder.split("/")
    ending = name.rpartition(".")[2]
    kind = chance.random()
    if kind < 0.45:
        return path
    if kind < 0.70:
        return "/".join(parts[: chance.randint(2, len(parts))]) + "/**"
    if kind < 0.85:
        return f"{folder}/*.{ending}"
    if kind < 0.95:
        return f"{parts[0]}/{parts[1]}/**/*.{ending}"
    if kind < 0.98:
        return f"**/{name}"
    return f"{parts[0]}/*/{parts[2]}/{name}"


def _lines(repository: Path, *arguments: str) -> list[str]:
    answer = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=True
    )
    return answer.stdout.splitlines()
