"""The shelf: all capsules of one tree, found by id or path, and what was wrong with the files that are none.

Capsules are git objects of the judged tree; the work tree is never read. One bad file never stops the others
(C109, C110, C130), and what is read has limits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ophiuchus.capsule.model import Capsule
from ophiuchus.capsule.reading import condition_lines, read_capsule
from ophiuchus.git.glob_trie import TooMuchWork
from ophiuchus.git.globs import RefusedGlob, compile_glob
from ophiuchus.git.objects import (
    GET_CONTENTS,
    REGULAR,
    TreeEntry,
    TreeUnreadable,
    Unread,
    list_tree,
    read_blobs,
)
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import MalformedPath, SortedPaths, select
from ophiuchus.text.clean import spell_path
from ophiuchus.text.problem import ExpectedFailure, Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.text.record import record
from ophiuchus.text.strict_json import MAX_BYTES, locate, too_large
from ophiuchus.text.wording import json_excerpt

DEFAULT_PATTERN = ".ophiuchus/**/*.json"
"""Where capsules are by default (design §3)."""
MOST_CAPSULES = 200_000
"""Most files of one tree that are read as capsules."""
MOST_BYTES = 256 * 1024 * 1024
"""Most bytes that are read for one shelf."""

_KINDS = {b"120000": "a symbolic link", b"160000": "a submodule", b"040000": "a folder"}
# A folder that stands before pattern and paths while they are compared: below it no folder has a meaning of
# its own, so that `**` leads into the capsule folder too, which a condition's glob leaves out.
_TOP = "_/"

File = tuple[TreeEntry, bytes | Unread]
"""An entry of the judged tree and its blob's bytes, or why they were not read."""


@record
class ShelvedCapsule:
    """One committed capsule: its path as text, its blob's id and bytes, and what they say.

    `lines` tells for each of its conditions where that stands in the file (`condition_lines`).
    """

    path: str
    blob: str
    data: bytes = field(repr=False)
    capsule: Capsule
    lines: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """What one tree holds. Capsules stand in the order of their paths' bytes."""

    capsules: tuple[ShelvedCapsule, ...]
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]
    _by_id: dict[str, list[ShelvedCapsule]] = field(repr=False)

    def all_with_id(self, capsule_id: str) -> Sequence[ShelvedCapsule]:
        """Every capsule with this id, compared without case; more than one is a problem of all of them."""
        return self._by_id.get(capsule_id.casefold(), ())

    def by_id(self, capsule_id: str) -> ShelvedCapsule | None:
        """The one capsule with this id, compared without case; None where it is unknown or ambiguous."""
        found = self.all_with_id(capsule_id)
        return found[0] if len(found) == 1 else None

    def by_path(self, path: str) -> ShelvedCapsule | None:
        """The capsule at this path, spelled as `spell_path` does."""
        return next((one for one in self.capsules if one.path == path), None)

    def unread_as(self, capsule_id: str) -> tuple[Problem | Notice, ...]:
        """What was said of files that hold no capsule and have the name that `capture` gives to this id.

        Their own id cannot be asked, for nothing could be read.
        """
        all_said: tuple[Problem | Notice, ...] = (*self.problems, *self.notices)
        name, read = f"{capsule_id}.json".casefold(), {one.path for one in self.capsules}
        return tuple(
            said
            for said in all_said
            if PurePosixPath(said.path).name.casefold() == name and said.path not in read
        )


class RefusedPattern(ExpectedFailure):
    """The pattern that says which files are capsules has a form that is not evaluated."""

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(
            f"the pattern for capsules, {json_excerpt(pattern)}, {reason}",
            f"Write one glob from the root of the repository, such as `{DEFAULT_PATTERN}`.",
        )


def capsule_files(scratch: Scratch, tree: str, pattern: str) -> list[TreeEntry]:
    """The files of one tree that `pattern` says are capsules. Raises RefusedPattern and TreeUnreadable."""
    entries = _below_prefix(scratch, tree, pattern)
    return [entries[path] for path in _selected(pattern, list(entries), tree)]


