"""The pages about publishing: the workflow to paste keeps the two jobs apart, and nothing is left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ophiuchus.commands.edge import ExitStatus
from ophiuchus.publish.capability import CAPABILITIES
from ophiuchus.publish.destinations import Destinations, read_destinations
from ophiuchus.publish.gate import PublishRule, PublishWhen
from ophiuchus.publish.outcome import OutcomeStatus

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "publish-a-hand-off.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def jobs() -> dict[str, Any]:
    """The jobs of the workflow to paste."""
    workflow = yaml.safe_load(blocks("yaml")[0])
    assert workflow["permissions"] == {}
    assert set(workflow[True]) == {"workflow_dispatch"}  # YAML's own reading of `on`
    return dict(workflow["jobs"])


def test_what_is_previewed_is_what_is_approved(jobs: dict[str, Any]) -> None:
    shown, sent = (job["steps"][-1]["with"] for job in (jobs["preview"], jobs["publish"]))
    assert (shown.pop("mode"), sent.pop("mode")) == ("preview", "publish")
    assert sent.pop("approve") == "${{ needs.preview.outputs.view_digest }}"
    assert shown == sent
    output = jobs["preview"]["outputs"]["view_digest"]
    assert output == f"${{{{ steps.{jobs['preview']['steps'][-1]['id']}.outputs.view_digest }}}}"


def test_credentials_are_behind_the_reviewers_only(jobs: dict[str, Any]) -> None:
    assert "environment" in jobs["publish"]
    assert jobs["publish"]["needs"] == "preview"
    assert "environment" not in jobs["preview"]
    assert "secrets." not in str(jobs["preview"])
    known = {name for one in CAPABILITIES.values() for group in one.variables for name in group}
    assert set(jobs["publish"]["steps"][-1]["env"]) <= known


def test_each_permission_says_what_it_is_for(jobs: dict[str, Any]) -> None:
    for job in jobs.values():
        for name, access in job["permissions"].items():
            assert f"      {name}: {access} # to " in PAGE
    assert jobs["preview"]["permissions"] == {"contents": "read"}


def test_the_file_of_destinations_on_the_page_can_be_read() -> None:
    (shown,) = blocks("toml")
    assert isinstance(read_destinations(shown.encode()), Destinations)


def test_every_rule_outcome_and_exit_status_is_explained() -> None:
    refusals = PAGE[PAGE.index("## What is refused") : PAGE.index("## Create, or add")]
    for rule in PublishRule:
        words = rule.value.split("_")
        assert " ".join(words) in refusals or all(word in refusals for word in words), rule
    for word in [*PublishWhen, *OutcomeStatus]:
        assert word in PAGE
    for status in set(ExitStatus) - {ExitStatus.GATE}:
        assert f"| {status.value} |" in PAGE
