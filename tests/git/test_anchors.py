from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from git_repository import Repository

from ophiuchus.git import glob_trie
from ophiuchus.git.anchors import digest_globs, digest_of_nothing, is_anchor
from ophiuchus.git.glob_trie import TooMuchWork
from ophiuchus.git.globs import RefusedGlob
from ophiuchus.git.objects import TreeUnreadable
from ophiuchus.git.scratch import Scratch


@pytest.fixture(params=["sha1", "sha256"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "r", object_format=request.param)


def by_hand(scratch: Scratch, *entries: tuple[str, str, bytes]) -> str:
    """The anchor of these entries (mode, id, path), as design §3 says."""
    text = scratch.object_format.encode() + b"\0"
    for mode, object_id, path in entries:
        text += f"{mode} {object_id} ".encode() + path + b"\0"
    return "sha256:" + hashlib.sha256(text).hexdigest()


def test_an_anchor_digests_the_matched_entries_in_byte_order(
    repository: Repository, scratch: Scratch
) -> None:
    repository.commit(
        {b"a/z.py": b"1", b"a/b/y.py": b"2", b"a/b.py": b"3", b"a.py": b"4", b"a/\xff.py": b"5"}
    )
    ids = {
        name: repository.git("hash-object", "--stdin", stdin=name) for name in (b"1", b"2", b"3", b"4", b"5")
    }
    found = digest_globs(scratch, repository.tree(), ["a", "a/**", "a/*.py", "**/y.py", "a.py", "nothing"])
    b_py, y_py, z_py = (
        ("100644", ids[b"3"], b"a/b.py"),
        ("100644", ids[b"2"], b"a/b/y.py"),
        ("100644", ids[b"1"], b"a/z.py"),
    )
    odd = ("100644", ids[b"5"], b"a/\xff.py")
    assert found == {
        "a": by_hand(scratch, b_py, y_py, z_py, odd),
        "a/**": by_hand(scratch, b_py, y_py, z_py, odd),
        "a/*.py": by_hand(scratch, b_py, z_py, odd),
        "**/y.py": by_hand(scratch, y_py),
        "a.py": by_hand(scratch, ("100644", ids[b"4"], b"a.py")),
        "nothing": digest_of_nothing(scratch.object_format),
    }
    assert found["nothing"] == by_hand(scratch)


def test_modes_links_and_submodules_are_part_of_an_anchor(repository: Repository, scratch: Scratch) -> None:
    pointer = "2" * len(repository.git("hash-object", "--stdin"))
    repository.write("d/run", "1")
    (repository.top / "d" / "run").chmod(0o755)
    (repository.top / "d" / "link").symlink_to("run")
    repository.git("add", "-A")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{pointer},d/sub")
    repository.commit_index()
    run, link = repository.git("rev-parse", "HEAD:d/run"), repository.git("rev-parse", "HEAD:d/link")
    followed = ("160000", pointer, b"d/sub")
    assert digest_globs(scratch, repository.tree(), ["d", "d/sub", "d/sub/**", "d/sub/x/*.py"]) == {
        "d": by_hand(scratch, ("120000", link, b"d/link"), ("100755", run, b"d/run"), followed),
        "d/sub": by_hand(scratch, followed),
        "d/sub/**": by_hand(scratch, followed),
        "d/sub/x/*.py": by_hand(scratch, followed),
    }


def test_the_capsule_folder_is_left_out(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1", "z": "2"})
    before = digest_globs(scratch, repository.tree(), ["**", "**/*"])
    repository.commit({".ophiuchus/c.json": "{}"})
    assert digest_globs(scratch, repository.tree(), ["**", "**/*"]) == before
    (named,) = digest_globs(scratch, repository.tree(), [".ophiuchus"]).values()
    assert named != digest_of_nothing(scratch.object_format)


def test_a_glob_that_is_not_evaluated_has_no_anchor(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1"})
    with pytest.raises(RefusedGlob):
        digest_globs(scratch, repository.tree(), ["a", "{a,b}"])


def test_an_unreadable_tree_has_no_anchor(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a/b": "1"})
    repository.remove_object(repository.git("rev-parse", "HEAD:a"))
    with pytest.raises(TreeUnreadable):
        digest_globs(scratch, repository.tree(), ["**"])


def test_a_tree_with_names_that_no_git_writes_has_no_anchor(repository: Repository, scratch: Scratch) -> None:
    blob = bytes.fromhex(repository.git("hash-object", "-w", "--stdin", stdin=b"1"))
    entry = b"100644 a//b\0" + blob
    tree = repository.git("hash-object", "--literally", "-t", "tree", "-w", "--stdin", stdin=entry)
    with pytest.raises(TreeUnreadable):
        digest_globs(scratch, tree, ["**"])


def test_globs_that_are_too_costly_have_no_anchor(
    repository: Repository, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a": "1", "b": "1"})
    monkeypatch.setattr(glob_trie, "MOST_WORK", 1)
    with pytest.raises(TooMuchWork):
        digest_globs(scratch, repository.tree(), ["*"])


@pytest.mark.parametrize(
    "text",
    ["", "sha256:", "sha256:" + "A" * 64, "sha256:" + "a" * 63, "sha256:" + "a" * 65, "sha1:" + "a" * 40,
     "a" * 64, "sha256:" + "a" * 64 + "\n", " sha256:" + "a" * 64, None, 5],
)  # fmt: skip
def test_only_a_full_lower_case_digest_is_an_anchor(text: object) -> None:
    assert not is_anchor(text)
    assert is_anchor("sha256:" + "a" * 64)