def read_shelf(scratch: Scratch, tree: str, pattern: str = DEFAULT_PATTERN) -> Shelf:
    """The capsules of one tree: the files that match `pattern`, a glob as in a condition.

    Unlike there, wildcards lead into the capsule folder. Raises RefusedPattern, and TreeUnreadable where the
    tree cannot be listed.
    """
    entries = _below_prefix(scratch, tree, pattern)
    selected = _selected(pattern, list(entries), tree)
    shelf = build_shelf(_with_contents(scratch, [entries[path] for path in selected]))
    about_run = [*_spelled_otherwise(pattern, entries.keys() - selected, tree)]
    if not selected:
        message = (
            f"no file of the judged tree matches `{pattern}`; `ophiuchus capture` writes a first capsule, "
            "which counts once it is committed"
        )
        about_run.append(Notice("", NoticeCode.NO_CAPSULES, message))
    return replace(shelf, notices=(*shelf.notices, *about_run)) if about_run else shelf


def read_earlier_shelf(
    scratch: Scratch, tree: str, pattern: str, later: Shelf, differing: Sequence[bytes]
) -> Shelf:
    """The capsules of an earlier tree; of its files only those are read that are another in the later tree.

    `later` is the later tree's shelf by the same pattern, `differing` all paths in which the trees differ, in
    byte order. Its problems are those of the files that were read. Raises as `read_shelf`.
    """
    paths = set(_selected(pattern, differing, tree))
    files = capsule_files(scratch, tree, pattern) if paths else []
    entries = [entry for entry in files if entry.path in paths]
    spelled = {spell_path(path) for path in paths}
    kept = [shelved for shelved in later.capsules if shelved.path not in spelled]
    read = build_shelf(_with_contents(scratch, entries))
    capsules = sorted([*kept, *read.capsules], key=lambda shelved: shelved.path)
    return Shelf(tuple(capsules), read.problems, (), _by_id(capsules))


def build_shelf(
    files: Iterable[File], most_files: int = MOST_CAPSULES, most_bytes: int = MOST_BYTES
) -> Shelf:
    """The shelf of these files, each of which is taken for a capsule, in the order they come in."""
    capsules: list[ShelvedCapsule] = []
    problems: list[Problem] = []
    notices: list[Notice] = []
    bytes_read = 0
    for number, (entry, content) in enumerate(files):
        path = spell_path(entry.path)
        bytes_read += len(content) if isinstance(content, bytes) else 0
        if number == most_files or bytes_read > most_bytes:
            problems.append(_too_many(path, most_files, most_bytes))
            break
        if entry.mode not in REGULAR:
            problems.append(_not_regular(path, entry.mode))
        elif isinstance(content, Unread):
            problems.append(_unread(path, entry.id, content))
        else:
            reading = read_capsule(path, content)
            problems += reading.problems
            notices += reading.notices
            if reading.capsule is not None:
                capsules.append(shelve(path, entry.id, content, reading.capsule))
    by_id = _by_id(capsules)
    problems += (problem for same in by_id.values() if len(same) > 1 for problem in _duplicates(same))
    return Shelf(tuple(capsules), tuple(problems), tuple(notices), by_id)


def shelve(path: str, blob: str, data: bytes, capsule: Capsule) -> ShelvedCapsule:
    """The capsule that was read from `data`, as one of a shelf."""
    # Where its conditions stand is looked up while the bytes are at hand: later takes longer.
    return ShelvedCapsule(path, blob, data, capsule, condition_lines(data, capsule))


def _by_id(capsules: Iterable[ShelvedCapsule]) -> dict[str, list[ShelvedCapsule]]:
    by_id: dict[str, list[ShelvedCapsule]] = defaultdict(list)
    for shelved in capsules:
        by_id[shelved.capsule.capsule_id.casefold()].append(shelved)
    return dict(by_id)


def _below_prefix(scratch: Scratch, tree: str, pattern: str) -> dict[bytes, TreeEntry]:
    """By path, in byte order, the entries below the folder that all files which match `pattern` are in."""
    try:
        under = compile_glob(pattern).literal_prefix
    except RefusedGlob as refused:
        raise RefusedPattern(pattern, refused.reason) from None
    return {entry.path: entry for entry in list_tree(scratch, tree, under)}


