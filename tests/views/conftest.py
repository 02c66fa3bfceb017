"""The judges of what we send, one process each for all tests of this room."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from atlassian_readings import NO_NODE as NO_ATLASSIAN
from atlassian_readings import AtlassianJudge
from atlassian_readings import judge_is_installed as atlassian_judge_is_installed
from browser import NO_BROWSER, Browser, browser_is_installed
from gfm_readings import NO_NODE, Judge, judge_is_installed


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """remark with GitHub's references and mentions; skips where it is not installed."""
    if not judge_is_installed():
        pytest.skip(NO_NODE)
    with Judge() as started:
        yield started


@pytest.fixture(scope="session")
def jira() -> Iterator[AtlassianJudge]:
    """Jira's parser of wiki markup and its editor's schema; skips where they are not installed."""
    if not atlassian_judge_is_installed():
        pytest.skip(NO_ATLASSIAN)
    with AtlassianJudge() as started:
        yield started


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; skips where it cannot be started."""
    if not browser_is_installed():
        pytest.skip(NO_BROWSER)
    with Browser() as started:
        yield started
