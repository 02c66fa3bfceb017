from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from git_repository import ENV, FIRST_COMMIT_AT, Repository

from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.findings import BaseState
from ophiuchus.git.objects import (
    Commit,
    CommitUnusable,
    TreeEntry,
    TreeUnreadable,
    Unread,
    Unusable,
    commit,
    commits,
    list_tree,
    read_blobs,
    which_exist,
)
from ophiuchus.git.scratch import Scratch, open_scratch


def state_of(found: Commit | Unusable) -> BaseState:
    assert isinstance(found, Unusable)
    return found.state


def test_a_commit_is_read_from_its_raw_object(repository: Repository, scratch: Scratch) -> None:
    first = repository.commit({"a": "1"})
    second = repository.commit({"a": "2"})
    assert commit(scratch, second) == Commit(second, repository.tree(), (first,), FIRST_COMMIT_AT + 1200)


def test_parents_are_known_in_a_shallow_clone(repository: Repository, tmp_path: Path) -> None:
    first = repository.commit({"a": "1"})
    second = repository.commit({"a": "2"})
    clone = Repository.clone(repository, tmp_path / "s", "--depth=1")
    with open_scratch(open_checkout(clone.top, ENV), ENV) as scratch:
        assert commit(scratch, second).parents == (first,)
        with pytest.raises(CommitUnusable) as caught:
            commit(scratch, first)
    assert caught.value.state is BaseState.ABSENT
    assert "fetch-depth: 0" in caught.value.remedy


