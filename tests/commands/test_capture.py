"""`capture` in real repositories, and what `check` then says of the capsule."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from command_run import CommandRun
from git_repository import ENV, Repository

from ophiuchus.cli import main
from ophiuchus.commands.edge import Edge
from ophiuchus.git import glob_trie
from ophiuchus.text.terminal import Terminal

NOW = datetime(2026, 7, 1, 12, 30, 45, tzinfo=UTC)
DRAFT = """\
title: Rotate the keys
goal: Keys are rotated.
state: Half done.
next_action: The other half.
validity:
  - condition_id: code
    kind: git_paths
    paths: ["src/**", docs/keys.md]
"""


@dataclass
class Run:
    """What one command did."""

    status: int
    out: str
    err: str


def ophiuchus(*words: str, stdin: str = "", now: datetime = NOW, env: Mapping[str, str] = ENV) -> Run:
    out, err = io.StringIO(), io.StringIO()
    edge = Edge(env=env, now=now, stdin=io.BytesIO(stdin.encode()), terminal=Terminal(out, err))
    return Run(main(words, edge), out.getvalue(), err.getvalue())


def capture(repository: Repository, *words: str, draft: str = DRAFT, folder: str = ".") -> Run:
    return ophiuchus("capture", "--from", "-", "-C", str(repository.top / folder), *words, stdin=draft)


def capsules(repository: Repository) -> list[dict[str, Any]]:
    """The capsules in the work tree, the oldest first."""
    files = sorted((repository.top / ".ophiuchus").glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
    return [json.loads(file.read_text()) for file in files]


def verdict(repository: Repository, *words: str) -> dict[str, Any]:
    """What `check` says of the one capsule: its aggregate, and method and reason of its first condition."""
    run = ophiuchus("check", "-C", str(repository.top), "--format", "json", *words)
    report = json.loads(run.out)
    assert report["problems"] == []
    (capsule,) = report["capsules"]
    condition = capsule["validity"]["conditions"][0]
    return {"aggregate": capsule["validity"]["aggregate"], "method": condition["method"]}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository.create(tmp_path / "repository")
    found.commit({"src/keys.py": "1", "src/deep/er.py": "1", "docs/keys.md": "1", "other": "1"})
    return found


# What is written.


def test_a_draft_becomes_a_capsule_that_check_reads_as_valid(repository: Repository) -> None:
    head = repository.head()
    run = capture(repository)
    assert (run.status, run.err) == (0, "")
    (capsule,) = capsules(repository)
    place = f".ophiuchus/{capsule['capsule_id']}.json"
    assert capsule["capsule_id"].startswith("2026-07-01-rotate-the-keys-")
    assert capsule["created_at"] == "2026-07-01T12:30:45Z"
    assert capsule["producer"]["tool"] == "ophiuchus"
    assert capsule["grounding"] == {"commit": head, "ref": "refs/heads/main"}
    (condition,) = capsule["validity"]
    assert condition["base_commit"] == head
    assert list(condition["anchors"]) == ["src/**", "docs/keys.md"]
    for line in (f"wrote  {place}", f"commit {head}", f" add {place}", "ophiuchus check"):
        assert line in run.out
    repository.commit()
    assert verdict(repository) == {"aggregate": "valid", "method": "base_tree"}
    repository.commit({"src/new.py": "1"})
    assert verdict(repository) == {"aggregate": "partially_stale", "method": "base_tree"}


@pytest.mark.parametrize(("here", "words"), [(".", ()), ("src/deep", ()), ("..", ("-C", "repository"))])
def test_the_command_it_names_next_works_where_it_was_started(
    repository: Repository, here: str, words: tuple[str, ...]
) -> None:
    folder = repository.top / here
    folder.mkdir(parents=True, exist_ok=True)
    draft = repository.top.parent / "draft.yaml"
    draft.write_text(DRAFT)
    run = CommandRun(folder, "capture", *words, "--from", str(draft))
    (line,) = (line for line in run.out.splitlines() if line.startswith("next   "))
    subprocess.run(shlex.split(line.removeprefix("next   ")), cwd=folder, env=ENV, check=True)
    assert repository.git("diff", "--cached", "--name-only").startswith(".ophiuchus/")


def test_a_kind_that_nothing_checks_is_told_with_the_nearest(repository: Repository) -> None:
    run = capture(repository, draft=DRAFT.replace("git_paths", "gitpaths"))
    assert run.status == 0
    assert 'the kind "gitpaths" is not known (did you mean git_paths?)' in run.err


def test_a_draft_file_is_found_from_the_working_folder_and_the_capsule_lands_at_the_top(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "draft.yaml").write_text(DRAFT)
    monkeypatch.chdir(tmp_path)
    run = ophiuchus("capture", "--from", "draft.yaml", "-C", "repository/src/deep")
    assert run.status == 0
    assert len(capsules(repository)) == 1


def test_json_is_a_draft_too(repository: Repository) -> None:
    draft = {"goal": "g", "state": "s", "next_action": "n"}
    assert capture(repository, draft=json.dumps(draft)).status == 0
    assert draft.items() <= capsules(repository)[0].items()


def test_the_answer_as_json_names_the_file_and_the_warnings(repository: Repository) -> None:
    repository.write("src/keys.py", "2")
    said = json.loads(capture(repository, "--format", "json").out)
    assert (repository.top / said["path"]).exists()
    assert said["path"] == f".ophiuchus/{said['capsule_id']}.json"
    assert "--index" in said["warnings"][0]


def test_the_same_draft_twice_makes_two_capsules(repository: Repository) -> None:
    capture(repository)
    assert capture(repository).status == 0
    assert len({capsule["capsule_id"] for capsule in capsules(repository)}) == 2


def test_a_detached_head_has_no_branch_to_name(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--detach")
    capture(repository)
    assert capsules(repository)[0]["grounding"] == {"commit": repository.head()}


def test_the_clone_is_left_as_it_was_but_for_the_new_file(repository: Repository) -> None:
    before = repository.fingerprint()
    capture(repository)
    (file,) = (repository.top / ".ophiuchus").iterdir()
    file.unlink()
    file.parent.rmdir()
    assert repository.fingerprint() == before


def test_a_repository_of_the_other_object_format_works(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r", object_format="sha256")
    repository.commit({"src/keys.py": "1", "docs/keys.md": "1"})
    assert capture(repository).status == 0
    assert len(capsules(repository)[0]["validity"][0]["base_commit"]) == 64
    repository.commit()
    assert verdict(repository)["aggregate"] == "valid"


# Verdicts that survive.


def test_a_squash_merge_and_a_shallow_clone_leave_the_verdict_to_the_anchors(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("switch", "--quiet", "--create", "work")
    repository.commit({"src/keys.py": "2"})
    capture(repository)
    repository.commit()
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "--squash", "work")
    repository.commit()
    repository.git("branch", "--quiet", "-D", "work")
    shallow = Repository.clone(repository, tmp_path / "shallow", "--depth", "1", "--branch", "main")
    assert verdict(shallow) == {"aggregate": "valid", "method": "anchor"}
    repository.commit({"src/keys.py": "3", "docs/keys.md": "3"})
    later = Repository.clone(repository, tmp_path / "later", "--depth", "1", "--branch", "main")
    assert verdict(later) == {"aggregate": "stale", "method": "anchor"}


def test_with_the_index_work_and_hand_off_go_into_one_commit(repository: Repository) -> None:
    repository.write("src/keys.py", "2")
    repository.git("add", "src")
    run = capture(repository, "--index")
    assert run.status == 0
    assert "no base commit" in run.err
    assert "unattended" in run.err
    assert "stale" not in run.err
    (capsule,) = capsules(repository)
    assert capsule["validity"][0]["base_commit"] is None
    repository.git("add", ".ophiuchus")
    assert verdict(repository, "--tree", "index") == {"aggregate": "valid", "method": "anchor"}
    repository.commit_index()
    assert verdict(repository) == {"aggregate": "valid", "method": "anchor"}
    repository.commit({"src/keys.py": "3"})
    assert verdict(repository) == {"aggregate": "partially_stale", "method": "anchor"}


def test_before_the_first_commit_only_the_index_can_be_captured(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r")
    repository.write("src/keys.py", "1")
    repository.write("docs/keys.md", "1")
    repository.git("add", "--all")
    run = capture(repository)
    assert run.status == 2
    assert "no commit yet" in run.err
    assert "--index" in run.err
    assert not (repository.top / ".ophiuchus").exists()
    assert capture(repository, "--index").status == 0
    assert capsules(repository)[0]["grounding"] == {"ref": "refs/heads/main"}
    repository.commit()
    assert verdict(repository)["aggregate"] == "valid"


def test_in_the_middle_of_a_merge_the_index_is_no_tree(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "other")
    repository.commit({"src/keys.py": "2"})
    repository.git("switch", "--quiet", "main")
    repository.commit({"src/keys.py": "3"})
    with pytest.raises(AssertionError):
        repository.git("merge", "--quiet", "other")
    run = capture(repository, "--index")
    assert run.status == 2
    assert "Finish the merge" in run.err


# Work that is not committed.


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda r: r.write("src/keys.py", "2"), "src/keys.py"),
        (lambda r: (r.write("src/keys.py", "2"), r.git("add", "src")), "src/keys.py"),
        (lambda r: r.write("src/deep/new.py", "2"), "src/deep/new.py"),
        (lambda r: (r.top / "docs/keys.md").unlink(), "docs/keys.md"),
        (lambda r: (r.top / "src/keys.py").chmod(0o755), "src/keys.py"),
        (lambda r: r.git("mv", "src/keys.py", "elsewhere"), "src/keys.py"),
    ],
    ids=["edited", "staged", "untracked", "deleted", "mode", "moved out"],
)
def test_uncommitted_changes_of_a_declared_path_are_told_with_the_way_out(
    repository: Repository, change: Any, path: str
) -> None:
    change(repository)
    run = capture(repository)
    assert run.status == 0
    assert f'warning: condition "code": {path}' in run.err
    assert "once they are committed, it reads stale" in run.err
    assert "--index" in run.err
    repository.commit()
    assert verdict(repository)["aggregate"] == "partially_stale"


@pytest.mark.parametrize("path", ["other", "new", "docs/other.md", ".ophiuchus/notes.txt"])
def test_uncommitted_changes_elsewhere_are_nobodys_business(repository: Repository, path: str) -> None:
    repository.write(path, "2")
    assert capture(repository).err == ""


def test_with_the_index_only_what_is_not_staged_is_told(repository: Repository) -> None:
    repository.write("src/keys.py", "2")
    repository.git("add", "src")
    repository.write("docs/keys.md", "2")
    run = capture(repository, "--index")
    assert "docs/keys.md: changes that are not staged" in run.err
    assert "src/keys.py" not in run.err
    repository.commit()
    assert verdict(repository)["aggregate"] == "partially_stale"


def test_many_uncommitted_paths_are_counted(repository: Repository) -> None:
    for number in range(9):
        repository.write(f"src/{number}", "")
    assert "src/0, src/1, src/2 and 6 more" in capture(repository).err


def test_a_submodule_is_followed_by_its_pointer(repository: Repository, tmp_path: Path) -> None:
    module = Repository.create(tmp_path / "module")
    module.commit({"f": "1"})
    repository.git("submodule", "--quiet", "add", module.top.as_uri(), "vendor/m")
    repository.commit()
    draft = DRAFT.replace('["src/**", docs/keys.md]', '["vendor/m/f"]')
    assert capture(repository, draft=draft).err == ""
    Repository(repository.top / "vendor/m").commit({"f": "2"})
    assert "vendor/m: uncommitted changes" in capture(repository, draft=draft).err


# Slips of the pen.


@pytest.mark.parametrize(
    ("glob", "words"),
    [
        ("src/kyes.py", "matches nothing"),
        ("SRC/**", "matches nothing"),
        ("./src/**", "is not evaluated"),
        ("/src/**", "is an absolute path"),
        ("src/**.py", "glued"),
        ("{src,docs}/**", "braces"),
        (".ophiuchus/**", "covers this capsule's own file"),
    ],
)
def test_a_pattern_that_cannot_serve_is_told_at_once(repository: Repository, glob: str, words: str) -> None:
    draft = DRAFT.replace("docs/keys.md", json.dumps(glob))
    run = capture(repository, draft=draft)
    assert run.status == 0
    assert 'condition "code"' in run.err
    assert words in run.err
    repository.commit()
    assert verdict(repository)["aggregate"] in ("valid", "partially_stale")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("expires_at: 2026-07-01T12:30:45Z", "expires_at"),
        ("  - {condition_id: w, kind: time_window, not_after: 2026-07-01T12:00:00Z}", "has passed already"),
        ("  - {condition_id: w, kind: time_window, not_after: tomorrow}", "is not an RFC 3339 date"),
        (
            "negative_knowledge: [{item_id: i, hypothesis: h, why_invalid: w, applies_while: [cod]}]",
            "which is no condition",
        ),
        ("nxt_action: typo", "nxt_action"),
    ],
)
def test_what_will_not_read_as_meant_is_told(repository: Repository, more: str, words: str) -> None:
    run = capture(repository, draft=f"{DRAFT}{more}\n")
    assert run.status == 0
    assert words in run.err


def test_a_hand_off_without_a_condition_is_told_that_it_will_never_read_stale(repository: Repository) -> None:
    run = capture(repository, draft="goal: g\nstate: s\nnext_action: n\n")
    assert "not_declared" in run.err
    assert (
        "base commit" not in capture(repository, "--index", draft="goal: g\nstate: s\nnext_action: n\n").err
    )


# The base and the parent.


def test_a_base_of_ones_own_gives_the_anchors_of_its_tree(repository: Repository) -> None:
    base = repository.head()
    repository.commit({"src/keys.py": "2"})
    run = capture(repository, draft=f"{DRAFT}    base_commit: {base}\n")
    assert '"src/**" has changed since its base' in run.err
    repository.commit()
    assert verdict(repository)["aggregate"] == "partially_stale"


@pytest.mark.parametrize("base", ["main", "HEAD", "0" * 40, "abc1234", "--output=x"])
def test_a_base_that_is_no_commit_here_is_refused_with_its_line(repository: Repository, base: str) -> None:
    run = capture(repository, draft=f"{DRAFT}    base_commit: {base}\n")
    assert run.status == 2
    assert "-:9:5: `validity[0].base_commit`" in run.err
    run = capture(repository, draft=f"{DRAFT}grounding: {{commit: {base}}}\n")
    assert "-:9:13: `grounding.commit`" in run.err
    assert not (repository.top / ".ophiuchus").exists()


def test_the_parent_must_be_known_committed_or_only_written(repository: Repository) -> None:
    capture(repository)
    first = capsules(repository)[0]["capsule_id"]
    assert capture(repository, "--parent", first).status == 0
    assert capsules(repository)[-1]["parent_capsule_id"] == first
    repository.commit()
    (repository.top / ".ophiuchus" / f"{first}.json").unlink()
    assert capture(repository, "--parent", first).status == 0
    run = capture(repository, "--parent", "unknown")
    assert run.status == 2
    assert '"unknown" names no capsule' in run.err


@pytest.mark.parametrize("in_draft", [True, False])
def test_a_parent_that_cannot_be_read_is_told(repository: Repository, in_draft: bool) -> None:
    repository.commit({".ophiuchus/torn.json": "{\n<<<<<<< HEAD\n"})
    words = ["--parent", "Torn"] if not in_draft else []
    run = capture(repository, *words, draft=f"{DRAFT}parent_capsule_id: Torn\n" if in_draft else DRAFT)
    assert run.status == 0
    assert 'warning: the parent "Torn" cannot be read: .ophiuchus/torn.json: unresolved merge' in run.err


# Never overwriting, never outside.


def test_a_taken_id_is_refused_and_the_file_left(repository: Repository) -> None:
    repository.write(".ophiuchus/mine.json", "not even a capsule")
    run = capture(repository, draft=f"{DRAFT}capsule_id: Mine\n")
    assert run.status == 2
    assert "is in use" in run.err
    assert (repository.top / ".ophiuchus/mine.json").read_text() == "not even a capsule"


class Overtaken(io.BytesIO):
    """A draft in whose reading another capture of the same draft begins and ends."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(DRAFT.encode())
        self.repository = repository

    def read(self, size: int | None = -1, /) -> bytes:
        assert capture(self.repository).status == 0
        return super().read(size)


