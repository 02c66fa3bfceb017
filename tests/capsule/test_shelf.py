"""The shelf: all capsules of one tree, and one problem for every file that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from git_repository import Repository

from ophiuchus.capsule import shelf as shelf_module
from ophiuchus.capsule.shelf import DEFAULT_PATTERN, RefusedPattern, Shelf, build_shelf, read_shelf
from ophiuchus.git.objects import TreeEntry, TreeUnreadable, Unread
from ophiuchus.git.scratch import Scratch
from ophiuchus.text.problem import NoticeCode, ProblemCode
from ophiuchus.text.strict_json import MAX_BYTES

BLOB = "1" * 40
MODE = b"100644"


def written(capsule_id: str, **fields: Any) -> bytes:
    document = {"schema_version": 1, "capsule_id": capsule_id, "goal": "g", "state": "s", "next_action": "n"}
    return json.dumps({**document, **fields}).encode()


def file(path: str | bytes, content: bytes | Unread, mode: bytes = MODE) -> tuple[TreeEntry, bytes | Unread]:
    return TreeEntry(mode, BLOB, path.encode() if isinstance(path, str) else path), content


def paths(shelf: Shelf) -> list[str]:
    return [shelved.path for shelved in shelf.capsules]


def problems(shelf: Shelf) -> list[tuple[str, ProblemCode]]:
    return [(problem.path, problem.code) for problem in shelf.problems]


def test_capsules_are_found_by_id_without_case_and_by_path() -> None:
    shelf = build_shelf([file("a.json", written("Cap-A")), file(b"b\xff.json", written("cap-b"), b"100755")])
    found = shelf.by_id("cAP-a")
    assert found is not None
    assert (found.path, found.blob, found.data, found.capsule.capsule_id) == (
        "a.json",
        BLOB,
        written("Cap-A"),
        "Cap-A",
    )
    assert shelf.by_path(r"b\xff.json") == shelf.by_id("cap-b")
    assert shelf.by_id("gone") is shelf.by_path("gone") is None
    assert (shelf.problems, shelf.notices) == ((), ())
    assert "cap-b" in repr(shelf)
    assert written("Cap-A").decode() not in repr(shelf)


def test_of_a_file_that_is_not_read_the_name_says_the_id() -> None:
    shelf = build_shelf(
        [
            file("a/Cap-A.json", b"{"),
            file("a/cap-b.json", written("other", surprise=1)),
            file("cap-c", b"{"),
            file("package.json", b"{}"),
        ]
    )
    assert shelf.unread_as("cap-a") == shelf.problems[:1]
    assert shelf.unread_as("Package") == shelf.notices[1:]
    assert all(shelf.unread_as(one) == () for one in ("cap-b", "other", "cap-c", "a/cap-a", ""))


def test_one_bad_file_never_stops_the_others() -> None:
    """C109, C110, C130."""
    shelf = build_shelf(
        [
            file("deep.json", b'{"goal":"g","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
            file("number.json", b'{"goal":"g","n":' + b"9" * 5000 + b"}"),
            file("package.json", b'{"name":"x"}'),
            file("big.json", Unread(50_000_000)),
            file("missing.json", Unread(None)),
            file("link.json", Unread(None), b"120000"),
            file("module.json", Unread(None), b"160000"),
            file("odd.json", b"{}", b"100600"),
            file("good.json", written("good")),
        ]
    )
    assert paths(shelf) == ["good.json"]
    assert problems(shelf) == [
        ("deep.json", ProblemCode.TOO_DEEP),
        ("number.json", ProblemCode.BAD_NUMBER),
        ("big.json", ProblemCode.TOO_LARGE),
        ("missing.json", ProblemCode.UNREADABLE),
        ("link.json", ProblemCode.NOT_A_REGULAR_FILE),
        ("module.json", ProblemCode.NOT_A_REGULAR_FILE),
        ("odd.json", ProblemCode.NOT_A_REGULAR_FILE),
    ]
    assert "not read: too large, 50,000,000 bytes" in shelf.problems[2].message
    assert "filter: blob:none" in shelf.problems[3].message
    assert "sparse-checkout" in shelf.problems[3].message
    assert "is a symbolic link" in shelf.problems[4].message
    assert "is of mode 100600" in shelf.problems[6].message
    assert [notice.code for notice in shelf.notices] == [NoticeCode.NOT_A_CAPSULE]


def test_an_id_that_two_files_have_is_a_problem_of_both_and_belongs_to_none() -> None:
    """C094: duplicate ids are reported and not used as parents."""
    shelf = build_shelf(
        [
            file("a.json", b"\n" + written("Same")),
            file("b.json", written("other", parent_capsule_id="same")),
            file("c.json", written("sAME")),
        ]
    )
    assert paths(shelf) == ["a.json", "b.json", "c.json"]
    assert [(p.path, p.line, p.column, p.code) for p in shelf.problems] == [
        ("a.json", 2, 37, ProblemCode.DUPLICATE_ID),
        ("c.json", 1, 37, ProblemCode.DUPLICATE_ID),
    ]
    assert shelf.problems[0].message == 'has the capsule_id "Same", as has c.json; rename all but one'
    assert shelf.by_id("same") is None
    assert [shelved.path for shelved in shelf.all_with_id("SAME")] == ["a.json", "c.json"]
    assert shelf.by_id("other") is not None
    third = build_shelf([file(name, written("x")) for name in "abc"])
    assert "as has a and 1 more" in third.problems[2].message


def test_cycles_and_long_chains_of_parents_are_read_like_any_other() -> None:
    """C094: the walk is `assess`'s matter; nothing here follows a parent."""
    files = [file("a", written("a", parent_capsule_id="b")), file("b", written("b", parent_capsule_id="a"))]
    files += [file(f"p{n}", written(f"p{n}", parent_capsule_id=f"p{n + 1}")) for n in range(15)]
    shelf = build_shelf([*files, file("c", written("c", parent_capsule_id="c"))])
    assert len(shelf.capsules) == 18
    assert shelf.problems == ()


