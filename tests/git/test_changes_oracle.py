"""Every fact about random conditions on random histories, against git asked glob by glob.

`OPHIUCHUS_CONDITIONS=20000` runs it at full length, with `-n 2` on two cores.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest
from git_repository import ENV, Repository
from random_history import build_history, random_glob

from ophiuchus.git.anchors import digest_globs
from ophiuchus.git.changes import look
from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.findings import (
    CHANGED_SHOWN,
    BaseState,
    Change,
    ChangedPath,
    GlobFact,
    PathsQuestion,
)
from ophiuchus.git.globs import RefusedGlob, compile_glob
from ophiuchus.git.object_id import ID_LENGTH
from ophiuchus.git.objects import list_tree
from ophiuchus.git.scratch import Scratch, open_scratch

CONDITIONS = int(os.environ.get("OPHIUCHUS_CONDITIONS", "240"))
HISTORIES = max(3, CONDITIONS // 1000)
GLOBS = 3


class GitAlone:
    """What git says of single globs: one `git diff` for each glob, base and reading.

    What a glob matches is asked of all `trees`, by commit, at once; that needs no process for each of them.
    """

    def __init__(self, repository: Repository, trees: Mapping[str, str]) -> None:
        self._repository = repository
        self._trees = trees
        self._nothing = repository.git("mktree", stdin=b"")
        self._diffs: dict[tuple[str, str, str], dict[bytes, Change]] = {}
        self._trees_with: dict[str, set[str]] = {}
        self._submodules: dict[str, set[bytes]] = {}

    def changed(self, base: str, head: str, glob: str) -> dict[bytes, Change]:
        """The paths that differ and how."""
        key = base, head, glob
        if key not in self._diffs:
            found: dict[bytes, Change] = {}
            for spec in _readings(glob):
                found |= self._raw_diff(base, head, spec)
            self._diffs[key] = {path: change for path, change in found.items() if _counts(glob, path)}
        return self._diffs[key]

    def _raw_diff(self, base: str, head: str, spec: bytes) -> dict[bytes, Change]:
        out = self._repository.git_bytes(
            "diff",
            "--raw",
            "-z",
            "--no-abbrev",
            "--no-renames",
            "--ignore-submodules=none",
            base,
            head,
            "--",
            spec,
        )
        tokens = out.split(b"\0")[:-1]
        found = {}
        for record, path in zip(tokens[::2], tokens[1::2], strict=True):
            mode, mode_now, id_then, id_now, status = record[1:].split(b" ")
            change = {b"A": Change.ADDED, b"D": Change.DELETED, b"T": Change.TYPE}.get(status)
            if change is None:
                change = Change.MODE if id_then == id_now else Change.CONTENT
                change = Change.SUBMODULE if mode == mode_now == b"160000" else change
            found[path] = change
        return found

    def matches(self, commit: str, glob: str) -> bool:
        """Whether the glob matches an entry of the commit's tree."""
        if glob not in self._trees_with:
            self._trees_with[glob] = {tree for spec in _readings(glob) for tree in self._having(glob, spec)}
        return self._trees[commit] in self._trees_with[glob]

    def _having(self, glob: str, spec: bytes) -> Iterator[str]:
        """The trees that differ from the empty one in something that `spec` names and that counts."""
        pairs = "".join(f"{self._nothing} {tree}\n" for tree in self._trees.values()).encode()
        options = ("--stdin", "-r", "-z", "--name-only", "--ignore-submodules=none")
        out = self._repository.git_bytes("diff-tree", *options, "--", spec, stdin=pairs)
        for answer in out.split(f"{self._nothing} ".encode())[1:]:
            tree, _, names = answer.partition(b"\n")
            if any(_counts(glob, path) for path in names.split(b"\0")[:-1]):
                yield tree.decode()

    def has_submodule(self, commit: str, path: bytes) -> bool:
        """Whether `path` is a submodule in the commit's tree."""
        if commit not in self._submodules:
            entries = self._repository.git_bytes("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
            self._submodules[commit] = {
                entry.partition(b"\t")[2] for entry in entries if entry.startswith(b"160000")
            }
        return path in self._submodules[commit]


def _readings(glob: str) -> list[bytes]:
    """Git pathspecs for every reading in which some segments are meant literally (first addition)."""
    segments = [
        {part, re.sub(rb"([*?\[\\])", rb"\\\1", part)} if re.search(rb"[\[\\]", part) else {part}
        for part in glob.encode().split(b"/")
    ]
    return [b":(top,glob)" + b"/".join(reading) for reading in product(*segments)]


def _counts(glob: str, path: bytes) -> bool:
    """Whether the second addition, the capsule folder, leaves `path` in."""
    return glob.partition("/")[0] == ".ophiuchus" or not path.startswith(b".ophiuchus/")


@pytest.fixture(params=range(HISTORIES))
def case(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Repository, Scratch, list[str], int]]:
    object_format = "sha1" if request.param % 3 else "sha256"
    repository = Repository.create(tmp_path / "r", object_format=object_format)
    commits = build_history(repository, request.param, 40, ID_LENGTH[object_format])
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        yield repository, scratch, commits, request.param


