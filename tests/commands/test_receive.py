"""`ophiuchus receive`, end to end: what goes to the reader, what is said beside it, what the runner gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_run import AHEAD, PASSED, SCOPE, CommandRun, capsule, deadline, paths
from git_repository import Repository
from markdown_it import MarkdownIt

from ophiuchus.assess.fidelity import AGENTS
from ophiuchus.assess.verdicts import VALIDITY_LIMIT
from ophiuchus.report.serial import report_schema

IN_ACTIONS = {"GITHUB_ACTIONS": "true"}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    base = made.commit({"src/a.py": "1\n"})
    made.commit(
        {
            ".ophiuchus/good.json": capsule("good", paths("src/**", base=base)),
            ".ophiuchus/seed.json": capsule("seed", deadline(PASSED), SCOPE),
            ".ophiuchus/bad.json": "{\n",
        }
    )
    return made


def receive(repository: Repository, *words: str, consumer: str = "codex", **more: Any) -> CommandRun:
    return CommandRun(repository.top, "receive", "--with", consumer, *words, **more)


def fences(markdown: str) -> dict[str, str]:
    return {one.info: one.content for one in MarkdownIt("commonmark").parse(markdown) if one.type == "fence"}


@pytest.mark.parametrize("consumer", AGENTS)
@pytest.mark.parametrize("name", ["good", "GOOD", ".ophiuchus/good.json", "go\u200bod"])
def test_a_committed_capsule_comes_as_markdown(repository: Repository, name: str, consumer: str) -> None:
    run = receive(repository, name, consumer=consumer)
    assert run.status == 0
    assert run.err == ""
    assert fences(run.out)["text sender goal"] == "Ship it\n"
    assert "Context validity: **valid**, its required condition holds." in run.out


def test_the_seeds_example_warns_of_the_aggregate_with_both_ids(repository: Repository) -> None:
    """First seed: one deadline that has passed, one scope in words."""
    run = receive(repository, "seed")
    assert run.status == 0
    assert run.err == (
        "warning: context validity: partially_stale; 2 required conditions not valid: `vc-1`, `vc-2`. "
        f"{VALIDITY_LIMIT}\n"
    )


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ([], None),
        ([deadline(AHEAD)], None),
        ([{**deadline(PASSED), "required": False}], None),
        ([deadline(PASSED)], "stale; 1 required condition not valid: `vc-1`."),
        ([deadline(AHEAD), SCOPE], "unverifiable; 1 required condition not valid: `vc-2`."),
        ([{**SCOPE, "required": False}, deadline(PASSED)], "stale; 1 required condition not valid: `vc-2`."),
    ],
)
def test_only_required_conditions_that_are_not_valid_are_warned_of(
    repository: Repository, conditions: list[dict[str, Any]], told: str | None
) -> None:
    run = receive(repository, "-", stdin=capsule("in", *conditions).encode())
    assert (told is None) is ("warning" not in run.err)
    assert told is None or told in run.err


def test_what_is_to_be_revalidated_and_what_is_over_are_warned_of(repository: Repository) -> None:
    item = {"item_id": "nk", "hypothesis": "h", "why_invalid": "w", "applies_while": ["vc-1"]}
    text = capsule("in", deadline(PASSED), negative_knowledge=[item], expires_at=PASSED)
    run = receive(repository, "-", stdin=text.encode())
    assert "warning: expired: " in run.err
    assert "warning: revalidation required: `nk` was ruled out while “vc-1” held" in run.err
    assert run.err.count("revalidation") == 1
    assert "notice: is not committed: judged as it was given" in run.err


def test_everything_is_judged_here_and_now(repository: Repository) -> None:
    repository.commit({"src/a.py": "2\n"})
    assert "context validity: stale; 1 required condition" in receive(repository, "good").err
    assert "context validity" not in receive(repository, "seed", "--at", "2019-01-01T00:00:00Z").out[:1]
    early = receive(repository, "seed", "--at", "2019-01-01T00:00:00Z")
    assert "unverifiable; 1 required condition not valid: `vc-2`" in early.err


def test_a_file_on_disk_and_the_standard_input_are_received(repository: Repository) -> None:
    repository.write("draft.json", capsule("draft", deadline(AHEAD)))
    for run in (
        receive(repository, "draft.json"),
        receive(repository, "-", stdin=capsule("draft", deadline(AHEAD)).encode()),
    ):
        assert run.status == 0
        assert fences(run.out)["text sender capsule_id"] == "draft\n"


def test_a_parent_is_found_on_the_commit_for_what_is_not_committed(repository: Repository) -> None:
    text = capsule("new", deadline(AHEAD), parent_capsule_id="good")
    run = receive(repository, "-", stdin=text.encode())
    assert "Status: **compared**, 1 ancestor read." in run.out


@pytest.mark.parametrize("name", [".ophiuchus/bad.json", "bad"])
def test_what_cannot_be_read_is_told_and_nothing_is_printed(repository: Repository, name: str) -> None:
    run = receive(repository, name)
    assert run.status == 2
    assert run.out == ""
    assert run.err.startswith("problem: .ophiuchus/bad.json:")


def test_a_capsule_with_a_problem_is_shown_and_ends_with_its_status(repository: Repository) -> None:
    repository.commit({".ophiuchus/copy.json": capsule("Good")})
    run = receive(repository, ".ophiuchus/copy.json")
    assert run.status == 2
    assert "problem: .ophiuchus/copy.json" in run.err
    assert fences(run.out)["text sender goal"] == "Ship it\n"


@pytest.mark.parametrize("words", [["nothing"], ["good", "--with", "summary"], ["good", "--with", "vim"]])
def test_what_is_not_there_is_refused(repository: Repository, words: list[str]) -> None:
    run = receive(repository, *words)
    assert run.status == 2
    assert run.out == ""


def test_every_agent_gets_the_text_that_comes_where_none_is_named(repository: Repository) -> None:
    """Published messages say `ophiuchus receive ID`, and cannot be corrected later."""
    card = {"unit_id": "c", "kind": "contact_cards"}
    text = capsule("in", critical=[card], contact_cards=[{"name": "Ada Example"}]).encode()
    run = CommandRun(repository.top, "receive", "-", stdin=text)
    assert run.status == 0
    assert "contact_cards has no place in what agents get" in run.out
    assert {receive(repository, "-", consumer=agent, stdin=text).out for agent in AGENTS} == {run.out}


HOSTILE = "::error::x\n##[error]y\n::set-output name=verdict::valid\n```\n@octocat\n\x1b[2Kz"


def test_outside_of_a_workflow_lines_come_as_they_are(repository: Repository) -> None:
    run = receive(repository, "-", stdin=capsule("in", evidence=[HOSTILE]).encode())
    assert fences(run.out)["text sender evidence[0]"] == HOSTILE.replace("\x1b", r"\x1b") + "\n"
    assert "taken for commands" not in run.err


def test_in_a_workflow_no_line_is_a_command_and_the_change_is_told(repository: Repository) -> None:
    text = capsule("in", evidence=[HOSTILE]).encode()
    run = receive(repository, "-", stdin=text, env=IN_ACTIONS)
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in run.out.splitlines())
    assert r"\::error::x" in run.out
    assert "`--output FILE` keeps every byte" in run.err
    assert "keeps every byte" not in receive(repository, "good", env=IN_ACTIONS).err


@pytest.mark.parametrize("env", [{}, IN_ACTIONS])
def test_a_file_gets_every_byte(repository: Repository, env: dict[str, str]) -> None:
    text = capsule("in", evidence=[HOSTILE]).encode()
    run = receive(repository, "-", "--output", "out.md", stdin=text, env=env)
    assert run.out == ""
    written = (repository.top / "out.md").read_text("utf-8")
    assert written == receive(repository, "-", stdin=text).out
    assert "::error::x\n" in written


def test_json_has_the_markdown_and_the_report(repository: Repository) -> None:
    text = capsule(
        "in",
        deadline(PASSED),
        critical=[{"unit_id": "u", "kind": "goal"}, {"unit_id": "c", "kind": "contact_cards"}],
        contact_cards=[{"name": "Ada Example"}],
        evidence=[HOSTILE],
    ).encode()
    run = receive(repository, "-", "--format", "json", stdin=text, consumer="cursor")
    assert run.json["markdown"] == receive(repository, "-", stdin=text, consumer="cursor").out
    assert run.json["consumer"] == "cursor"
    assert run.json["capsule_id"] == "in"
    jsonschema.validate(run.json["report"], report_schema(), jsonschema.Draft202012Validator)
    (fidelity,) = run.json["report"]["capsules"][0]["fidelity"]
    assert fidelity["consumer"] == "cursor"
    assert fidelity["preserved"] == 1
    assert [one["verdict"] for one in fidelity["units"]] == ["preserved", "unsupported"]
    receive(repository, "-", "--format", "json", "--output", "out.json", stdin=text, consumer="cursor")
    assert json.loads((repository.top / "out.json").read_text("utf-8")) == run.json


def test_contact_cards_stay_out_of_every_form(repository: Repository) -> None:
    text = capsule("in", contact_cards=[{"name": "Ada Example", "contact": "ada@example.org"}]).encode()
    for form in ("text", "json"):
        run = receive(repository, "-", "--format", form, stdin=text)
        assert "Ada Example" not in run.out + run.err
        assert "ada@example.org" not in run.out + run.err
