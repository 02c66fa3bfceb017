"""Globs that are not touched between two trees have the same facts at both."""

from __future__ import annotations

import random

import pytest
from git_repository import Repository
from random_history import build_history, random_glob

from ophiuchus.git import touched
from ophiuchus.git.changes import look
from ophiuchus.git.findings import BaseState, PathsQuestion
from ophiuchus.git.objects import Unusable, list_tree
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.touched import Touched, compare_with


def compared(scratch: Scratch, judged: str, tree: str) -> Touched:
    found = compare_with(scratch, judged, tree)
    assert isinstance(found, Touched)
    return found


def test_paths_and_globs_that_differ_are_told(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"src/a.py": "1", "src/b.py": "1", "app/[id]/x": "1", ".ophiuchus/c.json": "1"})
    before = repository.tree()
    repository.commit({"src/a.py": "2", "src/b.py": None, "app/[id]/x": "2", ".ophiuchus/c.json": "2"})
    found = compared(scratch, repository.tree(), before)
    assert list(found.paths) == [b".ophiuchus/c.json", b"app/[id]/x", b"src/a.py", b"src/b.py"]
    globs = ["src/**", "src/b.py", "src/c.py", "**/*.md", "app/[id]/x", "doc/**", "{a,b}", ".ophiuchus/**"]
    assert found.among(globs) == {"src/**", "src/b.py", "app/[id]/x", ".ophiuchus/**"}
    assert found.among([]) == frozenset()


def test_a_tree_against_itself_touches_nothing(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1"})
    found = compared(scratch, repository.tree(), repository.tree())
    assert list(found.paths) == []
    assert found.among(["**", "a"]) == frozenset()


def test_what_cannot_be_compared_says_why(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"deep/a": "1"})
    before = repository.tree()
    folder = repository.git("rev-parse", "HEAD:deep")
    repository.commit({"deep/a": "2"})
    repository.remove_object(folder)
    found = compare_with(scratch, repository.tree(), before)
    assert isinstance(found, Unusable)
    assert found.state is BaseState.UNREADABLE


def test_globs_that_are_too_costly_count_as_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touched, "select_in_budget", lambda globs, paths: [None] * len(globs))
    globs = ["src/**", "**/x", "src/b.py", "doc/**", "/refused"]
    # Where a glob's plain beginning leads elsewhere, nothing has to be matched.
    assert Touched((b"src/a.py",)).among(globs) == {"src/**", "**/x"}


def test_a_glob_below_a_submodule_is_touched_by_its_pointer() -> None:
    found = Touched((b"lib", b"src/a.py"), frozenset([b"lib"]))
    assert found.among(["lib/x/**", "li/**", "lib", "other/**"]) == {"lib/x/**", "lib"}


@pytest.mark.parametrize("seed", range(6))
def test_an_untouched_glob_has_the_same_facts_in_both_trees(
    repository: Repository, scratch: Scratch, seed: int
) -> None:
    commits = build_history(repository, seed, 24)
    chance = random.Random(seed)
    judged, other = repository.tree(commits[-1]), repository.tree(chance.choice(commits))
    paths = sorted({entry.path for tree in (judged, other) for entry in list_tree(scratch, tree)})
    globs = [random_glob(chance, paths) for _ in range(150)]
    differing = compared(scratch, judged, other).among(globs)
    questions = [PathsQuestion((one,), chance.choice(commits)) for one in globs]
    here, there = look(scratch, judged, questions), look(scratch, other, questions)
    same = {one for one, now, then in zip(globs, here, there, strict=True) if now.globs == then.globs}
    assert set(globs) - differing <= same
    assert differing
    assert set(globs) - differing
