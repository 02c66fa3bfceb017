"""The commits that brought a difference about, from one bounded log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from git_repository import ENV, FIRST_COMMIT_AT, Repository
from random_history import build_history

from ophiuchus.git import log_walk
from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.log_walk import Drift, walk_back
from ophiuchus.git.scratch import Scratch, open_scratch
from ophiuchus.text.instant import format_instant

Walk = Callable[..., list[list[str]]]


@pytest.fixture
def walk(repository: Repository) -> Walk:
    """The subjects that are named for each drift, walked back from HEAD or from the given tips."""

    def subjects(*drifts: Drift, tips: list[str] | None = None, top: Path | None = None) -> list[list[str]]:
        checkout = open_checkout(top or repository.top, ENV)
        assert checkout.head is not None
        with open_scratch(checkout, ENV) as scratch:
            found = walk_back(scratch, tips or [checkout.head], drifts)
        return [[commit.subject for commit in commits] for commits in found]

    return subjects


def merge(repository: Repository, branch: str, subject: str) -> str:
    repository.git("merge", "-q", "--no-ff", "-m", subject, branch)
    return repository.head()


def test_the_newest_three_since_the_base_are_named(repository: Repository, walk: Walk) -> None:
    repository.commit({"a": "0", "b": "0"}, "before")
    base = repository.commit({"a": "1"}, "base")
    for number in range(2, 7):
        repository.commit({"a": str(number)}, f"a{number}")
    repository.commit({"b": "1"}, "b1")
    repository.commit({"c": "1"}, "c1")
    assert walk(Drift(base, (b"a",)), Drift(base, (b"b",)), Drift(base, (b"a", b"b")), Drift(base)) == [
        ["a6", "a5", "a4"],
        ["b1"],
        ["b1", "a6", "a5"],
        [],
    ]


def test_ids_are_full_and_what_the_base_itself_or_an_older_commit_did_is_not_named(
    repository: Repository,
) -> None:
    repository.commit({"a": "0"}, "before")
    base = repository.commit({"a": "1"}, "base")
    last = repository.commit({"a": "2"}, "last")
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        ((commit,),) = walk_back(scratch, [last], [Drift(base, (b"a",))])
    assert (commit.commit, commit.subject) == (last, "last")
    at = int(repository.git("log", "-1", "--format=%ct"))
    assert commit.at == format_instant(datetime.fromtimestamp(at, UTC))


@pytest.mark.parametrize("seconds", ["0", "99999999999999"])
def test_a_date_that_cannot_be_used_is_none(repository: Repository, seconds: str) -> None:
    base = repository.commit({"a": "0"}, "base")
    repository.commit({"a": "1"}, "odd date")
    raw = repository.git_bytes("cat-file", "commit", "HEAD").split(b"\n")
    dated = [re.sub(rb" \d+ ([+-]\d{4})$", rb" %s \1" % seconds.encode(), line) for line in raw]
    made = repository.git(
        *("hash-object", "-t", "commit", "-w", "--literally", "--stdin"), stdin=b"\n".join(dated)
    )
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        ((commit,),) = walk_back(scratch, [made], [Drift(base, (b"a",))])
    assert (commit.subject, commit.at) == ("odd date", None)


def test_each_drift_has_its_own_base(repository: Repository, walk: Walk) -> None:
    bases = [repository.commit({"a": str(number)}, f"a{number}") for number in range(4)]
    assert walk(*(Drift(base, (b"a",)) for base in bases)) == [["a3", "a2", "a1"], ["a3", "a2"], ["a3"], []]


def test_the_merge_that_brought_a_change_in_is_named(repository: Repository, walk: Walk) -> None:
    base = repository.commit({"a": "0", "b": "0"}, "base")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit({"a": "1"}, "on the side")
    repository.git("checkout", "-q", "main")
    repository.commit({"b": "1"}, "on main")
    merge(repository, "side", "Merge pull request #3")
    assert walk(Drift(base, (b"a",)), Drift(base, (b"b",))) == [["Merge pull request #3"], ["on main"]]


def test_a_base_that_a_merge_brought_in_leaves_the_last_step_of_each_path(
    repository: Repository, walk: Walk
) -> None:
    """What the merge itself did to the path may be what the base had already."""
    repository.commit({"a": "0", "b": "0"}, "root")
    repository.git("checkout", "-q", "-b", "side")
    base = repository.commit({"a": "1"}, "captured here")
    repository.git("checkout", "-q", "main")
    repository.commit({"b": "1"}, "on main")
    merge(repository, "side", "the merge")
    repository.commit({"a": "2"}, "a2")
    repository.commit({"a": "3"}, "a3")
    assert walk(Drift(base, (b"a",)), Drift(base, (b"a", b"b"))) == [["a3"], ["a3", "on main"]]


def test_of_a_glob_without_known_paths_the_last_step_is_named(repository: Repository, walk: Walk) -> None:
    """As after a squash merge, where the base is nowhere."""
    repository.commit({"src/a": "0", "doc/b": "0"}, "root")
    repository.commit({"src/a": "1"}, "a1")
    repository.commit({"src/a": "2"}, "a2")
    repository.commit({"doc/c": "2"}, "c2")
    found = walk(
        Drift("0" * 40, (), ("src/**",)),
        Drift(None, (), ("src/**", "**/c")),
        Drift(None, (), ("no/**", "/refused")),
    )
    assert found == [["a2"], ["c2", "a2"], []]


def test_a_glob_below_a_submodule_follows_its_pointer(repository: Repository, walk: Walk) -> None:
    for number in (1, 2):
        repository.git("update-index", "--add", "--cacheinfo", f"160000,{str(number) * 40},lib")
        repository.commit_index(f"pointer {number}")
    assert walk(Drift(None, (), ("lib/inside/**",))) == [["pointer 2"]]


def test_both_lines_of_a_pull_requests_merge_are_walked(repository: Repository, walk: Walk) -> None:
    """The base lies on main, and the branch's commits are older than it by their dates."""
    repository.commit({"a": "0", "b": "0"}, "root")
    repository.git("checkout", "-q", "-b", "feature")
    repository.commit({"a": "1"}, "branch a1")
    head = repository.commit({"a": "2"}, "branch a2")
    repository.git("checkout", "-q", "main")
    base = repository.commit({"c": "0"}, "base")
    main = repository.commit({"b": "1"}, "main b1")
    merge(repository, "feature", "Merge x into y")
    drifts = Drift(base, (b"a",)), Drift(base, (b"b",)), Drift(head, (b"a",)), Drift(head, (b"b",))
    assert walk(*drifts, tips=[main, head]) == [["branch a2", "branch a1"], ["main b1"], [], ["main b1"]]


