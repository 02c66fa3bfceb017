"""`capture --refresh ID` in real repositories, and what `check` then says of both capsules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_run import AHEAD, PASSED, SCOPE, CommandRun, capsule, deadline, paths
from git_repository import Repository

PARENT = ".ophiuchus/cap-1.json"
DIGEST = "sha256:" + "0" * 64

FULL: dict[str, Any] = {
    "created_at": "2026-06-01T00:00:00Z",
    "producer": {"tool": "somebody", "version": "7"},
    "grounding": {"commit": "0" * 40, "ref": "refs/heads/gone", "repository": "o/r"},
    "title": "Grüße",
    "evidence": ["e0", "e1"],
    "rejected": ["r0"],
    "constraints": ["c0"],
    "open_questions": ["o0"],
    "critical": [{"unit_id": "u", "kind": "evidence", "index": 1, "why": "w"}],
    "negative_knowledge": [
        {"item_id": "n", "hypothesis": "h", "why_invalid": "w", "applies_while": ["vc-1"], "retry_if": "r"}
    ],
    "contact_cards": [{"name": "n", "role": "r"}],
    "parent_capsule_id": "cap-0",
    "expires_at": AHEAD,
    "our_own_key": {"kept": True},
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository in which `cap-1` is stale: its file changed after its base."""
    found = Repository.create(tmp_path / "repository")
    base = found.commit({"src/keys.py": "1", "docs/keys.md": "1"})
    found.commit({"src/keys.py": "2", PARENT: capsule("cap-1", paths("src/**", base=base))})
    return found


def refresh(repository: Repository, *words: str, capsule_id: str = "cap-1") -> CommandRun:
    return CommandRun(repository.top, "capture", "--refresh", capsule_id, *words)


def child(repository: Repository) -> dict[str, Any]:
    """The one capsule that is written and not committed."""
    names = repository.git("ls-files", "--others", "--", ".ophiuchus").splitlines()
    (name,) = names
    document: dict[str, Any] = json.loads((repository.top / name).read_text())
    assert name == f".ophiuchus/{document['capsule_id']}.json"
    return document


def reads(repository: Repository, *words: str) -> dict[str, tuple[str, bool]]:
    """Each capsule's aggregate, and whether it is continued."""
    report = CommandRun(repository.top, "check", "--format", "json", *words).json
    assert report["problems"] == []
    return {one["capsule_id"]: (one["validity"]["aggregate"], one["continued"]) for one in report["capsules"]}


def put(repository: Repository, *validity: dict[str, Any], **fields: Any) -> None:
    repository.commit({PARENT: capsule("cap-1", *validity, **fields)})


# What is written, and how both read.


def test_a_stale_hand_off_is_continued_by_a_valid_one_with_the_same_words(repository: Repository) -> None:
    assert reads(repository) == {"cap-1": ("stale", False)}
    run = refresh(repository)
    assert (run.status, run.err) == (0, "")
    written = child(repository)
    assert written["parent_capsule_id"] == "cap-1"
    assert written["created_at"] == "2026-07-01T12:00:00Z"
    assert written["grounding"]["commit"] == repository.head()
    (condition,) = written["validity"]
    assert condition["base_commit"] == repository.head()
    assert list(condition["anchors"]) == ["src/**"]
    assert "after  cap-1" in run.out
    assert "correct in it what no longer holds" in run.out
    repository.commit()
    assert reads(repository) == {"cap-1": ("stale", True), written["capsule_id"]: ("valid", False)}


def test_all_that_the_author_said_is_carried_over(repository: Repository) -> None:
    conditions = (
        paths("src/**", base="1" * 40, anchors={"src/**": DIGEST}, note="n", required=False),
        paths("docs/*", base=None),
        deadline(AHEAD),
        SCOPE,
        {"kind": "moon_phase", "base_commit": "theirs", "anchors": 7},
    )
    put(repository, *conditions, **FULL)
    refresh(repository)
    before, after = json.loads((repository.top / PARENT).read_text()), child(repository)
    anew = {"capsule_id", "created_at", "producer", "grounding", "parent_capsule_id", "validity"}
    assert {key: after[key] for key in after.keys() - anew} == {
        key: before[key] for key in before.keys() - anew
    }
    head = repository.head()
    assert after["grounding"] == {"commit": head, "ref": "refs/heads/main", "repository": "o/r"}
    assert after["producer"]["tool"] == "ophiuchus"
    assert after["parent_capsule_id"] == "cap-1"
    for one, other in zip(before["validity"], after["validity"], strict=True):
        if one["kind"] == "git_paths":
            assert other["base_commit"] == head
            assert other["anchors"].keys() == set(one["paths"])
            assert other == {**one, "base_commit": head, "anchors": other["anchors"]}
        else:
            assert other == one


