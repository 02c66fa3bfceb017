"""Real git repositories for tests: deterministic, isolated from this machine's git configuration."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ENV = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "HOME": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "protocol.file.allow",
    "GIT_CONFIG_VALUE_0": "always",
    "GIT_CONFIG_KEY_1": "advice.detachedHead",
    "GIT_CONFIG_VALUE_1": "false",
    "GIT_CONFIG_KEY_2": "gc.auto",
    "GIT_CONFIG_VALUE_2": "0",
}
"""What the tests' own git runs with."""

Files = Mapping[str, str | bytes | None] | Mapping[bytes, str | bytes | None]

NOTHING: Mapping[str, str] = {}

FIRST_COMMIT_AT = 1_600_000_000


class Repository:
    """A repository with a work tree. Every commit is ten minutes younger than the one before."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self._commits = 0

    @classmethod
    def create(cls, top: Path, *, object_format: str = "sha1") -> Repository:
        """A new, empty repository with the branch `main`."""
        top.mkdir(parents=True)
        repository = cls(top)
        repository.git("init", "-q", "--initial-branch=main", f"--object-format={object_format}")
        return repository

    @classmethod
    def clone(cls, source: Repository, top: Path, *options: str) -> Repository:
        """A clone through the file transport, as a server would send it."""
        subprocess.run(
            ["git", "clone", "-q", *options, source.top.as_uri(), top], check=True, env=ENV, cwd=source.top
        )
        return cls(top)

    def git(self, *arguments: str | bytes, env: Mapping[str, str] = {}, stdin: bytes = b"") -> str:
        """What git prints, stripped. Raises where git fails."""
        return os.fsdecode(self.git_bytes(*arguments, env=env, stdin=stdin)).strip()

    def git_bytes(self, *arguments: str | bytes, env: Mapping[str, str] = {}, stdin: bytes = b"") -> bytes:
        """What git prints, as it is."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.top,
            env={**ENV, **env},
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout

    def write(self, path: str | bytes, content: str | bytes = "") -> None:
        """Write one file of the work tree, with the folders it needs."""
        target = os.fsencode(self.top) + b"/" + os.fsencode(path)
        os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120 (bytes)
        with open(target, "wb") as file:  # noqa: PTH123 (bytes)
            file.write(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Files = NOTHING, message: str = "x") -> str:
        """Write `files` (None removes), commit all of the work tree, and return the commit's id."""
        for path, content in files.items():
            if content is None:
                os.unlink(os.fsencode(self.top) + b"/" + os.fsencode(path))  # noqa: PTH108 (bytes)
            else:
                self.write(path, content)
        self.git("add", "-A")
        return self.commit_index(message)

    def commit_index(self, message: str = "x") -> str:
        """Commit what the index holds."""
        self._commits += 1
        date = f"{FIRST_COMMIT_AT + 600 * self._commits} +0000"
        self.git(
            "commit", "-q", "--allow-empty", "-m", message,
            env={"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        )  # fmt: skip
        return self.head()

    def head(self) -> str:
        """HEAD's commit id."""
        return self.git("rev-parse", "HEAD")

    def tree(self, commit: str = "HEAD") -> str:
        """A commit's tree id."""
        return self.git("rev-parse", f"{commit}^{{tree}}")

    def remove_object(self, object_id: str) -> None:
        """Take a loose object away."""
        self.loose_object(object_id).unlink()

    def loose_object(self, object_id: str) -> Path:
        """The file of a loose object."""
        return self.top / ".git" / "objects" / object_id[:2] / object_id[2:]

    def fingerprint(self, *, times: bool = True) -> str:
        """A digest of all below the top, `.git` included: names, modes, contents and, unless told, times."""
        digest = hashlib.sha256()
        for folder, folders, files in os.walk(self.top):
            folders.sort()
            for name in sorted([*folders, *files]):
                path = Path(folder, name)
                status = path.lstat()
                digest.update(os.fsencode(path) + b"\0%o\0" % status.st_mode)
                if times:
                    digest.update(b"%d\0" % status.st_mtime_ns)
                if path.is_symlink():
                    digest.update(os.fsencode(path.readlink()))
                elif path.is_file():
                    digest.update(path.read_bytes())
        return digest.hexdigest()