def _spelled_otherwise(pattern: str, unread: Collection[bytes], tree: str) -> Iterator[Notice]:
    """A notice where some of `unread` would be capsules if ASCII's upper and lower case were the same.

    It is about the run, for such a file is judged where a person names it. Where the pattern begins with a
    wildcard nothing is said: it is about all files of the repository.
    """
    if not unread or not compile_glob(pattern).literal_prefix:
        return
    spellings: dict[bytes, list[bytes]] = defaultdict(list)
    for path in sorted(unread):
        spellings[path.lower()].append(path)
    try:
        lowered = _selected(pattern.encode().lower().decode(), sorted(spellings), tree)
    except RefusedPattern:
        return  # too much work: no reason to refuse the pattern itself
    found = sorted(path for spelled in lowered for path in spellings[spelled])
    if found:
        also = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        message = (
            f"not read: {spell_path(found[0])}{also}; names tell upper from lower case, and the pattern is "
            f"`{pattern}`: rename what is to be a capsule"
        )
        yield Notice("", NoticeCode.NOT_A_CAPSULE, message)


def _selected(pattern: str, paths: Sequence[bytes], tree: str) -> list[bytes]:
    """Those of the sorted `paths` that the pattern for capsules matches; `tree` is where they were found."""
    try:
        glob = compile_glob(_TOP + pattern)
        (selection,) = select([glob], SortedPaths([_TOP.encode() + path for path in paths]))
    except RefusedGlob as refused:
        raise RefusedPattern(pattern, refused.reason) from None
    except TooMuchWork:
        raise RefusedPattern(pattern, "takes too long to match") from None
    except MalformedPath:
        raise TreeUnreadable(tree) from None
    return [paths[place] for place in selection.all_places()]


def _with_contents(scratch: Scratch, entries: Sequence[TreeEntry]) -> Iterator[File]:
    """Each entry with its blob's bytes, read in one batch."""
    ids = [entry.id for entry in entries[: MOST_CAPSULES + 1] if entry.mode in REGULAR]
    contents = read_blobs(scratch, ids, MAX_BYTES)
    for entry in entries:
        yield entry, next(contents, Unread(None)) if entry.mode in REGULAR else Unread(None)


def _not_regular(path: str, mode: bytes) -> Problem:
    kind = _KINDS.get(mode, f"of mode {mode.decode('ascii', 'replace')}")
    message = f"is {kind}, not a regular file; commit the capsule itself there"
    return Problem(path, None, None, ProblemCode.NOT_A_REGULAR_FILE, message)


def _unread(path: str, blob: str, content: Unread) -> Problem:
    if content.size is not None:
        return Problem(path, None, None, ProblemCode.TOO_LARGE, too_large(content.size))
    message = f"cannot be read: its content ({blob}) is missing in this clone or damaged; {GET_CONTENTS}"
    return Problem(path, None, None, ProblemCode.UNREADABLE, message)


def _too_many(path: str, most_files: int, most_bytes: int) -> Problem:
    message = (
        f"too many capsules: at most {most_files:,} files and {most_bytes:,} bytes of them are read, and "
        "nothing from here on was; narrow the pattern or remove old capsules"
    )
    return Problem(path, None, None, ProblemCode.TOO_MANY, message)


def _duplicates(same: Sequence[ShelvedCapsule]) -> Iterator[Problem]:
    for shelved in same:
        first = next(other.path for other in same if other is not shelved)
        also = f" and {len(same) - 2:,} more" if len(same) > 2 else ""
        capsule_id = json_excerpt(shelved.capsule.capsule_id)
        message = f"has the capsule_id {capsule_id}, as has {first}{also}; rename all but one"
        place = locate(shelved.data, [("capsule_id",)])[("capsule_id",)].value
        yield Problem(shelved.path, *place, ProblemCode.DUPLICATE_ID, message)