def test_with_the_index_the_anchors_are_those_of_what_is_staged(repository: Repository) -> None:
    repository.write("src/keys.py", "3")
    repository.git("add", "src")
    run = refresh(repository, "--index")
    assert run.status == 0
    written = child(repository)
    assert written["validity"][0]["base_commit"] is None
    repository.git("add", ".ophiuchus")
    assert reads(repository, "--tree", "index")[written["capsule_id"]] == ("valid", False)
    repository.commit_index()
    assert reads(repository) == {"cap-1": ("stale", True), written["capsule_id"]: ("valid", False)}


def test_with_the_index_a_capsule_that_is_only_staged_can_be_refreshed(repository: Repository) -> None:
    repository.write(".ophiuchus/cap-2.json", capsule("cap-2", paths("src/**", base=None)))
    repository.git("add", ".ophiuchus")
    assert refresh(repository, capsule_id="cap-2").status == 2
    assert refresh(repository, "--index", capsule_id="cap-2").status == 0


def test_the_parent_is_spelled_as_its_file_spells_it(repository: Repository) -> None:
    assert refresh(repository, capsule_id="CAP-1").status == 0
    assert child(repository)["parent_capsule_id"] == "cap-1"


def test_a_capsule_in_another_folder_is_found(repository: Repository) -> None:
    repository.commit({".ophiuchus/team/x.json": capsule("cap-2", paths("src/**", base=None))})
    assert refresh(repository, capsule_id="cap-2").status == 0


def test_a_refreshed_hand_off_can_be_refreshed(repository: Repository) -> None:
    refresh(repository)
    first = child(repository)["capsule_id"]
    repository.commit({"src/keys.py": "3"})
    assert refresh(repository, capsule_id=first).err == ""
    second = child(repository)["capsule_id"]
    repository.commit()
    assert reads(repository) == {"cap-1": ("stale", True), first: ("stale", True), second: ("valid", False)}


def test_the_answer_as_json_names_the_parent_and_every_warning(repository: Repository) -> None:
    put(
        repository,
        paths("none/**", base=None),
        critical=[{"unit_id": "u", "kind": "goal", "supersedes": "v"}],
    )
    run = refresh(repository, "--format", "json")
    assert run.json["parent_capsule_id"] == "cap-1"
    settled, unmatched = run.json["warnings"]
    assert "supersedes" in settled
    assert "matches nothing" in unmatched
    assert [f"warning: {told}" for told in run.json["warnings"]] == run.err.splitlines()


# What its author should know.


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (deadline(PASSED), 'condition "vc-2": not_after "2020-01-01T00:00:00Z" has passed already'),
        (paths("scr/**", base=None), 'condition "vc-2": "scr/**" matches nothing'),
        (paths("/src", base=None), "is an absolute path"),
    ],
)
def test_what_will_not_hold_is_carried_over_and_told(
    repository: Repository, condition: dict[str, Any], words: str
) -> None:
    put(repository, paths("src/**", base=None), condition)
    run = refresh(repository)
    assert run.status == 0
    assert words in run.err
    (_, carried) = child(repository)["validity"]
    assert carried["kind"] == condition["kind"]
    assert carried.get("not_after") == condition.get("not_after")
    assert carried.get("paths") == condition.get("paths")


def test_what_counts_as_ruled_out_again_by_new_bases_is_told(repository: Repository) -> None:
    ruled_out = {"hypothesis": "h", "why_invalid": "w", "applies_while": ["vc-1", "vc-2", "vc-1"]}
    items = [
        {"item_id": "while-paths", **ruled_out},
        {"item_id": "while-time", **ruled_out, "applies_while": ["vc-2"]},
        {"item_id": "moved-past", **ruled_out, "state": "superseded"},
    ]
    put(repository, paths("src/**", base=None), deadline(AHEAD), negative_knowledge=items)
    (told,) = refresh(repository).err.splitlines()
    assert told.startswith('warning: item "while-paths" was ruled out while "vc-1" held, ')
    assert "check that it still is" in told


def test_an_end_that_has_passed_is_carried_over_and_told(repository: Repository) -> None:
    put(repository, paths("src/**", base=None), expires_at=PASSED)
    assert "expires_at" in refresh(repository).err
    assert child(repository)["expires_at"] == PASSED


def test_without_paths_a_refresh_is_told_to_change_nothing(repository: Repository) -> None:
    put(repository, SCOPE)
    run = refresh(repository)
    assert run.status == 0
    assert "declares no git_paths condition" in run.err


def test_what_a_unit_settled_of_the_grandparent_stays_behind(repository: Repository) -> None:
    put(
        repository,
        paths("src/**", base=None),
        critical=[{"unit_id": "u", "kind": "goal", "supersedes": "old"}, {"unit_id": "v", "kind": "state"}],
    )
    run = refresh(repository)
    assert run.err.count("supersedes") == 1
    assert 'unit "u": supersedes "old" is left out' in run.err
    assert child(repository)["critical"] == [
        {"unit_id": "u", "kind": "goal"},
        {"unit_id": "v", "kind": "state"},
    ]


