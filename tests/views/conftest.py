"""The judge of Markdown, one process for all tests of this room."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gfm_readings import NO_NODE, Judge, judge_is_installed


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """remark with GitHub's references and mentions; skips where it is not installed."""
    if not judge_is_installed():
        pytest.skip(NO_NODE)
    with Judge() as started:
        yield started
