"""What this change did: the rules as tables, and touched-only judging against judging everything twice."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from command_run import CommandRun, capsule, deadline, paths
from git_repository import ENV, Repository
from hypothesis import given, settings
from hypothesis import strategies as st
from random_history import build_history, random_glob

from ophiuchus.assess.validity import assess
from ophiuchus.assess.verdicts import (
    RANK,
    Aggregate,
    ConditionVerdict,
    GlobResult,
    GlobVerdict,
    Verdict,
)
from ophiuchus.capsule import shelf as shelf_module
from ophiuchus.capsule.model import MAX_ITEMS, parse_capsule
from ophiuchus.capsule.shelf import DEFAULT_PATTERN, Shelf, ShelvedCapsule, build_shelf, read_shelf
from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.objects import TreeEntry, Unread, list_tree, read_blobs
from ophiuchus.git.scratch import Scratch, open_scratch
from ophiuchus.report.attribution import Judged, is_introduced, unattributed
from ophiuchus.report.base import Base, read_base
from ophiuchus.report.judge import Target, judge
from ophiuchus.report.model import CapsuleReport, Report, Scope

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
COMMITS = 40
LETTERS = {"u": GlobResult.UNCHANGED, "c": GlobResult.CHANGED, "-": GlobResult.NOT_EVALUATED}
OF_RATIO = {"u": Verdict.VALID, "c": Verdict.STALE, "uc": Verdict.PARTIALLY_STALE, "": Verdict.UNVERIFIABLE}


def verdict(globs: str) -> ConditionVerdict:
    """A condition whose globs came to what the letters say."""
    found = "".join(letter for letter in "uc" if letter in globs)
    results = tuple(GlobVerdict(f"glob-{number}", LETTERS[letter]) for number, letter in enumerate(globs))
    return ConditionVerdict("vc", "git_paths", True, OF_RATIO[found], "reason", paths=results)


@pytest.mark.parametrize(
    ("before", "now", "introduced"),
    [
        ("u", "u", False),
        ("u", "c", True),
        ("c", "u", False),
        ("c", "c", False),
        ("uu", "uc", True),
        ("uc", "cc", True),
        ("ucu", "ccu", True),  # partially stale as before, but one more glob
        ("uc", "cu", True),  # one glob is well again, another one is not
        ("cc", "uc", False),
        ("u-", "uc", True),
        ("c-", "cc", True),
        ("c-", "c-", False),
        ("-", "-", False),
        ("-", "u", False),
        ("-", "c", True),
        ("u", "-", True),  # valid, then unverifiable
        ("c", "-", False),
        ("uc", "u-", False),
        ("uc", "-c", True),  # of what can still be evaluated, all changed
    ],
)
def test_a_condition_is_introduced_when_it_became_worse(before: str, now: str, introduced: bool) -> None:
    assert is_introduced(verdict(before), verdict(now)) is introduced


def test_where_no_base_is_known_nothing_is_said_of_any_condition() -> None:
    """However many of them a capsule has, up to the most."""
    judged = []
    for number in range(MAX_ITEMS + 1):
        one = parse_capsule(json.loads(capsule("a", *[deadline("2026-07-01T00:00:00Z")] * number)))
        judged.append(Judged(ShelvedCapsule("a.json", "", b"", one, ()), {}, assess(one, {}, NOW)))
    assert unattributed(judged).removed == ()
    assert [found.conditions for found in unattributed(judged).capsules] == [
        (None,) * number for number in range(MAX_ITEMS + 1)
    ]
    assert {found[:4] for found in unattributed(judged).capsules} == {(None, None, None, None)}


@pytest.mark.parametrize("before", Verdict)
@pytest.mark.parametrize("now", Verdict)
def test_without_globs_the_rank_decides(before: Verdict, now: Verdict) -> None:
    then, later = (ConditionVerdict("vc", "time_window", True, one, "r") for one in (before, now))
    assert is_introduced(then, later) is (RANK[now] > RANK[before])


# Against judging everything at both trees.


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Repository, Scratch, list[str]]]:
    """A random history with merges, side branches, odd names, submodules and links."""
    folder = tmp_path_factory.mktemp("history")
    repository = Repository.create(folder / "r")
    commits = build_history(repository, 5, COMMITS)
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        yield repository, scratch, commits


def declared(chance: random.Random, commits: list[str], names: list[bytes]) -> Shelf:
    """Random capsules, whose files are in no tree: so no file of a capsule is touched."""
    texts = []
    for number in range(12):
        conditions = [
            paths(
                *(random_glob(chance, names) for _ in range(chance.randint(1, 4))),
                base=chance.choice([*commits, None, "0" * 40]),
                required=chance.random() < 0.8,
            )
            for _ in range(chance.randint(0, 3))
        ]
        conditions += [deadline(chance.choice(["2020-01-01T00:00:00Z", "x"]))] * chance.randint(0, 1)
        texts.append(capsule(f"cap-{number}", *conditions))
    return build_shelf(
        (TreeEntry(b"100644", "1" * 40, f"no/{number}.json".encode()), text.encode())
        for number, text in enumerate(texts)
    )


@given(st.integers(0, 2**32))
@settings(max_examples=25)
def test_judging_what_was_touched_is_as_good_as_judging_everything(
    history: tuple[Repository, Scratch, list[str]], seed: int
) -> None:
    _, scratch, commits = history
    chance = random.Random(seed)
    trees = {one: history[0].tree(one) for one in {chance.choice(commits), chance.choice(commits)}}
    base_id, head = (chance.choice(list(trees)) for _ in range(2))
    names = sorted({entry.path for tree in trees.values() for entry in list_tree(scratch, tree)})
    shelf = declared(chance, commits, names)

    def judged(commit: str, base: Base | None = None) -> Report:
        target = Target(trees[commit], commit, (), NOW, shallow=False)
        return judge(scratch, target, shelf.capsules, base=base)

    base = read_base(scratch, base_id, trees[head], shelf, pattern=DEFAULT_PATTERN, scope=Scope.LIVE)
    assert isinstance(base, Base)
    then = {one.capsule_id: one for one in judged(base_id).capsules}
    plain = {one.capsule_id: one for one in judged(head).capsules}
    for found in judged(head, base).capsules:
        before = then[found.capsule_id]
        assert found.before is before.validity.aggregate
        assert found.new is found.redeclared is False
        assert found.introduced is (True in _by_both(before, found))
        assert [one.introduced for one in found.validity.conditions] == _by_both(before, found)
        assert _without_attribution(found) == _without_attribution(plain[found.capsule_id])


def _by_both(before: CapsuleReport, now: CapsuleReport) -> list[bool | None]:
    """The rule of design §4 on two whole reports."""
    answers: list[bool | None] = []
    for then, here in zip(before.validity.conditions, now.validity.conditions, strict=True):
        more = {one.glob for one in here.paths if one.result is GlobResult.CHANGED} - {
            one.glob for one in then.paths if one.result is GlobResult.CHANGED
        }
        answers.append((RANK[here.verdict] > RANK[then.verdict] or bool(more)) if here.required else None)
    return answers


def _without_attribution(capsule_report: CapsuleReport) -> tuple[Aggregate, list[tuple[object, ...]]]:
    return capsule_report.validity.aggregate, [
        (one.condition_id, one.verdict, one.reason, one.remedy, one.paths)
        for one in capsule_report.validity.conditions
    ]


# What is read, and how much.


def test_of_the_base_only_capsules_that_differ_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And all of them in one batch."""
    repository = Repository.create(tmp_path / "r")
    files = {f".ophiuchus/{number}.json": capsule(f"cap-{number}") for number in range(30)}
    base_id = repository.commit(files)
    repository.commit({".ophiuchus/3.json": capsule("cap-3", title="t"), ".ophiuchus/4.json": None})
    read: list[list[str]] = []

    def reading(scratch: Scratch, ids: list[str], most_bytes: int) -> Iterator[bytes | Unread]:
        read.append(ids)
        return read_blobs(scratch, ids, most_bytes)

    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        later = read_shelf(scratch, repository.tree())
        monkeypatch.setattr(shelf_module, "read_blobs", reading)
        base = read_base(
            scratch, base_id, repository.tree(), later, pattern=DEFAULT_PATTERN, scope=Scope.LIVE
        )
    assert isinstance(base, Base)
    assert read == [[repository.git("rev-parse", f"{base_id}:.ophiuchus/{n}.json") for n in (3, 4)]]
    assert base.paths == {".ophiuchus/3.json", ".ophiuchus/4.json"}
    assert len(base.shelf.capsules) == 30
    third = base.shelf.by_id("cap-3")
    assert third is not None
    assert json.loads(third.data).get("title") is None


