"""Git objects read in batches: commits, trees, blobs. No process per object, no object larger than asked for.

A batch answer counts only where its header names the object that was asked for: git ends at an object it
cannot read and leaves the rest unanswered (traps 39, 45).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

from ophiuchus.git.findings import NOT_IN_CLONE, TOO_MANY_FILES, BaseState
from ophiuchus.git.object_id import ID_LENGTH
from ophiuchus.git.process import GitFailed, GitTooSlow
from ophiuchus.git.scratch import Scratch
from ophiuchus.text.problem import ExpectedFailure

GET_CONTENTS = (
    "check out without `filter: blob:none`, naming its folder where `sparse-checkout` is used, or clone again"
)
"""What to do where a blob is missing: actions/checkout leaves contents out of a sparse checkout too."""
MOST_LISTED_BYTES = 256 << 20
"""Most bytes of one tree's listing: some two and a half million files. A few kilobytes of trees that hold one
another list more than fits anywhere."""
MOST_COMMIT_BYTES = 1 << 20
"""A commit object larger than this is not read; real ones have a few hundred bytes."""
_TAB = 0x09
_MOST_RESTARTS = 50
"""How often a batch is started again behind an object at which git gave up."""


class TreeUnreadable(ExpectedFailure):
    """A tree that had to be listed could not be listed to its end."""

    def __init__(self, tree: str) -> None:
        super().__init__(
            f"the tree {tree} cannot be read",
            "Objects of this clone are missing or damaged: check out again, without `filter: tree:0`.",
        )


class TreeTooLarge(TreeUnreadable):
    """A tree that had to be listed has more files than this program takes up."""

    def __init__(self, tree: str) -> None:
        super().__init__(tree)
        self.message = f"the tree {tree} is too large: {TOO_MANY_FILES}"
        self.remedy = (
            "Judge a commit with fewer files; trees that hold one another many times are the usual cause."
        )


class CommitUnusable(ExpectedFailure):
    """A commit that is needed is absent, unreadable or no commit; `state` says which."""

    def __init__(self, commit: str, unusable: Unusable) -> None:
        remedy = "Objects of this clone are missing or damaged: check out again, whole, without a filter."
        if unusable.state is BaseState.NOT_A_COMMIT:
            remedy = "Give the id of a commit."
        elif unusable.detail == NOT_IN_CLONE:
            remedy = "Check out with `fetch-depth: 0`."
        super().__init__(f"{commit} cannot be used: {unusable.detail}", remedy)
        self.state = unusable.state


@dataclass(frozen=True, slots=True)
class Commit:
    """What a raw commit object says, whatever shallow files pretend. `committed_at` is Unix time."""

    id: str
    tree: str
    parents: tuple[str, ...]
    committed_at: int


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why an id cannot serve as a commit: ABSENT (it or its tree), NOT_A_COMMIT or UNREADABLE."""

    state: BaseState
    detail: str


REGULAR = (b"100644", b"100755", b"100664")
"""Modes of regular files; the last is found in very old commits."""


class TreeEntry(NamedTuple):
    """One file, link or submodule of a tree: `mode` as git prints it (b"100644"), `path` from the top."""

    mode: bytes
    id: str
    path: bytes


@dataclass(frozen=True, slots=True)
class Unread:
    """A blob that was not read: `size` in bytes where it is too large, None where it cannot be read."""

    size: int | None


def commit(scratch: Scratch, commit_id: str) -> Commit:
    """The one commit `commit_id`, a full id. Raises CommitUnusable."""
    found = commits(scratch, [commit_id])[commit_id]
    if isinstance(found, Unusable):
        raise CommitUnusable(commit_id, found)
    return found


