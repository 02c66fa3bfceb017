"""The three forms of a draft, end to end: the same hand-off comes out of each, and what is lost is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_run import CommandRun
from git_repository import Repository

DRAFT: dict[str, Any] = {
    "title": "Rotate the keys",
    "goal": "Keys are rotated: nobody # is logged out.",
    "state": "Half done.\n\n- the key is made\n- the old one is accepted",
    "next_action": "1. Refuse the old key.\n2. Measure.",
    "evidence": ["tests pass", "the log says:\n```\n# rotated\n```"],
    "rejected": ["A longer key"],
    "constraints": ["Grüße, 世界"],
    "open_questions": ["Is one hour enough?"],
    "critical": [
        {"unit_id": "log", "kind": "evidence", "index": 1, "why": "w", "supersedes": "old"},
        {"unit_id": "cookie", "kind": "negative_knowledge", "ref": "both-keys"},
    ],
    "validity": [
        {"condition_id": "until", "kind": "time_window", "not_after": "2027-01-01T00:00:00Z"},
        {"condition_id": "where", "kind": "declared_scope", "scope": "the web client", "required": False},
        {"condition_id": "paths", "kind": "git_paths", "paths": ["src/**", "docs/keys.md"]},
    ],
    "negative_knowledge": [
        {
            "item_id": "both-keys",
            "hypothesis": "Keep both keys in the cookie.",
            "why_invalid": "It grows over 4 KiB.",
            "applies_while": ["paths"],
            "retry_if": "cookies may be larger",
        }
    ],
    "expires_at": "2027-06-01T00:00:00Z",
}
MARKDOWN = """\
---
critical:
  - {unit_id: log, kind: evidence, index: 1, why: w, supersedes: old}
  - {unit_id: cookie, kind: negative_knowledge, ref: both-keys}
validity:
  - {condition_id: until, kind: time_window, not_after: 2027-01-01T00:00:00Z}
  - {condition_id: where, kind: declared_scope, scope: the web client, required: false}
negative_knowledge:
  - item_id: both-keys
    hypothesis: Keep both keys in the cookie.
    why_invalid: It grows over 4 KiB.
    applies_while: [paths]
    retry_if: cookies may be larger
expires_at: 2027-06-01T00:00:00Z
---
# Rotate the keys

## Goal

Keys are rotated: nobody # is logged out.

## Current state

Half done.

- the key is made
- the old one is accepted

## Next steps

1. Refuse the old key.
2. Measure.

## Evidence

- tests pass
- the log says:
  ```
  # rotated
  ```

## Dead ends

- A longer key

## Constraints

- Grüße, 世界

## Open questions

- Is one hour enough?

## Paths

- `src/**`
- docs/keys.md
"""
FORMS = {
    "draft.json": json.dumps(DRAFT),
    "draft.yaml": yaml.safe_dump(DRAFT, allow_unicode=True),
    "draft.md": MARKDOWN,
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with one committed hand-off, `earlier`, that has gone stale."""
    found = Repository.create(tmp_path / "repository")
    base = found.commit({"src/keys.py": "1", "docs/keys.md": "1"})
    earlier = {
        "schema_version": 1,
        "capsule_id": "earlier",
        "goal": "g",
        "state": "s",
        "next_action": "n",
        "critical": [{"unit_id": "old", "kind": "goal"}],
        "validity": [
            {"condition_id": "paths", "kind": "git_paths", "paths": ["src/**"], "base_commit": base}
        ],
    }
    found.commit({"src/keys.py": "2", ".ophiuchus/earlier.json": json.dumps(earlier)})
    return found


def capture(repository: Repository, text: str, *words: str) -> CommandRun:
    """Capture from the standard input."""
    return CommandRun(repository.top, "capture", "--from", "-", *words, stdin=text.encode())


