"""The ledgers on a pull request's surfaces: annotations on lines, the summary, and who may switch them on."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from pathlib import Path

import critic_rows
import memory_rows
import pytest
from critic_rows import finding
from git_repository import Repository
from hosted_project import NUMBER, REPOSITORY, Project
from local_step import LocalStep, Outcome
from memory_rows import entry

from ophiuchus.ledgers.memory.family import Family

FINDINGS = "handoffs/sovereign_critic_findings.jsonl"
PATTERNS = "docs/engineering/sovereign-memory/patterns.jsonl"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project with both ledgers on main; the pull request adds to one, alters it, and asks for more."""
    made = Project.create(tmp_path_factory.mktemp("project") / "server")
    server = made.server
    server.git("checkout", "-q", "main")
    rows = (finding(1), finding(2, finding_text="as it was"))
    learned = entry(Family.PATTERNS, 1, text="</details> ::error::x @everyone")
    main = server.commit({FINDINGS: critic_rows.lines(*rows), PATTERNS: memory_rows.lines(learned)})
    server.git("checkout", "-q", "-b", "change")
    hostile = "</details>\n::error::pwned @everyone"
    blocking = finding(3, blocking=True, finding_text=hostile)
    files: dict[str, str | bytes | None] = {
        FINDINGS: critic_rows.lines(rows[0], finding(2, finding_text="is another"), blocking) + b"{\n",
        ".ophiuchus/config.toml": "[ledgers]\ncross_model_review = 1\nsovereign_memory = 1\n",
    }
    head = server.commit(files)
    server.git("checkout", "-q", "main")
    server.git("merge", "-q", "--no-ff", "--no-edit", "change")
    merge = server.head()
    server.git("update-ref", f"refs/pull/{NUMBER}/merge", merge)
    return replace(made, main=main, head=head, merge=merge)


def step(project: Project, folder: Path, **inputs: str) -> Outcome:
    event = project.events()["pull_request"]
    checkout = folder / "workspace"
    repository = Repository.create(checkout)
    repository.git("fetch", "-q", project.server.top.as_uri(), "+refs/*:refs/remotes/origin/*")
    repository.git("checkout", "-q", "--detach", event.sha)
    given = {"comment": "never", "fetch_missing": "false", **inputs}
    return LocalStep(folder / f"runner-{secrets.token_hex(4)}", checkout, event, REPOSITORY, given).run()


def test_what_the_ledgers_hold_is_told_on_its_line_and_in_the_summary(
    project: Project, tmp_path: Path
) -> None:
    left = step(
        project,
        tmp_path,
        critic_review="1",
        sovereign_memory="1",
        fail_on="blocking_findings",
    )
    assert left.status == 2, left.stderr
    (error,) = left.annotations("error")
    assert (error.properties["file"], error.properties["line"]) == (FINDINGS, "4")
    warnings = [one for one in left.annotations("warning") if one.properties.get("file") == FINDINGS]
    assert [one.properties["line"] for one in warnings] == ["3"]
    notices = [one.properties["title"] for one in left.annotations("notice")]
    assert "altered in a ledger" in notices
    summary = left.summary
    assert "1 finding is open and blocks" in summary
    assert "Not only added to:" in summary
    assert f"{FINDINGS}:2" in summary
    assert "in its digest" in summary
    # The digest stands behind a fence, where nothing is live; of all else nothing ends what it is folded in.
    outside = re.sub(r"(?ms)^(`{3,}|~{3,}).*?^\1", "", summary)
    assert "pwned" in outside
    assert "</details> ::error" not in outside
    assert outside.count("<details>") == outside.count("</details>")
    assert "@everyone" not in summary


@pytest.mark.parametrize("inputs", [{}, {"critic_review": "0", "sovereign_memory": "false"}])
def test_a_pull_request_cannot_switch_its_own_judge_on_or_off(
    project: Project, tmp_path: Path, inputs: dict[str, str]
) -> None:
    left = step(project, tmp_path, **inputs)
    assert left.status == 0, left.stderr
    assert "sovereign" not in left.summary
    assert left.annotations("error") == []


def test_a_gate_that_cannot_close_is_told_of(project: Project, tmp_path: Path) -> None:
    left = step(project, tmp_path, fail_on="blocking_findings")
    assert left.status == 2
    (error,) = left.annotations("error")
    assert "critic_review" in error.data
