from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from git_repository import ENV, Repository

from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.objects import list_tree
from ophiuchus.git.process import GitFailed
from ophiuchus.git.scratch import NoRoom, UnfinishedIndex, index_tree, open_scratch


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_it_is_written_as_git_init_would_write_it(tmp_path: Path, object_format: str) -> None:
    repository = Repository.create(tmp_path / "r", object_format=object_format)
    template = tmp_path / "template"
    subprocess.run(
        ["git", "init", "-q", "--bare", "--template=", f"--object-format={object_format}", template],
        check=True,
        env=ENV,
    )
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        ours = {path.relative_to(scratch.folder): path for path in scratch.folder.rglob("*")}
        theirs = {path.relative_to(template): path for path in template.rglob("*")}
        assert set(ours) == set(theirs) | {Path("objects/info/alternates")}
        for name, path in theirs.items():
            assert path.is_dir() or path.read_bytes() == ours[name].read_bytes()
        assert scratch.git.run("rev-parse", "--show-object-format").strip() == object_format.encode()


def test_it_is_private_and_gone_afterwards(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"a": "1"})
    parent = tmp_path / "parent"
    parent.mkdir()
    with open_scratch(open_checkout(repository.top, ENV), {**ENV, "TMPDIR": str(parent)}) as scratch:
        assert scratch.folder.parent == parent
        assert scratch.folder.stat().st_mode & 0o777 == 0o700
        scratch.git.run("hash-object", "-w", "--stdin", stdin=b"read-only file")
        (scratch.folder / "link").symlink_to(repository.top)
    assert list(parent.iterdir()) == []
    assert (repository.top / "a").exists()


def test_it_is_gone_after_an_error(repository: Repository, tmp_path: Path) -> None:
    parent = tmp_path / "parent"
    parent.mkdir()
    checkout = open_checkout(repository.top, ENV)
    with pytest.raises(GitFailed), open_scratch(checkout, {**ENV, "TMPDIR": str(parent)}) as scratch:
        scratch.git.run("nonsense")
    assert list(parent.iterdir()) == []