def test_a_wrong_clock_hides_no_commit_of_one_line(repository: Repository, walk: Walk) -> None:
    base = repository.commit({"a": "0"}, "base")
    old = f"{FIRST_COMMIT_AT - 10**6} +0000"
    repository.write("a", "1")
    repository.git("commit", "-qam", "old clock", env={"GIT_AUTHOR_DATE": old, "GIT_COMMITTER_DATE": old})
    repository.commit({"a": "2"}, "right clock")
    assert walk(Drift(base, (b"a",))) == [["right clock", "old clock"]]


@pytest.mark.parametrize(("depth", "named"), [(1, []), (2, ["a4"]), (3, ["a4"]), (9, ["a4", "a3", "a2"])])
def test_nothing_is_said_of_where_a_shallow_clone_ends(
    repository: Repository, walk: Walk, tmp_path: Path, depth: int, named: list[str]
) -> None:
    """There a commit looks like one that added everything."""
    base = [repository.commit({"a": str(number)}, f"a{number}") for number in range(5)][1]
    clone = Repository.clone(repository, tmp_path / "clone", f"--depth={depth}")
    # Where the base was not reached it could be anywhere: the last step alone is sure.
    assert walk(Drift(base, (b"a",)), top=clone.top) == [named]


def test_a_tip_that_is_not_there_is_passed_over(repository: Repository, walk: Walk) -> None:
    base = repository.commit({"a": "0"}, "base")
    last = repository.commit({"a": "1"}, "last")
    assert walk(Drift(base, (b"a",)), tips=["1" * 40, last]) == [["last"]]
    assert walk(Drift(base, (b"a",)), tips=["1" * 40]) == [[]]


NAMES = [b"new\nline", b"caf\xe9", b"-dash", b":100644 x", b"a b", b"\n:odd"]


def test_names_are_bytes_and_read_to_their_end(repository: Repository, walk: Walk) -> None:
    base = repository.commit({b"x": "0"}, "base")
    for name in NAMES:
        repository.commit({name: "1"}, f"adds {NAMES.index(name)}")
    assert walk(*(Drift(base, (name,)) for name in NAMES)) == [[f"adds {n}"] for n in range(len(NAMES))]


