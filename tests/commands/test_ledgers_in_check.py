"""The ledgers in `check`: what is wrong on which line, what blocks, what went; nothing with switches at 0."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import critic_rows
import memory_rows
import pytest
from command_run import AHEAD, CommandRun, capsule, deadline
from critic_rows import finding
from git_repository import ENV, Repository
from memory_rows import entry, identity

from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.patience import MOST_FAULTS

FINDINGS = "handoffs/sovereign_critic_findings.jsonl"
MEMORY = "docs/engineering/sovereign-memory"
PATTERNS = f"{MEMORY}/patterns.jsonl"
MISTAKES = f"{MEMORY}/mistakes.jsonl"
ARCHIVED = "docs/engineering/sovereign-memory-archive/patterns-20260701T100000Z.jsonl"
BOTH = {"CROSS_MODEL_REVIEW": "1", "SOVEREIGN_MEMORY": "1"}
CRITIC, REMEMBERS = {"CROSS_MODEL_REVIEW": "1"}, {"SOVEREIGN_MEMORY": "1"}
BAD = b'{"finding_id": "x"}\n'

Files = Mapping[str, str | bytes | None]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    made.commit({".ophiuchus/one.json": capsule("one", deadline(AHEAD))})
    return made


def check(repository: Repository, *words: str, env: Mapping[str, str] = BOTH) -> CommandRun:
    return CommandRun(repository.top, "check", "--format", "json", *words, env=env)


def changed(repository: Repository, files: Files, *words: str, env: Mapping[str, str] = BOTH) -> CommandRun:
    """The report on a change that commits these files, against the commit before it."""
    before = repository.head()
    repository.commit(files)
    return check(repository, "--base", before, *words, env=env)


def places(run: CommandRun, kind: str = "problems") -> list[tuple[Any, ...]]:
    return [(one["path"], one.get("line"), one["code"]) for one in run.json[kind]]


# The critics' ledger.


def test_findings_that_are_open_and_block_are_listed_with_their_lines_and_counted(
    repository: Repository,
) -> None:
    rows = [
        finding(1),
        finding(2, blocking=True, severity="high", finding_text="Two writers race"),
        finding(3, blocking=True, status="resolved"),
        finding(4, blocking=True, phase_id="qa", anti_slop_score=2),
    ]
    repository.commit({FINDINGS: critic_rows.lines(*rows)})
    run = check(repository)
    assert run.status == 0
    critic = run.json["ledgers"]["critic"]
    assert (critic["path"], critic["rows"], critic["open_blocking_count"]) == (FINDINGS, 4, 2)
    assert [(one["line"], one["text"]) for one in critic["open_blocking"]] == [
        (2, "Two writers race"),
        (4, rows[3]["finding_text"]),
    ]
    reviews = {one["phase_id"]: one for one in critic["phases"]}
    assert reviews["execute"]["decision"] == "pass"
    assert reviews["execute"]["aggregate"] == 7
    assert reviews["qa"]["decision"] == "rework"
    assert [one["phase_id"] for one in critic["phases"]] == ["qa", "execute"]
    assert critic["lost_count"] == 0
    assert run.json["notices"] == []
    assert run.json["ledgers"]["memory"]["families"][0]["rows"] == 0


@pytest.mark.parametrize(
    ("row", "fail_on", "status"),
    [
        (finding(1, blocking=True), "blocking_findings", 1),
        (finding(1, blocking=True), "any", 1),
        (finding(1, blocking=True), "stale", 0),
        (finding(1, blocking=True, status="waived"), "blocking_findings", 0),
        (finding(1, severity="critical"), "blocking_findings", 0),
    ],
)
def test_only_what_says_that_it_blocks_and_is_open_fails_the_gate(
    repository: Repository, row: dict[str, Any], fail_on: str, status: int
) -> None:
    repository.commit({FINDINGS: critic_rows.lines(row)})
    run = check(repository, "--fail-on", fail_on)
    assert run.status == status
    reasons = [(one["rule"], one["path"], one["line"]) for one in run.json["gate"]["reasons"]]
    assert reasons == ([("blocking_findings", FINDINGS, 1)] if status else [])


def test_a_gate_on_a_ledger_that_is_switched_off_is_refused(repository: Repository) -> None:
    run = check(repository, "--fail-on", "blocking_findings", env={})
    assert run.status == 2
    assert "critic_review" in run.err
    assert check(repository, "--fail-on", "any", env={}).status == 0


def test_a_bad_line_is_a_problem_on_its_line_where_the_switch_is_on_only(repository: Repository) -> None:
    repository.commit({FINDINGS: critic_rows.lines(finding(1)) + b'{"torn": \n', PATTERNS: BAD})
    run = check(repository)
    assert run.status == 2
    assert (FINDINGS, 2, "not_json") in places(run)
    assert {path for path, _, _ in places(run)} == {FINDINGS, PATTERNS}
    assert {path for path, _, _ in places(check(repository, env=CRITIC))} == {FINDINGS}
    off = check(repository, env={})
    assert (off.status, off.json["problems"], off.json["notices"]) == (0, [], [])
    assert off.json["ledgers"] == {"critic": None, "memory": None}


def test_a_code_that_only_ledgers_know_is_told_in_words(repository: Repository) -> None:
    repository.commit({FINDINGS: critic_rows.lines(finding(1, surplus=1))})
    (problem,) = check(repository).json["problems"]
    assert (problem["code"], problem["line"]) == ("bad_row", 1)
    assert problem["message"].endswith("(unknown_field)")


def test_a_line_that_was_bad_before_this_change_is_a_notice_though_the_file_was_touched(
    repository: Repository,
) -> None:
    repository.commit({FINDINGS: BAD + critic_rows.lines(finding(1))})
    run = changed(repository, {FINDINGS: b"\n" + BAD + critic_rows.lines(finding(1), finding(2))})
    assert run.status == 0, run.err
    assert (FINDINGS, None, "bad_rows_before") in places(run, "notices")
    run = changed(repository, {"f": "1"})
    assert run.status == 0
    assert places(run, "notices") == [(FINDINGS, None, "bad_rows_before")]
    run = changed(repository, {FINDINGS: BAD + critic_rows.lines(finding(1), finding(2)) + b"{}\n"})
    assert run.status == 2
    assert {line for _, line, _ in places(run)} == {4}


def test_without_a_base_every_bad_line_is_a_problem(repository: Repository) -> None:
    repository.commit({FINDINGS: BAD})
    assert check(repository).status == 2


def test_many_bad_lines_are_bounded_and_counted(repository: Repository) -> None:
    repository.commit({FINDINGS: b"{\n" * 1_000})
    problems = check(repository, env=CRITIC).json["problems"]
    assert len(problems) == 201
    assert "800 more problems" in problems[-1]["message"]


@pytest.mark.parametrize(("path", "env"), [(FINDINGS, CRITIC), (PATTERNS, REMEMBERS)])
def test_what_was_not_looked_at_is_this_changes_where_it_touches_the_file(
    repository: Repository, path: str, env: Mapping[str, str]
) -> None:
    torn = b"x\n" * (MOST_FAULTS + 3)
    repository.commit({path: torn})
    told = changed(repository, {path: torn + b"x\n"}, env=env)
    assert told.status == 2
    assert places(told) == [(path, None, "too_many")]
    assert told.json["problems"][0]["message"].startswith("4 more lines that may be wrong were not looked at")
    elsewhere = changed(repository, {"a.txt": "a"}, env=env)
    assert (elsewhere.status, places(elsewhere)) == (0, [])
    assert f"{MOST_FAULTS + 1:,} lines could not be used" in elsewhere.json["notices"][0]["message"]


@pytest.mark.parametrize("form", ["text", "html", "github"])
def test_how_many_bad_lines_are_not_told_is_never_folded_away(repository: Repository, form: str) -> None:
    torn: Files = {FINDINGS: b"{\n" * 1_000} | {f".ophiuchus/{number}.json": b"{" for number in range(250)}
    repository.commit(torn)
    told = CommandRun(repository.top, "check", "--format", form, env=CRITIC)
    assert "800 more problems of this kind of ledger" in told.out


@pytest.mark.parametrize("kind", ["lfs", "link", "folder"])
def test_what_is_no_ledger_at_a_ledgers_place_is_a_problem(repository: Repository, kind: str) -> None:
    if kind == "lfs":
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 1\n"
        repository.commit({FINDINGS: pointer})
    elif kind == "link":
        (repository.top / "handoffs").mkdir()
        (repository.top / FINDINGS).symlink_to("elsewhere")
        repository.commit({})
    else:
        repository.commit({f"{FINDINGS}/x": "1"})
    run = check(repository, env=CRITIC)
    code = "lfs_pointer" if kind == "lfs" else "not_a_regular_file"
    assert places(run) == [(FINDINGS, None, code)]


def test_signs_of_saturation_are_notices(repository: Repository) -> None:
    same = {"critic_model_id": "inherit", "degraded_mode": True}
    rows = [finding(number, anti_slop_score=10, status="resolved", **same) for number in (1, 2)]
    repository.commit({FINDINGS: critic_rows.lines(*rows)})
    notices = check(repository).json["notices"]
    assert [one["code"] for one in notices] == ["saturated"] * 3
    words = " ".join(one["message"] for one in notices)
    assert all(part in words for part in ("every score is 10", "every finding is closed", "one model"))
    repository.commit({FINDINGS: critic_rows.lines(*rows, finding(3))})
    assert check(repository).json["notices"] == []


def test_nothing_of_a_row_with_a_secret_is_shown(repository: Repository) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    row = finding(1, blocking=True, finding_text=f"the token {token} is in the log", run=1)
    repository.commit({FINDINGS: critic_rows.lines(row)})
    run = check(repository)
    assert run.status == 2
    assert run.json["ledgers"]["critic"]["open_blocking"][0]["text"] is None
    assert token not in run.out + run.err
    for form in ("text", "github"):
        told = CommandRun(repository.top, "check", "--format", form, env=BOTH)
        assert "not shown: it looks like it holds a secret" in told.out
        assert token not in told.out + told.err


# What becomes of rows.


def test_appending_moving_a_status_and_reordering_loses_nothing(repository: Repository) -> None:
    repository.commit({FINDINGS: critic_rows.lines(finding(1), finding(2))})
    rows = critic_rows.lines(finding(2), finding(1, status="resolved"), finding(3))
    run = changed(repository, {FINDINGS: rows})
    assert run.json["ledgers"]["critic"]["lost_count"] == 0


def test_a_row_that_a_torn_last_line_was_glued_to_is_lost(repository: Repository) -> None:
    """The file begins as it did, and its last row is no row any more."""
    repository.commit({FINDINGS: critic_rows.lines(finding(1)).rstrip(b"\n")})
    run = changed(repository, {FINDINGS: critic_rows.lines(finding(1)).rstrip(b"\n") + b"{}\n"})
    assert run.status == 2
    assert [one["line"] for one in run.json["ledgers"]["critic"]["lost"]] == [1]


@pytest.mark.parametrize("deleted", [False, True])
def test_c056_rows_that_went_or_say_other_things_are_named_against_the_base(
    repository: Repository, deleted: bool
) -> None:
    rows = [finding(number) for number in (1, 2, 3)]
    repository.commit({FINDINGS: critic_rows.lines(*rows)})
    now = critic_rows.lines(finding(1, severity="high"), rows[2])
    run = changed(repository, {FINDINGS: None if deleted else now})
    assert run.status == 0
    critic = run.json["ledgers"]["critic"]
    told = [(one["path"], one["line"], one["identity"], one["change"]) for one in critic["lost"]]
    removed = [(FINDINGS, number, rows[number - 1]["finding_id"], "removed") for number in (1, 2, 3)]
    altered = (*removed[0][:3], "altered")
    assert told == (removed if deleted else [altered, removed[1]])
    assert critic["lost_count"] == len(told)
    text = CommandRun(repository.top, "check", "--base", "HEAD~1", env=BOTH).out
    assert f"this change removed or altered {len(told)} rows" in text
    assert rows[1]["finding_id"] in text


def test_c056_rows_that_were_archived_are_not_lost_and_others_are(repository: Repository) -> None:
    rows = [entry(Family.PATTERNS, number) for number in (1, 2, 3)]
    repository.commit({PATTERNS: memory_rows.lines(*rows)})
    run = changed(repository, {PATTERNS: b"", ARCHIVED: memory_rows.lines(*rows)})
    assert run.json["ledgers"]["memory"]["lost_count"] == 0
    assert run.json["problems"] == []
    run = changed(repository, {ARCHIVED: memory_rows.lines(*rows[:2])})
    (lost,) = run.json["ledgers"]["memory"]["lost"]
    assert (lost["path"], lost["line"], lost["identity"]) == (ARCHIVED, 3, identity(3))
    # A row of one family is not at home in another one's ledger.
    run = changed(repository, {ARCHIVED: memory_rows.lines(rows[0]), MISTAKES: memory_rows.lines(rows[1])})
    assert [one["identity"] for one in run.json["ledgers"]["memory"]["lost"]] == [identity(2)]


def test_an_id_that_this_change_made_stand_twice_is_its_problem_in_whatever_file(
    repository: Repository,
) -> None:
    repository.commit({ARCHIVED: memory_rows.lines(entry(Family.PATTERNS, 1))})
    run = changed(repository, {PATTERNS: memory_rows.lines(entry(Family.PATTERNS, 1, text="Another"))})
    assert run.status == 2
    assert places(run) == [(ARCHIVED, 1, "duplicate_id")]
    run = changed(repository, {"f": "1"})
    assert (run.status, places(run)) == (0, [])


def test_a_base_that_lacks_a_ledgers_content_is_told_of(repository: Repository) -> None:
    repository.commit({FINDINGS: critic_rows.lines(finding(1))})
    blob = repository.git("rev-parse", f"HEAD:{FINDINGS}")
    base = repository.head()
    repository.commit({FINDINGS: critic_rows.lines(finding(2))})
    (repository.top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    run = check(repository, "--base", base, env=CRITIC)
    assert run.status == 0
    assert "not all ledgers could be compared" in run.json["notices"][0]["message"]
    repository.git("checkout", "-q", "--detach")
    run = check(repository, "--tree", base, env=CRITIC)
    assert run.status == 2
    assert places(run) == [(FINDINGS, None, "unreadable")]


# The memory.


def test_the_memory_is_counted_and_its_digest_is_folded_into_the_summary(repository: Repository) -> None:
    hostile = entry(Family.PATTERNS, 2, text="</details> @everyone\n# Heading ```")
    repository.commit(
        {
            PATTERNS: memory_rows.lines(
                entry(Family.PATTERNS, 1), hostile, entry(Family.PATTERNS, 3, status="superseded")
            ),
            ARCHIVED: memory_rows.lines(entry(Family.PATTERNS, 4)),
        }
    )
    run = check(repository)
    assert run.status == 0, run.err
    memory = run.json["ledgers"]["memory"]
    patterns = next(one for one in memory["families"] if one["path"] == PATTERNS)
    assert patterns == {"path": PATTERNS, "rows": 3, "active": 2, "archives": 1}
    assert sorted(memory["digest_entry_ids"]) == sorted([identity(1), identity(2)])
    assert "Entry 1 was learned" in memory["digest"]
    assert "\n# Heading" not in memory["digest"]
    assert "Entry 1 was learned" in CommandRun(repository.top, "check", env=BOTH).out


def test_the_digest_is_made_of_the_ledgers_end(repository: Repository) -> None:
    rows = [entry(Family.PATTERNS, number) for number in range(1, 8)]
    repository.commit({PATTERNS: memory_rows.lines(*rows)})
    run = check(repository, env={**REMEMBERS, "SOVEREIGN_MEMORY_READ_TAIL": "2"})
    assert sorted(run.json["ledgers"]["memory"]["digest_entry_ids"]) == [identity(6), identity(7)]
    assert "only the last lines" in run.json["notices"][0]["message"]


def rejecting(*refs: str | None) -> str:
    items = [
        {
            "item_id": f"nk-{number}",
            "hypothesis": "h",
            "why_invalid": "w",
            "applies_while": ["vc-1"],
            **({"provenance_ref": ref} if ref else {}),
        }
        for number, ref in enumerate(refs, 1)
    ]
    return capsule("one", deadline(AHEAD), negative_knowledge=items)


def test_where_a_rejection_comes_from_is_resolved_and_shown(repository: Repository) -> None:
    gone = identity(9)
    refs = (f"memory:{identity(1)}", identity(2), f"memory:{gone}", "R-0093", None)
    files: Files = {
        ".ophiuchus/one.json": rejecting(*refs),
        PATTERNS: memory_rows.lines(entry(Family.PATTERNS, 1)),
        ARCHIVED: memory_rows.lines(entry(Family.PATTERNS, 5), entry(Family.PATTERNS, 2)),
    }
    repository.commit(files)
    expected = [
        ("nk-1", identity(1), PATTERNS, 1, "Entry 1 was learned"),
        ("nk-2", identity(2), ARCHIVED, 2, "Entry 2 was learned"),
        ("nk-3", gone, None, None, None),
    ]
    for command in (["check"], ["inspect", "one"]):
        run = CommandRun(repository.top, *command, "--format", "json", env=REMEMBERS)
        assert run.status == 0
        found = run.json["ledgers"]["memory"]["provenance"]
        told = [(one["item_id"], one["entry_id"], one["ledger"], one["line"], one["text"]) for one in found]
        assert told == expected
        assert [one["code"] for one in run.json["notices"]] == ["no_such_entry"]
        text = CommandRun(repository.top, *command, env=REMEMBERS).out
        assert f"{ARCHIVED}:2" in text
        assert "Entry 1 was learned" in text
        assert "no such entry" in text
        off = CommandRun(repository.top, *command, "--format", "json", env={})
        assert off.json["ledgers"]["memory"] is None


# Switches.


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".ophiuchus/config.toml", "[ledgers]\ncross_model_review = 1\nsovereign_memory = true\n"),
        (".cursor/scratchpad.md", "CROSS_MODEL_REVIEW=1\nSOVEREIGN_MEMORY=1\n"),
    ],
)
def test_a_file_switches_the_ledgers_on_as_it_stands_at_the_base(
    repository: Repository, path: str, text: str
) -> None:
    repository.commit({FINDINGS: critic_rows.lines(finding(1))})
    run = changed(repository, {path: text}, env={})
    assert run.json["ledgers"] == {"critic": None, "memory": None}
    assert None not in check(repository, env={}).json["ledgers"].values()
    run = changed(repository, {path: None}, env={})
    assert None not in run.json["ledgers"].values()
    assert (
        check(repository, "--base", "HEAD~1", env={"CROSS_MODEL_REVIEW": "0"}).json["ledgers"]["critic"]
        is None
    )


def test_a_proposed_commit_sets_nothing_where_its_pull_request_is_not_known(
    repository: Repository, tmp_path: Path
) -> None:
    """An event without its file, and a run that follows a fork's without saying whose."""
    repository.commit({".ophiuchus/config.toml": "[ledgers]\ncross_model_review = 1\n"})
    file = tmp_path / "event.json"

    def critic(name: str, followed: str = "") -> object:
        file.write_text(json.dumps({"workflow_run": {"event": followed}}))
        env = {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file)}
        return check(repository, env=env).json["ledgers"]["critic"]

    assert critic("pull_request") is None
    assert critic("workflow_run", "pull_request") is None
    assert critic("workflow_run", "push") is not None
    assert critic("push") is not None


