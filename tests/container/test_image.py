"""The image by itself: what is in it, and what can reach its interpreter from outside."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ophiuchus import __version__

pytestmark = pytest.mark.container

ROOT = Path(__file__).parents[2]
PYTHON = "/opt/venv/bin/python"


def docker(*words: str) -> str:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_image(image: str, program: str, *words: str) -> str:
    return docker("run", "--rm", "--network", "none", "--entrypoint", program, image, *words)


@pytest.fixture(scope="module")
def config(image: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(docker("image", "inspect", image))[0]["Config"]
    return found


def test_no_shell_stands_between_the_runner_and_the_action(image: str, config: dict[str, Any]) -> None:
    (program,) = config["Entrypoint"]
    assert in_image(image, "head", "-n", "1", program).startswith("#!/opt/venv/bin/python -I")


def test_the_user_is_root_for_the_command_files_are_somebody_elses(config: dict[str, Any]) -> None:
    assert config["User"] == ""


def test_the_action_is_in_the_image_with_its_version(image: str) -> None:
    version = in_image(image, PYTHON, "-I", "-m", "ophiuchus.cli", "--version")
    assert version == f"ophiuchus {__version__}\n"


def test_exactly_the_pinned_packages_are_installed(image: str) -> None:
    listed = in_image(
        image, PYTHON, "-I", "-c",
        "import importlib.metadata as m; print(*(f'{d.name}=={d.version}' for d in m.distributions()))",
    )  # fmt: skip
    pinned = [
        line.split(" ")[0]
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if line and line[0] not in " #"
    ]
    assert sorted(listed.lower().replace("_", "-").split()) == sorted(
        name.lower().replace("_", "-") for name in pinned
    )


def test_every_module_is_compiled_and_no_source_of_tests_or_history_came_along(image: str) -> None:
    left = in_image(
        image, PYTHON, "-I", "-c",
        "from pathlib import Path; import importlib.util as u, sysconfig\n"
        "site = Path(sysconfig.get_path('purelib'))\n"
        "print([str(p) for p in site.rglob('*.py') if not Path(u.cache_from_source(str(p))).exists()])\n"
        "print([str(p) for p in Path('/opt').rglob('*') if p.name in ('.git', 'Dockerfile', 'docs')])",
    )  # fmt: skip
    assert left == "[]\n[]\n"


def test_the_jobs_environment_and_checkout_cannot_reach_the_interpreter(image: str, tmp_path: Path) -> None:
    for name in ("sitecustomize.py", "json.py", "ophiuchus.py", "startup.py"):
        (tmp_path / name).write_text("print('INJECTED', flush=True)\n")
    done = subprocess.run(
        [
            "docker", "run", "--rm", "--network", "none", "-v", f"{tmp_path}:/github/workspace",
            "--workdir", "/github/workspace", "-e", "PYTHONPATH=/github/workspace",
            "-e", "PYTHONHOME=/nowhere", "-e", "PYTHONSTARTUP=/github/workspace/startup.py",
            "-e", "PYTHONINSPECT=1", "-e", "PYTHONVERBOSE=1", "-e", "PYTHONIOENCODING=ascii",
            "-e", "LC_ALL=C",
            "-e", "PYTHONUSERBASE=/github/workspace", "-e", "PYTHONWARNINGS=error", image,
        ],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "INJECTED" not in done.stdout + done.stderr
    assert "import " not in done.stderr  # PYTHONVERBOSE had no say
    assert done.returncode == 2, done.stderr  # no inputs, no event: input errors, not a crash
    assert [path.name for path in tmp_path.iterdir() if path.name == "__pycache__"] == []


def test_arguments_are_refused_unseen_whatever_they_say(image: str) -> None:
    for words in (["--help"], ["::error::x"], [""], ["check", "-C", "/"]):
        done = subprocess.run(
            ["docker", "run", "--rm", "--network", "none", image, *words],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("This action takes inputs, no arguments")
        assert done.stderr.count("\n") == 1
