"""What a step tells of the tracks beside validity, on each of its surfaces."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

from git_repository import Repository
from hosted_project import NUMBER, REPOSITORY, Project
from local_step import LocalStep
from loopback_github import ROBOT, MemoryGitHub

from ophiuchus.assess.continuity import CONTINUITY_LIMIT
from ophiuchus.assess.fidelity import FIDELITY_LIMIT
from ophiuchus.assess.negative_knowledge import NEGATIVE_KNOWLEDGE_LIMIT

LINE = "Fidelity: of 3 critical units this view carries 2 whole and 0 in part."


def capsule(name: str, **more: Any) -> str:
    """A capsule that is stale on any day, with a word to say in every track."""
    document = {
        "schema_version": 1,
        "capsule_id": name,
        "title": f"Title of {name}",
        "goal": "g",
        "state": "Nowhere near the end",
        "next_action": "n",
        "validity": [{"condition_id": "until", "kind": "time_window", "not_after": "2020-01-01T00:00:00Z"}],
        **more,
    }
    return json.dumps(document)


NEW = capsule(
    "new",
    parent_capsule_id="old",
    critical=[
        {"unit_id": "u-title", "kind": "title"},
        {"unit_id": "u-id", "kind": "capsule_id"},
        {"unit_id": "u-state", "kind": "state"},
    ],
    negative_knowledge=[
        {"item_id": "shortcut", "hypothesis": "h", "why_invalid": "w", "applies_while": ["until"]}
    ],
)


def step(tmp_path: Path, event: str = "push", **inputs: str) -> LocalStep:
    repository = Repository.create(tmp_path / "workspace")
    main = repository.commit({".ophiuchus/old.json": capsule("old")})
    head = repository.commit({".ophiuchus/new.json": NEW})
    happened = Project(repository, main, head, head).events()[event]
    return LocalStep(tmp_path / "runner", repository.top, happened, REPOSITORY, inputs)


def plain(text: str) -> str:
    return text.replace("\u200b", "")


def test_the_summary_tells_its_own_fidelity_what_to_look_at_again_and_the_delta_folded(
    tmp_path: Path,
) -> None:
    left = step(tmp_path).run()
    summary = plain(left.summary)
    assert LINE in summary
    assert "Title of new" in summary
    assert "Nowhere near the end" not in summary
    before_the_folds, _, folded = summary.partition("<details>")
    assert "**Revalidation required:**" in before_the_folds
    assert "`shortcut`" in before_the_folds
    assert "Continues <code>old</code>" in folded
    assert "- validity: inherited `until`" in folded
    for limit in (FIDELITY_LIMIT, NEGATIVE_KNOWLEDGE_LIMIT, CONTINUITY_LIMIT):
        assert limit in summary


def test_the_report_tells_what_the_summary_lost(tmp_path: Path) -> None:
    run = step(tmp_path, report_path="report.json")
    left = run.run()
    capsules = json.loads((run.workspace / "report.json").read_text("utf-8"))["capsules"]
    told = {one["capsule_id"]: one for one in capsules}
    (fidelity,) = told["new"]["fidelity"]
    assert (fidelity["consumer"], fidelity["preserved"]) == ("summary", 2)
    assert [(one["unit_id"], one["verdict"]) for one in fidelity["units"]] == [("u-state", "unsupported")]
    assert told["old"]["fidelity"] == []
    assert told["new"]["continuity"]["status"] == "compared"
    assert json.loads(left.outputs["counts"])["revalidation_required"] == 1


def test_without_a_summary_the_report_tells_of_the_whole_view(tmp_path: Path) -> None:
    run = step(tmp_path, report_path="report.json", html="report.html")
    run.env = {"GITHUB_STEP_SUMMARY": ""}
    assert run.run().status == 0
    capsules = json.loads((run.workspace / "report.json").read_text("utf-8"))["capsules"]
    assert [len(one["fidelity"]) for one in capsules if one["capsule_id"] == "new"] == [1]
    page = (run.workspace / "report.html").read_text("utf-8")
    assert "Fidelity to summary: 2 of 3 critical units whole" in page


def test_what_is_to_be_revalidated_is_an_annotation_and_can_fail_the_step(tmp_path: Path) -> None:
    left = step(tmp_path, fail_on="revalidation_required").run()
    assert left.status == 1
    assert left.outputs["passed"] == "false"
    assert any("“shortcut” was ruled out while" in found.data for found in left.annotations("notice"))


def test_the_comment_tells_its_own_fidelity(tmp_path: Path) -> None:
    run = step(tmp_path, "pull_request")
    github = MemoryGitHub()
    github.repository, github.number, github.head = REPOSITORY, NUMBER, run.event.sha
    github.tokens = {f"ghs_{secrets.token_hex(18)}": ROBOT}
    (token,) = github.tokens
    run.inputs = {"github_token": token, "comment": "always"}
    run.env = github.env
    with github:
        left = run.run()
    assert left.status == 0, left.stderr
    (comment,) = github.comments()
    body = plain(comment.body)
    assert LINE in body
    assert "Revalidation required:" in body
    assert FIDELITY_LIMIT in body
