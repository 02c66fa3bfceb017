"""A run: the oracle scores 1 everywhere and twice the same, a wrong program lower; and what is said of it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from continuation_benchmark.case import Case, Track, load_cases
from continuation_benchmark.executors import Answer, Command, NoAnswer, Oracle
from continuation_benchmark.metrics import Metric
from continuation_benchmark.rendering import Arm
from continuation_benchmark.report import (
    DISCLAIMER,
    SAME_IN_EVERY_ARM,
    ArmResult,
    Report,
    Score,
    report_bytes,
)
from continuation_benchmark.run import run
from pydantic import ValidationError

from continuation_benchmark import __main__
from ophiuchus.assess.fidelity import FIDELITY_LIMIT

CASES = load_cases()
FEW = CASES[:3]


def program(folder: Path, body: str) -> Command:
    """A program whose body has the question as `asked` and prints with `answer(plan, relied_on)`."""
    file = folder / "program.py"
    file.write_text(
        "import json, sys\n"
        "asked = json.load(sys.stdin)\n"
        "def answer(plan, relied_on):\n"
        "    print(json.dumps({'plan': plan, 'relied_on': relied_on}))\n" + body,
        "utf-8",
    )
    return Command(f"{sys.executable} {file}")


def scores(arm: ArmResult) -> dict[Metric, float]:
    return {one.metric: one.score for one in arm.scores}


def test_the_oracle_scores_one_everywhere() -> None:
    report = run(CASES, Oracle())
    assert [arm.arm for arm in report.arms] == list(Arm)
    for arm in report.arms:
        assert scores(arm) == dict.fromkeys(Metric, 1.0)
        assert set(arm.tracks) == set(Track)
        assert all(one.score == 1.0 for of_track in arm.tracks.values() for one in of_track)
        assert all(value == 1.0 for of_case in arm.cases.values() for value in of_case.values())
        assert arm.unanswered == {}
        misuse = next(one for one in arm.scores if one.metric is Metric.STALE_CONTEXT_MISUSE_RATE)
        assert misuse.value == 0.0


def test_two_runs_of_the_oracle_are_the_same_to_the_byte() -> None:
    assert report_bytes(run(CASES, Oracle())) == report_bytes(run(load_cases(), Oracle()))


def test_the_oracle_is_told_to_say_nothing_about_arms(tmp_path: Path) -> None:
    assert run(FEW, Oracle()).warnings == (SAME_IN_EVERY_ARM,)
    assert run(FEW, program(tmp_path, "answer([], [])"), [Arm.NONE]).warnings == ()


def test_a_program_that_answers_wrong_scores_lower(tmp_path: Path) -> None:
    """Whatever is offered, it does and believes: some is right, and none of it is left undone."""
    everything = program(
        tmp_path, "answer(sorted(asked['actions'], reverse=True), list(asked['statements']))"
    )
    (arm,) = run(CASES, everything, [Arm.NONE]).arms
    got = scores(arm)
    for metric in (Metric.REDISCOVERY_AVOIDED, Metric.REPEATS_AVOIDED, Metric.STALE_CONTEXT_MISUSE_RATE):
        assert got[metric] == 0.0
    for metric in (Metric.CORRECTNESS, Metric.EFFICIENCY, Metric.TIME_TO_USEFUL_CONTINUATION):
        assert 0.0 < got[metric] < 1.0
    assert arm.unanswered == {}


def test_a_program_that_says_nothing_useful_scores_nothing_for_it(tmp_path: Path) -> None:
    (arm,) = run(FEW, program(tmp_path, "answer(['moon'], ['cheese'])"), [Arm.NONE]).arms
    for metric in (Metric.CORRECTNESS, Metric.EFFICIENCY, Metric.CRITICAL_CONTEXT_PRESERVATION_RATE):
        assert scores(arm)[metric] == 0.0


def test_a_program_gets_the_arms_rendering(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    body = f"open({str(seen)!r}, 'a').write(json.dumps(asked) + '\\n'); answer([], [])"
    run(CASES[:1], program(tmp_path, body))
    asked = [json.loads(line) for line in seen.read_text("utf-8").splitlines()]
    assert [one["rendering"][:12] for one in asked] == ["# A hand-off", "", CASES[0].summary[:12]]
    assert {one["task"] for one in asked} == {CASES[0].task}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit(3)", "ended with status 3"),
        ("print('yes')", "printed no JSON"),
        ("print('[1]')", "printed JSON of another shape"),
        ('print(\'{"plan": "one"}\')', "printed JSON of another shape"),
        ("sys.stdout.buffer.write(b'\\xff')", "printed no JSON"),
        ("import time; time.sleep(60)", "took longer than"),
    ],
)
def test_a_program_without_an_answer_scores_nothing_and_stops_nobody(
    tmp_path: Path, body: str, reason: str
) -> None:
    asked = replace(program(tmp_path, body), seconds=1 if "sleep" in body else 60)
    (arm,) = run(CASES[:1], asked, [Arm.NONE]).arms
    assert all(one == 0.0 for one in scores(arm).values())
    assert reason in arm.unanswered[CASES[0].case_id]


def test_a_program_that_is_not_there_gives_no_answer() -> None:
    with pytest.raises(NoAnswer, match="could not be started"):
        Command("./there-is-no-such-program").answer(CASES[0], Arm.NONE)


def test_an_answer_may_say_more_than_is_asked() -> None:
    assert Answer.model_validate({"plan": ["one"], "because": "x"}).plan == ("one",)


@pytest.mark.parametrize(
    "disclaimers",
    [(), ("Numbers.",), ("Numbers.", DISCLAIMER), (f"{DISCLAIMER} ",), (DISCLAIMER[:-1],)],
)
def test_a_report_without_its_first_disclaimer_cannot_be_built(disclaimers: tuple[str, ...]) -> None:
    good = run(FEW, Oracle())
    with pytest.raises(ValidationError):
        Report.model_validate({**good.model_dump(), "disclaimers": disclaimers}, strict=False)
    assert Report.model_validate(good.model_dump(), strict=False) == good


def test_the_disclaimers_say_what_the_numbers_are_not() -> None:
    first, second = run(FEW, Oracle()).disclaimers
    assert "measures whether the scoring pipeline is right" in first
    assert "no evidence about any model" in first
    assert "no number here is market or product validation" in first
    assert FIDELITY_LIMIT in second


def test_a_score_is_never_above_one() -> None:
    with pytest.raises(ValidationError):
        Score(metric=Metric.CORRECTNESS, cases=1, value=1.5, score=1.5)


def test_the_command_line_prints_the_report_and_says_what_it_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    __main__.main(["--track", "continuity", "--arm", "summary"])
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert report["disclaimers"][0] == DISCLAIMER
    assert [arm["arm"] for arm in report["arms"]] == ["summary"]
    assert report["cases"] == sum(case.track is Track.CONTINUITY for case in CASES)
    assert DISCLAIMER in printed.err
    assert SAME_IN_EVERY_ARM in printed.err
    __main__.main(["--track", "continuity", "--arm", "summary", "--output", str(tmp_path / "report.json")])
    assert (tmp_path / "report.json").read_text("utf-8") == printed.out


def test_the_command_line_can_ask_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = program(tmp_path, "answer([], [])")
    __main__.main(["--command", asked.words, "--arm", "none", "--track", "validity"])
    assert json.loads(capsys.readouterr().out)["executor"] == "command"


def test_a_case_is_never_changed_by_a_run() -> None:
    before = [case.model_dump_json() for case in CASES]
    run(CASES, Oracle())
    assert [case.model_dump_json() for case in CASES] == before
    assert all(isinstance(case, Case) for case in CASES)
