from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from git_repository import ENV, Repository

from ophiuchus.cli import main
from ophiuchus.commands.agent_files import section
from ophiuchus.commands.edge import Edge
from ophiuchus.commands.init import SECTION_MARK
from ophiuchus.text.terminal import Terminal

WRITTEN = [".ophiuchus/README.md", ".github/workflows/ophiuchus.yml", "AGENTS.md"]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository.create(tmp_path / "repository")
    found.commit({"README.md": "mine"})
    return found


def init(repository: Repository, *words: str, folder: str = ".") -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    edge = Edge(ENV, datetime(2026, 7, 1, tzinfo=UTC), io.BytesIO(), Terminal(out, err))
    status = main(["init", "-C", str(repository.top / folder), *words], edge)
    return status, out.getvalue(), err.getvalue()


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def test_a_bare_repository_gets_all_three_files_and_what_to_do_next(repository: Repository) -> None:
    status, out, err = init(repository)
    assert (status, err) == (0, "")
    assert sorted(snapshot(repository.top)) == sorted([*WRITTEN, "README.md"])
    for path in WRITTEN:
        assert f"wrote  {path}" in out
    assert f" add {' '.join(WRITTEN)}" in out
    assert "OWNER" in out
    assert (repository.top / "AGENTS.md").read_text() == section()


def test_a_file_that_cannot_be_written_stops_no_other(repository: Repository) -> None:
    (repository.top / ".github").symlink_to("elsewhere")
    status, out, err = init(repository)
    assert status == 2
    assert "wrote  AGENTS.md" in out
    assert ".github/workflows/ophiuchus.yml cannot be written" in err


def test_it_writes_at_the_top_when_started_in_a_folder(repository: Repository) -> None:
    repository.commit({"deep/er/f": "1"})
    init(repository, folder="deep/er")
    assert all((repository.top / path).exists() for path in WRITTEN)


def test_running_it_again_changes_nothing_and_says_so(repository: Repository) -> None:
    init(repository)
    before = snapshot(repository.top)
    status, out, _ = init(repository)
    assert status == 0
    assert snapshot(repository.top) == before
    assert "wrote" not in out
    assert "git add" not in out
    assert "Paste" not in out
    for path in WRITTEN:
        assert f"kept   {path}" in out


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md"])
def test_instructions_that_exist_are_left_and_the_section_is_printed(
    repository: Repository, name: str
) -> None:
    repository.write(name, "# Mine\n")
    _, out, _ = init(repository)
    assert (repository.top / name).read_text() == "# Mine\n"
    assert f"kept   {name}" in out
    assert f"Paste this section into {name}" in out
    assert section().strip() in out
    other = {"AGENTS.md": "CLAUDE.md", "CLAUDE.md": "AGENTS.md"}[name]
    assert not (repository.top / other).exists()


def test_a_section_that_was_pasted_is_not_offered_again(repository: Repository) -> None:
    repository.write("AGENTS.md", "# Mine\n")
    repository.write("CLAUDE.md", f"# Mine\n\n{section()}")
    _, out, _ = init(repository)
    assert "Paste" not in out


@pytest.mark.parametrize("path", WRITTEN)
def test_a_file_that_exists_is_never_overwritten(repository: Repository, path: str) -> None:
    repository.write(path, "mine")
    status, out, _ = init(repository)
    assert status == 0
    assert (repository.top / path).read_text() == "mine"
    assert f"kept   {path}" in out


def test_a_link_in_the_way_is_not_followed(repository: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository.top / ".ophiuchus").symlink_to(outside)
    status, _, err = init(repository)
    assert status == 2
    assert ".ophiuchus/README.md cannot be written" in err
    assert not list(outside.iterdir())


@pytest.mark.parametrize("kind", ["dangling link", "folder"])
def test_an_agents_file_of_another_kind_is_left(repository: Repository, kind: str) -> None:
    path = repository.top / "AGENTS.md"
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere.md")
    status, out, _ = init(repository)
    assert status == 0
    assert "kept   AGENTS.md" in out
    assert not (repository.top / "nowhere.md").exists()


def test_outside_a_checkout_it_says_so(tmp_path: Path) -> None:
    status, _, err = init(Repository(tmp_path))
    assert status == 2
    assert "not in a git checkout" in err


def test_json_lists_the_same(repository: Repository) -> None:
    _, out, _ = init(repository, "--format", "json")
    assert json.loads(out) == {"written": WRITTEN, "kept": [], "to_paste": [], "section": section()}
    _, out, _ = init(repository, "--format", "json")
    assert json.loads(out) == {"written": [], "kept": WRITTEN, "to_paste": [], "section": section()}


def test_the_workflow_asks_for_no_more_than_it_needs(repository: Repository) -> None:
    init(repository)
    workflow = yaml.safe_load((repository.top / ".github/workflows/ophiuchus.yml").read_text())
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    assert job["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert job["steps"][-1]["uses"] == "OWNER/ophiuchus-action@v1"


def test_the_section_is_marked_at_both_ends() -> None:
    assert section().startswith(SECTION_MARK)
    assert section().endswith("<!-- ophiuchus:end -->\n")