def test_a_capture_that_another_overtook_leaves_its_file_and_says_what_to_do(repository: Repository) -> None:
    out, err = io.StringIO(), io.StringIO()
    edge = Edge(env=ENV, now=NOW, stdin=Overtaken(repository), terminal=Terminal(out, err))
    assert main(["capture", "--from", "-", "-C", str(repository.top)], edge) == 2
    assert len(capsules(repository)) == 1
    assert "was written while this ran, and was left as it is" in err.getvalue()
    assert "try again" in err.getvalue()


def test_a_folder_that_is_a_link_is_not_followed(repository: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository.top / ".ophiuchus").symlink_to(outside)
    run = capture(repository)
    assert run.status == 2
    assert "cannot be written" in run.err
    assert list(outside.iterdir()) == []


def test_a_draft_that_is_too_large_or_wrong_writes_nothing(repository: Repository) -> None:
    for draft, words in [
        (f"{DRAFT}title: again\n", "twice"),
        (f"{DRAFT}evidence: ['{'x' * 300_000}']\n", "too large"),
        (json.dumps({"goal": "x" * 262_000, "state": "s", "next_action": "n"}), "too large"),
        ("goal: g\n", "next_action"),
    ]:
        run = capture(repository, draft=draft)
        assert run.status == 2
        assert words in run.err
    assert not (repository.top / ".ophiuchus").exists()


