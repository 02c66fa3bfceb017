from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest
from git_repository import ENV
from smart_http import GitServer, serving

from ophiuchus.git.branch_store import (
    MOST_FILE_BYTES,
    Branch,
    BranchStore,
    BranchUnreadable,
    BranchUnwritable,
)
from ophiuchus.git.remote import Remote
from ophiuchus.git.scratch import Scratch, open_own

BRANCH = "kept/rows"
AT = 1_782_907_200
TOKEN = "t0" * 20


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository with one commit on `main`."""
    bare = tmp_path_factory.mktemp("empty") / "bare"
    _git(bare.parent, "init", "-q", "--bare", "--initial-branch=main", bare.name)
    commit = _git(bare, "commit-tree", "-m", "code", _git(bare, "write-tree"))
    _git(bare, "update-ref", "refs/heads/main", commit)
    return bare


@pytest.fixture
def server(empty: Path, tmp_path: Path) -> Iterator[GitServer]:
    """A server that has the repository `owner/name` and takes pushes."""
    shutil.copytree(empty, tmp_path / "served" / "owner" / "name")
    with serving(tmp_path / "served") as server:
        server.takes_pushes = True
        yield server


@contextmanager
def opened(server: GitServer, token: str = "", object_format: str = "sha1") -> Iterator[BranchStore]:
    """The branch as one more machine sees it."""
    with open_own(ENV, object_format) as scratch:
        yield branch_in(scratch, server, token)


def branch_in(scratch: Scratch, server: GitServer, token: str = "") -> BranchStore:
    return BranchStore(scratch, Remote(server.url, "owner/name", token), ENV, BRANCH)


def bare(server: GitServer) -> Path:
    return server.root / "owner" / "name"


def history(server: GitServer) -> list[str]:
    """The subjects of the branch's commits, youngest first."""
    return _git(bare(server), "log", "--format=%s", BRANCH).split("\n")


def current(branch: BranchStore) -> Branch:
    found = branch.read()
    assert found is not None
    return found


def hook(server: GitServer, words: str) -> None:
    """Let the server refuse every push with these words."""
    path = bare(server) / "hooks" / "pre-receive"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 1\n")
    path.chmod(0o755)


def pushes(server: GitServer) -> int:
    return sum(one.path.endswith("/git-receive-pack") for one in server.posts)


def _git(folder: Path, *arguments: str) -> str:
    return _git_bytes(folder, b"", *arguments).decode()


def _git_bytes(folder: Path, stdin: bytes, *arguments: str) -> bytes:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, env=ENV, input=stdin, capture_output=True, check=True)
    return done.stdout.strip()


def test_a_branch_that_is_not_there_is_none_and_can_be_made_once(server: GitServer) -> None:
    with opened(server) as first, opened(server) as second:
        assert first.read() is None
        assert first.change(None, "README.md", b"about\n", "Begin", AT)
        assert not second.change(None, "README.md", b"other\n", "Begin too", AT)
        for branch in (first, second):
            assert current(branch).files == {"README.md": b"about\n"}


def test_it_shares_no_history_with_the_code_and_leaves_other_branches_alone(server: GitServer) -> None:
    before = _git(bare(server), "rev-parse", "main")
    with opened(server) as branch:
        assert branch.change(None, "a", b"1", "Begin", AT)
        assert branch.change(current(branch).tip, "b/c", b"2", "Go on", AT + 60)
        assert current(branch).files == {"a": b"1", "b/c": b"2"}
    assert history(server) == ["Go on", "Begin"]
    assert _git(bare(server), "log", "-1", "--format=%cn|%ce|%ct", BRANCH) == f"ophiuchus||{AT + 60}"
    assert _git(bare(server), "for-each-ref", "--format=%(refname) %(objectname)").split("\n") == [
        f"refs/heads/{BRANCH} {_git(bare(server), 'rev-parse', BRANCH)}",
        f"refs/heads/main {before}",
    ]


