"""The columns of the page's table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Column(StrEnum):
    """One column; its value is the class of its cells."""

    CAPSULE = "capsule"
    REPOSITORY = "repository"
    VERDICT = "verdict"
    CHANGE = "change"
    WHY = "why"
    AGE = "age"


HEADS: Mapping[Column, str] = {
    Column.CAPSULE: "Capsule",
    Column.REPOSITORY: "Repository",
    Column.VERDICT: "Verdict",
    Column.CHANGE: "This change",
    Column.WHY: "Why",
    Column.AGE: "Stale for",
}

SORTED_BY = (Column.CAPSULE, Column.REPOSITORY, Column.VERDICT, Column.AGE)
"""The columns that the page's script can sort by."""


def columns_for(*, several: bool, compared: bool) -> tuple[Column, ...]:
    """Those of a report of `several` repositories, or of one that was `compared` with a base."""
    left_out = {*(() if several else (Column.REPOSITORY,)), *(() if compared else (Column.CHANGE,))}
    return tuple(column for column in Column if column not in left_out)
