"""The workflows that others call, the examples that call them, and the pages about them agree."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from git_repository import ENV, Repository

PROJECT = Path(__file__).parents[2]
REUSABLE = PROJECT / ".github" / "workflows"
EXAMPLES = PROJECT / "examples" / "workflows"
CALLED = ("check", "sweep", "publish", "digest")
OWN = {"shards", "environment"}
"""Inputs that a called workflow has and the action has not."""


def workflow(path: Path) -> dict[str, Any]:
    """A workflow's file; YAML takes its key `on` for a boolean."""
    read: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    return {"on" if key is True else str(key): value for key, value in read.items()}


def action() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))
    return read


def spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", CALLED)
def test_inputs_are_the_actions_with_its_defaults(name: str) -> None:
    inputs = workflow(REUSABLE / f"{name}.yml")["on"]["workflow_call"]["inputs"]
    known = action()["inputs"]
    for given in inputs.keys() - OWN:
        if "default" in inputs[given]:
            assert spelled(inputs[given]["default"]) == known[given]["default"], given
        else:
            assert inputs[given]["required"] is True


@pytest.mark.parametrize("name", CALLED)
def test_every_input_is_used_and_every_output_comes_from_the_action(name: str) -> None:
    called = workflow(REUSABLE / f"{name}.yml")
    text = (REUSABLE / f"{name}.yml").read_text("utf-8")
    jobs = text.partition("\njobs:\n")[2]
    for given in called["on"]["workflow_call"]["inputs"]:
        assert f"${{{{ inputs.{given} }}}}" in jobs, given
    for output, about in called["on"]["workflow_call"]["outputs"].items():
        (job,) = re.findall(rf"^\$\{{\{{ jobs\.(\w+)\.outputs\.{output} \}}\}}$", about["value"])
        assert re.fullmatch(
            rf"\$\{{\{{ steps\.\w+\.outputs\.{output} \}}\}}", called["jobs"][job]["outputs"][output]
        )
        assert output in action()["outputs"]


def test_the_pages_name_the_check_that_a_rule_of_the_branch_requires() -> None:
    """GitHub joins the names of the job that calls and of the one that is called."""
    (calling,) = workflow(EXAMPLES / "check.yml")["jobs"].values()
    (called,) = workflow(REUSABLE / "check.yml")["jobs"].values()
    docs = PROJECT / "docs"
    page = " ".join((docs / "other-ways-to-run.md").read_text("utf-8").split())
    assert f"requires is `{calling['name']} / {called['name']}` with the example" in page
    pasted = (docs / "check-a-pull-request.md").read_text("utf-8")
    (piece,) = re.findall(r"```yaml\n(name: Hand-offs\n.*?)```", pasted, re.DOTALL)
    (job,) = yaml.safe_load(piece)["jobs"].values()
    assert f"names the job: `{job['name']}`" in pasted


def steps_of(name: str, action_name: str) -> dict[str, dict[str, Any]]:
    """What the step that uses this action is given, by the job."""
    jobs = workflow(REUSABLE / f"{name}.yml")["jobs"]
    return {
        job: step.get("with", {})
        for job, each in jobs.items()
        for step in each["steps"]
        if step.get("uses", "").startswith(action_name)
    }


@pytest.mark.parametrize(
    ("name", "job", "inputs"),
    [
        ("check", "check", {"path", "ca_bundle", "comment_key", "critic_review", "sovereign_memory"}),
        ("sweep", "judge", {"path", "ca_bundle", "critic_review", "sovereign_memory"}),
        ("sweep", "report", {"path", "ca_bundle", "comment_key", "digest_to"}),
        (
            "digest",
            "digest",
            {"path", "ca_bundle", "comment_key", "digest_to", "approve", "capsules", "scope"},
        ),
    ],
)
def test_inputs_reach_the_job_that_needs_them(name: str, job: str, inputs: set[str]) -> None:
    given = steps_of(name, "OWNER/ophiuchus-action@")[job]
    assert {each: given.get(each) for each in inputs} == {
        each: f"${{{{ inputs.{each} }}}}" for each in inputs
    }
    assert steps_of(name, "actions/checkout@")[job]["path"] == "${{ inputs.path }}"


