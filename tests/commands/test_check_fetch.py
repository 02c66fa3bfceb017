"""`ophiuchus check --fetch-missing` and the action's `fetch_missing`: bases that a depth-1 clone lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_run import CommandRun, capsule, paths
from git_repository import Repository
from smart_http import GitServer, serve_bare, serving

UNKNOWN = "0123456789" * 4


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    """One path changed since the first commit, one did not; a capsule about each."""
    repository = Repository.create(tmp_path / "origin")
    base = repository.commit({"src/a.py": "1\n", "doc/b.md": "1\n"})
    repository.commit(
        {
            "src/a.py": "2\n",
            ".ophiuchus/gone.json": capsule("gone", paths("c", "doc/**", base=UNKNOWN)),
            ".ophiuchus/moved.json": capsule("moved", paths("c", "src/**", base=base)),
            ".ophiuchus/same.json": capsule("same", paths("c", "doc/**", base=base)),
        }
    )
    return repository


@pytest.fixture
def server(tmp_path: Path, origin: Repository) -> Iterator[GitServer]:
    serve_bare(origin.top, tmp_path / "served")
    with serving(tmp_path / "served") as server:
        yield server


@pytest.fixture
def shallow(tmp_path: Path, origin: Repository) -> Repository:
    return Repository.clone(origin, tmp_path / "shallow", "--depth=1")


def told_by(server: GitServer) -> dict[str, str]:
    return {"GITHUB_SERVER_URL": server.url, "GITHUB_REPOSITORY": "owner/name"}


def verdicts(run: CommandRun) -> dict[str, str]:
    return {one["capsule_id"]: one["validity"]["aggregate"] for one in run.json["capsules"]}


def test_missing_bases_are_fetched_and_judged(shallow: Repository, server: GitServer) -> None:
    before = shallow.fingerprint()
    run = CommandRun(shallow.top, "check", "--fetch-missing", "--format", "json", env=told_by(server))
    assert verdicts(run) == {"gone": "unverifiable", "moved": "stale", "same": "valid"}
    assert run.json["evaluated"]["fetched"] == 1
    (gone,) = (one for one in run.json["capsules"] if one["capsule_id"] == "gone")
    assert "nor on the server" in gone["validity"]["conditions"][0]["reason"]
    assert shallow.fingerprint() == before


def test_nothing_is_fetched_unasked(shallow: Repository, server: GitServer) -> None:
    run = CommandRun(shallow.top, "check", "--format", "json", env=told_by(server))
    assert set(verdicts(run).values()) == {"unverifiable"}
    assert run.json["evaluated"]["fetched"] == 0
    assert server.exchanges == []


def test_a_fault_of_the_network_is_its_own_cause(shallow: Repository, server: GitServer) -> None:
    server.status = 503
    run = CommandRun(shallow.top, "check", "--fetch-missing", "--format", "json", env=told_by(server))
    assert set(verdicts(run).values()) == {"unverifiable"}
    reasons = {one["validity"]["conditions"][0]["reason"] for one in run.json["capsules"]}
    assert all("could not be fetched" in reason for reason in reasons)


@pytest.mark.parametrize(
    "env", [{}, {"GITHUB_SERVER_URL": "https://example.invalid"}, {"GITHUB_REPOSITORY": "owner/name"}]
)
def test_without_an_address_asking_to_fetch_is_an_error(shallow: Repository, env: dict[str, str]) -> None:
    run = CommandRun(shallow.top, "check", "--fetch-missing", env=env)
    assert run.status == 2
    assert "GITHUB_SERVER_URL and GITHUB_REPOSITORY" in run.err


def test_an_address_without_encryption_is_refused(shallow: Repository) -> None:
    env = {"GITHUB_SERVER_URL": "http://example.invalid", "GITHUB_REPOSITORY": "owner/name"}
    run = CommandRun(shallow.top, "check", "--fetch-missing", env=env)
    assert run.status == 2
    assert "not https" in run.err


def test_the_base_of_a_change_is_fetched_with_its_capsules(
    tmp_path: Path, origin: Repository, server: GitServer
) -> None:
    """What was promised at the base is read there, so its files must come too."""
    base = origin.head()
    origin.commit({".ophiuchus/same.json": capsule("same", paths("c", "src/**", base=base))})
    serve_bare(origin.top, tmp_path / "served", "owner/later")
    clone = Repository.clone(origin, tmp_path / "later", "--depth=1")
    options = ("check", "--fetch-missing", "--base", base, "--format", "json")
    env = told_by(server) | {"GITHUB_REPOSITORY": "owner/later"}
    run = CommandRun(clone.top, *options, env=env)
    assert run.json["evaluated"]["base"] == base
    assert {one["capsule_id"] for one in run.json["capsules"] if one["redeclared"]} == {"same"}
    assert "base_unknown" not in {one["code"] for one in run.json["notices"]}


@pytest.mark.parametrize("verb", [("inspect",), ("receive", "--with", "codex")], ids=lambda verb: verb[0])
def test_one_capsule_is_judged_on_a_base_that_was_fetched(
    shallow: Repository, server: GitServer, verb: tuple[str, ...]
) -> None:
    before = shallow.fingerprint()
    words = (*verb, "moved", "--format", "json")
    unasked = CommandRun(shallow.top, *words, env=told_by(server))
    assert server.exchanges == []
    asked = CommandRun(shallow.top, *words, "--fetch-missing", env=told_by(server))
    reports = [run.json if verb == ("inspect",) else run.json["report"] for run in (unasked, asked)]
    assert [one["capsules"][0]["validity"]["aggregate"] for one in reports] == ["unverifiable", "stale"]
    assert [one["evaluated"]["fetched"] for one in reports] == [0, 1]
    assert shallow.fingerprint() == before


@pytest.mark.parametrize("verb", [("inspect",), ("receive", "--with", "codex")], ids=lambda verb: verb[0])
def test_asking_to_fetch_from_nowhere_is_an_error(shallow: Repository, verb: tuple[str, ...]) -> None:
    run = CommandRun(shallow.top, *verb, "moved", "--fetch-missing")
    assert run.status == 2
    assert "GITHUB_SERVER_URL" in run.err
