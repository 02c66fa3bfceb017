from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from publishing_project import Project, project


@pytest.fixture(scope="session")
def publishing_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project that publishes, made once; who moves its branch moves it back."""
    with project(tmp_path_factory.mktemp("project")) as made:
        yield made


@pytest.fixture
def here(publishing_project: Project) -> Project:
    """The project, with services that nothing has arrived at yet."""
    publishing_project.services.forget()
    return publishing_project


@pytest.fixture
def receipts(tmp_path: Path) -> Path:
    """A file of receipts, empty."""
    file = tmp_path / "receipts.jsonl"
    file.touch()
    return file
