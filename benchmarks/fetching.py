"""The same check in a depth-1 clone that lacks every base, fetched from a server on loopback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# The server is the tests' own: it counts what it answers.
sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from smart_http import GitServer, serve_bare, serving


@dataclass(frozen=True, slots=True)
class Served:
    """A depth-1 clone of one branch, and the server that has the rest."""

    clone: Path
    server: GitServer

    @property
    def env(self) -> dict[str, str]:
        """Where missing commits are fetched from, as a workflow says it."""
        return {"GITHUB_SERVER_URL": self.server.url, "GITHUB_REPOSITORY": "owner/name"}


@contextmanager
def shallow_clone(repository: Path, branch: str, folder: Path) -> Iterator[Served]:
    """Serve `repository` and clone its `branch` at depth 1, both below `folder`."""
    bare = serve_bare(repository, folder / "served")
    clone = folder / "clone"
    options = ("-q", "--depth=1", "--no-checkout", "--branch", branch)
    subprocess.run(["git", "clone", *options, bare.as_uri(), str(clone)], check=True)
    with serving(folder / "served") as server:
        yield Served(clone, server)