@pytest.mark.parametrize("name", ["check", "sweep"])
def test_runs_that_keep_two_comments_or_issues_do_not_wait_for_each_other(name: str) -> None:
    group = workflow(REUSABLE / f"{name}.yml")["concurrency"]["group"]
    told_apart = ("path", "capsules", "comment_key")
    assert [each for each in told_apart if f"${{{{ inputs.{each} }}}}" not in group] == []


@pytest.mark.parametrize("path", [*(REUSABLE / f"{name}.yml" for name in CALLED), *EXAMPLES.iterdir()])
def test_no_group_is_held_by_a_run_that_waits_for_its_reviewer(path: Path) -> None:
    """GitHub takes it for running, for up to 30 days: the next run would wait, and one more cancel that."""
    read = workflow(path)
    reviewed = [job for job in read["jobs"].values() if "environment" in {**job, **job.get("with", {})}]
    assert [part for part in (read, *reviewed) if reviewed and "concurrency" in part] == []


@pytest.mark.parametrize("name", CALLED)
def test_an_example_gives_what_the_called_jobs_ask_for_and_no_more(name: str) -> None:
    called = workflow(REUSABLE / f"{name}.yml")
    jobs = workflow(EXAMPLES / f"{name}.yml")["jobs"].values()
    (job,) = (one for one in jobs if one["uses"] == f"OWNER/ophiuchus-action/.github/workflows/{name}.yml@v1")
    asked: dict[str, str] = {}
    for each in called["jobs"].values():
        for permission, level in each["permissions"].items():
            asked[permission] = max(level, asked.get(permission, ""))
    assert job["permissions"] == asked
    assert set(job.get("with", {})) <= set(called["on"]["workflow_call"]["inputs"])
    assert set(job.get("secrets", {})) <= set(called["on"]["workflow_call"].get("secrets", {}))


@pytest.mark.parametrize("path", [*(REUSABLE / f"{name}.yml" for name in CALLED), *EXAMPLES.iterdir()])
def test_nothing_is_permitted_but_what_a_job_says_it_needs(path: Path) -> None:
    assert workflow(path)["permissions"] == {}
    for line in re.findall(r"^ +[\w-]+: (?:read|write)\b.*$", path.read_text("utf-8"), re.MULTILINE):
        assert "# to " in line, f"{path.name}: {line}"


@pytest.mark.parametrize(
    ("shards", "numbers"),
    [
        ("1", "[1]"),
        ("3", "[1,2,3]"),
        ("256", str([*range(1, 257)]).replace(" ", "")),
        *((wrong, None) for wrong in ("0", "-1", "2.5", "257", "1000", "two", "", "1 2", "x[$(id)]")),
    ],
)
def test_shards_that_no_matrix_can_have_stop_the_plan(
    shards: str, numbers: str | None, tmp_path: Path
) -> None:
    (step,) = workflow(REUSABLE / "sweep.yml")["jobs"]["plan"]["steps"]
    output = tmp_path / "output"
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        env={"PATH": os.environ["PATH"], "SHARDS": shards, "GITHUB_OUTPUT": str(output)},
        capture_output=True,
        text=True,
        check=False,
    )
    if numbers is None:
        assert (done.returncode, output.exists()) == (1, False)
        assert "from 1 to 256" in done.stdout
    else:
        assert (done.returncode, output.read_text()) == (0, f"numbers={numbers}\n")