def test_files_and_bytes_have_a_limit_that_is_told_once() -> None:
    files = [file(name, written(name)) for name in "abcd"]
    many = build_shelf(files, most_files=2)
    assert paths(many) == ["a", "b"]
    assert problems(many) == [("c", ProblemCode.TOO_MANY)]
    assert "narrow the pattern" in many.problems[0].message
    large = build_shelf(files, most_bytes=3 * len(written("a")))
    assert paths(large) == ["a", "b", "c"]
    assert problems(large) == [("d", ProblemCode.TOO_MANY)]
    assert problems(build_shelf(files, most_files=4)) == []


def test_a_tree_is_read_by_the_default_pattern(repository: Repository, scratch: Scratch) -> None:
    big = b'{"goal":"' + b"x" * MAX_BYTES + b'"}'
    repository.write("README.json", "{}")
    repository.write(".ophiuchus/a.json", written("a"))
    repository.write(".ophiuchus/deep/er/b.json", written("b"))
    repository.write(".ophiuchus/big.json", big)
    repository.write(".ophiuchus/note.txt", "x")
    repository.write(b".ophiuchus/z\xff.json", written("z"))
    (repository.top / ".ophiuchus/link.json").symlink_to("a.json")
    repository.commit()
    shelf = read_shelf(scratch, repository.tree())
    assert paths(shelf) == [".ophiuchus/a.json", ".ophiuchus/deep/er/b.json", r".ophiuchus/z\xff.json"]
    assert problems(shelf) == [
        (".ophiuchus/big.json", ProblemCode.TOO_LARGE),
        (".ophiuchus/link.json", ProblemCode.NOT_A_REGULAR_FILE),
    ]
    a = shelf.by_id("a")
    assert a is not None
    assert a.blob == repository.git("rev-parse", "HEAD:.ophiuchus/a.json")
    assert (a.data, shelf.notices) == (written("a"), ())


def test_the_work_tree_is_never_read(repository: Repository, scratch: Scratch) -> None:
    repository.commit({".ophiuchus/a.json": written("a")})
    repository.write(".ophiuchus/a.json", written("other"))
    repository.write(".ophiuchus/b.json", written("b"))
    assert [shelved.capsule.capsule_id for shelved in read_shelf(scratch, repository.tree()).capsules] == [
        "a"
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("**/*.json", [".ophiuchus/a.json", "docs/.ophiuchus/b.json", "docs/c.json"]),
        ("**/.ophiuchus/*.json", [".ophiuchus/a.json", "docs/.ophiuchus/b.json"]),
        ("docs/**", ["docs/.ophiuchus/b.json", "docs/c.json"]),
        ("docs/c.json", ["docs/c.json"]),
        ("docs/*.json", ["docs/c.json"]),
        ("**", [".ophiuchus/a.json", "docs/.ophiuchus/b.json", "docs/c.json"]),
    ],
)
def test_a_pattern_says_which_files_are_capsules(
    repository: Repository, scratch: Scratch, pattern: str, expected: list[str]
) -> None:
    """Unlike in a condition's glob, `**` leads into the capsule folder."""
    names = [".ophiuchus/a.json", "docs/.ophiuchus/b.json", "docs/c.json"]
    repository.commit({name: written(f"id{number}") for number, name in enumerate(names)})
    assert paths(read_shelf(scratch, repository.tree(), pattern)) == expected


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        (DEFAULT_PATTERN, ".ophiuchus/B.JSON and 2 more; "),
        (".ophiuchus/[A-C].json", ".ophiuchus/B.JSON and 3 more; "),
        (".ophiuchus/É*.json", ".ophiuchus/É.JSON; "),
        (".ophiuchus/İ" + "i" * 950 + "*/a.json", None),
        (".ophiuchus/*.md", None),
        ("**/*.json", None),
    ],
)
def test_files_that_are_no_capsules_for_their_case_alone_are_told_of(
    repository: Repository, scratch: Scratch, pattern: str, named: str | None
) -> None:
    names = ["a.json", "B.JSON", "b.JSON", "c.Json", "d.txt"] if "É" not in pattern else ["É.JSON", "é.JSON"]
    files = {f".ophiuchus/{name}": written(str(number)) for number, name in enumerate(names)}
    repository.commit({**files, "e.JSON": written("e")})
    shelf = read_shelf(scratch, repository.tree(), pattern)
    told = [notice for notice in shelf.notices if notice.code is not NoticeCode.NO_CAPSULES]
    assert [(one.path, one.code) for one in told] == ([("", NoticeCode.NOT_A_CAPSULE)] if named else [])
    assert all(one.message.startswith(f"not read: {named}") for one in told)


