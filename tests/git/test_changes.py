from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from git_repository import ENV, Repository

from ophiuchus.git import base_facts, glob_trie, objects, tree_chain
from ophiuchus.git.anchors import digest_globs
from ophiuchus.git.changes import Fetch, look
from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.findings import (
    CHANGED_SHOWN,
    TOO_MANY_FILES,
    AnchorFact,
    BaseFact,
    BaseState,
    Change,
    ChangedPath,
    GlobFact,
    PathsFacts,
    PathsQuestion,
)
from ophiuchus.git.objects import Unusable
from ophiuchus.git.scratch import open_scratch

Anchors = Mapping[str, str]
NO_ANCHORS: Anchors = {}


def asked(
    repository: Repository,
    *questions: PathsQuestion,
    fetch: Fetch | None = None,
    env: Mapping[str, str] = ENV,
    tree: str | None = None,
) -> list[PathsFacts]:
    """The answers about HEAD; nothing of the clone may change by asking."""
    before = repository.fingerprint()
    checkout = open_checkout(repository.top, env)
    assert checkout.head is not None
    with open_scratch(checkout, env) as scratch:
        facts = list(look(scratch, tree or repository.tree(), questions, head=checkout.head, fetch=fetch))
    assert repository.fingerprint() == before
    return facts


def facts_of(
    repository: Repository, base: str | None, *globs: str, anchors: Anchors = NO_ANCHORS
) -> PathsFacts:
    (facts,) = asked(repository, PathsQuestion(globs, base, anchors))
    return facts


def changes(repository: Repository, base: str, glob: str = "**") -> dict[str, str]:
    """The changed paths of one glob with the kind of change."""
    facts = facts_of(repository, base, glob)
    assert facts.base_state is BaseState.COMPARED
    (fact,) = facts.globs
    assert fact.base is not None
    assert fact.base.changed_count == len(fact.base.changed)
    return {found.path.decode("utf-8", "backslashreplace"): found.change.value for found in fact.base.changed}


def word(repository: Repository, base: str, glob: str) -> str:
    """changed, same or nothing, as trees tell."""
    (fact,) = facts_of(repository, base, glob).globs
    assert fact.base is not None
    if fact.base.changed_count:
        return "changed"
    return "same" if fact.matches_now else "nothing"


def test_no_question_needs_no_answer(repository: Repository) -> None:
    repository.commit({"a": "1"})
    assert asked(repository) == []


def test_c001_trap_24_an_absent_base_is_never_an_empty_diff(repository: Repository, tmp_path: Path) -> None:
    commits = [repository.commit({"auth.py": str(number)}) for number in range(4)]
    shallow = Repository.clone(repository, tmp_path / "s", "--depth=1")
    facts = facts_of(shallow, commits[0], "auth.py")
    assert facts.base_state is BaseState.ABSENT
    assert facts.globs == (GlobFact("auth.py", matches_now=True),)
    assert facts.in_history is None
    assert changes(shallow, commits[3]) == {}


def test_trap_12_a_rename_is_seen_at_both_names(repository: Repository) -> None:
    base = repository.commit({"src/old.py": "\n".join(map(str, range(50)))})
    repository.git("mv", "src/old.py", "new.py")
    repository.commit_index()
    assert changes(repository, base, "src/**") == {"src/old.py": "deleted"}
    assert changes(repository, base, "src/old.py") == {"src/old.py": "deleted"}
    assert changes(repository, base, "new.py") == {"new.py": "added"}


def test_trap_13_additions_and_deletions_are_changes(repository: Repository) -> None:
    base = repository.commit({"src/a": "1", "gone/x": "1"})
    repository.commit({"src/new.py": "1", "gone/x": None})
    words = {glob: word(repository, base, glob) for glob in ("src/**", "src/a", "gone", "gone/x", "never/**")}
    assert words == {
        "src/**": "changed",
        "src/a": "same",
        "gone": "changed",
        "gone/x": "changed",
        "never/**": "nothing",
    }


def test_c092_traps_14_15_modes_and_links_are_seen(repository: Repository) -> None:
    repository.write("run.sh", "1")
    repository.write("same", "data/real")
    repository.write("both", "1")
    repository.write("data/real", "1")
    for name, target in {"link": "a", "kept": "data/real"}.items():
        (repository.top / name).symlink_to(target)
    base = repository.commit()
    for name in ("run.sh", "both"):
        (repository.top / name).chmod(0o755)
    repository.write("both", "2")
    repository.write("data/real", "2")
    (repository.top / "same").unlink()
    (repository.top / "same").symlink_to("data/real")
    (repository.top / "link").unlink()
    (repository.top / "link").symlink_to("b")
    repository.commit()
    assert changes(repository, base) == {
        "run.sh": "mode", "same": "type", "link": "content", "both": "content", "data/real": "content"
    }  # fmt: skip
    assert word(repository, base, "kept") == "same"
    assert word(repository, base, "kept/**") == "nothing"


def submodule(repository: Repository, path: str, pointer: str) -> None:
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{pointer},{path}")