def test_one_that_is_continued_already_names_its_newest_child(repository: Repository) -> None:
    children = {"b": "2026-06-02T00:00:00Z", "c": "2026-06-03T00:00:00+01:00", "d": "2026-06-01T00:00:00Z"}
    repository.commit(
        {
            f".ophiuchus/{name}.json": capsule(name, SCOPE, parent_capsule_id="CAP-1", created_at=at)
            for name, at in children.items()
        }
        | {".ophiuchus/e.json": capsule("e", SCOPE, parent_capsule_id="cap-1")}
    )
    run = refresh(repository)
    assert run.status == 0
    assert '"cap-1" is continued already, last by "c"' in run.err


def test_one_that_names_itself_as_parent_is_not_its_own_child(repository: Repository) -> None:
    put(repository, paths("src/**", base=None), parent_capsule_id="cap-1")
    assert "continued already" not in refresh(repository).err


def test_changes_of_the_parents_file_that_are_not_committed_are_told_and_not_taken(
    repository: Repository,
) -> None:
    edited = capsule("cap-1", paths("src/**", base=None), goal="Another goal")
    repository.write(PARENT, edited)
    assert f"{PARENT} has changes that are not committed" in refresh(repository).err
    assert child(repository)["goal"] == "Ship it"
    (repository.top / f".ophiuchus/{child(repository)['capsule_id']}.json").unlink()
    assert f"{PARENT} has changes that are not staged" in refresh(repository, "--index").err
    (repository.top / f".ophiuchus/{child(repository)['capsule_id']}.json").unlink()
    repository.git("add", PARENT)
    assert "changes" not in refresh(repository, "--index").err
    assert child(repository)["goal"] == "Another goal"


def test_uncommitted_work_is_told_as_for_every_capture(repository: Repository) -> None:
    repository.write("src/keys.py", "3")
    assert "once they are committed, it reads stale" in refresh(repository).err


# What is refused; then nothing is written.


def refused(repository: Repository, *words: str, capsule_id: str = "cap-1") -> str:
    before = sorted((repository.top / ".ophiuchus").iterdir())
    run = refresh(repository, *words, capsule_id=capsule_id)
    assert run.status == 2
    assert run.out == ""
    assert sorted((repository.top / ".ophiuchus").iterdir()) == before
    return run.err


@pytest.mark.parametrize("name", ["unknown", "", "../cap-1", PARENT, "cap-1.json", "\x1b[2J"])
def test_an_id_that_no_committed_capsule_has_is_refused(repository: Repository, name: str) -> None:
    said = refused(repository, capsule_id=name)
    assert "is committed" in said
    assert "`ophiuchus check` lists them" in said
    assert "\x1b" not in said


def test_one_that_is_only_written_is_refused_with_the_way_out(repository: Repository) -> None:
    repository.write(".ophiuchus/cap-2.json", capsule("cap-2", SCOPE))
    assert "is written, but not committed" in refused(repository, capsule_id="Cap-2")
    said = refused(repository, "--index", capsule_id="cap-2")
    assert "is written, but not in the index" in said
    assert "git add" in said


def test_an_id_that_two_capsules_have_is_refused_with_both_paths(repository: Repository) -> None:
    repository.commit({".ophiuchus/again.json": capsule("Cap-1", SCOPE)})
    said = refused(repository)
    assert PARENT in said
    assert ".ophiuchus/again.json" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read: .ophiuchus/cap-1.json: "),
        (capsule("cap-1", goal=""), "`goal`"),
        (capsule("cap-1", schema_version=2), "schema version 2"),
        ("[]", "no capsule"),
    ],
)
def test_a_capsule_that_cannot_be_read_is_refused_with_the_reason(
    repository: Repository, text: str, words: str
) -> None:
    repository.commit({PARENT: text})
    said = refused(repository)
    assert words in said
    assert "commit it, then refresh it" in said


def test_a_parent_or_a_draft_beside_it_is_refused(repository: Repository) -> None:
    assert "--parent" in refused(repository, "--parent", "cap-1")
    assert "not allowed with" in refused(repository, "--from", "-")
    run = CommandRun(repository.top, "capture")
    assert run.status == 2
    assert "--from --refresh" in run.err


def test_before_the_first_commit_there_is_nothing_to_refresh(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r")
    run = refresh(repository)
    assert run.status == 2
    assert "no commit yet" in run.err
    repository.write(PARENT, capsule("cap-1", paths("f", base=None), grounding={"repository": "o/r"}))
    repository.write("f", "1")
    repository.git("add", "--all")
    assert refresh(repository, "--index").status == 0
    assert child(repository)["grounding"] == {"ref": "refs/heads/main", "repository": "o/r"}