def test_of_two_changes_on_one_tip_the_second_is_a_loss_and_leaves_no_trace(server: GitServer) -> None:
    with opened(server) as first, opened(server) as second:
        first.change(None, "a", b"0", "Begin", AT)
        tip = current(first).tip
        assert current(second).tip == tip
        assert first.change(tip, "a", b"1", "First", AT)
        assert not second.change(tip, "b", b"2", "Second", AT)
        assert current(second).files == {"a": b"1"}
        assert second.change(current(second).tip, "b", b"2", "Second", AT)
    assert history(server) == ["Second", "First", "Begin"]


def test_of_the_same_change_made_twice_at_once_one_wins_every_time(server: GitServer) -> None:
    rounds = 4
    with opened(server) as first, opened(server) as second, ThreadPoolExecutor(2) as pool:
        first.change(None, "a", b"0", "Begin", AT)
        for number in range(rounds):
            tips = {current(branch).tip for branch in (first, second)}
            assert len(tips) == 1
            both = Barrier(2)

            def change(branch: BranchStore, both: Barrier = both, tip: str = tips.pop()) -> bool:
                both.wait()
                return branch.change(tip, "a", b"the same", "The same", AT)

            assert sorted(pool.map(change, (first, second))) == [False, True], number
    assert len(history(server)) == 1 + rounds


def test_a_change_whose_answer_was_lost_is_known_to_be_made(server: GitServer) -> None:
    with opened(server) as branch:
        server.lost_answers = 1
        assert branch.change(None, "a", b"0", "Begin", AT)
        server.lost_answers = 1
        assert branch.change(current(branch).tip, "a", b"1", "Go on", AT)
        assert current(branch).files == {"a": b"1"}
    assert server.lost_answers == 0
    assert history(server) == ["Go on", "Begin"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "error: GH013: Repository rule violations found",
            "a ruleset or a branch protection",
        ),
        ("error: GH006: protected branch hook declined", "a ruleset or a branch protection"),
        ("no. secret words", "a hook on the server refuses it"),
    ],
)
def test_a_refusal_is_told_at_once_in_our_words(server: GitServer, words: str, said: str) -> None:
    hook(server, words)
    with opened(server) as branch, pytest.raises(BranchUnwritable) as refused:
        branch.change(None, "a", b"0", "Begin", AT)
    assert said in refused.value.message
    assert "secret" not in refused.value.message + refused.value.remedy
    assert pushes(server) == 1


@pytest.mark.parametrize("other", [BRANCH.partition("/")[0], f"{BRANCH}/more"])
def test_a_branch_that_is_in_the_way_is_told_at_once(server: GitServer, other: str) -> None:
    with opened(server) as branch:
        assert branch.change(None, "a", b"0", "Begin", AT)
    commit = _git(bare(server), "rev-parse", BRANCH)
    _git(bare(server), "update-ref", "-d", f"refs/heads/{BRANCH}")
    _git(bare(server), "update-ref", f"refs/heads/{other}", commit)
    with opened(server) as branch, pytest.raises(BranchUnwritable, match="another branch is in its way"):
        branch.change(None, "a", b"0", "Begin", AT)
    assert pushes(server) == 2


def test_a_token_that_may_not_write_is_told(server: GitServer) -> None:
    server.takes_pushes = False
    with opened(server) as branch:
        assert branch.read() is None
        with pytest.raises(BranchUnwritable, match="the token may not write") as refused:
            branch.change(None, "a", b"0", "Begin", AT)
    assert "contents" in refused.value.remedy


def test_the_token_goes_to_the_server_and_nowhere_else(server: GitServer) -> None:
    server.token = TOKEN
    with opened(server, TOKEN) as branch:
        assert branch.change(None, "a", b"0", "Begin", AT)
        assert TOKEN not in repr(branch) + repr(vars(branch))
    with opened(server, TOKEN[::-1]) as branch, pytest.raises(BranchUnreadable) as refused:
        branch.read()
    assert TOKEN[::-1] not in str(refused.value) + refused.value.remedy


def _status(code: int) -> Callable[[GitServer], None]:
    return lambda server: setattr(server, "status", code)


def _cut(after: int) -> Callable[[GitServer], None]:
    return lambda server: setattr(server, "cut_after", after)


