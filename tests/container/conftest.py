"""The image under test, a project on a server, and the runner's own folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosted_project import Project


@pytest.fixture(scope="session")
def image() -> str:
    """The name of the built image. `.ci/run` and `make test-container` build it."""
    name = os.environ.get("CI_IMAGE", "")
    if not name:
        pytest.skip("no image: CI_IMAGE is not set (`make test-container` builds one)")
    return name


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The server's repository, made once; checkouts do not change it."""
    return Project.create(tmp_path_factory.mktemp("server") / "repo")


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Path]:
    """The runner's own folder, removed at once: it holds files of another owner."""
    folder = tmp_path / "runner"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)