def test_it_is_gone_when_the_run_is_stopped_while_it_goes(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = tmp_path / "parent"
    parent.mkdir()
    checkout = open_checkout(repository.top, ENV)
    unlink, stops = Path.unlink, [SystemExit(143)]

    def stopped_once(path: Path, *, missing_ok: bool = False) -> None:
        unlink(path, missing_ok=missing_ok)
        if stops:
            raise stops.pop()

    with pytest.raises(SystemExit), open_scratch(checkout, {**ENV, "TMPDIR": str(parent)}):
        monkeypatch.setattr(Path, "unlink", stopped_once)
    assert not stops
    assert list(parent.iterdir()) == []


@pytest.mark.parametrize("method", ["mkdir", "rmdir"])
def test_it_is_gone_when_the_run_is_stopped_at_its_very_edges(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """Just when its folder has been made, and just when it has been removed."""
    parent = tmp_path / "parent"
    parent.mkdir()
    checkout = open_checkout(repository.top, ENV)
    real = getattr(Path, method)

    def stopped(path: Path, *rest: Any, **more: Any) -> None:
        real(path, *rest, **more)
        if path.parent == parent:
            monkeypatch.undo()
            raise SystemExit(143)

    monkeypatch.setattr(Path, method, stopped)
    with pytest.raises(SystemExit), open_scratch(checkout, {**ENV, "TMPDIR": str(parent)}):
        pass
    assert list(parent.iterdir()) == []


def test_it_is_gone_although_a_git_that_nobody_holds_still_writes(
    repository: Repository, tmp_path: Path
) -> None:
    parent = tmp_path / "parent"
    parent.mkdir()
    checkout = open_checkout(repository.top, ENV)
    script = "for i in $(seq 300); do mkdir -p objects/$i; : > objects/$i/x; done"
    with open_scratch(checkout, {**ENV, "TMPDIR": str(parent)}) as scratch:
        writer = subprocess.Popen(["/bin/sh", "-c", script], cwd=scratch.folder, stderr=subprocess.DEVNULL)
        while not (scratch.folder / "objects/9").exists():
            pass
    writer.wait()
    assert list(parent.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(repository: Repository, tmp_path: Path) -> None:
    checkout = open_checkout(repository.top, ENV)
    with pytest.raises(NoRoom) as caught, open_scratch(checkout, {**ENV, "TMPDIR": "/nowhere"}):
        pass
    assert "TMPDIR" in caught.value.remedy
    (tmp_path / "shallow").mkdir()
    unreadable = replace(checkout, shallow=tmp_path / "shallow")
    parent = tmp_path / "parent"
    parent.mkdir()
    with pytest.raises(NoRoom), open_scratch(unreadable, {**ENV, "TMPDIR": str(parent)}):
        pass
    assert list(parent.iterdir()) == []


def test_a_chain_of_lenders_is_followed(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"a": "1"})
    first, second = tmp_path / "first", tmp_path / "second"
    repository.git("clone", "-q", "--shared", str(repository.top), str(first))
    repository.git("clone", "-q", "--shared", str(first), str(second))
    with open_scratch(open_checkout(second, ENV), ENV) as scratch:
        assert [entry.path for entry in list_tree(scratch, repository.tree())] == [b"a"]


def test_it_goes_where_the_environment_says(repository: Repository, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    checkout = open_checkout(repository.top, ENV)
    with open_scratch(checkout, {**ENV, "TMPDIR": str(elsewhere)}) as scratch:
        assert scratch.folder.parent == elsewhere


@pytest.mark.parametrize("name", ["with blank", 'quo"te', "new\nline", "ünï", "back\\slash", "#hash", "a:b"])
def test_objects_are_borrowed_from_odd_places(tmp_path: Path, name: str) -> None:
    repository = Repository.create(tmp_path / name)
    repository.commit({"a": "1"})
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        assert [entry.path for entry in list_tree(scratch, repository.tree())] == [b"a"]


def test_a_folder_name_that_is_not_utf8_is_borrowed_from(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "bad\udcff")
    repository.commit({"a": "1"})
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        assert [entry.path for entry in list_tree(scratch, repository.tree())] == [b"a"]


def test_the_index_is_what_the_next_commit_would_hold(repository: Repository) -> None:
    repository.commit({"a": "1", "b": "1"})
    repository.write("a", "staged")
    repository.git("add", "a")
    repository.write("a", "only on disk")
    repository.write("intended", "later")
    repository.git("add", "--intent-to-add", "intended")
    before = repository.fingerprint(times=False)
    checkout = open_checkout(repository.top, ENV)
    with open_scratch(checkout, ENV) as scratch:
        tree = index_tree(scratch, checkout)
        entries = {entry.path: entry.id for entry in list_tree(scratch, tree)}
    assert repository.fingerprint(times=False) == before
    assert entries.keys() == {b"a", b"b"}
    assert entries[b"a"] == repository.git("hash-object", "--stdin", stdin=b"staged")
    assert repository.git("write-tree") == tree


def test_a_split_index_is_put_together(repository: Repository) -> None:
    repository.commit({f"f{number}": str(number) for number in range(50)})
    repository.git("update-index", "--split-index")
    repository.write("f7", "new")
    repository.git("add", "f7")
    before = repository.fingerprint(times=False)
    assert list((repository.top / ".git").glob("sharedindex.*"))
    checkout = open_checkout(repository.top, ENV)
    with open_scratch(checkout, ENV) as scratch:
        tree = index_tree(scratch, checkout)
    assert repository.fingerprint(times=False) == before
    assert repository.git("write-tree") == tree


def test_a_sparse_index_is_filled_in(repository: Repository) -> None:
    repository.commit({f"d{number}/f": str(number) for number in range(9)})
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "d1")
    repository.write("d1/f", "new")
    repository.git("add", "d1")
    assert "d2/" in repository.git("ls-files", "--sparse").split("\n")
    before = repository.fingerprint(times=False)
    checkout = open_checkout(repository.top, ENV)
    with open_scratch(checkout, ENV) as scratch:
        tree = index_tree(scratch, checkout)
        assert len(list(list_tree(scratch, tree))) == 9
    assert repository.fingerprint(times=False) == before
    assert repository.git("write-tree") == tree


def test_an_index_before_the_first_commit_is_a_tree(repository: Repository) -> None:
    checkout = open_checkout(repository.top, ENV)
    with open_scratch(checkout, ENV) as scratch:
        assert list(list_tree(scratch, index_tree(scratch, checkout))) == []
        repository.write("a", "1")
        repository.git("add", "a")
        assert [entry.path for entry in list_tree(scratch, index_tree(scratch, checkout))] == [b"a"]


def test_an_unmerged_index_is_refused_with_a_remedy(repository: Repository) -> None:
    repository.commit({"a": "1"})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit({"a": "2"})
    repository.git("checkout", "-q", "main")
    repository.commit({"a": "3"})
    with pytest.raises(AssertionError):
        repository.git("merge", "side")
    checkout = open_checkout(repository.top, ENV)
    before = repository.fingerprint(times=False)
    with open_scratch(checkout, ENV) as scratch, pytest.raises(UnfinishedIndex) as caught:
        index_tree(scratch, checkout)
    assert "merge" in caught.value.remedy
    assert repository.fingerprint(times=False) == before


def test_nothing_of_the_checkout_is_configuration_here(repository: Repository, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    repository.commit({"a": "1"})
    repository.git("config", "core.fsmonitor", f"touch {marker}; false")
    repository.git("config", "alias.ls-tree", f"!touch {marker}")
    repository.git("config", "user.probe", "leaks")
    checkout = open_checkout(repository.top, ENV)
    with open_scratch(checkout, ENV) as scratch:
        index_tree(scratch, checkout)
        list(list_tree(scratch, repository.tree()))
        with pytest.raises(GitFailed):
            scratch.git.run("config", "user.probe")
    assert not marker.exists()
