"""What the image keeps of the Teams SDK is what the adapter loads, no less and no more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fault_server import FAULTS, FaultServer
from prune_msgraph import KEPT, AnotherVersion, prune
from services import TEAMS
from write_elsewhere import PROGRAM, answer, question

import ophiuchus
from ophiuchus.publish.capability import Operation


def loaded_by(operation: Operation) -> set[str]:
    """The SDK's files that one write loads in a fresh process, from the package's folder on."""
    with FaultServer(FAULTS[0], TEAMS.exchanges[operation].good) as server:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=question(TEAMS, operation, server.origin),
            env={"PYTHONPATH": str(Path(ophiuchus.__file__).parents[1])},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    left = answer(done.stdout)
    assert left.status == "published", left.reason
    (home,) = (Path(file).parent for file in left.files if file.endswith("/msgraph/__init__.py"))
    return {path.relative_to(home).as_posix() for path in map(Path, left.files) if home in path.parents}


def test_exactly_what_a_post_and_a_reply_load_is_kept() -> None:
    assert loaded_by(Operation.CREATE) | loaded_by(Operation.APPEND) == KEPT


def package(folder: Path, files: set[str]) -> Path:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return folder


def test_everything_else_goes_and_so_do_empty_folders(tmp_path: Path) -> None:
    others = {"generated/kiota-dom-export.txt", "generated/models/user.py", "generated/users/item/x/y.py"}
    folder = package(tmp_path / "msgraph", {*KEPT, *others})
    prune(folder)
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == KEPT
    assert not (folder / "generated/users").exists()


def test_another_version_is_not_cut_down(tmp_path: Path) -> None:
    lacking = "generated/models/item_body.py"
    folder = package(tmp_path / "msgraph", {*KEPT, "generated/models/user.py"} - {lacking})
    with pytest.raises(AnotherVersion, match=lacking):
        prune(folder)
    assert (folder / "generated/models/user.py").is_file()
