"""The house keeps its floors: rooms import downwards only, and each door is used by its own room only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "ophiuchus"

FLOORS = [
    {"text"},
    {"secrets"},
    {"git"},
    {"capsule"},
    {"assess"},
    {"ledgers"},
    {"report"},
    {"views"},
    {"github"},
    {"publish", "workflow"},
    {"commands"},
    {"cli"},
]
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# Which rooms, or parts of one, may use what reaches outside.
DOORS = {
    "subprocess": {"git", "commands/program"},
    "socket": set(),
    "http": {"publish/providers"},
    "urllib.request": {"publish/providers"},
    "requests": {"github", "publish/providers"},
    "github": {"github", "publish/providers"},
    "jira": {"publish/providers"},
    "httpx": {"publish/providers"},
    "slack_sdk": {"publish/providers"},
    "msgraph": {"publish/providers"},
    "kiota_abstractions": {"publish/providers"},
    "kiota_http": {"publish/providers"},
    "os.environ": {"commands", "cli"},
}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.name == "cli.py")


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_room_imports_only_from_floors_below(path: Path) -> None:
    room = room_of(path)
    for name in imports(path):
        if not name.startswith("ophiuchus."):
            continue
        other = name.split(".")[1]
        if other.startswith("__"):
            continue
        if other != room:
            assert FLOOR_OF[other] < FLOOR_OF[room], f"{room} must not import {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_each_door_belongs_to_its_room(path: Path) -> None:
    place = path.relative_to(SOURCE).as_posix()
    for name in imports(path):
        for door, owners in DOORS.items():
            if name == door or name.startswith(door + "."):
                is_owner = any(place == f"{owner}.py" or place.startswith(f"{owner}/") for owner in owners)
                assert is_owner, f"{place} must not import {name}"


def test_no_import_goes_round_in_a_circle() -> None:
    known = {
        ".".join(("ophiuchus", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in modules()
    }
    below = {
        name: {found for found in imports(path) if found in known and found != name}
        for name, path in known.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for found in below[name]:
                visit(found, (*trail, name))
            done.add(name)

    for name in known:
        visit(name, ())


def test_the_clock_and_the_environment_are_read_at_the_edge_only() -> None:
    for path in modules():
        if room_of(path) in ("commands", "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                spelled = f"{node.value.id}.{node.attr}"
                assert spelled not in (
                    "os.environ",
                    "os.getenv",
                    "datetime.now",
                    "datetime.utcnow",
                    "time.time",
                    "sys.exit",
                    "date.today",
                ), f"{path}: {spelled}"
            if isinstance(node, ast.Name):
                assert node.id != "print", f"{path}: print"
