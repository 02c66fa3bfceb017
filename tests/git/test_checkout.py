from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from git_repository import ENV, Repository

from ophiuchus.git.checkout import (
    BareRepository,
    BorrowedObjects,
    NotARepository,
    UnknownRevision,
    UnreadableRepository,
    WorkingFolderGone,
    open_checkout,
    resolve_commit,
)
from ophiuchus.git.process import GitMissing, GitTooOld


def test_a_clone_is_described(repository: Repository) -> None:
    head = repository.commit({"a": "1"})
    checkout = open_checkout(repository.top, ENV, in_ci=True)
    assert checkout.top == repository.top
    assert checkout.git_dir == repository.top / ".git"
    assert checkout.objects == repository.top / ".git" / "objects"
    assert checkout.index == repository.top / ".git" / "index"
    assert checkout.shallow is None
    assert checkout.object_format == "sha1"
    assert checkout.head == head


def test_a_shallow_clone_names_its_shallow_file(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"a": "1"})
    repository.commit({"a": "2"})
    shallow = Repository.clone(repository, tmp_path / "s", "--depth=1")
    assert open_checkout(shallow.top, ENV).shallow == shallow.top / ".git" / "shallow"


def test_trap_30_a_sha256_repository_is_described(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r", object_format="sha256")
    head = repository.commit({"a": "1"})
    checkout = open_checkout(repository.top, ENV)
    assert checkout.object_format == "sha256"
    assert checkout.head == head
    assert len(head) == 64


def test_trap_42_a_repository_without_commit_has_no_head(repository: Repository) -> None:
    assert open_checkout(repository.top, ENV).head is None


def test_trap_31_a_linked_worktree_has_its_own_head_and_the_shared_objects(
    repository: Repository, tmp_path: Path
) -> None:
    first = repository.commit({"a": "1"})
    repository.git("branch", "other")
    repository.commit({"a": "2"})
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", str(linked), "other")
    checkout = open_checkout(linked, ENV)
    assert checkout.head == first
    assert checkout.objects == repository.top / ".git" / "objects"
    assert checkout.index == repository.top / ".git" / "worktrees" / "linked" / "index"


def test_trap_31_a_git_file_is_followed(repository: Repository, tmp_path: Path) -> None:
    head = repository.commit({"a": "1"})
    shutil.move(repository.top / ".git", tmp_path / "elsewhere")
    (repository.top / ".git").write_text(f"gitdir: {tmp_path / 'elsewhere'}\n")
    assert open_checkout(repository.top, ENV).head == head


@pytest.mark.parametrize(
    "name", ["with blank", 'quo"te', "new\nline", "ünï", "back\\slash", "-dash", "\ttab"]
)
def test_odd_folder_names_do_not_matter(tmp_path: Path, name: str) -> None:
    repository = Repository.create(tmp_path / name)
    head = repository.commit({"a": "1"})
    checkout = open_checkout(repository.top, ENV)
    assert (checkout.top, checkout.head) == (repository.top, head)
    assert checkout.objects == repository.top / ".git" / "objects"


def test_trap_32_another_owner_is_no_hindrance(repository: Repository) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    head = repository.commit({"a": "1"})
    for folder, _, files in os.walk(repository.top):
        os.chown(folder, 1001, 1001)
        for name in files:
            os.chown(Path(folder, name), 1001, 1001)
    assert open_checkout(repository.top, ENV, in_ci=True).head == head
    assert resolve_commit(open_checkout(repository.top, ENV), "main", ENV) == head


def test_a_folder_that_is_no_checkout_says_what_to_add(tmp_path: Path) -> None:
    with pytest.raises(NotARepository) as caught:
        open_checkout(tmp_path, ENV, in_ci=True)
    assert "actions/checkout" in caught.value.remedy
    assert "`path`" in caught.value.remedy


def test_a_working_folder_that_was_deleted_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(WorkingFolderGone, match="working folder") as caught:
        open_checkout(Path(), ENV)
    assert "Change to a folder" in caught.value.remedy


def test_a_person_may_stand_below_the_top_and_ci_may_not(repository: Repository) -> None:
    head = repository.commit({"deep/down/a": "1"})
    below = repository.top / "deep" / "down"
    assert open_checkout(below, ENV).head == head
    with pytest.raises(NotARepository):
        open_checkout(below, ENV, in_ci=True)


def test_trap_35_a_bare_repository_planted_in_the_tree_is_refused(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit({"a": "1"})
    marker = tmp_path / "ran"
    evil = repository.top / "evil"
    shutil.copytree(repository.top / ".git", evil)
    (evil / "config").write_text(
        f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ".."\n'
        f'\tfsmonitor = "touch {marker}; false"\n'
    )
    for in_ci in (True, False):
        for folder in (evil, evil / "refs"):
            with pytest.raises((BareRepository, NotARepository)):
                open_checkout(folder, ENV, in_ci=in_ci)
    assert not marker.exists()


def test_the_git_folder_itself_is_no_checkout(repository: Repository) -> None:
    repository.commit({"a": "1"})
    with pytest.raises(BareRepository):
        open_checkout(repository.top / ".git", ENV)


@pytest.mark.parametrize("damage", ["config", "HEAD", "empty", "format", "elsewhere"])
def test_trap_44_a_damaged_repository_is_a_fact_of_its_own(repository: Repository, damage: str) -> None:
    repository.commit({"a": "1"})
    git_dir = repository.top / ".git"
    if damage == "config":
        with (git_dir / "config").open("a") as config:
            config.write("[bad\n")
    elif damage == "HEAD":
        (git_dir / "HEAD").write_text("nonsense\n")
    elif damage == "empty":
        shutil.rmtree(git_dir)
        git_dir.mkdir()
    elif damage == "elsewhere":
        shutil.rmtree(git_dir)
        git_dir.write_text("gitdir: /nowhere/main/.git/worktrees/w\n")
    else:
        (git_dir / "config").write_text("[core]\n\trepositoryformatversion = 99\n")
    with pytest.raises(UnreadableRepository) as caught:
        open_checkout(repository.top, ENV)
    assert "linked worktree" in caught.value.remedy


def test_borrowed_objects_are_a_persons_choice_and_refused_in_ci(
    repository: Repository, tmp_path: Path
) -> None:
    head = repository.commit({"a": "1"})
    repository.git("clone", "-q", "--shared", str(repository.top), str(tmp_path / "c"))
    assert open_checkout(tmp_path / "c", ENV).head == head
    with pytest.raises(BorrowedObjects) as caught:
        open_checkout(tmp_path / "c", ENV, in_ci=True)
    assert "--shared" in caught.value.remedy


@pytest.mark.parametrize(
    "name",
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE", "GIT_CEILING_DIRECTORIES",
     "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_CONFIG_PARAMETERS", "GIT_SHALLOW_FILE", "GIT_PREFIX",
     "GIT_DEFAULT_HASH", "GIT_TRACE", "GIT_EXEC_PATH"],
)  # fmt: skip
def test_traps_33_and_46_no_variable_of_the_caller_changes_what_is_found(
    repository: Repository, name: str, tmp_path: Path
) -> None:
    repository.commit({"a": "1"})
    clean = open_checkout(repository.top, ENV)
    assert open_checkout(repository.top, {**ENV, name: str(tmp_path / "nowhere")}) == clean


def test_the_index_that_git_gives_its_hook_is_the_one_that_counts(
    repository: Repository, tmp_path: Path
) -> None:
    """`git commit --all` and `git commit PATH` make one of their own, beside the checkout's."""
    repository.commit({"a": "1"})
    own = open_checkout(repository.top, ENV).index
    of_the_commit, of_another = own.with_name("next-index-7.lock"), tmp_path / "index"
    for place in (of_the_commit, of_another):
        place.write_bytes(own.read_bytes())
    for spelled in (str(of_the_commit), f".git/{of_the_commit.name}"):
        assert open_checkout(repository.top, {**ENV, "GIT_INDEX_FILE": spelled}).index == of_the_commit
    assert open_checkout(repository.top, {**ENV, "GIT_INDEX_FILE": str(of_another)}).index == own
    in_ci = open_checkout(repository.top, {**ENV, "GIT_INDEX_FILE": str(of_the_commit)}, in_ci=True)
    assert in_ci.index == own


def test_no_git_on_the_path_is_a_fact(repository: Repository, tmp_path: Path) -> None:
    with pytest.raises(GitMissing):
        open_checkout(repository.top, {"PATH": str(tmp_path)})


@pytest.mark.parametrize("path", ["", ".", ".::bin", "./bin:"])
def test_no_git_is_taken_from_a_relative_path_entry(
    repository: Repository, tmp_path: Path, path: str
) -> None:
    head = repository.commit({"a": "1"})
    marker = tmp_path / "ran"
    for place in ("git", "bin/git"):
        repository.write(place, f"#!/bin/sh\n: > {marker}\n")
        (repository.top / place).chmod(0o755)
    assert open_checkout(repository.top, {"PATH": path}).head == head
    assert not marker.exists()


def test_a_git_that_is_too_old_is_named(repository: Repository, tmp_path: Path) -> None:
    old = tmp_path / "git"
    old.write_text('#!/bin/sh\n[ "$1" = version ] && echo "git version 2.17.1" && exit\nexit 129\n')
    old.chmod(0o755)
    with pytest.raises(GitTooOld) as caught:
        open_checkout(repository.top, {"PATH": str(tmp_path)})
    assert "2.17.1" in caught.value.message


def test_a_person_may_name_a_commit_in_every_way_git_knows(repository: Repository) -> None:
    first = repository.commit({"a": "1"})
    second = repository.commit({"a": "2"})
    repository.git("tag", "-am", "t", "v1", first)
    checkout = open_checkout(repository.top, ENV)
    for name, commit in {"main": second, "HEAD~1": first, "v1": first, first[:10]: first}.items():
        assert resolve_commit(checkout, name, ENV) == commit


@pytest.mark.parametrize(
    "name",
    ["", "nope", "--all", "--output=pwned", "main:a", "^main", "HEAD..main", "a\0b", "\ud800", "1" * 40],
)
def test_traps_28_and_37_what_names_no_commit_is_refused_with_a_remedy(
    repository: Repository, name: str
) -> None:
    repository.commit({"a": "1"})
    before = repository.fingerprint()
    with pytest.raises(UnknownRevision) as caught:
        resolve_commit(open_checkout(repository.top, ENV), name, ENV)
    assert "fetch-depth: 0" in caught.value.remedy
    assert repository.fingerprint() == before
