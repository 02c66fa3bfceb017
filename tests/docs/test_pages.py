"""What our pages show is what the code does: workflows, tables, drafts, commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.capsule.draft import read_draft

PROJECT = Path(__file__).parents[2]
README = PROJECT / "README.md"
DOCS = PROJECT / "docs"
STARTER = PROJECT / "src" / "ophiuchus" / "commands" / "starter"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [README, DOCS / "check-a-pull-request.md"], ids=lambda page: page.name)
def test_the_workflow_to_paste_is_the_one_that_init_writes(page: Path) -> None:
    assert (STARTER / "workflow.yml").read_text("utf-8") in blocks(page, "yaml")


def test_the_readme_names_every_input_and_output_of_action_yml() -> None:
    action = yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))
    for name in [*action["inputs"], *action["outputs"]]:
        assert f"| `{name}` |" in README.read_text("utf-8")


def test_linux_only_is_said_in_the_readmes_first_screen() -> None:
    first_screen = "\n".join(README.read_text("utf-8").splitlines()[:25])
    assert re.search(r"Linux runners only", first_screen)


def test_every_input_that_a_page_sets_exists() -> None:
    known = set(yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))["inputs"])
    for page in [README, *DOCS.rglob("*.md")]:
        for block in blocks(page, "yaml"):
            for step in steps(yaml.safe_load(block)):
                if "ophiuchus-action" in step.get("uses", ""):
                    assert set(step.get("with", {})) <= known, page


def steps(shown: object) -> list[dict[str, dict[str, str]]]:
    """The steps of a workflow, or of a piece of one that is a list of steps."""
    if isinstance(shown, dict):
        return [step for job in shown.get("jobs", {}).values() for step in job["steps"]]
    return [step for step in shown if isinstance(step, dict)] if isinstance(shown, list) else []


def test_the_draft_on_the_page_is_the_example() -> None:
    example = (PROJECT / "examples" / "drafts" / "session-keys.yaml").read_text("utf-8")
    assert example in blocks(DOCS / "leave-a-hand-off.md", "yaml")
    assert read_draft("-", example.encode()).document["goal"]


@pytest.mark.parametrize("page", [README, DOCS / "limits.md"], ids=lambda page: page.name)
def test_the_limit_sentence_is_shown_where_verdicts_are_explained(page: Path) -> None:
    unquoted = re.sub(r"^> ", "", page.read_text("utf-8"), flags=re.MULTILINE)
    assert VALIDITY_LIMIT in " ".join(unquoted.split())