def test_the_remedy_for_a_commit_that_cannot_be_used_is_one_that_helps(
    repository: Repository, scratch: Scratch
) -> None:
    """More history brings no tree that a filter left out, and makes no commit of a blob."""
    head = repository.commit({"a": "1"})
    blob, tree = repository.git("rev-parse", "HEAD:a"), repository.tree()
    with pytest.raises(CommitUnusable) as caught:
        commit(scratch, blob)
    assert caught.value.remedy == "Give the id of a commit."
    (repository.top / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(CommitUnusable) as caught:
        commit(scratch, head)
    assert "without a filter" in caught.value.remedy
    assert "fetch-depth" not in caught.value.remedy


def test_trap_29_only_commits_count_as_commits(repository: Repository, scratch: Scratch) -> None:
    head = repository.commit({"a": "1"})
    repository.git("tag", "-am", "t", "v1")
    tag, blob = repository.git("rev-parse", "v1"), repository.git("rev-parse", "HEAD:a")
    absent = "1" * 40
    found = commits(scratch, [tag, repository.tree(), blob, absent, head, head])
    assert (
        list(map(state_of, (found[tag], found[repository.tree()], found[blob])))
        == [BaseState.NOT_A_COMMIT] * 3
    )
    assert found[tag] == Unusable(BaseState.NOT_A_COMMIT, "it is the id of a tag")
    assert state_of(found[absent]) is BaseState.ABSENT
    assert isinstance(found[head], Commit)
    assert len(found) == 5


def test_trap_23_a_commit_without_its_tree_is_absent(repository: Repository, scratch: Scratch) -> None:
    first = repository.commit({"a": "1"})
    repository.commit({"a": "2"})
    repository.remove_object(repository.tree(first))
    assert commits(scratch, [first])[first] == Unusable(
        BaseState.ABSENT, "the commit is in this clone, but not its tree"
    )


def test_trap_45_a_damaged_object_leaves_the_others_answered(
    repository: Repository, scratch: Scratch
) -> None:
    ids = [repository.commit({"a": str(number)}) for number in range(4)]
    for damaged in (ids[1], repository.tree(ids[2])):
        file = repository.loose_object(damaged)
        file.chmod(0o644)
        file.write_bytes(b"garbage")
    found = commits(scratch, ids)
    assert isinstance(found[ids[0]], Commit)
    assert isinstance(found[ids[3]], Commit)
    # To git a damaged loose object is as good as absent; a damaged tree ends the whole batch.
    assert state_of(found[ids[1]]) is BaseState.ABSENT
    assert state_of(found[ids[2]]) is BaseState.UNREADABLE


def test_a_commit_object_of_a_megabyte_is_not_read(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1"})
    raw = repository.git_bytes("cat-file", "commit", "HEAD") + b"x" * (1 << 20)
    large = repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw)
    assert state_of(commits(scratch, [large])[large]) is BaseState.UNREADABLE


def test_a_commit_with_a_broken_date_is_still_a_commit(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1"})
    raw = f"tree {repository.tree()}\nauthor x\ncommitter nobody <> someday\n\nm\n".encode()
    odd = repository.git("hash-object", "--literally", "-t", "commit", "-w", "--stdin", stdin=raw)
    assert commit(scratch, odd) == Commit(odd, repository.tree(), (), 0)


def test_a_commit_without_a_tree_is_unreadable(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1"})
    empty = repository.git("hash-object", "--literally", "-t", "commit", "-w", "--stdin", stdin=b"author x\n")
    assert isinstance(commits(scratch, [empty])[empty], Unusable)


def test_which_objects_exist_is_asked_whatever_their_type(repository: Repository, scratch: Scratch) -> None:
    head = repository.commit({"a": "1"})
    blob = repository.git("rev-parse", "HEAD:a")
    assert which_exist(scratch, [head, "1" * 40, blob, repository.tree()]) == {head, blob, repository.tree()}


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "x",
        "{name} blob",
        "{name} blob 5\nab",
        "1111 blob 1\na\n",
        "{name} blob x\na\n",
        "{name} blob 1\na\n",
    ],
)
def test_trap_45_a_batch_answer_counts_only_when_it_is_whole(
    repository: Repository, scratch: Scratch, tmp_path: Path, answer: str
) -> None:
    repository.commit({"a": "1"})
    blob = repository.git("rev-parse", "HEAD:a")
    liar = tmp_path / "bin" / "git"
    liar.parent.mkdir()
    said = answer.format(name=blob)
    real = shutil.which("git")
    liar.write_text(
        f"#!/bin/sh\n[ \"$2\" = --batch ] || exec {real} \"$@\"\ncat >/dev/null\nprintf '%s' '{said}'\n"
    )
    liar.chmod(0o755)
    env = {**scratch.git.env, "PATH": f"{liar.parent}:{os.environ['PATH']}"}
    lying = replace(scratch, git=replace(scratch.git, env=env))
    (found,) = read_blobs(lying, [blob], 100)
    assert found == (b"a" if answer.endswith("1\na\n") and "{name}" in answer else Unread(None))


def test_a_batch_that_takes_too_long_is_unread(
    repository: Repository, scratch: Scratch, tmp_path: Path
) -> None:
    repository.commit({"a": "1"})
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    env = {**scratch.git.env, "PATH": f"{slow.parent}:{os.environ['PATH']}"}
    late = replace(scratch, git=replace(scratch.git, env=env, seconds=0.2))
    assert list(read_blobs(late, ["1" * 40, "2" * 40], 100)) == [Unread(None), Unread(None)]


NAMES = [b"caf\xc3\xa9.py", b"tab\tx", b'quo"te', b"new\nline", b"bad\xff", b" lead", b"-dash", b"a/b/c",
         b"a.b", b"a", b":x", b"\xe4\xb8\xad/\xe6\x96\x87"]  # fmt: skip


def test_c028_a_tree_is_listed_in_byte_order_whatever_the_names(
    repository: Repository, scratch: Scratch
) -> None:
    files = {b"top/" + name if name == b"a" else name: b"1" for name in NAMES}
    repository.commit(dict(files))
    entries = list(list_tree(scratch, repository.tree()))
    assert [entry.path for entry in entries] == sorted(files)
    blob = repository.git("hash-object", "--stdin", stdin=b"1")
    assert set(entries) == {TreeEntry(b"100644", blob, path) for path in files}


def test_links_modes_and_submodules_are_listed(repository: Repository, scratch: Scratch) -> None:
    repository.write("run", "1")
    (repository.top / "run").chmod(0o755)
    (repository.top / "link").symlink_to("run")
    repository.git("add", "-A")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'2' * 40},sub")
    repository.commit_index()
    entries = {entry.path: entry for entry in list_tree(scratch, repository.tree())}
    assert {path: entry.mode for path, entry in entries.items()} == {
        b"run": b"100755", b"link": b"120000", b"sub": b"160000"
    }  # fmt: skip
    assert entries[b"sub"].id == "2" * 40