def written(repository: Repository) -> dict[str, Any]:
    """The capsule that is written and not committed."""
    (name,) = repository.git("ls-files", "--others", "--", ".ophiuchus").splitlines()
    document: dict[str, Any] = json.loads((repository.top / name).read_text())
    return document


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("from_stdin", [True, False], ids=["stdin", "file"])
def test_every_form_carries_everything_and_continues_its_parent(
    repository: Repository, tmp_path: Path, name: str, from_stdin: bool
) -> None:
    if from_stdin:
        run = capture(repository, FORMS[name], "--parent", "earlier")
    else:
        (tmp_path / name).write_text(FORMS[name])
        run = CommandRun(repository.top, "capture", "--from", str(tmp_path / name), "--parent", "earlier")
    assert (run.status, run.err) == (0, "")
    capsule = written(repository)
    (paths,) = (one for one in capsule["validity"] if one["kind"] == "git_paths")
    assert paths.pop("base_commit") == repository.head()
    assert list(paths.pop("anchors")) == ["src/**", "docs/keys.md"]
    assert {key: capsule[key] for key in DRAFT} == DRAFT
    assert capsule["parent_capsule_id"] == "earlier"
    repository.commit()
    report = CommandRun(repository.top, "check", "--format", "json").json
    assert report["problems"] == []
    reads = {
        one["capsule_id"]: (one["validity"]["aggregate"], one["continued"]) for one in report["capsules"]
    }
    assert reads == {"earlier": ("stale", True), capsule["capsule_id"]: ("valid", False)}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_works_for_what_is_staged(repository: Repository, name: str) -> None:
    repository.write("src/keys.py", "3")
    repository.git("add", "src")
    run = capture(repository, FORMS[name], "--index", "--parent", "earlier")
    assert run.status == 0
    assert "no base commit" in run.err
    repository.git("add", ".ophiuchus")
    repository.commit_index()
    report = CommandRun(repository.top, "check", "--format", "json").json
    assert [one["validity"]["aggregate"] for one in report["capsules"] if not one["continued"]] == ["valid"]


@pytest.mark.parametrize("name", FORMS)
def test_a_parent_in_the_draft_is_as_good_as_one_on_the_command_line(
    repository: Repository, name: str
) -> None:
    draft = {**DRAFT, "parent_capsule_id": "earlier"}
    forms = {
        "draft.json": json.dumps(draft),
        "draft.yaml": yaml.safe_dump(draft, allow_unicode=True),
        "draft.md": MARKDOWN.replace("critical:", "parent_capsule_id: earlier\ncritical:", 1),
    }
    assert capture(repository, forms[name]).status == 0
    assert written(repository)["parent_capsule_id"] == "earlier"


# Notes as they are written.

NOTES = """\
# Session notes

**Date:** today

## Goal
Ship it.

## What worked
- the parser

## State
Half done.

<!-- keep this short -->

## Next step
Finish.
"""


def test_what_notes_say_besides_is_listed_and_the_rest_captured(repository: Repository) -> None:
    run = capture(repository, NOTES, "--format", "json")
    assert run.status == 0
    told = run.json["warnings"]
    assert told[:3] == [
        "-:3: left out, line 3: they stand below no heading that names a field",
        '-:8: left out, lines 8 to 9: the heading "What worked" names no field that is read',
        "-:14: left out, line 14: a comment is no part of a field",
    ]
    assert told[3].startswith("the headings that are read are Goal, State")
    assert "not_declared" in told[4]
    assert run.err.splitlines() == [f"warning: {one}" for one in told]
    capsule = written(repository)
    assert {key: capsule[key] for key in ("title", "goal", "state", "next_action")} == {
        "title": "Session notes",
        "goal": "Ship it.",
        "state": "Half done.",
        "next_action": "Finish.",
    }


def test_what_is_left_out_is_listed_too_where_the_draft_is_refused(repository: Repository) -> None:
    run = capture(repository, NOTES.replace("## Goal", "## Aim"))
    assert run.status == 2
    assert 'lines 5 to 6: the heading "Aim" names no field' in run.err
    assert "`goal` is missing" in run.err
    assert repository.git("ls-files", "--others") == ""


def test_a_fault_in_notes_is_told_with_its_line(repository: Repository) -> None:
    broken = MARKDOWN.replace("index: 1", "index: 7").replace("- docs/keys.md", "- docs/\0keys.md")
    run = capture(repository, broken)
    assert run.status == 2
    assert "-:3:" in run.err
    assert "points nowhere" in run.err
    line = MARKDOWN.splitlines().index("- docs/keys.md") + 1
    assert f"-:{line}:1: `validity[2].paths[1]`" in run.err


def test_an_id_that_is_taken_by_the_paths_is_refused_at_their_heading(repository: Repository) -> None:
    run = capture(repository, MARKDOWN.replace("condition_id: until", "condition_id: paths"))
    assert run.status == 2
    line = MARKDOWN.splitlines().index("## Paths") + 1
    assert f"-:{line}:1: `validity[2].condition_id`" in run.err


def test_notes_never_reach_the_terminal_raw(repository: Repository) -> None:
    run = capture(repository, f"{NOTES}\n## ::error::\x1b[2J\nx\n")
    assert run.status == 0
    assert "\x1b" not in run.err
    assert not any(line.startswith("::") for line in run.err.splitlines())