def test_c037_trap_16_a_glob_at_or_below_a_submodule_follows_its_pointer(repository: Repository) -> None:
    repository.write("a", "1")
    repository.git("add", "a")
    submodule(repository, "vendor/sub", "1" * 40)
    base = repository.commit_index()
    submodule(repository, "vendor/sub", "2" * 40)
    moved = repository.commit_index()
    below = (
        "vendor/sub",
        "vendor/sub/",
        "vendor/sub/**",
        "vendor/sub/x.py",
        "vendor/sub/*/y",
        "vendor/sub/a/**",
    )
    pointer = ChangedPath(b"vendor/sub", Change.SUBMODULE)
    for fact in facts_of(repository, base, *below).globs:
        assert fact == GlobFact(fact.glob, None, True, BaseFact(1, (pointer,)), submodule=b"vendor/sub")
    for fact in facts_of(repository, moved, *below).globs:
        assert fact == GlobFact(fact.glob, None, True, BaseFact(0), submodule=b"vendor/sub")
    around, beside = facts_of(repository, base, "vendor/**", "vendor/*/x.py").globs
    assert around.base == BaseFact(1, (pointer,))
    assert around.submodule is None
    assert beside == GlobFact("vendor/*/x.py", base=BaseFact(0))


def test_a_submodule_that_came_or_went_is_followed(repository: Repository) -> None:
    repository.write("a", "1")
    repository.git("add", "a")
    without = repository.commit_index()
    submodule(repository, "sub", "1" * 40)
    with_it = repository.commit_index()
    assert changes(repository, without, "sub/x/**") == {"sub": "added"}
    repository.git("update-index", "--force-remove", "sub")
    repository.write("sub/x/y", "1")
    repository.git("add", "sub/x/y")
    repository.commit_index()
    for glob in ("sub/x/**", "sub/x/y"):
        assert changes(repository, with_it, glob) == {"sub": "deleted", "sub/x/y": "added"}
        assert changes(repository, without, glob) == {"sub/x/y": "added"}
        (fact,) = facts_of(repository, with_it, glob).globs
        assert fact.submodule == b"sub"
        (fact,) = facts_of(repository, without, glob).globs
        assert fact.submodule is None


def test_trap_21_the_tree_cannot_hide_a_moved_pointer(repository: Repository) -> None:
    repository.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = x\n')
    repository.git("add", ".gitmodules")
    submodule(repository, "sub", "1" * 40)
    base = repository.commit_index()
    repository.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = x\n\tignore = all\n')
    repository.git("add", ".gitmodules")
    submodule(repository, "sub", "2" * 40)
    repository.commit_index()
    repository.git("config", "submodule.sub.ignore", "all")
    assert changes(repository, base, "sub") == {"sub": "submodule"}


def test_c058_traps_17_18_19_the_work_tree_has_no_part_in_it(repository: Repository) -> None:
    base = repository.commit({"t": "1\r\n", "b/y": "1", "s": "1"})
    repository.commit({"b/y": "2"})
    repository.git("config", "core.autocrlf", "true")
    repository.git("sparse-checkout", "set", "--cone", "nowhere")
    repository.write("t", "dirty")
    repository.write("untracked", "1")
    repository.git("update-index", "--assume-unchanged", "s")
    repository.write("s", "2")
    assert not (repository.top / "b").exists()
    assert changes(repository, base) == {"b/y": "content"}


def test_trap_20_a_folder_below_the_top_changes_nothing(repository: Repository) -> None:
    base = repository.commit({"src/a": "1", "sub/src/a": "1"})
    repository.commit({"src/a": "2"})
    repository.git("config", "diff.relative", "true")
    with open_scratch(open_checkout(repository.top / "sub", ENV), ENV) as scratch:
        (facts,) = look(scratch, repository.tree(), [PathsQuestion(("src/a",), base)])
    assert facts.globs[0].base == BaseFact(1, (ChangedPath(b"src/a", Change.CONTENT),))
    assert facts.in_history is None