def test_a_pattern_that_would_take_too_long_without_its_case_is_not_refused(
    repository: Repository, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({f".ophiuchus/x/q/{n}/a/b/c/x.json": "" for n in range(30)})
    monkeypatch.setattr("ophiuchus.git.glob_trie.MOST_WORK", 100)
    with pytest.raises(RefusedPattern, match="takes too long"):
        read_shelf(scratch, repository.tree(), ".ophiuchus/[x]/q/**/a*/**/*.json")
    shelf = read_shelf(scratch, repository.tree(), ".ophiuchus/[x]/Q/**/a*/**/*.json")
    assert [notice.code for notice in shelf.notices] == [NoticeCode.NO_CAPSULES]


def test_no_capsule_at_all_is_worth_a_notice(repository: Repository, scratch: Scratch) -> None:
    repository.commit({"a": "1"})
    shelf = read_shelf(scratch, repository.tree())
    assert (shelf.capsules, shelf.problems) == ((), ())
    assert [(notice.path, notice.code) for notice in shelf.notices] == [("", NoticeCode.NO_CAPSULES)]
    assert DEFAULT_PATTERN in shelf.notices[0].message
    # Whoever has just captured one, and then checks, learns what is missing.
    assert "counts once it is committed" in shelf.notices[0].message


@pytest.mark.parametrize(
    "pattern", ["", "/abs/*.json", "../x", ":!a", "{a,b}.json", "x" * 1024, "a\0", "*" * 9]
)
def test_a_pattern_that_is_not_evaluated_fails_with_its_reason(
    repository: Repository, scratch: Scratch, pattern: str
) -> None:
    tree = repository.tree(repository.commit({"a": "1"}))
    with pytest.raises(RefusedPattern) as caught:
        read_shelf(scratch, tree, pattern)
    assert caught.value.message.startswith("the pattern for capsules, ")
    assert DEFAULT_PATTERN in caught.value.remedy


def test_a_pattern_that_takes_too_long_fails(
    repository: Repository, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C131: the budget is `git`'s; here it is made small."""
    tree = repository.tree(repository.commit({f"{n}/a/b/c/x.json": "" for n in range(30)}))
    monkeypatch.setattr("ophiuchus.git.glob_trie.MOST_WORK", 10)
    with pytest.raises(RefusedPattern, match="takes too long"):
        read_shelf(scratch, tree, "**/a*/**/*.json")


def test_a_blob_that_a_partial_clone_lacks_is_a_problem_with_a_remedy(
    repository: Repository, scratch: Scratch
) -> None:
    """C125."""
    repository.commit({".ophiuchus/a.json": written("a"), ".ophiuchus/b.json": written("b")})
    tree = repository.tree()
    repository.remove_object(repository.git("rev-parse", "HEAD:.ophiuchus/a.json"))
    shelf = read_shelf(scratch, tree)
    assert paths(shelf) == [".ophiuchus/b.json"]
    assert problems(shelf) == [(".ophiuchus/a.json", ProblemCode.UNREADABLE)]


def test_a_tree_that_cannot_be_listed_is_an_error_and_not_an_empty_shelf(scratch: Scratch) -> None:
    with pytest.raises(TreeUnreadable):
        read_shelf(scratch, "0" * 40)


def test_a_name_that_no_tool_of_git_writes_makes_the_tree_unreadable(
    repository: Repository, scratch: Scratch
) -> None:
    blob = bytes.fromhex(repository.git("hash-object", "-w", "--stdin", stdin=b"{}"))
    tree = repository.git(
        *("hash-object", "-t", "tree", "-w", "--literally", "--stdin"), stdin=b"100644 x//a.json\0" + blob
    )
    with pytest.raises(TreeUnreadable):
        read_shelf(scratch, tree, "**")


def test_too_many_files_in_a_tree_are_told_and_the_first_are_read(
    repository: Repository, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf_module.build_shelf, "__defaults__", (2, 10**6))
    repository.commit({f".ophiuchus/{name}.json": written(name) for name in "abcd"})
    shelf = read_shelf(scratch, repository.tree())
    assert paths(shelf) == [".ophiuchus/a.json", ".ophiuchus/b.json"]
    assert problems(shelf) == [(".ophiuchus/c.json", ProblemCode.TOO_MANY)]