@pytest.mark.parametrize(
    ("approve", "allowed", "is_sent"),
    [
        ("none", "slack:C0123ABCD", True),
        ("0" * 64, "", True),
        ("", "", True),  # the action refuses it by its own name
        ("none", "", False),
        ("none", " \n", False),
    ],
)
def test_a_digest_that_could_only_be_shown_stops_the_job_that_is_to_send_it(
    approve: str, allowed: str, *, is_sent: bool
) -> None:
    first = workflow(REUSABLE / "digest.yml")["jobs"]["digest"]["steps"][0]
    assert first["env"] == {
        "APPROVE": "${{ inputs.approve }}",
        "ALLOWED": "${{ secrets.OPHIUCHUS_ALLOWED_TARGETS }}",
    }
    done = subprocess.run(
        ["bash", "-e", "-c", first["run"]],
        env={"PATH": os.environ["PATH"], "APPROVE": approve, "ALLOWED": allowed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (0 if is_sent else 1)
    assert ("OPHIUCHUS_ALLOWED_TARGETS" in done.stdout) is not is_sent


def test_both_jobs_that_publish_know_the_same_addresses_and_only_one_knows_credentials() -> None:
    jobs = workflow(REUSABLE / "publish.yml")["jobs"]
    preview, publish = (jobs[name]["steps"][-1]["env"] for name in ("preview", "publish"))
    addresses = {name: value for name, value in publish.items() if "vars." in value}
    assert preview == addresses
    assert "secrets." in "".join(publish.values())


def test_a_sweep_shows_the_digest_and_only_what_sends_it_knows_credentials() -> None:
    """And both are of one sweep: what tells sweeps apart, and where services are, is the same."""
    sweep, digest = (
        next(step for step in workflow(REUSABLE / f"{name}.yml")["jobs"][job]["steps"] if "id" in step)
        for name, job in (("sweep", "report"), ("digest", "digest"))
    )
    addresses = {name: value for name, value in digest["env"].items() if "vars." in value}
    assert sweep["env"] == addresses
    assert "secrets." not in (REUSABLE / "sweep.yml").read_text("utf-8")
    known = workflow(REUSABLE / "digest.yml")["on"]["workflow_call"]["secrets"]
    assert {f"${{{{ secrets.{name} }}}}" for name in known} == set(digest["env"].values()) - set(
        addresses.values()
    )
    told_apart = ("path", "capsules", "scope", "comment_key", "digest_to")
    assert all(sweep["with"][each] == digest["with"][each] for each in told_apart)
    example = workflow(EXAMPLES / "digest.yml")["jobs"]
    given = ({key: job["with"].get(key) for key in told_apart} for job in example.values())
    assert next(given) == next(given)


@pytest.mark.parametrize(
    ("repository", "version", "is_released"),
    [("OWNER/ophiuchus-action", "v1.2.3", True), ("somebody-else/ophiuchus-action", "v1.2.3", False),
     ("OWNER/ophiuchus-action", "v2.0.0", False)],
)  # fmt: skip
def test_no_release_calls_the_action_of_another_owner_or_line(
    repository: str, version: str, tmp_path: Path, *, is_released: bool
) -> None:
    """A called workflow runs the action that it names, with the credentials of whoever calls it."""
    (step,) = [one for one in workflow(REUSABLE / "release.yml")["jobs"]["version"]["steps"] if "id" in one]
    project = Repository.create(tmp_path / "project")
    for path in REUSABLE.iterdir():
        project.write(f".github/workflows/{path.name}", path.read_text("utf-8"))
    project.write("src/ophiuchus/__init__.py", f'__version__ = "{version[1:]}"\n')
    project.write("CHANGELOG.md", f"## [{version[1:]}]\n")
    output = tmp_path / "output"
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        cwd=project.top,
        env={**ENV, "GITHUB_REF_NAME": f"release/{version}", "GITHUB_REPOSITORY": repository,
             "GITHUB_OUTPUT": str(output)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode == 0, output.exists()) == (is_released, is_released), done.stderr
    assert (f"uses: {repository}@{version[:2]}" in done.stdout) is not is_released


def test_the_page_about_forks_shows_the_example() -> None:
    page = (PROJECT / "docs" / "forks-and-permissions.md").read_text("utf-8")
    assert f"```yaml\n{(EXAMPLES / 'fork-comments.yml').read_text('utf-8')}```\n" in page


def test_the_page_about_the_hook_names_it() -> None:
    (hook,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert f"- id: {hook['id']}\n" in (PROJECT / "docs" / "other-ways-to-run.md").read_text("utf-8")
