"""A project that publishes: hand-offs of every kind in one commit, its git server, and the five services.

`Project.publish` and `Project.preview` run the command in this process as a workflow's job would, with a
canary in every credential; whatever they print or keep is looked through for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from canaries import CANARIES, told
from command_run import PASSED, SCOPE, CommandRun, capsule, paths
from git_repository import Repository
from hosted_project import anchor
from loopback_services import Services, services
from smart_http import GitServer, serve_bare, serving

NAME = "acme/web"
DESTINATIONS = f"""\
[destinations.tracker]
provider = "github"
target = "{NAME}"
labels = ["hand-off"]

[destinations.board]
provider = "jira"
target = "OPH"

[destinations.list]
provider = "clickup"
target = "901"

[destinations.chat]
provider = "slack"
target = "C0123ABCD"

[destinations.team]
provider = "teams"
target = "0f0f0f0f-0000-4000-8000-000000000000/19:channel@thread.tacv2"
"""
OFFLINE: Mapping[str, str | None] = {"GITHUB_ACTIONS": None, "GITHUB_SERVER_URL": None}
ALIASES = ("tracker", "board", "list", "chat", "team")
TOKEN = "gh" + "p_" + "C3d4" * 9
SPLIT = TOKEN[:15] + "\u200b" + TOKEN[15:]


@dataclass(frozen=True)
class Project:
    """One project. `top` is the job's checkout; its commit is the tip of `main` on the server.

    `side` is a commit that is on the server and no ancestor of it. `settings` are variables that are not as
    a job's are.
    """

    folder: Path
    top: Path
    origin: Repository
    git: GitServer
    services: Services
    base: str
    side: str
    head: str
    digests: dict[tuple[str, ...], str] = field(default_factory=dict)
    settings: Mapping[str, str | None] = field(default_factory=dict)

    def env(self, **changed: str | None) -> dict[str, str]:
        """The variables of a job that may publish, with `changed`; None takes one away."""
        env: dict[str, str | None] = {
            **CANARIES,
            **self.services.env(),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "workflow_dispatch",
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_SHA": self.head,
            "GITHUB_SERVER_URL": self.git.url,
            "GITHUB_REPOSITORY": NAME,
            **self.settings,
            **changed,
        }
        return {name: value for name, value in env.items() if value is not None}

    def run(self, *words: str, receipts: Path | None, env: Mapping[str, str] | None = None) -> CommandRun:
        """`ophiuchus publish` with `words`. Receipts are in a file, or on the branch."""
        where = () if receipts is None else ("--receipts", f"file:{receipts}")
        done = CommandRun(self.top, "publish", *words, *where, "--format", "json", env=env or self.env())
        assert told(done.out + done.err) == []
        if receipts is not None and receipts.is_file():
            assert told(receipts.read_text("utf-8", "replace")) == []
        return done

    def publish(
        self,
        capsule_id: str,
        *aliases: str,
        receipts: Path | None,
        approve: str | None = None,
        env: Mapping[str, str] | None = None,
        options: tuple[str, ...] = (),
    ) -> CommandRun:
        """Publish; `approve` None: nobody did."""
        words = [word for alias in aliases or ("tracker",) for word in ("--to", alias)]
        approval = () if approve is None else ("--approve", approve)
        return self.run(capsule_id, *words, *approval, *options, receipts=receipts, env=env)

    def preview(self, capsule_id: str, *aliases: str, receipts: Path | None, **changed: str | None) -> Any:
        """What a preview says, as JSON."""
        words = [word for alias in aliases or ("tracker",) for word in ("--to", alias)]
        done = self.run(capsule_id, *words, "--preview", receipts=receipts, env=self.env(**changed))
        assert done.status == 0, done.err
        return done.json

    def digest(self, capsule_id: str, *aliases: str) -> str:
        """The digest that a preview gives where nothing was published yet, previewed in the clone alone."""
        words = (capsule_id, *aliases)
        if words not in self.digests:
            (self.folder / "nothing.jsonl").touch()
            said = self.on_a_laptop().preview(*words, receipts=self.folder / "nothing.jsonl")
            self.digests[words] = said["view_digest"]
        return self.digests[words]

    def at(self, top: Path) -> Project:
        """The same project in another checkout."""
        return replace(self, top=top, digests={})

    def on_a_laptop(self) -> Project:
        """The same project where a person publishes: no workflow, no server."""
        return replace(self, settings=OFFLINE)

    def checked_out(self, commit: str, top: Path, *options: str) -> Project:
        """The same project, its job's checkout a new clone at `commit`."""
        Repository.clone(self.origin, top, "--single-branch", *options).git("checkout", "-q", commit)
        return self.at(top)

    @contextmanager
    def moved(self, files: Mapping[str, str | None]) -> Iterator[str]:
        """The default branch is a commit further on the server, with `files` changed."""
        commit = self.push(files)
        try:
            yield commit
        finally:
            self.origin.git("push", "-q", "--force", "origin", f"{self.head}:refs/heads/main")
            self.origin.git("reset", "-q", "--hard", self.head)

    def push(self, files: Mapping[str, str | None]) -> str:
        """Commit `files` on the server's default branch."""
        commit = self.origin.commit(files)
        self.origin.git("push", "-q", "origin", "HEAD:refs/heads/main")
        return commit


