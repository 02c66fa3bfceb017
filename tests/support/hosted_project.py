"""A project with capsules as a server keeps it, the checkouts of it, and the events about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from action_step import Event
from git_repository import Repository

NUMBER = 7
REPOSITORY = "person/repo"


def anchor(repository: Repository, commit: str, folder: str) -> str:
    """The digest of what the glob `folder` matches, made from git's own listing (design §3)."""
    listed = repository.git_bytes("ls-tree", "-r", "-z", "--full-tree", commit, "--", folder)
    digest = hashlib.sha256(b"sha1\0")
    for entry in sorted(listed.split(b"\0")[:-1], key=lambda entry: entry.split(b"\t", 1)[1]):
        about, path = entry.split(b"\t", 1)
        mode, _, object_id = about.split(b" ")
        digest.update(mode + b" " + object_id + b" " + path + b"\0")
    return f"sha256:{digest.hexdigest()}"


def capsule(name: str, commit: str, paths: list[str], anchors: Mapping[str, str] = {}) -> str:
    """A capsule with one condition, as JSON."""
    condition: dict[str, Any] = {"condition_id": "code", "kind": "git_paths", "paths": paths}
    condition["base_commit"] = commit
    if anchors:
        condition["anchors"] = anchors
    return json.dumps(
        {
            "schema_version": 1,
            "capsule_id": name,
            "goal": f"Goal of {name}",
            "state": "Half done",
            "next_action": "Go on",
            "validity": [condition],
        },
        indent=2,
    )


@dataclass(frozen=True)
class Project:
    """A repository on a server: `main` has three commits, the pull request's merge commit is one more.

    On main `kept` is valid and `moved` is stale, both with anchors; the pull request makes `touched` stale.
    """

    server: Repository
    main: str
    head: str
    merge: str

    @classmethod
    def create(cls, top: Path) -> Project:
        """Make the server's repository at `top`."""
        server = Repository.create(top)
        first = server.commit(
            {"app/auth.py": "auth = 1\n", "app/pay.py": "pay = 1\n", "app/mail.py": "mail = 1\n"}
        )
        anchored = {
            name: capsule(name, first, [path], {path: anchor(server, first, path)})
            for name, path in [("kept", "app/auth.py"), ("moved", "app/pay.py"), ("touched", "app/mail.py")]
        }
        server.commit({f".ophiuchus/{name}.json": text for name, text in anchored.items()})
        main = server.commit({"app/pay.py": "pay = 2\n"})
        server.git("checkout", "-q", "-b", "feature")
        head = server.commit({"app/mail.py": "mail = 2\n"})
        server.git("checkout", "-q", "main")
        server.git("merge", "-q", "--no-ff", "--no-edit", "feature")
        merge = server.head()
        server.git("update-ref", f"refs/pull/{NUMBER}/merge", merge)
        server.git("update-ref", f"refs/heads/gh-readonly-queue/main/pr-{NUMBER}-{main}", merge)
        server.git("reset", "-q", "--hard", main)
        return cls(server, main, head, merge)

    def checkout(self, top: Path, ref: str) -> Path:
        """What actions/checkout leaves by default: a clone of depth 1, HEAD detached at `ref`."""
        repository = Repository.create(top)
        repository.git("remote", "add", "origin", self.server.top.as_uri())
        repository.git("fetch", "-q", "--no-tags", "--depth=1", "origin", f"+{ref}:refs/remotes/pull/x")
        repository.git("checkout", "-q", "--force", "--detach", "refs/remotes/pull/x")
        return top

    def events(self) -> Mapping[str, Event]:
        """One event of each kind that a workflow uses."""
        server = {"full_name": REPOSITORY, "default_branch": "main"}
        pull = {
            "number": NUMBER,
            "locked": False,
            "head": {"ref": "feature", "sha": self.head, "repo": server},
            "base": {"ref": "main", "sha": self.main, "repo": server},
        }
        main = "refs/heads/main"
        return {
            "pull_request": Event(
                "pull_request",
                f"refs/pull/{NUMBER}/merge",
                self.merge,
                {"action": "opened", "number": NUMBER, "pull_request": pull, "repository": server},
                head_ref="feature",
                base_ref="main",
            ),
            "push": Event(
                "push",
                main,
                self.main,
                {"ref": main, "before": "0" * 40, "after": self.main, "repository": server},
            ),
            "schedule": Event("schedule", main, self.main, {"schedule": "17 4 * * *", "repository": server}),
            "workflow_dispatch": Event(
                "workflow_dispatch", main, self.main, {"ref": main, "inputs": {}, "repository": server}
            ),
            "merge_group": Event(
                "merge_group",
                f"refs/heads/gh-readonly-queue/main/pr-{NUMBER}-{self.main}",
                self.merge,
                {
                    "action": "checks_requested",
                    "merge_group": {"head_sha": self.merge, "base_sha": self.main, "base_ref": main},
                    "repository": server,
                },
            ),
        }
