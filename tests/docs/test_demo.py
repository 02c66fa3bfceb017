"""`make demo` shows what it promises, whatever folder it is started from, as often as one likes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def demo() -> ModuleType:
    spec = spec_from_file_location("demo", PROJECT / "examples" / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checked(repository: Path) -> dict[str, str]:
    """Every capsule's aggregate by its title, as the real command says."""
    done = subprocess.run(
        [sys.executable, "-m", "ophiuchus.cli", "check", "--format", "json", "--at", "2026-06-02T09:00:00Z"],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(PROJECT / "src")},
        capture_output=True,
        check=True,
    )
    report = json.loads(done.stdout)
    assert report["problems"] == []
    return {capsule["title"]: capsule["validity"]["aggregate"] for capsule in report["capsules"]}


def test_the_demo_has_one_capsule_of_each_kind_and_writes_the_page(
    demo: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "demo"
    assert demo.main(folder) == 0
    assert checked(folder / "repository") == {
        "Round invoices once": "stale",
        "Describe the public interface": "partially_stale",
        "The search index is rebuilt in the background.": "unverifiable",
        "Rotate the session keys": "valid",
    }
    printed = capfd.readouterr().out
    assert "Action required: 3 of 4 capsules need action" in printed
    assert "src/billing/invoice.py" in printed
    assert "report.html" in printed
    page = (folder / "report.html").read_text("utf-8")
    assert "Action required" in page
    assert "Round invoices once" in page


def test_running_it_again_gives_the_same(demo: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "demo"

    def made() -> dict[str, bytes]:
        demo.main(folder)
        capsules = (folder / "repository" / ".ophiuchus").iterdir()
        return {file.name: file.read_bytes() for file in [*capsules, folder / "report.html"]}

    first = made()
    (folder / "repository" / "left.over").write_text("")
    assert made() == first
    assert not (folder / "repository" / "left.over").exists()


def test_a_folder_of_somebody_else_is_left_alone(demo: ModuleType, tmp_path: Path) -> None:
    mine = tmp_path / "demo"
    mine.mkdir()
    (mine / "precious").write_text("")
    with pytest.raises(SystemExit, match="not made by this demo"):
        demo.main(mine)
    assert (mine / "precious").exists()