def test_deletions_modes_and_renames_are_steps_of_their_paths(repository: Repository, walk: Walk) -> None:
    base = repository.commit({"gone": "text\n" * 9, "run": "1"}, "base")
    repository.git("mv", "gone", "moved")
    repository.commit_index("renames")
    repository.git("update-index", "--chmod=+x", "run")
    repository.commit_index("mode")
    assert walk(Drift(base, (b"gone",)), Drift(base, (b"moved",)), Drift(base, (b"run",))) == [
        ["renames"],
        ["renames"],
        ["mode"],
    ]


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        (b"one\ntwo\n\nbody", "one two"),
        (b"", ""),
        (b"caf\xe9 \xff", "caf\ufffd \ufffd"),
        (b"x" * 1_000_000, "x" * 199 + "…"),
        (b":100644 100644 a b M", ":100644 100644 a b M"),
        (b"\x1b[31m::error::x", "\x1b[31m::error::x"),
    ],
)
def test_a_subject_is_somebodys_words(
    repository: Repository, walk: Walk, message: bytes, subject: str
) -> None:
    base = repository.commit({"a": "0"}, "base")
    repository.write("a", "1")
    repository.git("add", "-A")
    tree = repository.git("write-tree")
    person = b"a <a@example.invalid> 1700000000 +0000"
    raw = b"tree %b\nparent %b\nauthor %b\ncommitter %b\n\n" % (tree.encode(), base.encode(), person, person)
    commit = repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw + message)
    assert walk(Drift(base, (b"a",)), tips=[commit]) == [[subject]]


def test_the_walk_ends_after_so_many_commits_or_records(
    repository: Repository, walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repository.commit({"a": "0"}, "base")
    repository.commit({"a": "1"}, "a1")
    for number in range(6):
        repository.commit({"b": str(number)}, f"b{number}")
    assert walk(Drift(base, (b"a",))) == [["a1"]]
    monkeypatch.setattr(log_walk, "MOST_RECORDS", 4)
    assert walk(Drift(base, (b"a",)), Drift(base, (b"b",))) == [[], ["b5"]]
    monkeypatch.undo()
    monkeypatch.setattr(
        log_walk, "_LOG", tuple("--max-count=3" if "--max-count" in x else x for x in log_walk._LOG)
    )
    assert walk(Drift(base, (b"a",)), Drift(base, (b"b",))) == [[], ["b5"]]


def test_the_walk_ends_in_time(repository: Repository, walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    base = repository.commit({"a": "0"}, "base")
    repository.commit({"a": "1"}, "a1")
    monkeypatch.setattr(log_walk, "SECONDS", 0.0)
    assert walk(Drift(base, (b"a",))) in ([[]], [["a1"]])


def test_history_that_cannot_be_read_ends_the_walk_and_what_was_told_holds(
    repository: Repository, walk: Walk
) -> None:
    base = repository.commit({"a": "0", "b": "0"}, "base")
    broken = repository.commit({"a": "1"}, "broken")
    repository.commit({"b": "1"}, "fine")
    repository.commit({"c": "1"}, "newest")
    repository.remove_object(broken)
    assert walk(Drift(base, (b"b",))) in ([["fine"]], [[]])
    assert walk(Drift(base, (b"a",))) == [[]]


def test_one_process_for_all_and_none_behind_the_oldest_base(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    bases = [repository.commit({"a": str(number)}, f"a{number}") for number in range(30)]
    taken: list[str] = []
    real = log_walk._steps

    def counting(scratch: Scratch, tips: list[str]) -> Iterator[log_walk._Step]:
        for step in real(scratch, tips):
            taken.append(step.id)
            yield step

    monkeypatch.setattr(log_walk, "_steps", counting)
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        walk_back(scratch, [bases[-1]], [Drift(base, (b"a",)) for base in bases[20:]])
    assert taken == bases[:19:-1]


@pytest.mark.parametrize("seed", range(4))
def test_on_one_line_it_names_what_git_itself_says(repository: Repository, seed: int) -> None:
    """Random histories with merges, side branches, odd names and wrong clocks."""
    build_history(repository, seed, 40)
    head = repository.head()
    line = repository.git("rev-list", "--first-parent", head).split("\n")
    drifts, expected = [], []
    for base in line[1::3]:
        differing = repository.git_bytes("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, head)
        for path in differing.split(b"\0")[:-1][::5]:
            drifts.append(Drift(base, (path,)))
            told = repository.git(
                "log", "-s", "--first-parent", "--diff-merges=first-parent", "--full-history", "--format=%H",
                f"{base}..{head}", "--", b":(top,literal)" + path, b":(top,literal,exclude)" + path + b"/",
            )  # fmt: skip
            expected.append(told.split("\n")[:3])
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        found = walk_back(scratch, [head], drifts)
    assert drifts
    assert [[commit.commit for commit in commits] for commits in found] == expected
