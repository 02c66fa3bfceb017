"""Our own command on every conformance vector, as another implementation would be tried."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_run import CommandRun
from git_repository import Repository
from write_vectors import all_vectors

CONFORMANCE = Path(__file__).parents[2] / "conformance"
FOLDERS = sorted((CONFORMANCE / "vectors").iterdir())


def differences(expected: Any, actual: Any, place: str = "report") -> list[str]:
    """Where `actual` lacks what the README's rules of comparing ask for."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        missing = [f"{place}: no key {key}" for key in expected.keys() - actual.keys()]
        shared = expected.keys() & actual.keys()
        return missing + [
            line for key in shared for line in differences(expected[key], actual[key], f"{place}.{key}")
        ]
    if isinstance(expected, list) and isinstance(actual, list):
        return _differences_of_lists(expected, actual, place)
    if type(expected) is type(actual) and expected == actual:
        return []
    return [f"{place}: expected {expected!r}, got {actual!r}"]


def _differences_of_lists(expected: list[Any], actual: list[Any], place: str) -> list[str]:
    if len(expected) != len(actual):
        return [f"{place}: expected {len(expected)} elements, got {len(actual)}: {actual!r}"]
    left = list(actual)
    lines = []
    for number, wanted in enumerate(expected):
        fitting = next((one for one in left if not differences(wanted, one)), None)
        if fitting is not None:
            left.remove(fitting)
        else:
            lines.append(f"{place}[{number}]: nothing fits {wanted!r} in {left!r}")
    return lines


def load(folder: Path, top: Path) -> Repository:
    repository = Repository.create(top)
    repository.git("fast-import", "--quiet", "--done", stdin=(folder / "history.fast-import").read_bytes())
    return repository


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_report_holds_what_the_vector_expects(folder: Path, tmp_path: Path) -> None:
    vector = json.loads((folder / "vector.json").read_text("utf-8"))
    repository = load(folder, tmp_path / "repository")
    base = ["--base", vector["base"]] if vector["base"] else []
    run = CommandRun(
        repository.top, "check", "--format", "json",
        "--tree", vector["tree"], "--at", vector["now"], "--scope", vector["scope"], *base,
    )  # fmt: skip
    assert run.out, run.err
    assert differences(vector["expect"], run.json) == []


def test_the_committed_vectors_are_those_that_are_defined() -> None:
    written = {path.relative_to(FOLDERS[0].parent): path for folder in FOLDERS for path in folder.iterdir()}
    defined = {
        Path(vector.name, name): content for vector in all_vectors() for name, content in vector.files.items()
    }
    assert set(written) == set(defined)
    for name, content in defined.items():
        assert written[name].read_bytes() == content, f"{name} is old: run tools/write_vectors.py"


def test_every_rule_of_the_readme_has_a_vector_and_every_vector_names_rules_of_the_readme() -> None:
    readme = (CONFORMANCE / "README.md").read_text("utf-8")
    rules = readme.partition("## The rules")[2]
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", rules, re.MULTILINE)
    shown = [rule for folder in FOLDERS for rule in json.loads((folder / "vector.json").read_text())["rules"]]
    assert len(listed) == len(set(listed))
    assert set(shown) == set(listed)


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": None}, {}, False),
        ({"a": 1}, {"a": True}, False),
        ([], [1], False),
        ([{"a": 1}, {"b": 2}], [{"b": 2}, {"a": 1, "c": 3}], True),
        ([{"a": 1}, {"a": 1}], [{"a": 1}, {"a": 2}], False),
    ],
)
def test_comparing_sees_what_is_missing(expected: Any, actual: Any, same: bool) -> None:
    assert (differences(expected, actual) == []) is same


def test_a_wrong_verdict_would_be_seen(tmp_path: Path) -> None:
    """The runner is no rubber stamp: the same vector on another tree does not pass."""
    folder = CONFORMANCE / "vectors" / "trees-not-history"
    repository = load(folder, tmp_path / "repository")
    run = CommandRun(repository.top, "check", "--format", "json", "--tree", "HEAD~1")
    expected = json.loads((folder / "vector.json").read_text())["expect"]
    assert differences(expected, run.json)