FAULTS: dict[str, Callable[[GitServer], None]] = {
    **{f"status {code}": _status(code) for code in (401, 403, 404, 429, 500, 503)},
    **{f"cut after {after} bytes": _cut(after) for after in (0, 1, 4, 30, 60, 64, 200)},
    "a redirect": lambda server: setattr(server, "redirect_to", "http://127.0.0.1:1"),
    "no such repository": lambda server: shutil.rmtree(bare(server)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_branch_that_cannot_be_read_is_never_taken_for_a_missing_one(server: GitServer, fault: str) -> None:
    with opened(server) as branch:
        branch.change(None, "a", b"0", "Begin", AT)
        FAULTS[fault](server)
        with pytest.raises(BranchUnreadable) as refused:
            branch.read()
        assert "secret words" not in refused.value.message + refused.value.remedy
        with pytest.raises((BranchUnreadable, BranchUnwritable)):
            branch.change(None, "a", b"1", "Begin anew", AT)


def test_a_server_that_lost_its_objects_is_told(server: GitServer) -> None:
    with opened(server) as branch:
        branch.change(None, "a", b"0", "Begin", AT)
        shutil.rmtree(bare(server) / "objects")
        (bare(server) / "objects").mkdir()
        with pytest.raises(BranchUnreadable):
            branch.read()


def test_a_server_that_is_gone_is_told(empty: Path, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        pass
    with opened(server) as branch, pytest.raises(BranchUnreadable, match="could not be reached"):
        branch.read()


def test_a_file_that_is_too_large_is_seen_and_not_read(server: GitServer) -> None:
    with opened(server) as branch:
        branch.change(None, "large", b"x" * (MOST_FILE_BYTES + 1), "Begin", AT)
        branch.change(current(branch).tip, "fits", b"x" * MOST_FILE_BYTES, "Go on", AT)
        assert current(branch).files == {"large": None, "fits": b"x" * MOST_FILE_BYTES}


def test_links_submodules_and_odd_names_are_read_as_what_they_are(server: GitServer) -> None:
    top = bare(server)
    commit = _git(top, "rev-parse", "main")
    entries = b"".join(
        [
            b"100644 blob %s\ta\xff\n\x00" % _git_bytes(top, b"1", "hash-object", "-w", "--stdin"),
            b"120000 blob %s\tlink\x00" % _git_bytes(top, b"/etc/passwd", "hash-object", "-w", "--stdin"),
            b"160000 commit %s\tmodule\x00" % commit.encode(),
        ]
    )
    tree = _git_bytes(top, entries, "mktree", "-z").decode()
    made = _git(top, "commit-tree", "-m", "Odd", tree)
    _git(top, "update-ref", f"refs/heads/{BRANCH}", made)
    with opened(server) as branch:
        assert current(branch).files == {"a\\xff\n": b"1", "link": b"/etc/passwd", "module": None}


CONTENTS = [b"", b"\n", b"\0\xff", b"data 3\nabc\ndone\n", b"done\n", b"M 100644 inline other\ndata 1\nx\n"]


@pytest.mark.parametrize("content", CONTENTS)
def test_any_content_is_kept_to_the_byte(server: GitServer, content: bytes) -> None:
    with opened(server) as branch:
        assert branch.change(None, "a", content, "Begin\ndata 3\n", AT)
        assert current(branch).files == {"a": content}


def test_no_room_here_is_told_before_anything_is_sent(server: GitServer) -> None:
    with open_own(ENV, "sha1") as scratch:
        branch = branch_in(scratch, server)
        branch.change(None, "a", b"0", "Begin", AT)
        tip, before = current(branch).tip, pushes(server)
        shutil.rmtree(scratch.folder / "objects/pack")
        (scratch.folder / "objects/pack").write_bytes(b"")
        with pytest.raises(BranchUnwritable, match="cannot be made here"):
            branch.change(tip, "a", b"1", "Go on", AT)
        assert pushes(server) == before


def test_a_repository_of_the_other_object_format_works_too(server: GitServer) -> None:
    shutil.rmtree(bare(server))
    _git(server.root, "init", "-q", "--bare", "--object-format=sha256", "owner/name")
    with opened(server, object_format="sha256") as first, opened(server, object_format="sha256") as second:
        assert first.change(None, "a", b"0", "Begin", AT)
        assert not second.change(None, "a", b"1", "Begin", AT)
        assert len(current(first).tip) == 64
