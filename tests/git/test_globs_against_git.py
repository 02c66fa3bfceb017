"""Our globs against git's own `:(top,glob)`, the two additions of design §4 taken into account."""

from __future__ import annotations

import os
import random
import re
from itertools import product
from pathlib import Path

import pytest
from git_repository import Repository
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ophiuchus.git.globs import Glob, RefusedGlob, compile_glob
from ophiuchus.git.selection import SortedPaths, select

EXAMPLES = int(os.environ.get("OPHIUCHUS_GLOB_EXAMPLES", "150"))

NAMES = [b"a", b"b", b"ab", b"ba", b"aab", b"A", b".a", b".ophiuchus", b"[a]", b"[ab]", b"[!a]", b"a]",
         b"[a", b"*", b"**", b"?", b"\\a", b"a\\", b"a\\b", b"\\", b"-a", b"!a", b"{a", b"a-b", b"a b",
         b"a\nb", b"a\tb", b"\xc3\xa9", b"\xff", b"1", b"x.py", b"ab.py", b".py", b"]", b"[]", b"-", b"^",
         b":"]  # fmt: skip


def odd_paths() -> list[bytes]:
    """Paths of odd names, up to five deep; no file is also a folder."""
    chance = random.Random(7)
    paths: set[bytes] = set()
    folders: set[bytes] = set()
    while len(paths) < 700:
        names = [chance.choice(NAMES) for _ in range(chance.choice([1, 1, 2, 2, 2, 3, 3, 4, 5]))]
        path = b"/".join(names)
        above = {b"/".join(names[:depth]) for depth in range(1, len(names))}
        if path not in folders and not above & paths:
            paths.add(path)
            folders |= above
    return sorted(paths)


class Oracle:
    """A tree of odd paths that git answers about."""

    def __init__(self, repository: Repository) -> None:
        self.paths = odd_paths()
        blob = repository.git("hash-object", "-w", "--stdin", stdin=b"1")
        index = b"".join(b"100644 %b\t%b\0" % (blob.encode(), path) for path in self.paths)
        repository.git("update-index", "-z", "--index-info", stdin=index)
        self._tree = repository.git("write-tree")
        self._empty = repository.git("mktree", stdin=b"")
        self._repository = repository

    def git_matches(self, glob: bytes) -> set[bytes]:
        spec = b":(top,glob)" + glob
        out = self._repository.git_bytes(
            "diff-tree", "-r", "-z", "--name-only", self._empty, self._tree, "--", spec
        )
        return set(out.split(b"\0")) - {b""}

    def expected(self, glob: bytes) -> set[bytes]:
        """Git's answer for every reading in which some segments are meant literally."""
        segments = glob.split(b"/")
        readings = [
            {segment, re.sub(rb"([*?\[\\])", rb"\\\1", segment)}
            if re.search(rb"[\[\\]", segment)
            else {segment}
            for segment in segments
        ]
        found = set().union(*(self.git_matches(b"/".join(reading)) for reading in product(*readings)))
        if segments[0] != b".ophiuchus":
            found = {path for path in found if not path.startswith(b".ophiuchus/")}
        return found


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(Repository.create(tmp_path_factory.mktemp("oracle") / "r"))


PIECES = ["a", "b", "ab", "A", ".a", "*", "*", "?", "[a]", "[!a]", "[^b]", "[a-b]", "[ab", "]", "[]a]",
          "[!]a]", "[[:alpha:]]", "[[:upper:]b]", "[![:space:]]", "[[:x:]]", "[[:", "[:a:]", r"\a", r"\*",
          r"\[", r"\]", r"\\", "\\", "-", "!", "^", ":", "{a", "é", ".py", "x", "1", ".ophiuchus", r"[\]]",
          r"[a-\b]", "[-a]", "[a-]", "[b-a]", "[", " ", "\n"]  # fmt: skip
CLASSES = ["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
           "xdigit"]  # fmt: skip
segment = st.one_of(
    st.just("**"),
    st.sampled_from([name.decode("utf-8", "replace") for name in NAMES]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join),
)
glob_text = st.tuples(
    st.lists(segment, min_size=1, max_size=4).map("/".join), st.sampled_from(["", "", "", "/"])
).map("".join)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much],
    derandomize=True,
)
@given(text=glob_text)
@example(text="**/[a]/**")
@example(text="[a]/[ab]")
@example(text="**")
@example(text="*/**/*")
@example(text="**/\\a")
def test_a_glob_matches_what_git_matches_and_what_is_meant_literally(oracle: Oracle, text: str) -> None:
    try:
        compiled = compile_glob(text)
    except RefusedGlob:
        return
    paths = SortedPaths(oracle.paths)
    (selection,) = select([compiled], paths)
    ours = {oracle.paths[place] for place in selection.all_places()}
    assert ours == oracle.expected(text.encode())


def test_many_globs_together_match_what_each_matches_alone(oracle: Oracle) -> None:
    chance = random.Random(11)
    globs: list[Glob] = []
    while len(globs) < 1500:
        names = [
            chance.choice(["**", *PIECES, *PIECES, "".join(chance.choices(PIECES, k=3))])
            for _ in range(chance.randint(1, 4))
        ]
        try:
            globs.append(compile_glob("/".join(names)))
        except RefusedGlob:
            continue
    paths = SortedPaths(oracle.paths)
    together = select(globs, paths)
    alone = [select([glob], paths)[0] for glob in globs]
    assert [selection.all_places() for selection in together] == [
        selection.all_places() for selection in alone
    ]
    assert any(together)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("negation", ["", "!", "^"])
def test_every_class_holds_the_bytes_that_git_says(tmp_path: Path, name: str, negation: str) -> None:
    repository = Repository.create(tmp_path / "r")
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"1")
    paths = [b"d/%c" % byte for byte in range(1, 256) if byte not in b"/."]
    index = b"".join(b"100644 %b\t%b\0" % (blob.encode(), path) for path in paths)
    repository.git("update-index", "-z", "--index-info", stdin=index)
    glob = f"d/[{negation}[:{name}:]]"
    listed = repository.git_bytes("ls-files", "-z", "--", f":(top,glob){glob}").split(b"\0")[:-1]
    everything = sorted(repository.git_bytes("ls-files", "-z").split(b"\0")[:-1])
    (selection,) = select([compile_glob(glob)], SortedPaths(everything))
    assert [everything[place] for place in selection.all_places()] == sorted(listed)
