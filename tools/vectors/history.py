"""A git history as a fast-import stream, with the ids that git will give: a vector's capsules name them.

The ids are computed here from git's object formats and nothing else, so that no vector depends on the code
that it tests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

FIRST_COMMIT_AT = 1_767_225_600
"""2026-01-01T00:00:00Z; every commit is an hour younger than the one before."""
BRANCH = "refs/heads/main"

_WHO = "A <a@example.invalid>"
_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands at one path: a mode, and a blob's bytes or the commit that a submodule points to."""

    mode: str
    content: bytes = b""
    commit: str = ""

    @property
    def object_id(self) -> str:
        """The id of the blob, or the commit that is pointed to."""
        return self.commit or _id("blob", self.content)


Files = Mapping[str | bytes, str | bytes | Entry | None]


def executable(content: str) -> Entry:
    """A file with the executable bit."""
    return Entry("100755", content.encode())


def link(target: str) -> Entry:
    """A symbolic link."""
    return Entry("120000", target.encode())


def submodule(commit: str) -> Entry:
    """A pointer to a commit of another repository."""
    return Entry("160000", commit=commit)


class History:
    """Commits in the order in which they are made; the last one is the tip of `main`."""

    def __init__(self) -> None:
        self._stream: list[bytes] = []
        self._trees: dict[str, dict[bytes, Entry]] = {}
        self._marks: dict[str, int] = {}
        self.tip = ""

    @property
    def stream(self) -> bytes:
        """What `git fast-import` takes."""
        return b"".join([*self._stream, b"done\n"])

    def commit(self, files: Files, *more_parents: str, on: str = "") -> str:
        """Commit `files` (None deletes) on top of `on`, else of the last commit; the commit's id."""
        parents = [parent for parent in (on or self.tip, *more_parents) if parent]
        tree = dict(self._trees[parents[0]]) if parents else {}
        mark = len(self._marks) + 1
        who = f"{_WHO} {FIRST_COMMIT_AT + _HOUR * (mark - 1)} +0000"
        message = f"Commit {mark}\n".encode()
        lines = [f"commit {BRANCH}", f"mark :{mark}", f"committer {who}", f"data {len(message)}"]
        self._stream += [f"{line}\n".encode() for line in lines] + [message]
        self._stream += [
            f"{word} :{self._marks[parent]}\n".encode()
            for word, parent in zip(["from", *["merge"] * len(parents)], parents, strict=False)
        ]
        for name, given in files.items():
            path = name.encode() if isinstance(name, str) else name
            entry = _entry(given)
            if entry is None:
                del tree[path]
                self._stream.append(b"D " + _quoted(path) + b"\n")
            else:
                tree[path] = entry
                self._stream.append(_modification(path, entry))
        self._stream.append(b"\n")
        raw = [f"tree {_tree_id(tree)}", *(f"parent {parent}" for parent in parents)]
        raw += [f"author {who}", f"committer {who}", "", ""]
        self.tip = _id("commit", "\n".join(raw).encode() + message)
        self._trees[self.tip] = tree
        self._marks[self.tip] = mark
        return self.tip

    def anchor(self, commit: str, *paths: str) -> str:
        """The digest of exactly these paths of a commit's tree, as design §3 defines it."""
        tree = self._trees[commit]
        digest = hashlib.sha256(b"sha1\0")
        for path in sorted(path.encode() for path in paths):
            digest.update(f"{tree[path].mode} {tree[path].object_id} ".encode() + path + b"\0")
        return f"sha256:{digest.hexdigest()}"


def _entry(given: str | bytes | Entry | None) -> Entry | None:
    if given is None or isinstance(given, Entry):
        return given
    return Entry("100644", given.encode() if isinstance(given, str) else given)


def _modification(path: bytes, entry: Entry) -> bytes:
    if entry.commit:
        return f"M {entry.mode} {entry.commit} ".encode() + _quoted(path) + b"\n"
    head = f"M {entry.mode} inline ".encode() + _quoted(path)
    return head + f"\ndata {len(entry.content)}\n".encode() + entry.content + b"\n"


def _quoted(path: bytes) -> bytes:
    """A path in git's quotes, with every byte that is no plain character as an octal escape."""
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in path)
    return f'"{"".join(plain)}"'.encode()


def _tree_id(tree: Mapping[bytes, Entry]) -> str:
    """The id of the tree object that holds these paths, its folders included."""
    here: dict[bytes, tuple[str, str]] = {}
    below: dict[bytes, dict[bytes, Entry]] = {}
    for path, entry in tree.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(name, {})[rest] = entry
        else:
            here[name] = (entry.mode, entry.object_id)
    here |= {name: ("40000", _tree_id(files)) for name, files in below.items()}
    return _id("tree", b"".join(_tree_rows(here.items())))


def _tree_rows(entries: Iterable[tuple[bytes, tuple[str, str]]]) -> Sequence[bytes]:
    """Git sorts a folder as if its name ended in a slash."""
    ordered = sorted(entries, key=lambda one: one[0] + (b"/" if one[1][0] == "40000" else b""))
    return [mode.encode() + b" " + name + b"\0" + bytes.fromhex(i) for name, (mode, i) in ordered]


def _id(kind: str, content: bytes) -> str:
    header = f"{kind} {len(content)}".encode() + b"\0"
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()
