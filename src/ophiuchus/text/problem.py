"""What can be wrong with an input, and what is worth saying about it, as values.

A `Problem` makes the run's exit status 2; a `Notice` never changes it. Both carry text that may quote the
input: it is cleaned when it is rendered or printed, not here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class ProblemCode(StrEnum):
    """Why an input could not be used. A closed set: it is an enum in the report's schema."""

    NOT_UTF8 = "not_utf8"
    NOT_JSON = "not_json"
    NOT_YAML = "not_yaml"
    NOT_TOML = "not_toml"
    MERGE_CONFLICT = "merge_conflict"
    LFS_POINTER = "lfs_pointer"
    NOT_A_REGULAR_FILE = "not_a_regular_file"
    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    BAD_NUMBER = "bad_number"
    DUPLICATE_KEY = "duplicate_key"
    LONE_SURROGATE = "lone_surrogate"
    BAD_FIELD = "bad_field"
    DUPLICATE_ID = "duplicate_id"
    UNREADABLE = "unreadable"
    TOO_MANY = "too_many"
    DUPLICATE_REPORT = "duplicate_report"
    DOES_NOT_FIT = "does_not_fit"
    MISSING_SHARD = "missing_shard"
    BAD_ROW = "bad_row"


class NoticeCode(StrEnum):
    """What is worth saying though nothing is wrong. A closed set, as above."""

    BYTE_ORDER_MARK = "byte_order_mark"
    NO_SCHEMA_VERSION = "no_schema_version"
    NEWER_SCHEMA = "newer_schema"
    NOT_A_CAPSULE = "not_a_capsule"
    UNKNOWN_KEY = "unknown_key"
    UNREADABLE_BEFORE = "unreadable_before"
    GLOB_NOT_EVALUATED = "glob_not_evaluated"
    INSIDE_SUBMODULE = "inside_submodule"
    ANCHOR_DISAGREES = "anchor_disagrees"
    NOT_AN_ANCESTOR = "not_an_ancestor"
    NOT_COMMITTED = "not_committed"
    NO_CAPSULES = "no_capsules"
    BASE_UNKNOWN = "base_unknown"
    HIDDEN_CHARACTERS = "hidden_characters"
    NOT_POSTED = "not_posted"
    NOT_WRITTEN = "not_written"
    REVALIDATION_REQUIRED = "revalidation_required"
    TRUNCATED = "truncated"
    BAD_ROWS_BEFORE = "bad_rows_before"
    ABOUT_ROWS = "about_rows"
    SATURATED = "saturated"
    SETTING_UNUSED = "setting_unused"
    NO_SUCH_ENTRY = "no_such_entry"


@dataclass(frozen=True, slots=True)
class Problem:
    r"""One thing that is wrong with one input.

    `path` is relative to the repository's root (bytes that are not UTF-8 spelled `\xHH`); `line` and
    `column` count from 1, columns in characters, and are None where no place can be named. `repository` is
    said where problems of several are in one report.
    """

    path: str
    line: int | None
    column: int | None
    code: ProblemCode
    message: str
    repository: str | None = None

    def place(self) -> str:
        """`path`, `path:line` or `path:line:column`, as far as known, behind the repository if it is said."""
        parts = (self.repository, self.path, self.line, self.column)
        return ":".join(str(part) for part in parts if part)


def counts_first(problems: Iterable[Problem]) -> list[Problem]:
    """Those first that say how many more there are: no surface that shows some only may leave them out."""
    return sorted(problems, key=lambda problem: problem.code is not ProblemCode.TOO_MANY)


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing worth saying; `path` is empty if it is about a run, `repository` is as for a problem."""

    path: str
    code: NoticeCode
    message: str
    repository: str | None = None


class ExpectedFailure(Exception):
    """Something outside this program is not as it must be: told in one line with its remedy, no traceback.

    Each subclass names the fact and lives beside the code that raises it. The command line prints
    `message` and `remedy` and exits 2 (design: exit table).
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