def test_every_fact_is_what_git_says(case: tuple[Repository, Scratch, list[str], int]) -> None:
    repository, scratch, commits, seed = case
    chance = random.Random(seed + 1000)
    head = commits[-1]
    trees = {commit: repository.tree(commit) for commit in commits}
    paths = sorted({entry.path for one in commits[::7] for entry in list_tree(scratch, trees[one])})
    entries = {entry.path: entry for entry in list_tree(scratch, trees[head])}
    declared = [
        (chance.choice(commits), tuple(random_glob(chance, paths) for _ in range(GLOBS)))
        for _ in range(CONDITIONS // HISTORIES)
    ]
    accepted = {glob for _, globs in declared for glob in globs if _refusal(glob) is None}
    anchors = {commit: digest_globs(scratch, trees[commit], accepted) for commit in commits}
    questions = [
        PathsQuestion(globs, base, {glob: anchors[base][glob] for glob in globs if glob in accepted})
        for base, globs in declared
    ]
    git = GitAlone(repository, trees)
    ancestors = set(repository.git("rev-list", head).split("\n"))
    listed = {entry.path for entry in entries.values() if entry.mode == b"160000"}
    changed_globs = 0
    for question, facts in zip(questions, look(scratch, trees[head], questions, head=head), strict=True):
        assert question.base is not None
        assert facts.base_state is BaseState.COMPARED
        assert facts.in_history is (question.base in ancestors)
        for fact in facts.globs:
            changed_globs += _check(git, fact, question, head, listed)
    assert changed_globs


def _refusal(glob: str) -> str | None:
    try:
        compile_glob(glob)
    except RefusedGlob as refusal:
        return refusal.reason
    return None


def _check(git: GitAlone, fact: GlobFact, question: PathsQuestion, head: str, listed: set[bytes]) -> bool:
    base = question.base
    assert base is not None
    if (reason := _refusal(fact.glob)) is not None:
        assert fact == GlobFact(fact.glob, refused=reason)
        return False
    assert fact.refused is None
    assert fact.base is not None
    expected = dict(git.changed(base, head, fact.glob))
    # What we add to git: a glob at or below a submodule follows its pointer (design §4).
    prefix = compile_glob(fact.glob).literal_prefix
    above = {prefix[:cut] for cut in range(1, len(prefix) + 1) if prefix[cut : cut + 1] in (b"/", b"")}
    anywhere = git.changed(base, head, "**") | git.changed(base, head, ".ophiuchus/**")
    expected |= {
        path: change
        for path, change in anywhere.items()
        if path in above and (path in listed or git.has_submodule(base, path))
    }
    assert fact.base.changed_count == len(expected), fact
    shown = [ChangedPath(path, change) for path, change in sorted(expected.items())[:CHANGED_SHOWN]]
    assert list(fact.base.changed) == shown
    assert fact.matches_now == (git.matches(head, fact.glob) or bool(above & listed))
    # An anchor of the base tells the same as the base itself.
    assert fact.anchor is not None
    assert fact.anchor.equal == (not expected)
    assert fact.anchor.nothing_then == (
        not git.matches(base, fact.glob) and not any(git.has_submodule(base, path) for path in above)
    )
    return bool(expected)
