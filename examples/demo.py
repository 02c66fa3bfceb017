"""Builds a small repository in `demo/` with four hand-offs, and checks them.

One hand-off still holds, one is stale, one partly stale, and one, from another tool, names a commit that
nobody has. Prints the report and writes it as a page, `demo/report.html`. Needs git and this project's
requirements, no network. Running it again builds everything anew; dates and ids stay the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
PROJECT = EXAMPLES.parent
DEMO = PROJECT / "demo"
MARK = "This folder was made by examples/demo.py, which removes and builds it again.\n"

MONDAY = "2026-06-01T09:00:00Z"
TUESDAY = "2026-06-02T09:00:00Z"

CODE_ON_MONDAY = {
    "docs/interface.md": "# Interface\n\nread(key) gives the value of a key.\n",
    "src/billing/invoice.py": "def add_line(lines, cents):\n    lines.append(round(cents))\n",
    "src/interface/read.py": "def read(store, key):\n    return store[key]\n",
    "src/interface/write.py": "def write(store, key, value):\n    store[key] = value\n",
    "src/search/index.py": "def rebuild(pages):\n    return sorted(pages)\n",
    "src/session/keys.py": "def new_key(random):\n    return random.token_bytes(32)\n",
}
CODE_ON_TUESDAY = {
    "src/billing/invoice.py": "def add_line(lines, cents):\n    lines.append(cents)\n",
    "src/interface/read.py": "def read(store, key, default=None):\n    return store.get(key, default)\n",
}


def main(demo: Path = DEMO) -> int:
    """Build, check, report; returns the exit status of `ophiuchus check`."""
    start_anew(demo)
    repository = demo / "repository"
    repository.mkdir()
    git(repository, MONDAY, "init", "--quiet", "--initial-branch=main")
    commit(repository, MONDAY, "Start", CODE_ON_MONDAY)

    for draft in sorted((EXAMPLES / "drafts").glob("*.yaml")):
        # The date is given, so that every run of the demo makes the same capsules.
        text = f"created_at: {MONDAY}\n{draft.read_text('utf-8')}"
        ophiuchus(repository, "capture", "--from", "-", draft=draft, stdin=text)
    foreign = EXAMPLES / "capsules" / "from-another-tool.json"
    commit(repository, MONDAY, "Leave hand-offs", {f".ophiuchus/{foreign.name}": foreign.read_text("utf-8")})
    commit(repository, TUESDAY, "Keep cents whole; give read() a default", CODE_ON_TUESDAY)

    status = ophiuchus(repository, "check", "--at", TUESDAY)
    page = demo / "report.html"
    ophiuchus(repository, "check", "--at", TUESDAY, "--format", "html", "--output", f"../{page.name}")
    say(f"\nThe repository is {shown(repository)}, the report as a page is {shown(page)}")
    return status


def start_anew(demo: Path) -> None:
    """An empty folder `demo`; only one that an earlier run made is removed."""
    mark = demo / "MADE-BY-DEMO"
    if demo.exists():
        if not mark.is_file() or mark.read_text("utf-8") != MARK:
            raise SystemExit(f"{demo} was not made by this demo; move it out of the way")
        shutil.rmtree(demo)
    demo.mkdir()
    mark.write_text(MARK, "utf-8")


def commit(repository: Path, date: str, message: str, files: dict[str, str]) -> None:
    """Write `files` and commit everything, at a fixed date."""
    for name, text in files.items():
        file = repository / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    git(repository, date, "add", "--all")
    git(repository, date, "commit", "--quiet", "--message", message)


def git(repository: Path, date: str, *arguments: str) -> None:
    """Run git as nobody in particular, without this machine's configuration."""
    somebody = {"NAME": "Demo", "EMAIL": "demo@example.invalid", "DATE": date}
    people = {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in somebody.items()}
    subprocess.run(["git", *arguments], cwd=repository, env={**clean_environment(), **people}, check=True)


def clean_environment() -> dict[str, str]:
    """This environment without git's variables, and git without configuration."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def ophiuchus(repository: Path, *arguments: str, draft: Path | None = None, stdin: str = "") -> int:
    """Run the command in the repository, as a person would, and return its exit status.

    Of a command with a `draft`, only that it worked is of interest.
    """
    say(f"$ ophiuchus {' '.join(arguments)}" + (f" < {shown(draft)}" if draft else ""))
    done = subprocess.run(
        [sys.executable, "-m", "ophiuchus.cli", *arguments],
        cwd=repository,
        env={**clean_environment(), "PYTHONPATH": str(PROJECT / "src"), "PYTHONUTF8": "1"},
        input=stdin,
        encoding="utf-8",
        stdout=subprocess.PIPE if draft else None,
        check=False,
    )
    if draft and done.returncode != 0:
        raise SystemExit(f"it ended with status {done.returncode}")
    return done.returncode


def shown(path: Path) -> str:
    """A path as one types it."""
    return os.path.relpath(path)


def say(line: str) -> None:
    """Print at once, so that lines stay in order with those of the commands."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