def commits(scratch: Scratch, ids: Sequence[str]) -> dict[str, Commit | Unusable]:
    """The commits with these full ids, each with its root tree's presence checked, in two batches.

    An annotated tag is not followed (C065): its target is another thing than what the capsule declared.
    """
    wanted = list(dict.fromkeys(ids))
    answers: dict[str, Commit | Unusable] = {}
    heads = _heads(scratch, [line for one in wanted for line in (one, f"{one}^{{tree}}")])
    readable = []
    for one, (kind, size, _), tree in zip(wanted, heads[::2], heads[1::2], strict=True):
        if kind == b"missing":
            answers[one] = Unusable(BaseState.ABSENT, NOT_IN_CLONE)
        elif kind == b"unreadable":
            answers[one] = Unusable(BaseState.UNREADABLE, "the object cannot be read")
        elif kind != b"commit":
            answers[one] = Unusable(BaseState.NOT_A_COMMIT, f"it is the id of a {kind.decode('ascii')}")
        elif size > MOST_COMMIT_BYTES:
            answers[one] = Unusable(BaseState.UNREADABLE, f"the commit object has {size} bytes")
        elif tree.kind == b"missing":
            answers[one] = Unusable(BaseState.ABSENT, "the commit is in this clone, but not its tree")
        elif tree.kind != b"tree":
            answers[one] = Unusable(BaseState.UNREADABLE, "its tree cannot be read")
        else:
            readable.append(one)
    for one, answer in zip(readable, _batch(scratch, readable, MOST_COMMIT_BYTES), strict=True):
        parsed = _parse_commit(one, answer.content) if answer and answer.content is not None else None
        answers[one] = parsed or Unusable(BaseState.UNREADABLE, "the object cannot be read")
    return answers


def which_exist(scratch: Scratch, ids: Sequence[str]) -> set[str]:
    """Those of these full ids whose object is here, of whatever type."""
    heads = zip(ids, _heads(scratch, ids), strict=True)
    return {one for one, head in heads if head.kind not in (b"missing", b"unreadable")}


def list_tree(scratch: Scratch, tree: str, *under: bytes) -> Iterator[TreeEntry]:
    """Every entry of `tree` in the order of the paths' bytes, or only those at or below the paths `under`.

    Raises TreeUnreadable and TreeTooLarge, perhaps after some entries: a listing counts only when it came to
    its end.
    """
    header = len(b"100644 blob \t") + ID_LENGTH[scratch.object_format]
    for record in tree_records(scratch, tree, *under):
        # Blob records have one length up to the path; the others ("commit") are found by the tab.
        at = header if record[header - 1] == _TAB else record.index(b"\t") + 1
        mode, _, object_id = record[: at - 1].split(b" ")
        yield TreeEntry(mode, object_id.decode("ascii"), record[at:])


def tree_records(scratch: Scratch, tree: str, *under: bytes) -> Iterator[bytes]:
    """The same as git prints it, `mode SP type SP id TAB path`, for haste. Raises the same."""
    operands = [os.fsdecode(path) for path in under if path]
    rest, listed = b"", 0
    try:
        with scratch.git.stream("ls-tree", "-r", "-z", "--full-tree", tree, "--", *operands) as chunks:
            for chunk in chunks:
                listed += len(chunk)
                if listed > MOST_LISTED_BYTES:
                    raise TreeTooLarge(tree)
                records = (rest + chunk).split(b"\0")
                rest = records.pop()
                yield from records
    except GitFailed as failure:
        raise TreeUnreadable(tree) from failure
    if rest:
        raise TreeUnreadable(tree)


def read_blobs(scratch: Scratch, ids: Sequence[str], most_bytes: int) -> Iterator[bytes | Unread]:
    """The blobs with these full ids, in this order; none that has more than `most_bytes` is read.

    What is missing, unreadable or no blob is `Unread(None)`.
    """
    done = 0
    for answer in _batch(scratch, ids, most_bytes):
        done += 1
        yield _blob(answer)
    if done < len(ids):
        # The last one was too large. That is rare, so only from here on sizes are asked before contents.
        yield from _read_fitting(scratch, ids[done:], most_bytes)


