from __future__ import annotations

from pathlib import Path

import pytest

from ophiuchus.workflow.inputs import InvalidInputs, read_settings


def read(workspace: Path, text: str) -> str:
    return read_settings({"GITHUB_WORKSPACE": str(workspace), "INPUT_CA_BUNDLE": text}).ca_bundle


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    (path / "folder").mkdir(parents=True)
    (path / "ca.pem").touch()
    (tmp_path / "outside.pem").touch()
    (path / "link.pem").symlink_to(tmp_path / "outside.pem")
    return path


def test_a_file_of_the_workspace_becomes_an_absolute_path(workspace: Path) -> None:
    assert read(workspace, "./ca.pem") == str(workspace / "ca.pem")


def test_an_absolute_path_is_taken_as_it_is(workspace: Path) -> None:
    outside = workspace.parent / "outside.pem"
    assert read(workspace, str(outside)) == str(outside)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("folder", "is no file"),
        ("absent.pem", "is no file"),
        ("/absent.pem", "is no file"),
        ("x" * 900, "is no file"),
        ("../outside.pem", "has a '..'"),
        ("link.pem", "leads out of the workspace"),
        ("/a\nb", "cannot be printed"),
    ],
)
def test_what_is_no_file_that_may_be_used_is_refused(workspace: Path, text: str, why: str) -> None:
    with pytest.raises(InvalidInputs) as refused:
        read(workspace, text)
    (fault,) = refused.value.faults
    assert fault.startswith("ca_bundle: ")
    assert why in fault