@pytest.mark.parametrize("under", [b".ophiuchus", b":(top)x", b"*", b"-x", b"bad\xff"])
def test_a_part_of_a_tree_is_named_literally(repository: Repository, scratch: Scratch, under: bytes) -> None:
    repository.commit({under + b"/a": "1", under + b"x/a": "2", b"other": "3"})
    assert [entry.path for entry in list_tree(scratch, repository.tree(), under)] == [under + b"/a"]


def test_a_tree_that_cannot_be_read_is_never_a_short_list(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1", "b/c/d": "2", "e": "3"})
    repository.remove_object(repository.git("rev-parse", "HEAD:b/c"))
    with pytest.raises(TreeUnreadable):
        list(list_tree(scratch, repository.tree()))
    with pytest.raises(TreeUnreadable):
        list(list_tree(scratch, "1" * 40))


def test_an_empty_tree_has_no_entries(repository: Repository, scratch: Scratch) -> None:
    repository.commit()
    assert list(list_tree(scratch, repository.tree())) == []


def test_blobs_are_read_in_order_and_never_over_the_limit(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1\n2\n", "big": "x" * 1001, "just": "x" * 1000, "empty": ""})
    a, big, just, empty = (
        repository.git("rev-parse", f"HEAD:{name}") for name in ("a", "big", "just", "empty")
    )
    wanted = [big, a, "1" * 40, just, repository.tree(), empty, a]
    assert list(read_blobs(scratch, wanted, 1000)) == [
        Unread(1001), b"1\n2\n", Unread(None), b"x" * 1000, Unread(None), b"", b"1\n2\n"
    ]  # fmt: skip


def test_what_stands_before_and_behind_the_first_that_is_too_large_is_read(
    repository: Repository, scratch: Scratch
) -> None:
    repository.commit({"a": "1\n", "big": "x" * 1001, "bigger": "y" * 100_000})
    a, big, bigger = (repository.git("rev-parse", f"HEAD:{name}") for name in ("a", "big", "bigger"))
    none, tree = "1" * 40, repository.tree()
    assert list(read_blobs(scratch, [none, tree, a, bigger, tree, big, none, a, big], 1000)) == [
        Unread(None), Unread(None), b"1\n", Unread(100_000), Unread(None), Unread(1001), Unread(None), b"1\n",
        Unread(1001),
    ]  # fmt: skip


def test_a_damaged_blob_leaves_the_others_read(repository: Repository, scratch: Scratch) -> None:
    names = [f"f{number}" for number in range(5)]
    repository.commit({name: os.urandom(3000).hex() for name in names})
    ids = [repository.git("rev-parse", f"HEAD:{name}") for name in names]
    file = repository.loose_object(ids[2])
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:100])
    found = list(read_blobs(scratch, ids, 10_000))
    assert [isinstance(content, bytes) for content in found] == [True, True, False, True, True]


def test_many_blobs_arrive_whole(repository: Repository, scratch: Scratch) -> None:
    files = {f"f{number}": f"{number}\n" * 4000 for number in range(300)}
    repository.commit(dict(files))
    entries = list(list_tree(scratch, repository.tree()))
    contents = read_blobs(scratch, [entry.id for entry in entries], 1 << 20)
    assert {entry.path.decode(): content for entry, content in zip(entries, contents, strict=True)} == {
        name: content.encode() for name, content in files.items()
    }


def test_the_wish_to_stop_early_is_honoured(repository: Repository, scratch: Scratch) -> None:
    repository.commit({f"f{number}": str(number) * 5000 for number in range(200)})
    listing = list_tree(scratch, repository.tree())
    first = next(listing)
    listing.close()  # type: ignore[attr-defined]  # an iterator by contract, a generator in fact
    assert next(iter(read_blobs(scratch, [first.id] * 500, 1 << 20))) == b"0" * 5000