def test_a_draft_that_is_not_there_is_told_in_one_line(repository: Repository) -> None:
    run = ophiuchus("capture", "--from", "nowhere.yaml", "-C", str(repository.top))
    assert run.status == 2
    assert "nowhere.yaml cannot be read: No such file or directory" in run.err


def test_what_a_draft_says_never_reaches_the_terminal_raw(repository: Repository) -> None:
    run = capture(repository, draft=f'{DRAFT}"\\e[2J": 1\n"::error::x": 1\n')
    assert run.status == 0
    assert "error" in run.err
    assert "\x1b" not in run.err + run.out
    assert not any(line.startswith("::") for line in (run.err + run.out).splitlines())


def test_patterns_that_take_too_long_are_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glob_trie, "MOST_WORK", 1)  # the real limit takes seconds to reach
    run = capture(repository, draft=DRAFT.replace("src/**", "src/*/*.py"))
    assert run.status == 2
    assert "take too long to match" in run.err
    assert not (repository.top / ".ophiuchus").exists()


def test_outside_a_checkout_it_says_so(tmp_path: Path) -> None:
    run = ophiuchus("capture", "--from", "-", "-C", str(tmp_path), stdin=DRAFT)
    assert run.status == 2
    assert "not in a git checkout" in run.err


def test_nothing_of_the_scratch_repository_is_left(repository: Repository, tmp_path: Path) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    edge = {**ENV, "TMPDIR": str(scratch)}
    ophiuchus("capture", "--from", "-", "-C", str(repository.top), stdin=DRAFT, env=edge)
    assert list(scratch.iterdir()) == []
