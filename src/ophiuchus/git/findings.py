"""What comparing trees found, per declared glob: facts, not verdicts.

`report/judge` asks a `PathsQuestion` for every git_paths condition, `git/changes` answers all of them at once
with `PathsFacts`, and `assess/validity` turns facts into verdicts. Nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from ophiuchus.text.clean import spell_path
from ophiuchus.text.record import record
from ophiuchus.text.word import Word

CHANGED_SHOWN = 10
"""Most changed paths listed for one glob; their count is always exact."""


class Change(Word):
    """How one path of the judged tree differs from the base tree."""

    ADDED = "added"
    DELETED = "deleted"
    CONTENT = "content"
    MODE = "mode"
    TYPE = "type"
    SUBMODULE = "submodule"


@record
class PathChange:
    r"""One changed path, as text; bytes that are not UTF-8 are spelled `\xHH`."""

    path: str
    change: Change


@record
class ChangedPath:
    """One path (bytes, as git stores it) and how it changed; `spelled` is the same in text, made once."""

    path: bytes
    change: Change
    spelled: PathChange = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spelled", PathChange(spell_path(self.path), self.change))


class BaseState(StrEnum):
    """Whether the base tree could be compared, and if not, why not."""

    COMPARED = "compared"
    NOT_DECLARED = "not_declared"
    MALFORMED = "malformed"
    NOT_A_COMMIT = "not_a_commit"
    ABSENT = "absent"
    NOT_ON_SERVER = "not_on_server"
    FETCH_FAILED = "fetch_failed"
    UNREADABLE = "unreadable"
    OVER_BUDGET = "over_budget"


TOO_MANY_FILES = "it lists more files than are compared"
"""`detail` of a judged tree that is too large."""
NOT_IN_CLONE = "the commit is not in this clone"
"""`detail` of an absent base about which nothing more is known."""


NO_ANCHORS: Mapping[str, str] = MappingProxyType({})


class PathsQuestion(NamedTuple):
    """One git_paths condition: whether these globs are unchanged between `base` and the judged tree.

    `base` is the declared text, not yet checked (None: none declared). `anchors` maps a glob to its
    declared digest, `sha256:<64 lower-case hex>`.
    """

    globs: tuple[str, ...]
    base: str | None
    anchors: Mapping[str, str] = NO_ANCHORS


class BaseFact(NamedTuple):
    """One glob, base tree against judged tree. `changed` is at most `CHANGED_SHOWN` paths, in byte order."""

    changed_count: int
    changed: tuple[ChangedPath, ...] = ()


@dataclass(frozen=True, slots=True)
class AnchorFact:
    """One glob's declared digest against the judged tree's."""

    equal: bool
    nothing_then: bool
    """The declared digest is the digest of nothing: the glob matched no entry at the base."""


class GlobFact(NamedTuple):
    """All that is known of one glob of one condition. A tuple: a run makes very many, and they cost less.

    `refused` is the reason why its form is not evaluated, else None; then `base` is None unless the base tree
    was compared, and `anchor` is None unless a well-formed digest was declared. `matches_now` says whether it
    matches an entry of the judged tree. `submodule` is the path of the submodule whose pointer it follows.
    """

    glob: str
    refused: str | None = None
    matches_now: bool = False
    base: BaseFact | None = None
    anchor: AnchorFact | None = None
    submodule: bytes | None = None


class PathsFacts(NamedTuple):
    """The answer to one `PathsQuestion`; `globs` in the question's order.

    `detail` says more about a `base_state` other than compared, in our own words (never git's raw error).
    `in_history` tells whether the judged commit has the base among its ancestors, None where history is not
    there to tell.
    """

    base_state: BaseState
    globs: tuple[GlobFact, ...]
    detail: str = ""
    in_history: bool | None = None
