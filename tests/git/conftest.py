"""A repository to begin with, and the scratch repository that borrows its objects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from git_repository import ENV, Repository

from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.scratch import Scratch, open_scratch


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Without a commit yet; modules that want another one have their own."""
    return Repository.create(tmp_path / "r")


@pytest.fixture
def scratch(repository: Repository, tmp_path: Path) -> Iterator[Scratch]:
    """Opened on `repository`, whatever is committed to it later."""
    with open_scratch(open_checkout(repository.top, ENV), ENV, tmp_path) as opened:
        yield opened