@contextmanager
def project(folder: Path) -> Iterator[Project]:
    """The project, in an empty `folder`."""
    origin = Repository.create(folder / "origin")
    base = origin.commit({"src/a.py": "1\n", "docs/guide.md": "old\n", "keys/a": "1\n"})
    side = origin.git("commit-tree", "-m", "side", origin.tree())
    gone = origin.git("commit-tree", "-m", "squashed away", origin.tree())
    origin.commit({"docs/guide.md": "new\n", f"keys/{TOKEN}": "1\n"})
    anchors = {"src/**": anchor(origin, base, "src")}
    head = origin.commit({f".ophiuchus/{name}": text for name, text in _files(base, side, gone, anchors)})
    (folder / "served").mkdir()
    origin.git("branch", "-q", "side", side)
    bare = serve_bare(origin.top, folder / "served", NAME)
    (bare / "objects" / gone[:2] / gone[2:]).unlink()
    origin.git("remote", "add", "origin", str(bare))
    top = Repository.clone(origin, folder / "checkout", "--single-branch").top
    (folder / "event.json").write_text(
        json.dumps({"repository": {"full_name": NAME, "default_branch": "main"}})
    )
    with serving(folder / "served") as git, services() as there:
        git.takes_pushes = True
        yield Project(folder, top, origin, git, there, base, side, head)


def _files(base: str, side: str, gone: str, anchors: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each file of the capsule folder. What a capsule is for is its id."""
    code = paths("src/**", base=base)
    yield "destinations.toml", DESTINATIONS
    kinds: dict[str, dict[str, Any]] = {
        "good": {},
        "parent": {},
        "child": {"parent_capsule_id": "parent"},
        "child-of-ghost": {"parent_capsule_id": "ghost"},
        "child-of-twin": {"parent_capsule_id": "twin"},
        "expired": {"expires_at": PASSED},
        "odd-kind": {"critical": [{"unit_id": "u", "kind": "weather"}]},
        "split-secret": {"evidence": [f"the key is {SPLIT}"]},
    }
    for name, fields in kinds.items():
        yield f"{name}.json", capsule(name, code, **fields)
    yield "twin.json", capsule("twin", code)
    yield "twins/twin.json", capsule("twin", code)
    yield "stale.json", capsule("stale", paths("docs/**", base=base))
    yield "secret-name.json", capsule("secret-name", paths("keys/**", base=base))
    yield "in-part.json", capsule("in-part", paths("src/**", "lib/**", base=base))
    yield "scope.json", capsule("scope", SCOPE)
    yield "beside.json", capsule("beside", paths("src/**", base=side))
    yield "both.json", capsule("both", paths("src/**", base=base, anchors=dict(anchors)))
    yield "anchored.json", capsule("anchored", paths("src/**", base=gone, anchors=dict(anchors)))
