from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from git_repository import ENV, Repository
from smart_http import GitServer, serve_bare, serving

from ophiuchus.git.remote import Remote
from ophiuchus.git.server_view import are_ancestors


@pytest.fixture
def server(repository: Repository, tmp_path: Path) -> Iterator[GitServer]:
    """Serves `repository`, whose last of three commits is on `main`, beside one on a branch of its own."""
    for number in range(3):
        repository.commit({"a": str(number)})
    repository.git("branch", "side", "HEAD~1")
    repository.git("checkout", "-q", "side")
    repository.commit({"b": "1"})
    serve_bare(repository.top, tmp_path / "served")
    with serving(tmp_path / "served") as server:
        yield server


def test_ancestors_are_told_by_the_servers_own_history(repository: Repository, server: GitServer) -> None:
    main, first, side = (repository.git("rev-parse", name) for name in ("main", "main~2", "side"))
    remote = Remote(server.url, "owner/name")
    assert are_ancestors(remote, ENV, "sha1", main, [first, main])
    assert not are_ancestors(remote, ENV, "sha1", main, [first, side])
    assert not are_ancestors(remote, ENV, "sha1", main, ["1" * 40])


def test_where_the_server_does_not_say_nothing_is_an_ancestor(
    repository: Repository, server: GitServer
) -> None:
    main = repository.git("rev-parse", "main")
    assert not are_ancestors(Remote(server.url, "owner/gone"), ENV, "sha1", main, [main])
    assert not are_ancestors(Remote(server.url, "owner/name"), ENV, "sha1", "1" * 40, ["1" * 40])
