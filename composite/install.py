"""Makes the virtual environment that the action runs in where there is no Docker.

Started with `python -I`, so that nothing of the checkout or of user folders is imported. The requirements are
pinned by hash, as in the image; the program is copied beside them. A second step of the same job finds what
the first one made. Writes the output `python`: the interpreter to run the action with.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path


def main() -> int:
    """Install what is missing; the status of the step."""
    action = Path(__file__).resolve().parents[1]
    requirements = action / "requirements.txt"
    digest = hashlib.sha256(f"{action} {sys.version}".encode() + requirements.read_bytes()).hexdigest()
    folder = Path(os.environ["RUNNER_TEMP"], f"ophiuchus-action-{digest[:16]}")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / "ready"
    if not ready.exists():
        try:
            venv.create(folder, clear=True, with_pip=True, symlinks=os.name != "nt")
        except (subprocess.CalledProcessError, SystemExit):  # Debian's exits, without python3-venv
            sys.stdout.write(
                "::error::This Python cannot make an environment with pip; put actions/setup-python before "
                "this step, or install python3-venv.\n"
            )
            return 2
        status = subprocess.run(
            # Not compiled: that takes longer than all that one job imports.
            [
                python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                "--no-compile", "--no-deps", "--require-hashes", "--only-binary", ":all:",
                "--requirement", requirements,
            ],
            check=False,
        ).returncode  # fmt: skip
        if status:
            return status
        site = subprocess.run(
            [python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        shutil.copytree(action / "src" / "ophiuchus", Path(site, "ophiuchus"))
        ready.touch()
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as outputs:
        outputs.write(f"python={python.as_posix()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