def _read_fitting(scratch: Scratch, ids: Sequence[str], most_bytes: int) -> Iterator[bytes | Unread]:
    heads = _heads(scratch, ids)
    fit = [head.kind == b"blob" and head.size <= most_bytes for head in heads]
    contents = _batch(scratch, list(compress(ids, fit)), most_bytes)
    for head, fits in zip(heads, fit, strict=True):
        yield _blob(next(contents) if fits else head)


def _blob(answer: _Answer | None) -> bytes | Unread:
    if answer is None or answer.kind != b"blob":
        return Unread(None)
    return Unread(answer.size) if answer.content is None else answer.content


def _parse_commit(commit_id: str, content: bytes) -> Commit | None:
    """The header of a raw commit; None where it is not one."""
    tree, parents, committed_at = "", [], 0
    for line in content.partition(b"\n\n")[0].split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"tree" and not tree:
            tree = value.decode("ascii", "replace")
        elif key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key == b"committer":
            with suppress(ValueError, IndexError):
                committed_at = int(value.rsplit(b" ", 2)[1])
    return Commit(commit_id, tree, tuple(parents), committed_at) if tree else None


def _heads(scratch: Scratch, names: Sequence[str]) -> list[_Answer]:
    """Type and size of each object, in this order; `missing` or `unreadable` where there is none."""
    return [answer or _UNREADABLE for answer in _batch(scratch, names)]


class _Answer(NamedTuple):
    """What git says of one object: its type, or `missing`, its size and, where that was read, its content."""

    kind: bytes
    size: int = 0
    content: bytes | None = None


_UNREADABLE = _Answer(b"unreadable")


def _batch(scratch: Scratch, names: Sequence[str], most_bytes: int | None = None) -> Iterator[_Answer | None]:
    """`git cat-file` for all names: None where git gives up at an object, and the rest is asked anew.

    Contents are read where `most_bytes` is given. Then it ends behind an object that has more, for that would
    have to be read to go on.
    """
    mode = "--batch-check" if most_bytes is None else "--batch"
    done, restarts = 0, 0
    while done < len(names) and restarts <= _MOST_RESTARTS:
        stdin = "".join(f"{name}\n" for name in names[done:]).encode("ascii")
        try:
            with scratch.git.stream("cat-file", mode, "--buffer", stdin=stdin) as chunks:
                source = _Source(chunks)
                while done < len(names):
                    kind, size = _read_head(source, names[done])
                    content = None
                    if most_bytes is not None and kind != b"missing":
                        if size > most_bytes:
                            yield _Answer(kind, size)
                            return
                        content = source.exactly(size + 1)[:-1]
                    done += 1
                    yield _Answer(kind, size, content)
        except GitTooSlow:
            break
        except (_CutOff, GitFailed):
            done += 1
            restarts += 1
            yield None
    for _ in range(done, len(names)):
        yield None


def _read_head(source: _Source, name: str) -> tuple[bytes, int]:
    """Type and size in the line that comes before an object, or `missing` and 0. Raises _CutOff."""
    words = source.line().split(b" ")
    if words[-1] == b"missing":
        return b"missing", 0
    if len(words) != 3 or not words[2].isdigit() or ("^" not in name and words[0] != name.encode("ascii")):
        raise _CutOff
    return words[1], int(words[2])


class _CutOff(Exception):
    """Git's answer ended, or is not to what was asked."""


class _Source:
    """Lines and byte counts out of a stream of chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._held = b""
        self._at = 0

    def line(self) -> bytes:
        while (end := self._held.find(b"\n", self._at)) < 0:
            self._more()
        line = self._held[self._at : end]
        self._at = end + 1
        return line

    def exactly(self, size: int) -> bytes:
        while len(self._held) - self._at < size:
            self._more()
        self._at += size
        return self._held[self._at - size : self._at]

    def _more(self) -> None:
        chunk = next(self._chunks, None)
        if chunk is None:
            raise _CutOff
        self._held = self._held[self._at :] + chunk
        self._at = 0
