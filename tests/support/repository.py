"""Real git repositories for tests: nobody's configuration, fixed people and dates."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

GIT_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A. Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.invalid",
    "GIT_AUTHOR_DATE": "2026-07-01T12:00:00Z",
    "GIT_COMMITTER_NAME": "A. Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.invalid",
    "GIT_COMMITTER_DATE": "2026-07-01T12:00:00Z",
}


@dataclass
class Repository:
    """One repository with a work tree at `root`."""

    root: Path
    env: dict[str, str] = field(default_factory=lambda: dict(GIT_ENV))

    @classmethod
    def create(cls, root: Path, *options: str) -> Repository:
        """A new repository on the branch main; `options` go to `git init`."""
        root.mkdir(parents=True, exist_ok=True)
        repository = cls(root)
        repository.git("init", "--quiet", "--initial-branch=main", *options)
        return repository

    def git(self, *arguments: str) -> str:
        """What git prints, without the last line break."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout.rstrip("\n")

    def write(self, path: str, text: str) -> None:
        """Write a file of the work tree, with its folders."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, files: dict[str, str] | None = None) -> str:
        """Write `files`, commit everything, and give the commit's id."""
        for path, text in (files or {}).items():
            self.write(path, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "A change")
        return self.git("rev-parse", "HEAD")

    def clone(self, root: Path, *options: str) -> Repository:
        """A clone over git's own transport, so that `--depth` is obeyed."""
        self.git("clone", "--quiet", *options, self.root.as_uri(), str(root))
        return Repository(root, dict(self.env))