def test_a_setting_that_cannot_be_used_is_a_notice(repository: Repository) -> None:
    repository.commit({".ophiuchus/config.toml": '[ledgers]\ncross_model_review = "yes"\n'})
    assert places(check(repository, env={}), "notices") == [("", None, "setting_unused")]
    env = {**CRITIC, "CROSS_MODEL_ANTISLOP_THRESHOLD": "many"}
    assert places(check(repository, env=env), "notices") == [("", None, "setting_unused")]


PROGRAM = """
import sys
opened = []
def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opened.append(arguments[0])
sys.addaudithook(hook)
from ophiuchus.cli import console
status = None
try:
    sys.argv = ["ophiuchus", *sys.argv[1:]]
    status = console()
except SystemExit as stop:
    status = stop.code
seen = [name for name in sys.modules if name.startswith("ophiuchus.ledgers")]
seen += [path for path in opened if "sovereign" in path or "/ledgers/" in path]
print("LEDGERS", status, seen, file=sys.stderr)
"""


@pytest.mark.parametrize("on", [False, True])
def test_with_switches_at_0_no_ledger_module_is_imported_and_no_ledger_asked_of_git(
    repository: Repository, tmp_path: Path, on: bool
) -> None:
    files: Files = {
        FINDINGS: critic_rows.lines(finding(1)),
        PATTERNS: memory_rows.lines(entry(Family.PATTERNS, 1)),
        ".ophiuchus/config.toml": f"[ledgers]\ncross_model_review = {int(on)}\nsovereign_memory = 0\n",
        ".ophiuchus/one.json": rejecting(f"memory:{identity(1)}"),
    }
    repository.commit(files)
    trace = tmp_path / "trace"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    git = shutil.which("git")
    wrapper.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {trace}\n'
        f'case "$1" in cat-file) tee -a {trace} | {git} "$@" ;; *) exec {git} "$@" ;; esac\n'
    )
    wrapper.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "check", "-C", str(repository.top)],
        env={
            **ENV,
            "PATH": f"{wrapper.parent}:{ENV['PATH']}",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    asked = trace.read_text()
    assert "cat-file" in asked
    assert "LEDGERS 0 " in done.stderr, done.stderr
    blobs = [repository.git("rev-parse", f"HEAD:{path}") for path in (FINDINGS, PATTERNS)]
    touched = [word for word in (*blobs, "sovereign", "handoffs") if word in asked]
    if on:
        assert "ophiuchus.ledgers.jsonl" in done.stderr
        assert blobs[0] in touched
        assert blobs[1] not in touched
    else:
        assert "LEDGERS 0 []" in done.stderr
        assert touched == []


def test_the_report_with_ledgers_is_of_the_published_schema(repository: Repository) -> None:
    from ophiuchus.report.reading import read_report

    repository.commit(
        {
            FINDINGS: critic_rows.lines(finding(1, blocking=True)),
            PATTERNS: memory_rows.lines(entry(Family.PATTERNS, 1)),
        }
    )
    run = check(repository)
    read = read_report("report.json", run.out.encode())
    assert read.ledgers.critic is not None
    assert json.loads(run.out)["ledgers"]["critic"]["open_blocking_count"] == 1


def test_of_shards_the_first_judges_the_ledgers_and_the_merged_report_gates(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit({FINDINGS: critic_rows.lines(finding(1, blocking=True))})
    words = ("--fail-on", "blocking_findings", "--format", "json")
    files = []
    for shard, status in (("1/2", 1), ("2/2", 0)):
        run = CommandRun(repository.top, "sweep", "--shard", shard, *words, env=CRITIC)
        assert run.status == status
        files.append(tmp_path / f"{status}.json")
        files[-1].write_text(run.out)
    run = CommandRun(repository.top, "merge", *map(str, files), "--format", "json")
    assert run.status == 1
    assert run.json["ledgers"]["critic"]["open_blocking_count"] == 1
    assert [one["line"] for one in run.json["gate"]["reasons"]] == [1]
    text = CommandRun(repository.top, "sweep", env=CRITIC).out
    assert "Critics' findings" in text
