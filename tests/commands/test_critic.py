"""`ophiuchus critic`, end to end."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from command_run import CommandRun
from critic_rows import finding, lines

from ophiuchus.commands import critic_validate
from ophiuchus.ledgers.critic.finding import faults
from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.critic.validation import FINDINGS
from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.patience import MOST_FAULTY_BYTES
from ophiuchus.secrets.scan import MOST_FINDINGS

ON = {"CROSS_MODEL_REVIEW": "1"}
OFF: dict[str, str] = {}
SECRET = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"


def ledger(root: Path, *rows: dict[str, Any], data: bytes = b"") -> Path:
    path = root / FINDINGS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*rows) + data)
    return path


def written(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / FINDINGS).read_text().splitlines()]


def critic(root: Path, *words: str, **more: Any) -> CommandRun:
    return CommandRun(root, "critic", *words, **more)


def test_a_valid_ledger_and_one_that_is_not_there_print_the_token(tmp_path: Path) -> None:
    missing = critic(tmp_path, "validate", "--enforce")
    assert (missing.status, missing.out) == (0, "[SOVEREIGN_CRITIC_VALIDATION_OK]\n")
    assert list(tmp_path.iterdir()) == []
    ledger(tmp_path, finding())
    assert critic(tmp_path, "validate", "--profile", "strict").out == missing.out


@pytest.mark.parametrize(
    ("action", "told"), [("validate", "[SOVEREIGN_CRITIC_VALIDATION_OK]\n"), ("open", "[]\n")]
)
def test_a_ledger_that_was_named_and_is_not_there_is_told_of(tmp_path: Path, action: str, told: str) -> None:
    run = critic(tmp_path, action, "--file", "findngs.jsonl")
    assert (run.status, run.out) == (0, told)
    assert run.err == "notice: there is no file findngs.jsonl, so there was nothing to read\n"


def test_open_says_how_many_lines_it_cannot_read(tmp_path: Path) -> None:
    ledger(tmp_path, finding(1, blocking=True), data=b'{"blocking": true, "status": "op')
    run = critic(tmp_path, "open")
    assert (run.status, len(json.loads(run.out))) == (0, 1)
    assert "1 line left out, which may block too" in run.err


@pytest.mark.parametrize("enforce", [[], ["--enforce"]])
def test_findings_invalid_exits_2_with_every_line_that_is_wrong(tmp_path: Path, enforce: list[str]) -> None:
    ledger(tmp_path, finding(), finding(2, lens="Poet"), data=b"\n{torn\n")
    run = critic(tmp_path, "validate", *enforce)
    assert (run.status, run.out) == (2, "")
    assert run.err.splitlines()[:3] == [
        f"notice: {FINDINGS}:3: is blank (blank_line)",
        "",
        "[SOVEREIGN_CRITIC_VALIDATION_FAILED] 2 error(s)",
    ]
    assert run.err.splitlines()[3].startswith(f"  {FINDINGS}:2:")
    assert "“Poet”" in run.err
    assert run.err.splitlines()[4].startswith(f"  {FINDINGS}:4:2: is not JSON")


def test_validating_as_json_gives_line_column_code_and_the_documents_reason(tmp_path: Path) -> None:
    ledger(tmp_path, finding(2, lens="Poet", blocking=True))
    run = critic(tmp_path, "validate", "--format", "json", "--file", str(tmp_path / FINDINGS))
    assert run.status == 2
    assert (run.json["valid"], run.json["reason"]) == (False, CriticReason.FINDINGS_INVALID)
    assert run.json["problem_count"] == run.json["open_blocking_count"] == 1
    (problem,) = run.json["problems"]
    assert (problem["line"], problem["code"]) == (1, "bad_field")


def test_how_much_was_not_looked_at_is_told_however_much_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(critic_validate, "MOST_TOLD", 2)
    ledger(tmp_path, data=(b'{"a": "' + b"x" * 60_000 + b'"}\n') * (MOST_FAULTY_BYTES // 60_000 + 2))
    problems = critic(tmp_path, "validate", "--format", "json").json["problems"]
    assert len(problems) == 3
    assert "not looked at" in problems[-1]["message"]


def test_a_ledger_behind_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "handoffs").mkdir()
    (tmp_path / FINDINGS).symlink_to("/etc/hostname")
    run = critic(tmp_path, "validate")
    assert run.status == 2
    assert "a link is on the way" in run.err


def test_the_self_test_prints_its_token(tmp_path: Path) -> None:
    run = critic(tmp_path, "validate", "--self-test")
    assert (run.status, run.out) == (0, "[SOVEREIGN_CRITIC_SELF_TEST_OK]\n")


@pytest.mark.parametrize("words", [["open"], ["validate", "--open-blocking"]])
def test_open_lists_what_says_that_it_blocks_and_hides_secrets(tmp_path: Path, words: list[str]) -> None:
    rows = [
        finding(1, blocking=True),
        finding(2, blocking="true"),
        finding(3, blocking=True, status="resolved"),
        finding(4, blocking=True, finding_text=f"It logs {SECRET}"),
    ]
    ledger(tmp_path, *rows, data=b"{torn\n[1]\n")
    run = critic(tmp_path, *words)
    assert run.status == 0
    found: Any = run.json
    assert [row["finding_id"] for row in found] == [rows[0]["finding_id"], rows[3]["finding_id"]]
    assert found[0] == rows[0]
    assert SECRET[4:12] not in run.out


def test_open_shows_no_secret_however_many_there_are(tmp_path: Path) -> None:
    ledger(tmp_path, finding(1, blocking=True, aside=[SECRET] * MOST_FINDINGS, later=SECRET))
    run = critic(tmp_path, "open")
    assert run.status == 0
    assert len(json.loads(run.out)) == 1
    assert SECRET[4:12] not in run.out


def test_open_for_qa_is_the_block_of_the_decision(tmp_path: Path) -> None:
    ledger(tmp_path, finding(1, blocking=True))
    run = critic(tmp_path, "open", "--qa")
    assert set(run.json) == {"cross_reviewer_findings", "open_blocking_count", "findings_path"}


@pytest.mark.parametrize(
    "words",
    [
        ["append", "--from", "-"],
        ["gate", "--run", "r", "--phase", "p"],
        ["review", "--executor", "false", "--run", "r", "--phase", "p", "--role", "dev", "--artifact", "-"],
    ],
)
def test_review_disabled_reads_and_writes_nothing(tmp_path: Path, words: list[str]) -> None:
    run = critic(tmp_path, *words, env=OFF)
    assert (run.status, run.out) == (0, "")
    assert CriticReason.REVIEW_DISABLED in run.err
    assert list(tmp_path.iterdir()) == []


GATE = ("gate", "--run", "auto-20260628-01", "--phase", "execute")


@pytest.mark.parametrize(
    ("env", "config", "scratchpad"),
    [
        ({"CROSS_MODEL_REVIEW": "2"}, "", ""),
        ({}, "[ledgers]\ncross_model_review = 2\n", ""),
        ({}, "[ledgers", ""),
        ({}, "[ledgers", "CROSS_MODEL_REVIEW=0\n"),
        ({}, "", "CROSS_MODEL_REVIEW=yes\n"),
    ],
)
def test_a_slip_in_what_switches_the_gate_on_does_not_open_it(
    tmp_path: Path, env: dict[str, str], config: str, scratchpad: str
) -> None:
    for name, text in ((".ophiuchus/config.toml", config), (".cursor/scratchpad.md", scratchpad)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    run = critic(tmp_path, *GATE, env=env)
    assert (run.status, run.out) == (2, "")
    assert "cannot be told whether CROSS_MODEL_REVIEW is on" in run.err
    assert critic(tmp_path, *GATE, env={"CROSS_MODEL_REVIEW": "0"}).status == 0


@pytest.mark.parametrize(
    ("rows", "profile", "status", "words"),
    [
        ([finding(anti_slop_score=7, blocking=True)], "strict", 0, "pass"),
        ([finding(anti_slop_score=1)], "strict", 0, "pass"),
        (
            [finding(anti_slop_score=1, blocking=True)],
            "strict",
            1,
            f"rework 1 of 2 ({CriticReason.ANTISLOP_FAIL})",
        ),
        (
            [finding(anti_slop_score=1, blocking=True, rework_generation=1)],
            "compat",
            1,
            f"cap exhausted ({CriticReason.REWORK_CAP_EXHAUSTED})",
        ),
    ],
)
def test_the_gate_passes_asks_for_rework_or_for_a_person(
    tmp_path: Path, rows: list[dict[str, Any]], profile: str, status: int, words: str
) -> None:
    ledger(tmp_path, *rows)
    run = critic(tmp_path, *GATE, "--profile", profile, env=ON)
    assert (run.status, run.out) == (status, f"{words}\n")
    as_json = critic(tmp_path, *GATE, "--profile", profile, "--format", "json", env=ON)
    assert as_json.status == status
    assert as_json.json["critic_evidence"]["anti_slop_aggregate"] == rows[0]["anti_slop_score"]


def test_a_phase_that_nobody_reviewed_does_not_pass(tmp_path: Path) -> None:
    ledger(tmp_path, finding(orchestrator_run_id="another"))
    assert critic(tmp_path, *GATE, env=ON).status == 2


def test_no_decision_rests_on_a_ledger_with_a_bad_line(tmp_path: Path) -> None:
    ledger(tmp_path, finding(anti_slop_score=9), data=b"{torn\n")
    for words in (GATE, ("reconcile",)):
        run = critic(tmp_path, *words, env=ON)
        assert run.status == 2
        assert f"{CriticReason.FINDINGS_INVALID}: {FINDINGS}:2:2" in run.err


@pytest.mark.parametrize(("entries", "status"), [([{"model_id": "a"}, {}], 1), ([{"model_id": "a"}], 0)])
def test_isolation_entries_without_a_model_id_fail_the_gate(
    tmp_path: Path, entries: list[dict[str, str]], status: int
) -> None:
    ledger(tmp_path, finding())
    (tmp_path / "isolation.json").write_text(json.dumps(entries))
    run = critic(tmp_path, *GATE, "--isolation", "isolation.json", env=ON)
    assert run.status == status
    assert (CriticReason.MODEL_ID_MISSING in run.err) == bool(status)


def test_isolation_entries_from_an_empty_variable_are_not_passed_over(tmp_path: Path) -> None:
    ledger(tmp_path, finding())
    assert critic(tmp_path, *GATE, env=ON).status == 0
    assert critic(tmp_path, *GATE, "--isolation", "", env=ON).status == 2


def test_reconcile_says_where_lenses_agree_and_writes_nothing(tmp_path: Path) -> None:
    path = ledger(
        tmp_path, finding(1, finding_text="Race!"), finding(2, finding_text="race", lens="architect")
    )
    before = path.read_bytes()
    run = critic(tmp_path, "reconcile")
    (agreement,) = run.json["agreements"]
    assert (agreement["agreed"], agreement["lenses"]) == (True, ["challenger", "architect"])
    assert path.read_bytes() == before


def test_select_names_the_model_and_says_when_it_is_the_same(tmp_path: Path) -> None:
    assert critic(tmp_path, "select", "--producer", "claude-x").out == "fast\n"
    run = critic(tmp_path, "select", "--producer", "fast", "--critic", "fast", "--format", "json")
    assert (run.json["degraded"], run.json["reason"]) == (True, CriticReason.DEGRADED_MODE)


def test_select_reads_no_ledger_and_takes_none(tmp_path: Path) -> None:
    run = critic(tmp_path, "select", "--file", "ledger.jsonl")
    assert run.status == 2
    assert "--file" in run.err


def test_the_catalog_of_the_config_is_used(tmp_path: Path) -> None:
    (tmp_path / ".ophiuchus").mkdir()
    (tmp_path / ".ophiuchus" / "config.toml").write_text(
        '[ledgers]\nmodel_resolve = "local_catalog"\n[ledgers.models]\nstrong = ["big"]\n'
    )
    run = critic(tmp_path, "select", "--producer", "big")
    assert run.out == "big\n"
    assert CriticReason.CRITIC_MODEL_UNAVAILABLE in run.err


def test_append_writes_a_finding_with_its_key_and_no_other(tmp_path: Path) -> None:
    row = finding(issue_key=...)
    run = critic(tmp_path, "append", "--from", "-", stdin=json.dumps(row).encode(), env=ON)
    assert (run.status, run.out) == (0, f"{row['finding_id']}\n")
    assert written(tmp_path) == [finding()]
    for bad in ({**row, "lens": "poet"}, {**row, "finding_text": f"It logs {SECRET}"}, [row]):
        run = critic(tmp_path, "append", "--from", "-", stdin=json.dumps(bad).encode(), env=ON)
        assert run.status == 2
        assert SECRET[4:12] not in run.err
    assert written(tmp_path) == [finding()]


def test_append_refuses_an_id_that_stands_already_however_it_is_spelled(tmp_path: Path) -> None:
    spelled = lines(finding(2)).replace(b"finding_id", rb"finding\u005fid")
    ledger(tmp_path, finding(1, status="resolved"), data=b"\xff torn\n" + spelled)
    before = (tmp_path / FINDINGS).read_bytes()
    for number, line in ((1, 1), (2, 3)):
        row = json.dumps(finding(number, finding_text="Other words", issue_key=...)).encode()
        run = critic(tmp_path, "append", "--from", "-", stdin=row, env=ON)
        assert (run.status, run.out) == (2, "")
        assert f"line {line} of {FINDINGS} has the finding_id" in run.err
    assert (tmp_path / FINDINGS).read_bytes() == before


def test_resolve_closes_a_finding_and_keeps_the_reason_beside(tmp_path: Path) -> None:
    ledger(tmp_path, finding(1, blocking=True), finding(2))
    words = ("resolve", str(finding(1)["finding_id"]), "--status", "waived", "--why", "accepted")
    assert critic(tmp_path, *words, env={"GITHUB_ACTOR": "ann"}).status == 0
    assert [row["status"] for row in written(tmp_path)] == ["waived", "open"]
    (change,) = (tmp_path / "handoffs" / "sovereign_critic_findings.changes.jsonl").read_text().splitlines()
    assert json.loads(change)["by"] == "ann"
    assert "already" in critic(tmp_path, *words).out
    assert critic(tmp_path, "resolve", "nobody", "--why", "x").status == 2


EXECUTOR = """\
import json, os, sys, time
prompt = sys.stdin.read()
with open("asked.jsonl", "a") as file:
    seen = [os.getpid(), os.environ["OPHIUCHUS_CRITIC_LENS"], os.environ["OPHIUCHUS_CRITIC_MODEL"], prompt]
    file.write(json.dumps(seen) + "\\n")
{act}
"""
ANSWER = """\
found = {"severity": "high", "blocking": True, "finding_text": "Race"}
print(json.dumps({"checks": {}, "findings": [found]}))
"""


def review(root: Path, act: str, *words: str, env: dict[str, str] = ON) -> CommandRun:
    (root / "executor.py").write_text(EXECUTOR.format(act=act))
    (root / "work.diff").write_text("+ the work\n")
    command = shlex.join([sys.executable, "executor.py"])
    return critic(
        root,
        *("review", "--executor", command, "--run", "auto-1", "--phase", "execute", "--role", "dev"),
        *("--artifact", "work.diff", *words),
        env=env,
    )


def test_a_review_asks_three_lenses_each_in_a_fresh_process_and_writes_what_they_find(tmp_path: Path) -> None:
    run = review(tmp_path, ANSWER, "--producer", "claude-x", env={**ON, "AI_DECISION_LEDGER": "1"})
    assert (run.status, run.err) == (0, "")
    asked = [json.loads(line) for line in (tmp_path / "asked.jsonl").read_text().splitlines()]
    assert len({process for process, *_ in asked}) == 3
    assert [lens for _, lens, *_ in asked] == ["challenger", "architect", "subtractor"]
    assert {model for *_, model, _ in asked} == {"fast"}
    assert all("+ the work" in prompt for *_, prompt in asked)
    rows = written(tmp_path)
    assert [faults(row, Profile.STRICT) for row in rows] == [[], [], []]
    assert {row["confidence"] for row in rows} == {"high"}
    assert run.json["reason"] == CriticReason.ANTISLOP_FAIL
    assert run.json["decision_ledger_row"]["cross_model_reviewed"] is True
    assert critic(tmp_path, "validate", "--profile", "strict").status == 0


def test_a_critic_gets_no_credential_of_this_job(tmp_path: Path) -> None:
    ours = {"GITHUB_TOKEN": "a", "OPHIUCHUS_SLACK_TOKEN": "b", "INPUT_X": "c", "ACTIONS_RUNTIME_TOKEN": "d"}
    act = f"if set({list(ours)}) & set(os.environ) or 'VENDOR_KEY' not in os.environ: sys.exit(9)\n" + ANSWER
    assert review(tmp_path, act, env={**ON, **ours, "VENDOR_KEY": "e"}).status == 0


def test_degraded_mode_is_said_and_recorded_where_the_producer_looks_at_its_own_work(tmp_path: Path) -> None:
    run = review(tmp_path, ANSWER, "--producer", "claude-x", "--critic", "Claude-X")
    assert run.status == 0
    assert CriticReason.DEGRADED_MODE in run.err
    assert [row["degraded_mode"] for row in written(tmp_path)] == [True] * 3


@pytest.mark.parametrize(
    ("act", "words", "said"),
    [
        ("sys.exit(3)", [], "ended with status 3"),
        ("time.sleep(60)", ["--timeout", "0.5"], "took longer than 0.5 seconds"),
        ("print('x' * (1 << 20) + 'yy')", [], "printed more than"),
    ],
)
def test_critic_spawn_failed_where_the_executor_gives_no_answer(
    tmp_path: Path, act: str, words: list[str], said: str
) -> None:
    run = review(tmp_path, act, *words)
    assert run.status == 2
    assert f"{CriticReason.CRITIC_SPAWN_FAILED}: the executor for the challenger {said}" in run.err
    assert not (tmp_path / FINDINGS).exists()


@pytest.mark.parametrize("command", ["no-such-program-here", "'", ""])
def test_critic_spawn_failed_where_there_is_no_such_program(tmp_path: Path, command: str) -> None:
    words = ("--run", "r", "--phase", "execute", "--role", "dev", "--artifact", "-")
    run = critic(tmp_path, "review", "--executor", command, *words, env=ON)
    assert run.status == 2
    assert CriticReason.CRITIC_SPAWN_FAILED in run.err


def test_findings_invalid_where_the_second_lens_prints_prose_and_nothing_is_written(tmp_path: Path) -> None:
    act = "if os.environ['OPHIUCHUS_CRITIC_LENS'] == 'architect': sys.exit(print('All good!'))\n" + ANSWER
    run = review(tmp_path, act)
    assert run.status == 2
    assert f"{CriticReason.FINDINGS_INVALID}: the answer of the architect is no JSON" in run.err
    assert not (tmp_path / FINDINGS).exists()


def test_a_review_that_finds_no_room_leaves_none_of_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, answered = os.write, []

    def full(to: int, data: bytes) -> int:
        is_row = data[:1] == b"{"
        answered.append(is_row)
        return write(to, data[:700] if is_row else data)

    monkeypatch.setattr("os.write", full)
    run = review(tmp_path, ANSWER)
    assert (run.status, run.out) == (2, "")
    assert any(answered)
    assert (tmp_path / FINDINGS).read_bytes() == b""


@pytest.mark.parametrize("option", ["--run", "--phase", "--role", "--producer", "--critic"])
@pytest.mark.parametrize("value", [SECRET, "x" * 501])
def test_rows_that_could_not_stand_are_seen_before_anybody_is_asked(
    tmp_path: Path, option: str, value: str
) -> None:
    run = review(tmp_path, ANSWER, option, value)
    assert (run.status, run.out) == (2, "")
    assert value not in run.err
    assert not (tmp_path / "asked.jsonl").exists()
    assert not (tmp_path / FINDINGS).exists()


@pytest.mark.parametrize("option", ["--run", "--phase", "--role"])
def test_a_review_of_nothing_named_is_refused(tmp_path: Path, option: str) -> None:
    run = review(tmp_path, ANSWER, option, " ")
    assert (run.status, run.out) == (2, "")
    assert "a review needs" in run.err


@pytest.mark.parametrize(
    "words",
    [
        *(["--timeout", value] for value in ("nan", "inf", "-1", "0", "1e9", "soon")),
        *(["--generation", value] for value in ("-3", "9" * 30, "1.5")),
    ],
    ids=" ".join,
)
def test_numbers_that_make_no_sense_are_refused(tmp_path: Path, words: list[str]) -> None:
    run = review(tmp_path, ANSWER, *words)
    assert run.status == 2
    assert f"argument {words[0]}: must be " in run.err
    assert not (tmp_path / "asked.jsonl").exists()


@pytest.mark.parametrize("act", [["validate"], ["open"], ["validate", "--profile", "strict"]])
@pytest.mark.parametrize(
    "words", [["--file", ""], ["--file", "/"], ["--file", ".."], ["--repo", "mistyped"]], ids=" ".join
)
def test_a_mistyped_place_is_no_clean_ledger(tmp_path: Path, act: list[str], words: list[str]) -> None:
    run = critic(tmp_path, *act, *words)
    assert (run.status, run.out) == (2, "")


@pytest.mark.parametrize("words", [["--why", " "], ["--why", "x", "--by", SECRET], ["--why", SECRET]])
def test_a_reason_that_is_none_or_may_not_be_kept_closes_nothing(tmp_path: Path, words: list[str]) -> None:
    path = ledger(tmp_path, finding(1, blocking=True))
    before = path.read_bytes()
    run = critic(tmp_path, "resolve", finding(1)["finding_id"], *words)
    assert (run.status, run.out) == (2, "")
    assert SECRET not in run.err
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_secret_for_an_actor_is_not_kept(tmp_path: Path) -> None:
    ledger(tmp_path, finding(1))
    words = ("resolve", finding(1)["finding_id"], "--why", "x")
    run = critic(tmp_path, *words, env={"GITHUB_ACTOR": SECRET})
    assert run.status == 2
    assert SECRET[4:12] not in run.err


@pytest.mark.parametrize("row", [finding(1), finding(1, finding_id=SECRET)])
def test_an_id_that_is_a_secret_is_neither_repeated_nor_kept(tmp_path: Path, row: dict[str, Any]) -> None:
    path = ledger(tmp_path, row)
    before = path.read_bytes()
    run = critic(tmp_path, "resolve", SECRET, "--why", "x")
    assert run.status == 2
    assert SECRET[4:12] not in run.out + run.err
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_work_that_is_too_large_is_not_cut_in_silence(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (600 * 1024))
    run = review(tmp_path, ANSWER, "--artifact", "large")
    assert run.status == 2
    assert "larger than" in run.err


def test_the_help_of_each_action_is_printed(tmp_path: Path) -> None:
    for action in ("validate", "open", "gate", "reconcile", "select", "review", "append", "resolve"):
        run = critic(tmp_path, action, "--help")
        assert run.status == 0
        assert run.out.startswith(f"usage: ophiuchus critic {action} ")
    assert critic(tmp_path).status == critic(tmp_path, "gate").status == 2


def test_every_reason_code_of_the_decision_is_produced_by_a_test_here_or_beside() -> None:
    """Each code's trigger is in the name or the body of a test: this one only counts them."""
    tests = Path(__file__).read_text() + "".join(
        path.read_text() for path in (Path(__file__).parents[1] / "ledgers" / "critic").glob("test_*.py")
    )
    assert len(CriticReason) == 10
    assert [code for code in CriticReason if f"CriticReason.{code.name}" not in tests] == []