def test_c125_trap_22_a_partial_clone_without_blobs_is_judged_offline(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    base = repository.commit({"a/x": "1" * 300, "b/y": "2" * 300})
    repository.git("mv", "b/y", "b/z")
    repository.commit({"a/x": "3"})
    partial = Repository.clone(repository, tmp_path / "p", "--no-checkout", "--filter=blob:none")
    partial.git("remote", "set-url", "origin", "file:///nonexistent")
    assert changes(partial, base) == {"a/x": "content", "b/y": "deleted", "b/z": "added"}


def test_trap_23_a_base_without_its_trees_is_absent(repository: Repository, tmp_path: Path) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("config", "uploadpack.allowAnySHA1InWant", "true")
    base = repository.commit({"a/1/f": "1", "b/f": "1"})
    repository.commit({"a/1/f": "2"})
    treeless = Repository.clone(repository, tmp_path / "p", "--filter=tree:0")
    facts = facts_of(treeless, base, "b/f")
    assert facts.base_state is BaseState.ABSENT
    assert facts.detail == "the commit is in this clone, but not its tree"


def test_trap_25_replace_refs_and_grafts_change_nothing(repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    head = repository.commit({"a": "2"})
    repository.git("replace", base, head)
    assert changes(repository, base) == {"a": "content"}
    repository.git("replace", "-d", base)
    repository.git("replace", repository.tree(head), repository.tree(base))
    env = {"GIT_NO_REPLACE_OBJECTS": "1"}
    tree = repository.git("rev-parse", "HEAD^{tree}", env=env)
    (facts,) = asked(repository, PathsQuestion(("a",), base), tree=tree)
    assert facts.globs[0].base == BaseFact(1, (ChangedPath(b"a", Change.CONTENT),))


def test_c010_trap_26_the_commit_that_is_checked_out_is_judged(repository: Repository) -> None:
    base = repository.commit({"a": "1", "b": "1"})
    repository.git("checkout", "-q", "-b", "pr")
    repository.commit({"a": "2"})
    repository.git("checkout", "-q", "main")
    repository.commit({"b": "2"})
    repository.git("checkout", "-q", "--detach", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "pr")
    assert changes(repository, base) == {"a": "content", "b": "content"}
    repository.git("checkout", "-q", "pr")
    assert changes(repository, base) == {"a": "content"}


def test_c071_traps_27_40_ancestry_decides_nothing_and_is_told(repository: Repository) -> None:
    first = repository.commit({"f": "1", "g": "1"})
    second = repository.commit({"f": "2"})
    repository.git("checkout", "-q", "--detach", first)
    ahead = facts_of(repository, second, "f")
    assert ahead.globs[0].base == BaseFact(1, (ChangedPath(b"f", Change.CONTENT),))
    assert ahead.in_history is False
    side = repository.commit({"f": "2"})
    assert changes(repository, second) == {}
    assert facts_of(repository, first, "f").in_history is True
    assert facts_of(repository, side, "f").in_history is True
    assert facts_of(repository, second, "f").in_history is False


def test_history_that_is_not_there_tells_nothing(repository: Repository, tmp_path: Path) -> None:
    commits = [repository.commit({"f": str(number)}) for number in range(5)]
    repository.git("checkout", "-q", "-b", "side", commits[0])
    side = repository.commit({"g": "1"})
    repository.git("checkout", "-q", "main")
    shallow = Repository.clone(repository, tmp_path / "s", "--depth=2", "--no-single-branch")
    assert facts_of(shallow, commits[4], "f").in_history is True
    assert facts_of(shallow, commits[3], "f").in_history is True
    assert facts_of(shallow, side, "f").in_history is None
    assert facts_of(shallow, commits[0], "f").in_history is None
    repository.remove_object(commits[2])
    broken = facts_of(repository, commits[1], "f")
    assert broken.base_state is BaseState.COMPARED
    assert broken.in_history is None


def test_c079_trap_40_changed_and_changed_back_is_unchanged(repository: Repository) -> None:
    base = repository.commit({"f": "1"})
    repository.commit({"f": "2"})
    repository.commit({"f": "1"})
    assert word(repository, base, "f") == "same"


def test_c065_c124_traps_28_29_only_a_full_id_is_a_base(repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    repository.commit({"a": "2"})
    repository.git("tag", "-am", "t", "v1", base)
    repository.git("branch", "deadbee")
    spellings = [
        "HEAD", "HEAD~1", "main", "v1", "deadbee", base[:7], base[:39], base + "0", base.upper(), base + " ",
        " " + base, base + "\n", f"{base}^{{commit}}", "", "^HEAD", f"{base}..HEAD", "--output=pwned.txt",
        "--cached", "-O/etc/passwd", ":/x", "HEAD:a", "@{-1}", "\ud800", "a\0b", "\uff11" * 40, "a" * 64,
    ]  # fmt: skip
    for text, facts in zip(
        spellings, asked(repository, *(PathsQuestion(("a",), text) for text in spellings)), strict=True
    ):
        assert facts.base_state is BaseState.MALFORMED, text
        assert facts.globs == (GlobFact("a", matches_now=True),)
    objects = {
        repository.git("rev-parse", "v1"): "it is the id of a tag",
        repository.tree(base): "it is the id of a tree",
        repository.git("rev-parse", f"{base}:a"): "it is the id of a blob",
    }
    for text, facts in zip(
        objects, asked(repository, *(PathsQuestion(("a",), text) for text in objects)), strict=True
    ):
        assert facts.base_state is BaseState.NOT_A_COMMIT
        assert facts.detail == objects[text]
    assert facts_of(repository, "0" * 40, "a").base_state is BaseState.ABSENT
    assert facts_of(repository, None, "a").base_state is BaseState.NOT_DECLARED


def test_trap_30_a_sha256_repository_is_judged_by_its_own_ids(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r", object_format="sha256")
    base = repository.commit({"a": "1", "b": "1"})
    repository.commit({"a": "2"})
    assert changes(repository, base) == {"a": "content"}
    abbreviated = facts_of(repository, base[:40], "a")
    assert abbreviated.base_state is BaseState.MALFORMED
    assert abbreviated.detail == "it has the length of a sha1 id, and the ids of this repository are sha256"
    assert facts_of(repository, base.upper(), "a").detail == "it has upper-case letters"


def test_trap_31_a_linked_worktree_is_judged_by_its_own_head(repository: Repository, tmp_path: Path) -> None:
    base = repository.commit({"a": "1"})
    repository.git("branch", "other")
    repository.commit({"a": "2"})
    repository.git("worktree", "add", "-q", str(tmp_path / "w"), "other")
    assert changes(Repository(tmp_path / "w"), base) == {}
    assert changes(repository, base) == {"a": "content"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_WORK_TREE", "/"),
        ("GIT_DIR", "/nowhere"),
        ("GIT_PREFIX", "zz/"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_NOGLOB_PATHSPECS", "1"),
        ("GIT_ICASE_PATHSPECS", "1"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere"),
        ("GIT_REPLACE_REF_BASE", "refs/heads/"),
        ("GIT_EXTERNAL_DIFF", "/bin/false"),
        ("GIT_CONFIG_PARAMETERS", "'diff.renames'='true'"),
        ("GIT_DIFF_OPTS", "--unified=0"),
        ("GIT_TRACE", "1"),
    ],
)
def test_traps_33_46_no_leaked_variable_changes_a_fact(repository: Repository, name: str, value: str) -> None:
    base = repository.commit({"src/a": "1"})
    repository.commit({"src/a": "2"})
    (facts,) = asked(repository, PathsQuestion(("src/*",), base), env={**ENV, name: value})
    assert facts.globs[0].base == BaseFact(1, (ChangedPath(b"src/a", Change.CONTENT),))


def test_traps_34_35_44_nothing_of_a_hostile_checkout_runs_or_matters(
    repository: Repository, tmp_path: Path
) -> None:
    fired = tmp_path / "fired"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {fired}\ncat\n")
    program.chmod(0o755)
    repository.write(".gitattributes", "* diff=evil filter=evil merge=evil\n")
    base = repository.commit({"t.txt": "1", "a": "1"})
    repository.commit({"t.txt": "2"})
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "post-fetch"):
        (hooks / hook).write_bytes(program.read_bytes())
        (hooks / hook).chmod(0o755)
    for key, value in {
        "core.fsmonitor": program, "diff.external": program, "diff.evil.textconv": program,
        "diff.evil.command": program, "filter.evil.clean": program, "filter.evil.smudge": program,
        "core.pager": program, "core.hooksPath": hooks, "core.sshCommand": program, "core.askpass": program,
        "core.editor": program, "credential.helper": program, "core.alternateRefsCommand": program,
        "alias.rev-parse": f"!{program}", "alias.diff-tree": f"!{program}", "alias.cat-file": f"!{program}",
        "uploadpack.packObjectsHook": program, "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true", "remote.origin.uploadpack": program, "protocol.ext.allow": "always",
        "protocol.allow": "always", "extensions.partialClone": "origin", "core.repositoryformatversion": "1",
        "gpg.program": program, "trace2.normalTarget": tmp_path / "trace", "diff.orderFile": "/nonexistent",
        "diff.wsErrorHighlight": "bogus", "diff.renames": "copies", "diff.noprefix": "true",
        "submodule.recurse": "true", "core.quotePath": "false", "core.abbrev": "4",
        "diff.ignoreSubmodules": "all",
        "core.attributesFile": program, "include.path": "/nonexistent", "core.ignoreCase": "true",
    }.items():  # fmt: skip
        repository.git("config", key, str(value))
    fired.unlink(missing_ok=True)
    assert changes(repository, base) == {"t.txt": "content"}
    absent = facts_of(repository, "1" * 40, "a")
    assert absent.base_state is BaseState.ABSENT
    assert not fired.exists()
    assert not (tmp_path / "trace").exists()


def test_c017_trap_36_what_matches_nothing_is_told_apart(repository: Repository) -> None:
    base = repository.commit({"src/a": "1", "gone": "1"})
    repository.commit({"gone": None})
    nothing, unclosed, gone, src = facts_of(repository, base, "scr/**", "src/[a-z", "gone", "src/*").globs
    assert nothing == GlobFact("scr/**", base=BaseFact(0))
    assert unclosed == GlobFact("src/[a-z", base=BaseFact(0))
    assert gone == GlobFact("gone", base=BaseFact(1, (ChangedPath(b"gone", Change.DELETED),)))
    assert src == GlobFact("src/*", matches_now=True, base=BaseFact(0))


def test_c091_traps_04_07_08_a_refused_glob_says_why_and_spoils_no_other(repository: Repository) -> None:
    base = repository.commit({"src/x": "1"})
    magic, braces, src = facts_of(repository, base, ":!src", "src/{x,y}", "src", anchors={":!src": "x"}).globs
    assert magic == GlobFact(
        ":!src", refused="starts with ':', which is git's pathspec magic and not supported"
    )
    assert braces.refused is not None
    assert braces.base is None
    assert src == GlobFact("src", matches_now=True, base=BaseFact(0))
    assert facts_of(repository, base, ":", "/").base_state is BaseState.COMPARED


def test_c028_trap_10_odd_names_are_matched_and_told_as_bytes(repository: Repository) -> None:
    names = [
        "caf\u00e9.py",
        "tab\tx.py",
        "new\nline",
        'q"uote',
        " lead",
        "trail ",
        "-dash",
        "中/文.md",
        "back\\slash",
    ]
    base = repository.commit({name.encode(): b"1" for name in names} | {b"bad\xff.py": b"1"})
    repository.commit({name.encode(): b"2" for name in names} | {b"bad\xff.py": b"2"})
    for name, fact in zip(names, facts_of(repository, base, *names).globs, strict=True):
        assert fact.base == BaseFact(1, (ChangedPath(name.encode(), Change.CONTENT),))
    (fact,) = facts_of(repository, base, "bad*").globs
    assert fact.base == BaseFact(1, (ChangedPath(b"bad\xff.py", Change.CONTENT),))


@pytest.mark.parametrize("count", [1, CHANGED_SHOWN, CHANGED_SHOWN + 1, 300])
def test_shown_paths_are_capped_in_byte_order_and_their_count_is_exact(
    repository: Repository, count: int
) -> None:
    base = repository.commit({"z": "1", ".ophiuchus/c": "1"})
    repository.commit({f"d{number % 7}/f{number}": "1" for number in range(count)} | {".ophiuchus/c": "2"})
    paths = sorted(f"d{number % 7}/f{number}".encode() for number in range(count))
    expected = BaseFact(count, tuple(ChangedPath(path, Change.ADDED) for path in paths[:CHANGED_SHOWN]))
    for fact in facts_of(repository, base, "**", "d*/**", "**/f*", "d*/f*", "*/**").globs:
        assert fact.base == expected


@pytest.mark.parametrize("count", [1, CHANGED_SHOWN - 1, CHANGED_SHOWN, CHANGED_SHOWN + 1])
def test_what_a_glob_matches_one_by_one_and_as_a_folder_is_shown_in_one_order(
    repository: Repository, count: int
) -> None:
    """`[ab]` is the files `a` and `b`, and everything below the folder of that very name."""
    paths = ["A", "a", "b", *(f"[ab]/f{number}" for number in range(count))]
    base = repository.commit(dict.fromkeys(paths, "1"))
    repository.commit(dict.fromkeys(paths, "2"))
    matched = sorted(path.encode() for path in paths if path != "A")
    shown = tuple(ChangedPath(path, Change.CONTENT) for path in matched[:CHANGED_SHOWN])
    (fact,) = facts_of(repository, base, "[ab]").globs
    assert fact.base == BaseFact(count + 2, shown)


def test_trap_41_file_and_folder_may_swap_and_case_tells_files_apart(repository: Repository) -> None:
    base = repository.commit({"p": "1", "q/x": "1", "README": "1", "readme": "1"})
    (repository.top / "p").unlink()
    (repository.top / "q" / "x").unlink()
    (repository.top / "q").rmdir()
    repository.commit({"p/y": "1", "q": "1", "readme": "2"})
    assert changes(repository, base, "p") == {"p": "deleted", "p/y": "added"}
    assert changes(repository, base, "p/**") == {"p/y": "added"}
    assert changes(repository, base, "q") == {"q": "added", "q/x": "deleted"}
    assert word(repository, base, "README") == "same"
    assert word(repository, base, "readme") == "changed"


def test_trap_42_empty_trees_and_roots_are_compared(repository: Repository) -> None:
    empty = repository.commit()
    assert facts_of(repository, empty, "**").globs == (GlobFact("**", base=BaseFact(0)),)
    base = repository.commit({"a": "1"})
    assert changes(repository, empty) == {"a": "added"}
    assert word(repository, base, "**") == "same"
    repository.commit({"a": None})
    assert changes(repository, base) == {"a": "deleted"}


def test_traps_39_45_a_tree_that_cannot_be_read_spoils_its_own_base_only(repository: Repository) -> None:
    bases = [repository.commit({"a/b/f": str(number), "c/g": str(number % 3)}) for number in range(9)]
    repository.commit({"a/b/f": "now", "c/g": "now"})
    unreadable = {bases[2]: f"{bases[2]}:a/b", bases[3]: f"{bases[3]}:a", bases[7]: f"{bases[7]}:a/b"}
    for spelled in unreadable.values():
        repository.remove_object(repository.git("rev-parse", spelled))
    damaged = repository.loose_object(repository.git("rev-parse", f"{bases[5]}:a/b"))
    damaged.chmod(0o644)
    damaged.write_bytes(b"garbage")
    rootless = repository.loose_object(repository.tree(bases[6]))
    rootless.unlink()
    answers = asked(repository, *(PathsQuestion(("a", "c"), base) for base in bases))
    states = {base: facts.base_state for base, facts in zip(bases, answers, strict=True)}
    assert {base for base, state in states.items() if state is BaseState.UNREADABLE} == {
        *unreadable,
        bases[5],
    }
    assert states[bases[6]] is BaseState.ABSENT
    for base, facts in zip(bases, answers, strict=True):
        if states[base] is BaseState.COMPARED:
            shown = [fact.base.changed for fact in facts.globs if fact.base]
            assert shown == [
                (ChangedPath(b"a/b/f", Change.CONTENT),), (ChangedPath(b"c/g", Change.CONTENT),)
            ]  # fmt: skip
        else:
            assert [fact.base for fact in facts.globs] == [None, None]
            assert facts.detail


def test_a_judged_tree_that_cannot_be_read_is_no_verdict(repository: Repository) -> None:
    base = repository.commit({"a/f": "1", "b/f": "1"})
    repository.commit({"b/f": "2"})
    anchors = {"b": "sha256:" + "0" * 64}
    repository.remove_object(repository.git("rev-parse", "HEAD:a"))
    facts = facts_of(repository, base, "b", anchors=anchors)
    assert facts.base_state is BaseState.UNREADABLE
    assert facts.globs == (GlobFact("b"),)


def test_more_unreadable_trees_than_restarts_are_left_unreadable(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_chain, "_MOST_RESTARTS", 2)
    bases = [repository.commit({"a/f": str(number)}) for number in range(6)]
    repository.commit({"a/f": "now"})
    for base in bases[1:5]:
        repository.remove_object(repository.git("rev-parse", f"{base}:a"))
    answers = asked(repository, *(PathsQuestion(("a",), base) for base in bases))
    assert {facts.base_state for facts in answers[:5]} == {BaseState.UNREADABLE}
    assert answers[5].base_state is BaseState.COMPARED


def malformed_tree(repository: Repository, name: bytes) -> str:
    blob = bytes.fromhex(repository.git("hash-object", "-w", "--stdin", stdin=b"1"))
    entry = b"100644 " + name + b"\0" + blob
    return repository.git("hash-object", "--literally", "-t", "tree", "-w", "--stdin", stdin=entry)


@pytest.mark.parametrize("name", [b"/x", b"a//b", b"/a/b"])
def test_a_tree_with_names_that_git_does_not_write_is_no_verdict(repository: Repository, name: bytes) -> None:
    head = repository.commit({"a": "1"})
    evil = repository.git("commit-tree", "-m", "x", malformed_tree(repository, name))
    assert facts_of(repository, evil, "**").base_state is BaseState.UNREADABLE
    (facts,) = asked(repository, PathsQuestion(("**",), head), tree=malformed_tree(repository, name))
    assert facts.base_state is BaseState.UNREADABLE


def test_a_tree_that_names_something_twice_or_in_another_order_is_no_verdict(repository: Repository) -> None:
    """Git lists such a hand-made tree as it stands; what lies where could not be told apart."""
    head = repository.commit({"a": "1", "d/a": "1", "d/b": "1"})
    one, folder = (repository.git("rev-parse", f"HEAD:{name}") for name in ("a", "d"))
    twice = [b"100644 a\0" + bytes.fromhex(one)] * 2
    unsorted = [b"100644 b\0" + bytes.fromhex(one), b"100644 a\0" + bytes.fromhex(one)]
    folders = [b"40000 d\0" + bytes.fromhex(folder), b"100644 e\0" + bytes.fromhex(one)]
    for entries in (twice, unsorted, [*folders, folders[0]]):
        tree = repository.git(
            *("hash-object", "--literally", "-t", "tree", "-w", "--stdin"), stdin=b"".join(entries)
        )
        (facts,) = asked(repository, PathsQuestion(("a", "d/**", "**"), head), tree=tree)
        assert facts.base_state is BaseState.UNREADABLE
        assert all(fact.base is None for fact in facts.globs)


def trees_in_trees(repository: Repository, levels: int) -> str:
    """A tree that lists ten times more files with every level, in some hundred bytes a level."""
    content = repository.git("hash-object", "-w", "--stdin", stdin=b"1")
    mode, inner = "100644 blob", content
    for _ in range(levels):
        lines = "".join(f"{mode} {inner}\tn{number}\n" for number in range(10))
        mode, inner = "040000 tree", repository.git("mktree", stdin=lines.encode())
    return inner


@pytest.mark.parametrize("judged", ["the many", "the base"])
def test_a_tree_that_lists_more_than_fits_is_no_verdict_and_no_hang(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, judged: str
) -> None:
    monkeypatch.setattr(objects, "MOST_LISTED_BYTES", 1 << 19)
    monkeypatch.setattr(tree_chain, "MOST_BYTES", 1 << 20)
    few, many = repository.commit({"a": "1"}), trees_in_trees(repository, 4)
    if judged == "the many":
        (facts,) = asked(repository, PathsQuestion(("**", "a"), few), tree=many)
        assert facts.detail == TOO_MANY_FILES
    else:
        base = repository.git("commit-tree", "-m", "x", many)
        (facts,) = asked(repository, PathsQuestion(("**", "a"), base), tree=repository.tree())
    assert facts.base_state is BaseState.OVER_BUDGET
    assert all(fact.base is None for fact in facts.globs)


@pytest.mark.parametrize("name", [b"..", b".git", b"../x", b"."])
def test_a_tree_with_hostile_names_is_only_data(repository: Repository, name: bytes) -> None:
    head = repository.commit({"a": "1"})
    (facts,) = asked(repository, PathsQuestion(("**",), head), tree=malformed_tree(repository, name))
    assert facts.globs[0].base is not None
    assert ChangedPath(name, Change.ADDED) in facts.globs[0].base.changed


def anchors_at(repository: Repository, commit: str, *globs: str) -> dict[str, str]:
    with open_scratch(open_checkout(repository.top, ENV), ENV) as scratch:
        return digest_globs(scratch, repository.tree(commit), globs)


def test_anchors_answer_where_there_is_no_base(repository: Repository) -> None:
    base = repository.commit({"a": "1", "b": "1"})
    anchors = anchors_at(repository, base, "a", "b", "new", "never")
    repository.commit({"b": "2", "new": "1"})
    facts = facts_of(repository, None, "a", "b", "new", "never", "undeclared", anchors=anchors)
    assert facts.base_state is BaseState.NOT_DECLARED
    assert [fact.anchor for fact in facts.globs] == [
        AnchorFact(equal=True, nothing_then=False),
        AnchorFact(equal=False, nothing_then=False),
        AnchorFact(equal=False, nothing_then=True),
        AnchorFact(equal=True, nothing_then=True),
        None,
    ]
    both = facts_of(repository, base, "a", anchors={"a": anchors["b"]})
    assert both.globs[0].base == BaseFact(0)
    assert both.globs[0].anchor == AnchorFact(equal=False, nothing_then=False)


@pytest.mark.parametrize("digest", ["", "sha256:", "sha256:" + "A" * 64, "md5:" + "a" * 32, "a" * 64])
def test_a_malformed_anchor_is_as_good_as_none(repository: Repository, digest: str) -> None:
    base = repository.commit({"a": "1"})
    assert facts_of(repository, base, "a", anchors={"a": digest}).globs[0].anchor is None


class Server:
    """A fetch that records what it was asked for, and answers with reasons."""

    def __init__(self, answer: Callable[[Sequence[str]], Mapping[str, Unusable]]) -> None:
        self.wanted: list[list[str]] = []
        self._answer = answer

    def __call__(self, commits: Sequence[str]) -> Mapping[str, Unusable]:
        self.wanted.append(list(commits))
        return self._answer(commits)


def test_only_bases_that_equal_anchors_do_not_answer_for_are_fetched(
    repository: Repository, tmp_path: Path
) -> None:
    base = repository.commit({"a": "1", "b": "1"})
    later = repository.commit({"b": "2"})
    repository.commit({"b": "3"})
    anchors = anchors_at(repository, base, "a", "b")
    shallow = Repository.clone(repository, tmp_path / "s", "--depth=1")
    gone = Unusable(BaseState.NOT_ON_SERVER, "gone")
    server = Server(lambda commits: dict.fromkeys(commits, gone))
    questions = [
        PathsQuestion(("a",), base, anchors),
        PathsQuestion(("{refused,glob}", "a"), base, anchors),
        PathsQuestion(("a", "b"), later, anchors),
        PathsQuestion(("a",), "f" * 40),
        PathsQuestion(("{refused,glob}",), "e" * 40),
        PathsQuestion(("a",), "HEAD"),
        PathsQuestion(("a",), None),
        PathsQuestion(("a",), shallow.head()),
    ]
    answers = asked(shallow, *questions, fetch=server)
    assert server.wanted == [[later, "f" * 40]]
    assert [facts.base_state for facts in answers] == [
        BaseState.ABSENT, BaseState.ABSENT, BaseState.NOT_ON_SERVER, BaseState.NOT_ON_SERVER,
        BaseState.ABSENT, BaseState.MALFORMED, BaseState.NOT_DECLARED, BaseState.COMPARED,
    ]  # fmt: skip
    assert answers[2].detail == "gone"


def test_nothing_is_fetched_when_every_base_is_here(repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    server = Server(lambda commits: {})
    asked(repository, PathsQuestion(("a",), base), fetch=server)
    assert server.wanted == []


def test_what_the_server_gave_is_compared(repository: Repository, tmp_path: Path) -> None:
    base = repository.commit({"a": "1"})
    repository.commit({"a": "2"})
    shallow = Repository.clone(repository, tmp_path / "s", "--depth=1")
    with open_scratch(open_checkout(shallow.top, ENV), ENV) as scratch:

        def fetch(commits: Sequence[str]) -> Mapping[str, Unusable]:
            pack = repository.git_bytes("pack-objects", "--stdout", "--revs", stdin=f"{base}\n".encode())
            scratch.git.run("unpack-objects", "-q", stdin=pack)
            return {}

        (facts,) = look(
            scratch, shallow.tree(), [PathsQuestion(("a",), base)], head=shallow.head(), fetch=fetch
        )
    assert facts.globs[0].base == BaseFact(1, (ChangedPath(b"a", Change.CONTENT),))
    assert facts.in_history is None


def test_bases_of_one_tree_share_an_answer_and_repeated_questions_too(repository: Repository) -> None:
    first = repository.commit({"a": "1"})
    again = repository.commit(message="empty")
    repository.commit({"a": "2"})
    one = PathsQuestion(("a", "a"), first)
    answers = asked(repository, one, PathsQuestion(("a",), again), one)
    assert answers[0] == answers[2]
    assert answers[0].globs[0] == answers[0].globs[1] == answers[1].globs[0]


def test_c131_a_pathological_glob_is_answered_at_once(repository: Repository) -> None:
    long = "/".join(["aaaaaaaaaa"] * 40)
    base = repository.commit({long: "1"})
    repository.commit({long: "2"})
    globs = [
        "/".join(["**"] * 30) + "/" + "a*" * 8 + "b",
        "/".join(["**", "*a"] * 40),
        "/".join(["*a*a*"] * 40),
    ]
    began = time.process_time()
    never, suffixes, deep = facts_of(repository, base, *globs).globs
    assert time.process_time() - began < 5
    assert never.base == BaseFact(0)
    assert suffixes.base is not None
    assert suffixes.base.changed_count == 1
    assert deep.base is not None
    assert deep.base.changed_count == 1


def test_a_thousand_wildcards_under_a_double_star_take_bounded_time(repository: Repository) -> None:
    base = repository.commit({f"d{number % 40}/mod_{number}.py": "1" for number in range(2000)})
    repository.commit({f"d{number % 40}/mod_{number}.py": "2" for number in range(0, 2000, 7)})
    globs = tuple(f"**/*{number}*.py" for number in range(1000))
    began = time.process_time()
    facts = facts_of(repository, base, *globs).globs
    assert time.process_time() - began < 20
    for number, fact in enumerate(facts):
        changed = [one for one in range(0, 2000, 7) if str(number) in str(one)]
        assert fact.base is not None
        assert fact.base.changed_count == len(changed)


def test_a_glob_over_the_budget_makes_its_own_condition_over_budget(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glob_trie, "MOST_WORK", 10_000)
    base = repository.commit({f"d{number}/n{number}": "1" for number in range(400)})
    repository.commit({"d1/n1": "2"})
    costly = tuple(f"**/*{number % 10}*{number // 10}?" for number in range(100))
    over, indexed, plain = asked(
        repository,
        PathsQuestion((*costly, "d1/n1"), base),
        PathsQuestion(("**/*n39*", "d1/n1"), base),
        PathsQuestion(("d1/n1", "d1/**"), base),
    )
    assert over.base_state is BaseState.OVER_BUDGET
    assert over.detail
    assert {fact.base for fact in over.globs} == {None}
    assert indexed.base_state is BaseState.COMPARED
    assert plain.base_state is BaseState.COMPARED
    assert plain.globs[0].base == BaseFact(1, (ChangedPath(b"d1/n1", Change.CONTENT),))


def test_too_many_differences_are_over_budget(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_chain, "MOST_EVENTS", 20)
    old = repository.commit({f"f{number}": "0" for number in range(10)})
    middle = repository.commit({f"f{number}": "1" for number in range(10)})
    young = repository.commit({f"f{number}": "2" for number in range(10)})
    repository.commit({f"f{number}": "3" for number in range(10)})
    states = [
        facts.base_state
        for facts in asked(repository, *(PathsQuestion(("f1",), base) for base in (old, middle, young)))
    ]
    assert states == [BaseState.OVER_BUDGET, BaseState.COMPARED, BaseState.COMPARED]


@pytest.mark.parametrize("globs", [("*",), tuple(f"f{number}" for number in range(10))], ids=["all", "each"])
def test_too_many_looks_are_over_budget(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, globs: tuple[str, ...]
) -> None:
    monkeypatch.setattr(base_facts, "MOST_WORK", 20)
    bases = [repository.commit({f"f{number}": str(step) for number in range(10)}) for step in range(6)]
    repository.commit({f"f{number}": "now" for number in range(10)})
    answers = asked(repository, *(PathsQuestion(globs, base) for base in bases))
    states = [facts.base_state for facts in answers]
    assert states[-1] is BaseState.COMPARED
    assert states[0] is BaseState.OVER_BUDGET
    assert {
        fact.base for facts in answers for fact in facts.globs if facts.base_state is BaseState.OVER_BUDGET
    } == {None}


def recording_git(folder: Path) -> dict[str, str]:
    """An environment in which every start of git leaves its arguments and environment in `folder`."""
    (folder / "bin").mkdir()
    program = folder / "bin" / "git"
    program.write_text(
        f"#!/bin/sh\nenv -0 > {folder}/env.$$\n"
        f'echo "$@" > {folder}/start.$$\nexec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    return {**ENV, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}


def test_c130_the_number_of_processes_grows_with_nothing(repository: Repository, tmp_path: Path) -> None:
    bases = [repository.commit({f"d{number}/f": "1", "g": str(number)}) for number in range(30)]
    counts = []
    for number in (1, 30):
        folder = tmp_path / str(number)
        folder.mkdir()
        env = recording_git(folder)
        asked(
            repository,
            *(
                PathsQuestion(("d*/f", "**", f"d{at}/**", "g"), base)
                for at, base in enumerate(bases[:number])
            ),
            env=env,
        )
        starts = [file.read_text().split()[0] for file in folder.glob("start.*")]
        counts.append(sorted(starts))
    assert counts[0] == counts[1]
    assert counts[0] == ["cat-file", "cat-file", "diff-tree", "ls-tree", "rev-list", "rev-parse"]


def test_git_is_told_nothing_of_the_environment_but_how_to_find_it(
    repository: Repository, tmp_path: Path
) -> None:
    base = repository.commit({"a": "1"})
    repository.commit({"a": "2"})
    env = {
        **recording_git(tmp_path),
        "GITHUB_TOKEN": "hidden",
        "INPUT_GITHUB_TOKEN": "hidden",
        "http_proxy": "hidden",
    }
    asked(repository, PathsQuestion(("a",), base), env=env)
    records = [file.read_bytes() for file in tmp_path.glob("env.*")]
    assert len(records) == 6
    for record in records:
        assert b"hidden" not in record
        assert b"HOME=/dev/null" in record.split(b"\0")
        assert b"GIT_ALLOW_PROTOCOL=none" in record.split(b"\0")


def test_no_glob_is_put_on_a_command_line(repository: Repository, tmp_path: Path) -> None:
    base = repository.commit({"--output=x": "1"})
    env = recording_git(tmp_path)
    asked(repository, PathsQuestion(("--output=x", "-z", "--"), base), env=env)
    assert not any("output" in file.read_text() for file in tmp_path.glob("start.*"))


def test_only_refused_globs_need_no_tree(repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    refused = facts_of(repository, base, ":x")
    assert refused.base_state is BaseState.COMPARED
    assert refused.globs[0].refused
    assert facts_of(repository, "HEAD", ":x").base_state is BaseState.MALFORMED


def test_a_git_that_answers_short_is_never_believed(repository: Repository, tmp_path: Path) -> None:
    bases = [repository.commit({"a": str(number)}) for number in range(3)]
    repository.commit({"a": "now"})
    real = shutil.which("git")
    liar = tmp_path / "bin" / "git"
    liar.parent.mkdir()
    for cut in ("head -c 60", "head -c 200", "sed 's/^end$//'", "tr a b", "cat; exit 1", "cat >/dev/null"):
        liar.write_text(f'#!/bin/sh\n[ "$1" = diff-tree ] || exec {real} "$@"\n{real} "$@" | ({cut})\n')
        liar.chmod(0o755)
        env = {**ENV, "PATH": f"{liar.parent}:{os.environ['PATH']}"}
        for facts in asked(repository, *(PathsQuestion(("a",), base) for base in bases), env=env):
            compared = facts.base_state is BaseState.COMPARED
            assert compared or facts.base_state is BaseState.UNREADABLE
            expected = BaseFact(1, (ChangedPath(b"a", Change.CONTENT),)) if compared else None
            assert facts.globs[0].base == expected