def test_where_no_capsule_is_touched_nothing_of_the_base_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository.create(tmp_path / "r")
    base_id = repository.commit({".ophiuchus/a.json": capsule("a"), "src/a": "1"})
    repository.commit({"src/a": "2"})
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        later = read_shelf(scratch, repository.tree())
        monkeypatch.setattr(shelf_module, "list_tree", None)
        base = read_base(
            scratch, base_id, repository.tree(), later, pattern=DEFAULT_PATTERN, scope=Scope.LIVE
        )
    assert isinstance(base, Base)
    assert base.shelf.capsules == later.capsules


def test_a_base_costs_as_many_processes_for_many_capsules_as_for_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    real = subprocess.Popen

    def counting(command: list[str], **more: Any) -> Any:
        started.append(command[1])
        return real(command, **more)

    counts = set()
    for number in (3, 60):
        repository = Repository.create(tmp_path / f"r{number}")
        first = repository.commit({f"src/{n}": "1" for n in range(number)})
        base_id = repository.commit(
            {f".ophiuchus/{n}.json": capsule(f"c{n}", paths(f"src/{n}", base=first)) for n in range(number)}
        )
        repository.commit({f"src/{n}": "2" for n in range(0, number, 2)})
        repository.commit({f".ophiuchus/{n}.json": None for n in range(1, number, 2)})
        monkeypatch.setattr("ophiuchus.git.process.subprocess.Popen", counting)
        started.clear()
        found = CommandRun(repository.top, "check", "--base", base_id, "--format", "json").json
        monkeypatch.undo()
        assert sum(one["introduced"] for one in found["capsules"]) == len(found["capsules"])
        assert len(found["removed"]) == number // 2
        counts.add(tuple(sorted(started)))
    assert len(counts) == 1
    assert counts.pop().count("log") == 1
